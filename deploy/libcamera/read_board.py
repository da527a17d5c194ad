"""Reads the drawn board in the pictures of a camera of kind ``pi``: for deploy/try-libcamera.sh.

Exit status 1 if a square is read otherwise than it was drawn.
"""

from __future__ import annotations

import itertools
import sys
import time

from sensors.drivers import CAMERAS
from table.calibrated_reader import board_reader
from table.doctor.reader import ROWS


def main() -> int:
    """Take pictures, read the last of them, and print what came."""
    kind = CAMERAS["pi"]
    camera = kind.open(kind.options.model_validate({"width": 1280, "height": 960}))
    began = time.monotonic()
    frames = list(itertools.islice(camera.frames(), 60))
    took_s = time.monotonic() - began
    camera.close()
    late_ms = (time.monotonic_ns() - frames[-1].t_ns) / 1e6
    rows = board_reader("english").read(frames[-1].image).rows
    pairs = zip("".join(rows), "".join(ROWS), strict=True)
    wrong = sum(symbol != due for symbol, due in pairs)
    height, width = frames[-1].image.shape[:2]
    sys.stdout.write(
        f"{len(frames)} pictures of {width}×{height} in {took_s:.1f} s, the last {late_ms:.0f} ms "
        f"old at the end; {wrong} squares wrong\n"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
