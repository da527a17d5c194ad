"""A tournament as the file of its pairings describes it: players, pairings and results."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeAlias

from game.errors import TilewatchError
from game.events import Side

_TABLE_NUMBER: Final = re.compile(r"(\d{1,6})\D*\Z")

_MEMBER: Final = re.compile(r":(?:[A-Za-z]{2}[0-9]{1,9})?(?:/[0-9]{1,9})?,?\Z")
"""A membership number after a name, as in ``Quill, Ada:XT000001``. TSH's code removes the same
(``TSH::Player::StrippedName``), except with small letters, which people type, too."""

_NOBODY: Final = frozenset({"bye", "withdrawn"})
"""Words in place of an opponent that mean that the player has none."""


def plain(name: str) -> str:
    """Return a name without differences of case, spaces and Unicode form, for comparison."""
    return " ".join(unicodedata.normalize("NFC", name).casefold().split())


_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ı": "i", "þ": "th"})
"""Letters that Unicode does not decompose into a base letter and an accent."""


def folded(name: str) -> str:
    """Return a name without accents, for sorting and for search."""
    apart = unicodedata.normalize("NFKD", plain(name).translate(_LETTERS))
    return "".join(letter for letter in apart if not unicodedata.combining(letter))


Pair: TypeAlias = frozenset[str]
"""Two players, as :func:`pair_of` returns them."""


def pair_of(one: str, other: str) -> Pair:
    """Return two players without their sides, by names without differences of case and spaces."""
    return frozenset((plain(one), plain(other)))


def is_nobody(name: str) -> bool:
    """Return True for ``Bye`` and ``Withdrawn``, which mean that a player has no opponent."""
    return plain(name) in _NOBODY


def without_member(name: str) -> str:
    """Return a name as it is shown: without a membership number, and with single spaces."""
    return " ".join(_MEMBER.sub("", " ".join(name.split())).split())


def given_first(name: str) -> str:
    """Return ``First Last`` for ``Last, First``, and ``First Last, Jr.`` for ``Last, First, Jr.``.

    ``TSH::Player::PrettyName`` does the same where surnames come last. A name without a comma stays
    as it is.
    """
    last, _, rest = without_member(name).partition(",")
    first, _, suffix = rest.partition(",")
    shown = f"{first.strip()} {last.strip()}".strip()
    return f"{shown}, {suffix.strip()}" if suffix.strip() else shown


def table_number(table_id: str) -> int | None:
    """Return the number of a table in its id, 12 for ``table-12``; None without one."""
    found = _TABLE_NUMBER.search(table_id)
    return int(found[1]) if found else None


MAX_DIVISION: Final = 40
"""The most characters in the name of a division."""

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
    """Return the code of a country in capitals; empty if the text is no such code."""
    return text.upper() if _COUNTRY.fullmatch(text.upper()) else ""


def logo_beside(path: Path, name: str, at: str) -> Path | None:
    """Return the path of a picture beside a file; None if ``name`` is empty.

    Raises ``PairingsError`` if it is no picture.
    """
    if not name:
        return None
    if not _LOGO.fullmatch(name):
        raise PairingsError(f"{at}: logo {name[:40]!r} is no PNG, JPEG or WebP beside the file")
    return path.parent / name


BYE: Final = ""
"""The name in place of an opponent for a bye. The player's score is then the bye's spread."""


class PairingsError(TilewatchError):
    """A file of pairings that cannot be used, in one line."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player of the event."""

    name: str
    """The name in the form ``First Last``, as at the tables."""
    country: str = ""
    """A code of two or three capitals; empty if unknown."""
    rating: int | None = None
    division: str = ""


@dataclass(frozen=True, slots=True)
class PairedGame:
    """Two players who are paired, and the result if it is known."""

    round: int
    table: int | None
    """The table's number, which tables of two divisions may share; None if unknown."""
    left: str
    right: str
    """:data:`BYE` if there is no opponent."""
    scores: tuple[int, int] | None = None
    division: str = ""
    first: Side | None = None
    """The side that plays first; None if the file does not say."""
    announced: Mapping[str, Any] | None = None
    """The settings announced for this game; None if the file has no columns for any."""
    line: int = field(default=0, compare=False)
    """The line of the game in a CSV; 0 if the file is none."""

    @property
    def names(self) -> dict[Side, str]:
        """The two players."""
        return {"left": self.left, "right": self.right}

    def in_words(self) -> str:
        """Return the game in words, for a line that asks which of several games is meant."""
        where = f"division {self.division}: " if self.division else ""
        return f"{where}{self.left} – {self.right}"


