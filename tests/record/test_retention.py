"""Evidence pictures: the very bytes, under their hash; they go when a game is signed."""

from __future__ import annotations

import errno
import hashlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.events import GameReopened, PicturesDeleted, from_payload, to_payload
from record.backup import backup
from record.errors import EvidenceError, LogError
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from record.retention import NOTICE_NS, RetentionRule, days_left, erase, plan, sweep
from record.verifier.replay import verify

from .bundlekit import bundle_of, fill
from .crashkit import behind_its_back

DAY = 10**15
"""Some time in wall nanoseconds."""


@pytest.fixture
def table(tmp_path):
    """Four games of two turns, in order: signed, unsigned, signed, reopened."""
    for game, signed in (("a", True), ("b", False), ("c", True), ("d", True)):
        fill(tmp_path, turns=2, game=game, signed=signed)
    store = EvidenceStore(tmp_path / EVIDENCE)
    with EventLog(tmp_path / DATABASE) as log:
        reopened = GameReopened("recount", "director", "the score was disputed", 10**12)
        log.append("d", to_payload(reopened), mono_ns=10**12, source="director")
        yield log, store


def there(store):
    return len(list(store.folder.glob("*.jpg")))


def test_nothing_goes_below_the_size_and_above_it_the_oldest_signed_first(table):
    log, store = table
    found = plan(log, store, RetentionRule(10**9))
    assert [game.game_id for game in found.games] == ["a", "b", "c", "d"]
    assert [game.settled for game in found.games] == [True, False, True, False]
    assert found.going == ()
    assert sweep(log, store, RetentionRule(10**9)) == []
    # Above it the oldest signed go first, and only as many as it takes.
    total = plan(log, store, RetentionRule(0)).total
    assert [game.game_id for game in plan(log, store, RetentionRule(total - 1)).going] == ["a"]
    assert [game.game_id for game in plan(log, store, RetentionRule(0)).going] == ["a", "c"]


def test_it_is_announced_a_day_before_and_the_log_says_it(table):
    log, store = table
    before = there(store)
    output = sweep(log, store, RetentionRule(0), now_ns=DAY)
    assert "the pictures of a" in output[0]
    assert "deleted in 24 hours" in output[0]
    assert "not signed or were disputed" in output[-1]
    assert sweep(log, store, RetentionRule(0), now_ns=DAY + NOTICE_NS - 1) == output[-1:]
    assert there(store) == before
    output = sweep(log, store, RetentionRule(0), now_ns=DAY + NOTICE_NS)
    assert [line.split(" (")[0] for line in output[:2]] == [
        "the pictures of a",
        "the pictures of c",
    ]
    assert there(store) == before - 12
    last = [from_payload(log.last_of(game).payload) for game in ("a", "c")]
    assert all(isinstance(event, PicturesDeleted) and len(event.pictures) == 6 for event in last)
    # The table's time stands while nobody watches it.
    assert {log.last_of(game).mono_ns for game in ("a", "c")} == {10**12}
    assert log.verify() is None
    assert plan(log, store, RetentionRule(0)).going == ()


@pytest.mark.parametrize("spoilt", ["replace(payload, ',', char(26))", "X'7BFFFF7D'"])
def test_a_record_that_the_disk_has_spoilt_stops_no_table_and_its_game_keeps_its_pictures(
    table, tmp_path, spoilt
):
    log, _ = table
    seq = log.events("a")[3].seq
    log.close()
    spoil = f"UPDATE events SET payload = CAST({spoilt} AS TEXT) WHERE seq = {seq}"
    behind_its_back(tmp_path / DATABASE, spoil)
    store = EvidenceStore(tmp_path / EVIDENCE)
    with EventLog(tmp_path / DATABASE, readonly=True) as log:
        assert [game.game_id for game in plan(log, store, RetentionRule(0)).going] == ["c"]
        with pytest.raises(LogError, match="damaged"):
            [event.payload for event in log.events("a")]


def test_a_game_that_is_reopened_in_the_meantime_stays(table):
    log, store = table
    before = there(store)
    sweep(log, store, RetentionRule(0), now_ns=DAY)
    reopened = GameReopened("recount", "director", "?", 10**12)
    for game in ("a", "c"):
        log.append(game, to_payload(reopened), mono_ns=10**12, source="director")
    output = sweep(log, store, RetentionRule(0), now_ns=DAY + NOTICE_NS)
    assert len(output) == 1
    assert there(store) == before


def test_what_cannot_be_understood_stays(table):
    log, store = table
    log.append("a", {"type": "SomethingNewer"}, mono_ns=0, source="test")
    settled = {game.game_id: game.settled for game in plan(log, store).games}
    assert settled["a"] is False


def test_a_bundle_of_a_game_whose_pictures_went_is_sound_and_says_so(table, tmp_path):
    log, store = table
    for when in (DAY, DAY + NOTICE_NS):
        sweep(log, store, RetentionRule(0), now_ns=when)
    log.close()
    report = verify(bundle_of(tmp_path, tmp_path / "a.zip", "a"))
    assert report.ok, report.faults
    assert report.notes == ["6 pictures were deleted, as logged"]


def test_a_log_that_does_not_take_the_event_keeps_the_pictures(table, monkeypatch):
    log, store = table
    before = there(store)
    sweep(log, store, RetentionRule(0), now_ns=DAY)
    log.close()
    with pytest.raises(Exception, match="closed"):
        sweep(log, store, RetentionRule(0), now_ns=DAY + NOTICE_NS)
    assert there(store) == before


