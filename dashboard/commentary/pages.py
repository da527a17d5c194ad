"""The commentators' page, its overlays, and the analysis of a game that is over."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from flask import Blueprint, abort, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.access import withdrawn
from dashboard.api.tables import state_answer
from dashboard.board_template import board_rows, loose_tile
from dashboard.commentary.feed import AllReports, Reports
from dashboard.commentary.seat import Seats, require_seat
from dashboard.event import Event
from dashboard.feeds.feed import Views
from dashboard.overlay.followers import NOTHING, SlotFollower
from dashboard.overlay.pages import SECRET_PARTS, asked_delay_s
from dashboard.overlay.slots import FEATURE, Slots
from dashboard.overlay.style import OverlayStyleError, derived_colours, style_of
from dashboard.parts import part
from dashboard.responses import answer
from dashboard.security import under_policy
from dashboard.show.state import Shows
from dashboard.shown_games import ShownGames
from dashboard.site import Table, this_site
from dashboard.static_files import compressed
from dashboard.streaming.response import last_event_id, stream
from dashboard.tokens import presented
from game.events import SIDES
from game.state.fold import GameState

blueprint = Blueprint("commentary", __name__)
analysis_pages = Blueprint("analysis", __name__)
blueprint.add_app_template_filter(loose_tile)

_MOST_DRAWN: Final = 7
"""The most tiles of which the page gives the chance to draw one."""


@blueprint.get("/commentary")
@blueprint.get("/commentary/<slot>")
def page(slot: str = FEATURE) -> ResponseReturnValue:
    """The page for commentators of the table in a slot."""
    table = _table(slot)
    latest = _reports(table).latest()
    report = latest.view if latest else None
    made = render_template(
        "commentary/page.html",
        slot=slot,
        table=table,
        rows=board_rows(),
        placed={},
        first=report,
        report=None if report is None or "withheld" in report else report,
        sides=SIDES,
        most_drawn=_MOST_DRAWN,
    )
    return answer(made)


@blueprint.app_template_filter("in_order")
def in_order(tiles: str | None, values: Mapping[str, int]) -> list[str]:
    """Return tiles in the order of their set, whose ``values`` these are."""
    order = [*values]
    return sorted(tiles or "", key=lambda tile: order.index(tile) if tile in values else -1)


@blueprint.app_template_filter("percent")
def percent(chance: float) -> str:
    """Return a chance, from 0 to 1, in whole percent."""
    return "<1%" if 0 < chance < 0.01 else f"{chance:.0%}"


@blueprint.get(f"/overlay/<slot>/<any({', '.join(SECRET_PARTS)}):name>")
def overlay(slot: str, name: str) -> ResponseReturnValue:
    """A transparent page with racks or plays for a browser source."""
    try:
        theme = part(Event).theme
        look = style_of(request.args, theme.font, theme.colours)
    except OverlayStyleError as error:
        abort(400, description=str(error))
    _table(slot)
    made = render_template(
        "commentary/overlay.html",
        slot=slot,
        part=name,
        look=look,
        style={**look.style, **derived_colours(look.colours)},
    )
    return under_policy(answer(made), frame_ancestors="'self'")


@blueprint.get("/commentary/<slot>/live")
def live(slot: str) -> ResponseReturnValue:
    """Answer with the newest report on the table in a slot."""
    table = _table(slot)
    return state_answer(table, _reports(table))


@blueprint.get("/commentary/<slot>/live/events")
def live_events(slot: str) -> ResponseReturnValue:
    """Stream the reports on the table in a slot, whichever it is."""
    _reports(_table(slot))
    slots, site, seats, all_reports = part(Slots), this_site(), part(Seats), part(AllReports)
    asked, opens = asked_delay_s(), _opener()

    def where() -> tuple[Table, Views] | None:
        table = slots.table(slot, site)
        if table is None or not opens(table):
            return None
        seat = seats.of(table)
        return table, all_reports.of(site, table, seat, max(asked, seat.options.delay_s)) or NOTHING

    shows = part(Shows)
    follower = SlotFollower(where, last_event_id(), withdrawn(), lambda: shows.of(slot))
    return stream(follower, staff=True)


def _opener() -> Callable[[Table], bool]:
    """Return a function that is true for a table that the request's token opens."""
    token, address = presented(), request.remote_addr
    seats = part(Seats)

    def opens(table: Table) -> bool:
        admitted = seats.of(table).options.admits(address)
        return admitted and token is not None and token.opens("broadcast", table.id)

    return opens


def _table(slot: str) -> Table:
    """Return the table in a slot, or end the request if it may not see its racks."""
    table = part(Slots).table(slot, this_site())
    if table is None:
        abort(404, description=f"There is no table in the slot {slot!r}.")
    require_seat(part(Seats).of(table), table)
    return table


def _reports(table: Table) -> Reports:
    seat = part(Seats).of(table)
    delay_s = max(asked_delay_s(), seat.options.delay_s)
    found = part(AllReports).of(this_site(), table, seat, delay_s)
    if found is None:
        abort(503, description="Too many different delays are in use already; take another.")
    return found


# --- after a game, for everybody ---


@analysis_pages.get("/tables/<table_id>/games/<game_id>/analysis")
def game_analysis(table_id: str, game_id: str) -> ResponseReturnValue:
    """Each turn of a game that is over, beside the best that its rack had."""
    table = this_site().table(table_id)
    shown = part(ShownGames).view(table, game_id)
    state = None if shown is None else analysed_state(table, game_id, shown)
    if shown is None or state is None:
        abort(404, description="There is no analysis of this game, or not yet.")
    turns = part(Seats).of(table).turns(state, shown)
    made = render_template(
        "analysis.html",
        table=table,
        view=shown,
        turns=turns,
        sides=SIDES,
        sums={side: _sums(turns, side) for side in SIDES},
    )
    return compressed(answer(made, cache="no-cache"))


def analysed_state(table: Table, game_id: str, shown: Mapping[str, Any]) -> GameState | None:
    """Return a game of which everybody may see the analysis; else None.

    That is once it is final for the public and racks were opened, if the event shows racks then.

    Args:
        table: the table.
        game_id: the game.
        shown: its public view.
    """
    if not shown["final"] or "withheld" in shown or table.allowed.racks != "after":
        return None
    game = None if table.folded is None else table.folded.game(game_id)
    known = game is not None and part(Seats).of(table).knows_racks(game.state)
    return game.state if game is not None and known else None


def _sums(turns: list[dict[str, Any]], side: str) -> dict[str, int]:
    own = [turn for turn in turns if turn["side"] == side and turn["missed"] is not None]
    return {
        "turns": len(own),
        "best": sum(1 for turn in own if not turn["missed"]),
        "missed": sum(turn["missed"] for turn in own),
    }
