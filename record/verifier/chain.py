"""A bundle's events, one after the other, each checked against the log's chain."""

from __future__ import annotations

import hashlib
import io
import re
from collections.abc import Iterator, Mapping
from typing import Any

from record import strict_json
from record.bundle import archive
from record.chain import GENESIS, PAYLOAD_VERSION, LoggedEvent, canonical_json, link
from record.signing import digest
from record.verifier.report import Fault

_LINK = re.compile(
    rb"(\d{1,19}) ([0-9a-f]{64}) ([0-9a-f]{64}) (?:- -|([0-9a-f]{64}) ([0-9a-f]{128}))\n"
)


def walk(chain: bytes, lines: bytes, manifest: Mapping[str, Any]) -> Iterator[LoggedEvent | Fault]:
    """The game's events, each checked against the chain; or the first fault."""
    for name, content in ((archive.EVENTS, lines), (archive.CHAIN, chain)):
        if not content.endswith(b"\n"):
            yield Fault(name, "its last line is cut off")
            return
    bodies = iter(io.BytesIO(lines))
    seq, prev_hash = manifest["first"]["seq"] - 1, manifest["first"]["prev_hash"]
    if seq == 0 and prev_hash != GENESIS:
        yield Fault("event 1", "the first of a log follows no other; its manifest names one")
        return
    number, own, foreign = 0, "-", True
    for line in io.BytesIO(chain):
        seq += 1
        found = _LINK.fullmatch(line)
        if found is None or found[1] != b"%d" % seq:
            there = "" if found is None else f"; event {found[1].decode()} stands there"
            yield Fault(f"event {seq}", f"has no line of its own in {archive.CHAIN}{there}")
            return
        foreign = found[4] is None
        if foreign and number == 0:
            yield Fault(f"event {seq}", f"is of another game, with which no {archive.CHAIN} begins")
            return
        body_hash, own = found[2].decode(), found[3].decode()
        follows = own == link(prev_hash, body_hash)
        if found[4] is not None:
            number += 1
            fields = _fields(next(bodies, None), (seq, manifest["game_id"], number), body_hash)
            if isinstance(fields, Fault):
                yield fields
                return
            # Its link to the event before comes first: that is what a swap breaks.
            if follows:
                yield _event(fields, prev_hash, own, found[4].decode(), found[5].decode())
        if not follows:
            whose = "" if found[4] is not None else " (of another game)"
            yield Fault(f"event {seq}", f"does not follow the event before it{whose}")
            return
        prev_hash = own
    added = next(bodies, None)
    if added is not None:
        yield Fault(f"event {_seq(added)}", "was added: the chain does not have it")
    else:
        amiss = [*_head(manifest["head"], seq, own, number)]
        if foreign and not amiss:
            text = f"is of another game, with which no {archive.CHAIN} ends"
            amiss = [Fault(f"event {seq}", text)]
        yield from amiss


def _head(stated: Mapping[str, Any], seq: int, own: str, number: int) -> Iterator[Fault]:
    """Check that the chain ends where the manifest says that it does."""
    if (stated["seq"], stated["hash"], stated["number"]) != (seq, own, number):
        yield Fault(
            f"event {seq + 1}",
            f"missing: the log went on to event {stated['seq']}, cut off after {seq}",
        )
    elif stated["digest"] != digest(own):
        yield Fault(
            archive.MANIFEST,
            f"states the digest {stated['digest']}; that of the last event is {digest(own)}",
        )


def _fields(line: bytes | None, due: tuple[int, str, int], body_hash: str) -> list[Any] | Fault:
    """The nine fields of a body, which has to be that of the event that is due."""
    place = f"event {due[0]}"
    if line is None:
        return Fault(place, f"is not in {archive.EVENTS}")
    body = line[:-1]
    if len(body) > archive.MAX_LINE:
        return Fault(place, "its line is longer than 4 MiB")
    if hashlib.sha256(body).hexdigest() != body_hash:
        there = _seq(body)
        if there not in (None, due[0]):
            return Fault(place, f"is missing or out of place; event {there} stands there")
        return Fault(place, "its contents were changed after it was written")
    try:
        fields = strict_json.loads(body)
    except ValueError as error:
        return Fault(place, f"is not in the form of an event ({error})")
    if not _has_form(fields):
        return Fault(place, "is not in the form of an event")
    if tuple(fields[:3]) != due:
        return Fault(place, "is not the event of the game that should stand here")
    if fields[7] != PAYLOAD_VERSION:
        return Fault(place, f"its payload is of version {fields[7]}: update tilewatch to replay it")
    return list(fields)


_FORM = (int, str, int, int, int, str, str, int, dict)


def _has_form(fields: Any) -> bool:
    return (
        isinstance(fields, list)
        and len(fields) == len(_FORM)
        and all(type(one) is form for one, form in zip(fields, _FORM, strict=True))
        and fields[8].get("type") == fields[6]
    )


def _event(fields: list[Any], prev_hash: str, own: str, key: str, signature: str) -> LoggedEvent:
    seq, game, number, mono, wall, source, kind, version, value = fields
    payload = canonical_json(value)
    head = (seq, game, number, mono, wall, source, kind, version)
    return LoggedEvent(*head, payload, prev_hash, own, key, signature)


def _seq(body: bytes) -> int | None:
    found = re.match(rb"\[(\d{1,18}),", body)
    return int(found[1]) if found else None
