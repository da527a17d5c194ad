"""Errors between a table and its hub."""

from __future__ import annotations

from typing import ClassVar

from game.errors import TilewatchError


class HubError(TilewatchError):
    """Something about a hub that cannot be used or done: one line with the remedy."""


class WireError(HubError):
    """A message that is not of this protocol: one line with its fault."""

    kind: ClassVar[str] = "refused"
    """Under what an incident is noted: kinds are limited in rate one by one."""


class ForgedError(WireError):
    """A message or a record that its named author did not sign, or that was altered on its way."""

    kind = "forged"


class UnreadableError(WireError):
    """A record that is the table's own, and that no page could show."""

    kind = "unreadable"


class GuessError(WireError):
    """A wrong secret for a table's code; the answer does not reveal which table's."""

    kind = "guessed"

    def __init__(self, message: str, table_id: str, *, too_often: bool = False) -> None:
        super().__init__(message)
        self.table_id = table_id
        self.too_often = too_often
        """Nothing more is listened to, from this source or from any."""
