"""Whoever holds the table's key can sign anything; what the records do not give is not believed."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from record import statement
from record.bundle import archive
from record.signing import KEY_FILE, TableKey, digest
from record.verifier.verify import verify
from table.cli import main

from .bundlekit import GAME, fill, independent, make, unpacked
from .forgerykit import Forger, statuses

SLIP = "K7QM-2D9F-XW3T"


@pytest.fixture(scope="module")
def honest(tmp_path_factory):
    folder = tmp_path_factory.mktemp("table")
    data = make(folder, folder / "game.zip", turns=3).read_bytes()
    return data, TableKey.open(folder / KEY_FILE)


@pytest.fixture
def forger(honest):
    data, key = honest
    return Forger(unpacked(data), key)


@pytest.fixture
def checked(tmp_path):
    """Both verifiers' verdicts, and the report of ours."""

    def check(data: bytes, written=None):
        path = tmp_path / "b.zip"
        ours, theirs, _ = statuses(independent(), data, path, (), written)
        return ours, theirs, verify(path, (), written)

    return check


def test_a_tail_cut_off_beside_the_digest_of_the_slip(forger, checked, tmp_path, capsys):
    forger.manifest["head"]["digest"] = SLIP
    assert checked(forger.made())[:2] == (1, 1)
    assert main(["verify", str(tmp_path / "b.zip")]) == 1
    out = capsys.readouterr().out
    assert f"states the digest {SLIP}; that of the last event is" in out
    assert main(["verify", "--json", str(tmp_path / "b.zip")]) == 1
    assert json.loads(capsys.readouterr().out)["digest"] != SLIP

    bodies = forger.bodies()
    slip = digest(json.loads(unpacked(forger.made())[archive.MANIFEST])["head"]["hash"])
    forger.with_bodies(bodies[:-2])  # with the digest that is due to the shorter game
    forger.listed()
    ours, theirs, report = checked(forger.made(), slip)
    assert (ours, theirs) == (1, 1)
    assert "digest" in [fault.place for fault in report.faults]


def test_without_its_head_s_digest(forger, checked):
    del forger.manifest["head"]["digest"]
    assert checked(forger.made())[:2] == (1, 1)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("keys", []),
        ("keys", ["0" * 64]),
        ("recorded_with", None),
        ("recorded_with", {"software": "9", "files": {}, "settings": {}}),
        ("lost", ["0" * 64]),
        ("pictures", {}),
        ("game_id", "another"),
        ("surprise", "a field of one's own"),
    ],
)
def test_what_the_records_give_otherwise(forger, checked, name, value):
    forger.manifest[name] = value
    ours, theirs, report = checked(forger.made())
    assert (ours, theirs) == (1, 1)
    assert report.faults[0].place in (archive.MANIFEST, "event 1")


def test_players_swapped_in_what_is_stated(forger, checked):
    players = forger.manifest["game"]["players"]
    players["left"], players["right"] = players["right"], players["left"]
    ours, _, report = checked(forger.made())
    assert ours == 1
    assert {"manifest.json", "players"} <= {fault.place for fault in report.faults}


def test_a_link_of_a_picture_said_otherwise(forger, checked):
    links = next(iter(forger.manifest["pictures"].values()))
    links[0] = "before of event 999"
    assert checked(forger.made())[:2] == (1, 1)


@pytest.mark.parametrize("turns", [5, [1], [{}], [{"score": "x", "side": "left"}], {"a": 1}, None])
def test_turns_of_other_types(forger, checked, turns):
    forger.manifest["game"]["turns"] = turns
    assert checked(forger.made())[:2] == (1, 1)


@pytest.mark.parametrize(
    "name", [archive.PAGE, archive.README, "rulebook-wespa-2007.toml", "tiles-english.toml"]
)
def test_pages_and_rules_that_were_replaced(forger, checked, name):
    forger.files[name] = forger.files[name].replace(b"e", b"3", 1)
    forger.listed()
    ours, _, report = checked(forger.made())
    assert (ours, [fault.place for fault in report.faults]) == (1, [name])
    # Somebody who also says that another program made it is not believed either.
    forger.manifest["exported_with"]["program"] = "0" * 64
    report = checked(forger.made())[2]
    assert report.ok
    assert [text for text in report.unchecked if text.startswith(f"{name}: ")]


