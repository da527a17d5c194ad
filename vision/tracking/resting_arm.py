"""An arm that lies still over the board while the other player's moves, and how the board looks so.

Whoever rests a hand on the board places no tile with it. Where the other's arm reaches up to it,
the two are one patch in the pictures. Against a picture with the resting arm in it, only the
other's is new.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.events import Side
from vision.tracking.differing_patches import LEAST_ARM, differing

_AT_REST_NS: Final = 800_000_000
"""From when on a pixel that has not changed belongs to an arm at rest."""

_WHOLLY: Final = 0.9
"""Share of an arm's pixels that have not changed where all of it is at rest."""

_FEW: Final = 0.01
"""Share of the pixels that change by noise and flicker alone."""

_STILL_THERE: Final = 0.4
"""Share of the resting arm's pixels that must look as they did: the other arm may hide the rest."""


@dataclass(frozen=True, slots=True)
class RestingArm:
    """An arm that has not moved for a while."""

    side: Side
    mask: NDArray[np.bool_]
    """bool (H, W): the pixels that it covers."""
    picture: NDArray[np.float32]
    """float32 (H, W, 3) BGR, at one level of light: the board with it."""

    def is_all_of(self, arm: NDArray[np.bool_]) -> bool:
        """True if an arm, bool (H, W), is this one, and no part of it has moved."""
        return float(self.mask[arm].mean()) >= _WHOLLY

    def over(self, known: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how a board is expected to look with it: float32 (H, W, 3) BGR."""
        return np.where(self.mask[..., None], self.picture, known)

    def seen_in(self, now: NDArray[np.float32]) -> bool:
        """True if enough of it looks as it did."""
        same = ~differing(now, self.picture)[self.mask]
        return bool(np.count_nonzero(same) >= _STILL_THERE * same.size)


class RestWatch:
    """Finds the arm that lies still from what changes. All pictures have one size."""

    def __init__(self) -> None:
        self.arm: RestingArm | None = None
        self._last: NDArray[np.float32] | None = None
        self._changed_ns = np.zeros((0, 0), np.int64)
        """int64 (H, W): when each pixel changed last."""

    @property
    def changed_ns(self) -> int:
        """When more than a few pixels changed last."""
        changed_ns = self._changed_ns
        return int(np.quantile(changed_ns, 1.0 - _FEW)) if changed_ns.size else 0

    def see(
        self, t_ns: int, now: NDArray[np.float32], arms: NDArray[np.bool_], sides: set[Side | None]
    ) -> None:
        """Take the next frame.

        Args:
            t_ns: when it was taken.
            now: float32 (H, W, 3) BGR, at one level of light.
            arms: bool (H, W), all arms in it.
            sides: whose they are; None is somebody's.
        """
        if self._last is None:
            self._changed_ns = np.full(arms.shape, t_ns, np.int64)
        else:
            self._changed_ns[differing(now, self._last)] = t_ns
        self._last = now
        if len(sides) > 1:
            if self.arm is not None and not self.arm.seen_in(now):
                self.arm = None
            return
        self.arm = None
        still = arms & (t_ns - self._changed_ns >= _AT_REST_NS)
        for side in sides:
            if side is not None and np.count_nonzero(still) >= LEAST_ARM:
                self.arm = RestingArm(side, still, now.copy())
