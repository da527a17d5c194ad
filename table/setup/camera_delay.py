"""Measures a camera's delay: it watches a screen that flashes at known times.

What is found is from the moment that the program asked for the flash to the stamp of the first
picture that shows it. It has the screen's own delay in it (some 20 to 50 ms), so the camera's is
not longer than that.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sensors.interfaces import Camera, Image

MEASURED_S: Final = 25.0
LONGEST_MS: Final = 1500
_STEP_MS: Final = 5
_SURE: Final = 0.8
"""The least correlation of a spot of the picture with the flashes. With chance alone, 25 s give
less than 0.4."""
_GRID: Final = 24

Flash: TypeAlias = tuple[int, bool]
"""The time in ns, and whether the screen became bright."""

Look: TypeAlias = tuple[int, NDArray[np.float64]]
"""The stamp of a picture in ns, and the brightness of its spots."""


def measured_delay_ms(
    camera: Camera, show: Callable[[bool], None], measured_s: float = MEASURED_S
) -> float | None:
    """Flash with ``show`` and return the delay; None if the camera does not see the flashes.

    Raises ``SensorError`` when the camera fails.
    """
    flashes: list[Flash] = []
    looks: list[Look] = []
    over = threading.Event()

    def flash() -> None:
        bright = False
        while not over.wait(random.uniform(0.3, 0.9)):
            bright = not bright
            flashes.append((time.monotonic_ns(), bright))
            show(bright)

    until_s: float | None = None
    thread = threading.Thread(target=flash, name="flashes", daemon=True)
    try:
        for frame in camera.frames():
            if until_s is None:
                until_s = time.monotonic() + measured_s
                thread.start()
            looks.append((frame.t_ns, spots(frame.image)))
            if time.monotonic() > until_s:
                break
    finally:
        over.set()
        camera.close()
    thread.join()
    return delay_ms(flashes, looks)


def spots(image: Image) -> NDArray[np.float64]:
    """Return the brightness of spots all over a picture."""
    height, width = image.shape[:2]
    rows = np.linspace(0, height - 1, _GRID + 2).astype(int)[1:-1]
    columns = np.linspace(0, width - 1, _GRID + 2).astype(int)[1:-1]
    mean: NDArray[np.float64] = image[np.ix_(rows, columns)].mean(axis=2).ravel()
    return mean


def delay_ms(flashes: Sequence[Flash], looks: Sequence[Look]) -> float | None:
    """Return the delay at which a spot follows the flashes best; None if no spot does."""
    if len(flashes) < 10 or len(looks) < 50:
        return None
    times = np.array([t_ns for t_ns, _ in looks], np.float64) / 1e6
    seen = _standard(np.array([spots for _, spots in looks]))
    at = np.array([t_ns for t_ns, _ in flashes], np.float64) / 1e6
    states = np.array([False] + [bright for _, bright in flashes], np.float64)
    delays = np.arange(0, LONGEST_MS, _STEP_MS)
    best = []
    for delay in delays:
        shown = _standard(states[np.searchsorted(at, times - delay)][:, None])[:, 0]
        best.append(float((shown @ seen).max()) / len(times))
    most = max(best)
    if most < _SURE:
        return None
    # Between two pictures nothing tells the delays apart: take the middle of the best.
    return float(delays[[value > most - 0.002 for value in best]].mean())


def _standard(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return columns of mean 0 and deviation 1; one that does not change is 0."""
    deviation = values.std(axis=0)
    standard: NDArray[np.float64] = (values - values.mean(axis=0)) / np.where(
        deviation > 1e-9, deviation, np.inf
    )
    return standard
