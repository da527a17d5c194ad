"""The hub's pages for everybody: the hall, its results, and the public site of the event.

Every page is complete without scripts. It only shows data from the tables' public views.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from flask import (
    Blueprint,
    Response,
    abort,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue

from dashboard.accounts.guard import current_account
from dashboard.event import Event
from dashboard.overlay.pages import public_lag_s
from dashboard.parts import find, part
from dashboard.responses import as_download, json_answer
from dashboard.security import under_policy
from dashboard.static_files import compressed
from dashboard.streaming.response import last_event_id, stream
from dashboard.streaming.streams import RowsFollower
from hub.event_site import EventSite, Meeting, matching, newest_round
from hub.hall import by_number
from hub.result_files import as_csv, as_tsh
from hub.results import Result
from hub.service import HubService
from table.pairings.details import EventDetails, plain, table_number

_MOST_FOUND: Final = 50
_LONGEST: Final = 80

blueprint = Blueprint(
    "hub", __name__, template_folder="templates", static_folder="static",
    static_url_path="/static/hub",
)  # fmt: skip
event_blueprint = Blueprint(
    "event", __name__, url_prefix="/event", template_folder="templates", static_folder=None
)


def this_hub() -> HubService:
    """Return the hub of the present request."""
    hub = find(HubService)
    assert hub is not None
    return hub


def public_page(template: str, **values: Any) -> Response:
    """Return a public page, compressed, on which the search form may be sent."""
    page = Response(render_template(template, **values))
    answer = under_policy(page, form_action="'self'")
    answer.headers["Cache-Control"] = "no-cache"
    return compressed(answer)


def tsh_divisions() -> list[str]:
    """The names of the divisions whose results go to TSH; none without a ``tourney.js``."""
    pairings = this_hub().event.pairings()
    return list(pairings.divisions) if pairings is not None else []


# --- the hall ---


def hall_page() -> ResponseReturnValue:
    """Every table and its score, and a search."""
    rows = by_number(this_hub().hall.feeds["public"].rows())
    return public_page("hub/hall.html", rows=rows, round=current_round())


@blueprint.get("/hall")
def screen() -> ResponseReturnValue:
    """Show the hall for a large screen: in large type, page after page."""
    return public_page("hub/screen.html", rows=by_number(this_hub().hall.feeds["public"].rows()))


@blueprint.get("/hall/events")
def hall_events() -> ResponseReturnValue:
    """The hall's lines for everybody as they change."""
    hub = this_hub()
    return stream(RowsFollower(hub.hall.feeds["public"], hub.run, last_event_id()))


@blueprint.get("/api/v1/hall")
def hall_state() -> ResponseReturnValue:
    """Return the hall's public lines; with ``q`` only tables or players with this name."""
    rows = this_hub().hall.feeds["public"].rows()
    wanted = " ".join(request.args.get("q", "").casefold().split())
    return json_answer({"tables": [row for row in rows if _matches(row, wanted)]})


@blueprint.get("/results")
def results_page() -> ResponseReturnValue:
    """The results for everybody."""
    binding = this_hub().event.binding()
    lines = sorted(
        (
            {**asdict(one), "round": binding.round_of(one)}
            for one in this_hub().event.public(binding)
        ),
        key=lambda line: (-int(line["round"]), table_number(str(line["table"])) or 0),
    )
    return public_page(
        "hub/results.html",
        lines=lines,
        names={table.id: table.name for table in this_hub().site.tables},
        divisions=tsh_divisions(),
    )


@blueprint.get("/results.csv")
def results_csv() -> ResponseReturnValue:
    """Return the results as CSV: only settled games, unless a director asks for all."""
    account = current_account()
    everything = account is not None and account.role == "director" and "all" in request.args
    binding = this_hub().event.binding()
    results = binding.results if everything else this_hub().event.public(binding)
    return _file(as_csv(results, binding), "text/csv", "results.csv")


@blueprint.get("/results/<path:division>.t")
def results_tsh(division: str) -> ResponseReturnValue:
    """Return a division's results as TSH's ``.t`` file."""
    pairings = this_hub().event.pairings()
    if pairings is None or division not in pairings.divisions:
        abort(
            404, description="There is no such division; results in TSH's form need a tourney.js."
        )
    binding = this_hub().event.binding()
    text = as_tsh(this_hub().event.public(binding), pairings, division, binding)
    return _file(text, "text/plain", f"{division}.t")


def _matches(row: Mapping[str, Any], wanted: str) -> bool:
    names = [row["name"], row["id"]]
    names += [player["name"] for player in (row["players"] or {}).values()]
    return not wanted or any(wanted in str(name).casefold() for name in names)


def _file(text: str, kind: str, name: str) -> Response:
    answer = Response(text, mimetype=kind, headers={"Cache-Control": "no-store"})
    return as_download(answer, name)


# --- the event ---


def this_event() -> EventSite:
    """Return the tournament's present public data."""
    hub = this_hub()
    binding = hub.event.binding()
    pairings = hub.event.pairings()
    rows = hub.hall.feeds["public"].rows()
    of_csv = pairings is not None and not pairings.divisions
    details = part(Event).details_at(public_lag_s()) if of_csv else EventDetails()
    return EventSite(pairings, hub.event.public(binding), binding, rows, details)


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


def current_round() -> int | None:
    """Return the number of the current round; None without pairings."""
    event = this_event()
    return newest_round(event.rounds, event.rounds) if event.pairings is not None else None


@event_blueprint.get("/rounds")
def rounds() -> ResponseReturnValue:
    """The round that is played now."""
    event = this_event()
    number = newest_round(event.rounds, event.rounds)
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