@dataclass(frozen=True, slots=True)
class TshPlayer:
    """A player of a TSH division, with TSH's data."""

    number: int
    name: str
    """The name in TSH's form ``Last, First``, with the membership number if there is one."""
    plain: str
    """The name in the form ``First Last``, as at the tables."""
    rating: int
    opponents: tuple[int | None, ...]
    """The opponent in each round; 0 is a bye, None a round that is not paired yet."""
    scores: tuple[int | None, ...]
    """The player's results so far by round; None if TSH has none."""
    firsts: tuple[int, ...]
    boards: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Seat:
    """A table in the pairings: its number, which divisions may share, and its division."""

    number: int | None
    division: str = ""
    """The name of the division; empty if unknown."""

    def takes(self, game: PairedGame) -> bool:
        """Return True if a game may be played at this table by its number and division."""
        here = game.table is not None and game.table == self.number
        return here and game.right != BYE and is_of(game.division, self.division)

    def taken(self, games: Iterable[PairedGame]) -> list[PairedGame]:
        """Return those of some games that may be played at this table."""
        return [game for game in games if self.takes(game)]


@dataclass(frozen=True)
class EventDetails:
    """All that the file says about the tournament."""

    title: str = ""
    logo: Path | None = None
    players: Mapping[str, Entrant] = field(default_factory=dict)
    """The players in the order of the file, by plain name (:func:`plain`)."""
    games: tuple[PairedGame, ...] = ()
    tsh: Mapping[str, Sequence[TshPlayer]] = field(default_factory=dict)
    """The players of a ``tourney.js`` by division, in order of their numbers."""
    doubts: tuple[str, ...] = ()
    """Lines about questions that the file leaves open, for the tournament's organisers."""

    def entrant(self, name: str) -> Entrant:
        """Return the player of that name; without other details if the file has none."""
        return self.players.get(plain(name)) or Entrant(name)

    def divisions(self) -> list[str]:
        """The names of the divisions that have players, in the order of the file."""
        return [one for one in dict.fromkeys(p.division for p in self.players.values()) if one]

    @cached_property
    def rounds(self) -> list[int]:
        """The rounds in which somebody sits at a table whose number is known."""
        return sorted({one.round for one in self.games if one.table is not None})

    def at(self, seat: Seat) -> SeatGames:
        """Return the games that may be played at a table, by round."""
        return at_seat(self._by_number.get(seat.number, ()), seat)

    @cached_property
    def _by_number(self) -> Mapping[int | None, Sequence[PairedGame]]:
        """The games by the number of their table, cached because a hall asks every few seconds."""
        found: dict[int | None, list[PairedGame]] = {}
        for game in self.games:
            found.setdefault(game.table, []).append(game)
        return found

    def meetings(self) -> dict[Pair, dict[int, tuple[PairedGame, ...]]]:
        """The rounds in which two players meet, by pair, each with its games.

        A game of two players with the same name cannot be a pair, and is left out.
        """
        found: dict[Pair, dict[int, tuple[PairedGame, ...]]] = {}
        for game in self.games:
            if game.right != BYE:
                rounds = found.setdefault(pair_of(game.left, game.right), {})
                rounds[game.round] = (*rounds.get(game.round, ()), game)
        return {pair: dict(sorted(found[pair].items())) for pair in found if len(pair) == 2}


def renamed_game(game: PairedGame, naming: Callable[[str], str]) -> PairedGame:
    """Return a game with the names that ``naming`` gives its players."""
    left, right = naming(game.left), naming(game.right)
    same = (left, right) == (game.left, game.right)
    return game if same else replace(game, left=left, right=right)


def renamed(details: EventDetails, naming: Callable[[str], str]) -> EventDetails:
    """Return what pages show of a tournament, with the names that ``naming`` gives its players."""

    def entrant(one: TshPlayer) -> TshPlayer:
        shown = naming(one.plain)
        return one if shown == one.plain else replace(one, name=shown, plain=shown)

    entrants = (replace(one, name=naming(one.name)) for one in details.players.values())
    players = {plain(one.name): one for one in entrants}
    games = tuple(renamed_game(one, naming) for one in details.games)
    tsh = {division: [entrant(one) for one in tsh] for division, tsh in details.tsh.items()}
    return replace(details, players=players, games=games, tsh=tsh, doubts=())


def is_of(division: str, wanted: str) -> bool:
    """Return True if the two divisions are equal or one of them is empty, which means unknown."""
    return not division or not wanted or plain(division) == plain(wanted)


@dataclass(frozen=True, slots=True)
class SeatGames:
    """The games that may be played at a table, by round."""

    by_round: Mapping[int, Sequence[PairedGame]] = field(default_factory=dict)
    is_open: bool = False
    """True if several divisions have the table's number and its division is unknown."""

    def game(self, round_: int) -> PairedGame | None:
        """Return the game of a round; None if there is none, or if it may be another table's."""
        found = self.by_round.get(round_, ())
        return found[0] if len(found) == 1 and not self.is_open else None

    def open(self, round_: int) -> Sequence[PairedGame]:
        """Return the games of a round that may be this table's or another's."""
        found = self.by_round.get(round_, ())
        return found if self.is_open or len(found) > 1 else ()


def at_seat(games: Iterable[PairedGame], seat: Seat) -> SeatGames:
    """Return the games that may be played at a table."""
    found: dict[int, list[PairedGame]] = {}
    divisions = set()
    for game in games:
        if seat.takes(game):
            found.setdefault(game.round, []).append(game)
            divisions.add(plain(game.division))
    return SeatGames(found, is_open=len(divisions - {""}) > 1)
