"""Hands over a board, and a game on video with one turn in it."""

from __future__ import annotations

from game.board import Board, Square

EMPTY = Board.empty()

IN_FULL_VIEW = 0.9995
"""How sure a letter beside a hand must be to count as seen whole: real ones mostly are."""


def cover(board: Board, rows=range(6, 12), cols=range(3, 12)) -> Board:
    """A hand over a part of the board."""
    return board.replace({Square(row, col): "~" for row in rows for col in cols})


def opened(live, put) -> Board:
    """Left has laid CAT and pressed; this is the board then."""
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, first)
    live.press("left", 1050)
    return first
