"""A position of a game as one line of text, in CGP (Crossword Game Position).

The form is Woogles': https://github.com/woogles-io/open-protocols/tree/master/cgp. Four fields,
then operations: the board row by row, both racks, both scores (whoever is on turn first), and how
many turns in a row have scored nothing. Of the operations ``ld`` (the set of tiles), ``lex`` (the
word list) and ``tmr`` (both clocks, in milliseconds) are read and written; the others say no more
than the rulebook does, and are ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from game.board import EMPTY, SIZE, Board
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ClockAdjusted,
    Event,
    GameStarted,
    PointsAdjusted,
    RackReported,
    Side,
    TurnSeen,
    other,
)
from game.referee.game_over import scoreless_run
from game.rulebooks.loading import SECOND, adjusted, load_rulebook
from game.state.fold import GameState, fold
from game.tileset import TileSet, load_tile_set

_BY: Final = "the position"
_MS: Final = 1_000_000
_PIECE: Final = re.compile(r"\[[^\[\]]+\]|[0-9]+|.")
_NUMBERS: Final = re.compile(r"-?[0-9]{1,9}")


@dataclass(frozen=True, slots=True)
class _Fields:
    """The fields of a line of CGP; each pair has the player on turn first."""

    rows: tuple[str, ...]
    racks: tuple[str, str]
    scores: tuple[int, int]
    scoreless: int
    tiles: TileSet
    lexicon: str
    timers_ms: tuple[int, int] | None


def cgp_of(state: GameState, now_ns: int) -> str:
    """Return the position of a game as a line of CGP, with the clocks as at ``now_ns``.

    Raises:
        TilewatchError: a tile on the board is unknown, for which CGP has no form.
    """
    tiles, position = state.tile_set, state.progress.ledger.position
    for square, symbol in state.board.tiles().items():
        if not symbol.isalpha():
            raise TilewatchError(
                f"CGP has no form for {symbol} on {square.name}: enter first which tile it is"
            )
    first: Side = state.next_side or "left"
    sides = (first, other(first))
    time = dict.fromkeys(sides, 0)
    for line in state.adjustments:
        time[line.side] += line.points if line.kind == "overtime" else 0
    rows = (re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in state.board.rows)
    lexicon = "".join((state.start.word_list or {}).get("name", "").split())
    return " ".join(
        [
            "/".join(tiles.bracketed(row) for row in rows),
            "/".join(tiles.bracketed(position.reported.get(side, "")) for side in sides),
            "/".join(str(state.scores[side] - time[side]) for side in sides),
            str(scoreless_run(state.turns, state.rulebook)),
            *([f"lex {lexicon};"] if lexicon else []),
            f"ld {tiles.id};",
            "tmr {}/{};".format(*(state.clocks.remaining(side, now_ns) // _MS for side in sides)),
        ]
    )


def events_from_cgp(
    text: str,
    players: Mapping[str, str],
    rulebook: str,
    tile_set: str | None = None,
    adjust: Mapping[str, Any] | None = None,
) -> tuple[Event, ...]:
    """Return the events of a game that begins at a position; the left player is on turn.

    Each scoreless turn that the line counts becomes a turn without a play. If the bag is empty and
    one rack is known, the other is what is left of the set.

    Args:
        text: a line of CGP.
        players: the names by side.
        rulebook: the id of the rulebook.
        tile_set: the id of the set; that of ``ld`` if not given, else the English one.
        adjust: settings that the event announced in place of the rulebook's own.

    Raises:
        TilewatchError: the text is not CGP, or its position is impossible; the message says why.
    """
    fields = _fields(text, tile_set)
    book = adjusted(load_rulebook(rulebook), dict(adjust or {}))
    first: Side = "left" if fields.scoreless % 2 == 0 else "right"
    words = {"name": fields.lexicon, "sha256": ""} if fields.lexicon else None
    start = GameStarted(
        "position", players, rulebook, fields.tiles.id, first, 0, fields.rows, adjust or {}, words
    )
    events: list[Event] = [start]
    sides: tuple[Side, Side] = ("left", "right")
    for side, points in zip(sides, fields.scores, strict=True):
        if points:
            events.append(PointsAdjusted(side, points, "score", None, _BY, "as given", 0))
    state = fold(events)
    events += _racks(fields, state)
    events.append(ButtonPressed(other(first), 0))
    side, now = first, 0
    for _ in range(fields.scoreless):
        now += SECOND
        events += [ButtonPressed(side, now), TurnSeen(side, now, fields.rows, now)]
        side = other(side)
    if fields.timers_ms is not None:
        state = fold(events)
        for side, shown in zip(sides, fields.timers_ms, strict=True):
            added = shown * _MS - state.clocks.remaining(side, now)
            events.append(ClockAdjusted(side, added, None, _BY, "as given", now))
    state = fold(events)
    if fields.scoreless >= (book.scoreless_turns or fields.scoreless + 1):
        raise TilewatchError(f"CGP: {fields.scoreless} scoreless turns in a row end the game")
    return tuple(events)


def _racks(fields: _Fields, state: GameState) -> list[Event]:
    """Return the reports of the known racks, each with its tiles counted.

    Raises:
        TilewatchError: a rack has more tiles than it or the set can have, or is incomplete.
    """
    unseen = +Counter(state.unseen)
    for rack in fields.racks:
        unseen.subtract(rack)
    if short := sorted(tile for tile, count in unseen.items() if count < 0):
        name = fields.tiles.text(short[0])
        raise TilewatchError(
            f"CGP: board and racks have more {name} than the {fields.tiles.name} set"
        )
    most, (mine, theirs) = state.rulebook.rack_tiles, fields.racks
    left = "".join(sorted(unseen.elements()))
    if mine and not theirs and len(left) <= most:
        theirs = left
    elif theirs and not mine and len(left) <= most:
        mine = left
    found: list[Event] = []
    for side, rack in (("left", mine), ("right", theirs)):
        if len(rack) > most:
            raise TilewatchError(f"CGP: a rack has {len(rack)} tiles: give at most {most}")
        if rack and len(rack) != most and state.bag_count:
            raise TilewatchError(
                f"CGP: a rack has {len(rack)} tiles, but the bag is not empty: give all {most}, or "
                "leave the rack empty"
            )
        if rack:
            found.append(RackReported(side, rack, 0, counted=len(rack)))  # type: ignore[arg-type]
    return found


def _fields(text: str, tile_set: str | None) -> _Fields:
    parts = text.split(None, 4)
    if len(parts) < 4:
        raise TilewatchError(
            f"CGP: {len(parts)} fields: give four, the board, racks, scores and scoreless turns"
        )
    operations = {
        name: value.strip()
        for one in (parts[4] if len(parts) > 4 else "").split(";")
        if one.strip()
        for name, _, value in [one.strip().partition(" ")]
    }
    tiles = load_tile_set(tile_set or operations.get("ld", "english").lower())
    rows = parts[0].split("/")
    if len(rows) != SIZE:
        raise TilewatchError(f"CGP: the board has {len(rows)} rows, not {SIZE}")
    board = tuple(_row(row, number, tiles) for number, row in enumerate(rows, start=1))
    scoreless = parts[3]
    if not scoreless.isdecimal() or not scoreless.isascii() or len(scoreless) > 2:
        raise TilewatchError(
            f"CGP: {scoreless[:20]!r} is not a number of scoreless turns: give 0 to 99"
        )
    timers = operations.get("tmr")
    racks = _two(parts[1], "racks")
    return _Fields(
        rows=Board.from_rows(board).rows,
        racks=(_rack(racks[0], tiles), _rack(racks[1], tiles)),
        scores=_numbers(parts[2], "scores"),
        scoreless=int(scoreless),
        tiles=tiles,
        lexicon=operations.get("lex", ""),
        timers_ms=None if timers is None else _numbers(timers, "tmr"),
    )


def _row(text: str, number: int, tiles: TileSet) -> str:
    row = ""
    for piece in _PIECE.findall(text):
        if piece.isdecimal() and piece.isascii():
            row += EMPTY * min(int(piece[:3]), SIZE + 1)
            continue
        symbol = tiles.symbols(piece)
        if not symbol.isalpha() or not tiles.knows(symbol):
            raise TilewatchError(
                f"CGP: row {number}: {piece!r} is not a tile of the {tiles.name} set"
            )
        row += symbol
    if len(row) != SIZE:
        raise TilewatchError(f"CGP: row {number} has {len(row)} squares, not {SIZE}: {text[:60]!r}")
    return row


def _rack(text: str, tiles: TileSet) -> str:
    rack = tiles.symbols(text)
    for symbol in rack:
        if symbol not in tiles.counts:
            raise TilewatchError(
                f"CGP: rack {text[:40]!r}: {symbol!r} is not a tile of the {tiles.name} set"
            )
    return rack


def _two(text: str, what: str) -> tuple[str, str]:
    first, slash, second = text.partition("/")
    if not slash or "/" in second:
        raise TilewatchError(f"CGP: {what} {text[:40]!r}: give two, with a slash between them")
    return first, second


def _numbers(text: str, what: str) -> tuple[int, int]:
    first, second = _two(text, what)
    for one in (first, second):
        if not _NUMBERS.fullmatch(one):
            raise TilewatchError(f"CGP: {what}: {one[:20]!r} is no number")
    return int(first), int(second)
