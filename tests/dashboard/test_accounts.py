"""Accounts, passwords, sessions and the slow-down, each by itself."""

from __future__ import annotations

import stat
from contextlib import closing
from pathlib import Path

import pytest

from dashboard.accounts import first_account
from dashboard.accounts.devices import LASTS_S, LINK_S, Devices
from dashboard.accounts.passwords import hashed, matches
from dashboard.accounts.sessions import IDLE_S, OLDEST_S, Sessions
from dashboard.accounts.store import Accounts
from dashboard.accounts.throttle import FORGET_S, Throttle
from dashboard.web_db import FILE, SECRET_FILE, WebDb, WebError, secret_of
from game.errors import TilewatchError
from tests.dashboard.accounts_fixtures import PASSWORD, add


@pytest.fixture
def db(tmp_path: Path):
    with closing(WebDb(tmp_path)) as opened:
        yield opened


class Time:
    def __init__(self) -> None:
        self.s = 1_000_000.0

    def __call__(self) -> float:
        return self.s


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


# --- files ---


def test_files_are_for_their_owner_alone(tmp_path):
    with closing(WebDb(tmp_path)) as db:
        add(db, "Ann")
        secret_of(tmp_path)
        files = [path for path in tmp_path.iterdir() if path.name.startswith("web.")]
        assert {path.name for path in files} >= {FILE, SECRET_FILE}
        assert {mode(path) for path in files} == {0o600}


def test_files_that_others_may_read_are_tightened(tmp_path):
    secret = secret_of(tmp_path)
    WebDb(tmp_path).close()
    for name in (FILE, SECRET_FILE):
        (tmp_path / name).chmod(0o644)
    WebDb(tmp_path).close()
    assert secret_of(tmp_path) == secret
    assert [mode(tmp_path / name) for name in (FILE, SECRET_FILE)] == [0o600, 0o600]


