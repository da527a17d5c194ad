#!/usr/bin/env python3
"""Checks a tilewatch evidence bundle with nothing of tilewatch: docs/evidence.md put into code.

    python verify_bundle.py BUNDLE [--key PUBLIC-KEY-OR-FINGERPRINT]... [--digest DIGEST]

Needs Python 3.11 and the package `cryptography`. Exit status: 0 sound, 1 not, 2 no bundle.
It checks the archive, the manifest, chain, signatures and pictures, and that the stated scores are
the sums of the stated turns; it does not know the rules of the game, so it replays nothing.
"""

import argparse
import hashlib
import json
import re
import struct
import sys
import zlib
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


Event = tuple[int, str, dict[str, Any]]  # sequence, hash, payload


class Bad(Exception):
    """The first thing that is wrong: (place, what)."""


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def fingerprint(key: str) -> str:
    return "-".join(re.findall("....", sha256(bytes.fromhex(key))[:32]))


def digest(record_hash: str) -> str:
    bits = f"{int(record_hash, 16):0256b}"[:60]
    letters = "".join(BASE32[int(five, 2)] for five in re.findall(".....", bits))
    return "-".join(re.findall("....", letters))


def is_signed(kind: str, key: str, text: str, signature: str) -> bool:
    message = f"tilewatch {kind}\n{key}\n{text}\n".encode()
    if not re.fullmatch("[0-9a-f]{128}", signature):
        return False
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), message)
        return True
    except (InvalidSignature, ValueError):
        return False


def archive(data: bytes) -> tuple[dict[str, bytes], list[Bad]]:
    """The entries by name, where the archive is the only one they can make; check sums amiss."""
    files: dict[str, bytes] = {}
    central, at, amiss = b"", 0, []
    while data[at : at + 4] == b"PK\3\4" and len(data) >= at + 30:
        crc, size, length = struct.unpack_from("<L4xLH", data, at + 14)
        start = at + 30 + length
        name, content = data[at + 30 : start], data[start : start + size]
        due = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, crc, size, size, length, 0)
        if data[at : at + 30] != due or len(content) != size or not name.isascii():
            raise Bad(f"byte {at}", "no sound entry begins here")
        if zlib.crc32(content) != crc:
            amiss.append(Bad(f"byte {at}", f"the check sum of {name.decode()} is wrong"))
        files[name.decode()] = content
        fields = (20, 20, 0, 0, 0, 33, crc, size, size, length, *[0] * 5, at)
        central += struct.pack("<4s6H3L5H2L", b"PK\1\2", *fields) + name
        at = start + size
    size = len(central)
    central += struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *[len(files)] * 2, size, at, 0)
    if data[at:] != central:
        shorter = min(len(data) - at, len(central))
        same = next((n for n in range(shorter) if data[at + n] != central[n]), shorter)
        amiss.append(Bad(f"byte {at + same}", "the directory is not what the entries give"))
    return files, amiss


def chain(files: dict[str, bytes], manifest: dict[str, Any], keys: list[str]) -> list[Event]:
    """The game's events, each checked."""
    events: list[Event] = []
    lines, links = (files[name].split(b"\n") for name in ("events.jsonl", "chain.txt"))
    if lines.pop() or links.pop():
        raise Bad("events.jsonl or chain.txt", "the last line is cut off")
    seq, before = manifest["first"]["seq"] - 1, manifest["first"]["prev_hash"]
    for link in links:
        seq, place = seq + 1, f"event {seq + 1}"
        parts = link.decode("ascii", "replace").split(" ")
        if len(parts) != 5 or parts[0] != str(seq) or (parts[3] == "-") != (parts[4] == "-"):
            raise Bad(place, "has no line of its own in chain.txt")
        _, body_hash, own, key, signature = parts
        if key != "-":
            if len(events) == len(lines):
                raise Bad(place, "is not in events.jsonl")
            body = lines[len(events)]
            if sha256(body) != body_hash:
                raise Bad(place, "was changed, is missing or stands in another place")
            fields = json.loads(body)
            if fields[:3] != [seq, manifest["game_id"], len(events) + 1]:
                raise Bad(place, "is not the event of the game that should stand here")
            events.append((seq, own, fields[8]))
        if own != sha256((before + body_hash).encode()):
            raise Bad(place, "does not follow the event before it")
        if key != "-" and not is_signed("record", key, own, signature):
            raise Bad(place, "its signature is not that of the key that it names")
        if key not in ("-", *keys) and fingerprint(key) not in keys:
            raise Bad(place, f"signed with another key, {fingerprint(key)}")
        before = own
    if len(lines) > len(events):
        raise Bad(f"event {json.loads(lines[len(events)])[0]}", "was added")
    if [seq, before, len(events)] != [manifest["head"][n] for n in ("seq", "hash", "number")]:
        raise Bad(f"event {seq + 1}", "is missing: the log was cut off before it")
    return events


