"""Bundles and logs that released versions wrote stay readable and verifiable."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from pathlib import Path

import pytest

from record import statement
from record.bundle import archive
from record.paths import DATABASE
from record.signing import KEY_FILE, TableKey
from record.verifier.verify import verify

from .bundlekit import WORDS, bundle_of, fill, independent, unpacked

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
KEYS = {
    "game": ["08dd-d73e-4a3f-84a8-0eee-4279-f45b-0149"],
    "second": ["08dd-d73e-4a3f-84a8-0eee-4279-f45b-0149"],
    "unreplayed": ["e346-5529-dc02-59e0-18f1-db58-fd09-4a15"],
    "two-keys": ["e7f3-57e3-75c9-ec90-58da-f73e-c84a-3f12"],
}
DIGESTS = {
    "game": "W119-9DKJ-VJVY",
    "second": "KB3Z-5R12-7Z1Z",
    "unreplayed": "VDQ5-F835-N57M",
}


def keys_of(name: str, path: Path) -> list[str]:
    signer = json.loads(unpacked(path.read_bytes())[archive.MANIFEST])["key"]
    return [*KEYS[name], signer]


@pytest.mark.parametrize("name", sorted(KEYS))
def test_a_bundle_of_an_earlier_version_is_sound_for_both_verifiers(name):
    path = GOLDEN / f"{name}.tilewatch.zip"
    keys = keys_of(name, path)
    report = verify(path, keys, DIGESTS.get(name))
    assert [str(fault) for fault in report.faults] == []
    independent().check(path.read_bytes(), keys, DIGESTS.get(name))


def test_the_key_that_recorded_has_to_be_named_where_another_exported():
    path = GOLDEN / "two-keys.tilewatch.zip"
    assert [fault.place for fault in verify(path).faults] == ["event 1"]


def test_a_log_of_an_earlier_version_gives_a_bundle_that_lacks_its_pictures_alone(tmp_path):
    shutil.copyfile(HERE / "data" / "log-v2.sqlite", tmp_path / DATABASE)
    target = bundle_of(tmp_path, tmp_path / "b.zip", "second-20260101")
    log_key = "890221ee3b9dee41d42877ce28277343534017909da4c9c62c5bf3464ffdab39"
    keys = [log_key, TableKey.open(tmp_path / KEY_FILE).fingerprint]
    places = [fault.place for fault in verify(target, keys).faults]
    assert places == [f"pictures/{'0' * 64}.jpg (at, event 12)"]


UNKNOWN_LETTER = {"words": ("8D PL?TE", WORDS[1])}


@pytest.mark.parametrize("now", [True, False])
@pytest.mark.parametrize(
    ("option", "game", "line"),
    [
        # Earlier versions wrote no words on the letter that stands for a blank without one,
        ("in_words", UNKNOWN_LETTER, rb"(?m)^#note Not known"),
        # and the result behind the first turn.
        ("result_last", {"resigned": True}, rb"\n#note GCG cannot say this.*\n\Z"),
    ],
)
def test_a_record_as_earlier_versions_wrote_it_is_sound(
    tmp_path, monkeypatch, option, game, line, now
):
    fill(tmp_path, turns=2, **game)
    with monkeypatch.context() as patch:
        text_of = partial(statement.record_text, **{option: now})
        patch.setattr(statement, "record_text", text_of)
        target = bundle_of(tmp_path, tmp_path / "b.zip")
    assert bool(re.search(line, unpacked(target.read_bytes())["game.gcg"])) == now
    report = verify(target, [TableKey.open(tmp_path / KEY_FILE).fingerprint])
    assert [str(fault) for fault in report.faults] == []
