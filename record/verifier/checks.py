"""All checks of a bundle that need no rules of the game, and the report that they give.

The checks have the order of docs/evidence.md. Faults are found in the order in which a bundle is
read, so the first fault is at the first bad place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from record.bundle.archive import (
    CHAIN,
    EDGES,
    EVENTS,
    MANIFEST,
    MAX_TEXT,
    PAGE,
    PICTURES,
    README,
    RECORD,
    SIGNATURE,
    TEXTS,
    VERIFIER,
    VERSION,
    Unusable,
    contents,
    is_bundle,
    packed,
    picture_name,
    read,
    was_repacked,
)
from record.bundle.manifest import STATED, events_give, misfit
from record.linked_pictures import deleted_pictures, linked_pictures
from record.opened_racks import opened_racks
from record.seals import bundle_message, digest, fingerprint, is_one_of, is_signed_by, sha256
from record.strict_json import loads, same
from record.verifier.chain import Bad, Event, checked_events
from record.verifier.report import Facts, Fault, Report

REPACKED = (
    "another program packed it again, or it was changed; its contents can be checked all the same: "
    "unpack it into a folder and verify that folder; "
)
NAMING = ("GameStarted", "PlayersNamed")
RULES = re.compile(r"(rulebook|tiles)-[a-z0-9-]+\.toml")


class Check:
    """One check of a bundle, or of a folder into which one was unpacked."""

    def __init__(self, path: Path, keys: list[str], written: str | None) -> None:
        """Read the archive; ``run`` checks it.

        ``keys`` (:func:`record.seals.plain_key`) may have signed the bundle; without any, one
        unknown key must have signed everything. ``written`` is a digest from a result slip
        (:func:`record.seals.plain_digest`). Raises ``Unusable`` and ``OSError``.
        """
        data = packed(path) if path.is_dir() else contents(path)
        if not is_bundle(data):
            empty = ": the file is empty" * (not data)
            raise Unusable(f"not an evidence bundle of tilewatch{empty}")
        self.report = Report(path, keyed=bool(keys))
        self.keys, self.written = keys, written
        self.entries, self.flaw = read(data)
        self.files = {entry.name: entry.content for entry in self.entries}
        self.manifest: dict[str, Any] = {}
        self.events: list[Event] = []
        self.hashes: dict[str, str] = {}
        """The SHA-256 of each listed file."""
        self.spoilt: set[str] = set()
        """Listed files that are missing or are not those listed."""

    def fault(self, place: str, message: str) -> None:
        """Add a fault to the report."""
        self.report.faults.append(Fault(place, message))

    def run(self) -> Report:
        """Make all checks. Raises ``Unusable`` for a bundle of another version."""
        report = self.report
        try:
            self.check_archive()
            self.check_manifest()
            self.check_list()
            try:
                self.check_chain()
            except Bad as bad:
                self.fault(*bad.args)
                self.events = []
            self.check_files()
        except Bad as bad:
            self.fault(*bad.args)
        if self.events:
            report.faults += misplaced(self.manifest, self.events)
            there = self.check_pictures()
            report.faults += false_statements(self.manifest, self.events)
            report.faults += false_sums(self.manifest["game"]) if self.manifest["game"] else ()
            self.state_facts(there)
        return report

    def check_archive(self) -> None:
        """Check that the archive is the only one that its entries can make."""
        for entry in self.entries:
            if entry.name in (MANIFEST, SIGNATURE) and not entry.whole:
                self.fault(entry.name, "its check sum is wrong")
        if self.flaw is not None:
            place, message = self.flaw
            message = REPACKED * was_repacked(self.report.path) + message
            if MANIFEST not in self.files:  # it lies behind the flaw
                raise Bad(place, message)
            self.fault(place, message)
        for name, count in Counter(entry.name for entry in self.entries).items():
            if count > 1:
                self.fault(name, "is in the bundle twice")
        for name in TEXTS:
            if len(self.files.get(name, b"")) > MAX_TEXT:
                raise Bad(name, "has more than 64 MiB")

    def check_manifest(self) -> None:
        """Check that the manifest has its form, and that an allowed key signed it."""
        if MANIFEST not in self.files:
            raise Bad(MANIFEST, "is not in the bundle")
        text, form = bytes(self.files[MANIFEST]), {"format": STATED["format"], "version": int}
        try:
            stated = loads(text)
            named = stated if isinstance(stated, dict) else {}
            version: Any = named.get("version")
            amiss = misfit({name: named.get(name) for name in form}, form)
            if not amiss and version == VERSION:
                amiss = misfit(stated, STATED)
                if not amiss and (stated["game"] is None) == (stated["unreplayed"] is None):
                    amiss = "game"
        except ValueError as error:
            raise Bad(MANIFEST, f"is not as it was written ({error})") from None
        if amiss:
            raise Bad(MANIFEST, f"is not as it was written ({amiss} has another form)")
        if version != VERSION and not self.report.ok:
            raise Bad(MANIFEST, f"states that it is of version {version}")
        if version != VERSION:
            remedy = "update tilewatch" if version > VERSION else "tilewatch before 0.3 made it"
            raise Unusable(f"a bundle of version {version}, not {VERSION}: {remedy}")
        self.manifest = named
        self.check_signature(named["key"], sha256(text))

    def check_signature(self, key: str, sha: str) -> None:
        """Check that an allowed key signed the manifest."""
        signature = bytes(self.files.get(SIGNATURE, b"")[:130])
        if SIGNATURE not in self.files:
            self.fault(SIGNATURE, "is not in the bundle")
        elif not re.fullmatch(rb"[0-9a-f]{128}\n", signature):
            self.fault(SIGNATURE, "is no signature")
        elif not is_signed_by(key, bundle_message(key, sha), signature.decode().strip()):
            # A check sum that fails shows which of the two was changed.
            changed = [one.name for one in self.entries if not one.whole and one.name in TEXTS[:2]]
            place = SIGNATURE if changed == [SIGNATURE] else MANIFEST
            self.fault(place, f"its signature is not that of the key {fingerprint(key)}")
        elif stranger := self.stranger(key):
            self.fault(MANIFEST, stranger)

    def stranger(self, key: str) -> str:
        """Return a line about a key that may not sign; empty for an allowed key."""
        if is_one_of(key, self.keys or [self.manifest["key"]]):
            return ""
        if self.keys:
            return f"is signed with the key {fingerprint(key)}, which is none of those named"
        return (
            f"is signed with another key than the bundle, {fingerprint(key)}; if it is a key of "
            "the same table, or of the table whose hub made the bundle, name both with --key"
        )

    def check_list(self) -> None:
        """Check that the entries are those that the manifest lists, in its order."""
        due = [MANIFEST, SIGNATURE, *(one["name"] for one in self.manifest["files"])]
        there = [entry.name for entry in self.entries]
        listed = set(due)
        for name in due:
            if name not in self.files:
                self.spoilt.add(name)
                self.fault(name, f"is not in the bundle{self.linked(name)}")
                if self.flaw is not None:
                    return  # the rest comes after the flaw
        for name in there:
            if name not in listed:
                self.fault(name, "is in the bundle and not in its manifest")
        if len(listed) < len(due):
            self.fault(MANIFEST, "lists a file twice")
        elif sorted(due) == sorted(there) and due != there:
            name = next(a for a, b in zip(there, due, strict=True) if a != b)
            self.fault(name, "is not where the manifest has it")

    def check_chain(self) -> None:
        """Check that the chain of events is sound, and signed by allowed keys."""
        for name in (EVENTS, CHAIN):
            if name not in self.files:
                if self.report.ok:  # else it is among what is missing, or hidden by a flaw
                    self.fault(name, "is not in the bundle")
                return
        chain, lines = (bytes(self.files[name]) for name in (CHAIN, EVENTS))
        for event in checked_events(chain, lines, self.manifest):
            if stranger := self.stranger(event.key):
                raise Bad(f"event {event.seq}", stranger)
            self.events.append(event)

    def check_files(self) -> None:
        """Check each file against its hash and size in the manifest."""
        entries = {entry.name: entry for entry in self.entries}
        for one in self.manifest["files"]:
            entry = entries.get(one["name"])
            if entry is None:
                continue
            self.hashes[entry.name] = sha256(entry.content)
            if (len(entry.content), self.hashes[entry.name]) != (one["size"], one["sha256"]):
                self.spoilt.add(entry.name)
                text = "is not the one that was signed"
                if linked := self.linked(entry.name):
                    text = f"is not the one that the table kept{linked}"
                self.fault(entry.name, text)
            elif not entry.whole:
                text = f"the check sum in the header of {entry.name} was changed"
                self.report.faults.insert(0, Fault(f"byte {entry.begin}", text))

    def linked(self, name: str) -> str:
        """Return the events that link a picture, as the manifest has them; empty for no picture."""
        sha = name.removeprefix(f"{PICTURES}/").removesuffix(".jpg")
        links = self.manifest["pictures"].get(sha, [])
        return f": {', '.join(links)}" if links else ""

    def check_pictures(self) -> int:
        """Check that the pictures are those that events link; return their number."""
        payloads = [event.payload for event in self.events]
        deleted, linked = deleted_pictures(payloads), set[str]()
        there = gone = 0
        for number, role, sha in linked_pictures(payloads):
            name = picture_name(sha)
            if name in linked:
                continue
            linked.add(name)
            place = f"{name} ({role}, event {self.events[number - 1].seq})"
            if name in self.files:
                there += 1
                own = self.hashes.get(name) or sha256(self.files[name])
                if name not in self.spoilt and own != sha:
                    self.fault(place, "is another picture than its name says")
            elif sha in deleted:
                gone += 1
            elif self.flaw is None and name not in self.spoilt:
                self.fault(place, "is linked and not in the bundle")
        for name in self.files:
            if name.startswith(f"{PICTURES}/") and name not in linked:
                self.fault(name, "is a picture that no event links")
        if gone:
            text = f"{gone} pictures were deleted, as logged"
            self.report.notes.append(text)
        return there

    def state_facts(self, pictures: int) -> None:
        """Add the facts of sound events to the report, and the comparisons with them."""
        report, key, last = self.report, self.manifest["key"], self.events[-1]
        digests = tuple(digest(event.hash) for event in self.events)
        signers = tuple(dict.fromkeys(event.key for event in self.events))
        report.facts = Facts(
            self.manifest["game_id"],
            key,
            signers,
            pictures,
            digests,
            self.manifest["exported_wall_ns"],
            last.key,
        )
        if self.keys:
            report.compared.append("every key that signed is one that you named")
        else:
            report.uncompared.append(
                f"the key {fingerprint(last.key)}. Anybody can make a bundle that is sound in "
                "itself: compare the key with the table's, as it was noted, or name that by --key"
            )
        self.find_written(digests)

    def find_written(self, digests: Sequence[str]) -> None:
        """Check that one of the events has the check code on the result slip."""
        if self.written is None:
            self.report.uncompared.append("the check code on the result slip: name it by --code")
            return
        if self.written not in digests:
            whose = "another log than the one that it was noted from, or one that was cut off"
            text = f"no event has {self.written}: this is {whose} or rewritten"
            self.fault("check code", text)
            return
        number = digests.index(self.written) + 1
        later = len(digests) - number
        follow = f"{later} events follow it" if later > 1 else f"{later or 'no'} event follows it"
        how = {"ResultSigned": ", which signed the result", "GameEnded": ", which ended the game"}
        which = how.get(self.events[number - 1].body[6], "")
        self.report.compared.append(
            f"the check code {self.written} is that of event {number} of the game{which}; {follow}"
        )


def false_statements(manifest: Mapping[str, Any], events: Sequence[Event]) -> Iterator[Fault]:
    """Yield differences between the manifest and the records."""
    records = [(event.seq, event.key, event.payload) for event in events]
    listed = {one["name"] for one in manifest["files"]}
    due = events_give(records, manifest["key"], lambda sha: picture_name(sha) in listed)
    digests = {event.seq: digest(event.hash) for event in events}
    for one in manifest["exports"]:
        if digests.get(one["seq"]) != one["digest"]:
            text = (
                f"names an earlier bundle up to event {one['seq']}, whose check code is not in it"
            )
            yield Fault(MANIFEST, text)
    named = [one[2].get("players") for one in records if one[2]["type"] in NAMING]
    for side, name in (manifest["game"] or {"players": {}})["players"].items():
        if name not in [one.get(side) for one in named if isinstance(one, dict)]:
            yield Fault(MANIFEST, f"players: the events never name {side} so")
    for name, value in due.items():
        if not same(manifest[name], value):
            yield Fault(MANIFEST, f"{name} is not what the events give")
    for number, found in opened_racks(manifest["game_id"], (one.payload for one in events)):
        if isinstance(found, str):
            yield Fault(f"event {events[number - 1].seq}", found)


def misplaced(manifest: Mapping[str, Any], events: Sequence[Event]) -> Iterator[Fault]:
    """Check that the files are exactly those of a bundle of these events, in order.

    Linked pictures, and the game's record, may be missing.
    """
    listed = [one["name"] for one in manifest["files"]]
    due = [README, PAGE, EVENTS, CHAIN, VERIFIER, *[EDGES] * (EDGES in listed)]
    if manifest["game"] is not None:
        start = events[0].payload
        rules = [f"rulebook-{start.get('rulebook')}.toml", f"tiles-{start.get('tile_set')}.toml"]
        odd = [name for name in rules if not RULES.fullmatch(name)]
        yield from (Fault(name, "is no name of rules or tiles") for name in odd)
        due += rules + [RECORD] * (RECORD in listed)
    linked = {picture_name(sha) for _, _, sha in linked_pictures(one.payload for one in events)}
    due += sorted(linked & set(listed))
    known, there = set(due), set(listed)
    for name in listed:
        if name not in known and not name.startswith("pictures/"):  # those: Check.pictures
            yield Fault(name, "is no file of such a bundle")
    for name in due:
        if name not in there:
            yield Fault(name, "is not in the bundle")
    if due != listed and sorted(due) == sorted(listed):
        name = next(a for a, b in zip(listed, due, strict=True) if a != b)
        yield Fault(name, "is not where it should be among the files")


def false_sums(game: Mapping[str, Any]) -> Iterator[Fault]:
    """Check that each stated score is the sum of that side's turns and adjustments.

    Points on the spread alone are no part of a score.
    """
    lines = [line for line in game["adjustments"] if line["kind"] != "spread"]
    for side, score in game["scores"].items():
        parts = [turn["score"] for turn in game["turns"] if turn["side"] == side]
        parts += [line["points"] for line in lines if line["side"] == side]
        if sum(parts) != score:
            text = f"{side} has {score}, the turns and adjustments give {sum(parts)}"
            yield Fault("scores", text)
