"""The players' clock: a page that is the clock itself, on a phone between the players."""

from __future__ import annotations

from flask import Flask

from dashboard.clock.keys import clock_address, clock_keys, clock_path
from dashboard.link_keys import LinkKeys
from dashboard.web_db import WebDb

__all__ = ["clock_address", "clock_keys", "clock_path", "install"]


def install(app: Flask, db: WebDb | None) -> None:
    """Serve it with ``app``. Without ``db`` its keys last as long as the application."""
    from dashboard.clock.pages import blueprint  # noqa: PLC0415

    app.extensions["tilewatch.clock_keys"] = LinkKeys("clock", db)
    app.register_blueprint(blueprint)
