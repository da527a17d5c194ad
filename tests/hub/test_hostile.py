"""A hostile table is refused, is named as its own, and harms no other."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from game.events import PenaltyAdded, to_payload
from hub.broker.certificates import CA, make_certificates
from hub.intake import Intake, Listener
from hub.presence import Presence
from hub.requests import Requests
from hub.store import HubStore
from hub.wire.connection import Broker, BrokerConnection, IncomingMessage
from hub.wire.envelope import _signed, seal
from hub.wire.records import MAX_RECORD
from hub.wire.topics import Address
from record.chain import GENESIS, PAYLOAD_VERSION, LoggedEvent, canonical_json
from record.log.event_log import EventLog
from record.log.mirror import line_of
from record.signing import TableKey
from tests.hub.hubkit import VENUE, until


def topic(table: str, channel: str = "events") -> str:
    return Address(VENUE, table).topic(channel)


def record(key: TableKey, seq: int, prev_hash: str) -> LoggedEvent:
    text = canonical_json(to_payload(PenaltyAdded("left", 50, "1", "Ann", "late", 1)))
    fields = (seq, "evil", seq, 0, 0, "evil", "PenaltyAdded", PAYLOAD_VERSION, text, prev_hash)
    return LoggedEvent(*fields, "", "", "").sealed(key)


def well(hall, table) -> bool:
    """Whether a table that behaves has everything at the hub soon."""
    table.play(2)
    return until(table.arrived) and table.same()


def test_nobody_gets_in_without_a_credential_or_without_tls(hall):
    at = partial(Broker, "127.0.0.1", hall.broker.port)
    for broker in (at(None, None, hall.broker.ca), at("t", "t", None)):
        stranger = BrokerConnection(broker, "x", [], lambda _m: None, lambda: None)
        stranger.start()
        assert until(lambda stranger=stranger: stranger.trouble is not None)
        assert not stranger.up
        stranger.stop()


def test_a_broker_that_is_not_the_hubs_is_not_spoken_to(hall, tmp_path):
    """Whoever stands in between has no certificate of the hub's authority."""
    (tmp_path / "other").mkdir()
    make_certificates(tmp_path / "other", "other")
    table = hall.table("t1")
    table.broker = replace(table.broker, ca=tmp_path / "other" / CA)
    outbox = table.connect()
    assert until(lambda: "broker's certificate was refused: an authority" in (outbox.trouble or ""))
    assert not outbox.up


def test_anothers_topic_can_neither_be_written_nor_read(hall):
    victim, bad = hall.table("victim"), hall.table("bad")
    victim.connect()
    victim.play(3)
    assert until(victim.arrived)
    heard: list = []
    topics = [(topic("victim", "ack"), 1), ("tilewatch/#", 1)]
    evil = hall.connection("bad", heard, subscriptions=topics)
    assert until(lambda: evil.up)
    forged = record(bad.key, 4, victim.log.head[1])
    evil.publish(topic("victim"), line_of(forged), qos=1)
    evil.publish(topic("victim", "presence"), b"x", qos=1, retain=True)
    assert until(lambda: any(one.what == "denied" for one in hall.broker_incidents))
    named = next(one for one in hall.broker_incidents if one.what == "denied")
    assert named.client == "bad"
    assert "victim" in named.detail
    assert well(hall, victim)
    # What is its own, and what it says itself, is all that it may hear.
    assert all(message.topic.startswith(f"tilewatch/{VENUE}/bad/") for message in heard)
    evil.stop()


def test_nobody_takes_anothers_place_at_the_broker(hall):
    victim = hall.table("victim")
    hall.table("bad")
    outbox = victim.connect()
    assert until(lambda: outbox.up)
    evil = BrokerConnection(hall.at("bad"), "victim", [], lambda _m: None, lambda: None)
    evil.start()
    assert until(lambda: evil.up)
    assert well(hall, victim)
    assert outbox.up
    evil.stop()


