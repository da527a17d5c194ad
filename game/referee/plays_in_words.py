"""The likely ways to divide tiles into turns, in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from game.board import EMPTY, Board, Square, position
from game.events import PlayMade, TurnReading
from game.plays.change import compare
from game.plays.play import find_play
from game.referee.position import Turn
from game.tile_symbols import printed

GOING_ON: Final = ", whose turn goes on"
"""Words for a play whose turn has not ended."""


def question(
    readings: Sequence[TurnReading],
    turns: tuple[Turn, ...],
    before: Board,
    names: Mapping[str, str],
) -> str:
    """Return the question which of several readings of a turn is right.

    Args:
        readings: the readings of the turn.
        turns: the turns before it.
        before: the board before it.
        names: the players' names, by side.
    """
    earlier = min(max(one.earlier for one in readings), len(turns))
    window = turns[len(turns) - earlier :]
    since = window[0].before if window else before
    ways = [
        (*(as_it_counts(turn) for turn in window[: max(0, earlier - one.earlier)]), *one.plays)
        for one in readings
    ]
    found: list[str] = []
    for one, plays in zip(readings, ways, strict=True):
        words = in_words(plays, since, names, whole=is_whole(plays, ways))
        found.append(f"{words}{GOING_ON}" if words in found and one.going_on else words)
    return f"Which is right: {'; or '.join(dict.fromkeys(found))}?"


def as_it_counts(turn: Turn) -> PlayMade:
    """Return a turn as a play with the tiles that it counts with now."""
    left = turn.left_board or turn.after
    flagged = {s for flag in turn.flags if flag.code == "changed_after_press" for s in flag.squares}
    changed = (square for square in left.diff(turn.after) if square.name in flagged)
    added = {s.name: turn.after[s] for s in changed if left[s] == EMPTY}
    tiles = {**turn.tiles, **turn.open_tiles}
    return PlayMade(turn.side, tiles, turn.press_ns, added=added or None)


def in_words(
    plays: Sequence[PlayMade], before: Board, names: Mapping[str, str], *, whole: bool
) -> str:
    """Return plays in words: ``CAT at 8G by Ann, then SO at 9I by Bo``.

    ``whole`` adds that it was one play, since the same tiles may be several (:func:`is_whole`).
    """
    found, board = [], before
    for play in plays:
        after = board.replace({Square.parse(name): tile for name, tile in play.tiles.items()})
        words, board_before = f"{word_laid(board, after)} by {names[play.side]}", board
        if play.added:
            added = {Square.parse(name): tile for name, tile in play.added.items()}
            after = after.replace(added)
            words += f", who made it {word_laid(board_before, after)} after the press"
        found.append(words + ", challenged off" * play.came_off)
        board = board_before if play.came_off else after
    return ", then ".join(found) + ", in one play" * whole


def is_whole(plays: Sequence[PlayMade], ways: Iterable[Sequence[PlayMade]]) -> bool:
    """True if there is one play, and another likely reading divides its tiles among several."""
    if len(plays) != 1:
        return False
    tiles = plays[0].tiles.keys()
    return any(sum(bool(one.tiles.keys() & tiles) for one in way) > 1 for way in ways)


def word_laid(before: Board, after: Board) -> str:
    """Return the words that the new tiles are in, and where they begin: ``CAT at 8G``.

    Tiles in one line are in one word, others in several: ``CAT at 8G and TO at I8``. Without new
    tiles the text is ``no tile laid``.
    """
    play = find_play(compare(before, after))
    if play is None:
        return "no tile laid"
    words, left = [], set(play.tiles)
    for squares in (play.line, *sorted(play.words, key=len, reverse=True)):
        if left.isdisjoint(squares) or (squares == play.line and EMPTY in _read(after, squares)):
            continue
        left.difference_update(squares)
        across = len(squares) > 1 and squares[0].row == squares[1].row
        where = position(squares[0], across) if squares[1:] else squares[0].name
        words.append(f"{printed(_read(after, squares))} at {where}")
    return " and ".join(words)


def _read(board: Board, squares: Iterable[Square]) -> str:
    return "".join(board[square] for square in squares)
