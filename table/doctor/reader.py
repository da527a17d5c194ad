"""Checks the reader's result and speed on a drawn board, and the table's calibration."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from table.doctor.check import Check, fine, wrong

if TYPE_CHECKING:
    from sensors.interfaces import Image
    from vision.reader import BoardReader


READ_MS: Final = 600.0
"""The most milliseconds to read all 225 squares, as at the first look at a game. A turn changes
about seven."""
LOCATE_MS: Final = 1500.0
_TIMES: Final = 3

FEW: Final = 3
"""The number of squares that may be unsure: this check looks for damage, not for quality."""

ROWS: Final = (
    *("." * 15,) * 5,
    ".......H.......",
    ".......P.......",
    "....FRIGID.....",
    ".......M.......",
    ".......B.......",
    ".......J.......",
    *("." * 15,) * 4,
)
"""Rows of letters that every shipped tile set has, and of which none has a form with diacritics."""


def drawn(tile_set: str) -> Image:
    """Return a picture of ``ROWS`` as the simulated table draws it."""
    import numpy as np  # noqa: PLC0415 - heavy

    from game.tileset import load_tile_set  # noqa: PLC0415
    from models.scenes.render import Renderer  # noqa: PLC0415
    from simulation.appearance import look  # noqa: PLC0415

    spec = look(8, load_tile_set(tile_set))
    image: Image = Renderer(spec).frame(ROWS, np.random.default_rng(1)).image
    return image


def reading(
    tile_set: str,
    reader: Callable[[], BoardReader],
    clock: Callable[[], float] = time.perf_counter,
    picture: Callable[[str], Image] = drawn,
) -> Check:
    """Load the weights, find and read a drawn board, and time it."""
    began = clock()
    loaded = reader()
    load_ms = (clock() - began) * 1e3
    image = picture(tile_set)
    readings = [loaded.read(image) for _ in range(_TIMES)]
    rows = readings[-1].rows
    locate = statistics.median(one.ms["locate"] for one in readings)
    read = statistics.median(one.ms["read"] for one in readings)
    figures = {
        "load_ms": round(load_ms, 1),
        "locate_ms": round(locate, 1),
        "read_ms": round(read, 1),
    }
    amiss = sum(
        a != b for row, due in zip(rows, ROWS, strict=True) for a, b in zip(row, due, strict=True)
    )
    says = f"a board is found in {locate:.0f} ms and read in {read:.0f} ms"
    if amiss > FEW:
        return wrong(
            "reader",
            f"{amiss} squares of a drawn board are read wrong",
            "the weights or their libraries are damaged: install tilewatch anew",
            **figures,
        )
    if read > READ_MS or locate > LOCATE_MS:
        return wrong(
            "reader",
            f"slow: {says}",
            "close what else uses the processor (top shows it), cool it, or use a Raspberry Pi 5",
            **figures,
        )
    return fine("reader", says, **figures)


def calibration(data: Path) -> Check:
    """Check that the calibration is not damaged; a table without one passes."""
    from calibration.model import CalibrationError  # noqa: PLC0415 - heavy
    from calibration.storage import load  # noqa: PLC0415
    from table.calibrated_reader import FOLDER  # noqa: PLC0415

    try:
        found = load(data / FOLDER)
    except CalibrationError as error:
        return wrong(
            "calibration", str(error), f"or delete {data / FOLDER}: the table runs without one"
        )
    if found is None:
        return fine("calibration", "none; one made at Set up, Calibration makes the reader surer")
    width, height = found.size
    return fine(
        "calibration",
        f"of {found.made[:10]} for {found.camera}, {width}×{height}",
        made=found.made,
        width=width,
        height=height,
    )
