"""A contact sheet of drawn tables: ``python -m tools.scenes.contact_sheet docs/scenes.jpg``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.scenes.render import render
from tools.scenes import random_rows, random_spec
from tools.train.locate_data import overview

_CELL: Final = (352, 264)


def sheet(seed: int, across: int, down: int, afar: bool = False) -> NDArray[np.uint8]:
    """``across`` × ``down`` scenes of successive seeds, uint8 (H, W, 3) BGR, none chosen.

    They are tables as the tile classifier sees them, or ``afar``, as the locator does.
    """
    wide, tall = _CELL
    page = np.zeros((tall * down, wide * across, 3), np.uint8)
    for index in range(across * down):
        rng = np.random.default_rng(seed + index)
        if afar:
            image = overview(rng).image
        else:
            spec = random_spec(rng)
            image = render(spec, random_rows(rng, words=int(rng.integers(6, 26))), rng).image
        scale = max(wide / image.shape[1], tall / image.shape[0])
        size = (max(wide, round(image.shape[1] * scale)), max(tall, round(image.shape[0] * scale)))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        top, left = (size[1] - tall) // 2, (size[0] - wide) // 2
        row, col = divmod(index, across)
        page[row * tall : (row + 1) * tall, col * wide : (col + 1) * wide] = small[
            top : top + tall, left : left + wide
        ]
    return page


def main(argv: list[str] | None = None) -> int:
    """Writes the sheet."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.scenes.contact_sheet", description=__doc__
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--seed", type=int, default=3000)
    parser.add_argument("--across", type=int, default=6)
    parser.add_argument("--down", type=int, default=6)
    parser.add_argument("--afar", action="store_true", help="as the locator sees tables")
    args = parser.parse_args(argv)
    page = sheet(args.seed, args.across, args.down, args.afar)
    cv2.imwrite(str(args.file), page, [cv2.IMWRITE_JPEG_QUALITY, 70])
    return 0


if __name__ == "__main__":
    sys.exit(main())
