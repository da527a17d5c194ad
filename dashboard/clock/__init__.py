"""The players' clock: a page that is the clock itself, on a phone between the players."""

from __future__ import annotations

from flask import Flask

from dashboard.clock.keys import ClockKeys, clock_address, clock_keys, clock_path
from dashboard.web_db import WebDb

__all__ = ["ClockKeys", "clock_address", "clock_keys", "clock_path", "install"]


def install(app: Flask, db: WebDb | None) -> None:
    """Serve it with ``app``. Without ``db`` its keys last as long as the application."""
    from dashboard.clock.pages import blueprint  # noqa: PLC0415

    app.extensions["tilewatch.clock_keys"] = ClockKeys(db)
    app.register_blueprint(blueprint)
