"""Messages: one way to write each, and everything else refused in one line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.events import TroubleNoted
from game.troubles import make_trouble
from hub.broker.mosquitto import parse_log_line
from hub.config import load_hub_config
from hub.errors import ForgedError, HubError, WireError
from hub.presence import SILENT_S, Presence
from hub.rate_limit import Bucket, RateLimiter
from hub.wire.messages import (
    Ack,
    Address,
    Announcement,
    Facts,
    Request,
    TableFacts,
    parsed,
    seal,
    seal_body,
    unseal,
)
from hub.wire.records import MAX_BATCH, MAX_RECORD, batches, records
from record.log.event_log import EventLog
from record.signing import TableKey

ADDRESS = Address("hall", "t1")
SECOND = 1_000_000_000


@pytest.fixture
def log(tmp_path):
    with EventLog(tmp_path / "tilewatch.db") as one:
        yield one


def fill(log, count: int, size: int = 10) -> None:
    for n in range(count):
        log.append("g", {"type": "x", "t": "é\u2028" * size, "n": n}, mono_ns=n, source="t")


def test_records_come_out_as_they_went_in(log):
    fill(log, 300, 200)
    events = log.events()
    sent = list(batches(events))
    assert len(sent) > 1
    assert all(len(message) <= MAX_BATCH for _, message in sent)
    assert [event for _, message in sent for event in records(message)] == events
    assert [event for carried, _ in sent for event in carried] == events


def test_a_record_larger_than_a_batch_goes_alone_and_a_huge_one_not_at_all(log):
    fill(log, 1)
    fill(log, 1, MAX_BATCH // 4)
    fill(log, 1)
    assert [len(carried) for carried, _ in batches(log.events())] == [1, 1, 1]
    fill(log, 1, MAX_RECORD)
    with pytest.raises(WireError, match="event 4 has"):
        list(batches(log.events()))


@given(st.binary(max_size=300))
def test_no_bytes_at_all_break_the_reader(message):
    for read in (records, lambda m: unseal(Facts, ADDRESS, m, {"k"})):
        with pytest.raises(WireError):
            read(message + b"\n")


def test_a_record_written_another_way_is_refused(log):
    fill(log, 1)
    ((_, good),) = batches(log.events())
    parts = json.loads(good)
    for wrong in (
        json.dumps(parts).encode() + b"\n",  # other spaces and escapes
        json.dumps([*parts, "more"], separators=(",", ":")).encode() + b"\n",
        json.dumps([parts[0].replace('"n":0', '"n":0.0'), *parts[1:]]).encode() + b"\n",
        good[:-1],
        good + b" ",
        good.replace(rb"[1,\"g", rb"[true,\"g", 1),
        good.replace(rb"[1,\"g", b"[" + b"9" * 30 + rb",\"g", 1),
    ):
        assert wrong != good
        with pytest.raises(WireError):
            records(wrong)


def test_a_sealed_message_is_of_one_kind_table_and_key(tmp_path):
    key, other = TableKey.open(tmp_path / "a"), TableKey.open(tmp_path / "b")
    sent = Request(id="aa", post={"a": "é"}, seen=3)
    message = seal(sent, ADDRESS, key)
    assert unseal(Request, ADDRESS, message, {key.public}) == sent
    for kind, address, keys in (
        (Ack, ADDRESS, {key.public}),
        (Request, Address("hall", "t2"), {key.public}),
        (Request, Address("other", "t1"), {key.public}),
        (Request, ADDRESS, {other.public}),
        (Request, ADDRESS, set()),
    ):
        with pytest.raises(ForgedError):
            unseal(kind, address, message, keys)
    with pytest.raises(ForgedError):
        unseal(Request, ADDRESS, message.replace(b"a", b"b", 1), {key.public})
    with pytest.raises(WireError, match="too many"):
        unseal(Request, ADDRESS, b"x" * 40_000, {key.public})


def test_fields_that_a_newer_version_adds_are_passed_over_and_none_may_lack(tmp_path):
    key = TableKey.open(tmp_path / "a")
    newer = {"state": "here", "session": "s", "mood": "fine"}
    message = seal_body("presence", ADDRESS, newer, key)
    announced = Announcement(state="here", session="s")
    assert unseal(Announcement, ADDRESS, message, {key.public}) == announced
    message = seal_body("presence", ADDRESS, {"state": "here"}, key)
    with pytest.raises(WireError, match="presence: session"):
        unseal(Announcement, ADDRESS, message, {key.public})


def test_a_message_that_was_sealed_is_told_from_one_that_was_not(tmp_path):
    key = TableKey.open(tmp_path / "a")
    message = seal_body("facts", ADDRESS, {"n": 2**64}, key)
    with pytest.raises(WireError, match=r"facts: its body cannot be read .*beyond 64 bits"):
        unseal(Facts, ADDRESS, message, {key.public})
    with pytest.raises(ForgedError):  # of what nobody has signed no word is read
        unseal(Facts, ADDRESS, message, set())
    with pytest.raises(WireError, match="facts: no sealed message"):
        unseal(Facts, ADDRESS, b'{"n":1}', {key.public})


def test_a_bucket_gives_what_it_has_and_fills_again():
    bucket = Bucket(10, 20, 0.0)
    assert bucket.draw(20, 0.0)
    assert not bucket.draw(1, 0.05)
    assert bucket.wait_s(5, 0.05) == pytest.approx(0.45)
    assert bucket.draw(5, 0.5)
    assert bucket.wait_s(100, 100.0) == 0  # more than it holds: when it is full


def test_a_flood_is_one_that_goes_on():
    now = [0.0]
    gate = RateLimiter(lambda: now[0])
    assert sum(gate.passes("t1", 100) for _ in range(700)) == 400
    assert not gate.flooding("t1")
    for _ in range(200):
        gate.passes("t1", 100)
    assert gate.flooding("t1")
    assert gate.passes("t2", 100)
    gate.reset("t1")
    assert gate.passes("t1", 100)
    # Many bytes are as bad as many messages; a moment's overflow is forgotten.
    assert sum(gate.passes("t3", 1_000_000) for _ in range(20)) == 8
    now[0] = 60.0
    gate.passes("t3", 1)
    assert not gate.flooding("t3")


class Heard:
    """A hub's knowledge of its table ``t1``, on a clock that tests move."""

    def __init__(self) -> None:
        self.now_ns = SECOND
        self.presence = Presence(lambda: self.now_ns)

    def announced(self, state: str, session: str = "a", *, retained: bool = False) -> str:
        """Let the table announce its state; how the hub has it then."""
        word = {"state": state, "session": session}
        self.presence.announced("t1", parsed(Announcement, word), retained=retained)
        return self.presence.state("t1")

    def reported(self, n: int, mono_ns: int, *, retained: bool = False, **facts: str) -> bool:
        """Let the table report in its first session; whether the hub took it."""
        word = {"session": "a", "n": n, "mono_ns": mono_ns, "facts": facts}
        return self.presence.reported("t1", parsed(Facts, word), retained=retained)

    def shown_ns(self, after_ns: int) -> int:
        """The table's time as it is shown so much later."""
        self.now_ns += after_ns
        return self.presence.shown_ns("t1")


