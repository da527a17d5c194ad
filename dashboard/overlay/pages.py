"""The overlays' pages, and what they follow.

Also the tournament's details for the overlays of a slot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Blueprint, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from dashboard.access import require, withdrawn
from dashboard.accounts.guard import current_account
from dashboard.around import meetings, players_around, public_lag_s, rounds_around
from dashboard.board_template import board_rows, placed_tiles, rack_tiles
from dashboard.event import Event
from dashboard.feeds.feed import Views
from dashboard.overlay.followers import (
    DelayedFeeds,
    DelayNotOfferedError,
    SlotFollower,
    TooManyDelaysError,
    require_offered,
)
from dashboard.overlay.slots import Slots
from dashboard.overlay.style import OverlayStyleError, delay_of, derived_colours, style_of
from dashboard.parts import part
from dashboard.responses import answer, json_answer
from dashboard.security import under_policy
from dashboard.show.graphics import graphics
from dashboard.show.state import Shows
from dashboard.site import Table, this_site
from dashboard.standings import Standing, divisions, standings
from dashboard.static_files import compressed
from dashboard.streaming.response import last_event_id, stream
from dashboard.tokens import presented
from game.errors import TilewatchError
from game.events import SIDES
from game.schema import Audience
from table.pairings.details import EventDetails

PARTS: Final = {
    "scene": ("the whole scene", 1920, 1080),
    "board": ("the board", 860, 860),
    "lower": ("a lower third", 1856, 132),
    "scores": ("names and scores", 960, 96),
    "clocks": ("names and clocks", 960, 96),
    "names": ("both names", 960, 96),
    "last": ("the last play", 972, 132),
    "unseen": ("the unseen tiles", 972, 150),
    "bingo": ("a bingo, for some seconds", 972, 190),
    "challenge": ("a challenge and its outcome", 972, 190),
    "result": ("the result, once racks and time are counted", 972, 330),
    "next": ("the table’s next pairing", 972, 240),
    "standings": ("the standings", 972, 760),
    "title": ("the event’s title and logo", 972, 110),
    "person_left": ("the left player: flag, rating, record, place", 972, 150),
    "person_right": ("the right player: flag, rating, record, place", 972, 150),
    "versus": ("head to head: both players and their games so far", 1200, 330),
    "graph": ("the score graph: the course of the score", 972, 330),
    "clip": ("the clip of the last play or challenge", 972, 547),
    "show": ("the show: whatever graphic is on air", 1920, 1080),
    "speech": ("nothing to see: the scores, spoken", 300, 100),
}
"""The overlay pages by name: description, width and height in pixels."""

SECRET_PARTS: Final = {
    "racks": ("both racks", 972, 250),
    "plays": ("the best plays of the player on turn", 972, 340),
}
"""The overlays that need a token, made by ``dashboard.commentary``: as ``PARTS``."""

blueprint = Blueprint("overlay", __name__, url_prefix="/overlay/<slot>")


@blueprint.get(f"/<any({', '.join(PARTS)}):name>")
def page(slot: str, name: str) -> ResponseReturnValue:
    """A transparent page for a browser source."""
    _known(slot)
    try:
        theme = part(Event).theme
        look = style_of(request.args, theme.font, theme.colours)
    except OverlayStyleError as error:
        abort(400, description=str(error))
    places = graphics(PARTS | SECRET_PARTS)
    if look.graphic is not None and look.graphic not in places:
        abort(400, description=f"graphic: one of {', '.join(places)}")
    seen_by = audience()  # an invalid token is refused at once
    table = part(Slots).table(slot, this_site())
    if table is not None:
        try:
            require_offered(table, seen_by, look.delay_s)
        except DelayNotOfferedError as error:
            abort(403, description=str(error))
    view = None if part(Shows).of(slot).swapped else _shown_now(slot)
    turn = view["turns"][-1] if view and view["turns"] else None
    made = render_template(
        "overlay/page.html",
        slot=slot,
        part=name,
        look=look,
        style={**look.style, **derived_colours(look.colours)},
        rows=board_rows(),
        view=view,
        placed=placed_tiles(view) if view else {},
        turn=turn,
        rack=rack_tiles(view, turn) if view and turn else [],
        places=places,
    )
    # There is nothing to click, and the links' page has a preview. The show frames other overlays.
    whole = compressed(answer(made, cache="no-cache"))
    return under_policy(whole, frame_ancestors="'self'", frame_src="'self'")


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
    """Stream the views of the table in the slot, whichever it is."""
    shows = part(Shows)
    follower = SlotFollower(whereabouts(slot), last_event_id(), withdrawn(), lambda: shows.of(slot))
    return stream(follower, staff=audience() == "broadcast")


def whereabouts(slot: str) -> Callable[[], tuple[Table, Views] | None]:
    """Return a function that gives a slot's table and feed, or None; or refuse the request."""
    _here(slot)
    seen_by, delay_s = audience(), asked_delay_s()
    token, known, site, lags = presented(), part(Slots), this_site(), part(DelayedFeeds)

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
    """Return the audience of the request: broadcast with a token, else the public.

    A director's monitor, with ``monitor=yes``, shows what a token shows.
    """
    if presented() is not None:
        return "broadcast"
    account = current_account() if request.args.get("monitor") == "yes" else None
    return "broadcast" if account is not None and account.role == "director" else "public"


