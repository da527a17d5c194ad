"""Logs as each released version wrote them: taken over with a backup, or refused untouched."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from game.events import from_payload
from game.state.fold import fold
from record.chain import first_fault
from record.errors import LogError, OldLogError
from record.log import schema
from record.log.event_log import EventLog

from .crashkit import behind_its_back

DATA = Path(__file__).parent / "data"
HEAD_1 = "5c00b7f863ccf156e728453bea84ddd0e4de72fb5b0dfaf31659286bc1ddac2f"
GAMES_1 = ["first-20260101", "second-20260101"]


@pytest.fixture
def version_1(tmp_path):
    """A log that version 1 wrote: 13 events of two games."""
    path = tmp_path / "tilewatch.db"
    shutil.copyfile(DATA / "log-v1.sqlite", path)
    return path


def rows_1(path: Path) -> list[tuple]:
    connection = sqlite3.connect(path)
    output = "seq, game_id, mono_ns, wall_ns, source, type, version, payload"
    rows = connection.execute(f"SELECT {output} FROM events ORDER BY seq").fetchall()
    connection.close()
    return rows


def test_version_1_becomes_this_one_to_the_letter(version_1):
    before = rows_1(version_1)
    with EventLog(version_1) as log:
        assert "migrated from log version 1 to 2" in log.opening[0]
        assert log.verify() is None
        assert log.game_ids() == GAMES_1
        events = log.events()
        assert [
            (e.seq, e.game_id, e.mono_ns, e.wall_ns, e.source, e.type, e.version, e.payload_text)
            for e in events
        ] == before
        first, second = (
            fold(from_payload(event.payload) for event in log.events(game)) for game in GAMES_1
        )
        assert (dict(first.scores), first.status) == ({"left": 30, "right": 6}, "ended")
        assert (second.players["left"], len(second.turns)) == ("Ča", 1)
        wall_ns, what, detail = log.history()[0]
        assert what == "migrated"
        output = json.loads(detail)
        assert (output["from"], output["to"], output["last_seq"]) == (1, 2, 13)
        assert output["old_head"] == HEAD_1
        assert output["new_head"] == events[-1].hash
        assert wall_ns > events[-1].wall_ns
        log.append(GAMES_1[1], {"type": "note"}, mono_ns=0, source="test")
        assert log.last_of(GAMES_1[1]).number == 5
    backup = version_1.with_name("tilewatch.db.v1.bak")
    assert rows_1(backup) == before
    with EventLog(version_1) as log:
        assert log.opening == ()
        assert log.verify() is None


def test_an_older_log_is_not_changed_by_whoever_only_reads(version_1):
    before = version_1.read_bytes()
    with pytest.raises(OldLogError, match="older version 1; open it once for writing"):
        EventLog(version_1, readonly=True)
    assert version_1.read_bytes() == before


def test_a_backup_is_never_written_over(version_1):
    (version_1.with_name("tilewatch.db.v1.bak")).write_text("of another day")
    with EventLog(version_1) as log:
        assert "v1.bak2" in log.opening[0]
    assert version_1.with_name("tilewatch.db.v1.bak").read_text() == "of another day"


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE events SET payload = replace(payload, 'PLATE', 'PLATO') WHERE seq = 4",
        "UPDATE events SET mono_ns = mono_ns + 1 WHERE seq = 4",
        "DELETE FROM events WHERE seq = 4",
    ],
)
def test_a_version_1_log_that_was_tampered_with_is_not_sealed_anew(version_1, sql):
    behind_its_back(version_1, sql)
    before = version_1.read_bytes()
    with pytest.raises(LogError, match="cannot be migrated: event 4 is missing or was changed"):
        EventLog(version_1)
    assert version_1.read_bytes() == before


def test_a_migration_that_fails_half_way_leaves_the_log_as_it_was(version_1, monkeypatch):
    def half(connection, key):
        connection.execute("DROP TABLE events")
        connection.execute("nonsense")

    before = rows_1(version_1)
    monkeypatch.setattr(schema, "MIGRATIONS", {1: half})
    with pytest.raises(LogError, match="nonsense"):
        EventLog(version_1)
    assert rows_1(version_1) == before
    monkeypatch.undo()
    with EventLog(version_1) as log:
        assert len(log.events()) == 13


def test_version_2_as_stored_opens_as_it_is(tmp_path):
    path = tmp_path / "tilewatch.db"
    shutil.copyfile(DATA / "log-v2.sqlite", path)
    with EventLog(path, readonly=True) as log:
        events = log.events()
        assert first_fault(events) is None
        assert len(events) == 14
        assert log.game_ids() == GAMES_1
    with EventLog(path) as log:  # on a table with another key
        log.append(GAMES_1[0], {"type": "note"}, mono_ns=0, source="test")
        assert log.verify() is None
        assert {e.key for e in log.events()} == {events[0].key, log.key.public}


def test_a_version_that_nothing_leads_from_is_refused(version_1, monkeypatch):
    monkeypatch.setattr(schema, "MIGRATIONS", {})
    before = version_1.read_bytes()
    with pytest.raises(LogError, match="log version 1 is too old"):
        EventLog(version_1)
    assert version_1.read_bytes() == before
    assert not version_1.with_name("tilewatch.db.v1.bak").exists()
