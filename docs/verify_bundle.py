#!/usr/bin/env python3
"""Checks a tilewatch evidence bundle with nothing of tilewatch: docs/evidence.md put into code.

    python verify_bundle.py BUNDLE [--key PUBLIC-KEY-OR-FINGERPRINT]... [--digest DIGEST]

Needs Python 3.11 and the package `cryptography`. Exit status: 0 sound, 1 not, 2 no bundle.
It does not know the rules of the game, so it replays nothing: it checks that the stated scores are
the sums of the stated turns, and leaves checks 9 and 10 of docs/evidence.md to `tilewatch verify`.
"""

import argparse
import hashlib
import io
import json
import math
import mmap
import os
import re
import stat
import struct
import sys
import zlib
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
TEXTS = ("manifest.json", "manifest.sig", "events.jsonl", "chain.txt")
MAX_FILE, MAX_TEXT, MAX_LINE, MAX_ENTRIES, MAX_DEPTH = 2**32 - 1, 2**26, 2**22, 65_000, 64
LINK = rb"(\d{1,19}) ([0-9a-f]{64}) ([0-9a-f]{64}) (?:- -|([0-9a-f]{64}) ([0-9a-f]{128}))\n"
RULES = r"(rulebook|tiles)-[a-z0-9-]+\.toml"

# Forms: a dictionary has exactly these keys, a list any number of items, a tuple gives choices.
HASH = re.compile("[0-9a-f]{64}")
SIDE = re.compile("left|right")
COUNT = range(1, 2**63)
TEXT = (str, None)
TURN = {
    "number": int, "side": SIDE, "kind": str, "position": TEXT, "word": TEXT, "tiles": dict,
    "words": [list], "bingo": int, "score": int, "total": int,
    "flags": [{"code": str, "squares": [str], "rule": TEXT}],
}  # fmt: skip
ADJUSTMENT = {
    "kind": str, "side": SIDE, "points": int, "total": int, "rule": TEXT, "after_turn": int,
    "tiles": str, "why": str,
}  # fmt: skip
GAME = {
    "players": {"left": str, "right": str}, "status": str, "end_reason": TEXT, "signed": bool,
    "scores": {"left": int, "right": int}, "rows": [str], "turns": [TURN],
    "adjustments": [ADJUSTMENT],
}  # fmt: skip
MANIFEST = {
    "format": re.compile("tilewatch evidence bundle"), "version": int, "software": str,
    "exported_wall_ns": int, "game_id": str, "key": HASH, "keys": [HASH],
    "first": {"seq": COUNT, "prev_hash": HASH},
    "head": {"seq": COUNT, "number": COUNT, "hash": HASH, "digest": str},
    "recorded_with": (dict, None), "exported_with": dict,
    "log_history": [{"wall_ns": int, "what": str, "detail": object}],
    "exports": [{"wall_ns": int, "seq": COUNT, "digest": str}],
    "game": (GAME, None), "unreplayed": TEXT, "pictures": {HASH: [str]}, "lost": [HASH],
    "files": [{"name": str, "size": range(2**63), "sha256": HASH}],
}  # fmt: skip
BODY = (int, str, int, int, int, str, str, int, dict)


Event = tuple[int, str, str, dict[str, Any]]  # sequence, hash, key, payload


class Bad(Exception):
    """The first thing that is wrong: (place, what)."""


class Unusable(Exception):
    """No bundle at all, or not one that can be checked here."""


def fits(value: Any, form: Any) -> bool:
    if isinstance(form, tuple):
        return any(fits(value, one) for one in form)
    if isinstance(form, list):
        return isinstance(value, list) and all(fits(one, form[0]) for one in value)
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return False
        if HASH in form:
            return all(fits(key, HASH) and fits(value[key], form[HASH]) for key in value)
        return value.keys() == form.keys() and all(fits(value[key], form[key]) for key in form)
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    if isinstance(form, range):
        return type(value) is int and value in form
    return form is object or value is form or type(value) is form


