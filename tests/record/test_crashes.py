"""Whatever happens to the process or the disk: nothing that was acknowledged is ever missing.

``TILEWATCH_KILLS=1000`` asks for as many kills.
"""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from record.evidence import EvidenceStore
from record.log import mirror as log_mirror
from record.log.disk import mirror_path
from record.log.event_log import EventLog

from .crashkit import KilledWriters, behind_its_back, fill, note, snapshot, torn

KILLS = int(os.environ.get("TILEWATCH_KILLS", "25"))


@pytest.fixture
def writers(tmp_path):
    started = KilledWriters(tmp_path, random.Random(7))
    yield started
    started.close()


def test_sigkill_at_random_moments(tmp_path, writers):
    path = tmp_path / "tilewatch.db"
    acknowledged: dict[int, str] = {}
    pictures: set[str] = set()
    before = 0
    for seed in range(KILLS):
        lines = [line.split() for line in writers.kill_one(seed)]
        acknowledged.update((int(w[1]), w[2]) for w in lines if w[0] == "event")
        pictures.update(w[1] for w in lines if w[0] == "picture")
        if seed % 10 == 9 or seed == KILLS - 1:
            with EventLog(path, readonly=True) as log:
                newer = {event.seq: event.hash for event in log.events(after=before)}
                assert all(newer[seq] == own for seq, own in acknowledged.items() if seq > before)
                before = log.last_seq
    with EventLog(path) as log:
        assert log.verify() is None
        kept = {event.seq: event.hash for event in log.events()}
        assert {seq: kept.get(seq) for seq in acknowledged} == acknowledged
        mirrored = [event for _, event in log_mirror.read(mirror_path(path))]
        assert mirrored == log.events()
    store = EvidenceStore(tmp_path / "evidence", keep_free=0)
    for sha in pictures:
        store.load(sha)
    assert not list(store.folder.glob(".*.tmp"))
    assert len(acknowledged) > KILLS


def test_a_killed_run_is_said_at_the_next_opening_and_a_closed_one_is_not(tmp_path, writers):
    assert writers.kill_one(2)
    with EventLog(tmp_path / "tilewatch.db") as log:
        assert "the last run did not close the log; it is complete up to event" in log.opening[0]
    with EventLog(tmp_path / "tilewatch.db") as log:
        assert log.opening == ()


@pytest.mark.parametrize("seed", range(12))
def test_a_power_cut_tears_what_was_not_acknowledged_and_nothing_else(tmp_path, seed):
    """Between two acknowledgements any sectors written may have come to the disk, or noise."""
    rng = random.Random(seed)
    live = tmp_path / "live"
    path = live / "tilewatch.db"
    with EventLog(path) as log:
        for n in range(rng.randrange(1, 30)):
            note(log, n * 97 % 3000, n)
        acknowledged = log.events()
        snapshot(live, tmp_path / "before")
        note(log, rng.choice([10, 5000, 20_000]))
        snapshot(live, tmp_path / "after")
    for n, name in enumerate(("tilewatch.db-wal", "tilewatch.db.mirror", "tilewatch.db-wal")):
        cut = tmp_path / f"cut{n}"
        torn(tmp_path / "before", tmp_path / "after", cut, rng, name)
        with EventLog(cut / "tilewatch.db") as log:
            assert log.events()[: len(acknowledged)] == acknowledged
            assert log.verify() is None
            note(log)
            assert log.verify() is None


@pytest.mark.parametrize("seed", range(6))
def test_a_power_cut_while_the_journal_is_brought_in(tmp_path, seed):
    """The database's own pages are torn then; the journal still has them all."""
    rng = random.Random(seed)
    live = tmp_path / "live"
    with EventLog(live / "tilewatch.db") as log:
        for n in range(40):
            note(log, n * 97 % 3000, n)
        acknowledged = log.events()
        snapshot(live, tmp_path / "before")
        log._disk.connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        snapshot(live, tmp_path / "after")
    torn(tmp_path / "before", tmp_path / "after", tmp_path / "cut", rng, "tilewatch.db")
    with EventLog(tmp_path / "cut" / "tilewatch.db") as log:
        assert log.events() == acknowledged
        assert log.verify() is None


# --- a disk that lied: what it acknowledged is gone all the same ---


