"""Tokens, made and withdrawn by a director."""

from __future__ import annotations

from typing import Any, cast

from flask import Blueprint, abort
from flask.typing import ResponseReturnValue

from dashboard.accounts import current_account, director_only
from dashboard.admin_log import done, reason
from dashboard.responses import json_answer
from dashboard.sent import sent_object
from dashboard.site import this_site
from dashboard.tokens import Scope, Tokens, tokens
from game.errors import TilewatchError

blueprint = Blueprint("api_keys", __name__, url_prefix="/api/v1")


@blueprint.get("/tokens")
@director_only
def every_token() -> ResponseReturnValue:
    """Every token, without its text."""
    return json_answer({"tokens": [token.as_json() for token in _kept().all()]})


@blueprint.post("/tokens")
@director_only
def make_token() -> ResponseReturnValue:
    """A new token; its text is in this answer and nowhere else, ever."""
    asked = body({"name": str, "scope": str, "table": str | None}, optional=("table",))
    why = reason()
    table = asked.get("table")
    if table is not None:
        this_site().table(table)
    account = current_account()
    assert account is not None
    try:
        token, text = _kept().make(
            asked["name"], cast("Scope", asked["scope"]), by=account.name, table=table
        )
    except TilewatchError as error:
        abort(422, description=str(error))
    done(f"token {token.name} ({token.id}), which opens {token.scope}, was made", why)
    return json_answer({"token": token.as_json(), "text": text}, 201)


@blueprint.delete("/tokens/<token_id>")
@director_only
def withdraw_token(token_id: str) -> ResponseReturnValue:
    """End a token, and the streams that were opened with it."""
    why = reason()
    known = {token.id: token.name for token in _kept().all()}
    if not _kept().withdraw(token_id):
        abort(404, description="There is no such token (any more).")
    done(f"token {known.get(token_id, '')} ({token_id}) was withdrawn", why)
    return json_answer({"withdrawn": token_id})


def body(fields: dict[str, Any], optional: tuple[str, ...] = ()) -> dict[str, Any]:
    """The request's JSON object with exactly these fields; any others end it with a 422."""
    sent = sent_object()
    for name in sent:
        if name not in fields:
            abort(422, description=f"{name[:40]!r}: known are {', '.join(fields)}")
    for name, kind in fields.items():
        if name not in sent and name not in optional:
            abort(422, description=f"{name}: missing")
        if name in sent and not isinstance(sent[name], kind):
            abort(422, description=f"{name}: of the wrong kind")
    return sent


def _kept() -> Tokens:
    kept = tokens()
    if kept is None:
        abort(404)
    return kept
