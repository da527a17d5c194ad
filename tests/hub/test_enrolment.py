"""A table is let in by a short code, over a network that anybody may read and change."""

from __future__ import annotations

import json
import stat

import pytest

from game.errors import TilewatchError
from hub.broker.access import plugin_file
from hub.enrolment import (
    CODE_S,
    EXCHANGE_S,
    GUESSES,
    GUESSES_BY_SOURCE,
    Enrolment,
    HubDetails,
    new_code,
    readmit_table,
    revoke_table,
    source_of_address,
)
from hub.errors import GuessError, HubError, WireError
from hub.store import HubStore
from hub.table_side.connector import CA_FILE, FILE, Membership
from hub.wire.handshake import EnrolCode, HubExchange, Opening, TableExchange
from hub.wire.messages import Address, checked_name, parse_topic
from record.signing import TableKey
from tests.machine import until

TOLD = HubDetails("hall", "192.0.2.7", 8883, "CERTIFICATE", "ab" * 32)


class Door:
    """A hub's enrolment, and what its broker was told."""

    def __init__(self, store: HubStore) -> None:
        self.store, self.now_ns = store, 1
        self.admitted: list[tuple[str, str]] = []
        self.restart()

    def restart(self) -> None:
        self.enrolment = Enrolment(
            self.store,
            lambda _source: TOLD,
            lambda table, password: self.admit(table, password),  # noqa: PLW0108 (it may change)
            wall_ns=lambda: self.now_ns,
        )

    def admit(self, table: str, password: str) -> None:
        """The messages to the broker; a test may take the broker away."""
        self.admitted.append((table, password))

    def code(self, table: str = "t1", name: str = "Table 1") -> EnrolCode:
        return new_code(self.store, table, name, lambda: self.now_ns)

    def open(self, exchange: TableExchange, source: str = "192.0.2.9") -> dict[str, str]:
        return self.enrolment.answer(exchange.opening, source)

    def redeem(self, code: EnrolCode, key: TableKey, source: str = "192.0.2.9") -> dict:
        """What a table learns that has this code."""
        exchange = TableExchange(code, key)
        confirmation = exchange.confirm(self.open(exchange, source))
        return exchange.read(self.enrolment.answer(confirmation, source))


@pytest.fixture
def store(tmp_path):
    one = HubStore(tmp_path / "hub", serving=True)
    yield one
    one.close()


@pytest.fixture
def key(tmp_path):
    return TableKey.open(tmp_path / "table.key")


@pytest.fixture
def door(store):
    return Door(store)


def test_a_code_lets_a_table_in_and_pins_both_keys(door, key):
    reported = door.redeem(door.code(), key)
    assert (reported["hub_key"], reported["ca"], reported["name"]) == (
        "ab" * 32,
        "CERTIFICATE",
        "Table 1",
    )
    enrolled = door.store.enrolled()["t1"]
    assert enrolled.keys == {key.public}
    assert door.admitted == [("t1", reported["password"])]
    assert reported["password"] not in enrolled.password


def test_nothing_that_is_sent_gives_the_credential_away(door, key):
    code = door.code()
    exchange = TableExchange(code, key)
    reply = door.open(exchange)
    confirmation = exchange.confirm(reply)
    answer = door.enrolment.answer(confirmation, "")
    reported = exchange.read(answer)
    sent = repr((exchange.opening, reply, confirmation, answer))
    assert code.password not in sent
    assert reported["password"] not in sent
    # Nor can another who knows the code, later, read what was sent: the keys were made for once.
    later = TableExchange(code, key)
    later.confirm(reply)
    with pytest.raises(WireError):
        later.read(answer)


def test_a_code_is_typed_as_people_type():
    code = EnrolCode("K7QM", "2D9FXW3T")
    assert str(code) == "K7QM-2D9F-XW3T"
    assert EnrolCode.parse(" k7qm 2d9f xw3t ") == code
    assert EnrolCode.parse("OIL1-2D9F-XW3T") == EnrolCode("0111", "2D9FXW3T")
    for wrong in ("", "K7QM-2D9F", "K7QM-2D9F-XW3U", "K7QM-2D9F-XW3T-1"):
        with pytest.raises(HubError, match="is no code"):
            EnrolCode.parse(wrong)


