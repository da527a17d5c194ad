"""The seating of a round: which tables get which names, and what that would change."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from dashboard.event import Event
from dashboard.parts import part
from dashboard.site import Table
from hub.errors import HubError
from hub.event_meetings import round_due
from hub.event_site import EventSite
from hub.service import HubService
from table.desk import TIMEOUT_S, Desk, NamePlayers
from table.pairings.details import EventDetails, PairedGame, SeatGames, pair_of


@dataclass(frozen=True, slots=True)
class OpenSeat:
    """A table whose number tables of several divisions have, with the games of a round."""

    table: str
    name: str
    games: tuple[PairedGame, ...]


@dataclass(frozen=True, slots=True)
class Seating:
    """A round of the pairings, and the tables here that it names."""

    round: int
    tables: int
    """The number of tables that get the names."""
    playing: tuple[str, ...]
    """The names of the tables where a game is being played."""
    others: tuple[str, ...]
    """The names of tables whose games have other players than the pairings."""
    open: tuple[OpenSeat, ...] = ()
    """The tables that get no names until a director has entered their division."""


@dataclass(frozen=True, slots=True)
class SeatingPlan:
    """The rounds that can be seated."""

    due: int | None
    """The round that is played, or the next one once it is over."""
    rounds: tuple[Seating, ...] = ()


def seating_plan(hub: HubService) -> SeatingPlan:
    """Return the rounds that can be seated, and the one to be seated now."""
    pairings = hub.event.pairings()
    if pairings is None or not pairings.rounds:
        return SeatingPlan(None)
    playing = {
        row["id"]: pair_of(*(player["name"] for player in row["players"].values()))
        for row in hub.hall.director.rows()
        if row["players"] and row["status"] == "running"
    }
    here = [(table, games) for table, _, games in _tables(hub, pairings)]
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
            OpenSeat(table.id, table.name, tuple(found))
            for table, games in here
            if (found := games.open(number))
        )
        names_of = tuple(table.name for table, _ in busy)
        rounds.append(Seating(number, len(reached), names_of, tuple(others), open_))
    return SeatingPlan(_due(hub, pairings), tuple(rounds))


def seat(hub: HubService, round_: int, source: str) -> dict[str, str]:
    """Send every table the names of its players in a round; return the outcome by table.

    All are asked at once; whichever is there has some seconds to answer. A table that may have
    either of two games gets none. Raises ``TilewatchError``.
    """
    pairings = hub.event.pairings()
    if pairings is None or round_ not in pairings.rounds:
        raise HubError(f"there are no pairings of round {round_}")
    here = list(_tables(hub, pairings))
    named = [(table.id, desk, game) for table, desk, games in here if (game := games.game(round_))]

    def name(table_id: str, desk: Desk, game: PairedGame) -> str:
        is_here = hub.presence.absence(table_id) is None
        why, timeout_s = f"the pairings of round {round_}", TIMEOUT_S if is_here else 0
        answer = desk.post(
            NamePlayers(game.names, source, why=why, announced=game.announced), timeout_s
        )
        return answer.refused or "done"

    with ThreadPoolExecutor(max(1, len(named))) as pool:
        asked = {one[0]: pool.submit(name, *one) for one in named}
        outcomes = {id_: answer.result() for id_, answer in asked.items()}
    open_ = "say which division the table is of; nothing was sent"
    return outcomes | {
        table.id: open_
        for table, _, games in here
        if table.id not in outcomes and games.open(round_)
    }


def _tables(hub: HubService, pairings: EventDetails) -> list[tuple[Table, Desk, SeatGames]]:
    """The hall's tables, each with the games that may be its."""
    seats = hub.event.seats(pairings)
    return [
        (table, table.desk, pairings.at(seats.of(table.id)))
        for table in hub.site.tables
        if table.desk is not None
    ]


def _due(hub: HubService, pairings: EventDetails) -> int:
    """The round to be seated, among those whose tables are known."""
    binding = hub.event.binding()
    results = [one for one in binding.results if one.settled and binding.claim(one) is None]
    over = {(one.table, one.game_id) for one in results}
    rows = [
        {**row, "final": (row["id"], row["game_id"]) in over} for row in hub.hall.director.rows()
    ]
    details = EventDetails() if pairings.tsh else part(Event).details()
    due = round_due(EventSite(pairings, results, binding, rows, details).rounds) or 0
    return min((one for one in pairings.rounds if one >= due), default=max(pairings.rounds))
