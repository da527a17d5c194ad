"""From the squares' probabilities to a reading."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from game.events import Finding
from vision.decode import SYMBOL_ORDER, DecodedBoard
from vision.labels import LETTERS
from vision.reading import Reading, guess_words
from vision.rectify import Corners

UNCERTAIN: Final = 0.6
"""A square whose best symbol is less likely than this is ``~`` with its guesses."""

_TURN_SURE: Final = 0.8
"""Probability from which a tile is reported as misoriented."""

_QUARTERS: Final = ("upright", "a quarter turn clockwise", "upside down", "a quarter turn back")


def assembled(
    posterior: NDArray[np.float32], decoded: DecodedBoard, corners: Corners, upright: float
) -> Reading:
    """Return the reading of an upright board.

    Args:
        posterior: float32 (15, 15, symbols), each square's probabilities.
        decoded: what they came from, for the tiles' directions.
        corners: of the grid, clockwise from the upright top left.
        upright: probability that this way up is right.
    """
    best = posterior.argmax(axis=-1)
    confidence = np.take_along_axis(posterior, best[..., None], axis=-1)[..., 0]
    rotation = np.full((SIZE, SIZE), -1, np.int8)
    rows: list[str] = []
    guesses: dict[Square, tuple[tuple[str, float], ...]] = {}
    findings: list[Finding] = []
    for row in range(SIZE):
        line = ""
        for col in range(SIZE):
            square = Square(row, col)
            symbol = SYMBOL_ORDER[best[row, col]]
            sure = float(confidence[row, col])
            if symbol in LETTERS:
                turn = int(decoded.rotation_posterior[row, col].argmax())
                rotation[row, col] = turn
                turn_sure = float(decoded.rotation_posterior[row, col, turn])
                if turn and sure >= UNCERTAIN and turn_sure >= _TURN_SURE:
                    findings.append(
                        Finding("misoriented_tile", square.name, f"{symbol} lies {_QUARTERS[turn]}")
                    )
            if symbol == "#":
                findings.append(Finding("face_down", square.name, "a tile's back"))
            if sure < UNCERTAIN or symbol == "~":
                guesses[square] = best_guesses(posterior[row, col])
                text = f"may be {guess_words(guesses[square])}"
                findings.append(Finding("uncertain_square", square.name, text))
                symbol = "~"
            line += symbol
        rows.append(line)
    return Reading(
        corners=np.asarray(corners, np.float32),
        rows=tuple(rows),
        confidence=confidence.astype(np.float32),
        rotation=rotation,
        guesses=guesses,
        findings=tuple(findings),
        upright=upright,
        posterior=posterior.astype(np.float32, copy=False),
    )


def best_guesses(posterior: NDArray[np.float32], most: int = 3) -> tuple[tuple[str, float], ...]:
    """Return the likeliest symbols other than "unreadable", with their probabilities."""
    likely = np.argpartition(-posterior, most)[: most + 1]  # one of them may be "unreadable"
    ranked = likely[np.argsort(-posterior[likely])]
    order = [index for index in ranked if SYMBOL_ORDER[index] != "~"][:most]
    return tuple((SYMBOL_ORDER[i], round(float(posterior[i]), 4)) for i in order)
