"""An event as the file of its pairings tells it: names, players, who meets whom, results."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError
from game.events import Side

_TABLE_NUMBER: Final = re.compile(r"(\d{1,6})\D*\Z")

_MEMBER: Final = re.compile(r":(?:[A-Za-z]{2}[0-9]{1,9})?(?:/[0-9]{1,9})?,?\Z")
"""A membership number behind a name, as in ``Quill, Ada:XT000001``. TSH's own code cuts the same
(``TSH::Player::StrippedName``), but for small letters, as people type them."""

_NOBODY: Final = frozenset({"bye", "withdrawn"})
"""Words in place of an opponent that mean that there is none."""


def plain(name: str) -> str:
    """A name but for case, spaces, and the way in which Unicode spells it."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


def is_nobody(name: str) -> bool:
    """True for ``Bye`` and ``Withdrawn``: no player, but a player's lack of an opponent."""
    return plain(name) in _NOBODY


def without_member(name: str) -> str:
    """A name as it is shown: without a membership number, and with single spaces."""
    return " ".join(_MEMBER.sub("", " ".join(name.split())).split())


def given_first(name: str) -> str:
    """``First Last`` of TSH's ``Last, First``, and ``First Last, Jr.`` of ``Last, First, Jr.``.

    As ``TSH::Player::PrettyName`` has it where surnames come last. What has no comma stays.
    """
    last, _, rest = without_member(name).partition(",")
    first, _, suffix = rest.partition(",")
    shown = f"{first.strip()} {last.strip()}".strip()
    return f"{shown}, {suffix.strip()}" if suffix.strip() else shown


def table_number(table_id: str) -> int | None:
    """The number of a table in its id: 12 of ``table-12``."""
    found = _TABLE_NUMBER.search(table_id)
    return int(found[1]) if found else None


MAX_DIVISION: Final = 40
"""Characters in the name of a division."""

_COUNTRY: Final = re.compile(r"[A-Z]{2,3}")
_LOGO: Final = re.compile(r"[\w][\w .+-]{0,79}\.(?:png|jpe?g|webp)", re.IGNORECASE)


def require_name(name: str, most: int, what: str) -> str:
    """Return a name of 1 to ``most`` printable characters.

    Raises ``PairingsError``, with ``what`` as the subject, for any other.
    """
    if not 0 < len(name) <= most or not name.isprintable():
        raise PairingsError(f"{what} is 1 to {most} characters that can be printed")
    return name


def country_code(text: str) -> str:
    """The code of a country in capitals; empty if the text is none."""
    return text.upper() if _COUNTRY.fullmatch(text.upper()) else ""


def logo_beside(path: Path, name: str, at: str) -> Path | None:
    """The picture of that name beside a file; None without one. Raises ``PairingsError``."""
    if not name:
        return None
    if not _LOGO.fullmatch(name):
        raise PairingsError(f"{at}: logo {name[:40]!r} is no PNG, JPEG or WebP beside the file")
    return path.parent / name


BYE: Final = ""
"""The opponent of a player without one. The player's score is then the spread of the bye."""


class PairingsError(TilewatchError):
    """A file of pairings that cannot be used, in one line."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of the event."""

    name: str
    """``First Last``, as tables have it."""
    country: str = ""
    """A code of two or three capitals; empty if unknown."""
    rating: int | None = None
    division: str = ""


@dataclass(frozen=True, slots=True)
class PairedGame:
    """Two players who are paired, and the result if it is known."""

    round: int
    table: int | None
    """Its number; tables of two divisions may have the same."""
    left: str
    right: str
    """:data:`BYE` if there is no opponent."""
    scores: tuple[int, int] | None = None
    division: str = ""
    first: Side | None = None
    """Who plays first, if the file says so."""
    announced: Mapping[str, Any] | None = None
    """The settings that the event announces for it; None if the file has no columns for any."""
    line: int = field(default=0, compare=False)
    """Its line in a CSV."""

    @property
    def names(self) -> dict[Side, str]:
        """The two players."""
        return {"left": self.left, "right": self.right}

    def in_words(self) -> str:
        """It, in a line that asks which of several games is meant."""
        where = f"division {self.division}: " if self.division else ""
        return f"{where}{self.left} – {self.right}"


@dataclass(frozen=True, slots=True)
class TshPlayer:
    """A player of a TSH division, as TSH has them."""

    number: int
    name: str
    """``Last, First``, with the membership number if it has one, as TSH writes it."""
    plain: str
    """``First Last``, as tables have it."""
    rating: int
    opponents: tuple[int | None, ...]
    """The opponent in each round; 0 is a bye, None a round that is not paired yet."""
    scores: tuple[int | None, ...]
    """Results that TSH has already, by round."""
    firsts: tuple[int, ...]
    boards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """A table as pairings name it: by a number that tables of two divisions may share."""

    number: int | None
    division: str = ""
    """Empty while nobody has said which it is."""

    def takes(self, game: PairedGame) -> bool:
        """True if a game may be this table's, so far as number and division say."""
        here = game.table is not None and game.table == self.number
        return here and game.right != BYE and is_of(game.division, self.division)


@dataclass(frozen=True, slots=True)
class EventDetails:
    """All that is known of the event."""

    title: str = ""
    logo: Path | None = None
    players: Mapping[str, Entrant] = field(default_factory=dict)
    """The players in the order of the file, by plain name (:func:`plain`)."""
    games: tuple[PairedGame, ...] = ()
    tsh: Mapping[str, Sequence[TshPlayer]] = field(default_factory=dict)
    """The players of a ``tourney.js`` by division, in order of their numbers."""
    doubts: tuple[str, ...] = ()
    """Lines about what the file leaves open, for whoever runs the event."""

    def entrant(self, name: str) -> Entrant:
        """The player of that name, as far as known."""
        return self.players.get(plain(name)) or Entrant(name)

    def divisions(self) -> list[str]:
        """The names of the divisions that have players, in the order of the file."""
        return [one for one in dict.fromkeys(p.division for p in self.players.values()) if one]


def is_of(division: str, wanted: str) -> bool:
    """True if what is of ``division`` may be of the division ``wanted``; empty means any."""
    return not division or not wanted or plain(division) == plain(wanted)


@dataclass(frozen=True, slots=True)
class SeatGames:
    """The games that may be a table's, by round."""

    by_round: Mapping[int, Sequence[PairedGame]] = field(default_factory=dict)
    is_open: bool = False
    """True if the table's number is one of several divisions, and nobody has said which is its."""

    def game(self, round_: int) -> PairedGame | None:
        """The game of a round; None if there is none, or if it may be another's."""
        found = self.by_round.get(round_, ())
        return found[0] if len(found) == 1 and not self.is_open else None

    def open(self, round_: int) -> Sequence[PairedGame]:
        """The games of a round of which it is open whether they are this table's."""
        found = self.by_round.get(round_, ())
        return found if self.is_open or len(found) > 1 else ()


def at_seat(games: Iterable[PairedGame], seat: Seat) -> SeatGames:
    """The games that may be a table's."""
    found: dict[int, list[PairedGame]] = {}
    divisions = set()
    for game in games:
        if seat.takes(game):
            found.setdefault(game.round, []).append(game)
            divisions.add(plain(game.division))
    return SeatGames(found, is_open=len(divisions - {""}) > 1)
