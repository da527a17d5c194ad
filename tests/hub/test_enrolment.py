"""A table is let in by a short code, over a network that anybody may read and change."""

from __future__ import annotations

import stat

import pytest

from game.errors import TilewatchError
from hub.broker.access import HUB_USER, access_list, hash_password, password_file
from hub.enrolment import codes, handshake
from hub.enrolment.codes import (
    CODE_S,
    GUESSES,
    GUESSES_BY_SOURCE,
    Guesses,
    HubDetails,
    new_code,
    readmit,
    revoke,
    source_of_address,
)
from hub.enrolment.handshake import EnrolCode, EnrolRequest
from hub.errors import GuessError, HubError, WireError
from hub.store import Enrolled, HubStore
from hub.table_side.connector import CA_FILE, FILE, Membership
from hub.wire.topics import Address, checked_name
from record.signing import TableKey

TOLD = HubDetails("hall", "192.0.2.7", 8883, "CERTIFICATE", "ab" * 32)


def redeem(store, told, message, *, source="192.0.2.9", guesses=None, **more):
    """An attempt from an address, by default with nothing remembered of earlier ones."""
    guesses = Guesses() if guesses is None else guesses
    return codes.redeem(store, told, message, guesses=guesses, source=source, **more)


@pytest.fixture
def store(tmp_path):
    one = HubStore(tmp_path / "hub", serving=True)
    yield one
    one.close()


@pytest.fixture
def key(tmp_path):
    return TableKey.open(tmp_path / "table.key")


def test_a_code_lets_a_table_in_and_pins_both_keys(store, key):
    code = new_code(store, "t1", "Table 1")
    asking = EnrolRequest(EnrolCode.parse(str(code)), key)
    table, answer = redeem(store, TOLD, asking.message)
    told = asking.read(answer)
    assert table == "t1"
    assert (told["hub_key"], told["ca"], told["name"]) == ("ab" * 32, "CERTIFICATE", "Table 1")
    enrolled = store.enrolled()["t1"]
    assert enrolled.keys == {key.public}
    assert enrolled.password is not None
    assert told["password"] not in enrolled.password


def test_nothing_that_is_sent_gives_the_credential_away(store, key):
    code = new_code(store, "t1", "Table 1")
    asking = EnrolRequest(code, key)
    _, answer = redeem(store, TOLD, asking.message)
    told = asking.read(answer)
    sent = repr(asking.message) + repr(answer)
    assert code.secret not in sent
    assert told["password"] not in sent
    # Nor can another who knows the code, later, read what was sent: the keys were made for once.
    with pytest.raises(WireError):
        EnrolRequest(code, key).read(answer)


def test_a_code_is_typed_as_people_type():
    code = EnrolCode("K7QM", "2D9FXW3T")
    assert str(code) == "K7QM-2D9F-XW3T"
    assert EnrolCode.parse(" k7qm 2d9f xw3t ") == code
    assert EnrolCode.parse("OIL1-2D9F-XW3T") == EnrolCode("0111", "2D9FXW3T")
    for wrong in ("", "K7QM-2D9F", "K7QM-2D9F-XW3U", "K7QM-2D9F-XW3T-1"):
        with pytest.raises(HubError, match="is no code"):
            EnrolCode.parse(wrong)


def test_a_code_is_good_once(store, key):
    code = new_code(store, "t1", "Table 1")
    redeem(store, TOLD, EnrolRequest(code, key).message)
    with pytest.raises(WireError, match="wrong, used or out of date"):
        redeem(store, TOLD, EnrolRequest(code, key).message)


def test_a_code_runs_out(store, key):
    code = new_code(store, "t1", "Table 1", wall_ns=lambda: 0)
    late = int((CODE_S + 1) * 1e9)
    with pytest.raises(WireError):
        redeem(store, TOLD, EnrolRequest(code, key).message, wall_ns=lambda: late)


def guess(store, key, code, n, **where):
    """Try the code's name with another secret."""
    wrong = EnrolCode(code.name, f"{n:08d}")
    with pytest.raises(GuessError) as refused:
        redeem(store, TOLD, EnrolRequest(wrong, key).message, **where)
    return refused.value