def pictures(events: list[Event], files: dict[str, bytes]) -> None:
    linked: dict[str, int] = {}
    deleted: set[str] = set()
    for seq, _, payload in events:
        if payload["type"] in ("TurnSeen", "TilesChanged", "BoardSeen"):
            linked.update((sha, seq) for sha in payload.get("frames", {}).values())
        elif payload["type"] == "PicturesKept":
            linked.update((one["sha256"], seq) for one in payload["pictures"])
        elif payload["type"] == "PicturesDeleted":
            deleted.update(payload["pictures"])
    for sha, seq in linked.items():
        name = f"pictures/{sha}.jpg"
        if sha256(files[name]) != sha if name in files else sha not in deleted:
            raise Bad(name, f"is not the picture that event {seq} links, or is missing")
    for name in files:
        if name.startswith("pictures/") and name[9:-4] not in linked:
            raise Bad(name, "is a picture that no event links")


def check(data: bytes, keys: list[str], written: str | None) -> str:
    files, amiss = archive(data)
    for name in ("manifest.json", "manifest.sig", "events.jsonl", "chain.txt"):
        if name not in files:
            raise amiss[0] if amiss else Bad(name, "is not in the bundle")
    manifest = json.loads(files["manifest.json"])
    key, signature = manifest["key"], files["manifest.sig"].decode("ascii", "replace")
    text = sha256(files["manifest.json"])
    if signature[-1:] != "\n" or not is_signed("bundle", key, text, signature[:-1]):
        raise Bad("manifest.json", "its signature is not that of the key that it names")
    keys = keys or [key]  # without any given, one and the same must have signed everything
    if key not in keys and fingerprint(key) not in keys:
        raise Bad("manifest.json", f"signed with another key, {fingerprint(key)}")
    events = chain(files, manifest, keys)
    due = ["manifest.json", "manifest.sig", *(one["name"] for one in manifest["files"])]
    if list(files) != due:
        odd = sorted(set(files) ^ set(due)) or [a for a, b in zip(files, due) if a != b]
        raise amiss[-1] if amiss else Bad(odd[0], "is missing, was added or is out of place")
    for one in manifest["files"]:
        if sha256(files[one["name"]]) != one["sha256"] or len(files[one["name"]]) != one["size"]:
            raise Bad(one["name"], "is not the file that the manifest lists")
    if amiss:
        raise amiss[0]
    pictures(events, files)
    game = manifest["game"] or {"scores": {}}  # null where the events could not be replayed
    for side, score in game["scores"].items():
        lines = [turn["score"] for turn in game["turns"] if turn["side"] == side]
        lines += [line["points"] for line in game["adjustments"] if line["side"] == side]
        if sum(lines) != score:
            raise Bad("scores", f"{side} has {score}, the turns and adjustments give {sum(lines)}")
    if written is not None and written not in [digest(own) for _, own, _ in events]:
        raise Bad("digest", f"no event of the bundle has the digest {written}")
    return f"key {fingerprint(key)}, digest {digest(events[-1][1])}, scores {game['scores']}"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("--key", action="append", default=[])
    parser.add_argument("--digest")
    args = parser.parse_args()
    try:
        with open(args.bundle, "rb") as handle:
            data = handle.read()
        if data[:4] != b"PK\3\4" and data[30:43] != b"manifest.json":
            raise ValueError("not an evidence bundle")
        print(f"{args.bundle}: sound: {check(data, args.key, args.digest)}")
    except (Bad, LookupError, TypeError, AttributeError, UnicodeError, json.JSONDecodeError) as bad:
        place = bad.args if isinstance(bad, Bad) else ("manifest.json or events.jsonl", repr(bad))
        print(f"{args.bundle}: NOT SOUND: {place[0]}: {place[1]}")
        return 1
    except (OSError, ValueError) as error:
        print(f"{args.bundle}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
