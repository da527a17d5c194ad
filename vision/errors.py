"""Errors between a picture and a reading."""

from __future__ import annotations

from game.errors import TilewatchError


class ImageError(TilewatchError):
    """The picture can't be used."""


class NoBoardFoundError(TilewatchError):
    """No board is in the picture."""


class ModelError(TilewatchError):
    """The weights are missing, damaged or made for another class list."""
