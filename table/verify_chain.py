"""A bundle's events, one after the other, each held against the log's chain."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from table import bundle
from table.chain import PAYLOAD_VERSION, link
from table.verify_report import Fault

_HEAD = ("seq", "hash", "number")


@dataclass(frozen=True, slots=True)
class ChainedEvent:
    """One event of the game, as its line has it."""

    seq: int
    hash: str
    payload: Mapping[str, Any]


def walk(
    chain: bytes, lines: bytes, manifest: Mapping[str, Any]
) -> Iterator[tuple[ChainedEvent, str, str] | Fault]:
    """The game's events with key and signature, each checked against the chain; or a fault."""
    bodies = lines.split(b"\n")
    links = chain.split(b"\n")
    if bodies.pop() != b"" or links.pop() != b"":
        where = bundle.EVENTS if not lines.endswith(b"\n") else bundle.CHAIN
        yield Fault(where, "its last line is cut off")
        return
    seq, prev_hash = manifest["first"]["seq"] - 1, manifest["first"]["prev_hash"]
    number = 0
    own = "-"
    for line in links:
        seq += 1
        found = re.fullmatch(
            r"(\d+) ([0-9a-f]{64}) ([0-9a-f]{64}) (?:(-) -|([0-9a-f]{64}) ([0-9a-f]{128}))",
            line.decode("ascii", "replace"),
        )
        if found is None or found[1] != str(seq):
            there = "" if found is None else f"; event {found[1]} stands there"
            yield Fault(f"event {seq}", f"has no line of its own in {bundle.CHAIN}{there}")
            return
        body_hash, own = found[2], found[3]
        if found[4] is None:
            number += 1
            event = _event(bodies, number, seq, body_hash, own, str(manifest["game_id"]))
            if isinstance(event, Fault):
                yield event
                return
            # Its link to the event before comes first: that is what a swap breaks.
            if own != link(prev_hash, body_hash):
                yield Fault(f"event {seq}", "does not follow the event before it")
                return
            yield event, found[5], found[6]
        elif own != link(prev_hash, body_hash):
            yield Fault(f"event {seq}", "does not follow the event before it (of another game)")
            return
        prev_hash = own
    if len(bodies) > number:
        yield Fault(f"event {_seq(bodies[number])}", "was added: the chain does not have it")
    elif (seq, own, number) != tuple(manifest["head"][name] for name in _HEAD):
        yield Fault(
            f"event {seq + 1}",
            f"missing: the log went on to event {manifest['head']['seq']}, cut off after {seq}",
        )


def _event(
    bodies: Sequence[bytes], number: int, seq: int, body_hash: str, own: str, game_id: str
) -> ChainedEvent | Fault:
    place = f"event {seq}"
    if number > len(bodies):
        return Fault(place, f"is not in {bundle.EVENTS}")
    body = bodies[number - 1]
    there = _seq(body)
    if hashlib.sha256(body).hexdigest() != body_hash:
        if there not in (None, seq):
            return Fault(place, f"is missing or out of place; event {there} stands there")
        return Fault(place, "its contents were changed after it was written")
    try:
        own_seq, game, count, _, _, _, type_, version, payload = json.loads(body)
        if (own_seq, game, count, type_) != (seq, game_id, number, payload["type"]):
            return Fault(place, "is not the event of the game that should stand here")
    except (ValueError, KeyError, TypeError):
        return Fault(place, "is not in the form of an event")
    if version != PAYLOAD_VERSION:
        return Fault(place, f"its payload is of version {version}: update tilewatch to replay it")
    return ChainedEvent(seq, own, payload)


def _seq(body: bytes) -> int | None:
    found = re.match(rb"\[(\d{1,18}),", body)
    return int(found[1]) if found else None
