"""The public site of the event: rounds, standings, players, best plays and a search.

Every page is complete without scripts. It only shows data from the tables' public views.
"""

from __future__ import annotations

from typing import Final

from flask import Blueprint, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.responses import json_answer
from hub.event_meetings import Meeting
from hub.event_names import matching
from hub.event_rounds import newest_round
from hub.event_site import EventSite
from hub.public_site import current_round, public_page, this_event, this_hub
from hub.results import Result
from table.pairings.details import plain

_MOST_FOUND: Final = 50
_LONGEST: Final = 80

event_blueprint = Blueprint(
    "event", __name__, url_prefix="/event", template_folder="templates", static_folder=None
)


@event_blueprint.context_processor
def _names() -> dict[str, object]:
    return {"table_names": {table.id: table.name for table in this_hub().site.tables}}


@event_blueprint.app_template_filter("player_key")
def player_key(name: str) -> str:
    """Return a player's name in the form for a URL."""
    return plain(name)


@event_blueprint.get("/now")
def now() -> ResponseReturnValue:
    """Return the number of the current round, for a page that stays open for several rounds."""
    return json_answer({"round": current_round()})


@event_blueprint.get("/rounds")
def rounds() -> ResponseReturnValue:
    """The round that is played now."""
    event = this_event()
    number = newest_round(event.rounds)
    if number is None:
        return public_page("hub/rounds.html", rounds=[], number=None, meetings=[])
    return redirect(url_for("event.one_round", number=number))


@event_blueprint.get("/rounds/<int:number>")
def one_round(number: int) -> ResponseReturnValue:
    """Show the pairings of a round, with scores."""
    event = this_event()
    if number not in event.rounds:
        abort(404, description=f"There is no round {number}.")
    return public_page(
        "hub/rounds.html",
        rounds=list(event.rounds),
        number=number,
        meetings=event.rounds[number],
    )


@event_blueprint.get("/standings")
def standings() -> ResponseReturnValue:
    """The standings of every division."""
    event = this_event()
    waiting = sum(one.provisional for one in event.results)
    return public_page("hub/standings.html", divisions=event.standings, waiting=waiting)


@event_blueprint.get("/players")
def players() -> ResponseReturnValue:
    """All players."""
    event = this_event()
    places = {key: place for key in event.players if (place := event.place_of(key)) is not None}
    return public_page("hub/players.html", players=event.players, places=places)


@event_blueprint.get("/players/<path:key>")
def player(key: str) -> ResponseReturnValue:
    """One player: place, games, and rounds to come."""
    event = this_event()
    if plain(key) not in event.people:
        abort(404, description="There is no such player here.")
    key = plain(key)
    newest = newest_round(event.rounds) or 0
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


@event_blueprint.get("/plays")
def plays() -> ResponseReturnValue:
    """The plays that scored most, in games that are settled."""
    return public_page("hub/plays.html", plays=this_event().best_plays())


@event_blueprint.get("/search")
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