def _here(slot: str) -> tuple[Table, Views] | None:
    _known(slot)
    table = part(Slots).table(slot, this_site())
    if table is None:
        return None
    seen_by = audience()
    require(seen_by, table)
    try:
        return table, part(DelayedFeeds).feed(table, seen_by, asked_delay_s())
    except DelayNotOfferedError as error:
        abort(403, description=str(error))
    except TooManyDelaysError as error:
        abort(503, description=str(error))


def _shown_now(slot: str) -> Mapping[str, Any] | None:
    """Return the newest view, to draw the page before its script has loaded; None without one."""
    try:
        there = _here(slot)
    except HTTPException:  # the script is refused, too, and the page stays empty
        return None
    latest = there[1].latest() if there else None
    return latest.view if latest else None


def _known(slot: str) -> None:
    if not part(Slots).known(slot, this_site()):
        abort(404, description=f"There is no slot {slot!r}; the director makes them.")


def asked_delay_s() -> int:
    """Return the delay that the request asks for, in seconds."""
    try:
        return delay_of(request.args)
    except OverlayStyleError as error:
        abort(400, description=str(error))


@blueprint.get("/event")
def event_around(slot: str) -> ResponseReturnValue:
    """Title, flags, ratings, the next pairing and the standings, as late as the games are."""
    there = whereabouts(slot)()
    latest = there[1].latest() if there is not None else None
    table = there[0] if there is not None else None
    view = latest.view if latest is not None else None
    names = {side: str(view["players"][side]["name"]) for side in SIDES} if view else None
    event = part(Event)
    seen = event.details_at(lag_s())
    tables = {division: standings(seen, division) for division in divisions(seen)}
    return json_answer(
        {
            "title": seen.title,
            "logo": url_for("overlay.logo", slot=slot) if _has_logo(event) else None,
            "players": players_around(seen, names, tables) if names else None,
            "met": meetings(seen, names) if names else [],
            **rounds_around(event, seen, table, names, tables),
            "standings": {
                division: [_standing(one, seen) for one in rows]
                for division, rows in tables.items()
                if any(one.games for one in rows)
            },
        }
    )


@blueprint.get("/logo")
def logo(slot: str) -> ResponseReturnValue:  # noqa: ARG001 (every slot has the same)
    """Answer with the tournament's logo."""
    found = part(Event).logo()
    if found is None:
        abort(404, description="The event has no logo here.")
    return answer(*found, cache="no-cache")


def lag_s() -> float:
    """Return the seconds by which the request sees the tournament late.

    Standings cover all tables, so the public sees them with the longest of the tables' delays.
    """
    own_s = float(asked_delay_s())
    return own_s if audience() != "public" else own_s + public_lag_s()


def _has_logo(event: Event) -> bool:
    return event.logo() is not None


def _standing(one: Standing, seen: EventDetails) -> dict[str, Any]:
    return {
        "place": one.rank,
        "name": one.name,
        "country": seen.entrant(one.name).country,
        "wins": one.wins,
        "losses": one.losses,
        "spread": one.spread,
    }
