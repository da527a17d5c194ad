"""The clock's page, event stream and presses. All but the empty page needs the table's key."""

from __future__ import annotations

import threading
from typing import Final

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.clock.presses import PagePress, Presses, Running
from dashboard.clock.round_trips import RoundTrips, time_answer
from dashboard.feeds.feed import NarrowedFeed, View
from dashboard.link_keys import LinkKeys
from dashboard.parts import part
from dashboard.responses import json_answer
from dashboard.sent import sent_as
from dashboard.site import Table, this_site
from dashboard.streaming.exchange import Voucher, vouch
from dashboard.streaming.response import last_event_id, stream
from dashboard.streaming.streams import ViewFollower
from table.desk import PlayerPress

KEY_HEADER: Final = "X-Clock-Key"
LONGEST: Final = 1000
"""Bytes of a press at most."""

MOST_CONNECTIONS: Final = 8
"""The most connections of one clock, whose link may be in anybody's hands."""

blueprint = Blueprint("clock", __name__, url_prefix="/tables/<table_id>/clock")


class _Clock:
    """The parts of one table's clock page."""

    def __init__(self, table: Table) -> None:
        self.behind = table.feeds["player"]
        self.feed = NarrowedFeed(self.behind, clock_view)
        self.presses = Presses(RoundTrips(table.rate))


class _Clocks(dict[str, _Clock]):
    """The clocks by the tables' ids."""


_making = threading.Lock()


@blueprint.get("")
def page(table_id: str) -> ResponseReturnValue:
    """The page, without data of the game: its script requests the data with the key."""
    return render_template("clock/clock.html", table=this_site().table(table_id))


@blueprint.get("/api")
def state(table_id: str) -> ResponseReturnValue:
    """The clocks now."""
    table = _opened(table_id)
    latest = _clock_of(table).feed.latest()
    return json_answer(
        {
            "id": latest.id if latest else None,
            "now_ns": table.clock(),
            "rate": table.rate,
            "view": latest.view if latest else None,
        }
    )


@blueprint.get("/api/events")
def events(table_id: str) -> ResponseReturnValue:
    """The clocks as they change."""
    table = _opened(table_id)
    keys, key = part(LinkKeys), _key()
    return stream(
        ViewFollower(
            _clock_of(table).feed,
            last_event_id(),
            table.rate,
            lambda: not keys.opens(table.id, key),
        ),
        clock_of=table.id,
    )


@blueprint.get("/api/time")
def now(table_id: str) -> ResponseReturnValue:
    """Answer with the table's time, from which a page computes its own clock's offset.

    With ``?page=`` the answer has a number that the page sends back at once as ``?echo=``: this
    round trip limits how early the page's presses may be stamped.
    """
    table = _opened(table_id)
    return time_answer(_clock_of(table).presses.trips, table.clock(), table.rate)


@blueprint.post("/api/press")
def press(table_id: str) -> ResponseReturnValue:
    """A press: ``{"id": "…", "button": "left" | "right" | "neutral", "t_ns": 1, "page": "…"}``."""
    table = _opened(table_id)
    desk = table.desk
    if desk is None:
        abort(409, description="This table is only watched; its clock is somewhere else.")
    made = sent_as(PagePress, LONGEST, status=400)
    clock = _clock_of(table)
    answer = clock.presses.press(
        made,
        now_ns=desk.now_ns(),
        running=lambda: _running(table),
        post=lambda button, t_ns, claimed_ns, heard_ns: desk.post(
            PlayerPress(button, t_ns, claimed_ns=claimed_ns, heard_ns=heard_ns)
        ),
        game_id=_game(table),
    )
    done = {"done": answer.done, "refused": answer.refused, "on_disk": answer.on_disk}
    return json_answer(done, 200 if answer.on_disk else 202)


def clock_view(view: View) -> View:
    """Return the part of a player's view that a clock shows, and nothing else."""
    return {
        "game_id": view["game_id"],
        "status": view["status"],
        "settled": view["settled"],
        "players": view["players"],
        "on_turn": view["on_turn"],
        "clocks": view["clocks"],
    }


def _opened(table_id: str) -> Table:
    table = this_site().table(table_id)
    key = _key()
    if not key:
        abort(401, description="The clock opens with the link that the director gives out.")
    if not part(LinkKeys).opens(table.id, key):
        abort(403, description="This link is not valid any more; ask the director for the new one.")
    vouch(Voucher("clock", table.id, MOST_CONNECTIONS))
    return table


def _key() -> str:
    return request.headers.get(KEY_HEADER) or request.args.get("key", "")


def _clock_of(table: Table) -> _Clock:
    with _making:
        clocks = part(_Clocks)
        clock = clocks.get(table.id)
        if clock is None or clock.behind is not table.feeds["player"]:  # another came in its place
            clock = clocks[table.id] = _Clock(table)
        return clock


def _running(table: Table) -> Running:
    latest = table.feeds["player"].latest()
    clocks = latest.view["clocks"] if latest else None
    running: Running = clocks["running"] if clocks else None
    return running


def _game(table: Table) -> str:
    latest = table.feeds["player"].latest()
    return str(latest.view["game_id"]) if latest else ""
