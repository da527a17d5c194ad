"""Ways to tamper with a bundle."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from record.bundle import archive
from record.seals import bundle_message, link, record_message
from record.signing import TableKey

from .bundlekit import jpeg, packed, unpacked


@dataclass(frozen=True)
class Tampered:
    """A bundle that was tampered with, how, and where that shows first."""

    kind: str
    data: bytes
    places: tuple[str, ...]
    """The fault has to be at one of these: the place, its start, or ``byte a..b``."""

    def names(self, place: str) -> bool:
        for one in self.places:
            ranged = re.fullmatch(r"byte (\d+)\.\.(\d+)", one)
            if ranged:
                at = re.fullmatch(r"byte (\d+)", place)
                if at and int(ranged[1]) <= int(at[1]) <= int(ranged[2]):
                    return True
            elif place == one or place.startswith(one + " "):
                return True
        return False


class Tamperer:
    """Tampers with one honest bundle in every way it can think of, by a seed."""

    def __init__(self, honest: bytes, key: TableKey) -> None:
        self.honest = honest
        self.files = unpacked(honest)
        self.key = key
        self.stranger = TableKey(Ed25519PrivateKey.generate())
        self.bodies = self.files[archive.EVENTS].split(b"\n")[:-1]
        self.links = [line.split(b" ") for line in self.files[archive.CHAIN].split(b"\n")[:-1]]
        self.seqs = [json.loads(body)[0] for body in self.bodies]
        self.manifest = json.loads(self.files[archive.MANIFEST])
        self.ways: tuple[Callable[[random.Random], Tampered], ...] = (
            *(self.flip, self.flip, self.removed, self.added, self.swapped, self.cut),
            *(self.picture, self.other_key, self.clock, self.contents, self.result),
        )

    def one(self, seed: int) -> Tampered:
        rng = random.Random(seed)
        return rng.choice(self.ways)(rng)

    # --- one bit, anywhere ---

    def flip(self, rng: random.Random) -> Tampered:
        data = bytearray(self.honest)
        entries, _ = archive.read(memoryview(self.honest))
        if rng.random() < 0.5:  # small entries and the directory would hardly ever be met
            at = rng.randrange(len(data))
        else:
            last = entries[-1]
            end = last.begin + 30 + len(last.name) + len(last.content)
            spans = [(e.begin, e.begin + 30 + len(e.name) + len(e.content)) for e in entries]
            at = rng.randrange(*rng.choice([*spans, (end, len(data))]))
        data[at] ^= 1 << rng.randrange(8)
        return Tampered(f"bit of byte {at} flipped", bytes(data), self._places(entries, at, data))

    def _places(self, entries, at: int, data: bytearray) -> tuple[str, ...]:
        for entry in entries:
            start = entry.begin + 30 + len(entry.name)
            if at >= start + len(entry.content):
                continue
            if at < start:
                places = [f"byte {entry.begin}..{at}", f"byte {start}..{len(self.honest)}"]
                if at >= entry.begin + 30:  # under its new name, or missed under its own
                    place = at - entry.begin - 30
                    flipped = bytes(data[entry.begin + 30 : start]).decode("ascii", "replace")
                    assert flipped[place] != entry.name[place]
                    places += [entry.name, flipped]
                return tuple(places)
            if entry.name in (archive.EVENTS, archive.CHAIN):
                before = bytes(entry.content[: at - start])
                line = before.count(b"\n")
                lines = bytes(entry.content).split(b"\n")
                chain = [int(parts[0]) for parts in self.links]
                seqs = self.seqs if entry.name == archive.EVENTS else chain
                places = [f"event {seqs[line]}"]
                if before.count(b"\n") == len(lines) - 2 and at - start == len(entry.content) - 1:
                    places += [entry.name, "events.jsonl or chain.txt"]
                return tuple(places)
            if entry.name == archive.SIGNATURE:
                return (archive.SIGNATURE, archive.MANIFEST)
            if entry.name == archive.MANIFEST:
                return (archive.MANIFEST,)
            return (entry.name,)
        return (f"byte {at}..{at}",)

    # --- events ---

    def removed(self, rng: random.Random) -> Tampered:
        at = rng.randrange(len(self.bodies))
        bodies, links = self._copy()
        del bodies[at]
        if rng.random() < 0.5:
            links = [parts for parts in links if int(parts[0]) != self.seqs[at]]
        return self._made("event removed", rng, bodies, links, self.seqs[at])

    def added(self, rng: random.Random) -> Tampered:
        at = rng.randrange(1, len(self.bodies) + 1)
        bodies, links = self._copy()
        fields = json.loads(bodies[at - 1])
        fields[3] += 5
        forged = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
        bodies.insert(at, forged)
        place = self.seqs[at] if at < len(self.seqs) else self.seqs[-1]
        return self._made("event added", rng, bodies, links, place)

    def swapped(self, rng: random.Random) -> Tampered:
        at = rng.randrange(len(self.bodies) - 1)
        bodies, links = self._copy()
        bodies[at], bodies[at + 1] = bodies[at + 1], bodies[at]
        if rng.random() < 0.5:
            a, b = (self._link_of(links, self.seqs[n]) for n in (at, at + 1))
            links[a], links[b] = links[b], links[a]
        return self._made("events swapped", rng, bodies, links, self.seqs[at])

    def cut(self, rng: random.Random) -> Tampered:
        retained = rng.randrange(1, len(self.bodies))
        bodies, links = self._copy()
        last = self.seqs[retained - 1]
        links = [parts for parts in links if int(parts[0]) <= last]
        head = None
        if rng.random() < 0.5:  # the manifest says so, too
            own = links[-1][2].decode()
            head = {"seq": last, "number": retained, "hash": own, "digest": "?"}
        return self._made("tail cut off", rng, bodies[:retained], links, last + 1, head=head)

    def clock(self, rng: random.Random) -> Tampered:
        """Times shifted, with every hash from there on made anew."""
        at = rng.randrange(len(self.bodies))
        which, shift = rng.choice([3, 4]), rng.choice([-1, 1]) * rng.randrange(1, 10**10)
        several = rng.random() < 0.3
        bodies, links = self._copy()
        for n in range(at, len(bodies) if several else at + 1):
            fields = json.loads(bodies[n])
            fields[which] += shift
            bodies[n] = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
        if rng.random() < 0.7:
            links = self._rehashed(bodies, links)
        return self._made("clock shifted", rng, bodies, links, self.seqs[at])

    def contents(self, rng: random.Random) -> Tampered:
        """What an event says changed, with every hash made anew and one's own signatures."""
        at = rng.randrange(len(self.bodies))
        bodies, links = self._copy()
        fields = json.loads(bodies[at])
        fields[8]["why"] = "x"
        bodies[at] = json.dumps(fields, ensure_ascii=False, separators=(",", ":")).encode()
        links = self._rehashed(bodies, links)
        if rng.random() < 0.5:
            for parts in links[self._link_of(links, self.seqs[at]) :]:
                if parts[3] != b"-":
                    self._sign(parts, self.stranger, name=rng.random() < 0.5)
        return self._made("contents changed", rng, bodies, links, self.seqs[at])

    def other_key(self, rng: random.Random) -> Tampered:
        at = rng.randrange(len(self.bodies))
        bodies, links = self._copy()
        parts = links[self._link_of(links, self.seqs[at])]
        self._sign(parts, self.stranger, name=rng.random() < 0.5)
        return self._made("signature from another key", rng, bodies, links, self.seqs[at])

    # --- pictures and result ---

    def picture(self, rng: random.Random) -> Tampered:
        names = [name for name in self.files if name.startswith("pictures/")]
        name, twin = rng.sample(names, 2)
        files = dict(self.files)
        files[name] = rng.choice([files[twin], jpeg(rng.randrange(10**6)), files[name][:-3], b""])
        places: list[str] = [name]
        if rng.random() < 0.3:
            manifest = json.loads(files[archive.MANIFEST])
            places += self._listed(files, manifest, random.Random(1), name)
        return Tampered("picture exchanged", packed(files), tuple(places))

    def result(self, rng: random.Random) -> Tampered:
        """Another score, in the manifest or the record."""
        files = dict(self.files)
        if rng.random() < 0.3:
            files[archive.RECORD] = files[archive.RECORD].replace(b"+", b"+1", 1)
            return Tampered("another record", packed(files), (archive.RECORD,))
        manifest = json.loads(files[archive.MANIFEST])
        turn = rng.choice(manifest["game"]["turns"])
        turn["score"] += rng.choice([-10, 1, 7])
        places = self._manifest(files, manifest, rng)
        return Tampered("another score", packed(files), tuple(places))

    # --- what an attacker does to hide it ---

    def _copy(self) -> tuple[list[bytes], list[list[bytes]]]:
        return list(self.bodies), [list(parts) for parts in self.links]

    def _link_of(self, links: list[list[bytes]], seq: int) -> int:
        return next(n for n, parts in enumerate(links) if int(parts[0]) == seq)

    def _rehashed(self, bodies: list[bytes], links: list[list[bytes]]) -> list[list[bytes]]:
        by_seq = {json.loads(body)[0]: body for body in bodies}
        before = self.manifest["first"]["prev_hash"]
        for parts in links:
            body = by_seq.get(int(parts[0]))
            if body is not None:
                parts[1] = hashlib.sha256(body).hexdigest().encode()
            before = link(before, parts[1].decode())
            parts[2] = before.encode()
        return links

    def _sign(self, parts: list[bytes], key: TableKey, name: bool) -> None:
        named = key.public if name else parts[3].decode()
        parts[3] = named.encode()
        parts[4] = key.sign(record_message(named, parts[2].decode())).encode()

    def _made(
        self,
        kind: str,
        rng: random.Random,
        bodies: list[bytes],
        links: list[list[bytes]],
        seq: int,
        head: dict | None = None,
    ) -> Tampered:
        files = dict(self.files)
        files[archive.EVENTS] = b"".join(body + b"\n" for body in bodies)
        files[archive.CHAIN] = b"".join(b" ".join(parts) + b"\n" for parts in links)
        places = [f"event {seq}"]
        if head is not None or rng.random() < 0.5:
            manifest = json.loads(files[archive.MANIFEST])
            if head is not None:
                manifest["head"] = head
            places += self._listed(files, manifest, rng, archive.EVENTS, archive.CHAIN)
        return Tampered(kind, packed(files), tuple(places))

    def _listed(
        self, files: dict[str, bytes], manifest: dict, rng: random.Random, *names: str
    ) -> list[str]:
        """The manifest lists these files as they are now."""
        for line in manifest["files"]:
            if line["name"] in names:
                content = files[line["name"]]
                line |= {"sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}
        return self._manifest(files, manifest, rng)

    def _manifest(self, files: dict[str, bytes], manifest: dict, rng: random.Random) -> list[str]:
        """Another manifest: with the old signature, or signed by a stranger. Where that shows."""
        signed = rng.random() < 0.5
        named = signed and rng.random() < 0.5
        if named:
            manifest["key"] = self.stranger.public
        text = json.dumps(manifest, ensure_ascii=False, sort_keys=True, indent=1) + "\n"
        files[archive.MANIFEST] = text.encode()
        if signed:
            sha = hashlib.sha256(text.encode()).hexdigest()
            signature = self.stranger.sign(bundle_message(manifest["key"], sha))
            files[archive.SIGNATURE] = f"{signature}\n".encode()
        # A stranger's own manifest is sound by itself: then the first event is not by that key.
        return [f"event {self.seqs[0]}"] if named else [archive.MANIFEST]
