"""One table's game in parts: its turns, its clocks, and its record as GCG."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, abort
from flask.typing import ResponseReturnValue

from dashboard.access import audience_for
from dashboard.downloads import as_download
from dashboard.feeds.feed import Message, Views
from dashboard.gcg_text import gcg_of
from dashboard.responses import json_answer
from dashboard.site import Table, this_site
from table.views.views import Audience

blueprint = Blueprint("api_game", __name__, url_prefix="/api/v1/tables/<table_id>")


@blueprint.get("/turns")
def turns(table_id: str) -> ResponseReturnValue:
    """Every turn, oldest first."""
    _, latest = _shown(this_site().table(table_id))
    return json_answer({"game_id": latest.view["game_id"], "turns": latest.view["turns"]})


@blueprint.get("/turns/<int:number>")
def turn(table_id: str, number: int) -> ResponseReturnValue:
    """One turn, by its number from 1."""
    _, latest = _shown(this_site().table(table_id))
    found = next((one for one in latest.view["turns"] if one["number"] == number), None)
    if found is None:
        abort(404, description=f"There is no turn {number} yet.")
    return json_answer({"game_id": latest.view["game_id"], "turn": found})


@blueprint.get("/clocks")
def clocks(table_id: str) -> ResponseReturnValue:
    """Both clocks as they stand at this moment."""
    feed, latest = _shown(this_site().table(table_id))
    now_ns = feed.now_ns()
    return json_answer({"game_id": latest.view["game_id"], **clocks_at(latest.view, now_ns)})


@blueprint.get("/game.gcg")
def gcg(table_id: str) -> ResponseReturnValue:
    """The game's record so far."""
    table = this_site().table(table_id)
    audience = audience_for(table)
    text = gcg_of(table, audience)
    if text is None:
        abort(404, description=_NO_GAME)
    return gcg_answer(text, f"table-{table.id}.gcg")


def gcg_answer(text: str, name: str) -> Response:
    """A record to be saved."""
    answer = Response(text, mimetype="text/plain", headers={"Cache-Control": "no-store"})
    return as_download(answer, name)


def clocks_at(view: Mapping[str, Any], now_ns: int) -> dict[str, Any]:
    """Return both clocks at a moment, in ns and as players read them; below 0 is overtime.

    In a game without a clock there is nothing to show: null.
    """
    shown = view["clocks"]
    if shown is None:
        return {"now_ns": now_ns, "running": None, "remaining_ns": None}
    remaining = dict(shown["remaining_ns"])
    running = shown["running"]
    if running is not None:
        remaining[running] -= max(0, now_ns - shown["since_ns"])
    return {"now_ns": now_ns, "running": running, "remaining_ns": remaining}


_NO_GAME = "There is no game at this table yet."


def _shown(table: Table) -> tuple[Views, Message]:
    """The feed that the request may have, and the newest that it shows."""
    audience: Audience = audience_for(table)
    feed = table.feeds[audience]
    latest = feed.latest()
    if latest is None:
        abort(404, description=_NO_GAME)
    return feed, latest
