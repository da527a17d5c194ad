"""The public site of the event: rounds, standings, players, best plays and a search.

Every page is complete without scripts. It only shows data from the tables' public views.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.languages import day, gettext, language
from dashboard.responses import json_answer
from dashboard.standings import Standing
from game.terms import SIDES
from hub.event_feed import Appointment, Entry, as_atom, as_calendar, lasting_id
from hub.event_meetings import head_to_head, numbers_of, progress_of, records_of, running
from hub.event_site import EventSite, matching
from hub.public_site import current_round, public_page, this_event, this_hub
from hub.results import Result
from table.pairings.details import plain

_MOST_FOUND: Final = 50
_MOST_PLAYS: Final = 48
_MOST_ENTRIES: Final = 100
_BEST: Final = 3
"""The best plays on a player's own page."""
_LONGEST: Final = 80

event_blueprint = Blueprint(
    "event", __name__, url_prefix="/event", template_folder="templates", static_folder=None
)


@event_blueprint.context_processor
def _names() -> dict[str, object]:
    return {
        "table_names": {table.id: table.name for table in this_hub().site.tables},
    }


@event_blueprint.app_template_filter("player_key")
def player_key(name: str) -> str:
    """Return a player's name in the form for a URL."""
    return plain(name)


@event_blueprint.app_template_filter("ranks")
def ranks(lines: Iterable[Standing]) -> dict[str, int]:
    """Return the place of each player who has a result, by key."""
    return {plain(one.name): one.rank for one in lines if one.games}


@event_blueprint.app_template_filter("points")
def points(wins: float) -> str:
    """Return wins or losses: ``3``, ``3½``, ``½``."""
    whole, half = int(wins), wins != int(wins)
    return f"{whole if whole or not half else ''}{'½' if half else ''}"


@event_blueprint.app_template_filter("moment_text")
def moment_text(moment: datetime) -> str:
    """Return a day and a time of day."""
    return f"{day(moment)}, {moment:%H:%M}"


@event_blueprint.app_template_filter("surname")
def surname(name: str) -> str:
    """Return the last word of a name, for a narrow column."""
    return name.rsplit(maxsplit=1)[-1] if name.split() else ""


@event_blueprint.get("/now")
def now() -> ResponseReturnValue:
    """Return the number of the current round, for a page that stays open for several rounds."""
    return json_answer({"round": current_round()})


@event_blueprint.get("/rounds")
def rounds() -> ResponseReturnValue:
    """The round that is played now."""
    event = this_event()
    if not event.newest:
        return public_page("hub/rounds.html", event=event, number=None, meetings=[])
    return redirect(url_for("event.one_round", number=event.newest))


@event_blueprint.get("/rounds/<int:number>")
def one_round(number: int) -> ResponseReturnValue:
    """Show the pairings of a round, with scores."""
    event = this_event()
    if number not in event.rounds:
        abort(404, description=gettext("There is no round %(number)s.", number=number))
    meetings = event.rounds[number]
    return public_page(
        "hub/rounds.html",
        event=event,
        number=number,
        meetings=meetings,
        progress=progress_of(meetings),
        records=records_of(meetings),
        best=event.play_of_round(number),
    )


@event_blueprint.get("/rounds/<int:number>/pairings")
def wall(number: int) -> ResponseReturnValue:
    """The pairings of a round in order of the players' names, for the wall."""
    event = this_event()
    if number not in event.rounds:
        abort(404, description=gettext("There is no round %(number)s.", number=number))
    games = [
        (name, one)
        for key, name in event.players.items()
        for one in event.own_games.get(key, ())
        if one.round == number
    ]
    return public_page("hub/wall.html", event=event, number=number, games=games)


@event_blueprint.get("/standings")
def standings() -> ResponseReturnValue:
    """The standings of every division, with each player's rounds."""
    event = this_event()
    waiting = sum(one.provisional for one in event.results)
    return public_page("hub/standings.html", event=event, waiting=waiting)


@event_blueprint.get("/players")
def players() -> ResponseReturnValue:
    """All players."""
    return public_page("hub/players.html", event=this_event())


@event_blueprint.get("/players/<path:key>")
def player(key: str) -> ResponseReturnValue:
    """One player: place, numbers, games, best plays, and rounds to come."""
    event = this_event()
    key = _known(event, key)
    games = event.own_games.get(key, [])
    return public_page(
        "hub/player.html",
        event=event,
        name=event.people[key],
        key=key,
        place=event.place_of(key),
        numbers=numbers_of(games),
        lines=running(one for one in games if one.points is not None),
        missing=[one for one in games if one.is_to_come and one.round < event.newest],
        to_come=[one for one in games if one.is_to_come and one.round >= event.newest],
        against=head_to_head(games),
        live=event.live_of(key),
        plays=[one for one in event.best_plays if plain(one.player) == key][:_BEST],
    )


