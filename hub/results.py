"""The results of a hall: kept as games end, given out as CSV and in TSH's own format."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Final

from game.errors import TilewatchError
from game.events import SIDES, from_payload
from game.state import GameState, apply
from hub.pairings import Entrant, Pairings, same_name, table_number
from hub.store import HubStore
from table.chain import LoggedEvent
from table.signing import digest

COLUMNS: Final = (
    "round", "table", "left", "right", "left_score", "right_score", "winner", "spread", "outcome",
    "signed", "settled", "game", "digest",
)  # fmt: skip


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
    """``left``, ``right``, ``tie``, or empty where the director has to say."""
    spread: int | None
    outcome: str
    """How it came about: ``played``, or the kind of forfeit; empty before it is settled."""
    settled: bool
    """Whether somebody ended the game and everything that the end brings is in the scores."""
    signed: bool
    digest: str
    seq: int


def result_of(table_id: str, state: GameState, newest: LoggedEvent) -> Result | None:
    """The result of a game as it stands; None while it is played."""
    if state.status != "ended":
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
        digest(newest.hash),
        newest.seq,
    )


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
        """A game is taken up again and has no result."""
        with self._store.write() as connection:
            connection.execute(
                "DELETE FROM results WHERE table_id = ? AND game_id = ?", (table_id, game_id)
            )

    def all(self) -> list[Result]:
        """Every result, in order of tables and games."""
        rows = self._store.read("SELECT result FROM results ORDER BY table_id, seq")
        return [Result(**json.loads(text)) for (text,) in rows]

    def seen(
        self,
        table_id: str,
        events: Iterable[LoggedEvent],
        shown: tuple[str, GameState] | None,
    ) -> None:
        """Records of a table came in: results that they make or change are kept.

        ``shown`` is the game on the table, by name, folded already; earlier ones are folded here,
        for a ruling on one of them is rare.
        """
        last: dict[str, LoggedEvent] = {event.game_id: event for event in events}
        for game_id, newest in last.items():
            state = shown[1] if shown is not None and shown[0] == game_id else None
            if state is None:
                state, newest = self._folded(table_id, game_id, newest)  # noqa: PLW2901
            if state is None:
                continue
            result = result_of(table_id, state, newest)
            if result is not None:
                self.put(result)
            elif self._store.read(
                "SELECT 1 FROM results WHERE table_id = ? AND game_id = ?", (table_id, game_id)
            ):
                self.drop(table_id, game_id)

    def _folded(
        self, table_id: str, game_id: str, newest: LoggedEvent
    ) -> tuple[GameState | None, LoggedEvent]:
        state: GameState | None = None
        for logged in self._store.records(table_id, game_id):
            try:
                state = apply(state, from_payload(logged.payload))
            except TilewatchError:
                continue
            newest = logged
        return state, newest


def rounds_of(results: Sequence[Result], pairings: Pairings | None) -> dict[str, int]:
    """The round of each game: by the pairings, else the number of the game at its table."""
    found: dict[str, int] = {}
    counted: dict[str, int] = {}
    for one in results:
        counted[one.table] = counted.get(one.table, 0) + 1
        number = None
        if pairings is not None:
            table = table_number(one.table)
            names = {"left": one.left, "right": one.right}
            number = pairings.round_of(table or 0, {side: names[side] for side in SIDES})
        found[one.game_id] = number or counted[one.table]
    return found


def as_csv(results: Sequence[Result], pairings: Pairings | None) -> str:
    """The results as CSV, a line for each game."""
    rounds = rounds_of(results, pairings)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for one in sorted(results, key=lambda r: (rounds[r.game_id], table_number(r.table) or 0)):
        writer.writerow(
            [
                rounds[one.game_id],
                table_number(one.table) or one.table,
                _cell(one.left),
                _cell(one.right),
                one.left_score,
                one.right_score,
                one.winner,
                "" if one.spread is None else one.spread,
                one.outcome,
                "yes" if one.signed else "no",
                "yes" if one.settled else "no",
                one.game_id,
                one.digest,
            ]
        )
    return out.getvalue()


def as_tsh(results: Sequence[Result], pairings: Pairings, division: str) -> str:
    """A division as TSH's ``.t`` file: its pairings, and the scores as far as they are known.

    A player's scores end at the first round of which neither the tables nor TSH know one: TSH
    takes them for those of the first rounds. A tie of names is the director's to mend.
    """
    entrants = {one.number: one for one in pairings.divisions[division]}
    rounds = rounds_of(results, pairings)
    scores: dict[tuple[int, str], int] = {}
    for one in results:
        if not one.settled or one.outcome != "played":
            continue  # what a forfeit is worth is for the director to enter
        number = rounds[one.game_id]
        scores[number, one.left.casefold()] = one.left_score
        scores[number, one.right.casefold()] = one.right_score
    lines = [
        _line(entrant, [_score(entrant, number, scores) for number in _rounds(entrant)])
        for entrant in entrants.values()
    ]
    return "".join(line + "\n" for line in lines)


def _rounds(entrant: Entrant) -> range:
    return range(1, len(entrant.opponents) + 1)


def _score(entrant: Entrant, number: int, scores: dict[tuple[int, str], int]) -> int | None:
    for (round_, name), score in scores.items():
        if round_ == number and same_name(name, entrant.plain):
            return score
    return entrant.scores[number - 1] if number <= len(entrant.scores) else None


def _line(entrant: Entrant, scores: list[int | None]) -> str:
    known: list[str] = []
    for score in scores:
        if score is None:
            break
        known.append(str(score))
    line = (
        f"{entrant.name:<22} {entrant.rating:>4} {' '.join(str(one) for one in entrant.opponents)}"
    )
    line += f"; {' '.join(known)}"
    if entrant.boards:
        line += f"; board {' '.join(str(one) for one in entrant.boards)}"
    if entrant.firsts:
        line += f"; p12 {' '.join(str(one) for one in entrant.firsts)}"
    return line


def _cell(text: str) -> str:
    """A name that no spreadsheet takes for a formula."""
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
