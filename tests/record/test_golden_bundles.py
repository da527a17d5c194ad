"""Stored bundles and logs stay verifiable; those of a newer version are evidence."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from record.bundle import archive
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from record.signing import KEY_FILE, TableKey
from record.statement import statement_of
from record.verifier.replay import differences, verify
from table.cli import main
from tests.game.scriptkit import after

from .bundlekit import GAME, bundle_of, checked, fill, independent, make, unpacked

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
KEYS = {
    "game": ["1e63-2758-4289-0a2c-f59a-ac87-db26-c706"],
    "second": ["1e63-2758-4289-0a2c-f59a-ac87-db26-c706"],
    "unreplayed": ["2e29-aff4-02fe-68f0-64e7-de8f-32e6-1f35"],
    "two-keys": [
        "3af1-d127-7687-b2e0-3978-4326-2dad-12b3",
        "7de4-c67b-da64-81c2-090a-e467-be87-1ae4",
    ],
}
DIGESTS = {
    "game": "DBKQ-K365-BTTZ",
    "second": "WEA4-ECWY-NEF1",
    "unreplayed": "KG64-N3WF-T598",
}


@pytest.mark.parametrize("name", sorted(KEYS))
def test_a_stored_bundle_is_sound(name):
    path = GOLDEN / f"{name}.tilewatch.zip"
    report = verify(path, KEYS[name], DIGESTS.get(name))
    assert [str(fault) for fault in report.faults] == []
    assert checked(path, KEYS[name], DIGESTS.get(name)).faults == []
    # The verifier that it was exported with says so too, whatever became of ours.
    words = [word for key in KEYS[name] for word in ("--key", key)]
    program = unpacked(path.read_bytes())[archive.VERIFIER]
    done = subprocess.run([sys.executable, "-I", "-", str(path), *words], input=program)
    assert done.returncode == 0


def test_a_line_that_has_its_older_name_is_no_difference():
    game = statement_of(after("-, 8H ZZZZZZZ, clock 10, -, clock 2101, -", "naspa-2017").state)
    older = json.loads(json.dumps(game).replace("limit_raise", "one_point"))
    assert older != game
    assert list(differences(older, game)) == []


@pytest.mark.parametrize("version", [1, 3])
def test_a_bundle_of_another_version_is_refused_in_a_line(forger, tmp_path, capsys, version):
    forger.manifest["version"] = version
    path = tmp_path / "b.zip"
    path.write_bytes(forger.made())
    assert main(["verify", str(path)]) == 2
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert f"a bundle of version {version}, not 2: " in line
    with pytest.raises(independent().Unusable, match=f"of version {version}, not 2"):
        checked(path)


def test_the_key_that_recorded_has_to_be_named_where_another_exported():
    path = GOLDEN / "two-keys.tilewatch.zip"
    assert [fault.place for fault in verify(path).faults] == ["event 1"]


def test_a_stored_log_gives_a_bundle_that_lacks_its_pictures_alone(tmp_path):
    shutil.copyfile(GOLDEN / "log.sqlite", tmp_path / DATABASE)
    target = bundle_of(tmp_path, tmp_path / "b.zip", "second-20260101")
    log_key = "890221ee3b9dee41d42877ce28277343534017909da4c9c62c5bf3464ffdab39"
    keys = [log_key, TableKey.open(tmp_path / KEY_FILE).fingerprint]
    places = [fault.place for fault in verify(target, keys).faults]
    assert places == [f"pictures/{'0' * 64}.jpg (at, event 12)"]


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
    assert "check code of the last event" in out
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
    assert checked(target).faults == []


def test_such_a_bundle_is_guarded_like_any_other(tmp_path):
    later_game(tmp_path)
    data = bundle_of(tmp_path, tmp_path / "game.zip").read_bytes()
    at = data.index(b'"grams":171') + 9
    (tmp_path / "changed.zip").write_bytes(data[:at] + b"2" + data[at + 1 :])
    for report in (verify(tmp_path / "changed.zip"), checked(tmp_path / "changed.zip")):
        assert not report.ok
        assert report.faults[0].place.startswith("event ")


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