@pytest.mark.parametrize("lost", [1, 3])
def test_the_newest_pages_of_the_journal_are_lost(tmp_path, lost):
    path = tmp_path / "live" / "tilewatch.db"
    with EventLog(path) as log:
        for n in range(8):
            note(log, n=n)
        size = Path(f"{path}-wal").stat().st_size
        for n in range(lost):
            note(log, n=n)
        due = log.events()
        snapshot(path.parent, tmp_path / "cut")
    cut = tmp_path / "cut" / "tilewatch.db"
    os.truncate(f"{cut}-wal", size + 100)
    with EventLog(cut) as log:
        assert log.events() == due
        assert log.verify() is None
        assert any("restored from tilewatch.db.mirror" in line for line in log.opening)
        assert log.history()[-1][1] == "recovered"
    with EventLog(cut) as log:
        assert log.opening == ()


@pytest.mark.parametrize("harm", ["cut", "noise", "zeros", "middle", "first"])
def test_a_torn_page_of_the_database_is_made_good(tmp_path, harm):
    path = tmp_path / "tilewatch.db"
    hashes = fill(path, 120)
    noise = random.Random(harm).randbytes
    data = bytearray(path.read_bytes())
    if harm == "cut":
        del data[-1500:]
    elif harm == "middle":
        data[len(data) // 2 : len(data) // 2 + 4096] = noise(4096)
    elif harm == "first":
        data[200:4096] = noise(3896)
    else:
        data[-4096:] = noise(4096) if harm == "noise" else bytes(4096)
    path.write_bytes(data)
    with EventLog(path) as log:
        assert [event.hash for event in log.events()] == hashes
        assert log.verify() is None
        note(log)
    with EventLog(path) as log:
        assert log.opening == ()
        assert len(log.events()) == 121


def test_a_table_whose_name_is_not_text_is_made_good(tmp_path):
    path = tmp_path / "tilewatch.db"
    hashes = fill(path, 120)
    behind_its_back(
        path,
        "PRAGMA writable_schema=ON",
        "UPDATE sqlite_schema SET name = CAST(X'8141' AS TEXT), sql = 'CREATE noise' "
        "WHERE name = 'events'",
    )
    with EventLog(path) as log:
        assert "was damaged and has been rebuilt with 120 events" in log.opening[0]
        assert [event.hash for event in log.events()] == hashes


@pytest.mark.parametrize(
    ("whole", "noise"),
    [(b"xxxxxxxxxxxxxxxx", b"xxxx\x81\xff\xfe\x80xxxxxxxx"), (b"prev_hash", b"prev_hush")],
)
def test_noise_that_sqlite_does_not_see_is_made_good(tmp_path, whole, noise):
    path = tmp_path / "tilewatch.db"
    hashes = fill(path, 120)
    path.write_bytes(path.read_bytes().replace(whole, noise, 1))
    with EventLog(path) as log:
        assert "was damaged and has been rebuilt with 120 events" in log.opening[0]
        assert [event.hash for event in log.events()] == hashes


def test_without_the_mirror_a_damaged_file_still_opens_with_what_it_has(tmp_path):
    path = tmp_path / "tilewatch.db"
    hashes = fill(path, 120)
    mirror_path(path).unlink()
    data = bytearray(path.read_bytes())
    data[-4 * 4096 :] = os.urandom(4 * 4096)
    path.write_bytes(data)
    with EventLog(path) as log:
        kept = [event.hash for event in log.events()]
        assert kept == hashes[: len(kept)]
        assert log.verify() is None
        note(log)
        assert log.verify() is None


@pytest.mark.parametrize("harm", ["torn", "missing", "noise", "behind"])
def test_the_mirror_is_made_good_from_the_log(tmp_path, harm):
    path = tmp_path / "tilewatch.db"
    fill(path)
    mirror = mirror_path(path)
    lines = mirror.read_bytes().splitlines(keepends=True)
    if harm == "missing":
        mirror.unlink()
    else:
        bad = {"torn": lines[-1][:50], "noise": os.urandom(700), "behind": b""}[harm]
        mirror.write_bytes(b"".join(lines[: 12 if harm == "behind" else -1]) + bad)
    with EventLog(path) as log:
        events = log.events()
        assert len(events) == 20
    assert [event for _, event in log_mirror.read(mirror)] == events


def test_a_log_that_was_changed_behind_its_back_is_said_and_the_mirror_kept(tmp_path):
    path = tmp_path / "tilewatch.db"
    fill(path)
    behind_its_back(path, "UPDATE events SET mono_ns = 99 WHERE seq = 20")
    with EventLog(path) as log:
        assert any("event 20: its contents were changed" in line for line in log.opening)
        fault = log.verify()
        assert fault is not None
        assert fault.seq == 20
        note(log)  # the table goes on all the same