def test_a_code_is_good_once_for_two_who_began_at_once(door, key, tmp_path):
    code = door.code()
    both = [TableExchange(code, one) for one in (key, TableKey.open(tmp_path / "other.key"))]
    first, second = [one.confirm(door.open(one)) for one in both]
    door.enrolment.answer(first, "")
    with pytest.raises(WireError, match="wrong, used or out of date"):
        door.enrolment.answer(second, "")
    assert door.store.enrolled()["t1"].keys == {key.public}


@pytest.mark.parametrize(("begun_s", "later_s"), [(CODE_S - 1, 2), (0, EXCHANGE_S + 1)])
def test_a_code_and_an_exchange_run_out(door, key, begun_s, later_s):
    code = door.code()
    exchange = TableExchange(code, key)
    door.now_ns += int(begun_s * 1e9)
    confirmation = exchange.confirm(door.open(exchange))
    door.now_ns += int(later_s * 1e9)
    with pytest.raises(WireError):
        door.enrolment.answer(confirmation, "")
    door.now_ns += int(CODE_S * 1e9)
    with pytest.raises(WireError):
        door.open(TableExchange(code, key))
    assert door.store.enrolled() == {}


def test_a_code_stays_good_where_the_broker_is_away(door, key):
    def away(_table, _password):
        raise HubError("the broker cannot be reached")

    code, there = door.code(), door.admit
    door.admit = away
    with pytest.raises(HubError, match="cannot be reached"):
        door.redeem(code, key)
    door.admit = there
    assert door.redeem(code, key)["table"] == "t1"


def guess(door, key, code, n, source="192.0.2.9"):
    """Try the code's name with another password."""
    with pytest.raises(GuessError) as refused:
        door.redeem(EnrolCode(code.name, f"{n:08d}"), key, source)
    return refused.value


def test_who_guesses_too_often_is_not_listened_to_and_the_table_still_is(door, key):
    code = door.code()
    for n in range(GUESSES_BY_SOURCE):
        assert not guess(door, key, code, n, "192.0.2.66").too_often
    # Not even with the right password, or the next guess would be one more.
    with pytest.raises(GuessError, match="too often from your address") as refused:
        door.redeem(code, key, "192.0.2.66")
    assert (refused.value.too_often, refused.value.table_id) == (True, "t1")
    assert door.redeem(code, key)["table"] == "t1"
    assert door.redeem(door.code("t2"), key, "192.0.2.66")["table"] == "t2"  # a new code


def test_a_code_is_void_after_so_many_guesses_from_wherever(door, key):
    code = door.code()
    with door.store.write() as connection:
        connection.execute("UPDATE codes SET tries = ?", (GUESSES - 1,))
    guess(door, key, code, 1)
    door.restart()  # what is on the disk counts
    with pytest.raises(GuessError, match="guessed at too often"):
        door.redeem(code, key)
    assert door.store.enrolled() == {}


def test_guesses_at_once_are_each_counted(door, key):
    """However many come at the same moment, only so many are begun."""
    from concurrent.futures import ThreadPoolExecutor

    code = door.code()
    opening = TableExchange(EnrolCode(code.name, "00000000"), key).opening

    def attempt(_n):
        try:
            door.enrolment.answer(opening, "192.0.2.66")
        except GuessError as error:
            return error.too_often
        return False

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(attempt, range(24)))
    assert answers.count(False) == GUESSES_BY_SOURCE
    assert door.store.read("SELECT tries FROM codes") == [(GUESSES_BY_SOURCE,)]


def test_an_exchange_is_one_guess(door, key):
    """Whoever began one cannot try a second key on it, nor the right one after a wrong one."""
    exchange = TableExchange(door.code(), key)
    right = exchange.confirm(door.open(exchange))
    with pytest.raises(GuessError):
        door.enrolment.answer({**right, "confirmation": "0" * 64}, "")
    with pytest.raises(WireError, match="wrong, used"):
        door.enrolment.answer(right, "")


