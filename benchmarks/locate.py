"""The error of the located corners, and the time to locate them, on labelled pictures.

python benchmarks/locate.py --shared ../shared [--weights models/weights] [--overlay DIR]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import cv2
import numpy as np

from vision.locate.locator import Locator


def worst(found: np.ndarray, truth: np.ndarray) -> float:
    """Worst corner's error in squares of the truth, over the four cyclic orders."""
    after, before = np.roll(truth, -1, 0) - truth, np.roll(truth, 1, 0) - truth
    side = (np.linalg.norm(after, axis=1) + np.linalg.norm(before, axis=1)) / 30
    return float(
        min((np.linalg.norm(np.roll(found, k, 0) - truth, axis=1) / side).max() for k in range(4))
    )


def draw(image: np.ndarray, quads: list[tuple[np.ndarray, tuple[int, int, int]]]) -> np.ndarray:
    """The lattice of each quad over the picture."""
    out = image.copy()
    width = max(1, max(image.shape[:2]) // 1000)
    for quad, colour in quads:
        board = np.array([[0, 0], [15, 0], [15, 15], [0, 15]], np.float32)
        matrix = cv2.getPerspectiveTransform(board, quad.astype(np.float32))
        for k in range(16):
            ends = np.array([[[k, 0], [k, 15], [0, k], [15, k]]], np.float32)
            p = np.round(cv2.perspectiveTransform(ends, matrix)[0]).astype(int)
            cv2.line(out, p[0], p[1], colour, width)
            cv2.line(out, p[2], p[3], colour, width)
    return out


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shared", type=Path, required=True)
    parser.add_argument("--weights", type=Path, default=Path("models/weights"))
    parser.add_argument("--overlay", type=Path)
    options = parser.parse_args()
    cv2.setNumThreads(1)
    locator = Locator(
        options.weights / "locate_coarse.onnx", options.weights / "locate_refine.onnx"
    )
    pictures = sorted((options.shared / "photos").glob("*.jpg"))
    pictures += sorted((options.shared / "recordings").glob("*/frames/*.jpg"))
    errors, times, tracks = [], [], []
    for path in pictures:
        image = np.asarray(cv2.imread(str(path)), np.uint8)
        start = time.perf_counter()
        found = locator.candidates(image)
        ms = (time.perf_counter() - start) * 1e3
        times.append(ms)
        label = path.with_suffix(".json")
        name = path.name if label.exists() else f"{path.parts[-3]}/{path.name}"
        quads = [(place.corners, (0, 255, 0)) for place in found[:1]]
        error = float("nan")
        track = float("nan")
        if found:
            start = time.perf_counter()
            locator.refine(image, found[0].corners, iterations=1)
            tracks.append((time.perf_counter() - start) * 1e3)
            track = tracks[-1]
        if label.exists():
            truth = np.array(json.loads(label.read_text())["corners"], np.float32)
            quads.append((truth, (0, 0, 255)))
            error = worst(found[0].corners, truth) if found else float("inf")
            errors.append(error)
        scores = " ".join(f"{place.score:.2f}" for place in found) or "none"
        corners = np.round(found[0].corners, 1).tolist() if found else []
        print(f"{name:38} {error:7.3f} {ms:6.1f} ms {track:5.1f} ms  {scores:16} {corners}")
        if options.overlay:
            options.overlay.mkdir(parents=True, exist_ok=True)
            cv2.imwrite(str(options.overlay / f"{name.replace('/', '-')}.png"), draw(image, quads))
    within = [sum(e <= limit for e in errors) for limit in (0.12, 0.25, 0.5)]
    print(
        f"{len(errors)} labelled: {within[0]} within 0.12, {within[1]} within 0.25, "
        f"{within[2]} within 0.5 of a square; median {np.median(errors):.3f}"
    )
    print(f"locate: median {np.median(times):.1f} ms; one more look: {np.median(tracks):.1f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
