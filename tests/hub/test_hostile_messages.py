"""Messages of one enrolled table cost no other table anything, and are named as its own."""

from __future__ import annotations

import json
from typing import Any

import pytest

from game.events import PenaltyAdded, to_payload
from hub.intake import Intake, Listener
from hub.presence import Presence
from hub.requests import Requests
from hub.store import HubStore
from hub.wire.connection import IncomingMessage
from hub.wire.envelope import _signed
from hub.wire.topics import Address
from record.chain import GENESIS, PAYLOAD_VERSION, LoggedEvent, canonical_json
from record.log.mirror import line_of
from record.signing import TableKey

VENUE = "hall"
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
