"""The public site of an event: rounds, standings, games, players, best plays, and a search.

Every page is whole without script. What it shows is what the tables' public views have shown.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.event import Event
from dashboard.overlay.pages import public_lag_s
from dashboard.parts import part
from dashboard.responses import json_answer
from hub.current import known_pairings, public_page, settled_results, this_hub
from hub.event_site import EventSite, Meeting, matching, newest_round
from hub.results import Result
from table.pairings.details import EventDetails, plain

blueprint = Blueprint(
    "event", __name__, url_prefix="/event", template_folder="templates", static_folder=None
)

_MOST_FOUND: Final = 50
_LONGEST: Final = 80


def this_event() -> EventSite:
    """The event as everybody may know it now."""
    hub = this_hub()
    binding = hub.binding()
    pairings = known_pairings()
    rows = hub.hall.feeds["public"].rows()
    of_csv = pairings is not None and not pairings.divisions
    details = part(Event).details_at(public_lag_s()) if of_csv else EventDetails()
    return EventSite(pairings, settled_results(binding), binding, rows, details)


@blueprint.context_processor
def _names() -> dict[str, object]:
    return {"table_names": {table.id: table.name for table in this_hub().site.tables}}


@blueprint.app_template_filter("player_key")
def player_key(name: str) -> str:
    """A player's name as it stands in an address."""
    return plain(name)


@blueprint.get("/now")
def now() -> ResponseReturnValue:
    """The number of the round that is played, for a page that stays open through several."""
    return json_answer({"round": current_round()})


def current_round() -> int | None:
    """The round that is played, where pairings say which."""
    event = this_event()
    return newest_round(event.rounds, event.rounds) if event.pairings is not None else None


@blueprint.get("/rounds")
def rounds() -> ResponseReturnValue:
    """The round that is played now."""
    event = this_event()
    number = newest_round(event.rounds, event.rounds)
    if number is None:
        return public_page("hub/rounds.html", rounds=[], number=None, meetings=[])
    return redirect(url_for("event.one_round", number=number))


@blueprint.get("/rounds/<int:number>")
def one_round(number: int) -> ResponseReturnValue:
    """Who meets whom in a round, and how it stands."""
    event = this_event()
    if number not in event.rounds:
        abort(404, description=f"There is no round {number}.")
    return public_page(
        "hub/rounds.html",
        rounds=list(event.rounds),
        number=number,
        meetings=event.rounds[number],
    )


@blueprint.get("/standings")
def standings() -> ResponseReturnValue:
    """The standings of every division."""
    event = this_event()
    waiting = sum(one.provisional for one in event.results)
    return public_page("hub/standings.html", divisions=event.standings, waiting=waiting)


@blueprint.get("/players")
def players() -> ResponseReturnValue:
    """All players."""
    event = this_event()
    places = {key: place for key in event.players if (place := event.place_of(key)) is not None}
    return public_page("hub/players.html", players=event.players, places=places)


@blueprint.get("/players/<path:key>")
def player(key: str) -> ResponseReturnValue:
    """One player: place, games, and rounds to come."""
    event = this_event()
    if plain(key) not in event.people:
        abort(404, description="There is no such player here.")
    key = plain(key)
    newest = newest_round(event.rounds, event.rounds) or 0
    open_rounds = event.without_result(key)
    return public_page(
        "hub/player.html",
        name=event.people[key],
        key=key,
        place=event.place_of(key),
        games=_games(event, key),
        to_come=[one for one in open_rounds if one.round >= newest],
        missing=[one for one in open_rounds if one.round < newest],
        live=event.live_of(key),
    )


def _games(event: EventSite, key: str) -> list[tuple[int, Result | None, Meeting | None]]:
    """The games of a player by round: each a result, or a meeting whose scores were entered."""
    found: list[tuple[int, Result | None, Meeting | None]] = [
        (number, result, None) for number, result in event.games_of(key)
    ]
    found += [(meeting.round, None, meeting) for meeting in event.entered_of(key)]
    return sorted(found, key=lambda game: game[0])


@blueprint.get("/plays")
def plays() -> ResponseReturnValue:
    """The plays that scored most, in games that are settled."""
    return public_page("hub/plays.html", plays=this_event().best_plays())


@blueprint.get("/search")
def search() -> ResponseReturnValue:
    """Players and tables by name."""
    wanted = request.args.get("q", "")[:_LONGEST]
    names = this_event().people
    tables = {table.name: table.id for table in this_hub().site.tables}
    found_tables = matching({plain(name): name for name in tables}, wanted)
    by_plain = {plain(name): (name, id_) for name, id_ in tables.items()}
    return public_page(
        "hub/search.html",
        wanted=wanted,
        players=[names[key] for key in matching(names, wanted)[:_MOST_FOUND]],
        tables=[by_plain[key] for key in found_tables[:_MOST_FOUND]],
    )
