"""The delay of a camera that watches a screen flash, over pictures that are computed."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import numpy as np
import pytest

from sensors.interfaces import Frame
from table.setup.camera_delay import delay_ms, measured_delay_ms, spots

MS = 1_000_000


def watched(delay: int, *, fps: int = 15, seed: int = 1, contrast: int = 120):
    """Flashes for 25 s, and the pictures of a camera with this delay; the screen fills a corner."""
    rng, noise = random.Random(seed), np.random.default_rng(seed)
    flashes, t_ms, bright = [], 0.0, False
    while t_ms < 25_000:
        t_ms += rng.uniform(300, 900)
        bright = not bright
        flashes.append((round(t_ms * MS), bright))
    looks = []
    for number in range(25 * fps):
        stamp_ns = round((number / fps * 1000 + rng.uniform(0, 10)) * MS)
        state = next((b for t, b in reversed(flashes) if t <= stamp_ns - delay * MS), False)
        image = noise.integers(60, 90, (120, 160, 3)).astype(np.uint8)
        image[:60, :80] += np.uint8(contrast * state)
        looks.append((stamp_ns, spots(image)))
    return flashes, looks


@pytest.mark.parametrize("delay", [0, 257, 700])
def test_the_delay_is_found_to_some_milliseconds(delay):
    found = [delay_ms(*watched(delay, seed=seed)) for seed in range(2)]
    assert all(value is not None and abs(value - delay) <= 20 for value in found), found


def test_a_camera_that_does_not_see_the_screen_has_no_delay():
    assert all(delay_ms(*watched(100, seed=seed, contrast=0)) is None for seed in range(2))
    assert delay_ms([], []) is None


class Mirror:
    """A camera that shows the screen."""

    def __init__(self) -> None:
        self.bright, self.closed = False, False

    def frames(self) -> Iterator[Frame]:
        for number in range(10_000):
            time.sleep(0.01)
            image = np.full((48, 64, 3), 200 if self.bright else 50, np.uint8)
            yield Frame(image, time.monotonic_ns(), number)

    def close(self) -> None:
        self.closed = True


@pytest.mark.slow
def test_a_camera_without_delay_is_measured_and_given_back():
    camera = Mirror()

    def show(bright: bool) -> None:
        camera.bright = bright

    assert measured_delay_ms(camera, show, 9.0) is not None
    assert camera.closed