@event_blueprint.get("/players/<path:key>/against/<path:other>")
def against(key: str, other: str) -> ResponseReturnValue:
    """Two players side by side, with their games against each other."""
    event = this_event()
    keys = [_known(event, key), _known(event, other)]
    games = [event.own_games.get(one, []) for one in keys]
    return public_page(
        "hub/against.html",
        event=event,
        names=[event.people[one] for one in keys],
        places=[event.place_of(one) for one in keys],
        numbers=[numbers_of(own) for own in games],
        best=[next((one for one in event.best_plays if plain(one.player) == own), None)
              for own in keys],
        meetings=head_to_head(games[0]).get(keys[1]),
    )  # fmt: skip


def _known(event: EventSite, name: str) -> str:
    """Return the key of a player of the event, or end the request with 404."""
    if plain(name) not in event.people:
        abort(404, description=gettext("There is no such player here."))
    return plain(name)


@event_blueprint.get("/plays")
def plays() -> ResponseReturnValue:
    """The plays that scored most, in games that are settled, and the event's records."""
    event = this_event()
    meetings = [one for meetings in event.rounds.values() for one in meetings]
    return public_page(
        "hub/plays.html", plays=event.best_plays[:_MOST_PLAYS], records=records_of(meetings)
    )


@event_blueprint.get("/search")
def search() -> ResponseReturnValue:
    """Players and tables by name."""
    wanted = request.args.get("q", "")[:_LONGEST]
    event = this_event()
    tables = {table.name: table.id for table in this_hub().site.tables}
    found_tables = matching({plain(name): name for name in tables}, wanted)
    by_plain = {plain(name): (name, id_) for name, id_ in tables.items()}
    return public_page(
        "hub/search.html",
        event=event,
        wanted=wanted,
        players=[event.people[key] for key in matching(event.people, wanted)[:_MOST_FOUND]],
        tables=[by_plain[key] for key in found_tables[:_MOST_FOUND]],
    )


# --- for programs of readers ---


@event_blueprint.get("/feed.atom")
def feed() -> ResponseReturnValue:
    """The results and the best play of each round as a feed, the newest first."""
    event, hub = this_event(), this_hub()
    entries = sorted(_entries(event, hub.hub.key.public), key=lambda one: one.at, reverse=True)
    text = as_atom(
        hub.config.name,
        lasting_id(hub.hub.key.public, "feed"),
        url_for("event.rounds", _external=True),
        url_for("event.feed", _external=True),
        language(),
        entries[:_MOST_ENTRIES],
    )
    return _for_a_program(text, "application/atom+xml")


def _entries(event: EventSite, key: str) -> Iterator[Entry]:
    """Yield the feed's entries; results from before times were kept are left out."""
    known = [one for one in event.results if one.at_ns and not one.provisional]
    for one in known:
        number = event.binding.round_of(one)
        title = gettext(
            "Round %(number)s: %(left)s %(left_score)s – %(right_score)s %(right)s",
            number=number,
            left=one.left,
            left_score=one.left_score,
            right=one.right,
            right_score=one.right_score,
        )
        best = [one.plays[side] for side in SIDES if "word" in one.plays.get(side, {})]
        text = ", ".join(
            gettext("%(word)s for %(points)s", word=play["word"], points=play["score"])
            for play in sorted(best, key=lambda play: -int(play["score"]))
        )
        summary = gettext("Best plays: %(plays)s", plays=text) if text else title
        yield Entry(
            lasting_id(key, one.table, one.game_id), title, summary, _address(one), _at(one)
        )
    for number in event.rounds:
        play = event.play_of_round(number)
        if play is not None and play.result in known:
            title = gettext(
                "Play of round %(number)s: %(word)s for %(points)s by %(name)s",
                number=number,
                word=play.word,
                points=play.score,
                name=play.player,
            )
            text = gettext("At %(position)s, against %(name)s", position=play.position,
                           name=play.opponent)  # fmt: skip
            address = f"{_address(play.result)}#turn={play.turn}"
            id_ = lasting_id(key, "best play", number)
            yield Entry(id_, title, text, address, _at(play.result))


def _address(result: Result) -> str:
    game = {"table_id": result.table, "game_id": result.game_id}
    return url_for("spectators.game_page", **game, _external=True)


def _at(result: Result) -> datetime:
    return datetime.fromtimestamp(result.at_ns / 1e9, UTC)


@event_blueprint.get("/calendar.ics")
def calendar() -> ResponseReturnValue:
    """The rounds as a calendar, where their times are known."""
    hub = this_hub()
    rounds = hub.config.rounds
    if not rounds.begin:
        abort(404, description=gettext("The times of the rounds are not known here."))
    known = [
        Appointment(
            lasting_id(hub.hub.key.public, "round", number),
            gettext("%(event)s: round %(number)s", event=hub.config.name, number=number),
            begins,
            timedelta(minutes=rounds.minutes),
        )
        for number in range(1, len(rounds.begin) + 1)
        if (begins := rounds.of(number)) is not None
    ]
    return _for_a_program(as_calendar(hub.config.name, known), "text/calendar")


def _for_a_program(text: bytes, kind: str) -> Response:
    answer = Response(text, mimetype=kind, headers={"Cache-Control": "no-cache"})
    answer.add_etag()
    answer.make_conditional(request)
    return answer
