"""The arms over the board: the direction that each comes from, and so whose it is.

An arm is a large patch in which a small picture differs, light aside, from the references of the
bare board, and that reaches the board's rim. In the dark colours are lost: pictures that differ
everywhere have their own median as reference. It covers the line from its tile to its player. The
prior of both players' places is sharpened by every turn whose player is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import SIZE, Square
from game.events import SIDES, PictureEdge, Side
from vision.light import differences, lit_as
from vision.rectify import Corners, Image
from vision.tracking.board_watch import AROUND, PITCH, all_other
from vision.tracking.parameters import SQUARE
from vision.tracking.turn_hypotheses import SideLikelihoods

Way = NDArray[np.float64]
"""float64 (2,): right and down in the camera's picture, of length 1."""

ArmLikelihood = NDArray[np.float64]
"""float64 (24,): the log-likelihood of the arms seen over a tile, by its player's direction."""

_WAYS: Final = 24
"""Directions that are distinguished: 15° apart."""

_ANGLES: Final = np.arange(_WAYS) * 2 * np.pi / _WAYS
DIRECTIONS: Final = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
"""float64 (24, 2): right and down in the camera's picture, of length 1."""

_CONCENTRATION: Final = 3.0
"""Concentration of one player's arm around its mean direction (von Mises): half lie within 30°. A
place that is given at the middle of an edge has twice that."""

_PER_SQUARE: Final = 0.8
"""Log-likelihood ratio, for each square of a line, of an arm along the line over one beside it."""

_ELSEWHERE: Final = 0.02
"""Probability that an arm seems to come from anywhere."""

_OUT_OF_VIEW: Final = 0.4
"""Probability that no frame shows the arm that laid a tile, however far it reached."""

_AROUND: Final = np.exp(_CONCENTRATION * (DIRECTIONS @ DIRECTIONS.T - 1.0))

_OPPOSITE: Final = 2.0
"""Concentration of a player's place around the place opposite the other player."""

_EDGES: Final[Mapping[PictureEdge, Way]] = {
    "top": np.array((0.0, -1.0)),
    "right": np.array((1.0, 0.0)),
    "bottom": np.array((0.0, 1.0)),
    "left": np.array((-1.0, 0.0)),
}

_AT_EDGE: Final = np.exp(2 * _CONCENTRATION * (np.stack([*_EDGES.values()]) @ DIRECTIONS.T - 1.0))
"""float64 (4, 24): the relative probability of each direction of a player at each edge."""

_SURE: Final = 0.95
"""Probability of the players' edges from which they are said."""

_CORRELATED: Final = 0.5
"""Exponent of the likelihood of each tile of a play: the same arm laid all of them."""

_MOST: Final = 6
"""The most pairs of places that are considered."""

_LEAST_LIKELY: Final = -7.0
"""Log-likelihood ratio to the best pair below which a pair is left out."""


class Seats:
    """The posterior of the pair of places at which the players sit."""

    def __init__(self, edges: Mapping[Side, PictureEdge] | None = None) -> None:
        """``edges`` maps each player to the edge of the picture where they sit; None if unknown."""
        belief = -_OPPOSITE * (DIRECTIONS @ DIRECTIONS.T)
        if edges is not None:
            left, right = (
                2 * _CONCENTRATION * (DIRECTIONS @ _EDGES[edges[side]]) for side in SIDES
            )
            belief = left[:, None] + right[None, :]
        self._belief = belief - _log_sum(belief)
        """Log posterior by the directions of the left and of the right player."""

    def learn(self, side: Side, hands: Iterable[ArmLikelihood]) -> None:
        """Update by the arms seen at the tiles of a turn whose player is known."""
        for hand in hands:
            seen = _CORRELATED * hand
            self._belief = self._belief + (seen[:, None] if side == "left" else seen[None, :])
        self._belief -= _log_sum(self._belief)

    @property
    def edges(self) -> dict[Side, PictureEdge] | None:
        """The edge of the picture at which each player sits; None until that is sure.

        The players are taken to sit at opposite edges.
        """
        edges = tuple(_EDGES)  # in order around the picture
        likely = np.diag(_AT_EDGE @ np.exp(self._belief) @ np.roll(_AT_EDGE, 2, axis=0).T)
        best = int(np.argmax(likely))
        if likely[best] < _SURE * likely.sum():
            return None
        return {"left": edges[best], "right": edges[best - 2]}

    def whose(self, arm: ArmLikelihood) -> dict[Side, float]:
        """Return the probability that an arm is each player's, if both are as likely before."""
        left = _log_sum(self._belief + arm[:, None])
        right = _log_sum(self._belief + arm[None, :])
        of_left = float(1 / (1 + np.exp(right - left)))
        return {"left": of_left, "right": 1 - of_left}

    def readings(self, seen: Mapping[Square, ArmLikelihood]) -> list[tuple[float, SideLikelihoods]]:
        """Return the evidence of the arms, given each likely pair of places, with its log prior."""
        if not seen:
            return [(0.0, {})]  # all pairs say the same
        either = self._belief.copy()
        for likelihood in seen.values():
            either += np.logaddexp(likelihood[:, None], likelihood[None, :])
        order = np.argsort(-either, axis=None)[:_MOST]
        best = either.flat[order[0]]
        found: list[tuple[float, SideLikelihoods]] = []
        for at in order:
            if either.flat[at] < best + _LEAST_LIKELY:
                break
            left, right = np.unravel_index(at, either.shape)
            hands = {s: (float(one[left]), float(one[right])) for s, one in seen.items()}
            found.append((float(self._belief[left, right]), hands))
        return found


