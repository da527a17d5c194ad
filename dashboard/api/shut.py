"""The API as a whole, closed to programs: see ``table.reach``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from flask import Flask, abort, current_app, request

from dashboard.accounts import current_account
from dashboard.tokens import presented
from table.reach import Api

_KEY: Final = "tilewatch.api"


def shut(app: Flask, api: Api, rooms: Collection[str]) -> None:
    """Let only those ask the blueprints called ``rooms`` who may."""
    app.extensions[_KEY] = api
    if api == "public":
        return

    @app.before_request
    def _check() -> None:
        if request.blueprint not in rooms or current_account() is not None:
            return
        if api == "off":
            abort(403, description="The API is switched off here.")
        if presented() is None:
            abort(401, description="The API needs a token here; a director makes them.")


def access() -> Api:
    """Who may ask the API of the application at hand."""
    api: Api = current_app.extensions[_KEY]
    return api