def loads(text: bytes) -> Any:
    """JSON that can be read in one way only. Raises ValueError."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a key stands twice in one object")
        return dict(pairs)

    def integer(text: str) -> int:
        if len(text) > 20 or not -(2**63) <= int(text) < 2**63:
            raise ValueError("an integer is beyond 64 bits")
        return int(text)

    def number(text: str) -> float:
        if not math.isfinite(float(text)):  # NaN and Infinity come here too
            raise ValueError(f"{text[:40]} is no number")
        return float(text)

    try:
        value = json.loads(text.decode(), object_pairs_hook=unique, parse_int=integer,
                           parse_float=number, parse_constant=number)  # fmt: skip
    except RecursionError:
        raise ValueError("nested too deep") from None
    level, depth = [value], 0
    while nested := [one for one in level if isinstance(one, (dict, list))]:
        level, depth = [], depth + 1
        for one in nested:
            level += one.values() if isinstance(one, dict) else one
        if depth > MAX_DEPTH:
            raise ValueError("nested too deep")
    json.dumps(value, ensure_ascii=False).encode()  # fails on half a surrogate pair
    return value


def same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def sha256(data: bytes | memoryview) -> str:
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


def archive(data: memoryview) -> tuple[dict[str, memoryview], list[Bad]]:
    """The entries by name, where the archive is the only one they can make; check sums amiss."""
    files: dict[str, memoryview] = {}
    central, at, amiss = [], 0, []
    while data[at : at + 4] == b"PK\3\4" and len(data) >= at + 30 and len(files) < MAX_ENTRIES:
        crc, size, length = struct.unpack_from("<L4xLH", data, at + 14)
        start = at + 30 + length
        name, content = bytes(data[at + 30 : start]), data[start : start + size]
        due = struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, crc, size, size, length, 0)
        text = name.decode("ascii") if name.isascii() else "\n"
        if data[at : at + 30] != due or len(content) != size or not text.isprintable():
            raise Bad(f"byte {at}", "no sound entry begins here")
        if zlib.crc32(content) != crc:
            amiss.append(Bad(f"byte {at}", f"the check sum of {text} is wrong"))
        if text in files:
            raise Bad(text, "is in the bundle twice")
        files[text] = content
        fields = (20, 20, 0, 0, 0, 33, crc, size, size, length, *[0] * 5, at)
        central += [struct.pack("<4s6H3L5H2L", b"PK\1\2", *fields), name]
        at = start + size
    end = b"".join(central)
    end += struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *[len(files)] * 2, len(end), at, 0)
    there = bytes(data[at : at + len(end) + 1])
    if there != end:
        shorter = min(len(there), len(end))
        odd = next((n for n in range(shorter) if there[n] != end[n]), shorter)
        amiss.append(Bad(f"byte {at + odd}", "the directory is not what the entries give"))
    for name in TEXTS:
        if name in files and len(files[name]) > MAX_TEXT:
            raise Bad(name, "has more than 64 MiB")
    return files, amiss


def chain(files: dict[str, memoryview], manifest: dict[str, Any], keys: list[str]) -> list[Event]:
    """The game's events, each checked."""
    events: list[Event] = []
    for name in ("events.jsonl", "chain.txt"):
        if files[name][-1:] != b"\n":
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


def linked_pictures(events: list[Event]) -> tuple[list[tuple[int, str, str]], set[str]]:
    """Which event links which picture as what; and those that were deleted by rule."""
    linked: list[tuple[int, str, str]] = []
    deleted: set[str] = set()
    for seq, _, _, payload in events:
        kind, frames, pictures = payload["type"], payload.get("frames"), payload.get("pictures")
        if kind in ("TurnSeen", "TilesChanged", "BoardSeen") and isinstance(frames, dict):
            linked += [(seq, *one) for one in sorted(frames.items()) if isinstance(one[1], str)]
        elif kind == "PicturesKept" and isinstance(pictures, list):
            found = [one for one in pictures if isinstance(one, dict)]
            linked += [
                (seq, str(one.get("role")), one["sha256"])
                for one in found
                if isinstance(one.get("sha256"), str)
            ]
        elif kind == "PicturesDeleted" and isinstance(pictures, list):
            deleted.update(sha for sha in pictures if isinstance(sha, str))
    return linked, deleted


def names_given(events: list[Event], side: str) -> list[Any]:
    """Every name that the records give to the player of a side, whether it held or not."""
    naming = [one for *_, one in events if one["type"] in ("GameStarted", "PlayersNamed")]
    players = [one.get("players") for one in naming]
    return [one.get(side) for one in players if isinstance(one, dict)]