def arm_likelihood(covered: NDArray[np.float64], *, any_arm: bool) -> ArmLikelihood:
    """Return the log-likelihood of the arm seen over a tile, by its player's direction.

    The arm covers the line from its tile to its player: a near player shows little more than
    fingertips, a player across the board a long arm.

    Args:
        covered: float64 (24,), for each direction the squares of that line that are covered, less
            those that are not.
        any_arm: True if an arm was seen over the tile.
    """
    along = np.exp(_PER_SQUARE * (covered - covered.max()))
    near = _AROUND @ along
    unseen = _ELSEWHERE if any_arm else _OUT_OF_VIEW
    return np.asarray(np.log((1 - unseen) * near / near.max() + unseen))


def _log_sum(values: NDArray[np.float64]) -> float:
    top = float(values.max())
    return top + float(np.log(np.exp(values - top).sum()))


LEAST: Final = SQUARE.large * PITCH**2
"""Least pixels of an arm: those of ``SQUARE.large`` squares."""

_TILE: Final = np.ones((PITCH, PITCH), np.uint8)

_NUDGED: Final = 3
"""The most pixels by which the board may have shifted and still count as unmoved."""

Mask = NDArray[np.bool_]
"""bool (75, 75): pixels of the small picture."""

_PIXELS: Final = np.indices((SIZE * PITCH,) * 2)

_DEPTH: Final = 1 + np.minimum(_PIXELS, SIZE * PITCH - 1 - _PIXELS).min(axis=0)
"""How many pixels each one is from the rim, counted from 1."""

_RIM_WIDE: Final = 2
"""Width of the rim, in pixels of the small picture."""

_RIM_PIXELS: Final = _DEPTH <= _RIM_WIDE


class Arms:
    """The arms in some small pictures of one board; each picture is segmented once."""

    def __init__(
        self, bare: Sequence[Image], pictures: Mapping[int, Image], least: int = LEAST
    ) -> None:
        """Take small pictures by their times, and references of the board without arms.

        Any one of the references ``bare`` may be right at a place. All are uint8 (75, 75, 3) BGR.
        """
        self._bare, self._pictures, self._least = bare, pictures, least
        self._found: dict[int, list[Mask]] = {}

    def at(self, t_ns: int) -> list[Mask]:
        """Return the arms in the picture of a time."""
        if t_ns not in self._found:
            difference = _difference(self._pictures[t_ns], self._bare)
            if all_other(difference):
                difference = _difference(self._pictures[t_ns], [self._in_other_light])
            self._found[t_ns] = list(_arms(difference, self._least))
        return self._found[t_ns]

    @cached_property
    def _in_other_light(self) -> Image:
        """The median of the pictures that differ everywhere: no arm rests in most of them."""
        every = self._pictures.values()
        other = [one for one in every if all_other(_difference(one, self._bare))]
        return np.asarray(np.median(other, axis=0), np.uint8)

    def over(self, square: Square, times: Iterable[int], before: Sequence[Image]) -> list[Mask]:
        """Return the arms over a square in the pictures of some times.

        An arm that rests where it lay ``before``, in earlier pictures, lays no tile.
        """
        found = []
        for t_ns in times:
            small = self._pictures[t_ns]
            over = [arm for arm in self.at(t_ns) if _is_over(arm, square)]
            if over and before:
                moved = _difference(small, before) > SQUARE.another
                over = [
                    _came_in(arm & moved, square, arm)
                    for arm in over
                    if (arm & moved).sum() >= self._least
                ]
            found += over
        return found


def with_tiles(known: Image, now: Image, tiles: Iterable[Square]) -> Image:
    """Return a reference, uint8 (75, 75, 3), with these squares replaced by how they look now."""
    new = np.zeros((SIZE, SIZE), np.uint8)
    for square in tiles:
        new[square] = 1
    pixels = cv2.dilate(np.kron(new, _TILE), _TILE) > 0
    return np.where(pixels[..., None], lit_as(known, now, ~pixels), known)


