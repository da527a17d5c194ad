"""A game that this version cannot replay is evidence all the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from record.bundle import archive
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from record.verifier.verify import verify
from table.cli import main

from .bundlekit import GAME, bundle_of, fill, independent, make, unpacked


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
