"""Which round is to be seated next, and what sending its names would change."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.event import Event
from dashboard.parts import part
from hub.current import known_pairings, this_hub
from hub.event_site import EventSite, round_due
from hub.pairings import Pairings, pair_of
from table.pairings.details import EventDetails


@dataclass(frozen=True, slots=True)
class OpenSeat:
    """A table whose number tables of several divisions have, with the games of a round."""

    table: str
    name: str
    games: tuple[OpenGame, ...]


@dataclass(frozen=True, slots=True)
class OpenGame:
    """One of these games."""

    division: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Seating:
    """A round of the pairings, and the tables here that it names."""

    round: int
    tables: int
    """How many get the names."""
    playing: tuple[str, ...]
    """The names of the tables where a game is being played."""
    others: tuple[str, ...]
    """The tables where other players sit than the pairings say: wrong names for their games."""
    open: tuple[OpenSeat, ...] = ()
    """The tables that get no names until somebody says which division they are of."""


@dataclass(frozen=True, slots=True)
class SeatingPlan:
    """The rounds that can be seated."""

    due: int | None
    """The round that is played, or the next one once it is over."""
    rounds: tuple[Seating, ...] = ()


def seating_plan() -> SeatingPlan:
    """The rounds that the pairings seat, and the one that is due now."""
    hub, pairings = this_hub(), known_pairings()
    if pairings is None or not pairings.rounds:
        return SeatingPlan(None)
    playing = {
        row["id"]: pair_of(*(player["name"] for player in row["players"].values()))
        for row in hub.hall.feeds["director"].rows()
        if row["players"] and row["status"] == "running"
    }
    seats = hub.divisions.seats(pairings.names)
    here = [
        (table, pairings.at(seats.of(table.id)))
        for table in hub.site.tables
        if table.desk is not None
    ]
    rounds = []
    for number in pairings.rounds:
        reached = [(table, game) for table, games in here if (game := games.game(number))]
        busy = [(table, game) for table, game in reached if table.id in playing]
        others = [
            table.name
            for table, game in busy
            if playing[table.id] != pair_of(game.left, game.right)
        ]
        open_ = tuple(
            OpenSeat(
                table.id,
                table.name,
                tuple(OpenGame(one.division, one.left, one.right) for one in found),
            )
            for table, games in here
            if (found := games.open(number))
        )
        names_of = tuple(table.name for table, _ in busy)
        rounds.append(Seating(number, len(reached), names_of, tuple(others), open_))
    return SeatingPlan(_due(pairings), tuple(rounds))


def _due(pairings: Pairings) -> int:
    """The round to be seated, among those whose tables are known."""
    hub, binding = this_hub(), this_hub().binding()
    results = [one for one in binding.results if one.settled and binding.claim(one) is None]
    over = {(one.table, one.game_id) for one in results}
    rows = [
        {**row, "final": (row["id"], row["game_id"]) in over}
        for row in hub.hall.feeds["director"].rows()
    ]
    details = EventDetails() if pairings.divisions else part(Event).details()
    due = round_due(EventSite(pairings, results, binding, rows, details)) or 0
    return min((one for one in pairings.rounds if one >= due), default=max(pairings.rounds))
