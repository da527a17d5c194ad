"""The reading of one picture, and how it is assembled from the squares' posteriors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import FACE_DOWN, SIZE, UNREADABLE, Square
from game.events import Finding
from vision.blank_looks import BlankLooks
from vision.classifier import Promise
from vision.decode import SYMBOL_ORDER, DecodedBoard
from vision.labels import LETTERS
from vision.rectify import Corners

UNCERTAIN: Final = 0.6
"""A square whose likeliest symbol has a lower probability is read as ``~``, with guesses."""

_TURN_SURE: Final = 0.8
"""A tile is reported as misoriented if it is so with this probability."""

_QUARTERS: Final = ("upright", "a quarter turn clockwise", "upside down", "a quarter turn back")


def assembled(
    posterior: NDArray[np.float32], decoded: DecodedBoard, corners: Corners, upright: float
) -> Reading:
    """Return the reading of an upright board.

    Args:
        posterior: float32 (15, 15, symbols), each square's probabilities.
        decoded: the decoded classes, for the tiles' directions.
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


BAD_PICTURE = 30
"""The number of unreadable squares that makes the whole picture doubtful."""


_SURELY_UPRIGHT = 0.999


@dataclass(frozen=True)
class Reading:
    """The board as one picture shows it.

    Attributes:
        corners: float32 (4, 2), pixels, clockwise from the corner that is top-left when the
            letters read upright.
        rows: 15 strings of 15 symbols (``.`` empty, letters, ``?`` blank, ``#`` face down,
            ``~`` covered or unreadable).
        confidence: float32 (15, 15), probability that the symbol is right; for ``~`` the
            probability of the best guess.
        rotation: int8 (15, 15), quarter turns clockwise of a tile's letter against the board's
            upright; -1 if there is no letter.
        guesses: the likeliest symbols of every unsure square, with their probabilities.
        findings: all that the picture itself shows to be unusual.
        upright: probability that the board's upright direction is right; 0.25 on a board with
            no letters.
        ms: milliseconds for ``locate`` and ``read``.
        posterior: float32 (15, 15, symbols), every symbol's probability in the order of
            :data:`vision.decode.SYMBOL_ORDER`; None if only the above is known.
        tile_pose: float32 (15, 15, 3), each tile's offset right of and below its square's middle,
            in squares, and degrees clockwise, less what all tiles have in common; NaN if there is
            no tile. None if only the above is known.
        strangers: the letters that the set in play does not have, by square.
        blank_looks: how this set's blanks look, once somebody has named one.
        promise: how certain a square must be to count as read; None if the weights do not say.
    """

    corners: Corners
    rows: tuple[str, ...]
    confidence: NDArray[np.float32]
    rotation: NDArray[np.int8]
    guesses: dict[Square, tuple[tuple[str, float], ...]]
    findings: tuple[Finding, ...]
    upright: float
    ms: dict[str, float] = field(default_factory=dict)
    posterior: NDArray[np.float32] | None = None
    tile_pose: NDArray[np.float32] | None = None
    strangers: dict[Square, str] = field(default_factory=dict)
    blank_looks: BlankLooks | None = None
    promise: Promise | None = None

    def symbol(self, square: Square) -> str:
        """Return the symbol on a square."""
        return self.rows[square.row][square.col]

    @property
    def likeliest(self) -> tuple[str, ...]:
        """The rows as shown to people: an unread square shows its best guess if that is above 50%.

        The square stays in doubt: it keeps its finding and is marked. In ``rows`` it is unread, so
        that the tracker can weigh its posterior.
        """
        shown = [list(row) for row in self.rows]
        for square, guesses in self.guesses.items():
            if guesses and guesses[0][1] > 0.5 and self.symbol(square) == UNREADABLE:
                shown[square.row][square.col] = guesses[0][0]
        return rows_of(shown)

    @property
    def certainty(self) -> NDArray[np.float32]:
        """How surely each square is read, float32 (15, 15); 0 if the reading itself has doubts.

        It has doubts about squares that it could not read and about tiles' backs. It doubts every
        square of a picture if it could not read :data:`BAD_PICTURE` squares; if it could not read
        half as many, and more than half as many as it read letters; or if the letters do not surely
        tell which way is up.
        """
        symbols = symbols_of(self.rows)
        unread, letters = (symbols == UNREADABLE).sum(), np.char.isalpha(symbols).sum()
        bad = unread >= BAD_PICTURE or 2 * unread > max(letters, BAD_PICTURE)
        if bad or (letters and self.upright < _SURELY_UPRIGHT):
            return np.zeros_like(self.confidence)
        doubtful = np.isin(symbols, (UNREADABLE, FACE_DOWN))
        return np.where(doubtful, np.float32(0), self.confidence)

    @property
    def marked(self) -> tuple[Square, ...]:
        """The squares that are not read surely enough for the promise, row by row."""
        if self.promise is None:
            return ()
        found = np.argwhere(self.certainty < self.promise.sure)
        return tuple(Square(int(row), int(col)) for row, col in found)


def symbols_of(rows: Iterable[str]) -> NDArray[np.str_]:
    """Return the symbols of a board's rows: one character each, (15, 15)."""
    return np.array([list(row) for row in rows])


def rows_of(symbols: Iterable[Iterable[str]]) -> tuple[str, ...]:
    """Return 15 rows of 15 symbols as strings."""
    return tuple("".join(row) for row in symbols)


def guess_words(guesses: tuple[tuple[str, float], ...]) -> str:
    """Return guesses in words: the likeliest, and others of at least 1 %."""
    likely = [f"{s} {p:.0%}" for s, p in guesses if p >= 0.005]
    return ", ".join(likely) or f"{guesses[0][0]}, which is unlikely"


def without(reading: Reading, found: dict[Square, str]) -> Reading:
    """Return the reading with the tiles ``found``, whose letters the set lacks, as unreadable."""
    if not found:
        return reading
    assert reading.posterior is not None
    posterior, confidence = reading.posterior.copy(), reading.confidence.copy()
    rows = [list(row) for row in reading.rows]
    guesses = dict(reading.guesses)
    for square in found:
        posterior[square] = 0
        posterior[square][SYMBOL_ORDER.index(UNREADABLE)] = 1
        rows[square.row][square.col] = UNREADABLE
        confidence[square] = 0
        guesses[square] = ()
    names = {square.name for square in found}
    return replace(
        reading,
        rows=rows_of(rows),
        confidence=confidence,
        guesses=guesses,
        findings=(
            *(finding for finding in reading.findings if finding.square not in names),
            *(
                Finding("uncertain_square", square.name, f"looks like {letter}: not of this set")
                for square, letter in found.items()
            ),
        ),
        posterior=posterior,
        strangers=found,
    )