@pytest.fixture
def heard() -> Heard:
    return Heard()


def test_silence_is_told_and_old_words_are_not_believed(heard):
    assert heard.presence.state("t1") == "never"
    assert heard.presence.absence("t1") == "is not there"
    assert heard.announced("here") == "here"
    assert heard.presence.absence("t1") is None
    heard.now_ns += int((SILENT_S + 0.1) * SECOND)
    assert heard.presence.state("t1") == "silent"
    assert heard.reported(1, 50)
    assert heard.presence.state("t1") == "here"
    assert not heard.reported(1, 50)  # doubled
    heard.announced("here", "b")
    # What an earlier session said comes late: it neither changes facts nor takes the table away.
    assert not heard.reported(9, 50)
    assert heard.announced("lost") == "here"
    assert heard.announced("lost", "b") == "lost"
    for wrong in ({}, {"state": "x", "session": "a"}, {"state": "here", "session": 1}):
        with pytest.raises(WireError):
            parsed(Announcement, wrong)


def test_what_the_broker_kept_says_nothing_of_now(heard):
    assert heard.announced("here", retained=True) == "never"
    heard.reported(1, 5, retained=True, phase="ended")
    assert heard.presence.state("t1") == "never"
    assert heard.presence.facts_of("t1").phase == "ended"
    assert heard.presence.now_ns("t1") == heard.now_ns  # no idea yet of the table's own clock


def test_the_time_of_a_table_that_is_not_heard_stands_where_it_is_shown(heard):
    assert heard.shown_ns(0) == 0  # nobody knows its clock yet
    heard.reported(1, 50)
    last = int(SILENT_S * SECOND) + 50
    assert [heard.shown_ns(s * SECOND) for s in (4, 4, 891)] == [4 * SECOND + 50, last, last]
    assert heard.presence.now_ns("t1") > last  # what is entered now has the time of now


