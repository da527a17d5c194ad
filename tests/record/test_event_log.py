"""The event log: what is acknowledged stays, in order, as strict JSON; older logs are read."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from record import strict_json
from record.chain import canonical_json, first_fault
from record.errors import LogError
from record.log import schema
from record.log.event_log import EventLog
from record.seals import GENESIS

from .crashkit import behind_its_back

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
PAYLOADS = st.dictionaries(TEXT, JSON_VALUES, max_size=4).map(lambda d: {**d, "type": "note"})


def filled(path: Path, count: int = 5) -> None:
    with EventLog(path) as log:
        for number in range(count):
            log.append(
                "g1" if number % 2 else "g2",
                {"type": "note", "number": number, "text": "Ähre"},
                mono_ns=number * 10,
                source="test",
            )


@given(entries=st.lists(st.tuples(TEXT, PAYLOADS, st.integers(0, 2**62), TEXT), max_size=8))
def test_what_was_appended_is_read_back_by_the_next_opening(tmp_path_factory, entries):
    path = tmp_path_factory.mktemp("log") / "t.db"
    with EventLog(path) as log:
        written = [
            log.append(game, payload, mono_ns=mono, source=source)
            for game, payload, mono, source in entries
        ]
    with EventLog(path, readonly=True) as log:
        assert log.events() == written
        assert [event.seq for event in written] == list(range(1, len(entries) + 1))
        assert log.verify() is None
        for event, (game, payload, mono, source) in zip(log.events(), entries, strict=True):
            assert (event.game_id, event.mono_ns, event.source) == (game, mono, source)
            assert event.payload == json.loads(json.dumps(payload))
            assert event.payload_text == canonical_json(payload)
        for game in {entry[0] for entry in entries}:
            assert log.events(game) == [event for event in written if event.game_id == game]


def test_each_record_carries_the_hash_of_the_one_before_it(tmp_path):
    filled(tmp_path / "t.db")
    with EventLog(tmp_path / "t.db", readonly=True) as log:
        events = log.events()
        assert [event.prev_hash for event in events] == [GENESIS] + [e.hash for e in events[:-1]]
        assert log.head == (5, events[-1].hash)
        assert log.game_ids() == ["g2", "g1"]
        assert [event.seq for event in log.events(after=3)] == [4, 5]


CHANGES = {
    "game_id": "'other'",
    "mono_ns": "mono_ns + 1",
    "wall_ns": "wall_ns - 1",
    "source": "'somebody'",
    "type": "'ruling'",
    "version": "2",
    "payload": "replace(payload, 'Ä', 'A')",
    "prev_hash": "replace(prev_hash, substr(prev_hash, 1, 1), 'g')",
    "hash": "replace(hash, substr(hash, 1, 1), 'g')",
    "number": "number + 100",
    "key": "replace(key, substr(key, 1, 1), 'g')",
    "signature": "substr(signature, 2) || substr(signature, 1, 1)",
}


REMOVED_SWAPPED_OR_ADDED = [
    ("DELETE FROM events WHERE seq = 1", 1),
    ("DELETE FROM events WHERE seq = 3", 3),
    ("UPDATE events SET seq = 99 WHERE seq = 5", 5),
    (
        "UPDATE events SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE seq IN (2, 3);"
        "UPDATE events SET seq = -seq WHERE seq < 0",
        2,
    ),
    (
        "INSERT INTO events SELECT 6, game_id, number + 1, mono_ns, wall_ns, source, type,"
        " version, payload, hash, 'ff', key, signature FROM events WHERE seq = 5",
        6,
    ),
]


@pytest.mark.parametrize(
    ("sql", "seq"),
    [
        *(
            (f"UPDATE events SET {column} = {value} WHERE seq = {seq}", seq)
            for column, value in CHANGES.items()
            for seq in (1, 3, 5)
        ),
        *REMOVED_SWAPPED_OR_ADDED,
    ],
)
def test_what_was_changed_removed_swapped_or_added_is_found_where_it_is(tmp_path, sql, seq):
    path = tmp_path / "t.db"
    filled(path)
    behind_its_back(path, sql)
    with EventLog(path, readonly=True) as log:
        assert getattr(log.verify(), "seq", None) == seq


def test_the_file_itself_refuses_changes(tmp_path):
    path = tmp_path / "t.db"
    filled(path)
    connection = sqlite3.connect(path)
    with pytest.raises(sqlite3.IntegrityError, match="never changed"):
        connection.execute("UPDATE events SET source = 'x'")
    with pytest.raises(sqlite3.IntegrityError, match="never shortened"):
        connection.execute("DELETE FROM events")
    with pytest.raises(sqlite3.IntegrityError):
        connection.execute(
            "INSERT INTO events VALUES (9, 'g', 1, 'soon', 0, 's', 't', 1, '{}', 'p', 'h', '', '')"
        )
    connection.close()


def test_only_one_writer(tmp_path):
    path = tmp_path / "t.db"
    with EventLog(path):
        with pytest.raises(LogError, match=f"process {os.getpid()}"):
            EventLog(path)
        with EventLog(path, readonly=True) as reader:
            assert reader.events() == []
            with pytest.raises(LogError, match="reading only"):
                reader.append("g", {"type": "note"}, mono_ns=0, source="test")
    with EventLog(path) as log:
        assert log.append("g", {"type": "note"}, mono_ns=0, source="test").seq == 1


def test_another_process_cannot_write_but_can_read(tmp_path):
    path = tmp_path / "t.db"
    program = (
        "import sys; from pathlib import Path; from record.log.event_log import EventLog\n"
        "from record.errors import LogError\n"
        "path = Path(sys.argv[1])\n"
        "try: EventLog(path)\n"
        "except LogError as error: print(error)\n"
        "log = EventLog(path, readonly=True)\n"
        "print(len(log.events()) if log.grew(0, 10) else 0)\n"
    )
    with EventLog(path) as log:
        log.append("g", {"type": "note"}, mono_ns=0, source="test")
        result = subprocess.run(
            [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
        )
    refused, count = result.stdout.splitlines()
    assert "another tilewatch" in refused
    assert count == "1"


@pytest.mark.parametrize(
    ("prepare", "words"),
    [
        (f"PRAGMA application_id={schema.APPLICATION_ID}; PRAGMA user_version=99", "newer"),
        ("CREATE TABLE t (x)", "some other program"),
        ("PRAGMA user_version=1", "some other program"),
    ],
)
def test_a_file_that_is_no_log_of_ours_is_refused(tmp_path, prepare, words):
    path = tmp_path / "t.db"
    connection = sqlite3.connect(path)
    connection.executescript(prepare)
    connection.close()
    before = path.read_bytes()
    for readonly in (True, False):
        with pytest.raises(LogError, match=words) as caught:
            EventLog(path, readonly=readonly)
        assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_garbage_is_refused_in_one_line(tmp_path):
    path = tmp_path / "t.db"
    path.write_bytes(b"\xff\xd8" * 4000)
    with pytest.raises(LogError, match="not an event log of tilewatch") as caught:
        EventLog(path)
    assert "\n" not in str(caught.value)
    with pytest.raises(LogError, match="no such event log"):
        EventLog(tmp_path / "none.db", readonly=True)


def waited(log: EventLog, after: int, timeout: float) -> list[int]:
    """The sequences above ``after`` as soon as there are any; none after ``timeout`` seconds."""
    return [event.seq for event in log.events(after=after)] if log.grew(after, timeout) else []


def test_a_reader_is_woken_by_the_writer(tmp_path):
    path = tmp_path / "t.db"
    answers: dict[str, list[int]] = {}
    with EventLog(path) as log, EventLog(path, readonly=True) as other:
        threads = [
            threading.Thread(
                target=lambda name=name, source=source: answers.__setitem__(
                    name, waited(source, 1, 30)
                )
            )
            for name, source in (("same", log), ("other", other))
        ]
        for thread in threads:
            thread.start()
        log.append("g", {"type": "note"}, mono_ns=0, source="test")
        log.append("g", {"type": "note"}, mono_ns=0, source="test")
        for thread in threads:
            thread.join(30)
        assert answers == {"same": [2], "other": [2]}
        assert waited(log, 2, 0.01) == waited(other, 2, 0.01) == []


@pytest.mark.parametrize("woken_by", ["the next event", "wake"])
def test_an_event_that_others_follow_wakes_nobody_alone(tmp_path, woken_by):
    with EventLog(tmp_path / "t.db") as log:
        answers: list[int] = []
        thread = threading.Thread(target=lambda: answers.append(len(waited(log, 0, 30))))
        thread.start()
        while not log._grown._waiters:
            time.sleep(0.001)
        log.append("g", {"type": "note"}, mono_ns=0, source="test", alone=False)
        thread.join(0.1)
        assert thread.is_alive()
        if woken_by == "wake":
            log.wake()
        else:
            log.append("g", {"type": "note"}, mono_ns=0, source="test")
        thread.join(30)
        assert answers == [1 if woken_by == "wake" else 2]


def test_closing_wakes_whoever_waits(tmp_path):
    log = EventLog(tmp_path / "t.db")
    answers: list[object] = []
    thread = threading.Thread(target=lambda: answers.append(waited(log, 0, 30)))
    thread.start()
    log.close()
    thread.join(30)
    assert answers == [[]]
    with pytest.raises(LogError, match="closed"):
        log.append("g", {"type": "note"}, mono_ns=0, source="test")


@pytest.mark.parametrize("readonly", [False, True])
def test_a_wait_that_is_over_ends_when_it_is_woken(tmp_path, readonly):
    path = tmp_path / "t.db"
    with EventLog(path) as written, EventLog(path, readonly=True) as read:
        log, over, asked = read if readonly else written, threading.Event(), threading.Event()
        answers: list[bool] = []

        def is_over() -> bool:
            asked.set()
            return over.is_set()

        thread = threading.Thread(target=lambda: answers.append(log.grew(0, 3600, is_over)))
        thread.start()
        asked.wait()
        over.set()
        log.wake()
        thread.join()
        assert answers == [False]
        assert not log.grew(0, 3600, over.is_set)


def test_threads_share_one_log(tmp_path):
    with EventLog(tmp_path / "t.db") as log:

        def work(name: str) -> None:
            for number in range(20):
                log.append(name, {"type": "note", "n": number}, mono_ns=0, source=name)
                log.events(name)

        threads = [threading.Thread(target=work, args=(f"g{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert log.verify() is None
        for n in range(4):
            assert [event.payload["n"] for event in log.events(f"g{n}")] == list(range(20))


GOLDEN = Path(__file__).parent / "golden"


def test_a_stored_log_opens_as_it_is(tmp_path):
    path = tmp_path / "tilewatch.db"
    shutil.copyfile(GOLDEN / "log.sqlite", path)
    with EventLog(path, readonly=True) as log:
        events = log.events()
        assert first_fault(events) is None
        assert len(events) == 14
        assert log.game_ids() == ["first-20260101", "second-20260101"]
    with EventLog(path) as log:  # on a table with another key
        log.append("first-20260101", {"type": "note"}, mono_ns=0, source="test")
        assert log.verify() is None
        assert {e.key for e in log.events()} == {events[0].key, log.key.public}


@pytest.mark.parametrize("version", [1, schema.VERSION + 1])
@pytest.mark.parametrize("readonly", [True, False])
def test_a_log_of_another_version_is_refused_in_a_line(tmp_path, version, readonly):
    path = tmp_path / "tilewatch.db"
    EventLog(path).close()
    behind_its_back(path, f"PRAGMA user_version={version}")
    before = path.read_bytes()
    with pytest.raises(LogError, match=f"{version}, this one knows {schema.VERSION}") as caught:
        EventLog(path, readonly=readonly)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


# --- JSON on which two readers could differ is refused, and never logged ---

REFUSED = {
    "a key twice": b'{"a":1,"a":1}',
    "a key twice, further in": b'[{"b":{"a":1,"\\u0061":1}}]',
    "not a number": b"NaN",
    "infinity": b"-Infinity",
    "a float too large": b"[1e999]",
    "an integer too large": b"9223372036854775808",
    "an integer too small": b"-9223372036854775809",
    "an integer of many digits": b"1" * 100_000,
    "half a surrogate pair": b'"\\ud800"',
    "half of one in a key": b'{"\\udc00":1}',
    "half of one as bytes": b'"\xed\xa0\x80"',
    "a byte order mark": b"\xef\xbb\xbf[]",
    "UTF-16": "[]".encode("utf-16"),
    "too deep": b"[" * 65 + b"]" * 65,
    "far too deep": b"[" * 300_000,
    "far too deep an object": b'{"a":' * 300_000,
    "nothing": b"",
    "more than one value": b"[] []",
}


@pytest.mark.parametrize("what", sorted(REFUSED))
def test_what_is_loose_is_refused_in_one_line(what):
    with pytest.raises(ValueError) as caught:
        strict_json.loads(REFUSED[what])
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 200


def test_what_is_plain_is_read():
    text = '{"a":[1,-9223372036854775808,1.5,"Ä\\ud83d\\ude00",null,true]}'
    assert strict_json.loads(text.encode()) == {"a": [1, -(2**63), 1.5, "Ä😀", None, True]}
    deepest = b"[" * 64 + b"]" * 64
    assert strict_json.loads(deepest)


def test_one_and_true_are_two():
    assert strict_json.same({"a": 1, "b": [1.5]}, {"b": [1.5], "a": 1})
    assert not strict_json.same(1, True)
    assert not strict_json.same(1, 1.0)


def deep(levels: int) -> object:
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value", [2**63, float("nan"), "\ud800", deep(70), deep(100_000), {"\ud800": 1}, {1, 2}, None]
)
def test_nothing_is_logged_that_no_verifier_would_read(tmp_path, value):
    """Neither what JSON cannot say nor a payload without a type."""
    payload = {} if value is None else {"type": "note", "x": value}
    with EventLog(tmp_path / "tilewatch.db") as log:
        with pytest.raises(LogError, match="payload"):
            log.append("g", payload, mono_ns=1, source="test")
        assert log.head == (0, GENESIS)


@pytest.mark.parametrize("text", ["null", "[1]", "5", "[" * 100_000, "{"])
def test_a_payload_that_a_disk_has_spoilt_is_one_line(tmp_path, text):
    with EventLog(tmp_path / "tilewatch.db") as log:
        event = log.append("g", {"type": "note"}, mono_ns=1, source="test")
    spoilt = dataclasses.replace(event, payload_text=text)
    with pytest.raises(LogError, match="event 1 of g is damaged"):
        _ = spoilt.payload
