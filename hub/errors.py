"""What goes wrong between a table and its hub."""

from __future__ import annotations

from game.errors import TilewatchError


class HubError(TilewatchError):
    """Something about a hub that cannot be used or done: one line with the remedy."""


class WireError(HubError):
    """A message that is no message of ours: one line that says what is wrong with it."""
