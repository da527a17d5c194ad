"""Bundles and logs that released versions wrote stay readable and verifiable."""

from __future__ import annotations

import json
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


@pytest.mark.parametrize("in_words", [True, False])
def test_a_record_that_names_an_unknown_letter_in_no_words_is_sound(
    tmp_path, monkeypatch, in_words
):
    """Earlier versions wrote no words on the letter that stands for a blank without one."""
    fill(tmp_path, turns=2, words=("8D PL?TE", WORDS[1]))
    with monkeypatch.context() as patch:
        text_of = partial(statement.record_text, in_words=in_words)
        patch.setattr(statement, "record_text", text_of)
        target = bundle_of(tmp_path, tmp_path / "b.zip")
    assert (b"#note Not known" in unpacked(target.read_bytes())["game.gcg"]) == in_words
    report = verify(target, [TableKey.open(tmp_path / KEY_FILE).fingerprint])
    assert [str(fault) for fault in report.faults] == []


@pytest.mark.parametrize("last", [True, False])
def test_a_record_with_the_result_behind_the_first_turn_is_sound(tmp_path, monkeypatch, last):
    """Earlier versions wrote it there."""
    fill(tmp_path, turns=2, resigned=True)
    with monkeypatch.context() as patch:
        patch.setattr(statement, "record_text", partial(statement.record_text, result_last=last))
        target = bundle_of(tmp_path, tmp_path / "b.zip")
    record = unpacked(target.read_bytes())["game.gcg"].splitlines()
    assert record[-1].startswith(b"#note GCG cannot say this") == last
    report = verify(target, [TableKey.open(tmp_path / KEY_FILE).fingerprint])
    assert [str(fault) for fault in report.faults] == []
