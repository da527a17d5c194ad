"""The pairings of the whole hall, from a CSV or from TSH's ``tourney.js``."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeAlias

from game.events import Side
from game.files import read_file
from hub.errors import HubError
from table.roster import TOURNEY, load_roster, plain

_MOST: Final = 5_000_000

Pair: TypeAlias = frozenset[str]
"""Two players, as :func:`pair_of` has them."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of a TSH division, as TSH has them."""

    number: int
    name: str
    """``Last, First``, as TSH writes it."""
    rating: int
    opponents: tuple[int, ...]
    """By round; 0 is a bye."""
    scores: tuple[int | None, ...]
    """Results that TSH has already, by round."""
    firsts: tuple[int, ...]
    boards: tuple[int, ...]

    @property
    def plain(self) -> str:
        """``First Last``, as tables have it."""
        last, comma, first = self.name.partition(",")
        return f"{first.strip()} {last.strip()}" if comma else last.strip()


@dataclass(frozen=True, slots=True)
class Pairings:
    """The pairings of an event."""

    rounds: Mapping[int, Mapping[int, Mapping[Side, str]]]
    """By round and number of the table, who sits left and right."""
    divisions: Mapping[str, Sequence[Entrant]] = field(default_factory=dict)
    """Of a ``tourney.js``, by name of the division; players in order of their numbers."""
    announcements: Mapping[tuple[int, int], Mapping[str, Any]] = field(default_factory=dict)
    """By round and number of the table, what the event announces for the game, if it says so."""

    def meetings(self) -> dict[Pair, dict[int, frozenset[int]]]:
        """By pair the rounds in which the two meet, each with the tables at which they are seated.

        Where nothing says at which table, there is none. A player who has the name of the opponent
        looks like nobody, and is left out.
        """
        found: dict[Pair, dict[int, frozenset[int]]] = {}

        def add(pair: Pair, round_: int, table: int | None) -> None:
            rounds = found.setdefault(pair, {})
            rounds[round_] = rounds.get(round_, frozenset()) | ({table} if table else frozenset())

        for players in self.divisions.values():
            by_number = {one.number: one for one in players}
            for one in players:
                for place, opponent in enumerate(one.opponents):
                    if opponent in by_number:
                        pair = pair_of(one.plain, by_number[opponent].plain)
                        board = one.boards[place] if place < len(one.boards) else None
                        add(pair, place + 1, board)
        for round_, tables in self.rounds.items():
            for table, names in tables.items():
                add(pair_of(*names.values()), round_, table)
        return {pair: dict(sorted(found[pair].items())) for pair in found if len(pair) == 2}


def read_pairings(path: Path, tables: Sequence[int] = ()) -> Pairings:
    """The pairings in a file. Raises ``TilewatchError``.

    They are those of all tables that it names, whether the hub has let them in or not; a row that
    names none is for each of ``tables``.
    """
    try:
        text = read_file(path, _MOST, HubError).decode("utf-8-sig")
    except OSError as error:
        raise HubError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise HubError(f"{path}: not UTF-8 text") from error
    tsh = TOURNEY.match(text)
    if not tsh and "table" not in (csv.DictReader(io.StringIO(text, newline="")).fieldnames or ()):
        raise HubError(f"{path}: the first line must be round,table,left,right")
    divisions = _divisions(text, path) if tsh else {}
    players = [one for division in divisions.values() for one in division]
    named = {board for one in players for board in one.boards if board} if tsh else _tables_of(text)
    rounds: dict[int, dict[int, Mapping[Side, str]]] = {}
    announcements: dict[tuple[int, int], Mapping[str, Any]] = {}
    for table in sorted({*tables, *named}):
        roster = load_roster(path, table)
        for number, names in roster.rounds.items():
            rounds.setdefault(number, {})[table] = names
        announcements |= {(n, table): given for n, given in roster.announcements.items()}
    return Pairings(rounds, divisions, announcements)


def _tables_of(text: str) -> set[int]:
    """Return the numbers of the tables in a CSV; whatever is no number is refused elsewhere."""
    cells = (row.get("table") or "" for row in csv.DictReader(io.StringIO(text, newline="")))
    return {int(cell) for cell in cells if re.fullmatch(r"\s*[0-9]{1,6}\s*", cell)}


def _divisions(text: str, path: Path) -> dict[str, Sequence[Entrant]]:
    body = TOURNEY.sub("", text).strip().rstrip(";")
    try:
        data = json.loads(re.sub(r"(?<=[\[,])undefined(?=[\],])", "null", body))
        return {
            str(division["name"]): [_entrant(one) for one in division["players"] if one]
            for division in data["divisions"]
        }
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise HubError(f"{path}: not a tourney.js that can be read ({error!r:.80})") from error


def _entrant(player: Any) -> Entrant:
    etc = player.get("etc", {})
    return Entrant(
        int(player["id"]),
        " ".join(str(player["name"]).split()),
        int(player.get("rating") or 0),
        tuple(int(one or 0) for one in player["pairings"]),
        tuple(one if isinstance(one, int) else None for one in player.get("scores", [])),
        tuple(int(one or 0) for one in etc.get("p12", [])),
        tuple(int(one or 0) for one in etc.get("board", [])),
    )


def pair_of(one: str, other: str) -> Pair:
    """Two players whichever side they sit on, by their names but for case and spaces."""
    return frozenset((plain(one), plain(other)))
