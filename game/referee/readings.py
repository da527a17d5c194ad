"""The ways to part tiles into turns that a camera found likely, in words that people use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from game.board import EMPTY, Board, Square
from game.events import PlayMade, TurnReading
from game.plays.change import compare
from game.plays.play import find_play
from game.referee.position import Turn
from game.tile_symbols import printed


def question(
    readings: Sequence[TurnReading],
    turns: tuple[Turn, ...],
    before: Board,
    names: Mapping[str, str],
) -> str:
    """Return the question which of several readings of a turn is right.

    Args:
        readings: those of the turn.
        turns: the turns before it.
        before: the board before it.
        names: the players.
    """
    found, ways = [], [one.plays for one in readings]
    for one in readings:
        since = turns[len(turns) - one.earlier].before if 0 < one.earlier <= len(turns) else before
        found.append(in_words(one.plays, since, names, whole=is_whole(one.plays, ways)))
    return f"Which is right: {'; or '.join(dict.fromkeys(found))}?"


def in_words(
    plays: Sequence[PlayMade], before: Board, names: Mapping[str, str], *, whole: bool
) -> str:
    """Return plays in words: ``CAT at 8G by Ann, then SO at 9I by Bo``.

    ``whole``: its tiles may also have been several plays, see :func:`is_whole`.
    """
    found, board = [], before
    for play in plays:
        after = board.replace({Square.parse(name): tile for name, tile in play.tiles.items()})
        off = ", challenged off" if play.came_off else ""
        found.append(f"{word_laid(board, after)} by {names[play.side]}{off}")
        board = board if play.came_off else after
    return ", then ".join(found) + ", in one play" * whole


def is_whole(plays: Sequence[PlayMade], ways: Iterable[Sequence[PlayMade]]) -> bool:
    """True if plays are but one, and by another way several laid its tiles."""
    if len(plays) != 1:
        return False
    tiles = plays[0].tiles.keys()
    return any(sum(bool(one.tiles.keys() & tiles) for one in way) > 1 for way in ways)


def word_laid(before: Board, after: Board) -> str:
    """Return the main word of the tiles that are new, and where it begins: ``CAT at 8G``."""
    play = find_play(compare(before, after))
    if play is None:
        return "no tile laid"
    word = "".join(after[square] for square in play.line if after[square] != EMPTY)
    return f"{printed(word)} at {play.position}"
