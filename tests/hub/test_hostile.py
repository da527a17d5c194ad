"""A hostile table is refused, is named as its own, and harms no other; what it signs is shown."""

from __future__ import annotations

import dataclasses
import json
import threading
import types
import typing
from collections.abc import Hashable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from game.board import SQUARES
from game.errors import TilewatchError
from game.events import (
    EVENT_TYPES,
    ButtonPressed,
    GameEnded,
    PenaltyAdded,
    from_payload,
    to_payload,
)
from game.flags import CODES
from hub.broker.certificates import CA, make_certificates
from hub.errors import UnreadableError
from hub.intake import Listener
from hub.service import HubService
from hub.wire.connection import Broker, BrokerConnection, IncomingMessage
from hub.wire.messages import Ack, Address, Announcement, _signed, seal
from hub.wire.records import MAX_RECORD, check_readable
from record.chain import PAYLOAD_VERSION, LoggedEvent, canonical_json
from record.log.event_log import EventLog
from record.log.mirror import line_of
from record.seals import GENESIS
from record.signing import TableKey
from tests.game.gamekit import random_game
from tests.hub.hubkit import VENUE, every_incident, until
from tests.hub.pagekit import Pages
from tests.hub.servicekit import no_broker


def topic(table: str, channel: str = "events") -> str:
    return Address(VENUE, table).topic(channel)


def record(key: TableKey, seq: int = 1, prev_hash: str = GENESIS) -> LoggedEvent:
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
    lost = seal(Announcement(state="lost", session="old"), Address(VENUE, "t1"), table.key)
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
    ack = Ack(seq=99, hash="0" * 64, hub="x")
    output = seal(ack, Address(VENUE, "t1"), stranger)
    hall.hub.link.publish(topic("t1", "ack"), output, qos=1)
    assert well(hall, table)  # the hub's own word comes after it
    assert until(lambda: outbox.acked == 3)
    assert outbox.fork is None


HALF = "\\ud800"
"""Half a surrogate pair, as JSON escapes it."""


class NoBroker:
    """A hub that is fed by hand, and the keys of its two tables."""

    def __init__(self, folder) -> None:
        self.service = HubService(no_broker(), folder / "hub")
        self.store, self.intake = self.service.store, self.service.hub.intake
        self.keys = {name: TableKey.open(folder / f"{name}.key") for name in ("good", "bad")}
        for name, key in self.keys.items():
            self.store.enrol(name, name.title(), key.public, None)
        self.service.admit()

    def message(self, table: str, channel: str, payload: bytes) -> IncomingMessage:
        return IncomingMessage(Address(VENUE, table).topic(channel), payload, False)

    def sealed(self, channel: str, text: str, table: str = "bad") -> IncomingMessage:
        """A message whose body is exactly this text, signed as it stands."""
        key, kind = self.keys[table], {"answers": "answer"}.get(channel, channel)
        address = Address(VENUE, table)
        signature = key.sign(_signed(kind, address, key.public, text))
        return self.message(table, channel, json.dumps([text, key.public, signature]).encode())

    def named(self) -> list[tuple[str, str, str]]:
        return every_incident(self.store)


@pytest.fixture
def hub(tmp_path):
    made = NoBroker(tmp_path)
    yield made
    made.service.close_streams()
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
    good = hub.message("good", "events", line_of(record(hub.keys["good"])))
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
    good = hub.message("good", "events", line_of(record(hub.keys["good"])))
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
    good = hub.message("good", "events", line_of(record(hub.keys["good"])))
    hub.intake.take([hub.sealed("answers", answer()), good])
    assert hub.store.head("good")[0] == 1
    assert [(table, what) for table, what, _ in hub.named()] == [("bad", "not understood")]


def test_an_answer_is_shown_in_one_line_that_can_be_printed(hub):
    post = {"kind": "press", "button": "left", "source": "director: Ann"}
    requests = hub.service.requests
    requests.ask("bad", post, 0, 0.0)
    (asked,) = (one.id for one in requests.newest())
    line = json.dumps("no\n\x1b[2J" + "x" * 5000)
    refused = f'{{"id":"{asked}","status":"refused","done_seq":null,"said":{line}}}'
    hub.intake.take([hub.sealed("answers", refused)])
    found = requests.find(asked)
    assert found.status == "refused"
    assert found.answer.isprintable()
    assert found.answer.startswith("no")
    assert len(found.answer) <= 300


