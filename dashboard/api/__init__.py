"""The API, version 1: states, event streams, and what a dispute is settled with, as JSON."""

from __future__ import annotations

from flask import Flask


def register(app: Flask) -> None:
    """Serve the API with ``app``."""
    from dashboard.api import game, keys, openapi, record, tables  # noqa: PLC0415
    from dashboard.obs import pages as obs  # noqa: PLC0415

    for part in (tables, game, record, keys, openapi, obs):
        app.register_blueprint(part.blueprint)
