"""Which letters a blank may stand for: suggestions from a word list, never more than that.

A camera can't hear what a player names. Where a list of words is at hand, the letters with which
every word through the blank is on it are worth suggesting to a director; the score is the same
whichever it was. What is suggested says something of whether a play is good, so it is for the
director's eyes alone.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import product

from game.board import EMPTY, FACE_DOWN, UNDESIGNATED, UNREADABLE, Board, Square

_MOST_UNKNOWN = 2
"""Unknown letters in one word up to which every filling is tried: a set has two blanks."""


def suggestions(
    board: Board, words: Container[str], letters: Sequence[str]
) -> Mapping[Square, tuple[str, ...]]:
    """For each blank without a letter, the letters that would make words of all it stands in.

    Args:
        board: as it lies; blanks that were designated count as their letters.
        words: the word list, in capitals, as the tile set writes its letters.
        letters: what a blank can stand for.

    Returns:
        by square in reading order, the letters in the order given; none if no letter will do
        or a word through the blank has a tile that could not be read.
    """
    blanks = [square for square, symbol in board.tiles().items() if symbol == UNDESIGNATED]
    return {
        square: tuple(
            letter
            for letter in letters
            if all(_may_be(run, words, letters) for run in _runs(board, square, letter))
        )
        for square in blanks
    }


def _runs(board: Board, square: Square, letter: str) -> Iterator[str]:
    """Every word through the square, with the letter on it."""
    filled = board.replace({square: letter})
    alone = True
    for across in (True, False):
        run = filled.run(square, across)
        if len(run) > 1:
            alone = False
            yield "".join(filled[s] for s in run).upper()
    if alone:
        yield letter


def _may_be(run: str, words: Container[str], letters: Sequence[str]) -> bool:
    """True if some letters for the blanks still open make a word of the run."""
    if FACE_DOWN in run or UNREADABLE in run or EMPTY in run:
        return False
    unknown = run.count(UNDESIGNATED)
    if unknown > _MOST_UNKNOWN:
        return False
    parts = run.split(UNDESIGNATED)
    return any(
        parts[0] + "".join(c + part for c, part in zip(filling, parts[1:], strict=True)) in words
        for filling in product(letters, repeat=unknown)
    )
