"""Who plays whom: names from the configuration, a CSV, or TSH's ``tourney.js``."""

from __future__ import annotations

import csv
import io
import json
import logging
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from game.errors import TilewatchError
from game.events import SIDES, Side
from game.files import read_file
from game.rulebooks.announcing import CHALLENGE, announced
from game.rulebooks.rulebook import Rulebook

_LOG = logging.getLogger(__name__)
_MOST_BYTES: Final = 20_000_000
_TABLE_NUMBER: Final = re.compile(r"(\d{1,6})\D*\Z")
_WHOLE = re.compile(r"[0-9]{1,9}")
_COLUMNS = ("round", "table", "left", "right")
TOURNEY: Final = re.compile(r"\A\s*(?:var\s+)?newt\s*=\s*", re.ASCII)
"""The beginning of TSH's ``tourney.js``."""


class RosterError(TilewatchError):
    """A list of players that cannot be used, in one line."""


class Pairings(Protocol):
    """The pairings of one table."""

    def names(self, round_: int) -> Mapping[Side, str] | None:
        """The players of a round, if they are known."""
        ...

    def announced(self, round_: int) -> Mapping[str, Any] | None:
        """Return the settings that the event announces for a round, or None."""
        ...

    def first(self, round_: int) -> Side | None:
        """Return who plays first in a round, if that is known."""
        ...


@dataclass(frozen=True)
class Roster:
    """The pairings of one table: by round, who sits left and right."""

    rounds: Mapping[int, Mapping[Side, str]]
    announcements: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    """By round, where the file has columns for what the event announces."""
    firsts: Mapping[int, Side] = field(default_factory=dict)
    """By round, who plays first, where the file says so."""

    def names(self, round_: int) -> Mapping[Side, str] | None:
        """The players of a round, if they are known."""
        return self.rounds.get(round_)

    def announced(self, round_: int) -> Mapping[str, Any] | None:
        """Return the settings that the event announces for a round, or None."""
        return self.announcements.get(round_)

    def first(self, round_: int) -> Side | None:
        """Return who plays first in a round, if that is known."""
        return self.firsts.get(round_)


@dataclass(frozen=True)
class PairedRound:
    """All that is known beforehand of one round at one table."""

    names: Mapping[Side, str] | None = None
    """None before it is paired."""
    announced: Mapping[str, Any] | None = None
    """The settings that the event announces for it."""
    first: Side | None = None
    """Who plays first."""


@dataclass(frozen=True)
class Schedule:
    """The rounds that a table plays."""

    first_round: int = 1
    pairings: Pairings | None = None
    always_first: Side | None = None
    """Who plays first in all rounds for which the pairings do not say it."""

    def paired(self, round_: int) -> PairedRound:
        """Return what is known of a round by now."""
        pairings, first = self.pairings, self.always_first
        if pairings is None:
            return PairedRound(first=first)
        return PairedRound(
            pairings.names(round_), pairings.announced(round_), pairings.first(round_) or first
        )


class RosterFile:
    """The pairings in a file that goes on being written: a round is paired when the last is over.

    It is read again whenever it has changed. If that fails, a warning is logged and the pairings
    that were known stay. Raises ``RosterError`` when it cannot be read at first.
    """

    def __init__(self, path: Path, table: int, book: Rulebook | None = None) -> None:
        self._path, self._table, self._book = path, table, book
        self._seen = self._stamp()
        self._roster = load_roster(path, table, book)

    def names(self, round_: int) -> Mapping[Side, str] | None:
        """The players of a round, if they are known by now."""
        return self._newest().names(round_)

    def announced(self, round_: int) -> Mapping[str, Any] | None:
        """Return the settings that the event announces for a round as of now, or None."""
        return self._newest().announced(round_)

    def first(self, round_: int) -> Side | None:
        """Return who plays first in a round, if that is known by now."""
        return self._newest().first(round_)

    def _newest(self) -> Roster:
        stamp = self._stamp()
        if stamp != self._seen:
            self._seen = stamp
            try:
                self._roster = load_roster(self._path, self._table, self._book)
            except RosterError as error:
                _LOG.warning("%s; the pairings that were known are kept", error)
        return self._roster

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size


