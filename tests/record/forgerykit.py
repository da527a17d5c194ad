"""What somebody who holds the table's key can make of a bundle: anything, and all of it signed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from record.bundle import archive
from record.errors import BundleError, SigningError
from record.seals import bundle_message, digest, link, record_message
from record.signing import KEY_FILE, TableKey
from record.verifier.replay import verify
from record.verifier.report import Report

from .bundlekit import checked, independent, packed, unpacked

RAW = "\0raw\0"
"""Where a JSON text is to have something that no writer of JSON would write."""


def text_of(value: Any, raw: str | None = None) -> bytes:
    """JSON as bundles have it, with ``raw`` in place of the strings that are ``RAW``."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    if raw is not None:
        text = text.replace(json.dumps(RAW), raw)
    return text.encode("utf-8", "surrogatepass")


class Forger:
    """Changes the entries of a bundle and signs what comes of it with the table's own key."""

    def __init__(self, files: dict[str, bytes], key: TableKey) -> None:
        self.files, self.key = dict(files), key
        self.manifest: Any = json.loads(files[archive.MANIFEST])

    def bodies(self) -> list[bytes]:
        return self.files[archive.EVENTS].split(b"\n")[:-1]

    def with_bodies(self, bodies: list[bytes]) -> None:
        """Put other events in, with chain and head made to fit."""
        links = [line.split(b" ") for line in self.files[archive.CHAIN].split(b"\n")[:-1]]
        before, at, lines = self.manifest["first"]["prev_hash"], 0, []
        seq = 0
        for parts in links:
            if parts[3] != b"-":
                if at == len(bodies):
                    break
                parts[1] = hashlib.sha256(bodies[at]).hexdigest().encode()
                at += 1
            before = link(before, parts[1].decode())
            parts[2] = before.encode()
            if parts[3] != b"-":
                parts[3] = self.key.public.encode()
                parts[4] = self.key.sign(record_message(self.key.public, before)).encode()
            seq = int(parts[0])
            lines.append(b" ".join(parts))
        self.files[archive.CHAIN] = b"".join(line + b"\n" for line in lines)
        self.files[archive.EVENTS] = b"".join(body + b"\n" for body in bodies)
        head = {"seq": seq, "number": len(bodies), "hash": before, "digest": digest(before)}
        self.manifest["head"] = head

    def listed(self) -> None:
        """Let the manifest list the files as they are now."""
        self.manifest["files"] = [
            {"name": name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
            for name, content in self.files.items()
            if name not in (archive.MANIFEST, archive.SIGNATURE)
        ]

    def made(self, raw: str | None = None) -> bytes:
        """The bundle, signed."""
        files = dict(self.files)
        text = text_of(self.manifest, raw)
        signature = self.key.sign(bundle_message(self.key.public, hashlib.sha256(text).hexdigest()))
        files[archive.MANIFEST] = text
        files[archive.SIGNATURE] = f"{signature}\n".encode()
        return packed(files)


class Signed:
    """A table's honest bundle and the key that signed it; hypothesis shows it in a word."""

    def __init__(self, folder: Path, path: Path) -> None:
        self.folder, self.path = folder, path
        self.data = path.read_bytes()
        self.key = TableKey.open(folder / KEY_FILE)

    def __repr__(self) -> str:
        return "bundle"

    def forger(self) -> Forger:
        """Somebody with its key and its entries."""
        return Forger(unpacked(self.data), self.key)


class Verdict(NamedTuple):
    """The exit statuses of ``tilewatch verify`` and of the verifier in bundles, and our report."""

    ours: int
    theirs: int
    report: Report | None
    their_place: str | None
    """The place of the first fault that the one in bundles finds; None where it finds none."""

    @property
    def places(self) -> list[str]:
        return [fault.place for fault in self.report.faults] if self.report else []

    @property
    def both(self) -> tuple[int, int]:
        """Both statuses, which may differ by what takes the rules of the game alone."""
        faults = self.report.faults if self.report else []
        replayed = (self.ours, self.theirs) == (1, 0) and all(one.replayed for one in faults)
        assert self.ours == self.theirs or replayed, self
        return self.ours, self.theirs


def judged(
    data: bytes, path: Path, keys: Sequence[str] = (), written: str | None = None
) -> Verdict:
    """The answers of both to such a file."""
    path.write_bytes(data)
    report, place = None, None
    try:
        report = verify(path, keys, written)
        ours = 0 if report.ok else 1
        assert not report.ok or report.facts is not None
    except (BundleError, SigningError):
        ours = 2
    try:
        found = checked(path, keys, written)
        theirs = 0 if found.ok else 1
        place = None if found.ok else found.faults[0].place
    except (independent().Unusable, ValueError):
        theirs = 2
    return Verdict(ours, theirs, report, place)
