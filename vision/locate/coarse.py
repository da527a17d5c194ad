"""Turns the coarse network's output into rough quadrilaterals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE
from vision.locate.inputs import COARSE, COARSE_STRIDE, Tensor
from vision.locate.lattice_fit import clockwise, convex, sigmoid
from vision.rectify import corner_distance, pixels_per_square

_SEEN: Final = 0.5
"""A cell counts as inside the grid if it is so with a larger probability."""

_SMALLEST: Final = 12
"""A patch of fewer cells of the coarse output is no board: its squares would be 1 pixel."""

_PEAK: Final = 0.15
"""A local maximum of the corner map below this is no corner."""

_PEAKS: Final = 7
"""Peaks near a patch that are tried as its corners, at most."""

_ROUNDS: Final = 5
"""Rounds of assigning the outline's points to four sides and fitting a line to each."""

_SETTLED: Final = 0.1
"""Once no corner moves further than this, in pixels, there is no other round."""

_OUTLINE: Final = 200
"""Points of an outline that are fitted, at most and about: more make it slower, not better."""

_APART: Final = 1.5
"""A second candidate must differ from the first by this much at a corner, in squares."""

Quadrangle = NDArray[np.float64]


@dataclass(frozen=True)
class ScoredQuad:
    """A rough place: corners float64 (4, 2) in coarse-input pixels, clockwise; score in 0..1."""

    corners: Quadrangle
    score: float


def coarse_candidates(output: Tensor) -> list[ScoredQuad]:
    """Return the boards in the coarse network's output (2, 64, 64) of logits, best first."""
    small, heat = sigmoid(output[0]), sigmoid(output[1])
    inside = np.asarray(cv2.resize(small, (COARSE, COARSE)), np.float32)
    seen = (inside > _SEEN).astype(np.uint8)
    # Tongues and specks next to the grid would bend its sides.
    seen = np.asarray(cv2.morphologyEx(seen, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8)))
    peaks = corner_peaks(heat)
    found: list[ScoredQuad] = []
    _, labels, stats, _ = cv2.connectedComponentsWithStats(seen)
    for label in range(1, len(stats)):
        if stats[label, cv2.CC_STAT_AREA] < _SMALLEST * COARSE_STRIDE**2:
            continue
        patch = (labels == label).astype(np.uint8)
        around = cv2.dilate(patch, np.ones((13, 13), np.uint8))
        masked = cv2.resize(inside * around, small.shape, interpolation=cv2.INTER_AREA)
        share = np.asarray(masked, np.float32)
        places = [ScoredQuad(quad, _merit(quad, share, heat)) for quad in _quads(patch, peaks)]
        places.sort(key=lambda place: -place.score)
        if places:
            found.append(places[0])
            first = places[0].corners
            second = [q for q in places[1:] if corner_distance(q.corners, first) > _APART]
            found.extend(ScoredQuad(q.corners, q.score * 0.5) for q in second[:1])
    return sorted(found, key=lambda place: -place.score)


