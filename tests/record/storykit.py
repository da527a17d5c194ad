"""Events of a game as they would be logged, without a log."""

from __future__ import annotations

import json
from collections.abc import Iterable

from game.events import Event, TurnSeen, to_payload
from record.chain import PAYLOAD_VERSION, LoggedEvent, canonical_json
from record.story import Entry

WALL_NS = 1_800_000_000_000_000_000


def entries_of(events: Iterable[Event], source: str = "recorder") -> tuple[Entry, ...]:
    """One entry each; wall time runs with the table's own."""
    found = []
    for number, event in enumerate(events, start=1):
        t_ns = event.press_ns if isinstance(event, TurnSeen) else event.t_ns
        payload = to_payload(event)
        logged = LoggedEvent(
            number, "g1", number, t_ns, WALL_NS + t_ns, source, payload["type"], PAYLOAD_VERSION,
            canonical_json(json.loads(json.dumps(payload))), "0" * 64, "0" * 64, "0" * 64,
            "0" * 128,
        )  # fmt: skip
        found.append(Entry(logged, event))
    return tuple(found)
