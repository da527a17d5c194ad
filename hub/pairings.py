"""Who plays whom in the whole hall, from a CSV or from TSH's ``tourney.js``."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from game.events import Side
from game.files import read_file
from hub.errors import HubError
from table.roster import load_roster

_TOURNEY: Final = re.compile(r"\A\s*(?:var\s+)?newt\s*=\s*", re.ASCII)
_NUMBER: Final = re.compile(r"(\d{1,6})\D*\Z")
_MOST: Final = 5_000_000


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
    """What TSH knows already, by round."""
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

    def round_of(self, table: int, names: Mapping[Side, str]) -> int | None:
        """The latest round in which these two meet at this table, or at any other."""
        wanted = {_plain(name) for name in names.values()}
        found = None
        for number in sorted(self.rounds):
            pairs = self.rounds[number]
            here = pairs.get(table)
            if here is not None and {_plain(name) for name in here.values()} == wanted:
                return number
            if any({_plain(name) for name in pair.values()} == wanted for pair in pairs.values()):
                found = number
        return found


def table_number(table_id: str) -> int | None:
    """The number of a table in its id: 12 of ``table-12``."""
    found = _NUMBER.search(table_id)
    return int(found[1]) if found else None


def read_pairings(path: Path, tables: Sequence[int]) -> Pairings:
    """The pairings in a file, for tables of these numbers. Raises ``TilewatchError``."""
    try:
        text = read_file(path, _MOST, HubError).decode("utf-8-sig")
    except OSError as error:
        raise HubError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise HubError(f"{path}: not UTF-8 text") from error
    tsh = _TOURNEY.match(text)
    if not tsh and "table" not in (csv.DictReader(io.StringIO(text, newline="")).fieldnames or ()):
        raise HubError(f"{path}: the first line must be round,table,left,right")
    rounds: dict[int, dict[int, Mapping[Side, str]]] = {}
    for table in tables:
        for number, names in load_roster(path, table).rounds.items():
            rounds.setdefault(number, {})[table] = names
    return Pairings(rounds, _divisions(text, path) if tsh else {})


def _divisions(text: str, path: Path) -> dict[str, Sequence[Entrant]]:
    body = _TOURNEY.sub("", text).strip().rstrip(";")
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


def _plain(name: str) -> str:
    return " ".join(name.casefold().split())


def same_name(one: str, other: str) -> bool:
    """Whether two names are one, but for case and spaces."""
    return _plain(one) == _plain(other)
