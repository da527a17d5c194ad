"""Who may do what: accounts, logging in, sessions, and what guards every request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dashboard.accounts.guard import (
    AuthContext,
    auth_context,
    csrf_token,
    current_account,
    current_session,
    director_only,
    may_watch,
    requires,
    session_over,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from flask import Flask

__all__ = [
    "AuthContext",
    "auth_context",
    "csrf_token",
    "current_account",
    "current_session",
    "director_only",
    "guard_app",
    "may_watch",
    "requires",
    "session_over",
]


def guard_app(app: Flask, data: Path | None, hosts: Iterable[str] = ()) -> None:
    """Guard ``app``; with a data folder people can log in to it."""
    from dashboard.accounts.guard import protect  # noqa: PLC0415
    from dashboard.accounts.pages import blueprint  # noqa: PLC0415

    protect(app, AuthContext.of(data) if data is not None else None, hosts)
    app.register_blueprint(blueprint)
