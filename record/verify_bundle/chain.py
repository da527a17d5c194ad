"""The game's events, and the chain of hashes and signatures that holds them together."""

import io
import re
from typing import Any

from .forms import fits
from .problems import Bad
from .seals import fingerprint, is_signed, sha256
from .strict_json import loads

MAX_LINE = 2**22
LINK = rb"(\d{1,19}) ([0-9a-f]{64}) ([0-9a-f]{64}) (?:- -|([0-9a-f]{64}) ([0-9a-f]{128}))\n"
BODY = (int, str, int, int, int, str, str, int, dict)

Event = tuple[int, str, str, dict[str, Any]]  # sequence, hash, key, payload


def chain(files: dict[str, memoryview], manifest: dict[str, Any], keys: list[str]) -> list[Event]:
    """The game's events, each checked."""
    events: list[Event] = []
    for name in ("events.jsonl", "chain.txt"):
        if bytes(files[name][-1:]) != b"\n":
            raise Bad(name, "the last line is cut off")
    lines, links = io.BytesIO(files["events.jsonl"]), io.BytesIO(files["chain.txt"])
    seq, before = manifest["first"]["seq"] - 1, manifest["first"]["prev_hash"]
    place = key = ""
    if seq == 0 and before != "0" * 64:
        raise Bad("event 1", "the first of a log follows no other")
    for link in links:
        seq, place = seq + 1, f"event {seq + 1}"
        parts = re.fullmatch(LINK, link)
        if parts is None or parts[1] != b"%d" % seq:
            raise Bad(place, "has no line of its own in chain.txt")
        _, body_hash, own, key, signature = ((part or b"").decode() for part in parts.groups())
        if not key and not events:
            raise Bad(place, "is of another game, with which no chain.txt begins")
        if key:
            body = lines.readline(MAX_LINE + 1)[:-1]
            if sha256(body) != body_hash:
                raise Bad(place, "was changed, is missing, too long or stands in another place")
            try:
                fields = loads(body)
            except ValueError as error:
                raise Bad(place, f"is not in the form of an event ({error})") from None
            if not fits(fields, list) or [type(one) for one in fields] != list(BODY):
                raise Bad(place, "is not in the form of an event")
            due = [seq, manifest["game_id"], len(events) + 1]
            if fields[:3] != due or fields[8].get("type") != fields[6] or fields[7] != 1:
                raise Bad(place, "is not the event of the game that should stand here")
            events.append((seq, own, key, fields[8]))
        if own != sha256((before + body_hash).encode()):
            raise Bad(place, "does not follow the event before it")
        if key and not is_signed("record", key, own, signature):
            raise Bad(place, "its signature is not that of the key that it names")
        if key and key not in keys and fingerprint(key).replace("-", "") not in keys:
            raise Bad(place, f"signed with another key, {fingerprint(key)}")
        before = own
    added = lines.readline(30)
    if added:
        number = re.match(rb"\[(\d{1,18}),", added)
        raise Bad(f"event {number[1].decode() if number else '?'}", "was added")
    if [seq, before, len(events)] != [manifest["head"][n] for n in ("seq", "hash", "number")]:
        raise Bad(f"event {seq + 1}", "is missing: the log was cut off before it")
    if not key:
        raise Bad(place, "is of another game, with which no chain.txt ends")
    return events