PAGES = (
    "/",
    "/tables/t1",
    "/tables/t1/live",
    "/tables/t1/clock",
    "/api/v1/tables",
    "/api/v1/tables/t1",
    "/api/v1/tables/t1/clocks",
    "/api/v1/tables/t1/log?game={game}",
    "/api/v1/hall",
    "/overlay/feature/live",
    "/overlay/feature/scene",
    "/results",
    "/results.csv",
    "/results.csv?all=1",
    "/director",
    "/director/hall",
    "/director/hall/state",
    "/director/tables/t1",
    "/director/tables/t1?game={game}",
    "/director/api/tables/t1/pulse",
)
OF_A_GAME = ("/api/v1/tables/t1/turns", "/director/api/tables/t1/games/{game}")
OF_A_TURN = (
    "/api/v1/tables/t1/turns/{turn}",
    "/director/tables/t1/turns/{turn}?game={game}",
    "/director/api/tables/t1/games/{game}/turns/{turn}/boards",
)


class HostileTable:
    """A table that signs whatever it likes, and the hub that gets it: no broker in between."""

    def __init__(self, folder) -> None:
        self.service = HubService(no_broker(), folder / "hub")
        self.key = TableKey.open(folder / "t1.key")
        self.service.store.enrol("t1", "Table 1", self.key.public, None)
        self.service.admit()
        self.folder = folder
        self.pages = Pages(self)
        self.pages.app.testing = True  # an exception reaches the test
        self.games = 0
        self._at = [0, GENESIS]

    def new_game(self) -> str:
        self.games += 1
        return f"g{self.games}"

    def record(self, game: str, number: int, payload: Any, **more: Any) -> LoggedEvent:
        text = json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        type_ = payload.get("type") if isinstance(payload, dict) else None
        one = LoggedEvent(
            self._at[0] + 1, game, number, 10**9 * number, 10**18, "recorder", str(type_),
            PAYLOAD_VERSION, text, self._at[1], "", "", "",
        )  # fmt: skip
        return replace(one, **more).sealed(self.key)

    def send(self, game: str, number: int, payload: Any, **more: Any) -> bool:
        """Sign one more record and send it; whether the hub took it."""
        event = self.record(game, number, payload, **more)
        intake = self.service.hub.intake
        intake._gate.reset("t1")
        intake.take([IncomingMessage("tilewatch/hall/t1/events", line_of(event), False)])
        taken = self.service.store.head("t1")[0] == event.seq
        if taken:
            self._at = [event.seq, event.hash]
        else:
            intake.forget()
        return taken

    def add(self, event: LoggedEvent) -> None:
        """Put a record into the hub's store as a hub did that took in everything."""
        self.service.store.add([("t1", event)])
        self._at = [event.seq, event.hash]
        self.service.hub.intake.forget()
        self.service.hub.log("t1").grown()

    def play(self, game: str, number: int, events) -> int:
        for event in events:
            named = replace(event, game_id=game) if hasattr(event, "game_id") else event
            assert self.send(game, number, to_payload(named))
            number += 1
        return number

    def get(self, path: str):
        return self.pages.get(path, director=True)

    def look(self, game: str) -> None:
        """Every page of the table, and of its newest game where there is one."""
        self.service.hall.draw("t1")
        for path in PAGES:
            answer = self.get(path.format(game=game))
            assert answer.status_code == 200, (path, answer.status_code)
        turns = self.service.tables.table("t1").feeds["director"].latest()
        shown = turns.view if turns is not None else None
        if shown is None:
            return
        count = len(shown["turns"])
        paths = [path.format(game=shown["game_id"]) for path in OF_A_GAME]
        numbers = {n for n in (1, count) if 1 <= n <= count}
        paths += [p.format(game=shown["game_id"], turn=n) for p in OF_A_TURN for n in numbers]
        for path in paths:
            answer = self.get(path)
            assert answer.status_code == 200, (path, answer.status_code)
        assert self.get("/api/v1/tables/t1/game.gcg").status_code in (200, 404)

    def close(self) -> None:
        self.service.close_streams()
        self.service.store.close()


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    one = HostileTable(tmp_path_factory.mktemp("hall"))
    one.play(one.new_game(), 1, GAME[:6])  # what the pages show before anything hostile comes
    yield one
    one.close()


