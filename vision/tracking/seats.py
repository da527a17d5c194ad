"""From where each player's arm comes, as far as the turns so far and the open tiles tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import Square
from game.events import SIDES, Edge, Side

Way = NDArray[np.float64]
"""float64 (2,): right and down in the camera's picture, of length 1."""

Seen = NDArray[np.float64]
"""float64 (24,): the log-likelihood of what was seen of hands at a tile, by the direction from
which the arm of its player comes."""

Hands = Mapping[Square, tuple[float, float]]
"""The log-likelihood of what was seen of hands at each tile, if the left player laid it, and if the
right one did."""

_WAYS: Final = 24
"""Directions that are told apart: 15° from one to the next."""

_ANGLES: Final = np.arange(_WAYS) * 2 * np.pi / _WAYS
DIRECTIONS: Final = np.stack([np.cos(_ANGLES), np.sin(_ANGLES)], axis=1)
"""float64 (24, 2): right and down in the camera's picture, of length 1."""

_CONCENTRATION: Final = 3.0
"""Concentration of one player's arm around its mean direction (von Mises): half lie within 30°."""

_PER_SQUARE: Final = 0.8
"""Log of how much likelier an arm covers a square of its line than one beside it."""

_ELSEWHERE: Final = 0.02
"""An arm is seen to come from anywhere."""

_OUT_OF_VIEW: Final = 0.4
"""No picture shows the arm that laid a tile, however far it reached over the board."""

_AROUND: Final = np.exp(_CONCENTRATION * (DIRECTIONS @ DIRECTIONS.T - 1.0))

_OPPOSITE: Final = 2.0
"""Concentration of a player's place around that opposite the other's."""

_GIVEN: Final = 6.0
"""The same of a player's place around the middle of the edge that it is said to be at."""

_EDGES: Final[Mapping[Edge, Way]] = {
    "top": np.array((0.0, -1.0)),
    "right": np.array((1.0, 0.0)),
    "bottom": np.array((0.0, 1.0)),
    "left": np.array((-1.0, 0.0)),
}

_CORRELATED: Final = 0.5
"""Exponent of the evidence of a further tile of one play: the same arm laid it."""

_MOST: Final = 6
"""So many pairs of places are weighed, at most."""

_LEAST: Final = -7.0
"""Log of how much less likely than the best pair one is that is left out."""


class Seats:
    """One belief about the pair of places at which the players sit."""

    def __init__(self, edges: Mapping[Side, Edge] | None = None) -> None:
        """``edges`` says across which edge of the picture each player's hand comes, if known."""
        belief = -_OPPOSITE * (DIRECTIONS @ DIRECTIONS.T)
        if edges is not None:
            left, right = (_GIVEN * (DIRECTIONS @ _EDGES[edges[side]]) for side in SIDES)
            belief = left[:, None] + right[None, :]
        self._belief = belief - _log_sum(belief)
        """Log probability by the directions of the left and the right player."""

    def learn(self, side: Side, hands: Iterable[Seen]) -> None:
        """Learn from the tiles of a turn that was this player's."""
        for hand in hands:
            seen = _CORRELATED * hand
            self._belief = self._belief + (seen[:, None] if side == "left" else seen[None, :])
        self._belief -= _log_sum(self._belief)

    def readings(self, seen: Mapping[Square, Seen]) -> list[tuple[float, Hands]]:
        """Return what hands say about whose tiles are, for each likely pair of places.

        With the log probability of that pair before these hands were seen.
        """
        if not seen:
            return [(0.0, {})]  # all pairs say the same
        either = self._belief.copy()
        for likelihood in seen.values():
            either += np.logaddexp(likelihood[:, None], likelihood[None, :])
        order = np.argsort(-either, axis=None)[:_MOST]
        best = either.flat[order[0]]
        found: list[tuple[float, Hands]] = []
        for at in order:
            if either.flat[at] < best + _LEAST:
                break
            left, right = np.unravel_index(at, either.shape)
            hands = {s: (float(one[left]), float(one[right])) for s, one in seen.items()}
            found.append((float(self._belief[left, right]), hands))
        return found


def hand_seen(covered: NDArray[np.float64], *, any_arm: bool) -> Seen:
    """Return what was seen of the hand that laid a tile, as a log-likelihood.

    The arm covers the line from its tile to its player: whoever sits near it shows little more
    than fingertips, and whoever sits across the board a long arm.

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