def test_forged_records_are_refused_and_named(hall):
    good, bad = hall.table("good"), hall.table("bad")
    good.connect()
    evil = hall.connection("bad")
    assert until(lambda: evil.up)
    for nonsense in (b"", b"\n", b"{}\n", b"\xff\xfe\n", b"[" * 5000 + b"\n", b"1\n2\n", b"null\n"):
        evil.publish(topic("bad"), nonsense, qos=1)
    assert until(lambda: ("bad", "refused") in hall.incidents())
    stranger = TableKey.open(hall.folder / "stranger.key")
    # Not the one that is due either: it is looked at all the same, right after trivial refusals.
    evil.publish(topic("bad"), line_of(record(stranger, 9, "0" * 64)), qos=1)
    assert until(lambda: ("bad", "forged") in hall.incidents())
    real = record(bad.key, 1, "0" * 64)
    for forged in (
        record(stranger, 1, "0" * 64),  # another key
        replace(real, payload_text='{"points":99,"type":"PenaltyAdded"}'),  # altered
        replace(real, signature="0" * 128),  # not signed
        replace(real, number=7).sealed(bad.key),  # wrongly numbered
    ):
        evil.publish(topic("bad"), line_of(forged), qos=1)
    # What one client sends comes in its order, and the true one may still come.
    evil.publish(topic("bad"), line_of(real), qos=1)
    assert until(lambda: hall.hub.store.head("bad") == (1, real.hash))
    assert hall.hub.intake.refused("bad") is None
    assert well(hall, good)
    evil.stop()


def test_replayed_records_and_words_change_nothing(hall):
    table = hall.table("t1")
    table.connect()
    table.play(6)
    assert until(table.arrived)
    old = b"".join(line_of(event) for event in table.log.events())
    table.disconnect()
    evil = hall.connection("t1")
    assert until(lambda: evil.up)
    for _ in range(5):
        evil.publish(topic("t1"), old, qos=1)
    lost = seal("presence", Address(VENUE, "t1"), {"state": "lost", "session": "old"}, table.key)
    evil.publish(topic("t1", "presence"), lost, qos=1)
    evil.stop()
    table.connect()
    assert well(hall, table)
    assert len(table.log.events()) == hall.hub.store.head("t1")[0]


def test_two_logs_by_one_name_are_both_told(hall):
    """A table restored from an old copy, which has played on since: a fork."""
    table = hall.table("t1")
    outbox = table.connect()
    table.play(5)
    assert until(table.arrived)
    table.disconnect()
    table.log.close()
    # The log as it was after two records, and another third.
    events = hall.hub.store.records("t1")
    for path in table.folder.glob("tilewatch.db*"):
        path.unlink()
    table.log = EventLog(table.folder / "tilewatch.db", key=table.key)
    for event in events[:2]:
        again = table.log.append(
            event.game_id,
            event.payload,
            mono_ns=event.mono_ns,
            source=event.source,
            wall_ns=event.wall_ns,
        )
        assert again.hash == event.hash
    table.log.append("other", {"type": "x"}, mono_ns=1, source="t")
    outbox = table.connect()
    assert until(lambda: outbox.fork is not None)
    assert "older copy" in outbox.fork
    # It plays on until it has as many: now the two differ record by record.
    for n in range(4):
        table.log.append("other", {"type": "x", "n": n}, mono_ns=1, source="t")
    outbox.stop(flush_s=0)
    outbox = table.connect()
    assert until(lambda: outbox.fork is not None)
    assert "two logs" in outbox.fork
    assert hall.hub.store.records("t1") == events


def test_a_fork_that_is_sent_all_the_same_is_named_and_kept_out(hall):
    table = hall.table("t1")
    table.connect()
    table.play(3)
    assert until(table.arrived)
    table.disconnect()
    evil = hall.connection("t1")
    assert until(lambda: evil.up)
    evil.publish(
        topic("t1"), line_of(record(table.key, 3, hall.hub.store.records("t1")[1].hash)), qos=1
    )
    assert until(lambda: ("t1", "fork") in hall.incidents())
    assert "two logs" in hall.hub.intake.refused("t1")
    assert hall.hub.store.records("t1") == table.log.events()
    evil.stop()


def test_an_oversized_message_is_refused_and_named(hall):
    good = hall.table("good")
    hall.table("bad")
    good.connect()
    evil = hall.connection("bad")
    assert until(lambda: evil.up)
    evil.publish(topic("bad"), b"x" * (MAX_RECORD + 10_000), qos=0)
    assert until(
        lambda: any(s.what == "oversized" and s.client == "bad" for s in hall.broker_incidents)
    )
    evil.stop()
    assert well(hall, good)