def test_the_time_of_a_table_that_is_gone_stands_at_once(heard):
    """As soon as it is lost, switched off or kept out: the hub does not wait for its silence."""
    for n, state in enumerate(("lost", "stopped"), start=1):
        heard.reported(n, heard.now_ns)
        heard.now_ns += SECOND
        gone = heard.now_ns
        heard.announced(state)
        heard.now_ns += 2 * SECOND
        assert heard.announced(state) == state  # sent again
        assert heard.shown_ns(0) == gone
    heard.reported(3, heard.now_ns)
    gone = heard.now_ns
    assert heard.shown_ns(0) == gone
    for reason in ("kept out", "kept out by ann"):
        heard.presence.keep_out({"t1": reason})
        assert heard.shown_ns(SECOND) == gone
        assert heard.presence.absence("t1") == f"is {reason}"
    heard.presence.keep_out({})
    assert heard.shown_ns(0) == heard.now_ns


def test_a_table_that_slept_has_the_time_that_it_reports_then(heard):
    """The time of a table stands while its machine sleeps; the hub's goes on."""
    heard.reported(1, SECOND + 50)
    heard.now_ns += 2 * SECOND
    heard.reported(2, 3 * SECOND)  # 50 ns longer on its way
    assert heard.presence.now_ns("t1") == heard.now_ns + 50
    heard.now_ns += 2400 * SECOND
    heard.reported(3, 3 * SECOND)
    assert heard.presence.now_ns("t1") == heard.shown_ns(0) == 3 * SECOND


def test_the_quickest_word_tells_the_tables_time(heard):
    for n, (now_ns, stated) in enumerate([(1_000, 500_900), (2_000, 500_100), (3_000, 502_950)], 1):
        heard.now_ns = now_ns
        heard.reported(n, stated)
    assert heard.presence.now_ns("t1") == 3_000 + 499_950


def test_what_mosquitto_says_of_who_was_refused():
    lines = {
        "Denied PUBLISH from t9 (d0, q1, r0, m5, 'tilewatch/v/t2/events', ... (4 bytes))": (
            "t9", "denied",
        ),
        "Client t9 disconnected due to oversize packet.": ("t9", "oversized"),
        "Sending CONNACK to 192.0.2.9 (0, 135)": ("192.0.2.9", "refused"),
        "Client t9 disconnected due to malformed packet.": ("t9", "malformed"),
    }  # fmt: skip
    for line, (client, what) in lines.items():
        output = parse_log_line(line)
        assert output is not None, line
        assert (output.client, output.what) == (client, what)
    for line in ("Sending CONNACK to t9 (0, 0)", "Received PUBLISH from t9", "Client t9 closed"):
        assert parse_log_line(line) is None
    for name in lines:
        assert parse_log_line(f"Received CONNECT from ::1 as {name}") is None


def read_troubles(found) -> tuple[TroubleNoted, ...]:
    return parsed(TableFacts, {"trouble": found}).trouble


def test_facts_of_another_form_count_as_not_reported():
    odd = {"phase": 3, "uncounted": "8H A", "rate": "fast", "name": None, "more": 1}
    found = parsed(TableFacts, odd)
    assert (found.phase, found.uncounted, found.rate) == ("3", (), 1.0)
    for rate, believed in ((0.5, 0.5), (2, 2.0), (0, 1.0), (1000, 1.0), (True, 1.0)):
        assert parsed(TableFacts, {"rate": rate}).rate == believed
    many = parsed(TableFacts, {"uncounted": ["8H A" * 9] * 999})
    assert (len(many.uncounted), len(many.uncounted[0])) == (225, 12)


def test_troubles_come_out_as_they_went_in_and_what_is_none_is_left_out():
    troubles = [
        make_trouble("button_stuck", "left is stuck", 5, "left"),
        make_trouble("director_called", "the director is called", 9),
    ]
    sent = json.loads(json.dumps(TableFacts(trouble=troubles).model_dump(mode="json")))["trouble"]
    assert list(read_troubles(sent)) == troubles
    strange = [None, 3, {}, {"code": []}, {"code": "on_fire"}, {"code": 7, "message": "x"}]
    assert list(read_troubles([*strange, *sent])) == troubles
    assert read_troubles("camera_lost") == ()
    (cut,) = read_troubles([{"code": "hub", "message": "x" * 999, "since_ns": "soon"}])
    assert (len(cut.message), cut.t_ns, cut.state) == (300, 0, "begins")


@pytest.mark.parametrize(
    ("text", "noticed"),
    [
        ("venue = 'A b'", "venue"),
        ("nonsense = 1", "unknown key 'nonsense'"),
        ("[broker]\nport = 0", "broker.port"),
        ("venue =", "not TOML"),
        ("[public]\nunseen = 'live'", "delay"),
    ],
)
def test_a_wrong_configuration_is_one_line_that_names_the_key(tmp_path, text, noticed):
    path = tmp_path / "hub.toml"
    path.write_text(text)
    with pytest.raises(HubError) as caught:
        load_hub_config(path)
    assert noticed in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(HubError, match="cannot be read"):
        load_hub_config(tmp_path / "nowhere.toml")
