"""Nothing in a bundle can be changed unnoticed, and the verifier says where.

``TILEWATCH_TAMPERINGS=2000`` asks for as many tamperings.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from pathlib import Path

import pytest

from record.bundle import archive
from record.bundle.export import EXPORTS, export
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.log.mirror import mirror_path
from record.paths import DATABASE, EVIDENCE
from record.seals import digest
from record.signing import KEY_FILE, TableKey
from record.verifier.replay import verify

from .bundlekit import GAME, make
from .forgerykit import judged
from .tamperkit import Tamperer

ASKED = os.environ.get("TILEWATCH_TAMPERINGS")
COUNT = int(ASKED or "300")
QUICK = 100


@pytest.fixture(scope="module")
def tamperer(honest) -> Tamperer:
    return Tamperer(honest.data, honest.key)


def faults(data: bytes, path: Path, keys=(), written=None) -> tuple[str | None, str | None]:
    """The first bad place as verify and the verifier in bundles name it; None where all is well."""
    found = judged(data, path, keys, written)
    return next(iter(found.places), None), found.their_place


def test_the_honest_bundle_passes(tamperer, tmp_path):
    path = tmp_path / "b.zip"
    assert faults(tamperer.honest, path) == (None, None)
    assert faults(tamperer.honest, path, [tamperer.key.fingerprint]) == (None, None)
    assert faults(tamperer.honest, path, [tamperer.key.public]) == (None, None)


@pytest.mark.parametrize(
    "seeds",
    [
        range(QUICK),
        pytest.param(range(QUICK, COUNT), marks=[] if ASKED else [pytest.mark.slow]),
    ],
    ids=["first", "more"],
)
def test_every_tampering_is_refused_and_its_place_is_named(tamperer, tmp_path, seeds):
    kinds: Counter[str] = Counter()
    for seed in seeds:
        one = tamperer.one(seed)
        if one.data == tamperer.honest:
            continue
        kinds[one.kind.split(" of byte")[0]] += 1
        for who, place in zip(
            ("verify", "the verifier in bundles"),
            faults(one.data, tmp_path / "b.zip"),
            strict=True,
        ):
            assert place is not None, f"seed {seed}: {who} let pass: {one.kind}"
            assert one.names(place), f"seed {seed}: {one.kind}: {who} names {place}, {one.places}"
    assert len(kinds) >= 10
    assert sum(kinds.values()) >= 0.98 * len(seeds)


def test_every_bit_of_the_archive_s_own_bytes_counts(tamperer, tmp_path):
    """Headers and directory, bit by bit: they are where a ZIP leaves room."""
    entries, _ = archive.read(memoryview(tamperer.honest))
    first, last = entries[0], entries[-1]
    end = last.begin + 30 + len(last.name) + len(last.content)
    spots = [*range(4, 30 + len(first.name)), *range(end, len(tamperer.honest), 61)]
    spots += range(len(tamperer.honest) - 22, len(tamperer.honest))
    for at in spots:
        data = bytearray(tamperer.honest)
        data[at] ^= 1 << at % 8
        places = faults(bytes(data), tmp_path / "b.zip")
        assert None not in places, f"byte {at}"


@pytest.mark.parametrize("added", [b"\0", b"x" * 1000])
def test_nothing_can_be_hung_on(tamperer, tmp_path, added):
    assert None not in faults(tamperer.honest + added, tmp_path / "b.zip")
    assert judged(added + tamperer.honest, tmp_path / "b.zip").both == (2, 2)


@pytest.mark.parametrize("part", [0.0005, 0.1, 0.5, 0.9, 0.9999])
def test_a_bundle_that_is_cut_off_is_refused(tamperer, tmp_path, part):
    data = tamperer.honest[: int((len(tamperer.honest) - 60) * part) + 59]
    assert None not in faults(data, tmp_path / "b.zip")


def test_who_makes_everything_anew_with_another_key_is_found_by_the_key_alone(tamperer, tmp_path):
    """What a chain cannot show: a whole bundle by a stranger is sound in itself."""
    folder = tmp_path / "stranger"
    forged = make(folder, tmp_path / "forged.zip").read_bytes()
    path = tmp_path / "b.zip"
    assert faults(forged, path) == (None, None)
    key = [tamperer.key.fingerprint]
    assert faults(forged, path, key) == ("manifest.json", "manifest.json")


def test_the_digest_on_the_slip_finds_a_tail_cut_off_by_the_owner_of_the_key(tmp_path):
    folder, path = tmp_path / "table", tmp_path / "b.zip"
    make(folder, tmp_path / "honest.zip", turns=3)
    with EventLog(folder / DATABASE, readonly=True) as log:
        events = log.events(GAME)
    mirror_path(folder / DATABASE).unlink()  # the owner has the disk, too
    (folder / EXPORTS).unlink()

    class Shorter(EventLog):  # the owner leaves the last two events out
        def events(self, game_id=None, after=0):
            return [e for e in super().events(game_id, after) if e.seq <= events[-3].seq]

    with Shorter(folder / DATABASE, readonly=True) as owner:
        key, store = TableKey.open(folder / KEY_FILE), EvidenceStore(folder / EVIDENCE)
        export(owner, store, key, GAME, tmp_path / "cut.zip")
    cut = (tmp_path / "cut.zip").read_bytes()
    assert faults(cut, path) == (None, None)
    assert faults(cut, path, written=digest(events[-1].hash)) == ("check code", "check code")
    report = verify(path, written=digest(events[-3].hash).lower().replace("-", " "))
    assert report.ok
    assert f"event {events[-3].number} of the game; no event follows it" in report.compared[-1]


def test_hashes_in_the_listing_are_of_the_files_themselves(tamperer):
    for one in tamperer.manifest["files"]:
        assert hashlib.sha256(tamperer.files[one["name"]]).hexdigest() == one["sha256"]
        assert len(tamperer.files[one["name"]]) == one["size"]
