"""Takes pictures for the set-up from a camera, files or a simulation; measures a camera's delay."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from game.errors import TilewatchError
from game.tileset import load_tile_set
from sensors.interfaces import Frame, SensorError
from sensors.watched_camera import WatchedCamera
from table.config import TableConfig
from table.devices import open_camera
from vision.images import load_image
from vision.rectify import Image

PICTURES: Final = 7
"""The number of pictures whose median is taken, which removes noise and a passing hand."""

_PATIENCE_S: Final = 20.0

SETTLING_S: Final = 3.0
"""The seconds that exposure and white balance get to settle."""

NOTHING: Final = ("." * 15,) * 15


@dataclass(frozen=True)
class Capture:
    """Pictures of one camera.

    camera: the camera in words. settings: its locked exposure and white balance, by the names of
    its options.
    """

    pictures: tuple[Image, ...]
    camera: str
    settings: dict[str, float] = field(default_factory=dict)


def take(config: TableConfig, count: int = PICTURES, rows: Sequence[str] = NOTHING) -> Capture:
    """Take pictures with the configured camera; ``rows`` is the board of a simulated table.

    Raises:
        SensorError: the camera fails.
    """
    if config.camera.simulated:
        return _drawn(config, count, rows)
    with contextlib.closing(LiveCapture(config, count)) as camera:
        return camera.taken()


class LiveCapture:
    """A real camera that stays open during the set-up and keeps its newest pictures.

    Starts when made; raises ``SensorError`` when the camera cannot be opened.
    """

    def __init__(self, config: TableConfig, count: int = PICTURES) -> None:
        self._name = name_of(config)
        self._camera = open_camera(config.camera)
        self._pictures: deque[Image] = deque(maxlen=count)
        self._came = threading.Condition()
        self._fault: str | None = None
        self._seen = 0
        self._begun = time.monotonic()
        self._thread = threading.Thread(target=self._read, name="camera", daemon=True)
        self._thread.start()

    def taken(self) -> Capture:
        """The camera's next pictures, as many as are combined. Raises ``SensorError``."""
        with self._came:
            wanted = self._seen + (self._pictures.maxlen or 1)
            self._came.wait_for(lambda: self._fault or self._settled(wanted), _PATIENCE_S)
            if self._seen < wanted:  # one that would not lock itself is taken as it is
                raise SensorError(
                    self._fault or f"{self._name}: gives no pictures; plug it in again"
                )
            return Capture(tuple(self._pictures), self._name, settings_of(self._camera))

    def newest(self) -> Image:
        """The camera's newest picture. Raises ``SensorError``."""
        with self._came:
            self._came.wait_for(lambda: self._fault or self._pictures, _PATIENCE_S)
            if self._fault is not None or not self._pictures:
                raise SensorError(
                    self._fault or f"{self._name}: gives no pictures; plug it in again"
                )
            return self._pictures[-1]

    def close(self) -> None:
        """Give the camera back."""
        self._camera.close()

    def _settled(self, wanted: int) -> bool:
        if self._seen < wanted or time.monotonic() - self._begun <= SETTLING_S:
            return False
        return not getattr(self._camera.camera, "settling", False)

    def _take(self, frame: Frame) -> None:
        with self._came:
            self._pictures.append(frame.image)
            self._seen += 1
            self._came.notify_all()

    def _read(self) -> None:
        fault = f"{self._name}: has stopped giving pictures; see `tilewatch doctor`"
        try:
            self._camera.deliver(self._take)
        except TilewatchError as error:
            fault = str(error)
        with self._came:
            self._fault = fault
            self._came.notify_all()


def from_files(paths: Sequence[Path]) -> Capture:
    """Pictures in files, all of one camera. Raises ``vision.errors.ImageError``."""
    return Capture(tuple(load_image(path) for path in paths), f"picture {paths[0].name}")


def name_of(config: TableConfig) -> str:
    """Return a name for the configured camera that distinguishes it from others."""
    if config.camera.simulated:
        return f"simulated table {config.simulated.seed}"
    return config.camera.options.name


def settings_of(camera: object) -> dict[str, float]:
    """Return the settings that a camera is locked to, as options of ``[camera]``."""
    locked = getattr(getattr(camera, "camera", None), "locked", None)
    settings: dict[str, float] = {} if locked is None else locked.options()
    return settings


def _drawn(config: TableConfig, count: int, rows: Sequence[str]) -> Capture:
    from models.scenes.render import Renderer  # noqa: PLC0415 - only for a table that is none
    from simulation.appearance import look  # noqa: PLC0415

    spec = look(config.simulated.seed, load_tile_set(config.tile_set))
    renderer = Renderer(spec)
    noise = np.random.default_rng(spec.seed)
    turns = np.zeros((15, 15), np.int8)
    pictures = [renderer.frame(rows, noise, turns).image for _ in range(count)]
    return Capture(tuple(pictures), name_of(config))


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
    camera: WatchedCamera, show: Callable[[bool], None], measured_s: float = MEASURED_S
) -> float | None:
    """Return a camera's delay in ms, from flashes that ``show`` makes on a screen before it.

    The delay is the time from asking for a flash to the stamp of the first picture that shows it.
    It includes the screen's own delay (some 20 to 50 ms), so it is an upper bound. None if the
    camera does not see the flashes.

    Raises:
        SensorError: the camera fails.
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

    until_s: list[float] = []
    thread = threading.Thread(target=flash, name="flashes", daemon=True)

    def look(frame: Frame) -> None:
        if not until_s:
            until_s.append(time.monotonic() + measured_s)
            thread.start()
        looks.append((frame.t_ns, spots(frame.image)))
        if time.monotonic() > until_s[0]:
            camera.close()

    try:
        camera.deliver(look)
    finally:
        over.set()
    if until_s:
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
    """Return the delay in ms at which a spot follows the flashes best; None if no spot does."""
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
    """Return the columns with mean 0 and standard deviation 1; a constant column becomes 0."""
    deviation = values.std(axis=0)
    standard: NDArray[np.float64] = (values - values.mean(axis=0)) / np.where(
        deviation > 1e-9, deviation, np.inf
    )
    return standard
