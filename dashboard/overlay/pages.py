"""The overlays' pages, and what they follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Blueprint, Response, abort, current_app, render_template, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from dashboard.access import require, withdrawn
from dashboard.board_template import board_rows, placed_tiles, rack_tiles
from dashboard.event.event import this_event
from dashboard.feeds.feed import Views
from dashboard.overlay.contrast import derived_colours
from dashboard.overlay.followers import (
    DelayedFeeds,
    DelayNotOfferedError,
    SlotFollower,
    TooManyDelaysError,
    require_offered,
)
from dashboard.overlay.slots import slots
from dashboard.overlay.style import OverlayStyleError, delay_of, look_of
from dashboard.responses import json_answer
from dashboard.security import framed_here
from dashboard.site import Table, this_site
from dashboard.static_files import compressed
from dashboard.streaming.response import last_event_id, stream
from dashboard.tokens import presented
from game.errors import TilewatchError
from table.views.views import Audience

PARTS: Final = (
    "scene",
    "board",
    "lower",
    "scores",
    "clocks",
    "names",
    "last",
    "unseen",
    "bingo",
    "challenge",
    "result",
    "next",
    "standings",
    "title",
)
"""The pages that there are. ``scene`` is all of it in 1920×1080."""

blueprint = Blueprint("overlay", __name__, url_prefix="/overlay/<slot>")


@blueprint.get(f"/<any({', '.join(PARTS)}):part>")
def page(slot: str, part: str) -> ResponseReturnValue:
    """A transparent page for a browser source."""
    _known(slot)
    try:
        theme = this_event().theme
        look = look_of(request.args, theme.font, theme.colours)
    except OverlayStyleError as error:
        abort(400, description=str(error))
    seen_by = audience()  # an invalid token is refused at once
    table = slots().table(slot, this_site())
    if table is not None:
        try:
            require_offered(table, seen_by, look.delay_s)
        except DelayNotOfferedError as error:
            abort(403, description=str(error))
    view = _shown_now(slot)
    turn = view["turns"][-1] if view and view["turns"] else None
    answer = Response(
        render_template(
            "overlay/page.html",
            slot=slot,
            part=part,
            look=look,
            style={**look.style, **derived_colours(look.colours)},
            rows=board_rows(),
            view=view,
            placed=placed_tiles(view) if view else {},
            turn=turn,
            rack=rack_tiles(view, turn) if view and turn else [],
        )
    )
    answer.headers["Cache-Control"] = "no-cache"
    return framed_here(
        compressed(answer)
    )  # there is nothing to click, and the links' page has a preview


@blueprint.get("/live")
def state(slot: str) -> ResponseReturnValue:
    """The newest view of the table in the slot."""
    there = _here(slot)
    latest = there[1].latest() if there else None
    return json_answer(
        {
            "slot": slot,
            "table": there[0].id if there else None,
            "id": latest.id if latest else None,
            "now_ns": there[1].now_ns() if there else 0,
            "rate": there[0].rate if there else 1.0,
            "view": latest.view if latest else None,
        }
    )


@blueprint.get("/live/events")
def events(slot: str) -> ResponseReturnValue:
    """Its views as they come, from whichever table is in the slot."""
    follower = SlotFollower(whereabouts(slot), last_event_id(), withdrawn())
    return stream(follower, staff=audience() == "broadcast")


def whereabouts(slot: str) -> Callable[[], tuple[Table, Views] | None]:
    """Tells the table in a slot and its feed, whenever asked; what is refused, is refused now."""
    _here(slot)
    seen_by, delay_s = audience(), asked_delay_s()
    token, known, site, lags = presented(), slots(), this_site(), _lags()

    def where() -> tuple[Table, Views] | None:
        table = known.table(slot, site)
        if table is None or (token is not None and not token.opens(seen_by, table.id)):
            return None
        try:
            return table, lags.feed(table, seen_by, delay_s)
        except TilewatchError:
            return None

    return where


def audience() -> Audience:
    """Whom the request at hand shows the game: a token's holder what goes out on a stream."""
    return "public" if presented() is None else "broadcast"


def _here(slot: str) -> tuple[Table, Views] | None:
    _known(slot)
    table = slots().table(slot, this_site())
    if table is None:
        return None
    seen_by = audience()
    require(seen_by, table)
    try:
        return table, _lags().feed(table, seen_by, asked_delay_s())
    except DelayNotOfferedError as error:
        abort(403, description=str(error))
    except TooManyDelaysError as error:
        abort(503, description=str(error))


def _shown_now(slot: str) -> Mapping[str, Any] | None:
    """The view that the page's script would be given now: the page shows it before there is any."""
    try:
        there = _here(slot)
    except HTTPException:  # the script is refused, too, and the page stays empty
        return None
    latest = there[1].latest() if there else None
    return latest.view if latest else None


def _known(slot: str) -> None:
    if not slots().known(slot, this_site()):
        abort(404, description=f"There is no slot {slot!r}; the director makes them.")


def asked_delay_s() -> int:
    """The delay that the request at hand asks for, in seconds."""
    try:
        return delay_of(request.args)
    except OverlayStyleError as error:
        abort(400, description=str(error))


def _lags() -> DelayedFeeds:
    lags = current_app.extensions.setdefault("tilewatch.lags", DelayedFeeds())
    assert isinstance(lags, DelayedFeeds)
    return lags
