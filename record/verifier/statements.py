"""The manifest's statements, computed from the events."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from record.bundle.archive import (
    CHAIN,
    EDGES,
    EVENTS,
    MANIFEST,
    PAGE,
    README,
    RECORD,
    VERIFIER,
    picture_name,
)
from record.linked_pictures import deleted_pictures, linked_pictures
from record.seals import digest
from record.strict_json import same
from record.verifier.chain import Event
from record.verifier.report import Fault

RULES = re.compile(r"(rulebook|tiles)-[a-z0-9-]+\.toml")


def false_statements(
    manifest: Mapping[str, Any], events: Sequence[Event], there: Collection[str]
) -> Iterator[Fault]:
    """Differences between the manifest and the records; ``there`` are the names of the entries."""
    payloads = [event.payload for event in events]
    deleted, links = deleted_pictures(payloads), dict[str, list[str]]()
    lost: set[str] = set()
    for number, role, sha in linked_pictures(payloads):
        if picture_name(sha) in there:
            links.setdefault(sha, []).append(f"{role} of event {events[number - 1].seq}")
        elif sha not in deleted:
            lost.add(sha)
    described = next((one for one in payloads if one["type"] == "TableDescribed"), None)
    recorded = described and {n: described.get(n) for n in ("software", "files", "settings")}
    due = {
        "keys": sorted({event.key for event in events} | {manifest["key"]}),
        "recorded_with": recorded,
        "pictures": links,
        "lost": sorted(lost),
    }
    digests = {event.seq: digest(event.hash) for event in events}
    for one in manifest["exports"]:
        if digests.get(one["seq"]) != one["digest"]:
            text = f"names an earlier bundle up to event {one['seq']}, whose digest is not in it"
            yield Fault(MANIFEST, text)
    for side, name in (manifest["game"] or {"players": {}})["players"].items():
        if name not in names_given(payloads, side):
            yield Fault(MANIFEST, f"players: the events never name {side} so")
    for name, value in due.items():
        if not same(manifest[name], value):
            yield Fault(MANIFEST, f"{name} is not what the events give")


def names_given(payloads: Sequence[Mapping[str, Any]], side: str) -> list[Any]:
    """Every name that the records give to the player of a side, whether it held or not."""
    naming = [one for one in payloads if one["type"] in ("GameStarted", "PlayersNamed")]
    players = [one.get("players") for one in naming]
    return [one.get(side) for one in players if isinstance(one, dict)]


def misplaced(manifest: Mapping[str, Any], events: Sequence[Event]) -> Iterator[Fault]:
    """Check that the files are those of a bundle of these events, in their order, and no more.

    Which of the linked pictures are there, and whether a game has a record, is left to the bundle.
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
    """Check that each stated score is the sum of that side's turns and adjustments."""
    for side, score in game["scores"].items():
        parts = [turn["score"] for turn in game["turns"] if turn["side"] == side]
        parts += [line["points"] for line in game["adjustments"] if line["side"] == side]
        if sum(parts) != score:
            text = f"{side} has {score}, the turns and adjustments give {sum(parts)}"
            yield Fault("scores", text)
