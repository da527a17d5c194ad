"""Which connections a server holds, and which it closes.

Connections are few, so one address must not be able to take them all, by holding them idle or by
sending requests that never end. Nothing here knows of a server: it gets what there is, and answers
what is to be closed. Whoever has shown who they are (a director's session, a clock's key) is
*vouched* for: such a connection counts against no share and is closed for nobody else.
"""

from __future__ import annotations

import enum
from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from table.server_config import Limits

Key = TypeVar("Key", bound=Hashable)


class Phase(enum.Enum):
    """The state of a connection."""

    HEADER = "header"
    """Nothing complete has come on it: it was just opened, or a request's header is on its way."""
    BODY = "body"
    ANSWERING = "answering"
    SENDING = "sending"
    """The answer is made, and not all of it has been taken."""
    IDLE = "idle"
    """Its last request was answered; it is kept open for the next."""


_INCOMPLETE: Final = (Phase.HEADER, Phase.BODY)
_WAITING: Final = (*_INCOMPLETE, Phase.IDLE)
"""Phases in which the client has to act next: closing such a connection loses no answer."""


@dataclass(frozen=True, slots=True)
class Held:
    """A connection, as far as limits are concerned."""

    share: str | None
    """The address whose limit it counts against; ``None`` if unknown, as behind a proxy."""
    phase: Phase
    since_s: float
    """When the phase began; of ``SENDING``, when something was taken last."""
    vouched: bool = False


def overdue(held: Mapping[Key, Held], limits: Limits, now_s: float) -> list[Key]:
    """The connections whose time is up; idle ones are closed by uvicorn itself."""
    allowed_s = {
        Phase.HEADER: limits.header_s,
        Phase.BODY: limits.body_s,
        Phase.SENDING: limits.stalled_s,
    }
    return [
        key
        for key, one in held.items()
        if one.phase in allowed_s and now_s - one.since_s > allowed_s[one.phase]
    ]


def surplus(held: Mapping[Key, Held], newcomer: Key, limits: Limits) -> list[Key]:
    """Return the connections to close because of a newcomer, perhaps the newcomer itself.

    Of each address the connections that have waited longest go first, and of all addresses those
    of the one that has most. None is closed that is being answered.
    """
    closed: list[Key] = []
    share = held[newcomer].share
    others = {key: one for key, one in held.items() if key != newcomer and not one.vouched}
    if share is not None:
        own = {key: one for key, one in others.items() if one.share == share}
        incomplete = _oldest(own, _INCOMPLETE)
        if len(incomplete) >= limits.incomplete_per_address:
            closed.append(incomplete[0])
        elif len(own) >= limits.connections_per_address:
            waiting = _oldest(own, _WAITING) or _oldest(own, (Phase.SENDING,))
            # All are being answered: it has as much as it can have.
            closed.append(waiting[0] if waiting else newcomer)
    if not closed and len(held) > limits.connections:
        of_share = Counter(one.share for one in others.values())
        for phases in (_WAITING, (Phase.SENDING,)):
            if found := _oldest(others, phases):
                # Sorted by age: of those with most connections, the one that has waited longest.
                closed.append(max(found, key=lambda key: of_share[others[key].share]))
                break
    return closed


def _oldest(held: Mapping[Key, Held], phases: tuple[Phase, ...]) -> list[Key]:
    """The connections in these phases, those first that have been in theirs for longest."""
    found = [key for key, one in held.items() if one.phase in phases]
    return sorted(found, key=lambda key: held[key].since_s)
