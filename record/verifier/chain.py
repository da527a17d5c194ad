"""The game's events, one after the other, each checked against the chain of hashes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from record.bundle.archive import CHAIN, EVENTS, MANIFEST, MAX_LINE
from record.seals import GENESIS, digest, is_signed_by, link, record_message, sha256
from record.strict_json import loads

LINE = re.compile(
    rb"(\d{1,19}) ([0-9a-f]{64}) ([0-9a-f]{64}) (?:- -|([0-9a-f]{64}) ([0-9a-f]{128}))\n"
)

BODY = (int, str, int, int, int, str, str, int, dict)
"""The types of the nine fields of a body."""


class Bad(Exception):  # noqa: N818 (it is no error of the program)
    """A fault after which nothing more can be checked: (place, what)."""


class Event(NamedTuple):
    """One record of the game."""

    body: list[Any]
    """The nine fields of the record's body."""
    prev_hash: str
    hash: str
    key: str
    signature: str

    @property
    def seq(self) -> int:
        """The record's place in the table's log, from 1."""
        return int(self.body[0])

    @property
    def payload(self) -> dict[str, Any]:
        """The record's payload."""
        payload: dict[str, Any] = self.body[8]
        return payload


def checked_events(chain: bytes, lines: bytes, manifest: Mapping[str, Any]) -> Iterator[Event]:
    """Yield the game's events. Raises ``Bad`` at the first fault."""
    for name, content in ((EVENTS, lines), (CHAIN, chain)):
        if not content.endswith(b"\n"):
            raise Bad(name, "its last line is cut off")
    bodies = io.BytesIO(lines)
    seq, before = manifest["first"]["seq"] - 1, manifest["first"]["prev_hash"]
    place, key, number = "", "", 0
    if seq == 0 and before != GENESIS:
        raise Bad("event 1", "the first of a log follows no other; its manifest names one")
    for line in io.BytesIO(chain):
        seq, place = seq + 1, f"event {seq + 1}"
        body_hash, own, key, signature = line_of(seq, line)
        if not key and not number:
            raise Bad(place, f"is of another game, with which no {CHAIN} begins")
        body: list[Any] = []
        if key:
            number += 1
            due = (seq, manifest["game_id"], number)
            body = fields(bodies.readline(MAX_LINE + 2), body_hash, due)
        if own != link(before, body_hash):  # before its signature: that is what a swap breaks
            whose = "" if key else " (of another game)"
            raise Bad(place, f"does not follow the event before it{whose}")
        if key:
            if not is_signed_by(key, record_message(key, own), signature):
                raise Bad(place, "its signature is not that of the key that it names")
            yield Event(body, before, own, key, signature)
        before = own
    added = bodies.readline(30)
    if added:
        raise Bad(f"event {seq_of(added)}", "was added: the chain does not have it")
    require_head(manifest["head"], seq, before, number)
    if not key:
        raise Bad(place, f"is of another game, with which no {CHAIN} ends")


def line_of(seq: int, line: bytes) -> tuple[str, str, str, str]:
    """Return a record's body hash, hash, key and signature; the last two are empty in other games.

    Raises ``Bad`` if the line is not that of record ``seq``.
    """
    parts = LINE.fullmatch(line)
    if parts is None or parts[1] != b"%d" % seq:
        there = "" if parts is None else f"; event {parts[1].decode()} stands there"
        raise Bad(f"event {seq}", f"has no line of its own in {CHAIN}{there}")
    _, body_hash, own, key, signature = ((part or b"").decode() for part in parts.groups())
    return body_hash, own, key, signature


def require_head(head: Mapping[str, Any], seq: int, own: str, number: int) -> None:
    """Check that the chain ends as the manifest says. Raises ``Bad``."""
    if [seq, own, number] != [head["seq"], head["hash"], head["number"]]:
        text = f"missing: the log went on to event {head['seq']}, cut off after {seq}"
        raise Bad(f"event {seq + 1}", text)
    if head["digest"] != digest(own):
        text = f"states the check code {head['digest']}; that of the last event is {digest(own)}"
        raise Bad(MANIFEST, text)


def fields(line: bytes, body_hash: str, due: tuple[int, str, int]) -> list[Any]:
    """Return the nine fields of a body, which must begin with those of ``due``. Raises ``Bad``."""
    place, body = f"event {due[0]}", line[:-1]
    if not line:
        raise Bad(place, f"is not in {EVENTS}")
    if len(body) > MAX_LINE:
        raise Bad(place, "its line is longer than 4 MiB")
    if sha256(body) != body_hash:
        there = seq_of(body)
        if there not in (due[0], "?"):
            raise Bad(place, f"is missing or out of place; event {there} stands there")
        raise Bad(place, "its contents were changed after it was written")
    try:
        found = loads(body)
    except ValueError as error:
        raise Bad(place, f"is not in the form of an event ({error})") from None
    is_list = isinstance(found, list)
    if not is_list or tuple(map(type, found)) != BODY or found[8].get("type") != found[6]:
        raise Bad(place, "is not in the form of an event")
    if tuple(found[:3]) != due:
        raise Bad(place, "is not the event of the game that should stand here")
    if found[7] != 1:
        raise Bad(place, f"its payload is of version {found[7]}: update tilewatch to check it")
    return list(found)


def seq_of(body: bytes) -> int | str:
    """Return the sequence at the start of a line; ``?`` if there is none."""
    found = re.match(rb"\[(\d{1,18}),", body)
    return int(found[1]) if found else "?"