@pytest.mark.slow
def test_a_table_gets_in_while_others_guess(door, key, tmp_path):
    """Exchanges that are begun and left do not take the place of one that goes on."""
    code = door.code()
    exchange = TableExchange(code, key)
    confirmation = exchange.confirm(door.open(exchange))
    opening = TableExchange(EnrolCode(code.name, "00000000"), key).opening
    for n in range(300):
        door.enrolment.answer(opening, f"198.51.100.{n % 60 + 1}")
    assert exchange.read(door.enrolment.answer(confirmation, ""))["table"] == "t1"
    other = door.code("t2")  # what was begun for a used code is forgotten
    door.open(TableExchange(other, key))
    assert len(door.enrolment._begun) == 1


def test_junk_counts_for_nobody(door, key):
    code = door.code()
    opening = TableExchange(code, key).opening
    junk = [
        {},
        {"code": 1},
        {"code": "a" * 999},
        {"code": code.name},
        {"code": code.name, "key": None},
        {"exchange": None},
        {"exchange": "0" * 32, "confirmation": "0" * 64},
        {"exchange": "0" * 32, "confirmation": "0" * 64, "code": code.name},
        {**opening, "code": "\ud800AAA"},
        {**opening, "signature": "0" * 128},
        {**opening, "key": "0" * 64},  # a key that its sender does not hold
    ]
    for one in junk * 8:
        with pytest.raises(WireError):
            door.enrolment.answer(one, "192.0.2.9")
    assert door.redeem(code, key)["table"] == "t1"


def test_a_source_is_an_address_or_the_network_of_a_long_one():
    assert source_of_address("192.0.2.7") == "192.0.2.7"
    assert source_of_address("::ffff:192.0.2.7") == "192.0.2.7"
    assert source_of_address("2001:db8:1:2::7") == source_of_address("2001:db8:1:2:3:4:5:6")
    assert source_of_address("2001:db8:1:2::7") != source_of_address("2001:db8:1:3::7")
    assert source_of_address("fe80::1%eth0") == "fe80::/64"
    assert source_of_address("") == ""


def test_a_new_code_for_a_table_voids_the_one_before(door, key):
    first = door.code()
    exchange = TableExchange(first, key)
    begun = exchange.confirm(door.open(exchange))
    second = door.code()
    for attempt in (
        lambda: door.enrolment.answer(begun, ""),
        lambda: door.open(TableExchange(first, key)),
    ):
        with pytest.raises(WireError):
            attempt()
    assert door.redeem(second, key)["table"] == "t1"


def test_a_key_put_in_by_somebody_in_between_is_not_pinned(door, key, tmp_path):
    """They sign the table's element with a key of their own and pass everything else on."""
    from hub.wire.handshake import _signed

    code = door.code()
    exchange = TableExchange(code, key)
    evil = TableKey.open(tmp_path / "evil.key")
    element = exchange.opening["element"]
    opening = {
        **exchange.opening,
        "key": evil.public,
        "signature": evil.sign(_signed(code.name, evil.public, element)),
    }
    confirmation = exchange.confirm(door.enrolment.answer(opening, ""))
    with pytest.raises(GuessError):
        door.enrolment.answer(confirmation, "")
    assert door.store.enrolled() == {}


def test_who_plays_the_hub_without_the_password_is_not_believed(door, key):
    exchange = TableExchange(door.code(), key)
    evil = HubExchange("00000000", Opening(**exchange.opening))
    confirmation = exchange.confirm(evil.reply)
    # What the table has shown them is no use at the hub: it is of another key.
    real = door.open(exchange)
    with pytest.raises(GuessError):
        door.enrolment.answer({**confirmation, "exchange": real["exchange"]}, "")
    with pytest.raises(WireError, match="does not come from the hub"):
        exchange.read(evil.admission({"hub_key": "evil"}))


def test_an_answer_changed_by_somebody_in_between_is_not_taken(door, key):
    exchange = TableExchange(door.code(), key)
    confirmation = exchange.confirm(door.open(exchange))
    answer = door.enrolment.answer(confirmation, "")
    for name in ("confirmation", "sealed"):
        flipped = answer[name][:-1] + ("0" if answer[name][-1] != "0" else "1")
        with pytest.raises(WireError, match="does not come from the hub"):
            exchange.read({**answer, name: flipped})
    for junk in ({}, {**answer, "sealed": "0"}):
        with pytest.raises(WireError):
            exchange.read(junk)


