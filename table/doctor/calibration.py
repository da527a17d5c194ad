"""Checks that the table's calibration, if it has one, can be used."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from table.doctor.check import Check, fine, wrong


def calibration(data: Path) -> Iterator[Check]:
    """A table runs without one; one that is damaged would silently be left aside."""
    from calibration.errors import CalibrationError  # noqa: PLC0415 - heavy
    from calibration.storage import load  # noqa: PLC0415
    from table.setup.calibrated_reader import FOLDER  # noqa: PLC0415

    try:
        found = load(data / FOLDER)
    except CalibrationError as error:
        yield wrong(
            "calibration", str(error), f"or delete {data / FOLDER}: the table runs without one"
        )
        return
    if found is None:
        yield fine("calibration", "none; one made at Set up, Calibration makes the reader surer")
        return
    width, height = found.size
    yield fine(
        "calibration",
        f"of {found.made[:10]} for {found.camera}, {width}×{height}",
        made=found.made,
        width=width,
        height=height,
    )
