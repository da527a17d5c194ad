"""Plays that are not one line of tiles joined to the others: what they score, what comes off.

Two texts say what follows. SANSPA 5.1.4: unchallenged, there is no score for words off the one
main line or not joined, then or when a later play touches them (:func:`void`). NASPA III.G.5:
an illegal play scores nothing once it is announced, and tiles come off by when it is noticed
(:func:`comes_off`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from game.board import EMPTY, Board, Square, neighbours
from game.plays.change import Change
from game.plays.play import Play


@dataclass(frozen=True, slots=True)
class VoidPlacement:
    """The part of a play that scores nothing."""

    words: frozenset[tuple[Square, ...]]
    """The words of the play that score nothing."""
    squares: frozenset[Square]
    """The tiles of the play that void later words too."""
    faulty: bool
    """The tiles do not all help to form one joined word, so there is no bonus either."""


def void(change: Change, play: Play, tainted: frozenset[Square]) -> VoidPlacement:
    """Return the part of a play that scores nothing under SANSPA 5.1.4.

    Args:
        change: what happened to the board.
        play: the play in it.
        tainted: tiles of void words of earlier plays.
    """
    good = _good_tiles(change, play, tainted)
    bad = frozenset(play.tiles) - good
    words = frozenset(
        word
        for word in play.words
        if not good.intersection(word) or tainted.intersection(word) or bad.intersection(word)
    )
    return VoidPlacement(words, bad, bool(bad))


def _good_tiles(change: Change, play: Play, tainted: frozenset[Square]) -> frozenset[Square]:
    """The play's tiles that are one string in a line, joined to sound tiles played before."""
    tiles = set(play.tiles)
    ways = (play.across, not play.across)  # the main direction counts where both do as well
    strings = [string for way in ways for string in _strings(change.after, tiles, way)]
    if change.before.symbols:
        sound = {square for square in change.before.tiles() if square not in tainted}
        strings = [s for s in strings if any(near in sound for q in s for near in neighbours(q))]
    elif len(tiles) > 1 and all(len(string) == 1 for string in strings):
        return frozenset()  # no two tiles help to form one word
    return frozenset(max(strings, key=len, default=()))


def _strings(board: Board, tiles: set[Square], across: bool) -> list[list[Square]]:
    """The play's tiles by the unbroken run of a direction in which they lie."""
    runs: dict[Square, list[Square]] = {}
    for square in sorted(tiles):
        runs.setdefault(board.run(square, across)[0], []).append(square)
    return list(runs.values())


def joined(board: Board, anchors: Iterable[Square]) -> set[Square]:
    """Every tile on the board that a chain of tiles joins to one of the anchors."""
    found = {square for square in anchors if board.get(square) != EMPTY}
    frontier = list(found)
    while frontier:
        for near in neighbours(frontier.pop()):
            if near not in found and board.get(near) != EMPTY:
                found.add(near)
                frontier.append(near)
    return found


def comes_off(
    board: Board, illegal: Iterable[Square], anchors: Iterable[Square]
) -> tuple[Square, ...]:
    """The illegally played tiles that nothing joins to the anchors.

    The anchors are the tiles played before the illegal play, while the offender has not played
    again (III.G.5 item 4), and every legally played tile after that (items 5 and 6).
    """
    kept = joined(board, anchors)
    return tuple(
        square for square in sorted(illegal) if board[square] != EMPTY and square not in kept
    )
