"""The patches in which two pictures of a board differ, light aside: hands, and what they laid.

Light and shadow change slowly from one pixel to the next, and all colours alike. That is no
difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.tracking.small_pictures import PITCH

_DIFFERENT: Final = 18.0
"""Difference in levels, in any colour, from which a pixel shows something else, ..."""

_FAINT: Final = 9.0
"""... and from which it goes on with what does: a wrist may have nearly the table's colour."""

_SHADE: Final = (0.4, 2.5)
"""By so much a shadow may darken the board, or its passing brighten it, in all colours alike."""

_LIGHT: Final = (11, 11)
"""Pixels across and down over which the light is taken to be the same."""

_NUDGED: Final = np.ones((5, 5), np.uint8)
"""Pixels over which the board may be shifted from where it is taken to be."""

_SUM: Final = np.ones((1, 3), np.float32)
"""Adds the colours of a pixel."""

_DARK: Final = 0.6
"""The least light at which a difference counts for more because there is less light."""

LEAST_ARM: Final = 3 * PITCH * PITCH
"""Pixels of the least arm: three squares."""

_JOINED: Final = np.ones((7, 7), np.uint8)
"""Parts of a patch are joined that are nearer to each other than its side, in pixels."""


def differing_patches(
    now: NDArray[np.float32], *known: NDArray[np.float32]
) -> Iterator[NDArray[np.bool_]]:
    """Yield the large patches in which a picture differs from all those known, each bool (H, W).

    One that does not reach the rim is followed through faint differences, if they lead there.
    """
    difference = np.minimum.reduce([_difference(now, one) for one in known])
    if np.count_nonzero(difference > _DIFFERENT) < LEAST_ARM:
        return
    faint: NDArray[np.int32] | None = None
    for patch in _connected(difference > _DIFFERENT):
        if at_rim(patch).any():
            yield patch
            continue
        if faint is None:
            faint = _labels(difference > _FAINT)
        longer = np.isin(faint, np.unique(faint[patch & (faint > 0)]))
        yield longer | patch if at_rim(longer).any() else patch


def differing(now: NDArray[np.float32], known: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return the pixels that show something else in two pictures: bool (H, W)."""
    return np.asarray(_difference(now, known) > _DIFFERENT, np.bool_)


def _labels(different: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the number of the patch that each pixel belongs to, from 1; 0 for none."""
    solid = cv2.morphologyEx(different.astype(np.uint8), cv2.MORPH_CLOSE, _JOINED)
    return np.asarray(cv2.connectedComponents(solid, connectivity=8)[1], np.int32)


def _connected(different: NDArray[np.bool_]) -> Iterator[NDArray[np.bool_]]:
    """Yield the patches of an arm's size at least, each bool (H, W)."""
    labels = _labels(different)
    for label in np.flatnonzero(np.bincount(labels.ravel())[1:] >= LEAST_ARM) + 1:
        yield labels == label


def at_rim(patch: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the part of a patch, bool (H, W), that lies on the outermost pixels."""
    rim = patch.copy()
    rim[2:-2, 2:-2] = False
    return rim


def _difference(now: NDArray[np.float32], known: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return how much each pixel differs in any colour, beyond what light and shadow make of it.

    Light changes all colours of what lies there alike, and little from one pixel to the next.
    """
    shared = cv2.blur(cv2.transform(now * known, _SUM), _LIGHT)
    whole = cv2.blur(cv2.transform(known * known, _SUM), _LIGHT)
    light = np.clip(shared / (whole + 1.0), *_SHADE)
    lit = known * light[..., None]
    beyond = cv2.max(now - cv2.dilate(lit, _NUDGED), cv2.erode(lit, _NUDGED) - now)
    blue, green, red = cv2.split(beyond)
    return np.asarray(cv2.max(cv2.max(blue, green), red) / np.maximum(light, _DARK), np.float32)
