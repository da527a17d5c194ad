"""The time that a frame takes in which nothing moved, on one thread.

    python benchmarks/watch_frame.py [--frames 2000] [--size 1280x960]

Frames of a drawn board with camera noise and a flickering lamp go through what a live table does
with each of them: the motion check, and keeping the small pictures of the last seconds. Exit status
1 when some frame was taken for one in which something moved.
"""

from __future__ import annotations

import argparse
import sys
import time

import cv2
import numpy as np
from common import machine

from sensors.interfaces import Frame
from table.timings import Timings
from vision.tracking.board_watch import BoardWatch

PERIOD_NS = 83_000_000


def scene(width: int, height: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A board of squares and tiles in the middle of the picture, and its corners."""
    image = np.full((height, width, 3), 90, np.uint8)
    side = int(min(width, height) * 0.9) // 15
    left, top = (width - 15 * side) // 2, (height - 15 * side) // 2
    for row in range(15):
        for col in range(15):
            x, y = left + col * side, top + row * side
            tile = rng.random() < 0.4
            colour = (170, 215, 230) if tile else tuple(int(c) for c in rng.integers(60, 140, 3))
            cv2.rectangle(image, (x + 1, y + 1), (x + side - 2, y + side - 2), colour, -1)
            if tile:
                letter = chr(65 + int(rng.integers(26)))
                at = (x + side // 5, y + 4 * side // 5)
                cv2.putText(image, letter, at, 0, side / 30, (20, 20, 20), 2)
    corners = np.array([[0, 0], [15, 0], [15, 15], [0, 15]], np.float32) * side
    return image, corners + np.array([left, top], np.float32)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=2000)
    parser.add_argument("--size", default="1280x960")
    args = parser.parse_args()
    width, height = (int(part) for part in args.size.split("x"))
    cv2.setNumThreads(1)
    rng = np.random.default_rng(7)
    still, corners = scene(width, height, rng)
    pictures = []
    for light in (1.0, 0.97, 0.92, 0.95, 1.03, 0.99, 1.02, 0.9):
        noisy = still * light + rng.normal(0, 3, still.shape)
        pictures.append(np.clip(noisy, 0, 255).astype(np.uint8))
    watch, timings, moved = BoardWatch(corners), Timings(), 0
    start = time.process_time()
    for number in range(args.frames):
        frame = Frame(pictures[number % len(pictures)], number * PERIOD_NS, number)
        with timings.measure():
            moved += watch.add(frame)
    busy = time.process_time() - start
    summary = timings.summary()
    print(
        f"{args.frames} still frames of {width}×{height} on one thread of {machine()}: "
        f"p50 {summary['p50']} ms, p99 {summary['p99']} ms; "
        f"{busy / args.frames * 12:.1%} of one core at 12 frames a second; "
        f"{moved - 1} false alarms"
    )
    return 0 if moved == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
