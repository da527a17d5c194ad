"""Tables for programs: the list, and each one's state, stream, game in parts, log and pictures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from flask import Response, abort, request, send_file
from flask.typing import ResponseReturnValue

from dashboard.access import audience_for, feed_for, require, withdrawn
from dashboard.api import schemas as shapes
from dashboard.api.openapi import AUDIENCE, TEXT, operation
from dashboard.feeds.feed import Message, Views
from dashboard.gcg import gcg_answer, gcg_of
from dashboard.responses import json_answer
from dashboard.sent import whole_argument
from dashboard.site import Table, this_site
from dashboard.streaming.response import last_event_id, stream
from dashboard.streaming.streams import ViewFollower
from game.schema import Audience
from record.errors import EvidenceError

TABLE: Final = "/tables/<table_id>"

MOST: Final = 1000
"""Events in one answer."""

_FOR_GOOD: Final = "private, max-age=31536000, immutable"
"""A picture's address is its hash, so the picture never changes. No shared cache may keep it."""


@operation("get", "/tables", {200: shapes.Tables})
def tables() -> ResponseReturnValue:
    """Every table in a line."""
    return json_answer({"tables": [_summary(table) for table in this_site().tables]})


@operation("get", TABLE, {200: shapes.State}, query=AUDIENCE)
def state(table_id: str) -> ResponseReturnValue:
    """One table's newest view."""
    table = this_site().table(table_id)
    return state_answer(table, feed_for(table))


@operation(
    "get",
    f"{TABLE}/events",
    {200: "text/event-stream", 503: shapes.NoPlace},
    query={**AUDIENCE, "after": TEXT},
    headers=("Last-Event-ID",),
)
def events(table_id: str) -> ResponseReturnValue:
    """Server-sent events: `time` with the table's time, and `view` after every change.

    A view is complete in itself, with an id to resume from (`Last-Event-ID`, or `after` in the
    address).
    """
    table = this_site().table(table_id)
    return stream_answer(table, feed_for(table))


def state_answer(table: Table, feed: Views) -> Response:
    """The newest view that ``feed`` has of ``table``, as JSON."""
    latest = feed.latest()
    return json_answer(
        {
            "table": {"id": table.id, "name": table.name},
            "id": latest.id if latest else None,
            "now_ns": feed.now_ns(),
            "rate": table.rate,
            "view": latest.view if latest else None,
        }
    )


def stream_answer(table: Table, feed: Views) -> Response:
    """The views of ``feed`` as server-sent events, or 503 where every place is taken."""
    follower = ViewFollower(feed, last_event_id(), table.rate, withdrawn())
    return stream(follower, staff=feed is not table.public)


def _summary(table: Table) -> dict[str, Any]:
    latest = table.public.latest()
    view = latest.view if latest else None
    return {
        "id": table.id,
        "name": table.name,
        "status": view["status"] if view else "waiting",
        "players": view["players"] if view else None,
        "href": f"/api/v1/tables/{table.id}",
    }


@operation("get", f"{TABLE}/turns", {200: shapes.Turns}, query=AUDIENCE)
def turns(table_id: str) -> ResponseReturnValue:
    """Every turn, oldest first."""
    _, latest = _shown(this_site().table(table_id))
    return json_answer({"game_id": latest.view["game_id"], "turns": latest.view["turns"]})


@operation("get", f"{TABLE}/turns/<int:number>", {200: shapes.OneTurn}, query=AUDIENCE)
def turn(table_id: str, number: int) -> ResponseReturnValue:
    """One turn, by its number from 1."""
    _, latest = _shown(this_site().table(table_id))
    found = next((one for one in latest.view["turns"] if one["number"] == number), None)
    if found is None:
        abort(404, description=f"There is no turn {number} yet.")
    return json_answer({"game_id": latest.view["game_id"], "turn": found})


@operation("get", f"{TABLE}/clocks", {200: shapes.ClocksNow}, query=AUDIENCE)
def clocks(table_id: str) -> ResponseReturnValue:
    """Both clocks at this moment."""
    feed, latest = _shown(this_site().table(table_id))
    now_ns = feed.now_ns()
    return json_answer({"game_id": latest.view["game_id"], **clocks_at(latest.view, now_ns)})


@operation("get", f"{TABLE}/game.gcg", {200: "text/plain"}, query=AUDIENCE)
def gcg(table_id: str) -> ResponseReturnValue:
    """The game's record so far, as GCG."""
    table = this_site().table(table_id)
    audience = audience_for(table)
    text = gcg_of(table, audience)
    if text is None:
        abort(404, description=_NO_GAME)
    return gcg_answer(text, f"table-{table.id}.gcg")


def clocks_at(view: Mapping[str, Any], now_ns: int) -> dict[str, Any]:
    """Return both clocks at a moment, in ns and as players read them; below 0 is overtime.

    In a game without a clock, ``running`` and ``remaining_ns`` are None.
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
    """Return the feed of the request's audience and its newest view; a 404 before a first game."""
    audience: Audience = audience_for(table)
    feed = table.feeds[audience]
    latest = feed.latest()
    if latest is None:
        abort(404, description=_NO_GAME)
    return feed, latest


@operation(
    "get",
    f"{TABLE}/log",
    {200: shapes.Log},
    query={
        "after": {"type": "integer", "minimum": 0, "maximum": 2**53, "default": 0},
        "limit": {"type": "integer", "minimum": 1, "maximum": MOST, "default": MOST},
        "game": TEXT,
    },
    opened_by="token",
)
def log(table_id: str) -> ResponseReturnValue:
    """The log's events after `after`, oldest first; `next` is the `after` of the next request."""
    table = this_site().table(table_id)
    require("director", table)
    if table.log is None:
        abort(404, description="This table's log is kept elsewhere.")
    after, limit = whole_argument("after", 0, 2**53), whole_argument("limit", MOST, MOST, 1)
    events = table.log.events(request.args.get("game") or None, after, limit)
    newest = events[-1].seq if events else after
    return json_answer(
        {"events": [shapes.LogEvent.of(one).as_json() for one in events], "next": newest}
    )


@operation(
    "get",
    f"{TABLE}/evidence/<sha256>",
    {200: "image/jpeg", 206: "image/jpeg", 304: None, 416: shapes.Error},
    headers=("Range", "If-None-Match"),
    opened_by="token",
)
def evidence(table_id: str, sha256: str) -> ResponseReturnValue:
    """One picture, the camera's own bytes."""
    table = this_site().table(table_id)
    require("director", table)
    missing = "There is no such picture here."
    if table.evidence is None:
        abort(404, description=missing)
    try:
        path = table.evidence.path(sha256)  # refuses whatever is no hash
    except EvidenceError:
        abort(404, description=missing)
    if not table.evidence.bring(sha256):
        abort(404, description=missing)
    answer = send_file(path, mimetype="image/jpeg", etag=sha256, conditional=True)
    answer.headers["Cache-Control"] = _FOR_GOOD
    return answer
