"""Sends records of a log: as many whole lines of its mirror as fit into one message.

A line is in the form of ``record.log.mirror``, ``[body, prev_hash, hash, key, signature]``. It is
complete in itself, with hash and signature, and has only one valid spelling, so the received bytes
are exactly the logged ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from game.errors import TilewatchError
from game.events import GameStarted, from_payload
from game.events.values import short
from hub.errors import UnreadableError, WireError
from record import strict_json
from record.chain import PAYLOAD_VERSION, LoggedEvent
from record.log.mirror import from_body, line_of

MAX_BATCH: Final = 48 * 1024
"""The most bytes of a message with several records."""

MAX_RECORD: Final = 192 * 1024
"""The most bytes of one record, and so of a message; a turn takes about two thousand."""

_GAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-][A-Za-z0-9._-]{0,150}|[A-Za-z0-9]")
"""The form of a game's id: it is part of addresses."""


def batches(events: Iterable[LoggedEvent]) -> Iterator[tuple[list[LoggedEvent], bytes]]:
    """Yield the messages that carry the records in order, each message after its records.

    Raises ``WireError`` for a record that is too large for a message.
    """
    carried: list[LoggedEvent] = []
    lines: list[bytes] = []
    size = 0
    for event in events:
        line = line_of(event)
        if len(line) > MAX_RECORD:
            raise WireError(
                f"event {event.seq} has {len(line)} bytes; a hub takes at most {MAX_RECORD}"
            )
        if carried and size + len(line) > MAX_BATCH:
            yield carried, b"".join(lines)
            carried, lines, size = [], [], 0
        carried.append(event)
        lines.append(line)
        size += len(line)
    if carried:
        yield carried, b"".join(lines)


def records(message: bytes) -> list[LoggedEvent]:
    """Return a message's records in their order.

    Hashes and signatures are not checked here. Raises ``WireError`` if a record is malformed.
    """
    if len(message) > MAX_RECORD:
        raise WireError(f"a message of {len(message)} bytes is too large; at most {MAX_RECORD}")
    if not message.endswith(b"\n"):
        raise WireError("a message does not end with a whole record")
    return [_record(line + b"\n") for line in message[:-1].split(b"\n")]


def check_readable(event: LoggedEvent) -> None:
    """Refuse a record that could not be folded and shown. Raises ``UnreadableError``.

    A payload has to be an event of this version with values within their limits
    (:func:`game.events.from_payload`), and the record has to name its kind and its game.
    """
    if event.version > PAYLOAD_VERSION:
        raise UnreadableError(
            f"event {event.seq} was written by a newer tilewatch than this hub; update the hub"
        )
    try:
        read = from_payload(event.payload)
    except TilewatchError as error:
        raise UnreadableError(f"event {event.seq} cannot be shown: {str(error)[:200]}") from error
    if type(read).__name__ != event.type:
        raise UnreadableError(f"event {event.seq} is not of the kind that its record names")
    if not _GAME.fullmatch(event.game_id):
        raise UnreadableError(
            f"event {event.seq}: {event.game_id[:60]!a} is not a valid id of a game"
        )
    if isinstance(read, GameStarted) and read.game_id != event.game_id:
        raise UnreadableError(
            f"event {event.seq} starts a game other than the one that its record names"
        )


def _record(line: bytes) -> LoggedEvent:
    try:
        body, prev_hash, own, key, signature = strict_json.loads(line)
        if not all(isinstance(part, str) for part in (body, prev_hash, own, key, signature)):
            raise ValueError("a part of the line is not a string")
        event = from_body(body, prev_hash, own, key, signature)
        _check_types(event)
        if line_of(event) != line:
            raise ValueError("the record is not spelled as a log spells it")
    except (ValueError, TypeError, RecursionError, AttributeError) as error:
        raise WireError(f"not a record of a log: {short(str(error))}") from error
    return event


def _check_types(event: LoggedEvent) -> None:
    for value in (event.seq, event.number, event.mono_ns, event.wall_ns, event.version):
        if type(value) is not int or not -(2**63) <= value < 2**63:
            raise ValueError("a number is not an integer or is out of range")
    for text in (event.game_id, event.source, event.type):
        if type(text) is not str or len(text) > 200:
            raise ValueError("a name is not a string or is longer than 200 characters")
    if event.seq < 1 or event.number < 1:
        raise ValueError("the sequence and the number of an event start at 1")
