"""A game record: the lines of a GCG file as data.

Players have no sides here, only numbers: 0 is the one who plays first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from string import ascii_uppercase
from types import MappingProxyType
from typing import Literal

from game.board import EMPTY, Square, parse_position
from game.errors import TilewatchError
from game.terms import Cause
from game.tile_symbols import spelled
from game.tileset import BLANK, TileSet, load_tile_set, tile_set_ids

EntryKind = Literal[
    "play",
    "pass",
    "exchange",
    "exchange_or_pass",
    "challenge_failed",
    "withdrawn",
    "no_score",
    "challenge_bonus",
    "end_rack",
    "end_rack_penalty",
    "time",
    "penalty",
    "correction",
    "left",
    "overtime_limit",
    "limit_raise",
]
"""The kind of a line. ``withdrawn`` takes back the play before it, ``no_score`` only its points.
``no_score``, ``exchange_or_pass`` and the last five are ours: GCG has no form for them, see
:mod:`game.gcg.writer`. The kinds for a game that was left, or lost by the limit on overtime, are
named as in :mod:`game.state.settlement`."""

POINTS: frozenset[str] = frozenset(
    {"penalty", "correction", "left", "overtime_limit", "limit_raise"}
)
"""Kinds of lines of ours that are written like points off for time."""

TURN_KINDS: frozenset[str] = frozenset(
    {"play", "pass", "exchange", "exchange_or_pass", "challenge_failed"}
)
"""Kinds of lines that are a player's turn."""

NO_SQUARES: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class HowEnded:
    """How a game ended if its lines do not say so: by a forfeit, or because somebody ended it."""

    cause: Cause | str
    """The cause of a forfeit; else the reason, as :class:`game.events.GameEnded` has it."""
    loser: int | None = None
    """The player who forfeits, 0 or 1; None if nobody does."""
    margin: int | None = None
    """The spread that the director set for the forfeit; None if none was set."""
    limit: int | None = None
    """The player who lost by the limit on overtime, 0 or 1, if no score changed by it."""


@dataclass(frozen=True)
class Entry:
    """One event line."""

    kind: EntryKind
    player: int
    """0 or 1."""
    score: int
    """The points as written, negative for a deduction."""
    total: int
    """The player's running total as written."""
    rack: str | None = None
    """The rack, one character for each tile, ``?`` for a blank; None if it is not known."""
    position: str | None = None
    """The start of a play: ``8D`` across, ``D8`` down; None for other lines."""
    word: str | None = None
    """The word of a play: ``.`` for a tile already there, lower case for a blank; else None."""
    exchanged: str = ""
    """The tiles exchanged, or their number, as written; may be empty."""
    tiles: str = ""
    """The rack in parentheses of a line at the end of the game."""
    squares: Mapping[str, str] = field(default_factory=lambda: NO_SQUARES)
    """The symbols of squares after the line that its word does not show: a blank without a letter,
    tiles out of line, tiles moved or gone."""
    later: Mapping[str, str] = field(default_factory=lambda: NO_SQUARES)
    """The symbols of squares before the next line, if tiles came, went or were swapped after the
    turn; its score is without them."""
    illegal_after: int | None = None
    """For a play announced as illegal: the number of the record's turns taken by then. It is on the
    line that takes the play back, or on the play's own line if nobody knows whose play it was."""
    how_ended: HowEnded | None = None
    """On the last line: how the game ended, if no line says so."""
    challenged: str | None = None
    """For a play challenged unsuccessfully, if a note says so: the number of words challenged, or
    the words, with commas between; ``placement`` if the challenge was of the placement; empty if
    not known."""
    notes: tuple[str, ...] = ()
    line: int = field(default=0, compare=False)
    """Line number in the file, from 1; 0 if there was no file."""

    @property
    def count_exchanged(self) -> int:
        """The number of tiles exchanged; 0 if it is not known."""
        return int(self.exchanged) if self.exchanged.isdecimal() else len(self.exchanged)

    def placed(self) -> dict[Square, str]:
        """Return the letters that the line itself puts on squares; squares may be off the board."""
        if self.position is None or self.word is None:
            return {}
        square, across = parse_position(self.position)
        return {
            square.step(across, i): symbol for i, symbol in enumerate(self.word) if symbol != EMPTY
        }


