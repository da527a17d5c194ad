"""Whoever holds the table's key can sign anything; what the records do not give is not believed."""

from __future__ import annotations

import hashlib
import json
import re

import pytest

from record import statement
from record.bundle import archive
from record.log.event_log import EventLog
from record.paths import DATABASE
from record.signing import digest
from record.verifier.verify import verify
from table.cli import main

from .bundlekit import GAME, bundle_of, fill, independent, log_a_late_penalty, unpacked

SLIP = "K7QM-2D9F-XW3T"


def test_a_tail_cut_off_beside_the_digest_of_the_slip(forger, judge, tmp_path, capsys):
    forger.manifest["head"]["digest"] = SLIP
    assert judge(forger.made()).both == (1, 1)
    assert main(["verify", str(tmp_path / "b.zip")]) == 1
    out = capsys.readouterr().out
    assert f"states the digest {SLIP}; that of the last event is" in out
    assert main(["verify", "--json", str(tmp_path / "b.zip")]) == 1
    assert json.loads(capsys.readouterr().out)["digest"] != SLIP

    bodies = forger.bodies()
    slip = digest(json.loads(unpacked(forger.made())[archive.MANIFEST])["head"]["hash"])
    forger.with_bodies(bodies[:-2])  # with the digest that is due to the shorter game
    forger.listed()
    found = judge(forger.made(), written=slip)
    assert found.both == (1, 1)
    assert "digest" in found.places


def test_the_slip_s_digest_is_found_among_the_records(honest, capsys):
    target = honest.path
    assert main(["verify", str(target)]) == 0
    out = capsys.readouterr().out
    ended = next(line.split()[-1] for line in out.splitlines() if "when it ended" in line)
    signed = next(line.split()[-1] for line in out.splitlines() if "when it was signed" in line)
    assert f"digest of the last event  {signed}" in out
    assert main(["verify", str(target), "--digest", ended]) == 0
    out = capsys.readouterr().out
    found = rf"the slip's digest {ended} was found: ended at event \d+ of the game \(\d+ of the "
    assert re.search(found + r"table's log\); 1 events since: 1 ResultSigned", out)
    output = independent().check(honest.data, [], ended)
    assert f"the slip's digest {ended} is that of event" in output
    assert "events that follow: 1" in output


def test_a_result_that_was_another_at_the_slip_s_digest_is_named(tmp_path, capsys):
    fill(tmp_path, turns=2)
    with EventLog(tmp_path / DATABASE, readonly=True) as log:
        slip = digest(log.last_of(GAME).hash)
    log_a_late_penalty(tmp_path)
    target = bundle_of(tmp_path, tmp_path / "b.zip")
    assert main(["verify", str(target), "--digest", slip]) == 0
    out = capsys.readouterr().out
    assert "2 events since: 1 GameReopened, 1 PenaltyAdded" in out
    assert "the result at that event was another: Ann" in out


def test_a_name_in_the_records_forges_no_lines(tmp_path, capsys):
    evil = "Ann\x1b[1A\x1b[2K\nb.zip: sound\u202e"
    fill(tmp_path, turns=2, names={"left": evil, "right": "Bob"})
    target = bundle_of(tmp_path, tmp_path / "b.zip")
    assert main(["verify", str(target)]) == 0
    out = capsys.readouterr().out
    assert r"Ann\x1b[1A\x1b[2K\x0ab.zip: sound\u202e" in out
    assert out.replace("\n", "").isprintable()


@pytest.mark.parametrize("own", [True, False])
def test_rules_that_changed_between_recording_and_export_are_named(tmp_path, own):
    book = statement.rulebook_text("wespa-2007") if own else b"another"
    named = {"rulebook wespa-2007": hashlib.sha256(book).hexdigest()}
    fill(tmp_path, turns=2, described=named)
    report = verify(bundle_of(tmp_path, tmp_path / "b.zip"))
    assert report.ok
    changed = "rulebook-wespa-2007.toml changed since the game was recorded"
    assert (changed in report.notes) is not own
