"""The audience of a request, from its session or its token; without either the public.

The API as a whole may be closed to programs (``[serve] api``, in ``table.server_config``).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from flask import Flask, abort, current_app, request

from dashboard.accounts.guard import current_account, session_over
from dashboard.feeds.feed import Views
from dashboard.parts import find
from dashboard.site import Table
from dashboard.tokens import Tokens, presented
from game.schema import Audience
from table.server_config import Api
from table.views.views import AUDIENCES

_NEEDS: Final[dict[Audience, str]] = {
    "player": "The player's view needs a director's session or a token.",
    "broadcast": "The broadcast's view needs a token; ask a director for one.",
    "director": "This is for the director: log in, or send a token.",
}

_LOOK_S: Final = 1.0
"""The time between two checks that a stream's session or token is still valid."""


def granted(audience: Audience, table: Table) -> bool:
    """True if the current request may see this audience's view of ``table``."""
    token = presented()
    if audience == "public":
        return True
    if token is not None and token.opens(audience, table.id):
        return True
    account = current_account()
    return account is not None and account.role in ("director", "observer")


def require(audience: Audience, table: Table) -> None:
    """End the request with 401 or 403 unless it may see this audience's view of ``table``."""
    if granted(audience, table):
        return
    if presented() is not None or current_account() is not None:
        abort(403, description=_NEEDS[audience])
    abort(401, description=_NEEDS[audience])


def audience_for(table: Table) -> Audience:
    """Return the audience in ``?audience=``. A request that may not see it ends with 401 or 403."""
    asked = request.args.get("audience", "public")
    if asked not in AUDIENCES:
        abort(400, description=f"audience: choose one of {', '.join(AUDIENCES)}")
    audience = asked
    require(audience, table)
    return audience


def feed_for(table: Table) -> Views:
    """Return the feed of the audience that :func:`audience_for` gives."""
    return table.feeds[audience_for(table)]


def withdrawn() -> Callable[[], bool]:
    """Return a function that is true once the request's token, or else its session, has ended.

    It reads the store once a second at most.
    """
    token, kept = presented(), find(Tokens)
    if token is not None and kept is not None:
        return _seldom(lambda: not kept.valid(token.id))
    return _seldom(session_over()) if current_account() is not None else lambda: False


def _seldom(ended: Callable[[], bool]) -> Callable[[], bool]:
    known, looked = False, time.monotonic()

    def asked() -> bool:
        nonlocal known, looked
        now = time.monotonic()
        if not known and now - looked >= _LOOK_S:
            known, looked = ended(), now
        return known

    return asked


_KEY: Final = "tilewatch.api"
_SPARED: Final = "tilewatch.api.spared"
_PROGRAMS: Final = ("/api/", "/obs/")
"""The paths for programs and scenes; our own pages send no requests there."""


def shut(app: Flask, api: Api) -> None:
    """Refuse API requests that ``api`` does not allow: without a token, or all but a session's."""
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
            abort(401, description="The API needs a token here; ask a director for one.")


def spare(app: Flask, endpoint: str) -> None:
    """Exempt an endpoint, which checks its requests itself, from :func:`shut`."""
    app.extensions[_SPARED].add(endpoint)


def access() -> Api:
    """Return the setting that says who may use the API."""
    api: Api = current_app.extensions[_KEY]
    return api