def statements(
    manifest: dict[str, Any], events: list[Event], files: dict[str, memoryview]
) -> tuple[dict[str, Any], list[str]]:
    """Return what the records give for the manifest's statements, and the files due."""
    linked, deleted = linked_pictures(events)
    links: dict[str, list[str]] = {}
    for seq, role, sha in linked:
        name = f"pictures/{sha}.jpg"
        if name in files:
            if sha256(files[name]) != sha:
                raise Bad(name, f"is not the picture that event {seq} links")
            links.setdefault(sha, []).append(f"{role} of event {seq}")
        elif sha not in deleted:
            raise Bad(name, f"is linked by event {seq} and missing")
    described = [payload for *_, payload in events if payload["type"] == "TableDescribed"][:1]
    names = ["README.txt", "index.html", "events.jsonl", "chain.txt"]
    if manifest["version"] > 1:
        names += ["verify_bundle.py", *["edges.csv"] * ("edges.csv" in files)]
    if manifest["game"] is not None:
        start = events[0][3]
        names += [f"rulebook-{start.get('rulebook')}.toml", f"tiles-{start.get('tile_set')}.toml"]
        names += ["game.gcg"] if "game.gcg" in files else []
    names += [f"pictures/{sha}.jpg" for sha in sorted(links)]
    due = {
        "keys": sorted({key for _, _, key, _ in events} | {manifest["key"]}),
        "recorded_with": None,
        "pictures": links,
        "lost": [],  # as any would have been found missing above
    }
    for payload in described:
        due["recorded_with"] = {n: payload.get(n) for n in ("software", "files", "settings")}
    return due, names


def read_manifest(files: dict[str, memoryview], amiss: list[Bad]) -> dict[str, Any]:
    if "manifest.json" not in files:
        raise amiss[0] if amiss else Bad("manifest.json", "is not in the bundle")
    try:
        manifest = loads(bytes(files["manifest.json"]))
    except ValueError as error:
        raise Bad("manifest.json", f"is not as it was written ({error})") from None
    whose = manifest if isinstance(manifest, dict) else {}
    known = fits(whose.get("format"), MANIFEST["format"]) and fits(whose.get("version"), int)
    if known and whose["version"] not in (1, 2):
        if amiss:
            raise amiss[0]
        raise Unusable(f"a bundle of version {whose['version']}, not 1 or 2")
    form = {
        name: one
        for name, one in MANIFEST.items()
        if known and (whose["version"] > 1 or name != "exports")
    }
    if not fits(manifest, form) or (whose["game"] is None) == (whose["unreplayed"] is None):
        raise Bad("manifest.json", "has not the form that docs/evidence.md gives")
    return whose


def check(data: bytes | memoryview, keys: list[str], written: str | None) -> str:
    """Return the results for a sound bundle, in a line. Raises Bad, or Unusable."""
    keys = [re.sub(r"[\s-]", "", key.lower()) for key in keys]
    if any(not re.fullmatch("[0-9a-f]{64}|[0-9a-f]{32}", key) for key in keys):
        raise Unusable("--key: a public key has 64 hexadecimal digits, a fingerprint 32")
    if written is not None:
        plain = re.sub(r"[\s-]", "", written.upper()).translate(str.maketrans("ILO", "110"))
        if not re.fullmatch(f"[{BASE32}]{{12}}", plain):
            raise Unusable("--digest: a digest has twelve letters and digits")
        written = "-".join(re.findall("....", plain))
    files, amiss = archive(memoryview(data))
    manifest = read_manifest(files, amiss)
    for name in TEXTS:
        if name not in files:
            raise amiss[0] if amiss else Bad(name, "is not in the bundle")
    key, signature = manifest["key"], bytes(files["manifest.sig"][:130]).decode("ascii", "replace")
    text = sha256(files["manifest.json"])
    if signature[-1:] != "\n" or not is_signed("bundle", key, text, signature[:-1]):
        raise Bad("manifest.json", "its signature is not that of the key that it names")
    keys = keys or [key]  # without any given, one and the same must have signed everything
    if key not in keys and fingerprint(key).replace("-", "") not in keys:
        raise Bad("manifest.json", f"signed with another key, {fingerprint(key)}")
    events = chain(files, manifest, keys)
    last = digest(events[-1][1]) if events else ""
    if last != manifest["head"]["digest"]:
        raise Bad("manifest.json", f"states a digest that is not {last}, the last event's")
    due = ["manifest.json", "manifest.sig", *(one["name"] for one in manifest["files"])]
    if list(files) != due:
        odd = sorted(set(files) ^ set(due)) or [a for a, b in zip(files, due) if a != b] or due
        raise amiss[-1] if amiss else Bad(odd[0], "is missing, was added or is out of place")
    for one in manifest["files"]:
        if sha256(files[one["name"]]) != one["sha256"] or len(files[one["name"]]) != one["size"]:
            raise Bad(one["name"], "is not the file that the manifest lists")
    if amiss:
        raise amiss[0]
    given, names = statements(manifest, events, files)
    for name in (one for one in names if one.endswith(".toml")):
        if not re.fullmatch(RULES, name):
            raise Bad(name, "is no name of rules or tiles")
    for name in sorted(set(names) ^ set(due[2:])) or [a for a, b in zip(names, due[2:]) if a != b]:
        raise Bad(name, "is missing, is no file of such a bundle, or is out of place")
    for name, value in given.items():
        if not same(value, manifest[name]):
            raise Bad("manifest.json", f"{name} is not what the events give")
    digests = {seq: digest(own) for seq, own, *_ in events}
    for one in manifest.get("exports", ()):
        if digests.get(one["seq"]) != one["digest"]:
            raise Bad("manifest.json", f"an earlier bundle up to event {one['seq']} is not in it")
    for side, player in (manifest["game"] or {"players": {}})["players"].items():
        if player not in names_given(events, side):
            raise Bad("manifest.json", f"players: the events never name {side} so")
    result = scores(manifest["game"])
    slip = ""
    if written is not None:
        where = [n for n, (_, own, *_) in enumerate(events) if digest(own) == written]
        if not where:
            raise Bad("digest", f"no event of the bundle has the digest {written}")
        seq, after = events[where[0]][0], len(events) - where[0] - 1
        slip = f"; the slip's digest {written} is that of event {seq}, events that follow: {after}"
    return (
        f"key {fingerprint(key)}, digest of the last event {last}, {len(events)} events, "
        f"{len(manifest['pictures'])} pictures{slip}; {result}"
    )


