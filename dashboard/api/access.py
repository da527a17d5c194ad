"""The API as a whole, closed to programs: see ``table.server_config``."""

from __future__ import annotations

from typing import Final

from flask import Flask, abort, current_app, request

from dashboard.accounts import current_account
from dashboard.tokens import presented
from table.server_config import Api

_KEY: Final = "tilewatch.api"
_SPARED: Final = "tilewatch.api.spared"
_PROGRAMS: Final = ("/api/", "/obs/")
"""The paths for programs and scenes; no page asks anything there."""


def shut(app: Flask, api: Api) -> None:
    """Restrict the API to those who may use it."""
    app.extensions[_KEY] = api
    spared: set[str] = app.extensions.setdefault(_SPARED, set())
    if api == "public":
        return

    @app.before_request
    def _check() -> None:
        if not request.path.startswith(_PROGRAMS) or request.endpoint in spared:
            return
        if current_account() is not None:
            return
        if api == "off":
            abort(403, description="The API is switched off here.")
        if presented() is None:
            abort(401, description="The API needs a token here; a director makes them.")


def spare(app: Flask, endpoint: str) -> None:
    """Leave an address open that has a lock of its own."""
    app.extensions[_SPARED].add(endpoint)


def access() -> Api:
    """Who may ask the API of the application at hand."""
    api: Api = current_app.extensions[_KEY]
    return api
