"""Bundles and logs of other versions: earlier ones stay verifiable, later ones are evidence."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from pathlib import Path

import pytest

from record import statement
from record.bundle import archive
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from record.signing import KEY_FILE, TableKey
from record.verifier.verify import verify
from table.cli import main

from .bundlekit import GAME, WORDS, bundle_of, fill, independent, make, unpacked

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


def later_game(folder: Path) -> None:
    """A game whose log a newer version went on with."""
    fill(folder, turns=2)
    with EventLog(folder / DATABASE) as log:
        sha = EvidenceStore(folder / EVIDENCE, keep_free=0).store(b"\xff\xd8 of a newer version")
        for payload in (
            {"type": "TilesWeighed", "grams": 171},
            # Known, but with a field that is not: its pictures are linked all the same.
            {
                "type": "PicturesKept",
                "turn": 2,
                "pictures": [{"role": "at", "sha256": sha, "exposed_ns": 1, "depth": 3}],
                "t_ns": 9,
            },
        ):
            log.append(GAME, payload, mono_ns=9, source="recorder")


def test_a_game_that_cannot_be_replayed_is_exported_and_says_so(tmp_path, capsys):
    later_game(tmp_path)
    target = tmp_path / "game.zip"
    arguments = ["export", GAME, "--data", str(tmp_path), "-o", str(target)]
    assert main(arguments) == 0
    out, err = capsys.readouterr()
    assert "digest of the last event" in out
    assert err.count("\n") == 1
    assert "without turns and scores" in err
    assert "TilesWeighed" in err
    files = unpacked(target.read_bytes())
    manifest = json.loads(files[archive.MANIFEST])
    assert manifest["game"] is None
    assert "TilesWeighed" in manifest["unreplayed"]
    page = files[archive.PAGE].decode()
    assert "could not be replayed" in page
    assert "TilesWeighed" in page
    assert page.count("<details>") == manifest["head"]["number"]
    assert page.count(".jpg") == 2 * 3 + 2 + 1  # kept, read, and the newer version's own
    assert archive.RECORD not in files

    assert main(["verify", str(target)]) == 0
    out = capsys.readouterr().out
    assert "sound" in out
    assert "no turns and scores are stated" in out
    output = independent().check(target.read_bytes(), [], None)
    assert output.endswith("no turns and scores are stated")


def test_such_a_bundle_is_guarded_like_any_other(tmp_path):
    later_game(tmp_path)
    data = bundle_of(tmp_path, tmp_path / "game.zip").read_bytes()
    at = data.index(b'"grams":171') + 9
    (tmp_path / "changed.zip").write_bytes(data[:at] + b"2" + data[at + 1 :])
    report = verify(tmp_path / "changed.zip")
    assert not report.ok
    assert report.faults[0].place.startswith("event ")
    other = independent()
    with pytest.raises(other.Bad):
        other.check(data[:at] + b"2" + data[at + 1 :], [], None)


def broken(_):
    raise AssertionError("a bug")


def test_a_fault_in_our_own_rules_withholds_no_evidence(tmp_path, monkeypatch):
    fill(tmp_path, turns=2)

    with monkeypatch.context() as patch:
        patch.setattr("record.statement.steps_of", broken)
        bundle_of(tmp_path, tmp_path / "game.zip")
    report = verify(tmp_path / "game.zip")  # by a version without that bug
    assert report.ok
    assert "AssertionError: a bug" in report.notes[0]
    assert "can replay it" in report.notes[1]
    monkeypatch.setattr("record.statement.steps_of", broken)
    sound = bundle_of(tmp_path, tmp_path / "other.zip")
    assert verify(sound).ok


def test_a_stated_game_that_cannot_be_replayed_here_is_a_fault(tmp_path, monkeypatch):
    honest = make(tmp_path, tmp_path / "game.zip", turns=2)

    monkeypatch.setattr("record.statement.steps_of", broken)
    report = verify(honest)
    assert [fault.place for fault in report.faults] == [archive.EVENTS]