def scores(game: dict[str, Any] | None) -> str:
    """The stated result, whose sums are checked."""
    if game is None:
        return "no turns and scores are stated"
    for side, score in game["scores"].items():
        lines = [turn["score"] for turn in game["turns"] if turn["side"] == side]
        lines += [line["points"] for line in game["adjustments"] if line["side"] == side]
        if sum(lines) != score:
            raise Bad("scores", f"{side} has {score}, the turns and adjustments give {sum(lines)}")
    stated = ", ".join(f"{game['players'][side]} {game['scores'][side]}" for side in game["scores"])
    return f"stated, and not replayed here: {stated}"


def packed(folder: str) -> bytes:
    """The bundle that was unpacked into a folder, as it was."""
    packed, central, count = b"", b"", 0
    try:
        with open(f"{folder}/manifest.json", "rb") as manifest:
            text = manifest.read(MAX_TEXT + 1)
        names = ["manifest.json", "manifest.sig", *(one["name"] for one in loads(text)["files"])]
    except (OSError, ValueError, TypeError, KeyError):
        raise Unusable("a folder without the manifest of a bundle") from None
    for name in names:
        if not isinstance(name, str) or not re.fullmatch(r"(pictures/)?[\w-]+\.\w+", name, re.A):
            raise Unusable("a folder that is no bundle: its manifest lists odd names")
        path = f"{folder}/{name}"
        if not os.path.isfile(path):
            continue
        count += 1
        with open(path, "rb") as file:
            content = file.read(MAX_FILE)
        head = (20, 0, 0, 0, 33, zlib.crc32(content), len(content), len(content), len(name), 0)
        central += (
            struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, *head, *[0] * 4, len(packed)) + name.encode()
        )
        packed += struct.pack("<4s5H3L2H", b"PK\3\4", *head) + name.encode() + content
    return (
        packed
        + central
        + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(central), len(packed), 0)
    )


def checked_file(path: str, keys: list[str], written: str | None) -> str:
    if os.path.isdir(path):
        return check(packed(path), keys, written)
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe must not make us wait
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or not 0 < about.st_size <= MAX_FILE:
        raise Unusable("not a file, empty, or larger than a bundle can be")
    data = memoryview(mmap.mmap(handle, 0, access=mmap.ACCESS_READ))
    if data[:4] != b"PK\3\4" and data[30:43] != b"manifest.json":
        raise Unusable("not an evidence bundle")
    return check(data, keys, written)


def printable(text: str) -> str:
    """Escape what a terminal would act on: names and places come from whoever made the file."""
    shown = (one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
    return (
        "".join(shown).encode(sys.stdout.encoding, "backslashreplace").decode(sys.stdout.encoding)
    )


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("bundle")
    parser.add_argument("--key", action="append", default=[])
    parser.add_argument("--digest")
    args = parser.parse_args()
    try:
        found = checked_file(args.bundle, args.key, args.digest)
    except Bad as bad:
        print(printable(f"{args.bundle}: NOT SOUND: {bad.args[0]}: {bad.args[1]}"))
        return 1
    except (OSError, MemoryError, Unusable) as error:
        why = error.strerror if isinstance(error, OSError) else str(error) or "too large"
        print(printable(f"{args.bundle}: {why}"), file=sys.stderr)
        return 2
    compared = "" if args.key else " in itself, but no key was compared (--key)"
    print(printable(f"{args.bundle}: sound{compared}: {found}"))
    print("Not checked here: index.html, README.txt, game.gcg, the rules' files, and the turns")
    print("against the rules; nor what nobody can: see docs/evidence.md.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
