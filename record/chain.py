"""The log's records, and the hashes and signatures that protect them.

A record's *body* is the UTF-8 of a JSON array on one line, without spaces and with non-ASCII
characters written as themselves::

    [seq,"game_id",number,mono_ns,wall_ns,"source","type",version,payload]

where ``payload`` is the payload's own canonical JSON (keys sorted, no spaces), spliced in as it
stands. ``hash`` is the SHA-256 of the 128 hexadecimal digits ``prev_hash`` + SHA-256 of the body,
and ``prev_hash`` the ``hash`` of the record with the sequence one lower; the first record's is 64
zeros. ``signature`` is the table's over its own key and ``hash``, so every record is a checkpoint
of everything up to it. ``number`` counts the records of one game from 1.

Bodies are hashed by themselves so that the records of one game can be shown while records of other
games between them are given only by their bodies' hashes; the numbers show that none of the game's
own records is left out. docs/evidence.md specifies all this, and says what a chain cannot show.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from record import strict_json
from record.errors import LogError
from record.seals import GENESIS, is_signed_by, link, record_message, sha256
from record.signing import TableKey

PAYLOAD_VERSION = 1
"""Version of the documented form of payloads (``game.events``) that new records are written in."""


@dataclass(frozen=True, slots=True)
class LoggedEvent:
    """One record of the log.

    ``mono_ns`` is on the table's monotonic base, ``wall_ns`` is UTC since 1970 and affects no
    result, ``source`` says where the fact comes from (``recorder``, ``buttons``, ``director``…).
    """

    seq: int
    game_id: str
    number: int
    """Place among the records of its game, from 1."""
    mono_ns: int
    wall_ns: int
    source: str
    type: str
    version: int
    payload_text: str
    prev_hash: str
    hash: str
    key: str
    """The public half of the key that signed the record, in hex."""
    signature: str
    on_disk: bool = field(default=True, compare=False)
    """False while the record is only in memory because of a full or broken disk: not
    acknowledged."""

    @property
    def payload(self) -> dict[str, Any]:
        """The payload as a new dictionary, for ``game.events.from_payload``.

        Raises ``LogError`` if the payload is damaged or no JSON object.
        """
        try:
            value = json.loads(self.payload_text)
            if not isinstance(value, dict):
                raise ValueError("its payload is no object")
        except (ValueError, RecursionError) as error:
            raise LogError(
                f"event {self.seq} of {self.game_id} is damaged ({error}); keep a copy of the "
                "table's data, and take the game from a backup or its exported bundle"
            ) from error
        return value

    @property
    def body(self) -> str:
        """The body of the record, whose UTF-8 is hashed."""
        head = json.dumps(
            [
                self.seq,
                self.game_id,
                self.number,
                self.mono_ns,
                self.wall_ns,
                self.source,
                self.type,
                self.version,
            ],
            ensure_ascii=False,
            separators=(",", ":"),
        )
        return f"{head[:-1]},{self.payload_text}]"

    @property
    def body_hash(self) -> str:
        """SHA-256 of the body, in hex."""
        return sha256(self.body.encode("utf-8", "surrogatepass"))

    def expected_hash(self) -> str:
        """Return the hash that follows from the record's contents and the record before it."""
        return link(self.prev_hash, self.body_hash)

    def sealed(self, key: TableKey) -> LoggedEvent:
        """Return the record with the right hash and a signature by ``key``."""
        due = self.expected_hash()
        message = record_message(key.public, due)
        return replace(self, hash=due, key=key.public, signature=key.sign(message))

    def has_valid_signature(self) -> bool:
        """True if the key that the record names has signed the record's hash."""
        return is_signed_by(self.key, record_message(self.key, self.hash), self.signature)


@dataclass(frozen=True, slots=True)
class ChainFault:
    """The first place where a chain is broken, and how."""

    seq: int
    message: str

    def __str__(self) -> str:
        return f"event {self.seq}: {self.message}"


def canonical_json(payload: Mapping[str, Any]) -> str:
    """Return the only text of a payload: keys sorted, no spaces, non-ASCII unescaped, no NaN.

    Raises ``ValueError`` or ``TypeError`` for values that JSON cannot express.
    """
    return json.dumps(
        payload, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def payload_json(payload: Mapping[str, Any]) -> str:
    """Return the text of a payload as logged, which every verifier of bundles can read.

    Raises ``ValueError`` or ``TypeError`` for values that JSON cannot express, or not in one way.
    """
    try:
        text = canonical_json(payload)
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    strict_json.loads(text.encode("utf-8"))
    return text


def first_fault(
    events: Iterable[LoggedEvent],
    follows: tuple[int, str] = (0, GENESIS),
    *,
    signatures: bool = True,
) -> ChainFault | None:
    """Check records in order; return the first fault, or ``None``.

    ``follows`` has the sequence and the hash of the record before the first. Without ``signatures``
    only the chain is checked, which is some ten times quicker.
    """
    seq, prev_hash = follows
    whole = not seq
    counted: dict[str, int] = {}
    for event in events:
        seq += 1
        if event.seq != seq:
            return ChainFault(seq, f"missing; the next one present is {event.seq}")
        if event.prev_hash != prev_hash:
            return ChainFault(seq, "does not follow the event before it")
        if event.hash != event.expected_hash():
            return ChainFault(seq, "its contents were changed after it was written")
        number = counted.get(event.game_id, 0 if whole else event.number - 1) + 1
        if event.number != number:
            return ChainFault(
                seq, f"it should be number {number} of game {event.game_id}, not {event.number}"
            )
        if signatures and not event.has_valid_signature():
            return ChainFault(seq, "its signature is not that of the key that it names")
        counted[event.game_id], prev_hash = number, event.hash
    return None