def test_a_flood_is_passed_over_named_and_cut_off(tmp_path, hall):
    good = hall.table("good")
    hall.table("bad")
    good.connect()
    out: list[str] = []
    hall.restart_hub(Listener(on_flood=lambda table, _why: out.append(table)))
    evil = hall.connection("bad")
    assert until(lambda: evil.up)
    flooding = threading.Event()

    def flood() -> None:
        n = 0
        while not flooding.is_set() and n < 20_000:
            n += 1
            evil.publish(topic("bad"), b"[]\n", qos=0)

    thread = threading.Thread(target=flood)
    thread.start()
    try:
        # Others are served all the while.
        assert well(hall, good)
        assert until(lambda: "bad" in out)
        assert well(hall, good)
    finally:
        flooding.set()
        thread.join()
        evil.stop()
    assert ("bad", "flood") in hall.incidents()


def test_a_table_that_is_kept_out_is_cut_off_at_once(hall):
    good, bad = hall.table("good"), hall.table("bad")
    good.connect()
    outbox = bad.connect()
    bad.play(2)
    assert until(bad.arrived)
    hall.hub.store.revoke("bad", "stolen")
    hall.hub.intake.enrolment_changed()
    hall.broker.security.update()
    assert until(lambda: not outbox.up)
    bad.play(2)
    assert until(lambda: outbox.trouble is not None and "refuses bad" in outbox.trouble)
    assert not bad.arrived()
    hall.hub.store.revoke("bad", None)
    hall.hub.intake.enrolment_changed()
    hall.broker.security.update()
    assert until(bad.arrived)
    assert well(hall, good)


def test_an_acknowledgement_by_a_stranger_is_not_believed(hall):
    """Whoever runs the broker could say that all is safe at the hub: it is not the hub's word."""
    table = hall.table("t1")
    outbox = table.connect()
    table.play()
    assert until(lambda: outbox.acked == 1)
    stranger = TableKey.open(hall.folder / "stranger.key")
    body = {"seq": 99, "hash": "0" * 64, "hub": "x", "again": False, "refused": None}
    output = seal("ack", Address(VENUE, "t1"), body, stranger)
    hall.hub.link.publish(topic("t1", "ack"), output, qos=1)
    assert well(hall, table)  # the hub's own word comes after it
    assert until(lambda: outbox.acked == 3)
    assert outbox.fork is None


HALF = "\\ud800"
"""Half a surrogate pair, as JSON escapes it."""


class NoBroker:
    """A hub's intake, fed by hand, and the keys of its two tables."""

    def __init__(self, folder) -> None:
        self.store = HubStore(folder / "hub")
        self.keys = {name: TableKey.open(folder / f"{name}.key") for name in ("good", "bad")}
        for name, key in self.keys.items():
            self.store.enrol(name, name.title(), key.public, None)
        self.sent: list[dict[str, Any]] = []
        self.requests = Requests(
            self.store, lambda _table, body: self.sent.append(dict(body)) or True, lambda _t: None
        )
        self.intake = Intake(
            self.store,
            Presence(),
            VENUE,
            TableKey.open(folder / "hub.key"),
            lambda _topic, _message: True,
            Listener(on_answer=self.requests.answered),
        )

    def message(self, table: str, channel: str, payload: bytes) -> IncomingMessage:
        return IncomingMessage(Address(VENUE, table).topic(channel), payload, False)

    def sealed(self, channel: str, text: str, table: str = "bad") -> IncomingMessage:
        """A message whose body is exactly this text, signed as it stands."""
        key, kind = self.keys[table], {"answers": "answer"}.get(channel, channel)
        address = Address(VENUE, table)
        signature = key.sign(_signed(kind, address, key.public, text))
        return self.message(table, channel, json.dumps([text, key.public, signature]).encode())

    def record(self, table: str, seq: int = 1, prev_hash: str = GENESIS) -> LoggedEvent:
        text = canonical_json(to_payload(PenaltyAdded("left", 5, "1", "Ann", "late", 1)))
        fields = (seq, "g1", seq, 0, 0, "t", "PenaltyAdded", PAYLOAD_VERSION, text, prev_hash)
        return LoggedEvent(*fields, "", "", "").sealed(self.keys[table])

    def named(self) -> list[tuple[str, str, str]]:
        return [(table, what, detail) for _, table, what, detail in self.store.incidents()]


