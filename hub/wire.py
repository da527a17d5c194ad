"""Records of a log on their way: as many whole lines of its mirror as fit into one message.

A line is what ``table.log_mirror`` keeps, ``[body, prev_hash, hash, key, signature]``: each stands
for itself, carries its hash and its signature, and has one way only to be written, so that what
arrives is byte for byte what was logged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Final

from hub.errors import WireError
from table.chain import LoggedEvent
from table.log_mirror import from_body, line_of

MAX_BATCH: Final = 48 * 1024
"""Bytes of a message with several records at most."""

MAX_RECORD: Final = 192 * 1024
"""Bytes of one record at most; a turn takes about two thousand."""


def batches(events: Iterable[LoggedEvent]) -> Iterator[tuple[list[LoggedEvent], bytes]]:
    """Records as messages in their order, each with what it carries.

    Raises ``WireError`` for a record that is too large for any.
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
    """The records that a message carries, each well-formed in itself, in their order.

    Neither hashes nor signatures are looked at here. Raises ``WireError``.
    """
    if len(message) > MAX_RECORD:
        raise WireError(f"a message of {len(message)} bytes is too large; at most {MAX_RECORD}")
    if not message.endswith(b"\n"):
        raise WireError("a message that does not end with a whole record")
    return [_record(line + b"\n") for line in message[:-1].split(b"\n")]


def _record(line: bytes) -> LoggedEvent:
    try:
        body, prev_hash, own, key, signature = json.loads(line)
        if not all(isinstance(part, str) for part in (body, prev_hash, own, key, signature)):
            raise ValueError("parts of a line are strings")
        event = from_body(body, prev_hash, own, key, signature)
        _check_types(event)
        if line_of(event) != line:
            raise ValueError("written another way than it is logged")
    except (ValueError, TypeError, RecursionError, AttributeError) as error:
        raise WireError(f"no record of a log: {str(error)[:120]}") from error
    return event


def _check_types(event: LoggedEvent) -> None:
    for value in (event.seq, event.number, event.mono_ns, event.wall_ns, event.version):
        if type(value) is not int or not -(2**63) <= value < 2**63:
            raise ValueError("a number that is none")
    for text in (event.game_id, event.source, event.type):
        if type(text) is not str or len(text) > 200:
            raise ValueError("a name that is none")
    if event.seq < 1 or event.number < 1:
        raise ValueError("counted from 1")