def test_who_guesses_too_often_is_not_listened_to_and_the_table_still_is(store, key):
    code, guesses = new_code(store, "t1", "Table 1"), Guesses()
    for n in range(GUESSES_BY_SOURCE):
        assert not guess(store, key, code, n, guesses=guesses, source="192.0.2.66").too_often
    # Not even with the right secret, or the next guess would be one more.
    with pytest.raises(GuessError, match="too often from your address") as refused:
        redeem(store, TOLD, EnrolRequest(code, key).message, guesses=guesses, source="192.0.2.66")
    assert (refused.value.too_often, refused.value.table_id) == (True, "t1")
    assert redeem(store, TOLD, EnrolRequest(code, key).message, guesses=guesses)[0] == "t1"


def test_a_new_code_is_listened_to_from_everywhere(store, key):
    guesses = Guesses()
    code = new_code(store, "t1", "Table 1")
    for n in range(GUESSES_BY_SOURCE):
        guess(store, key, code, n, guesses=guesses)
    code = new_code(store, "t1", "Table 1")
    assert redeem(store, TOLD, EnrolRequest(code, key).message, guesses=guesses)[0] == "t1"


def test_a_code_is_void_after_so_many_guesses_from_wherever(store, key):
    code = new_code(store, "t1", "Table 1")
    with store.write() as connection:
        connection.execute("UPDATE codes SET tries = ?", (GUESSES - 1,))
    guess(store, key, code, 1)
    with pytest.raises(GuessError, match="guessed at too often"):
        redeem(store, TOLD, EnrolRequest(code, key).message)
    assert store.enrolled() == {}


def test_guesses_at_once_are_each_counted(store, key):
    """However many come at the same moment, only so many are looked at."""
    from concurrent.futures import ThreadPoolExecutor

    code, guesses = new_code(store, "t1", "Table 1"), Guesses()
    message = EnrolRequest(EnrolCode(code.name, "00000000"), key).message

    def attempt(_n):
        with pytest.raises(GuessError) as refused:
            redeem(store, TOLD, message, guesses=guesses)
        return refused.value.too_often

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(attempt, range(24)))
    assert answers.count(False) == GUESSES_BY_SOURCE
    assert store.read("SELECT tries FROM codes") == [(GUESSES_BY_SOURCE,)]


def test_junk_counts_for_nobody(store, key):
    code, guesses = new_code(store, "t1", "Table 1"), Guesses()
    asking = EnrolRequest(code, key)
    for junk in ({}, {"code": code.name}, {**asking.message, "signature": "0" * 128}) * 20:
        with pytest.raises(WireError):
            redeem(store, TOLD, junk, guesses=guesses)
    assert redeem(store, TOLD, asking.message, guesses=guesses)[0] == "t1"


def test_a_source_is_an_address_or_the_network_of_a_long_one():
    assert source_of_address("192.0.2.7") == "192.0.2.7"
    assert source_of_address("::ffff:192.0.2.7") == "192.0.2.7"
    assert source_of_address("2001:db8:1:2::7") == source_of_address("2001:db8:1:2:3:4:5:6")
    assert source_of_address("2001:db8:1:2::7") != source_of_address("2001:db8:1:3::7")
    assert source_of_address("fe80::1%eth0") == "fe80::/64"
    assert source_of_address("") == ""


def test_a_new_code_for_a_table_voids_the_one_before(store, key):
    first, second = new_code(store, "t1", "One"), new_code(store, "t1", "One")
    with pytest.raises(WireError):
        redeem(store, TOLD, EnrolRequest(first, key).message)
    assert redeem(store, TOLD, EnrolRequest(second, key).message)[0] == "t1"


def test_whoever_asks_must_hold_the_key_that_is_pinned(store, key, tmp_path):
    code = new_code(store, "t1", "Table 1")
    other = TableKey.open(tmp_path / "other.key")
    message = {**EnrolRequest(code, key).message, "key": other.public}
    with pytest.raises(WireError, match="does not hold the key"):
        redeem(store, TOLD, message)


