"""Sightings for the tests of the tracker, each said of one square."""

from __future__ import annotations

import numpy as np

from game.board import SIZE, Board, Square
from vision.change_detector import PATCH
from vision.decode import SYMBOL_ORDER
from vision.reading import Reading
from vision.tracking.appearance import AppearanceMap
from vision.tracking.board_tracker import BoardTracker

CORNERS = np.array([(0, 0), (180, 0), (180, 180), (0, 180)], np.float32)
PLACE = "8H"


def reading(board: Board, output: dict[str, float]) -> Reading:
    """A sure reading of ``board``, but for what is said of one square."""
    given = np.full((SIZE, SIZE, len(SYMBOL_ORDER)), 1e-5, np.float32)
    for row, line in enumerate(board.rows):
        for col, symbol in enumerate(line):
            given[row, col, SYMBOL_ORDER.index(symbol)] = 1.0
    given[Square.parse(PLACE)] = 1e-5
    for symbol, p in output.items():
        given[Square.parse(PLACE)][SYMBOL_ORDER.index(symbol)] = p
    given /= given.sum(axis=-1, keepdims=True)
    best = given.argmax(axis=-1)
    rows = tuple("".join(SYMBOL_ORDER[at] for at in line) for line in best)
    turns = np.zeros((SIZE, SIZE), np.int8)
    return Reading(CORNERS, rows, given.max(axis=-1), turns, {}, (), 1.0, posterior=given)


def looks(*dark: str, by: float = 0.7) -> AppearanceMap:
    """An even board on which some squares are darker than the others."""
    board = np.full((SIZE * 12, SIZE * 12, 3), 120.0, np.float32)
    for name in dark:
        square = Square.parse(name)
        board[square.row * 12 : square.row * 12 + 12, square.col * 12 : square.col * 12 + 12] *= by
    return AppearanceMap(board, np.zeros((SIZE * SIZE, PATCH, PATCH, 3), np.uint8))


def merged_after(*sightings, change_evidence=None):
    """What each of ``(said, looks)``, one a turn, comes to."""
    memory = BoardTracker(change_evidence)
    for turn, (output, look) in enumerate(sightings, start=1):
        merged = memory.update(reading(Board.empty(), output), look, turn)
        memory.commit(merged)
        yield merged


def after(*sightings, change_evidence=None):
    """What is shown of the square after each of ``(said, looks)``, one a turn."""
    shown = []
    for merged in merged_after(*sightings, change_evidence=change_evidence):
        square = Square.parse(PLACE)
        symbol, sure = merged.rows[square.row][square.col], float(merged.confidence[square])
        shown.append((symbol, sure, [(c.turn, c.symbol) for c in merged.corrections]))
    return shown


BARE, TILE, SHADE = looks(), looks(PLACE), looks(PLACE, by=0.5)