def _quads(patch: NDArray[np.uint8], peaks: NDArray[np.float64]) -> list[Quadrangle]:
    """Return quadrilaterals worth trying for one patch of the mask (256, 256)."""
    outlines, _ = cv2.findContours(patch, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    outline = max(outlines, key=len).reshape(-1, 2)
    starts = [cv2.boxPoints(cv2.minAreaRect(outline)).astype(np.float64)]
    hull = cv2.convexHull(outline)
    if len(hull) > 4:
        starts.append(cv2.approxPolyN(hull, 4).reshape(-1, 2).astype(np.float64))
    out: list[Quadrangle] = []
    points = outline[:: max(1, len(outline) // _OUTLINE)].astype(np.float64)
    for start in starts:
        quad = _sides_fitted(points, clockwise(start))
        if quad is not None:
            out.extend((quad, _snapped(quad, peaks)))
    low, high = outline.min(axis=0), outline.max(axis=0)
    slack = 0.35 * (high - low)
    near = peaks[((peaks[:, :2] > low - slack) & (peaks[:, :2] < high + slack)).all(axis=1)]
    near = near[np.argsort(-near[:, 2])][:_PEAKS]
    for four in combinations(near[:, :2], 4):
        quad = _around(np.array(four))
        if convex(quad):
            out.append(quad)
    return [quad for quad in out if convex(quad)]


def _around(points: Quadrangle) -> Quadrangle:
    """Return four points in clockwise order round their middle."""
    ways = points - points.mean(axis=0)
    return np.asarray(points[np.argsort(np.arctan2(ways[:, 1], ways[:, 0]))])


def _sides_fitted(outline: Quadrangle, quad: Quadrangle) -> Quadrangle | None:
    """Return the quad with its sides fitted to the outline (N, 2), robustly."""
    for _ in range(_ROUNDS):
        if not convex(quad):
            return None
        along = np.roll(quad, -1, axis=0) - quad
        length = np.linalg.norm(along, axis=1)
        way = along / length[:, None]
        to = outline[:, None] - quad[None]
        run = (to * way[None]).sum(-1)
        off = np.abs(to[..., 0] * way[None, :, 1] - to[..., 1] * way[None, :, 0])
        past = np.maximum(np.maximum(-run, run - length[None]), 0)
        owner = np.hypot(off, past).argmin(axis=1)
        lines = []
        for k in range(4):
            mine = (owner == k) & (run[:, k] > 0.06 * length[k]) & (run[:, k] < 0.94 * length[k])
            if mine.sum() < 6:
                return None
            vx, vy, x, y = cv2.fitLine(
                outline[mine].astype(np.float32), cv2.DIST_HUBER, 0, 0.01, 0.01
            ).ravel()
            lines.append((-vy, vx, -vy * x + vx * y))
        moved = []
        for k in range(4):
            (a, b, c), (d, e, f) = lines[k - 1], lines[k]
            det = a * e - b * d
            if abs(det) < 1e-3:
                return None
            moved.append(((c * e - b * f) / det, (a * f - c * d) / det))
        before, quad = quad, np.array(moved, np.float64)
        if np.abs(quad - COARSE / 2).max() > 2 * COARSE:
            return None
        if np.abs(quad - before).max() < _SETTLED:
            break
    return quad


def _merit(quad: Quadrangle, share: Tensor, heat: Tensor) -> float:
    """Return 0..1, by how well a quad covers its patch of the mask (64, 64) and meets corners."""
    cells = (quad + 0.5) / COARSE_STRIDE - 0.5
    covered = np.zeros(share.shape, np.uint8)
    cv2.fillConvexPoly(covered, np.round(cells * 16).astype(np.int32), 255, cv2.LINE_AA, 4)
    area = covered.astype(np.float32) / 255
    both, either = float(np.minimum(area, share).sum()), float(np.maximum(area, share).sum())
    at = np.clip(np.round(cells).astype(int), 1, len(heat) - 2)
    tops = [float(heat[y - 1 : y + 2, x - 1 : x + 2].max()) for x, y in at]
    return both / max(either, 1e-6) * (0.3 + 0.7 * float(np.mean(tops)))


def corner_peaks(heat: Tensor) -> NDArray[np.float64]:
    """Return local maxima of a corner map (64, 64): float64 (N, 3), x, y in pixels, height."""
    tops = (heat >= cv2.dilate(heat, np.ones((3, 3), np.uint8))) & (heat > _PEAK)
    padded = np.pad(heat, 1)
    out = []
    for y, x in zip(*np.nonzero(tops), strict=True):
        near = padded[y : y + 3, x : x + 3].astype(np.float64)
        near /= near.sum()
        dx = float((near * np.array([-1, 0, 1])).sum())
        dy = float((near * np.array([[-1], [0], [1]])).sum())
        out.append(
            [
                (x + 1.5 * dx + 0.5) * COARSE_STRIDE - 0.5,
                (y + 1.5 * dy + 0.5) * COARSE_STRIDE - 0.5,
                float(heat[y, x]),
            ]
        )
    return np.array(out, np.float64).reshape(-1, 3)


def _snapped(quad: Quadrangle, peaks: NDArray[np.float64]) -> Quadrangle:
    """Return the quad with each corner moved to the peak near it, if there is one."""
    reach = 0.15 * SIZE * pixels_per_square(quad)
    out = quad.copy()
    for k in range(4 if len(peaks) else 0):
        distance = np.linalg.norm(peaks[:, :2] - quad[k], axis=1)
        value = np.where(distance < reach, peaks[:, 2] * (1 - 0.5 * distance / reach), 0)
        best = int(value.argmax())
        if value[best] > 0:
            out[k] = peaks[best, :2]
    return out if convex(out) else quad