def test_an_answer_by_somebody_in_between_is_not_taken(store, key):
    code = new_code(store, "t1", "Table 1")
    asking = EnrolRequest(code, key)
    k = EnrolCode(code.name, "00000000").key()  # a wrong guess
    assert handshake.answer(k, asking.message, {"hub_key": "evil"}) is None
    _, answer = redeem(store, TOLD, asking.message)
    for name in ("x25519", "sealed"):
        flipped = answer[name][:-1] + ("0" if answer[name][-1] != "0" else "1")
        with pytest.raises(WireError):
            asking.read({**answer, name: flipped})
    with pytest.raises(WireError):
        asking.read({})


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"code": 1},
        {"code": "a" * 999},
        {"code": "x", "key": None},
        {**dict.fromkeys(("key", "x25519", "proof"), "0" * 64), "code": "\ud800AAA"},
    ],
)
def test_what_no_table_sends_is_refused(store, message):
    with pytest.raises(WireError):
        redeem(store, TOLD, message)


def test_a_table_enrolled_again_keeps_its_log_and_adds_its_new_key(store, key, tmp_path):
    redeem(store, TOLD, EnrolRequest(new_code(store, "t1", "One"), key).message)
    other = TableKey.open(tmp_path / "other.key")
    revoke(store, "t1", "lost")
    redeem(store, TOLD, EnrolRequest(new_code(store, "t1", "Uno"), other).message)
    enrolled = store.enrolled()["t1"]
    assert (enrolled.keys, enrolled.name, enrolled.revoked) == (
        {key.public, other.public},
        "Uno",
        None,
    )


def test_revoked_tables_are_not_in_the_brokers_file(store, key):
    redeem(store, TOLD, EnrolRequest(new_code(store, "t1", "One"), key).message)
    assert "t1:$7$" in password_file(store.enrolled().values(), [])
    revoke(store, "t1", "stolen")
    assert (
        password_file(store.enrolled().values(), [(HUB_USER, hash_password("x"))]).count("\n") == 1
    )
    readmit(store, "t1")
    assert "t1:$7$" in password_file(store.enrolled().values(), [])
    with pytest.raises(HubError, match="no table 'nobody' here; there are t1"):
        revoke(store, "nobody", "x")


def test_no_name_can_smuggle_anything_into_the_brokers_files():
    for name in ("", "A", "a b", "a/b", "+", "#", "a\nuser root", "_hub", "-a", "a-", "a" * 41):
        with pytest.raises(HubError):
            checked_name(name, "table")
        with pytest.raises(HubError):
            Address("hall", name)
    evil = Enrolled("t1", "x", frozenset(), "$7$101$a$b\n_hub:$7$1$c$d", None)
    with pytest.raises(HubError):
        password_file([evil], [])
    assert "pattern write tilewatch/hall/%u/events" in access_list("hall")


def test_what_a_table_keeps_only_its_owner_can_read(tmp_path):
    member = Membership("hall", "t1", "Table 1", "192.0.2.7", 8883, "secret", "ab" * 32)
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


def test_an_enrolled_table_is_in_touch_and_one_kept_out_is_not(venue):
    from tests.hub.hubkit import until

    table = venue.table("t1")
    assert until(lambda: venue.service.presence.state("t1") == "here")
    revoke(venue.service.store, "t1", "stolen")  # as the command does, beside the hub
    venue.service.admit()
    assert until(lambda: not table.tie.outbox._link.up)
    assert until(lambda: "refuses t1" in (table.tie.trouble or ""))


def test_the_command_beside_a_running_hub_is_heard(venue):
    from contextlib import closing

    from tests.hub.hubkit import until

    table = venue.table("t1")
    assert until(lambda: venue.service.presence.state("t1") == "here")
    with closing(HubStore(venue.folder / "hub")) as beside:
        revoke(beside, "t1", "stolen")
    assert until(lambda: not table.tie.outbox._link.up)
    with pytest.raises(TilewatchError, match="another tilewatch"):
        HubStore(venue.folder / "hub", serving=True)