def test_an_honest_page_of_another_program_is_checked_all_the_same(forger, checked):
    del forger.manifest["exported_with"]["program"]
    report = checked(forger.made())[2]
    assert report.ok
    assert not [text for text in report.unchecked if archive.PAGE in text]


@pytest.mark.parametrize("name", ["extra.html", "pictures/x.jpg", "game2.gcg", "../x"])
def test_files_that_no_bundle_has(forger, checked, name):
    forger.files[name] = b"<script>"
    forger.listed()
    ours, theirs, report = checked(forger.made())
    assert (ours, theirs) == (1, 1)
    assert name in [fault.place for fault in report.faults]


def test_a_record_that_is_left_out(forger, checked):
    del forger.files[archive.RECORD]
    forger.listed()
    ours, _, report = checked(forger.made())
    assert (ours, [fault.place for fault in report.faults]) == (1, [archive.RECORD])


def test_the_slip_s_digest_is_found_among_the_records(tmp_path, capsys):
    target = make(tmp_path, tmp_path / "b.zip", turns=3)
    assert main(["verify", str(target)]) == 0
    out = capsys.readouterr().out
    ended = next(line.split()[-1] for line in out.splitlines() if "when it ended" in line)
    signed = next(line.split()[-1] for line in out.splitlines() if "when it was signed" in line)
    assert f"digest of the last event  {signed}" in out
    assert main(["verify", str(target), "--digest", ended]) == 0
    out = capsys.readouterr().out
    found = rf"the slip's digest {ended} was found: ended at event \d+ of the game \(\d+ of the "
    assert re.search(found + r"table's log\); 1 events since: 1 ResultSigned", out)
    output = independent().check(target.read_bytes(), [], ended)
    assert f"the slip's digest {ended} is that of event" in output
    assert "events that follow: 1" in output


def test_a_result_that_was_another_at_the_slip_s_digest_is_named(tmp_path, capsys):
    from game.events import GameReopened, PenaltyAdded, to_payload
    from record.log.event_log import EventLog
    from record.paths import DATABASE

    from .bundlekit import bundle_of

    fill(tmp_path, turns=2)
    late = 10**12
    with EventLog(tmp_path / DATABASE) as log:
        slip = digest(log.last_of(GAME).hash)
        for event in (
            GameReopened("director", "director", "a penalty", late),
            PenaltyAdded("left", 10, None, "director", "late", late),
        ):
            log.append(GAME, to_payload(event), mono_ns=late, source="director")
    target = bundle_of(tmp_path, tmp_path / "b.zip")
    assert main(["verify", str(target), "--digest", slip]) == 0
    out = capsys.readouterr().out
    assert "2 events since: 1 GameReopened, 1 PenaltyAdded" in out
    assert "the result at that event was another: Ann" in out


def test_a_name_in_the_records_forges_no_lines(tmp_path, capsys, monkeypatch):
    from . import bundlekit

    original = bundlekit.GameStarted
    evil = "Ann\x1b[1A\x1b[2K\nb.zip: sound\u202e"

    def started(game, names, *rest):
        return original(game, {"left": evil, "right": "Bob"}, *rest)

    monkeypatch.setattr(bundlekit, "GameStarted", started)
    target = make(tmp_path, tmp_path / "b.zip", turns=2)
    assert main(["verify", str(target)]) == 0
    out = capsys.readouterr().out
    assert r"Ann\x1b[1A\x1b[2K\x0ab.zip: sound\u202e" in out
    assert out.replace("\n", "").isprintable()


def test_the_program_is_the_same_each_time():
    assert statement.program() == statement.program()
    assert len(statement.program()) == 64


@pytest.mark.parametrize("own", [True, False])
def test_rules_that_changed_between_recording_and_export_are_named(tmp_path, monkeypatch, own):
    from . import bundlekit

    def described(software, files, *rest):
        book = statement.rulebook_text("wespa-2007")
        named = hashlib.sha256(book if own else b"another").hexdigest()
        return original(software, files | {"rulebook wespa-2007": named}, *rest)

    original = bundlekit.TableDescribed
    monkeypatch.setattr(bundlekit, "TableDescribed", described)
    report = verify(make(tmp_path, tmp_path / "b.zip", turns=2))
    assert report.ok
    changed = "rulebook-wespa-2007.toml changed since the game was recorded"
    assert (changed in report.notes) is not own
