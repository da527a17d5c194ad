"""The event around the game in a slot, for its overlays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Response, abort, url_for
from flask.typing import ResponseReturnValue

from dashboard.event.event import Event, next_game, round_of, this_event
from dashboard.event.ranking import Standing
from dashboard.event.standings import divisions, standings
from dashboard.overlay.pages import asked_delay_s, audience, blueprint, whereabouts
from dashboard.responses import json_answer
from dashboard.site import Table, this_site
from game.events import SIDES, Side
from table.pairings.details import Entrant, EventDetails, PairedGame, plain
from table.views.public_policy import SECOND


@blueprint.get("/event")
def event_around(slot: str) -> ResponseReturnValue:
    """Title, flags, ratings, the next pairing and the standings, as late as the games are."""
    there = whereabouts(slot)()
    latest = there[1].latest() if there is not None else None
    table = there[0] if there is not None else None
    view = latest.view if latest is not None else None
    names = {side: str(view["players"][side]["name"]) for side in SIDES} if view else None
    event = this_event()
    seen = event.details_at(lag_s())
    tables = {division: standings(seen, division) for division in divisions(seen)}
    return json_answer(
        {
            "title": seen.title,
            "logo": url_for("overlay.logo", slot=slot) if _has_logo(event) else None,
            "players": _players(seen, names, tables) if names else None,
            **_rounds(event, seen, table, names, tables),
            "standings": {
                division: [_standing(one, seen) for one in rows]
                for division, rows in tables.items()
                if any(one.games for one in rows)
            },
        }
    )


@blueprint.get("/logo")
def logo(slot: str) -> ResponseReturnValue:  # noqa: ARG001 (every slot has the same)
    """The event's logo."""
    found = this_event().logo()
    if found is None:
        abort(404, description="The event has no logo here.")
    answer = Response(found[0], mimetype=found[1])
    answer.headers["Cache-Control"] = "no-cache"
    return answer


def lag_s() -> float:
    """The seconds by which the request at hand sees the event later than it is.

    Standings are of all tables, so for the public they are as late as the latest of them.
    """
    own_s = float(asked_delay_s())
    return own_s if audience() != "public" else own_s + public_lag_s()


def public_lag_s() -> float:
    """The seconds by which the public sees the latest of all tables later than it is."""
    return max((table.allowed.delay_ns for table in this_site().tables), default=0) / SECOND


def _has_logo(event: Event) -> bool:
    return event.logo() is not None


def _players(
    seen: EventDetails, names: Mapping[Side, str], tables: Mapping[str, list[Standing]]
) -> dict[Side, Any]:
    return {side: _player(seen.entrant(name), tables) for side, name in names.items()}


def _player(player: Entrant, tables: Mapping[str, list[Standing]]) -> dict[str, Any]:
    key = plain(player.name)
    rows = tables.get(player.division, [])
    own = next((one for one in rows if plain(one.name) == key), None)
    shown = {"name": player.name, "country": player.country, "rating": player.rating}
    return {**shown, "division": player.division, **(_record(own) if own else {})}


def _record(own: Standing) -> dict[str, Any]:
    if not own.games:
        return {}
    return {"place": own.rank, "wins": own.wins, "losses": own.losses, "spread": own.spread}


def _rounds(
    event: Event,
    seen: EventDetails,
    table: Table | None,
    names: Mapping[Side, str] | None,
    tables: Mapping[str, list[Standing]],
) -> dict[str, Any]:
    now = round_of(seen, list(names.values())) if names else None
    coming = next_game(seen, event.source.seat_of(table.id), now) if table is not None else None
    return {"round": now, "next": _paired(coming, seen, tables) if coming else None}


def _paired(
    game: PairedGame, seen: EventDetails, tables: Mapping[str, list[Standing]]
) -> dict[str, Any]:
    names: dict[Side, str] = {"left": game.left, "right": game.right}
    return {"round": game.round, "table": game.table, "players": _players(seen, names, tables)}


def _standing(one: Standing, seen: EventDetails) -> dict[str, Any]:
    return {
        "place": one.rank,
        "name": one.name,
        "country": seen.entrant(one.name).country,
        "wins": one.wins,
        "losses": one.losses,
        "spread": one.spread,
    }
