"""Draws a board as the virtual camera shows it: 0.jpg, 1.jpg … in a folder, each with its noise.

python deploy/libcamera/draw_board.py FOLDER
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from table.doctor.reader import drawn

SIZE: Final = (1280, 960)
COUNT: Final = 8


def main() -> None:
    """Write the pictures."""
    folder, noise = Path(sys.argv[1]), np.random.default_rng(0)
    image = cv2.resize(drawn("english"), SIZE, interpolation=cv2.INTER_AREA).astype(np.int16)
    for number in range(COUNT):
        noisy = np.clip(image + noise.integers(-2, 3, image.shape), 0, 255).astype(np.uint8)
        cv2.imwrite(str(folder / f"{number}.jpg"), noisy, (cv2.IMWRITE_JPEG_QUALITY, 95))


if __name__ == "__main__":
    main()