def test_pictures_go_by_age_a_day_after_the_announcement(table):
    log, store = table
    days = 24 * 3600 * 10**9
    ended = log.last_of("a").wall_ns
    rule = RetentionRule(signed_days=10, unsigned_days=40)
    assert plan(log, store, rule, ended + 8 * days).going == ()
    games = plan(log, store, rule).games
    left = {game.game_id: days_left(game, ended + 8 * days) for game in games}
    assert left == {"a": 2, "b": 33, "c": 3, "d": 33}  # those after the first are a little later
    # Within a day of it they are announced, and no earlier than announced they go.
    due = ended + 10 * days
    output = sweep(log, store, rule, now_ns=due - days // 2)
    assert [line.split(" (")[0] for line in output] == ["the pictures of a", "the pictures of c"]
    assert "in 24 hours: pictures of a signed game are kept for 10 days" in output[0]
    assert sweep(log, store, rule, now_ns=due + days // 2 - 1) == []
    output = sweep(log, store, rule, now_ns=due + days // 2)
    assert output[0].endswith("were deleted")
    assert [game.game_id for game in plan(log, store, rule).games] == ["b", "d"]
    # A deletion does not make a game younger; the unsigned go when their own time is over.
    sweep(log, store, rule, now_ns=ended + 50 * days)
    sweep(log, store, rule, now_ns=ended + 52 * days)
    assert there(store) == 0
    assert log.verify() is None


def test_without_an_age_an_unsigned_game_keeps_its_pictures(table):
    log, store = table
    for when in (2**62, 2**62 + NOTICE_NS):
        sweep(log, store, RetentionRule(signed_days=1), now_ns=when)
    assert [game.game_id for game in plan(log, store).games] == ["b", "d"]


def test_pictures_are_erased_on_request_and_the_log_says_by_whom(table, tmp_path):
    log, store = table
    one = min(plan(log, store).games[1].pictures)
    assert erase(log, store, "b", "Dee", "Bob asked on 3 May", [one[:10]]) == 1
    assert not store.has(one)
    assert erase(log, store, "b", "Dee", "Bob asked on 3 May") == 5
    assert erase(log, store, "b", "Dee", "again") == 0
    event = from_payload(log.last_of("b").payload)
    assert (event.by, event.why, len(event.pictures)) == ("Dee", "Bob asked on 3 May", 5)
    assert log.verify() is None
    with pytest.raises(EvidenceError, match="no picture of c begins with 'zz'"):
        erase(log, store, "c", "Dee", "?", ["zz"])
    log.close()
    report = verify(bundle_of(tmp_path, tmp_path / "b.zip", "b"))
    assert report.ok, report.faults
    assert report.notes == ["6 pictures were deleted, as logged"]


def test_a_later_backup_drops_what_was_erased_and_keeps_what_the_rule_deleted(table, tmp_path):
    log, store = table
    target = tmp_path / "stick"
    backup(tmp_path, target)
    kept = set(plan(log, store).games[0].pictures)
    for when in (DAY, DAY + NOTICE_NS):
        sweep(log, store, RetentionRule(0), now_ns=when)
    erased = set(plan(log, store).games[0].pictures)
    assert erase(log, store, "b", "Dee", "Bob asked") == len(erased)
    backup(tmp_path, target)
    left = {path.stem for path in (target / EVIDENCE).glob("*.jpg")}
    assert kept <= left
    assert not erased & left


@given(jpeg=st.binary(max_size=2000))
def test_the_same_bytes_come_back(tmp_path_factory, jpeg):
    store = EvidenceStore(tmp_path_factory.mktemp("evidence"))
    digest = store.store(jpeg)
    assert digest == hashlib.sha256(jpeg).hexdigest()
    assert store.path(digest).read_bytes() == jpeg
    assert store.load(digest) == jpeg
    assert store.store(jpeg) == digest
    assert [path.name for path in store.folder.iterdir()] == [f"{digest}.jpg"]


def test_a_half_written_picture_of_an_earlier_crash_is_made_good(tmp_path):
    store = EvidenceStore(tmp_path)
    digest = hashlib.sha256(b"whole").hexdigest()
    store.path(digest).write_bytes(b"who")
    with pytest.raises(EvidenceError, match="no longer the picture"):
        store.load(digest)
    store.store(b"whole")
    assert store.load(digest) == b"whole"


def test_a_full_disk_is_one_line_and_leaves_nothing_behind(tmp_path, monkeypatch):
    store = EvidenceStore(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EvidenceError, match="disk is full"):
        store.store(b"picture")
    assert list(tmp_path.iterdir()) == []


def test_a_prepared_picture_is_evidence_only_once_it_is_kept(tmp_path):
    store = EvidenceStore(tmp_path)
    first, second = store.prepare(b"first"), store.prepare(b"second")
    assert not store.has(first)
    assert not store.has(second)
    assert not store.keep_prepared(first)  # the second took its place
    assert store.keep_prepared(second)
    assert store.load(second) == b"second"
    assert [path.name for path in tmp_path.iterdir()] == [f"{second}.jpg"]


def test_a_prepared_picture_that_is_gone_is_not_taken_for_kept(tmp_path):
    store = EvidenceStore(tmp_path)
    sha = store.prepare(b"picture")
    for path in tmp_path.iterdir():
        path.unlink()
    assert not store.keep_prepared(sha)
    assert not store.has(sha)


def test_a_folder_that_cannot_be_made_is_said(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(EvidenceError, match="cannot be made"):
        EvidenceStore(tmp_path / "file" / "evidence")


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "g" * 64, "0" * 63])
def test_only_a_hash_names_a_picture(tmp_path, name):
    with pytest.raises(EvidenceError, match="no SHA-256"):
        EvidenceStore(tmp_path).path(name)


def test_a_picture_that_is_not_there_is_said(tmp_path):
    with pytest.raises(EvidenceError, match="cannot be read"):
        EvidenceStore(tmp_path).load("0" * 64)
