"""The log's records and the hash chain that ties each to the one before.

The canonical form of a record is the UTF-8 of a JSON array, without spaces and with non-ASCII
characters written as themselves::

    [seq, game_id, mono_ns, wall_ns, source, type, version, payload, prev_hash]

where ``payload`` is the *text* of the payload's own canonical JSON (keys sorted, no spaces), as a
JSON string. Hashing the text, not the parsed payload, means that nobody who checks the chain ever
has to print a floating-point number exactly as Python does. ``hash`` is the SHA-256 of that form in
hex, and ``prev_hash`` the ``hash`` of the record with the sequence one lower; the first record's
``prev_hash`` is 64 zeros.

A chain shows that nothing inside it was changed, removed, added or swapped. It cannot show that its
newest records were cut off, nor stop somebody who rewrites it whole from the change onwards.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

GENESIS = "0" * 64
PAYLOAD_VERSION = 1
"""Version of the documented form of payloads (``game.events``) that new records are written in."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One committed record of the log.

    ``mono_ns`` is on the table's monotonic base, ``wall_ns`` is UTC since 1970 and used for
    nothing, ``source`` says who the fact comes from (``recorder``, ``buttons``, ``director``…).
    """

    seq: int
    game_id: str
    mono_ns: int
    wall_ns: int
    source: str
    type: str
    version: int
    payload_text: str
    prev_hash: str
    hash: str

    @property
    def payload(self) -> dict[str, Any]:
        """The payload as a new dictionary, for ``game.events.from_payload``."""
        value: dict[str, Any] = json.loads(self.payload_text)
        return value

    def due_hash(self) -> str:
        """The SHA-256, in hex, of the canonical form of what this record says."""
        form = [
            self.seq,
            self.game_id,
            self.mono_ns,
            self.wall_ns,
            self.source,
            self.type,
            self.version,
            self.payload_text,
            self.prev_hash,
        ]
        text = json.dumps(form, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()

    def sealed(self) -> LoggedEvent:
        """The same record with the hash that is due to it."""
        return replace(self, hash=self.due_hash())


@dataclass(frozen=True, slots=True)
class ChainFault:
    """The first place where a chain does not hold, and in which way."""

    seq: int
    message: str

    def __str__(self) -> str:
        return f"event {self.seq}: {self.message}"


def canonical_json(payload: Mapping[str, Any]) -> str:
    """The one text of a payload: keys sorted, no spaces, non-ASCII as itself, no NaN.

    Raises ``ValueError`` or ``TypeError`` for what JSON cannot say.
    """
    return json.dumps(
        payload, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def first_fault(events: Iterable[LoggedEvent]) -> ChainFault | None:
    """Check records from the very first on; the first that does not hold, or ``None``."""
    expected_seq, prev_hash = 1, GENESIS
    for event in events:
        if event.seq != expected_seq:
            return ChainFault(expected_seq, f"missing; the next one present is {event.seq}")
        if event.prev_hash != prev_hash:
            return ChainFault(event.seq, "does not follow the event before it")
        if event.hash != event.due_hash():
            return ChainFault(event.seq, "its contents were changed after it was written")
        expected_seq, prev_hash = expected_seq + 1, event.hash
    return None
