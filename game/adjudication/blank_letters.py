"""Which letters a blank may have: suggestions from a word list, never more than that.

A camera cannot hear what a player names. With a list of words at hand, letters that make a listed
word of every word through the blank are worth suggesting to a director; the score is the same for
any letter. A suggestion hints at whether a play is good, so it is for the director's eyes alone.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import product

from game.board import EMPTY, FACE_DOWN, UNDESIGNATED, UNREADABLE, Board, Square

_MOST_UNKNOWN = 2
"""The most unknown letters in a word for which every filling is tried: a set has two blanks."""


def suggestions(
    board: Board, words: Container[str], letters: Sequence[str]
) -> Mapping[Square, tuple[str, ...]]:
    """Return for each blank without a letter the letters that make words of all words through it.

    Args:
        board: as it lies; blanks that were designated count as their letters.
        words: the word list, in capitals, as the tile set writes its letters.
        letters: the letters that a blank can have.

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
    """Yield every word through the square, with the letter on it."""
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
    """True if letters for the blanks that still lack one can make a word of the run."""
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
