"""Reads the file of an event's pairings: TSH's ``tourney.js`` (``table.pairings.tsh``), or a CSV.

A CSV has the columns ``left`` and ``right``, and maybe any of these:

- ``round`` and ``table``: their numbers; the division's name in ``division``,
- ``first``: ``left`` or ``right``, who plays first,
- ``challenge``, ``clock.minutes``: what the event announces in place of the rulebook's own,
- ``event`` and ``logo``: the title, and a picture beside the file; once is enough,
- ``left_country``, ``right_country``: codes of two or three letters,
- ``left_rating``, ``right_rating``,
- ``left_score``, ``right_score``: the result, if it is known.

``Bye`` or ``Withdrawn`` in place of an opponent means that the player has none; the player's score
is then the spread that the tournament gives for it. A row without names is a game that is not
paired yet.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from game.errors import TilewatchError
from game.events import SIDES, Side
from game.files import read_file
from game.rulebooks.announcing import CHALLENGE
from table.game_setup import MAX_NAME
from table.pairings.details import (
    BYE,
    MAX_DIVISION,
    Entrant,
    EventDetails,
    PairedGame,
    PairingsError,
    country_code,
    is_nobody,
    is_of,
    logo_beside,
    plain,
    require_name,
    without_member,
)
from table.pairings.javascript import is_javascript
from table.pairings.spreadsheet import WINDOWS, SheetError, decoded, read_sheet, whole
from table.pairings.tsh import of_tourney

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")

KEPT: Final = "the pairings that were known are kept"
MOST_BYTES: Final = 10_000_000
"""The most bytes of a file, far more than any tournament needs; they are read in a few seconds."""


def read_pairings(path: Path) -> EventDetails:
    """Return the tournament in a file of pairings, a CSV or ``tourney.js``.

    Raises ``PairingsError``.
    """
    try:
        text, charset = decoded(read_file(path, MOST_BYTES, PairingsError))
    except OSError as error:
        raise PairingsError(f"{path}: cannot be read ({error.strerror})") from error
    except SheetError as error:
        raise PairingsError(f"{path}: {error}") from error
    text = text.removeprefix("\ufeff")
    of_tsh = is_javascript(text) or path.suffix.lower() == ".js"
    found = of_tourney(text, path) if of_tsh else _of_csv(text, path)
    if charset != WINDOWS:
        return found
    doubt = "the file is no Unicode and was read as Windows-1252; if letters are wrong, save "
    return replace(found, doubts=(*found.doubts, doubt + "it as UTF-8"))


class WatchedPairings(Generic[_T]):
    """Pairings in a file that may change at any time. Safe to use from any thread.

    The file is read again whenever it has changed. If it cannot be used then, the earlier pairings
    stay, and the fault is logged once.
    """

    def __init__(self, path: Path, read: Callable[[Path], _T], known: _T) -> None:
        """``read`` returns the pairings in the file, or raises ``TilewatchError``."""
        self.fault: str | None = None
        """The reason why the file cannot be used now, in one line; None if it can."""
        self._path, self._read, self._known = path, read, known
        self._stamp: tuple[int, int, int] | None = None
        self._lock = threading.Lock()

    def newest(self) -> _T:
        """Return the pairings in the file now, or from the last time that it could be used."""
        with self._lock:
            stamp = self._stamp_now()
            if stamp is None or stamp != self._stamp:
                self._stamp = stamp
                self._take_up()
            return self._known

    def require(self) -> None:
        """Read the file now. Raises ``TilewatchError`` if it cannot be used."""
        with self._lock:
            self._stamp = self._stamp_now()
            self._known = self._read(self._path)

    def _take_up(self) -> None:
        fault = None
        try:
            self._known = self._read(self._path)
        except TilewatchError as error:
            fault = str(error)
        if fault is not None and fault != self.fault:
            _LOG.warning("%s; %s", fault, KEPT)
        self.fault = fault

    def _stamp_now(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_ino, found.st_mtime_ns, found.st_size


_NEEDED: Final = ("left", "right")
_HEAD: Final = "round,table,left,right"

_OF_A_GAME: Final = ("left", "right", "left_score", "right_score")
_LONGEST_TITLE: Final = 80
_MOST_POINTS: Final = 99_999
_MOST_NUMBER: Final = 999_999


def _of_csv(text: str, path: Path) -> EventDetails:
    """Return the tournament in a CSV. Raises ``PairingsError`` that names the line."""
    try:
        sheet = read_sheet(text, _NEEDED)
    except SheetError as error:
        line = str(error).replace(",".join(_NEEDED), _HEAD)
        raise PairingsError(f"{path}{', ' if line.startswith('line') else ': '}{line}") from error
    announcing = [one for one in sheet.columns if one == CHALLENGE or "." in one]
    title, logo = "", None
    players: dict[str, Entrant] = {}
    games: list[PairedGame] = []
    counted: dict[tuple[int | None, str], int] = {}
    for row in sheet.rows:
        at = f"{path}, line {row.line}"
        title = title or row.cells.get("event", "")[:_LONGEST_TITLE]
        logo = logo or logo_beside(path, row.cells.get("logo", ""), at)
        if not any(row.cells.get(name) for name in _OF_A_GAME):
            continue
        game = _game(row.cells, at, row.line)
        table = game.table, game.division
        counted[table] = counted.get(table, 0) + 1
        games.append(
            replace(
                game,
                round=game.round or counted[table],
                announced=_announced(row.cells, announcing) if announcing else None,
            )
        )
        for side, name in game.names.items():
            if name != BYE:
                known = players.get(plain(name)) or Entrant(name)
                players[plain(name)] = _entrant(row.cells, side, known, at)
    _refuse_two_at_one_table(games, path)
    return EventDetails(title, logo, players, tuple(games))


def _game(cells: Mapping[str, str], at: str, line: int) -> PairedGame:
    """Return the game in a row; its round is 0 if the row has none."""
    left, right = (_player(cells, side, at) for side in SIDES)
    if left == right == BYE:
        raise PairingsError(
            f"{at}: neither left nor right is a player; write the names, or remove the row"
        )
    points = [_points(cells, f"{side}_score", at) for side in SIDES]
    own, other = points
    scores = None if own is None or other is None else (own, other)
    if BYE in (left, right) and points.count(None) == 1:
        beside, wrong = SIDES if right == BYE else tuple(reversed(SIDES))
        if cells.get(f"{wrong}_score"):
            raise PairingsError(
                f"{at}: the points of {left or right} stand in {wrong}_score; write them in "
                f"{beside}_score"
            )
    if left == BYE:
        left, right, own, other = right, left, other, own
    if right == BYE:
        scores = None if own is None else (own - (other or 0), 0)
    elif points.count(None) == 1:
        raise PairingsError(f"{at}: it needs both left_score and right_score, or neither")
    return PairedGame(
        _number(cells, "round", at) or 0,
        _number(cells, "table", at),
        left,
        right,
        scores,
        _division(cells, at),
        _first(cells, at),
        line=line,
    )


def _player(cells: Mapping[str, str], side: Side, at: str) -> str:
    """Return the name of the player on a side, or :data:`BYE`."""
    name = without_member(cells.get(side, ""))
    if is_nobody(name):
        return BYE
    if not name:
        raise PairingsError(
            f"{at}: it needs the names of left and right; write Bye where a player has no opponent"
        )
    return require_name(name, MAX_NAME, f"{at}: a name")


def _entrant(cells: Mapping[str, str], side: Side, known: Entrant, at: str) -> Entrant:
    given = cells.get(f"{side}_country", "")
    country = country_code(given)
    if given and not country:
        raise PairingsError(f"{at}: {side}_country {given[:20]!r} is no code such as NGA or GB")
    rating = _points(cells, f"{side}_rating", at)
    return Entrant(
        known.name,
        country or known.country,
        known.rating if rating is None else rating,
        _division(cells, at) or known.division,
    )


def _division(cells: Mapping[str, str], at: str) -> str:
    name = " ".join(cells.get("division", "").split())
    return name and require_name(name, MAX_DIVISION, f"{at}: a division's name")


def _points(cells: Mapping[str, str], column: str, at: str) -> int | None:
    text = cells.get(column, "")
    found = whole(text)
    if text and (found is None or abs(found) > _MOST_POINTS):
        raise PairingsError(f"{at}: {column} {text[:20]!r} is no whole number")
    return found


def _number(cells: Mapping[str, str], column: str, at: str) -> int | None:
    text = cells.get(column, "")
    found = whole(text)
    if text and (found is None or not 0 < found <= _MOST_NUMBER):
        raise PairingsError(f"{at}: {text[:20]!r} is no number of a {column}")
    return found


def _first(cells: Mapping[str, str], at: str) -> Side | None:
    text = cells.get("first", "")
    side = next((side for side in SIDES if side == text.lower()), None)
    if text and side is None:
        raise PairingsError(f"{at}: first is left or right, not {text[:20]!r}")
    return side


def _announced(cells: Mapping[str, str], names: Iterable[str]) -> dict[str, Any]:
    """Return the settings that a row announces; empty cells change nothing."""
    given = {name: cells[name] for name in names if cells.get(name)}
    return {name: text if (n := whole(text)) is None else n for name, text in given.items()}


def _refuse_two_at_one_table(games: Iterable[PairedGame], path: Path) -> None:
    """Raise ``PairingsError`` for two rows of one round, table and division."""
    known: dict[tuple[int, int], list[PairedGame]] = {}
    for game in games:
        if game.table is None or game.right == BYE:
            continue
        here = known.setdefault((game.round, game.table), [])
        for other in here:
            if is_of(game.division, other.division):
                raise PairingsError(
                    f"{path}, lines {other.line} and {game.line}: both are the game of round "
                    f"{game.round} at table {game.table}; give one of them another table, or name "
                    "the division in each"
                )
        here.append(game)
