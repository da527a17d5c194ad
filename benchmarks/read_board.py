"""The time to read all 225 squares of a located board on one thread, and seven of them.

    python benchmarks/read_board.py [--runs 200] [--image PHOTO --corners x,y,x,y,x,y,x,y]

Without a photograph, a drawn board of 1280×960 pixels is read. Locating is not in it: see
benchmarks/locate.py. Decoding the picture isn't either. Seven squares are cut from a board that is
rectified already, and classified. The memory is all that the process ever took, with the locator
loaded and run once.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import sys
import time
from pathlib import Path

import cv2
import numpy as np

from models import scenes, weights
from table.readers import board_reader
from vision.classifier import Classifier
from vision.images import load_image
from vision.rectify import rectify, windows


def drawn() -> tuple[np.ndarray, np.ndarray]:
    """A drawn table with a game on it, and its corners."""
    rng = np.random.default_rng(20)
    scene = scenes.render(scenes.random_spec(rng), scenes.random_rows(rng), rng)
    return scene.image, scene.corners


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
        if line.startswith(("model name", "Model")):
            return line.partition(":")[2].strip()
    return "an unknown processor"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--image", type=Path)
    parser.add_argument("--corners")
    args = parser.parse_args()
    if args.image:
        if not args.corners:
            parser.error("--image goes with --corners")
        image = load_image(args.image)
        corners = np.array(args.corners.split(","), np.float32).reshape(4, 2)
    else:
        image, corners = drawn()
    cv2.setNumThreads(1)
    reader = board_reader("english", threads=1)
    for _ in range(10):
        reader.read(image, corners)
    took = []
    for _ in range(args.runs):
        start = time.perf_counter()
        reader.read(image, corners)
        took.append((time.perf_counter() - start) * 1e3)
    board = rectify(image, np.asarray(corners, np.float32))
    classifier = Classifier(weights.path("tiles.onnx"))
    seven = np.arange(100, 107)
    few = []
    for _ in range(args.runs):
        start = time.perf_counter()
        classifier.classify(windows(board, seven))
        few.append((time.perf_counter() - start) * 1e3)
    reader.read(image)
    ranked = sorted(took)
    print(
        f"225 squares of a {image.shape[1]}×{image.shape[0]} picture, {args.runs} runs on one"
        f" thread of {processor()}: median {statistics.median(took):.1f} ms,"
        f" p10 {ranked[len(ranked) // 10]:.1f} ms, p99 {ranked[int(len(ranked) * 0.99)]:.1f} ms"
    )
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"7 squares: median {statistics.median(few):.1f} ms; {memory:.0f} MB at the most")
    return 0


if __name__ == "__main__":
    sys.exit(main())
