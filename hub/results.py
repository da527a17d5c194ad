"""The results of a hall, kept as games end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field
from functools import lru_cache
from typing import Any

from dashboard.game_numbers import board_after, numbers
from game.adjudication.remedies import is_provisional
from game.state.fold import GameState
from game.state.settlement import UNFINISHED
from game.terms import Shown
from hub.store import HubStore
from record.chain import LoggedEvent
from record.seals import digest
from table.folded_log import FoldedGame
from table.views.publication import decided_in
from table.views.views import view


@dataclass(frozen=True, slots=True)
class Result:
    """A game that has ended."""

    table: str
    game_id: str
    left: str
    right: str
    left_score: int
    right_score: int
    winner: str
    """``left``, ``right``, ``tie``, or empty if the director must decide."""
    spread: int | None
    outcome: str
    """``played``, or the kind of forfeit; empty before it is settled."""
    settled: bool
    """True once the game was ended and the scores include everything that the end brings."""
    signed: bool
    digest: str
    """The digest of the record that signed the game or, before that, ended it."""
    seq: int
    begun: int = 0
    """The sequence of the game's first record: games of a table in their order."""
    plays: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """The numbers of each side's game, and its best play with the board after it, once settled;
    some or all of them are missing in older records."""
    provisional: bool = False
    """True while a question is open that may still change who has won; as ``hub.binding`` has it,
    also while nobody has signed it or let it through."""
    ruled: bool = False
    """True if a director ruled that a player forfeits it."""
    at_ns: int = 0
    """The wall time of the record that signed or ended it; 0 in older records."""
    decided: Shown | None = None
    """How much of the game may be shown, if a director decided it."""
    decided_table: Shown | None = None
    """How much of the games at its table may be shown, if a director decided it."""

    @property
    def counts(self) -> bool:
        """True once only a director's ruling can change it, so it counts for standings and TSH."""
        return self.settled and not self.provisional

    @property
    def decides(self) -> bool:
        """True once it counts and has a winner or is a tie."""
        return self.counts and bool(self.winner)


def result_of(
    table_id: str,
    state: GameState,
    newest: LoggedEvent,
    begun: int = 0,
    closed: LoggedEvent | None = None,
) -> Result | None:
    """Return a game's result; None while the game is played, or if it was broken off.

    ``closed`` is the record that signed it or, before that, ended it: the slip has its digest.
    """
    if state.status != "ended" or state.no_result:
        return None
    played = state.outcome is None or state.outcome.kind == "played"
    if played and (not state.turns or state.end_reason in UNFINISHED):
        return None
    outcome = state.outcome if state.final else None
    winner = ""
    if outcome is not None:
        tie = outcome.kind == "played" and outcome.winner is None
        winner = outcome.winner or ("tie" if tie else "")
    return Result(
        table_id,
        state.game_id,
        state.players["left"],
        state.players["right"],
        state.scores["left"],
        state.scores["right"],
        winner,
        None if outcome is None else outcome.margin,
        "" if outcome is None else outcome.kind,
        state.final,
        state.signed is not None,
        digest((closed or newest).hash),
        newest.seq,
        begun,
        _plays(state) if state.final else {},
        outcome is not None and outcome.kind == "played" and is_provisional(state),
        state.progress.forfeited is not None and bool(state.progress.forfeited.by),
        (closed or newest).wall_ns,
        *astuple(decided_in(state)),
    )


def _plays(state: GameState) -> dict[str, dict[str, Any]]:
    shown = view(state, "public")
    found: dict[str, dict[str, Any]] = {}
    for side, own in numbers(shown).items():
        found[side] = {
            "bingos": own.bingos,
            "turns": own.turns,
            "points": own.points,
            "used_ns": own.used_ns,
        }
        if own.best is not None:
            turns = shown["turns"][: own.best.turn]
            board = {"board": board_after(turns), "squares": list(turns[-1]["tiles"])}
            found[side] |= {**asdict(own.best), **board}
    return found


@lru_cache(maxsize=8192)
def _read(text: str) -> Result:
    """Return a result as it was kept; cached because every page of the event asks for all."""
    return Result(**json.loads(text))


class Results:
    """The results of all tables, kept in the hub's store. Safe to use from any thread."""

    def __init__(self, store: HubStore) -> None:
        self._store = store

    def put(self, result: Result) -> None:
        """Keep a result, in the place of an earlier one of the same game."""
        with self._store.write() as connection:
            connection.execute(
                "INSERT INTO results VALUES (?,?,?,?) ON CONFLICT (table_id, game_id) DO UPDATE "
                "SET seq=excluded.seq, result=excluded.result WHERE excluded.seq >= results.seq",
                (result.table, result.game_id, result.seq, json.dumps(asdict(result))),
            )

    def drop(self, table_id: str, game_id: str) -> None:
        """Delete the result of a game that is continued."""
        with self._store.write() as connection:
            connection.execute(
                "DELETE FROM results WHERE table_id = ? AND game_id = ?", (table_id, game_id)
            )

    def all(self) -> list[Result]:
        """Every result, in the order in which they came in."""
        rows = self._store.read("SELECT result FROM results ORDER BY rowid")
        return [_read(text) for (text,) in rows]

    def one(self, table_id: str, game_id: str) -> Result | None:
        """The result of a game, or None."""
        rows = self._store.read(
            "SELECT result FROM results WHERE table_id = ? AND game_id = ?", (table_id, game_id)
        )
        return next((_read(text) for (text,) in rows), None)

    def seen(
        self,
        table_id: str,
        events: Iterable[LoggedEvent],
        game_of: Callable[[str], FoldedGame | None],
    ) -> None:
        """Take new records of a table, and store the results that they make or change.

        ``game_of`` gives the table's games by id.
        """
        for game_id in dict.fromkeys(event.game_id for event in events):
            game = game_of(game_id)
            if game is None:
                continue
            state = game.state
            result = None
            if state.status == "ended":
                by = game.closing.records
                closed = by.get("signed") or by.get("ended")
                result = result_of(table_id, state, game.newest, game.first, closed)
            if result is not None:
                self.put(result)
            elif self.one(table_id, game_id) is not None:
                self.drop(table_id, game_id)
