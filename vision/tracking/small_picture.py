"""A small picture of the board, made from every frame: enough to see that, and when, it changed."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from game.board import SIZE
from vision.rectify import Corners, Image, pixels_per_square, rectify

PITCH: Final = 5
"""Pixels a square in the small picture: a tile is 25 of them."""


def small_picture(image: Image, corners: Corners | None) -> Image:
    """Return the small picture of the board in a frame, or of the whole view.

    Most of the work is to average the camera's pixels. By blocks of 2 by 2, and on the board alone,
    OpenCV does that several times as fast as otherwise.

    Args:
        image: uint8 (H, W, 3) BGR.
        corners: the board's, float32 (4, 2) in pixels; None for the whole view.

    Returns:
        uint8 (75, 75, 3) BGR.
    """
    if corners is None:
        whole = cv2.resize(image, (SIZE * PITCH, SIZE * PITCH), interpolation=cv2.INTER_AREA)
        return np.asarray(whole, np.uint8)
    side, size = pixels_per_square(corners), image.shape[1::-1]
    left, top = np.clip(corners.min(axis=0) - side, 0, size).astype(int)
    right, bottom = np.clip(corners.max(axis=0) + side, 0, size).astype(int)
    if left < right and top < bottom:
        image = image[top:bottom, left:right]
        corners = np.asarray(corners - (left, top), np.float32)
    while side > 4 * PITCH and min(image.shape[:2]) > 1:
        height, width = image.shape[0] // 2, image.shape[1] // 2
        whole = image[: 2 * height, : 2 * width]
        image = np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA))
        corners = np.asarray((corners + 0.5) / 2 - 0.5, np.float32)  # of pixels' centres
        side /= 2
    return rectify(image, corners, pitch=PITCH, border=0)