def load_roster(path: Path, table: int, book: Rulebook | None = None) -> Roster:
    """The pairings of a table, from a CSV (round, table, left, right) or a ``tourney.js``.

    In TSH's file whoever goes first in a round sits left. A CSV may have a column ``first`` (left
    or right), and columns for what the event announces in place of the rulebook's own:
    ``challenge``, ``clock.minutes``. With the rulebook ``book`` at hand they are held against it.
    Raises ``RosterError``.
    """
    try:
        text = read_file(path, _MOST_BYTES, RosterError).decode("utf-8-sig")
    except OSError as error:
        raise RosterError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise RosterError(f"{path}: not UTF-8 text") from error
    return _tourney(text, path, table) if TOURNEY.match(text) else _csv(text, path, table, book)


def _csv(text: str, path: Path, table: int, book: Rulebook | None) -> Roster:
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if not {"left", "right"} <= set(reader.fieldnames or ()):
        raise RosterError(f"{path}: the first line must be {','.join(_COLUMNS)}")
    announcing = [one for one in reader.fieldnames or () if one == CHALLENGE or "." in one]
    rounds: dict[int, Mapping[Side, str]] = {}
    announcements: dict[int, Mapping[str, Any]] = {}
    firsts: dict[int, Side] = {}
    try:
        for row in reader:
            at = f"{path}, line {reader.line_num}"
            number = _number(row.get("round") or str(len(rounds) + 1), "round", at)
            if _number(row.get("table") or str(table), "table", at) != table:
                continue
            left, right = ((row.get(side) or "").strip() for side in ("left", "right"))
            if not left or not right:
                raise RosterError(f"{at}: it needs the names of left and right")
            rounds[number] = {"left": left, "right": right}
            if row.get("first"):
                firsts[number] = _side(row["first"], at)
            if announcing:
                announcements[number] = _announced(row, announcing, book, at)
    except csv.Error as error:
        raise RosterError(f"{path}, line {reader.line_num}: not CSV ({error})") from error
    return Roster(rounds, announcements, firsts)


def _side(text: str, at: str) -> Side:
    side = next((side for side in SIDES if side == text.strip().lower()), None)
    if side is None:
        raise RosterError(f"{at}: first is left or right, not {text!r}")
    return side


def _announced(
    row: Mapping[str, str | None], names: Sequence[str], book: Rulebook | None, at: str
) -> dict[str, Any]:
    """Return the settings that a row announces; empty cells change nothing."""
    cells = {name: (row.get(name) or "").strip() for name in names}
    given = {name: int(s) if _WHOLE.fullmatch(s) else s for name, s in cells.items() if s}
    try:
        if book is not None:
            announced(book, given)
    except TilewatchError as error:
        raise RosterError(f"{at}: {error}") from error
    return given


def _number(text: str, what: str, at: str) -> int:
    if not re.fullmatch(r"\s*[0-9]{1,6}\s*", text):
        raise RosterError(f"{at}: {text!r} is no number of a {what}")
    return int(text)


def _tourney(text: str, path: Path, table: int) -> Roster:
    body = TOURNEY.sub("", text).strip().rstrip(";")
    try:
        # JavaScript's hole in a list, which JSON does not know.
        data = json.loads(re.sub(r"(?<=[\[,])undefined(?=[\],])", "null", body))
        rounds: dict[int, Mapping[Side, str]] = {}
        firsts: dict[int, Side] = {}
        for division in data["divisions"]:
            players = [player for player in division["players"] if player]
            by_id = {player["id"]: player for player in players}
            for player in players:
                _add_rounds(rounds, firsts, player, by_id, table)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise RosterError(f"{path}: not a tourney.js that can be read ({error!r:.80})") from error
    return Roster(rounds, firsts=firsts)


def _add_rounds(
    rounds: dict[int, Mapping[Side, str]],
    firsts: dict[int, Side],
    player: Any,
    by_id: Mapping[int, Any],
    table: int,
) -> None:
    etc = player.get("etc", {})
    order = etc.get("p12", [])
    for place, (board, opponent) in enumerate(
        zip(etc.get("board", []), player["pairings"], strict=False)
    ):
        if board != table or not opponent:
            continue
        first = order[place] if place < len(order) else 0
        number = place + 1
        if first == 1 or (first not in (1, 2) and number not in rounds):
            other = by_id[opponent]
            rounds[number] = {"left": _name(player), "right": _name(other)}
            if first == 1:
                firsts[number] = "left"


def _name(player: Any) -> str:
    last, comma, first = str(player["name"]).partition(",")
    return f"{first.strip()} {last.strip()}" if comma else last.strip()


def plain(name: str) -> str:
    """A name but for case, spaces, and the way in which Unicode spells it."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def table_number(table_id: str) -> int | None:
    """The number of a table in its id: 12 of ``table-12``."""
    found = _TABLE_NUMBER.search(table_id)
    return int(found[1]) if found else None
