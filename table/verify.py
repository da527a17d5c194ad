"""Checks an evidence bundle offline: archive, signature, chain, pictures, and the game itself.

Everything that is wrong is found in the order in which a bundle is read: the archive, its manifest,
the events with their hashes and signatures, the other files, the pictures, and at last whether the
events give what the manifest states. The first fault is thus the first bad place. What the checks
mean, and what they cannot show, is in docs/evidence.md.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from game.events import SIDES
from game.files import open_file
from table import bundle, statement
from table.errors import BundleError
from table.signing import (
    bundle_message,
    digest,
    fingerprint,
    plain_digest,
    record_message,
    same_key,
    signed,
)
from table.verify_chain import ChainedEvent, walk
from table.verify_manifest import differences, other_rules, require_form
from table.verify_report import Fault, Report


def verify(path: Path, keys: Sequence[str] = (), written: str | None = None) -> Report:
    """Check a bundle.

    ``keys`` are the public keys or fingerprints that may have signed it; without any, one and the
    same unknown key must have signed everything. ``written`` is a digest from a result slip.
    Raises ``BundleError`` when the file is no bundle at all or cannot be read.
    """
    if written is not None:
        written = plain_digest(written)
    try:
        with (
            open_file(path, 2**32, BundleError) as handle,
            mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ) as data,
            memoryview(data) as view,
        ):
            if not bundle.looks_like_one(view):
                raise BundleError(f"{path}: not an evidence bundle of tilewatch")
            check = _Check(Report(path), view, keys, written)
            try:
                check.run()
            finally:
                check.release()
            return check.report
    except OSError as error:
        raise BundleError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # what mmap says of an empty file
        raise BundleError(
            f"{path}: not an evidence bundle of tilewatch: the file is empty"
        ) from error


class _Check:
    def __init__(
        self, report: Report, data: memoryview, keys: Sequence[str], written: str | None
    ) -> None:
        self.report = report
        self._keys = keys
        self._written = written
        self._found, self._flaw = bundle.read(data)
        self._entries = {entry.name: entry for entry in self._found}

    def release(self) -> None:
        """Let go of the file."""
        for entry in self._found:
            entry.content.release()

    def run(self) -> None:
        self._archive()
        manifest = self._manifest()
        if manifest is None:
            return
        self.report.manifest = manifest
        self._listed(manifest)
        events = self._chain(manifest)
        self._files(manifest)
        if events is None:
            return
        self._slip(events)
        self._pictures(events)
        self._replay(manifest, events)

    # --- the archive and its manifest ---

    def _archive(self) -> None:
        for entry in self._found:
            if not entry.whole and entry.name not in (bundle.EVENTS, bundle.CHAIN):
                listed = self._due(entry.name)
                if listed is not None and listed == _sha256(entry.content):
                    text = f"the check sum in the header of {entry.name} was changed"
                    self.report.fault(f"byte {entry.begin}", text)
        if self._flaw is not None:
            self.report.fault(self._flaw.place, self._flaw.message)
        seen: set[str] = set()
        for entry in self._found:
            if entry.name in seen:
                self.report.fault(entry.name, "is in the bundle twice")
            seen.add(entry.name)

    def _due(self, name: str) -> str | None:
        try:
            manifest = json.loads(bytes(self._entries[bundle.MANIFEST].content))
            return next(str(one["sha256"]) for one in manifest["files"] if one["name"] == name)
        except (KeyError, ValueError, TypeError, StopIteration):
            return None

    def _manifest(self) -> Mapping[str, Any] | None:
        entry = self._entries.get(bundle.MANIFEST)
        if entry is None:
            self.report.fault(bundle.MANIFEST, "is not in the bundle")
            return None
        text = bytes(entry.content)
        try:
            manifest = json.loads(text)
            require_form(manifest)
        except (ValueError, KeyError, TypeError) as error:
            self.report.fault(bundle.MANIFEST, f"is not as it was written ({error})")
            return None
        if manifest["version"] != bundle.VERSION:
            raise BundleError(
                f"{self.report.path}: a bundle of version {manifest['version']}; this tilewatch "
                f"knows {bundle.VERSION}: update tilewatch"
            )
        signature = self._entries.get(bundle.SIGNATURE)
        key = str(manifest["key"])
        said = b"" if signature is None else bytes(signature.content)
        message = bundle_message(key, hashlib.sha256(text).hexdigest())
        if signature is None:
            self.report.fault(bundle.SIGNATURE, "is not in the bundle")
        elif not re.fullmatch(rb"[0-9a-f]{128}\n", said):
            self.report.fault(bundle.SIGNATURE, "is no signature")
        elif not signed(key, message, said.decode("ascii").strip()):
            # A check sum that fails shows which of the two was changed.
            place = bundle.MANIFEST if signature.whole or not entry.whole else bundle.SIGNATURE
            self.report.fault(place, f"its signature is not that of the key {fingerprint(key)}")
        elif not self._may_sign(key, key):
            self.report.fault(bundle.MANIFEST, self._stranger(key))
        result: Mapping[str, Any] = manifest
        return result

    def _may_sign(self, key: str, exporter: str) -> bool:
        if not self._keys:
            return key == exporter
        return any(same_key(key, named) for named in self._keys)

    def _stranger(self, key: str) -> str:
        if self._keys:
            return f"signed with the key {fingerprint(key)}, which is none of those given"
        return (
            f"signed with another key than the bundle, {fingerprint(key)}; if it is a key of the "
            "same table, name both with --key"
        )

    def _listed(self, manifest: Mapping[str, Any]) -> None:
        due = [bundle.MANIFEST, bundle.SIGNATURE, *(one["name"] for one in manifest["files"])]
        there = [entry.name for entry in self._found]
        if due == there:
            return
        for name in due:
            if name not in there:
                self.report.fault(name, "is not in the bundle")
                if self._flaw is not None:
                    return  # the rest lies behind the flaw
        for name in there:
            if name not in due:
                self.report.fault(name, "is in the bundle and not in its manifest")
        if sorted(due) == sorted(there):
            name = next(a for a, b in zip(there, due, strict=True) if a != b)
            self.report.fault(name, "is not where the manifest has it")

    # --- the events ---

    def _chain(self, manifest: Mapping[str, Any]) -> list[ChainedEvent] | None:
        for name in (bundle.EVENTS, bundle.CHAIN):
            if name not in self._entries:
                return None
        steps = walk(
            bytes(self._entries[bundle.CHAIN].content),
            bytes(self._entries[bundle.EVENTS].content),
            manifest,
        )
        events: list[ChainedEvent] = []
        exporter = str(manifest["key"])
        for step in steps:
            if isinstance(step, Fault):
                self.report.faults.append(step)
                return None
            event, key, signature = step
            place = f"event {event.seq}"
            if not signed(key, record_message(key, event.hash), signature):
                self.report.fault(place, "its signature is not that of the key that it names")
                return None
            if not self._may_sign(key, exporter):
                self.report.fault(place, self._stranger(key))
                return None
            events.append(event)
        return events

    def _slip(self, events: Sequence[ChainedEvent]) -> None:
        if self._written is None:
            return
        for event in events:
            if digest(event.hash) == self._written:
                after = len(events) - events.index(event) - 1
                self.report.notes.append(
                    f"the digest {self._written} is that of event {event.seq} "
                    f"({event.payload.get('type')}); events of the game that follow it: {after}"
                )
                return
        self.report.fault(
            "digest",
            f"no event of the bundle has the digest {self._written}: this is another log than the "
            "one that it was noted from, or one that was cut off or rewritten",
        )

    # --- files and pictures ---

    def _files(self, manifest: Mapping[str, Any]) -> None:
        by_picture = {bundle.picture_name(sha): sha for sha in manifest["pictures"]}
        for one in manifest["files"]:
            entry = self._entries.get(one["name"])
            if entry is None:
                continue
            if len(entry.content) != one["size"] or _sha256(entry.content) != one["sha256"]:
                if entry.name in by_picture:
                    links = ", ".join(manifest["pictures"][by_picture[entry.name]])
                    text = f"is not the picture that the table kept ({links})"
                else:
                    text = "is not the file that the manifest lists"
                self.report.fault(entry.name, text)

    def _pictures(self, events: Sequence[ChainedEvent]) -> None:
        payloads = [event.payload for event in events]
        deleted = statement.deleted_pictures(payloads)
        said: set[str] = set()
        gone = 0
        for number, role, sha in statement.linked_pictures(payloads):
            name = bundle.picture_name(sha)
            entry = self._entries.get(name)
            if sha in said:
                continue
            said.add(sha)
            place = f"{name} ({role}, event {events[number - 1].seq})"
            if entry is not None:
                if _sha256(entry.content) != sha:
                    self.report.fault(place, "is another picture than its name says")
            elif sha in deleted:
                gone += 1
            elif self._flaw is None:
                self.report.fault(place, "is linked and not in the bundle")
        for entry in self._found:
            if entry.name.startswith("pictures/") and entry.name[9:-4] not in said:
                self.report.fault(entry.name, "is a picture that no event links")
        if gone:
            self.report.notes.append(f"{gone} pictures were deleted by the table's rule, as logged")

    # --- the game ---

    def _replay(self, manifest: Mapping[str, Any], events: Sequence[ChainedEvent]) -> None:
        replayed = statement.replayed(event.payload for event in events)
        state = replayed.state
        if manifest["game"] is None:
            self._unreplayed(manifest, replayed)
            return
        if state is None:
            self.report.fault(bundle.EVENTS, f"the game cannot be replayed: {replayed.why}")
            return
        other = other_rules(manifest, state)
        hint = ""
        if other:
            self.report.notes.append(f"{other} changed since; replayed as this tilewatch has it")
        if other or manifest["software"] != statement.software():
            hint = (
                f" (stated by tilewatch {manifest['software']}, replayed by {statement.software()})"
            )
        due = statement.stated(state)
        for place, stated_, given in differences(manifest["game"], due):
            self.report.fault(
                place, f"the manifest states {stated_}, replaying gives {given}{hint}"
            )
        record = self._entries.get(bundle.RECORD)
        text = statement.record_text(state)
        if text is not None and record is not None and bytes(record.content) != text:
            self.report.fault(bundle.RECORD, f"is not the record that the events give{hint}")

    def _unreplayed(self, manifest: Mapping[str, Any], replayed: statement.Replayed) -> None:
        """A bundle that states no game: what else it holds can be sound all the same."""
        self.report.notes.append(
            "no turns and scores are stated: the machine that exported it could not replay the "
            f"game ({manifest.get('unreplayed')})"
        )
        if replayed.state is not None:
            scores = ", ".join(
                f"{replayed.state.players[side]} {replayed.state.scores[side]}" for side in SIDES
            )
            self.report.notes.append(
                f"this tilewatch ({statement.software()}) can replay it: {scores}"
            )


def _sha256(content: memoryview) -> str:
    return hashlib.sha256(content).hexdigest()
