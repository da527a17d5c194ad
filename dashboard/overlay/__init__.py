"""Overlays for a stream: transparent pages, each for a slot that shows some table."""

from __future__ import annotations

from flask import Flask

from dashboard.overlay.slots import Slots, slot_table, slots
from dashboard.web_db import WebDb

__all__ = ["Slots", "install", "slot_table", "slots"]


def install(app: Flask, db: WebDb | None) -> None:
    """Serve them with ``app``. Without ``db`` the slots last as long as the application."""
    from dashboard.overlay import event_pages, pages  # noqa: F401, PLC0415

    app.extensions["tilewatch.slots"] = Slots(db)
    app.register_blueprint(pages.blueprint)