GAME = tuple(random_game(3).events)
TURNS = GAME[:10]
OPENINGS = ((), GAME[:2], TURNS, (*TURNS, GameEnded("agreed", TURNS[-1].press_ns + 1)))
"""Games to begin from: nothing, a start, some turns, some turns and the end."""


# --- payloads ---

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.sampled_from([2**63, -(2**63), 10**400, 1e308, -1e308, 5e-324, 0.5])
    | st.text(max_size=5)
    | st.just("\ud800"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
WORDS = ["", "8H", "h8", " 8d ", "15O", "A", "a", "?", ".", "#", "~", "ß", "Ⅷ", "ǆ", "İ", "Ж", "ÑÑ",
         "english", "german", "wespa-2007", "naspa-2023", "out", "left", "right", "camera_lost",
         "misoriented_tile", "may be A 62%, H 31%", "<script>", "x" * 300, "\n", "\x00",
         "\u202e", "0" * 64, "f" * 64]  # fmt: skip
INTEGERS = st.integers(-2, 12) | st.sampled_from(
    [10**6, -(10**6), 10**6 + 1, 10**12, 2**62, -(2**62), 2**62 + 1, 2**64]
)
ROWS = [".......P......."] + ["." * 15] * 14
BOARDS = st.sampled_from(
    [
        ["." * 15] * 15,
        ROWS,
        [*ROWS[:7], "..ABCß?#~ЖǅÄ...", *ROWS[8:]],
        ["Q" * 15] * 15,
        ["?" * 15] * 15,
        ["~" * 15] * 15,
        *[list(event.rows) for event in GAME if hasattr(event, "press_ns")],
    ]
)


_CHARACTERS = st.sampled_from([*"AQaq?.#~", "ß", "Ⅷ", "ǆ", "İ", "Ж", "ﬁ", "ŉ", "Ä"])
SPECIAL = {
    "square": st.sampled_from([square.name for square in SQUARES]),
    "letter": _CHARACTERS,
    "symbol": _CHARACTERS,
    "tiles": st.text(st.sampled_from("AEQZ?ß"), max_size=9),
    "symbols": st.text(st.sampled_from("AEQZ?ß"), max_size=9),
    "code": st.sampled_from(sorted(CODES)),
}


_CORNER = st.lists(st.floats(-9, 1e5), min_size=2, max_size=2)
BY_NAME = {
    "rows": BOARDS,
    "corners": st.none() | st.lists(_CORNER, min_size=4, max_size=4),
}
BY_HINT = {
    Any: JUNK,
    int: INTEGERS,
    bool: st.booleans(),
    float: st.floats(0, 1) | st.sampled_from([0, 1, 2, -1, 1e6, 1e308]),
}
KEYS = {
    "players": st.sampled_from(["left", "right"]),
    "confidence": st.sampled_from([square.name for square in SQUARES]),
    "frames": st.sampled_from(["before", "at", "after", "x"]),
    "adjust": st.sampled_from(["clock.minutes", "overtime.penalty", "rack_tiles", "x"]),
    "word_list": st.sampled_from(["name", "sha256"]),
}


def values(hint: Any, name: str) -> st.SearchStrategy[Any]:
    """Values of a field: such as fit its hint, at its edges and a little beyond."""
    origin, args = get_origin(hint), get_args(hint)
    if name in BY_NAME:
        return BY_NAME[name]
    if name == "confidence" and hint is float:
        return st.floats(0, 1)
    if isinstance(hint, Hashable) and hint in BY_HINT:
        return BY_HINT[hint]
    if origin in (typing.Union, types.UnionType):
        return st.one_of(*[st.none() if one is type(None) else values(one, name) for one in args])
    if origin is Literal:
        return st.sampled_from(args)
    if origin is tuple:
        return st.lists(values(args[0], name), max_size=4)
    if origin is Mapping:
        kept = KEYS.get(name, st.text(max_size=4))
        return st.dictionaries(kept, values(args[1], name), max_size=4)
    if dataclasses.is_dataclass(hint):
        return fields(hint)
    if name in SPECIAL:
        return SPECIAL[name] | SPECIAL[name] | st.sampled_from(WORDS)
    if name in ("sha256", "frames", "pictures"):
        return st.sampled_from(["0" * 64, "f" * 64])
    return st.sampled_from(WORDS) | st.text(max_size=8)


def fields(cls: Any) -> st.SearchStrategy[dict[str, Any]]:
    hints = get_type_hints(cls)
    own = [one.name for one in dataclasses.fields(cls)]
    return st.fixed_dictionaries({name: values(hints[name], name) for name in own})


@st.composite
def payloads(draw, kind: str, game: str = "GAME") -> dict[str, Any]:
    made = {"type": kind, **draw(fields(EVENT_TYPES[kind]))}
    if kind == "GameStarted" and draw(st.integers(0, 3)):
        # Otherwise hardly one would start a game.
        made |= {"players": {"left": draw(st.text(max_size=5)), "right": "Bo"}}
        made |= {"rulebook": "wespa-2007", "tile_set": "english"}
        made |= {} if draw(st.booleans()) else {"adjust": {}}
    if draw(st.integers(0, 3)) == 0:
        made[draw(st.sampled_from(sorted(made)))] = draw(JUNK)
    if draw(st.integers(0, 9)) == 0:
        made.pop(draw(st.sampled_from(sorted(made))))
    return made


def is_sound(payload: dict[str, Any]) -> bool:
    """True if this is an event that can be logged."""
    try:
        canonical_json(payload).encode()
        return from_payload(payload) is not None
    except (TilewatchError, ValueError):
        return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", sorted(EVENT_TYPES))
@settings(
    max_examples=5,  # each is a game of its own, with some thirty pages
    derandomize=True,
    database=None,
    suppress_health_check=[
        HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large,
    ],
)  # fmt: skip
@given(data=st.data(), opening=st.sampled_from(OPENINGS))
def test_whatever_is_taken_in_is_shown(table, kind, data, opening):
    """A game is played up to some moment, and goes on with several events of one kind."""
    begun = kind != "GameStarted" or opening is OPENINGS[2]
    game = table.new_game()
    number = table.play(game, 1, opening if begun else ())
    for payload in data.draw(st.lists(payloads(kind), min_size=3, max_size=3)):
        if not begun:
            game, number = table.new_game(), 1
        if isinstance(payload.get("game_id"), str):
            payload["game_id"] = game
        try:
            taken = table.send(game, number, payload)
        except UnicodeEncodeError:  # it has no form in which it could be sent
            taken = False
        assert taken == is_sound(payload)
        number += taken
    if number > 1:
        table.play(game, number, [ButtonPressed("left", 10**9)])
        table.look(game)


@pytest.mark.parametrize(
    "payload",
    [
        {"players": 1e308},
        {"players": {"left": 1e308, "right": "Bo"}},
        {"adjust": {"x": [[[[[[[[[[[[1]]]]]]]]]]]]}},
        {"t_ns": 2**63},
        {"game_id": "another"},
        {"players": {"left": "x" * 5000, "right": "Bo"}},
        {"type": "GameStarted", "more": 1},
        {"type": "NoSuchEvent"},
        {"type": "PlayersNamed"},
    ],
)
def test_what_cannot_be_shown_is_refused_and_named(table, payload):
    game = table.new_game()
    start = to_payload(replace(GAME[0], game_id=game)) | payload
    assert not table.send(game, 1, start)
    table.look(game)
    assert ("t1", "unreadable") in {
        (id_, what) for id_, what, _ in every_incident(table.service.store)
    }


def test_the_record_names_what_it_has(table):
    start = to_payload(replace(GAME[0], game_id="g"))
    for more, match in (
        ({"type": "PlayersNamed"}, "not of the kind"),
        ({"game_id": "../etc"}, "not a valid id of a game"),
        ({"game_id": ".."}, "not a valid id of a game"),
        ({"game_id": "other"}, "starts a game other than"),
        ({"version": PAYLOAD_VERSION + 1}, "newer tilewatch"),
    ):
        with pytest.raises(UnreadableError, match=match):
            check_readable(table.record("g", 1, start, **more))


def test_a_hub_that_has_such_a_record_from_before_shows_its_pages(table):
    """An earlier version took in what it could not show."""
    game = table.new_game()
    event = table.record(game, 1, to_payload(replace(GAME[0], game_id=game)) | {"players": 1e308})
    table.add(event)
    deep = '{"pictures":%s,"type":"PicturesKept"}' % ("[" * 3000 + "]" * 3000)
    event = replace(table.record(game, 2, {"type": "PicturesKept"}), payload_text=deep)
    table.add(event.sealed(table.key))
    for path in ("/", "/tables/t1", "/director", "/director/tables/t1", "/director/hall/state"):
        assert table.get(path).status_code == 200
