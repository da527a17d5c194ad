"""What can go wrong between a picture and a reading."""

from __future__ import annotations

from game.errors import TilewatchError


class ImageError(TilewatchError):
    """The picture can't be used."""


class NoBoardFoundError(TilewatchError):
    """No board in the picture: said, rather than guessed."""


class ModelError(TilewatchError):
    """The weights are missing, damaged or made for another class list."""
