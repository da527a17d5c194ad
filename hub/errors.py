"""Errors between a table and its hub."""

from __future__ import annotations

from typing import ClassVar

from game.errors import TilewatchError


class HubError(TilewatchError):
    """A fault of a hub, or a refusal by it: one line with the remedy."""


class WireError(HubError):
    """A message does not keep to this protocol; one line names the fault."""

    kind: ClassVar[str] = "refused"
    """The kind of the incident that is noted; the rate of each kind is limited separately."""


class ForgedError(WireError):
    """A message or record was not signed by its named author, or was altered on its way."""

    kind = "forged"


class UnreadableError(WireError):
    """A record is authentic but cannot be shown on any page."""

    kind = "unreadable"


class GuessError(WireError):
    """A wrong password for a table's code; the answer does not reveal the table."""

    kind = "guessed"

    def __init__(self, message: str, table_id: str, *, too_often: bool = False) -> None:
        super().__init__(message)
        self.table_id = table_id
        self.too_often = too_often
        """True if further guesses are refused, from this source or from all."""
