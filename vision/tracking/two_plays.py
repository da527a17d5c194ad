"""Tiles that are two plays or more: by how they lie, when they came, and whose hand laid them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from game.board import Board, Square
from game.events import Side, other
from game.plays.completing import is_play

PAUSE_NS: Final = 2_000_000_000
"""Nobody answers a play sooner. Where no hand tells, tiles are two plays only if nothing was laid
for so long between them; and of two ways to part them the one with such a pause counts."""

_ANSWER_NS: Final = 500_000_000
"""Between the last tile of a play and the first of its answer one hand leaves and another comes, in
no less than this."""

MOST_PLAYS: Final = 4
"""So many plays, one after another, are looked for: ways to part tiles grow with every further."""

HOVERING: Final = 0.34
"""At up to this share of a play's tiles the other player's hand hovers beside the one that laid
them."""


@dataclass(frozen=True, slots=True)
class LaidTile:
    """A new tile: whose hand laid it, if that was seen, and between which times."""

    symbol: str
    side: Side | None
    after_ns: int
    at_ns: int


@dataclass(frozen=True, slots=True)
class TwoPlays:
    """The first and the second play of a turn that should have been two, or more."""

    first: frozenset[Square]
    second: frozenset[Square]
    """All other tiles: those of more plays, where there are any."""
    ended_ns: int
    """When the first had come to rest."""
    certain: bool
    """True if the hands of both players were seen, or some time after the first the opponent's laid
    all of the answer, or one player cannot have had so many."""
    paused: bool
    """True if nothing was laid for a while between the two."""


def two_plays(
    board: Board,
    tiles: Mapping[Square, LaidTile],
    on_turn: Side,
    rack: int,
    unread: frozenset[Square] = frozenset(),
    most: int = MOST_PLAYS,
) -> TwoPlays | None:
    """Return the two plays that tiles make, if they make no single one and two in one way only.

    Where they make no two, the first of three or more, likewise.

    Args:
        board: the board before the turn.
        tiles: all that was laid since.
        on_turn: whose turn it is.
        rack: how many tiles a player can lay.
        unread: squares of the turn before that are asked about. A tile there may be that turn's,
            turned face up since.
        most: how many plays they may be.
    """
    symbols = {square: tile.symbol for square, tile in tiles.items()}
    surely_new = {square: symbol for square, symbol in symbols.items() if square not in unread}
    if not 2 <= len(surely_new) <= most * rack or any(
        is_play(board, new, rack) for new in (symbols, surely_new)
    ):
        return None
    ways = [
        first
        for first in _candidates(tiles)
        if not first <= unread
        and _in_order(first, tiles)
        and _is_of(on_turn, first, tiles)
        and is_play(board, {square: symbols[square] for square in first}, rack)
    ]
    following = {first: _following(board, tiles, first, on_turn, rack, most) for first in ways}
    two = [first for first in ways if following[first] == frozenset(tiles) - first]
    first = _likeliest(two or [first for first in ways if following[first]], tiles)
    if first is None:
        return None
    mine = any(tiles[square].side == on_turn for square in first)
    theirs = [tiles[square].side == other(on_turn) for square in following[first]]
    pause_ns = _pause_ns(first, tiles)
    answered = pause_ns >= _ANSWER_NS and all(theirs)
    too_many = rack < len(tiles) <= 2 * rack  # more than two racks were hardly two turns
    certain = (mine and any(theirs)) or answered or too_many
    rest, paused = frozenset(tiles) - first, pause_ns >= PAUSE_NS
    return TwoPlays(first, rest, max(tiles[s].at_ns for s in first), certain, paused)


def _following(
    board: Board,
    tiles: Mapping[Square, LaidTile],
    first: frozenset[Square],
    on_turn: Side,
    rack: int,
    most: int,
) -> frozenset[Square]:
    """Return the tiles of the play after the first one; none if the rest makes no plays."""
    after = board.replace({square: tiles[square].symbol for square in first})
    rest = {square: tile for square, tile in tiles.items() if square not in first}
    symbols = {square: tile.symbol for square, tile in rest.items()}
    if is_play(after, symbols, rack):
        return frozenset(rest) if _is_of(other(on_turn), rest, rest) else frozenset()
    if most <= 2:
        return frozenset()
    more = two_plays(after, rest, other(on_turn), rack, most=most - 1)
    return frozenset() if more is None else more.first


def _candidates(tiles: Mapping[Square, LaidTile]) -> set[frozenset[Square]]:
    """Return the sets that a first play can be: by time, or by lines."""
    every = frozenset(tiles)
    order = sorted(tiles, key=lambda square: tiles[square].at_ns)
    found = {frozenset(order[:count]) for count in range(1, len(order))}
    for square in tiles:
        for line in (
            frozenset(one for one in tiles if one.row == square.row),
            frozenset(one for one in tiles if one.col == square.col),
        ):
            found |= {line, every - line}
    return {first for first in found if first and first != every}


def _in_order(first: frozenset[Square], tiles: Mapping[Square, LaidTile]) -> bool:
    """True if all of the first may have been laid before all of the others, by another hand."""
    newest = max(tiles[square].after_ns for square in first)
    oldest = min(tile.at_ns for square, tile in tiles.items() if square not in first)
    return oldest - newest >= _ANSWER_NS


def _likeliest(
    ways: list[frozenset[Square]], tiles: Mapping[Square, LaidTile]
) -> frozenset[Square] | None:
    """Return the one way to part tiles, or the one with by far the longest pause between plays."""
    if len(ways) <= 1:
        return ways[0] if ways else None
    best, following = sorted(ways, key=lambda first: -_pause_ns(first, tiles))[:2]
    pause_ns = _pause_ns(best, tiles)
    return best if pause_ns >= max(PAUSE_NS, 2 * _pause_ns(following, tiles)) else None


def _pause_ns(first: frozenset[Square], tiles: Mapping[Square, LaidTile]) -> int:
    """Return for how long nothing was laid between the first play and the second."""
    last = max(tiles[square].at_ns for square in first)
    return min(tile.after_ns for square, tile in tiles.items() if square not in first) - last


def _is_of(side: Side, play: Iterable[Square], tiles: Mapping[Square, LaidTile]) -> bool:
    """True if the other player's hand was seen at no more than a few tiles of a play.

    It may hover there, or be on its way back from the play before.
    """
    sides = [tiles[square].side for square in play]
    return sides.count(other(side)) <= HOVERING * len(sides)
