"""A slot's values as they change."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from dashboard.feeds.feed import Views, encode
from dashboard.obs.values import values
from dashboard.overlay.followers import NOTHING
from dashboard.site import Table
from table.pairings.details import EventDetails

Where = Callable[[], tuple[Table, Views] | None]
"""The table that is in the slot now, and its feed."""


Details = Callable[[], EventDetails]
"""The event around the game, as late as the game is."""


def values_of(
    there: tuple[Table, Views] | None, details: Details = EventDetails, fresh: bool = True
) -> dict[str, str]:
    """The values of the table that is there, as its feed shows it."""
    if there is None:
        return values(None, "")
    table, feed = there
    newest = feed.since(None, fresh)
    return values(newest[-1].view if newest else None, table.name, details())


class ValueFollower:
    """All values whenever one has changed, as one JSON object, or one field's text alone.

    The events have no ids: whoever comes back gets the values as they are then.
    """

    def __init__(
        self,
        where: Where,
        details: Details = EventDetails,
        field: str | None = None,
        ended: Callable[[], bool] = lambda: False,
    ) -> None:
        self._where, self._details, self._field, self._ended = where, details, field, ended
        self._last_sent: Mapping[str, str] | str | None = None
        self._seen: str | None = None

    @property
    def feed(self) -> Views:
        """The feed of the table that is there now."""
        there = self._where()
        return there[1] if there else NOTHING

    @property
    def over(self) -> bool:
        """True if whoever follows may do so no longer."""
        return self._ended()

    def beat(self) -> bytes:
        """A comment."""
        return b": heartbeat\n\n"

    def new_frames(self, fresh: bool = False) -> bytes:
        """The values, if they are other than they were."""
        there = self._where()
        newest = there[1].since(None, fresh) if there else []
        self._seen = newest[-1].id if newest else None
        found = values_of(there, self._details, fresh=False)
        shown_values = found if self._field is None else found[self._field]
        if shown_values == self._last_sent:
            return b""
        self._last_sent = shown_values
        lines = (
            [encode(shown_values).decode()]
            if self._field is None
            else str(shown_values).split("\n")
        )
        return "".join([*(f"data: {line}\n" for line in lines), "\n"]).encode()

    def waits_for(self) -> str | None:
        """The id of the newest view that the values are of."""
        return self._seen