def test_a_secret_is_random_and_stays(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert secret_of(tmp_path / "a") != secret_of(tmp_path / "b")
    assert secret_of(tmp_path / "a") == secret_of(tmp_path / "a")


def test_a_broken_file_is_one_line(tmp_path):
    (tmp_path / FILE).write_bytes(b"no database, but as long as one has to be" * 50)
    with pytest.raises(WebError, match=r"web\.db: the accounts cannot be used"):
        WebDb(tmp_path)
    (tmp_path / SECRET_FILE).write_bytes(b"short")
    with pytest.raises(WebError, match=r"web\.secret: no secret of 32 bytes"):
        secret_of(tmp_path)


def test_a_change_that_fails_changes_nothing(db):
    add(db, "Ann")
    with pytest.raises(RuntimeError), db.change() as change:
        change.execute("DELETE FROM accounts")
        raise RuntimeError
    assert [account.name for account in Accounts(db).all()] == ["Ann"]


# --- accounts ---


def test_an_account_logs_in_with_its_password_alone(db):
    accounts = Accounts(db)
    ann = accounts.add("Ann", "director", PASSWORD)
    assert accounts.log_in("Ann", PASSWORD) == ann
    assert accounts.log_in("ann ", PASSWORD) == ann
    for name, password in (("Ann", ""), ("Ann", PASSWORD + " "), ("Bob", PASSWORD), ("", "")):
        assert accounts.log_in(name, password) is None


def test_no_password_is_kept(db, tmp_path):
    Accounts(db).add("Ann", "director", PASSWORD)
    db.close()
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert PASSWORD.encode() not in held
    assert b"$argon2id$" in held


@pytest.mark.parametrize(
    ("name", "password", "says"),
    [
        ("", PASSWORD, "cannot be an account's name"),
        ("a\nb", PASSWORD, "cannot be an account's name"),
        ("x" * 41, PASSWORD, "cannot be an account's name"),
        ("Ann", "short", "too short"),
        ("Ann", "x" * 201, "too long"),
        ("Ann", "aaaaaaaaaaaa", "easily guessed"),
        ("Annabel Lee", "annabel lee", "easily guessed"),
    ],
)
def test_what_cannot_be_an_account(db, name, password, says):
    with pytest.raises(TilewatchError, match=says):
        Accounts(db).add(name, "director", password)
    assert Accounts(db).all() == []


def test_one_name_is_one_account(db):
    add(db, "Ann")
    with pytest.raises(TilewatchError, match="already"):
        Accounts(db).add("ANN", "director", PASSWORD)
    with pytest.raises(TilewatchError, match="no role 'king'"):
        Accounts(db).add("Bob", "king", PASSWORD)  # type: ignore[arg-type]
    for change in (Accounts(db).remove, lambda name: Accounts(db).set_password(name, PASSWORD)):
        with pytest.raises(TilewatchError, match="no account 'Eve'"):
            change("Eve")


def test_the_same_letters_are_the_same_password():
    kept = hashed("cafe\u0301 at noon")
    assert matches(kept, "caf\u00e9 at noon")
    assert not matches(kept, "cafe at noon")
    assert not matches("nonsense", "cafe at noon")
    assert not matches(None, "cafe at noon")


# --- sessions ---


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def sessions(db, time) -> Sessions:
    return Sessions(db, Accounts(db), b"s" * 32, time)


def test_a_session_lasts_until_it_is_closed(db, sessions):
    opened = sessions.open(add(db, "Ann"))
    found = sessions.find(opened.token)
    assert found is not None
    assert found.account.name == "Ann"
    sessions.close(opened.token)
    assert sessions.find(opened.token) is None


def test_sessions_have_tokens_of_their_own_which_are_not_kept(db, sessions, tmp_path):
    ann = add(db, "Ann")
    tokens = {sessions.open(ann).token for _ in range(5)}
    assert len(tokens) == 5
    assert min(map(len, tokens)) >= 43
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not any(token.encode() in held for token in tokens)
    assert sessions.find("guessed") is None
    assert sessions.find(sessions._hash(next(iter(tokens)))) is None


def test_an_idle_session_ends(db, sessions, time):
    token = sessions.open(add(db, "Ann")).token
    for _ in range(3):
        time.s += IDLE_S - 1
        assert sessions.find(token) is not None
    time.s += IDLE_S + 1
    assert sessions.find(token) is None


def test_no_session_lives_for_ever(db, sessions, time):
    token = sessions.open(add(db, "Ann")).token
    start = time.s
    while time.s - start + IDLE_S - 1 <= OLDEST_S:
        time.s += IDLE_S - 1
        assert sessions.find(token) is not None
    time.s = start + OLDEST_S + 1
    assert sessions.find(token) is None


def test_a_session_ends_with_its_account_or_password(db, sessions):
    ann, bob = add(db, "Ann"), add(db, "Bob")
    of_ann, of_bob = sessions.open(ann).token, sessions.open(bob).token
    Accounts(db).remove("Ann")
    assert sessions.find(of_ann) is None
    Accounts(db).add("Ann", "director", "another password")
    assert sessions.find(of_ann) is None
    Accounts(db).set_password("Bob", "another password")
    assert sessions.find(of_bob) is None


def test_another_secret_knows_no_session(db, sessions):
    token = sessions.open(add(db, "Ann")).token
    assert Sessions(db, Accounts(db), b"t" * 32).find(token) is None


# --- slowing down ---


def attempts(throttle: Throttle, time: Time, account: str, address: str, seconds: float) -> int:
    """How many wrong passwords somebody gets looked at who tries ten times a second."""
    count, end = 0, time.s + seconds
    while time.s < end:
        count += throttle.begin(account, address) == 0
        time.s += 0.1
    return count


def test_guessing_gets_slower_and_slower(time):
    throttle = Throttle(time)
    assert attempts(throttle, time, "Ann", "10.0.0.9", 3600) <= 20


def test_guessing_at_many_accounts_from_one_address_is_slow(time):
    throttle = Throttle(time)
    count = 0
    for place in range(3000):
        count += throttle.begin(f"name {place}", "10.0.0.9") == 0
        time.s += 0.1
    assert count <= 25


def test_guessing_from_many_addresses_is_slow(time):
    throttle = Throttle(time)
    count = 0
    for place in range(3000):
        count += throttle.begin("Ann", f"10.0.{place // 250}.{place % 250}") == 0
        time.s += 0.1
    assert count <= 820
    count, end = 0, time.s + 24 * 3600
    while time.s < end:  # and so for a day
        place += 1
        count += (
            throttle.begin("Ann", f"10.{place // 250 % 256}.{place // 64000}.{place % 250}") == 0
        )
        time.s += 1.0
    assert count <= 20_000


def test_attempts_at_the_same_moment_are_slowed_too(time):
    throttle = Throttle(time)
    assert [throttle.begin("Ann", "10.0.0.9") == 0 for _ in range(50)].count(True) == 3


def test_the_right_password_is_let_in_and_forgets(time):
    throttle = Throttle(time)
    for _ in range(100):
        assert throttle.begin("Ann", "10.0.0.2") == 0
        throttle.passed("Ann", "10.0.0.2")


def test_a_director_elsewhere_is_not_kept_out_by_guesses(time):
    throttle = Throttle(time)
    attempts(throttle, time, "Ann", "10.0.0.9", 3600)
    assert throttle.begin("Ann", "10.0.0.2") == 0


def hammered(throttle: Throttle, time: Time, addresses: int, seconds: float) -> int:
    """How many of an account's right log-ins wait, once every 1.5 s, while others guess at it.

    They come from an address of their own, without a device that is known.
    """
    refused, step = 0, 0
    while step * 0.025 < seconds:
        throttle.begin("Ann", f"10.1.{step % addresses // 250}.{step % addresses % 250}")
        if step % 60 == 0:
            if throttle.begin("Ann", "192.0.2.7") == 0:
                throttle.passed("Ann", "192.0.2.7")
            else:
                refused += 1
        step += 1
        time.s += 0.025
    return refused


@pytest.mark.parametrize("addresses", [2, 50, 240])
def test_guessing_from_many_addresses_keeps_no_newcomer_out(time, addresses):
    assert hammered(Throttle(time), time, addresses, 600) == 0


def test_a_device_that_is_known_never_waits_for_strangers(time):
    throttle = Throttle(time)
    for place in range(5000):
        throttle.begin("Ann", f"10.{place // 250}.0.{place % 250}")
        throttle.begin("Ann", "192.0.2.7")  # even from the director's own address
    assert throttle.begin("Ann", "192.0.2.8") > 0
    assert throttle.begin("Ann", "192.0.2.7") > 0
    for _ in range(20):
        assert throttle.begin("Ann", "192.0.2.7", "phone") == 0
        throttle.passed("Ann", "192.0.2.7", "phone")


@pytest.mark.parametrize("address", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
def test_whoever_sits_at_the_machine_never_waits_for_strangers(time, address):
    throttle = Throttle(time)
    for place in range(5000):
        throttle.begin("Ann", f"127.0.{place // 250}.{2 + place % 250}")
    for _ in range(20):
        assert throttle.begin("Ann", address) == 0
        throttle.passed("Ann", address)


@pytest.mark.parametrize(("address", "device"), [("10.0.0.9", "phone"), ("127.0.0.1", None)])
def test_those_who_are_no_strangers_may_not_guess_either(time, address, device):
    throttle, count, end = Throttle(time), 0, time.s + 3600
    while time.s < end:
        count += throttle.begin("Ann", address, device) == 0
        time.s += 0.1
    assert count <= 130


def test_one_customers_ipv6_addresses_are_one(time):
    throttle = Throttle(time)
    looked_at = sum(throttle.begin("Ann", f"2001:db8::{n:x}") == 0 for n in range(100))
    assert looked_at == 3
    assert throttle.begin("Ann", "2001:db8:0:1::1") == 0


def test_a_device_is_known_to_its_own_account_alone(time):
    devices = Devices(b"s" * 32, time)
    value = devices.issue("Ann")
    device = devices.known("ann ", value)
    assert device
    assert devices.known("Bob", value) is None
    assert Devices(b"t" * 32, time).known("Ann", value) is None
    changed = value.replace(device, "0" * 16)
    for forged in (
        "",
        "x",
        f"{device}.",
        f"{device}.1.",
        changed,
        value + "0",
        value[:-1],
        "a.b.ü",
    ):
        assert devices.known("Ann", forged) is None
    assert devices.cookie("Ann") == devices.cookie(" ANN") != devices.cookie("Bob")
    time.s += LASTS_S + 1
    assert devices.known("Ann", value) is None


def test_the_code_of_a_link_is_for_one_account_and_for_an_hour(time):
    devices = Devices(b"s" * 32, time)
    code = devices.link_code("Ann")
    assert devices.is_link_code(" ann", code)
    assert not devices.is_link_code("Bob", code)
    assert not devices.is_link_code("Ann", devices.issue("Ann"))
    assert devices.known("Ann", code) is None
    assert not Devices(b"t" * 32, time).is_link_code("Ann", code)
    time.s += LINK_S + 1
    assert not devices.is_link_code("Ann", code)


def test_failures_are_forgotten(time):
    throttle = Throttle(time)
    attempts(throttle, time, "Ann", "10.0.0.9", 600)
    time.s += FORGET_S + 1
    assert [throttle.begin("Ann", "10.0.0.9") for _ in range(3)] == [0, 0, 0]


def test_what_is_remembered_is_bounded(time):
    throttle = Throttle(time)
    for place in range(20_000):
        throttle.begin("Ann" if place % 2 else str(place), f"10.{place % 256}.{place // 256}.1")
        time.s += 40
    assert len(throttle._failures) <= 10_003


# --- the first account ---


def test_a_demo_has_an_account_with_a_password_of_its_own(tmp_path):
    lines = []
    for name in ("a", "b"):
        lines.append(first_account.invitation(tmp_path / name, demo=True))
        assert first_account.invitation(tmp_path / name, demo=True) == ""
        password = lines[-1].rsplit(" ", 1)[1]
        with closing(WebDb(tmp_path / name)) as db:
            account = Accounts(db).log_in("director", password)
        assert account is not None
        assert account.role == "director"
    assert lines[0] != lines[1]


def test_a_table_says_how_to_make_one(tmp_path):
    assert "tilewatch accounts add NAME --data" in first_account.invitation(tmp_path)
    with closing(WebDb(tmp_path)) as db:
        assert Accounts(db).all() == []
        add(db, "Ann")
    assert first_account.invitation(tmp_path) == ""