@pytest.fixture
def hub(tmp_path):
    made = NoBroker(tmp_path)
    yield made
    made.store.close()


ANSWER = '{{"id":{id},"status":"done","done_seq":{seq},"said":{said}}}'


def answer(id_: str = '"aa"', seq: str = "1", message: str = "null") -> str:
    return ANSWER.format(id=id_, seq=seq, said=message)


SEALED = {
    "a sequence beyond 64 bits": ("answers", answer(seq=str(2**70))),
    "a sequence before the first": ("answers", answer(seq="-1")),
    "a sequence of 5,000 digits": ("answers", answer(seq="9" * 5000)),
    "half a letter in an id": ("answers", answer(id_=f'"{HALF}"')),
    "half a letter in what is said": ("answers", answer(message=f'"{HALF}"')),
    "an id with a line break": ("answers", answer(id_='"a\\nb"')),
    "half a letter in a presence": ("presence", f'{{"state":"here","session":"{HALF}"}}'),
    "half a letter as a state": ("presence", f'{{"state":"{HALF}","session":"a"}}'),
    "half a letter as a name": ("facts", f'{{"session":"a","n":1,"mono_ns":1,"{HALF}":1}}'),
    "facts far in the future": (
        "facts", f'{{"session":"a","n":1,"mono_ns":{2**64},"facts":{{}}}}',
    ),
    "facts in 60,000 brackets": (
        "facts", '{"session":"a","n":1,"mono_ns":1,"facts":' + "[" * 15_000 + "]" * 15_000 + "}",
    ),
    "a number that is none": ("facts", '{"session":"a","n":1,"mono_ns":1,"facts":{"rate":NaN}}'),
}  # fmt: skip


@pytest.mark.parametrize("what", sorted(SEALED))
def test_a_message_that_nothing_can_be_made_of_costs_the_others_nothing(hub, what):
    bad = hub.sealed(*SEALED[what])
    good = hub.message("good", "events", line_of(hub.record("good")))
    hub.intake.take([bad, good])
    assert hub.store.head("good")[0] == 1
    assert [(table, kind) for table, kind, _ in hub.named()] == [("bad", "refused")]
    assert all(detail.isprintable() for _, _, detail in hub.named())


@pytest.mark.parametrize("channel", ["events", "presence", "facts", "answers", "have"])
@pytest.mark.parametrize(
    "payload",
    [
        b'["{}","\\ud800",""]',
        b'["{}","a\\nhall: all is well",""]',
        b'["{}","\\u001b[2J",""]',
        b"[" * 30_000,
        b'["{}",' + b"9" * 5000 + b',""]',
        '["{}","",""]'.encode("utf-16"),
        b'["\xed\xa0\x80","",""]',
    ],
)
def test_a_message_that_nobody_signed_is_named_in_one_line(hub, channel, payload):
    good = hub.message("good", "events", line_of(hub.record("good")))
    hub.intake.take([hub.message("bad", channel, payload), good])
    assert hub.store.head("good")[0] == 1
    for table, _, detail in hub.named():
        assert table == "bad"
        assert detail.isprintable()
        assert len(detail) < 500


def test_whatever_breaks_over_one_message_the_others_are_dealt_with(hub):
    """A fault that nobody foresaw stays with the message that brought it."""

    def breaks(_table, _body):
        raise RuntimeError("nobody thought of that")

    hub.intake._listener = Listener(on_answer=breaks)
    good = hub.message("good", "events", line_of(hub.record("good")))
    hub.intake.take([hub.sealed("answers", answer()), good])
    assert hub.store.head("good")[0] == 1
    assert [(table, what) for table, what, _ in hub.named()] == [("bad", "not understood")]


def test_an_answer_is_shown_in_one_line_that_can_be_printed(hub):
    post = {"kind": "press", "button": "left", "source": "director: Ann"}
    hub.requests.ask("bad", post, 0, 0.0)
    (asked,) = [body["id"] for body in hub.sent]
    line = json.dumps("no\n\x1b[2J" + "x" * 5000)
    refused = f'{{"id":"{asked}","status":"refused","done_seq":null,"said":{line}}}'
    hub.intake.take([hub.sealed("answers", refused)])
    found = hub.requests.find(asked)
    assert found.status == "refused"
    assert found.answer.isprintable()
    assert found.answer.startswith("no")
    assert len(found.answer) <= 300