def test_an_element_changed_by_somebody_in_between_ends_it(door, key):
    for element in ("41" + "00" * 32, "42" + "01" + "00" * 31, "42" + "ff" * 32, "zz"):
        exchange = TableExchange(door.code(), key)
        with pytest.raises(WireError):
            exchange.confirm({**door.open(exchange), "element": element})
    exchange = TableExchange(door.code(), key)
    other = TableExchange(EnrolCode("0000", "00000000"), key)
    reply = door.open(exchange)
    mixed = HubExchange("00000000", Opening(**other.opening)).reply
    confirmation = exchange.confirm({**reply, "element": mixed["element"]})
    with pytest.raises(GuessError):
        door.enrolment.answer(confirmation, "")


def test_a_table_enrolled_again_keeps_its_log_and_adds_its_new_key(door, key, tmp_path):
    door.redeem(door.code(), key)
    other = TableKey.open(tmp_path / "other.key")
    revoke_table(door.store, "t1", "lost")
    door.redeem(door.code(name="Uno"), other)
    enrolled = door.store.enrolled()["t1"]
    assert (enrolled.keys, enrolled.name, enrolled.revoked) == (
        {key.public, other.public},
        "Uno",
        None,
    )


def test_revoked_tables_are_disabled_in_the_plugins_file(door, key):
    door.redeem(door.code(), key)

    def disabled():
        clients = json.loads(plugin_file("hall", "x", door.store.enrolled().values()))["clients"]
        return {client["username"]: client["disabled"] for client in clients}

    assert disabled() == {"_hub": False, "_control": False, "_watcher": False, "t1": False}
    revoke_table(door.store, "t1", "stolen")
    assert disabled()["t1"]
    readmit_table(door.store, "t1")
    assert not disabled()["t1"]
    with pytest.raises(HubError, match="no table 'nobody' here; there are t1"):
        revoke_table(door.store, "nobody", "x")


def test_no_name_can_smuggle_anything_into_a_topic():
    for name in ("", "A", "a b", "a/b", "+", "#", "a\nuser root", "_hub", "-a", "a-", "a" * 41):
        with pytest.raises(HubError):
            checked_name(name, "table")
        with pytest.raises(HubError):
            Address("hall", name)
    assert parse_topic("tilewatch/hall/t1/events") == (Address("hall", "t1"), "events")
    for topic in ("", "tilewatch/hall/t1", "other/hall/t1/events", "tilewatch/hall/T/events"):
        with pytest.raises(HubError):
            parse_topic(topic)


def test_what_a_table_keeps_only_its_owner_can_read(tmp_path):
    member = Membership(
        venue="hall", table="t1", name="Table 1", host="192.0.2.7", port=8883, password="secret",
        hub_key="ab" * 32,
    )  # fmt: skip
    member.save(tmp_path, "CERTIFICATE")
    for name in (FILE, CA_FILE):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert Membership.load(tmp_path) == member
    assert "secret" not in repr(member)
    assert Membership.load(tmp_path / "nowhere") is None


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"venue": "A b"}', "\xff"])
def test_a_broken_membership_says_what_to_do(tmp_path, text):
    (tmp_path / FILE).write_text(text, "utf-8")
    with pytest.raises(HubError, match="enrol the table again"):
        Membership.load(tmp_path)


def test_the_command_beside_a_running_hub_is_heard(venue):
    table = venue.table("t1")
    assert until(lambda: venue.service.presence.state("t1") == "here")
    with HubStore(venue.folder / "hub") as beside:
        revoke_table(beside, "t1", "stolen")
    assert until(lambda: not table.tie.outbox.up)
    assert until(lambda: "refuses t1" in (table.tie.trouble or ""))
    with pytest.raises(TilewatchError, match="another tilewatch"):
        HubStore(venue.folder / "hub", serving=True)