def not_on_rack(entry: Entry) -> list[str]:
    """Return the tiles that a line plays or exchanges but its rack lacks, as people call them.

    For a play with a note on squares the result is empty, as its word does not show all its tiles.
    """
    if entry.rack is None:
        return []
    rack, used = entry.rack, ""
    if entry.kind == "play" and not entry.squares:
        used = "".join(entry.placed().values())
    elif entry.kind == "exchange" and not entry.exchanged.isdecimal():
        # No blank stands for a letter yet, so the case says nothing.
        rack, used = rack.upper(), entry.exchanged.upper()
    return _short(list(rack), used)


def _short(rack: list[str], used: str) -> list[str]:
    """Return the tiles of ``used`` that are not on the rack, each once, as people call them."""
    short = []
    for tile in used:
        held = (BLANK, tile) if tile.islower() else (tile, tile.lower())
        if (found := next((one for one in held if one in rack), None)) is not None:
            rack.remove(found)
        else:
            short.append("blank" if tile.islower() or tile == BLANK else spelled(tile))
    return list(dict.fromkeys(short))


@dataclass(frozen=True)
class Player:
    """A player as the record names one."""

    nick: str
    """The nickname, without spaces."""
    name: str


@dataclass(frozen=True)
class GameRecord:
    """A whole game record."""

    players: tuple[Player, Player]
    entries: tuple[Entry, ...]
    title: str = ""
    description: str = ""
    id: tuple[str, str] | None = None
    """The authority and the id; None if the record has none."""
    lexicon: str = ""
    tile_set: str | None = None
    """The set of tiles that the record names; None if it names none."""
    rulebook: str | None = None
    """The id of the rulebook, if tilewatch wrote the record."""
    adjust: Mapping[str, int | str] = field(default_factory=dict)
    """Settings that the event announced in place of the rulebook's, by name."""
    incomplete: bool = False
    """True if the record is marked as not reaching the end of the game."""
    racks: tuple[str | None, str | None] = (None, None)
    """The racks at the end of an unfinished game."""
    notes: tuple[str, ...] = ()
    """Notes before the first event."""
    other: tuple[tuple[str, str], ...] = ()
    """Pragmas that are kept but not understood, as (name, text)."""
    name: str = field(default="", compare=False)
    """The file or address of the record, for messages."""

    @property
    def how_ended(self) -> HowEnded | None:
        """How the game ended, if a note says so because no line does; else None."""
        return next((one.how_ended for one in reversed(self.entries) if one.how_ended), None)

    @property
    def ended(self) -> bool:
        """True if the end of the game was settled: a line counts a rack that was left."""
        return any(entry.kind in ("end_rack", "end_rack_penalty") for entry in self.entries)


def possible_sets(record: GameRecord) -> list[TileSet]:
    """Return the tile sets that a record may have been played with, the likeliest first.

    Raises:
        TilewatchError: the record names an unknown set, or no set has its letters.
    """
    if record.tile_set is not None:
        return [load_tile_set(record.tile_set)]
    return sets_with_its_letters(record)


def sets_with_its_letters(record: GameRecord) -> list[TileSet]:
    """Return the tile sets that have all letters of a record, the likeliest first.

    If the record names a set, it is the only one. An ASCII letter that this set lacks does not
    matter: it is the same in every encoding, so it is a mistake in the record and not in how it was
    read.

    Raises:
        TilewatchError: the record names an unknown set, or no set has its letters.
    """
    used = letters(record.entries)
    if record.tile_set is not None:
        named = load_tile_set(record.tile_set)
        if lacking := used - set(named.letters) - set(ascii_uppercase):
            raise TilewatchError(
                f"{record.name or 'the record'}: the {named.name} set has no "
                f"{', '.join(sorted(lacking))}"
            )
        return [named]
    ids = sorted(tile_set_ids(), key=lambda id_: (id_ != "english", id_))
    sets = [load_tile_set(id_) for id_ in ids]
    fitting = [tiles for tiles in sets if used <= set(tiles.letters)]
    if not fitting:
        known = set().union(*(tiles.letters for tiles in sets))
        strange = ", ".join(sorted(used - known)) or "such a mix of letters"
        raise TilewatchError(f"{record.name or 'the record'}: no tile set has {strange}")
    return fitting


def letters(entries: Iterable[Entry]) -> set[str]:
    """Return every letter that the lines use, in upper case."""
    found: set[str] = set()
    for entry in entries:
        noted = "".join([*entry.squares.values(), *entry.later.values()])
        for text in (entry.rack, entry.word, entry.exchanged, entry.tiles, noted):
            found.update(c.upper() for c in text or "" if c.isalpha())
    return found
