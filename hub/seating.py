"""Which round is to be seated next, and what sending its names would change."""

from __future__ import annotations

from dataclasses import dataclass

from dashboard.event.details import EventDetails
from dashboard.event.event import this_event
from hub.current import known_pairings, this_hub
from hub.event_site import EventSite, round_due
from hub.pairings import Pairings, pair_of
from table.roster import table_number


@dataclass(frozen=True, slots=True)
class Seating:
    """A round of the pairings, and the tables here that it names."""

    round: int
    tables: int
    """How many get the names."""
    playing: tuple[str, ...]
    """The names of those where a game is being played."""
    others: tuple[str, ...]
    """Of these, where others play than the pairings say: that game would get the wrong names."""


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
    rounds = []
    for number in sorted(pairings.rounds):
        seats = pairings.rounds[number]
        reached = [
            (table, seats[place])
            for table in hub.site.tables
            if table.desk is not None and (place := table_number(table.id) or -1) in seats
        ]
        busy = [(table, names) for table, names in reached if table.id in playing]
        others = [
            table.name
            for table, names in busy
            if playing[table.id] != pair_of(names["left"], names["right"])
        ]
        names_of = tuple(table.name for table, _ in busy)
        rounds.append(Seating(number, len(reached), names_of, tuple(others)))
    return SeatingPlan(_due(pairings), tuple(rounds))


def _due(pairings: Pairings) -> int:
    """The round to be seated, among those whose tables are known."""
    hub, binding = this_hub(), this_hub().binding()
    results = [one for one in hub.results.all() if one.settled and binding.claim(one) is None]
    over = {(one.table, one.game_id) for one in results}
    rows = [
        {**row, "final": (row["id"], row["game_id"]) in over}
        for row in hub.hall.feeds["director"].rows()
    ]
    details = EventDetails() if pairings.divisions else this_event().details()
    due = round_due(EventSite(pairings, results, binding, rows, details)) or 0
    return min((one for one in pairings.rounds if one >= due), default=max(pairings.rounds))
