"""Checks an evidence bundle offline: archive, signature, chain, pictures, and the game itself.

Everything that is wrong is found in the order in which a bundle is read: the archive, its manifest,
the events with their hashes and signatures, the other files, the pictures, and at last whether the
events give what the manifest states. The first fault is thus the first bad place. What the checks
mean, and what they cannot show, is in docs/evidence.md.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from record import statement, strict_json
from record.bundle import archive
from record.chain import LoggedEvent
from record.errors import BundleError
from record.signing import (
    bundle_message,
    digest,
    fingerprint,
    is_signed_by,
    plain_digest,
    require_key,
    same_key,
)
from record.verifier.chain import walk
from record.verifier.game_check import GameCheck
from record.verifier.manifest import false_statements, file_names, require_form, version_of
from record.verifier.opening import opened
from record.verifier.report import Facts, Fault, Report

_RULES: Final = r"(rulebook|tiles)-[a-z0-9-]+\.toml"
_REPACKED: Final = (
    "; if it was only unpacked and packed again, its contents can be checked all the same: unpack "
    "it into a folder and verify that folder"
)


def verify(path: Path, keys: Sequence[str] = (), written: str | None = None) -> Report:
    """Check a bundle.

    ``keys`` are the public keys or fingerprints that may have signed it; without any, one and the
    same unknown key must have signed everything. ``written`` is a digest from a result slip.
    A folder into which a bundle was unpacked is checked like the bundle itself.
    Raises ``BundleError`` when the file is no bundle at all or cannot be read, and ``SigningError``
    when ``keys`` or ``written`` are no such thing.
    """
    for key in keys:
        require_key(key)
    if written is not None:
        written = plain_digest(written)
    with opened(path) as view:
        if not archive.looks_like_one(view):
            raise BundleError(f"{path}: not an evidence bundle of tilewatch")
        check = _Check(Report(path), view, keys, written)
        try:
            check.run()
        except MemoryError as error:
            raise BundleError(f"{path}: checking it takes more memory than there is") from error
        finally:
            check.release()
        return check.report


class _Check:
    def __init__(
        self, report: Report, data: memoryview, keys: Sequence[str], written: str | None
    ) -> None:
        self.report = report
        self._keys = keys
        self._written = written
        self._found, self._flaw = archive.read(data)
        self._entries = {entry.name: entry for entry in self._found}

    def release(self) -> None:
        """Let go of the file."""
        for entry in self._found:
            entry.content.release()

    def run(self) -> None:
        self._archive()
        if self._too_large():
            return
        manifest = self._manifest()
        if manifest is None:
            return
        self._listed(manifest)
        events = self._chain(manifest)
        self._files(manifest)
        if not events:
            return
        self._laid_out(manifest, events)
        pictures = self._pictures(events)
        for text in false_statements(manifest, events, set(self._entries)):
            self.report.fault(archive.MANIFEST, text)
        files = {entry.name: entry.content for entry in self._found}
        check = GameCheck(self.report, manifest, events, files)
        game = check.run()
        self.report.facts = Facts(
            events[-1].game_id,
            manifest["key"],
            events[-1].key,
            len(events),
            digest(events[-1].hash),
            pictures,
            tuple(digest(event.hash) for event in events),
            game,
        )
        self._slip(events, check)

    # --- the archive and its manifest ---

    def _archive(self) -> None:
        broken = [
            entry
            for entry in self._found
            if not entry.whole and entry.name not in (archive.EVENTS, archive.CHAIN)
        ]
        due = self._due() if broken else {}
        for entry in broken:
            if entry.name in due and due[entry.name] == _sha256(entry.content):
                text = f"the check sum in the header of {entry.name} was changed"
                self.report.fault(f"byte {entry.begin}", text)
            elif entry.name not in due:
                self.report.fault(entry.name, "its check sum is wrong")
        if self._flaw is not None:
            remedy = _REPACKED if self._unpacks() else ""
            self.report.fault(self._flaw.place, f"{self._flaw.message}{remedy}")
        seen: set[str] = set()
        for entry in self._found:
            if entry.name in seen:
                self.report.fault(entry.name, "is in the bundle twice")
            seen.add(entry.name)

    def _unpacks(self) -> bool:
        """True if any program can unpack it, and it has the entries of a bundle."""
        try:
            with zipfile.ZipFile(self.report.path) as other:
                return set(archive.TEXTS) <= {Path(name).name for name in other.namelist()}
        except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
            return False

    def _too_large(self) -> bool:
        for name in archive.TEXTS:
            if name in self._entries and len(self._entries[name].content) > archive.MAX_TEXT:
                self.report.fault(name, "has more than 64 MiB")
                return True
        return False

    def _due(self) -> Mapping[str, str]:
        """The hashes that the manifest lists, so far as it can be read."""
        try:
            manifest = strict_json.loads(bytes(self._entries[archive.MANIFEST].content))
            return {str(one["name"]): str(one["sha256"]) for one in manifest["files"]}
        except (KeyError, ValueError, TypeError):
            return {}

    def _manifest(self) -> Mapping[str, Any] | None:
        entry = self._entries.get(archive.MANIFEST)
        if entry is None:
            if not self.report.faults:  # else the archive could not be read as far as there
                self.report.fault(archive.MANIFEST, "is not in the bundle")
            return None
        text = bytes(entry.content)
        try:
            manifest = strict_json.loads(text)
            version = version_of(manifest)
            if version in archive.VERSIONS:
                require_form(manifest)
        except ValueError as error:
            self.report.fault(archive.MANIFEST, f"is not as it was written ({error})")
            return None
        if version not in archive.VERSIONS and not self.report.ok:
            self.report.fault(archive.MANIFEST, f"states that it is of version {version}")
            return None
        if version not in archive.VERSIONS:
            raise BundleError(
                f"{self.report.path}: a bundle of version {version}; this tilewatch "
                f"knows {archive.VERSION}: update tilewatch"
            )
        signature = self._entries.get(archive.SIGNATURE)
        key = str(manifest["key"])
        written = b"" if signature is None else bytes(signature.content[:130])
        message = bundle_message(key, hashlib.sha256(text).hexdigest())
        if signature is None:
            self.report.fault(archive.SIGNATURE, "is not in the bundle")
        elif not re.fullmatch(rb"[0-9a-f]{128}\n", written):
            self.report.fault(archive.SIGNATURE, "is no signature")
        elif not is_signed_by(key, message, written.decode("ascii").strip()):
            # A check sum that fails shows which of the two was changed.
            place = archive.MANIFEST if signature.whole or not entry.whole else archive.SIGNATURE
            self.report.fault(place, f"its signature is not that of the key {fingerprint(key)}")
        elif not self._may_sign(key, key):
            self.report.fault(archive.MANIFEST, self._stranger(key))
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
            "same table, or of the table whose hub made the bundle, name both with --key"
        )

    def _listed(self, manifest: Mapping[str, Any]) -> None:
        due = [archive.MANIFEST, archive.SIGNATURE, *(one["name"] for one in manifest["files"])]
        there = [entry.name for entry in self._found]
        if due == there:
            return
        for name in due:
            if name not in self._entries:
                self.report.fault(name, "is not in the bundle")
                if self._flaw is not None:
                    return  # the rest comes after the fault
        listed = set(due)
        for name in there:
            if name not in listed:
                self.report.fault(name, "is in the bundle and not in its manifest")
        if len(listed) < len(due):
            self.report.fault(archive.MANIFEST, "lists a file twice")
        elif sorted(due) == sorted(there):
            name = next(a for a, b in zip(there, due, strict=True) if a != b)
            self.report.fault(name, "is not where the manifest has it")

    def _laid_out(self, manifest: Mapping[str, Any], events: Sequence[LoggedEvent]) -> None:
        """Check that the files are those of such a bundle, in their order, and no more."""
        due = file_names(manifest, events)
        for name in due:
            if name.startswith(("rulebook-", "tiles-")) and not re.fullmatch(_RULES, name):
                self.report.fault(name, "is no name of rules or tiles")
        listed = [one["name"] for one in manifest["files"]]
        if due == listed:
            return
        missing, extra = set(due) - set(listed), set(listed) - set(due)
        linked = f"{archive.PICTURES}/"
        for name in listed:
            if name in extra and not name.startswith(linked):  # pictures are checked by themselves
                self.report.fault(name, "is no file of such a bundle")
        for name in due:
            if name in missing:
                self.report.fault(name, "is not in the bundle")
        if not missing and not extra:
            pairs = zip(listed, due, strict=False)
            name = next((a for a, b in pairs if a != b), listed[-1])
            self.report.fault(name, "is not where it should be among the files")

    # --- the events ---

    def _chain(self, manifest: Mapping[str, Any]) -> list[LoggedEvent] | None:
        for name in (archive.EVENTS, archive.CHAIN):
            if name not in self._entries:
                if self.report.ok:  # else it is among what was found missing, or hidden by a flaw
                    self.report.fault(name, "is not in the bundle")
                return None
        steps = walk(
            bytes(self._entries[archive.CHAIN].content),
            bytes(self._entries[archive.EVENTS].content),
            manifest,
        )
        events: list[LoggedEvent] = []
        exporter = str(manifest["key"])
        for event in steps:
            if isinstance(event, Fault):
                self.report.faults.append(event)
                return None
            place = f"event {event.seq}"
            if not event.has_valid_signature():
                self.report.fault(place, "its signature is not that of the key that it names")
                return None
            if not self._may_sign(event.key, exporter):
                self.report.fault(place, self._stranger(event.key))
                return None
            events.append(event)
        return events

    def _slip(self, events: Sequence[LoggedEvent], check: GameCheck) -> None:
        """Find the record whose digest the slip has."""
        if self._written is None:
            return
        found = next((one for one in events if digest(one.hash) == self._written), None)
        if found is None:
            self.report.fault(
                "digest",
                f"no event of the bundle has the digest {self._written}: this is another log than "
                "the one that it was noted from, or one that was cut off or rewritten",
            )
            return
        after = len(events) - found.number
        since = ", ".join(f"{count} {kind}" for kind, count in _kinds(events[found.number :]))
        follow = f"{after} events since: {since}" if after else "no event of the game since"
        how = {"ResultSigned": "signed", "GameEnded": "ended"}.get(found.type, "noted")
        self.report.notes.append(
            f"the slip's digest {self._written} was found: {how} at event {found.number} of the "
            f"game ({found.seq} of the table's log); {follow}"
        )
        then = check.result_at(found)
        if then is not None:
            self.report.notes.append(f"the result at that event was another: {then}")

    # --- files and pictures ---

    def _files(self, manifest: Mapping[str, Any]) -> None:
        by_picture = {archive.picture_name(sha): sha for sha in manifest["pictures"]}
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

    def _pictures(self, events: Sequence[LoggedEvent]) -> int:
        """Check the pictures that events link; how many are there."""
        payloads = [event.payload for event in events]
        deleted = statement.deleted_pictures(payloads)
        checked: set[str] = set()
        there = gone = 0
        for number, role, sha in statement.linked_pictures(payloads):
            if sha in checked:
                continue
            checked.add(sha)
            name = archive.picture_name(sha)
            entry = self._entries.get(name)
            place = f"{name} ({role}, event {events[number - 1].seq})"
            if entry is not None:
                there += 1
                if _sha256(entry.content) != sha:
                    self.report.fault(place, "is another picture than its name says")
            elif sha in deleted:
                gone += 1
            elif self._flaw is None:
                self.report.fault(place, "is linked and not in the bundle")
        due = {archive.picture_name(sha) for sha in checked}
        for entry in self._found:
            if entry.name.startswith(f"{archive.PICTURES}/") and entry.name not in due:
                self.report.fault(entry.name, "is a picture that no event links")
        if gone:
            self.report.notes.append(f"{gone} pictures were deleted by the table's rule, as logged")
        return there


def _kinds(events: Sequence[LoggedEvent]) -> list[tuple[str, int]]:
    """The kinds of events with their numbers, the most first."""
    return Counter(event.type for event in events).most_common()


def _sha256(content: memoryview) -> str:
    return hashlib.sha256(content).hexdigest()
