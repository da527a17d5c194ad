"""An arm that lies still over the board while the other player's moves, and how the board looks so.

Who rests a hand on the board places no tile with it. And where the other's arm reaches across or
up to it, the two are one patch in the pictures; against a picture with the resting arm in it only
the other's is new.
"""

from __future__ import annotations

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
"""Share of the resting arm's pixels that are to be seen as they were: the other arm may be over
the rest."""


class RestingArm:
    """Follows what has not changed under the arms in sight. All pictures have one size."""

    def __init__(self) -> None:
        self.side: Side | None = None
        """Whose arm rests; None while none does."""
        self.mask: NDArray[np.bool_] | None = None
        """bool (H, W): the pixels that it covers."""
        self._picture: NDArray[np.float32] | None = None
        self._last: NDArray[np.float32] | None = None
        self._changed_ns: NDArray[np.int64] | None = None

    def forget(self) -> None:
        """Begin anew: the board lies elsewhere in the pictures."""
        self.side = self.mask = self._picture = None
        self._last = self._changed_ns = None

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
        if self._last is None or self._changed_ns is None:
            self._changed_ns = np.full(arms.shape, t_ns, np.int64)
        else:
            self._changed_ns[differing(now, self._last)] = t_ns
        self._last = now
        if len(sides) == 1 and None not in sides:
            self._take(t_ns, now, arms, next(iter(sides)))
        elif not sides or not self._still_there(now):
            self.side = self.mask = self._picture = None

    def _take(
        self, t_ns: int, now: NDArray[np.float32], arms: NDArray[np.bool_], side: Side | None
    ) -> None:
        assert self._changed_ns is not None
        still = arms & (t_ns - self._changed_ns >= _AT_REST_NS)
        if np.count_nonzero(still) >= LEAST_ARM:
            self.side, self.mask, self._picture = side, still, now.copy()
        else:
            self.side = self.mask = self._picture = None

    def _still_there(self, now: NDArray[np.float32]) -> bool:
        if self.mask is None or self._picture is None:
            return False
        same = ~differing(now, self._picture)[self.mask]
        return bool(np.count_nonzero(same) >= _STILL_THERE * same.size)

    def is_all_of(self, arm: NDArray[np.bool_]) -> bool:
        """True if an arm, bool (H, W), is this one, and no part of it has moved."""
        return self.mask is not None and float(self.mask[arm].mean()) >= _WHOLLY

    @property
    def changed_ns(self) -> int:
        """When more than a few pixels changed last."""
        if self._changed_ns is None:
            return 0
        return int(np.quantile(self._changed_ns, 1.0 - _FEW))

    def with_it(self, known: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return how a board is expected to look with the resting arm, if one rests."""
        if self.mask is None or self._picture is None:
            return known
        return np.where(self.mask[..., None], self._picture, known)
