"""The tournament around a table: who plays there, in which round, and who comes next.

Standings reveal results, so all of it is as late as the games are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.event import Event, next_game, round_of
from dashboard.parts import find
from dashboard.site import Table, this_site
from dashboard.standings import Standing, divisions, standings
from game.events import SIDES, Side
from table.pairings.details import Entrant, EventDetails, PairedGame, plain
from table.views.public_policy import SECOND


def public_lag_s() -> float:
    """Return the longest of all tables' delays for the public, in seconds."""
    return max((table.allowed.delay_ns for table in this_site().tables), default=0) / SECOND


def around_table(table: Table, view: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return what everybody may know of the tournament around a table that shows ``view``."""
    event = find(Event)
    if event is None:
        return {"players": None, "round": None, "next": None}
    seen = event.details_at(public_lag_s())
    names = {side: str(view["players"][side]["name"]) for side in SIDES} if view else None
    tables = {division: standings(seen, division) for division in divisions(seen)}
    players = players_around(seen, names, tables) if names else None
    return {"players": players, **rounds_around(event, seen, table, names, tables)}


def players_around(
    seen: EventDetails, names: Mapping[Side, str], tables: Mapping[str, list[Standing]]
) -> dict[Side, Any]:
    """Return each player's country, rating, division and record, as far as they are known."""
    return {side: _player(seen.entrant(name), tables) for side, name in names.items()}


def meetings(seen: EventDetails, names: Mapping[Side, str]) -> list[dict[str, Any]]:
    """Return the games that two players have played at the event: the round, the scores by side."""
    left, right = (plain(names[side]) for side in SIDES)
    found = []
    for game in seen.games:
        if game.scores is not None and {plain(game.left), plain(game.right)} == {left, right}:
            mine = game.scores if plain(game.left) == left else game.scores[::-1]
            scores = dict(zip(SIDES, mine, strict=True))
            found.append({"round": game.round, "scores": scores})
    return sorted(found, key=lambda one: int(one["round"]))


def _player(player: Entrant, tables: Mapping[str, list[Standing]]) -> dict[str, Any]:
    key = plain(player.name)
    rows = tables.get(player.division, [])
    own = next((one for one in rows if plain(one.name) == key), None)
    shown = {"name": player.name, "country": player.country, "rating": player.rating}
    begun = any(one.games for one in rows)
    return {**shown, "division": player.division, **(_record(own) if own and begun else {})}


def _record(own: Standing) -> dict[str, Any]:
    return {"place": own.rank, "wins": own.wins, "losses": own.losses, "spread": own.spread}


def rounds_around(
    event: Event,
    seen: EventDetails,
    table: Table | None,
    names: Mapping[Side, str] | None,
    tables: Mapping[str, list[Standing]],
) -> dict[str, Any]:
    """Return the round that is played at a table, and the next pairing there."""
    now = round_of(seen, list(names.values())) if names else None
    coming = next_game(seen, event.source.seat_of(table.id), now) if table is not None else None
    return {"round": now, "next": _paired(coming, seen, tables) if coming else None}


def _paired(
    game: PairedGame, seen: EventDetails, tables: Mapping[str, list[Standing]]
) -> dict[str, Any]:
    names: dict[Side, str] = {"left": game.left, "right": game.right}
    return {
        "round": game.round,
        "table": game.table,
        "players": players_around(seen, names, tables),
    }
