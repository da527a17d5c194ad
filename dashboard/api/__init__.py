"""The API, version 1: states, event streams, and what a dispute is settled with, as JSON."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Flask

from table.server_config import Api


def register(app: Flask, who: Api = "public", webhook_hosts: Iterable[str] = ()) -> None:
    """Serve the API with ``app``, to whoever may ask it.

    ``webhook_hosts`` are hosts inside the network that webhooks may be sent to.
    """
    from dashboard.accounts import AuthContext  # noqa: PLC0415
    from dashboard.api import game, openapi, records, tables, tokens, webhooks  # noqa: PLC0415
    from dashboard.api.access import shut  # noqa: PLC0415
    from dashboard.obs import pages as obs  # noqa: PLC0415
    from dashboard.webhooks.outbound import Outbound  # noqa: PLC0415
    from dashboard.webhooks.sender import WebhookSenders  # noqa: PLC0415
    from dashboard.webhooks.store import Webhooks  # noqa: PLC0415

    shut(app, who)
    for part in (tables, game, records, tokens, webhooks, openapi, obs):
        app.register_blueprint(part.blueprint)
    door = app.extensions.get("tilewatch.door")
    if isinstance(door, AuthContext):
        made = WebhookSenders(
            app.extensions["tilewatch"], Webhooks(door.db), outbound=Outbound(webhook_hosts)
        )
        app.extensions["tilewatch.couriers"] = made