def _difference(small: Image, known: Sequence[Image]) -> NDArray[np.float32]:
    """Return each pixel's difference from the most similar of the references."""
    now = small.astype(np.float32)
    each = (differences(one.astype(np.float32), now, AROUND, _NUDGED) for one in known)
    return np.asarray(np.minimum.reduce(list(each)), np.float32)


def _arms(difference: NDArray[np.float32], least: int) -> Iterator[Mask]:
    """Yield the large patches in which a picture differs.

    A patch that does not reach the rim is extended by patches of half the difference (hysteresis),
    if they do: a wrist may have nearly the table's colour.
    """
    labels, faint = (_patches(difference > SQUARE.another / by) for by in (1, 2))
    for label in np.flatnonzero(np.bincount(labels.ravel())[1:] >= least) + 1:
        arm = labels == label
        if not _reaches_rim(arm):
            arm = arm | np.isin(faint, np.unique(faint[arm & (faint > 0)]))
        yield arm


def _patches(different: Mask) -> NDArray[np.int32]:
    """Return the label of each pixel's patch, from 1; 0 for none."""
    solid = cv2.morphologyEx(different.astype(np.uint8), cv2.MORPH_CLOSE, _TILE)
    return np.asarray(cv2.connectedComponents(solid, connectivity=8)[1], np.int32)


def _came_in(moved: Mask, square: Square, patch: Mask) -> Mask:
    """Return the part of a patch that has come in over the rim to a square; all of it if none has.

    Two arms that touch are one patch, and one of them may rest.
    """
    labels = _patches(moved)
    for label in np.flatnonzero(np.bincount(labels.ravel())[1:] >= LEAST) + 1:
        part = labels == label
        if _reaches_rim(part) and _is_over(part, square):
            return np.asarray(part & patch)
    return patch


def _is_over(arm: Mask, square: Square) -> bool:
    """True if an arm is over a square or its neighbours: fingertips hold the tile."""
    rows, cols = (slice(max(0, (at - 1) * PITCH), (at + 2) * PITCH) for at in square)
    return bool(arm[rows, cols].any())


def _reaches_rim(arm: Mask) -> bool:
    return bool((arm & _RIM_PIXELS).any())


def reach_of(arm: Mask) -> tuple[list[list[Square]], float]:
    """Return where an arm's fingertips may be, and how far it is in from all rims, in squares.

    For each side in turn, if it comes in over that one, they are farthest from there, at either end
    of what is so. From where an arm comes that lies along the rim nothing tells: there is no tip.
    """
    pixels, deep = np.argwhere(arm), float(_DEPTH[arm].max()) / PITCH
    tips: list[list[Square]] = [[] for _ in range(4)]
    for depth, found in zip((*pixels.T, *(SIZE * PITCH - 1 - pixels).T), tips, strict=True):
        rim = pixels[depth < _RIM_WIDE]
        if not len(rim):
            continue
        if np.ptp(rim, axis=0).max() > 2 * depth.max():
            return [[]] * 4, deep
        away = np.linalg.norm(pixels - rim.mean(axis=0), axis=1)
        ends = pixels[away > away.max() - PITCH][[0, -1]]
        found += [Square(*end) for end in (ends // PITCH).tolist()]
    return tips, deep


def lines_under(arms: Sequence[Mask], corners: Corners, square: Square) -> NDArray[np.float64]:
    """Return how far arms cover the lines from a square to the board's rim.

    float64 (24,), for each of ``DIRECTIONS``: the squares that are covered less those that are not,
    in the mean of all arms.
    """
    a, b, c, d = np.asarray(corners, np.float64)
    across = np.stack([b + c - a - d, c + d - a - b], axis=1) / (2 * SIZE)
    step = np.linalg.solve(across, DIRECTIONS.T).T
    step /= np.linalg.norm(step, axis=1, keepdims=True)
    away = np.arange(len(_TILE), 2 * SIZE * PITCH)[:, None, None]
    at = PITCH * (np.array([square.col, square.row]) + 0.5) + away * step
    on_board = ((at >= 0) & (at < SIZE * PITCH)).all(axis=2)
    col, row = np.clip(at, 0, SIZE * PITCH - 1).astype(int).transpose(2, 0, 1)
    covered = np.mean([arm[row, col] for arm in arms], axis=0) if arms else np.zeros_like(on_board)
    return np.asarray(np.where(on_board, 2.0 * covered - 1.0, 0.0).sum(axis=0) / PITCH)
