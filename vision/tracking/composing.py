"""Observations put together square by square."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from game.board import UNREADABLE, Square
from vision.decode import SYMBOL_ORDER
from vision.reading import Reading
from vision.tracking.belief import posterior_of
from vision.tracking.sighting import Observation

_UNREAD = np.eye(len(SYMBOL_ORDER))[SYMBOL_ORDER.index(UNREADABLE)]


def overlaid(
    observation: Observation, squares: NDArray[np.bool_], other: Observation
) -> Observation:
    """Return an observation with some squares, bool (15, 15), taken from another one.

    The frame stays as it is: a hand that lay on it in the other one covers nothing in this one.
    """
    reading, source = observation.reading, other.reading
    posterior = posterior_of(reading)
    posterior[squares] = posterior_of(source)[squares]
    tile_pose = reading.tile_pose
    if tile_pose is not None and source.tile_pose is not None:
        tile_pose = np.where(squares[..., None], source.tile_pose, tile_pose)
    kept = {square: g for square, g in reading.guesses.items() if not squares[square]}
    taken = {square: g for square, g in source.guesses.items() if squares[square]}
    findings = [f for f in reading.findings if not _is_about(f.square, squares)]
    findings += [f for f in source.findings if _is_about(f.square, squares)]
    return replace(
        observation,
        reading=replace(
            reading,
            rows=_rows(reading, squares, source.rows),
            confidence=np.where(squares, source.confidence, reading.confidence),
            rotation=np.where(squares, source.rotation, reading.rotation),
            guesses={**kept, **taken},
            findings=tuple(findings),
            posterior=posterior.astype(np.float32),
            tile_pose=tile_pose,
            promise=None,
        ),
        appearance=replace(
            observation.appearance.replaced(squares, other.appearance),
            rim=observation.appearance.rim,
        ),
        in_sight=squares if observation.in_sight is None else squares | observation.in_sight,
        not_of_frame=_with(observation.not_of_frame, squares & _unreadable(reading)),
    )


def hidden(
    observation: Observation, squares: NDArray[np.bool_], covered: NDArray[np.bool_]
) -> Observation:
    """Return an observation in which some squares could not be seen.

    Args:
        observation: what was seen.
        squares: bool (15, 15), the squares to be hidden.
        covered: bool (15, 15), those that something covers. All others stay in sight, though many
            hidden squares beside one another would pass for a thing that covers those around it.
    """
    reading = observation.reading
    posterior = posterior_of(reading)
    posterior[squares] = _UNREAD
    return replace(
        observation,
        in_sight=~(squares | covered),
        not_of_frame=_with(observation.not_of_frame, squares),
        reading=replace(
            reading,
            rows=_rows(reading, squares, (UNREADABLE * len(reading.rows),) * len(reading.rows)),
            guesses={square: g for square, g in reading.guesses.items() if not squares[square]},
            findings=tuple(f for f in reading.findings if not _is_about(f.square, squares)),
            posterior=posterior.astype(np.float32),
        ),
    )


def _with(known: NDArray[np.bool_] | None, squares: NDArray[np.bool_]) -> NDArray[np.bool_]:
    return squares if known is None else known | squares


def _unreadable(reading: Reading) -> NDArray[np.bool_]:
    return np.array([[symbol == UNREADABLE for symbol in row] for row in reading.rows])


def _rows(reading: Reading, squares: NDArray[np.bool_], others: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        "".join(b if taken else a for a, b, taken in zip(row, other, mask, strict=True))
        for row, other, mask in zip(reading.rows, others, squares, strict=True)
    )


def _is_about(name: str | None, squares: NDArray[np.bool_]) -> bool:
    return name is not None and bool(squares[Square.parse(name)])
