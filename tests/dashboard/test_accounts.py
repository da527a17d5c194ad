"""Accounts, passwords, sessions and tokens, changed while a table serves; guesses are slow."""

from __future__ import annotations

import re
import stat
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

import pytest

from dashboard.accounts import store
from dashboard.accounts.sessions import IDLE_S, LASTS_S, LINK_S, OLDEST_S, Devices, Sessions
from dashboard.accounts.store import Accounts, hashed, matches
from dashboard.accounts.throttle import FORGET_S, Throttle
from dashboard.tokens import Tokens
from dashboard.web_db import FILE, SECRET_FILE, WebDb, WebError, secret_of
from game.errors import TilewatchError
from tests.dashboard.accounts_fixtures import PASSWORD, SLOW, Time, add
from tests.dashboard.connectionkit import ask
from tests.machine import PATIENCE_S, until


@pytest.fixture
def db(tmp_path: Path):
    with closing(WebDb(tmp_path)) as opened:
        yield opened


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_files_are_for_their_owner_alone_and_a_secret_stays(tmp_path):
    with closing(WebDb(tmp_path)) as db:
        add(db, "Ann")
        secret = secret_of(tmp_path)
        files = [path for path in tmp_path.iterdir() if path.name.startswith("web.")]
        assert {path.name for path in files} >= {FILE, SECRET_FILE}
        assert {mode(path) for path in files} == {0o600}
    for name in (FILE, SECRET_FILE):
        (tmp_path / name).chmod(0o644)
    WebDb(tmp_path).close()
    assert secret_of(tmp_path) == secret
    assert [mode(tmp_path / name) for name in (FILE, SECRET_FILE)] == [0o600, 0o600]
    (tmp_path / SECRET_FILE).unlink()
    assert secret_of(tmp_path) != secret


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


def test_an_account_logs_in_with_its_password_alone_which_is_not_kept(db, tmp_path):
    accounts = Accounts(db)
    ann = accounts.add("Ann", "director", PASSWORD)
    assert accounts.log_in("ann ", PASSWORD) == ann
    for name, password in (("Ann", PASSWORD + " "), ("Bob", PASSWORD), ("", "")):
        assert accounts.log_in(name, password) is None
    assert not SLOW.check_needs_rehash(store._NOBODY)  # a name that nobody has takes as long
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
    for hash_of_it in (kept, "nonsense", None):
        assert not matches(hash_of_it, "cafe at noon")


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def sessions(db, time) -> Sessions:
    return Sessions(db, Accounts(db), b"s" * 32, time)


def test_a_session_has_a_token_of_its_own_which_is_not_kept_until_it_is_closed(
    db, sessions, tmp_path
):
    ann = add(db, "Ann")
    tokens = {sessions.open(ann).token for _ in range(5)}
    assert len(tokens) == 5
    assert min(map(len, tokens)) >= 43
    held = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for token in tokens:
        assert token.encode() not in held
        assert sessions.find(token).account.name == "Ann"
        assert Sessions(db, Accounts(db), b"t" * 32).find(token) is None  # another secret
        sessions.close(token)
        assert sessions.find(token) is None
    assert sessions.find("guessed") is None


def test_an_idle_session_ends_and_none_lives_for_ever(db, sessions, time):
    ann, start = add(db, "Ann"), time.s
    token, idle = sessions.open(ann).token, sessions.open(ann).token
    while time.s - start + IDLE_S - 1 <= OLDEST_S:
        time.s += IDLE_S - 1
        assert sessions.find(token) is not None
    assert sessions.find(idle) is None
    time.s = start + OLDEST_S + 1
    assert sessions.find(token) is None


def test_a_session_ends_with_its_account_or_password(db, sessions):
    ann, bob = add(db, "Ann"), add(db, "Bob")
    of_ann, of_bob = sessions.open(ann).token, sessions.open(bob).token
    Accounts(db).remove("Ann")
    assert sessions.find(of_ann) is None
    add(db, "Ann")
    assert sessions.find(of_ann) is None
    Accounts(db).set_password("Bob", "another password")
    assert sessions.find(of_bob) is None


def test_a_demo_has_an_account_with_a_password_of_its_own(tmp_path):
    lines = []
    for name in ("a", "b"):
        lines.append(store.invitation(tmp_path / name, demo=True))
        assert store.invitation(tmp_path / name, demo=True) == ""
        password = lines[-1].rsplit(" ", 1)[1]
        with closing(WebDb(tmp_path / name)) as db:
            account = Accounts(db).log_in("director", password)
        assert account is not None
        assert account.role == "director"
    assert lines[0] != lines[1]


def test_a_table_says_how_to_make_one(tmp_path):
    assert "tilewatch accounts add NAME --data" in store.invitation(tmp_path)
    with closing(WebDb(tmp_path)) as db:
        assert Accounts(db).all() == []
        add(db, "Ann")
    assert store.invitation(tmp_path) == ""


def spread(place: int) -> str:
    """One of very many addresses."""
    return f"10.{place // 250 % 256}.{place // 64000}.{place % 250}"


GUESSES = {
    "at an account from one address": (lambda _: ("Ann", "10.0.0.9"), 18_000, 0.1, 20),
    "at many accounts from one": (lambda n: (f"name {n}", "10.0.0.9"), 1500, 0.1, 25),
    "from many addresses": (lambda n: ("Ann", spread(n)), 3000, 0.1, 820),
    "so for a quarter of a day": (lambda n: ("Ann", spread(n)), 6 * 3600, 1.0, 5_100),
    "from a customer's IPv6 addresses": (lambda n: ("Ann", f"2001:db8::{n:x}"), 100, 0.0, 3),
    # Those who are no strangers may not guess either.
    "from a known device": (lambda _: ("Ann", "10.0.0.9", "phone"), 18_000, 0.1, 130),
    "at the machine": (lambda _: ("Ann", "127.0.0.1"), 18_000, 0.1, 130),
}
"""Who guesses, how often, every so many seconds, and how many of them are looked at at most."""


@pytest.mark.parametrize("how", GUESSES)
def test_guessing_is_slow(time, how):
    who, count, every_s, most = GUESSES[how]
    throttle, looked_at = Throttle(time), 0
    for number in range(count):
        looked_at += throttle.begin(*who(number)) == 0
        time.s += every_s
    assert looked_at <= most, looked_at
    if every_s:
        time.s += FORGET_S + 1  # what failed is forgotten
        assert [throttle.begin(*who(0)) for _ in range(3)] == [0, 0, 0]
    assert throttle.begin("Ann", "2001:db8:0:1::1") == 0


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


@pytest.mark.parametrize("addresses", [2, 240])
def test_guessing_from_many_addresses_keeps_no_newcomer_out(time, addresses):
    assert hammered(Throttle(time), time, addresses, 300) == 0


def test_a_device_that_is_known_never_waits_for_strangers(time):
    throttle = Throttle(time)
    for place in range(2000):
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
    for place in range(2000):
        throttle.begin("Ann", f"127.0.{place // 250}.{2 + place % 250}")
    for _ in range(20):
        assert throttle.begin("Ann", address) == 0
        throttle.passed("Ann", address)


def test_a_device_is_known_to_its_own_account_alone(time):
    devices = Devices(b"s" * 32, time)
    value = devices.issue("Ann")
    device = devices.known("ann ", value)
    assert device
    assert devices.known("Bob", value) is None
    assert Devices(b"t" * 32, time).known("Ann", value) is None
    changed = value.replace(device, "0" * 16)
    for forged in ("", "x", f"{device}.", f"{device}.1.", changed, value + "0", value[:-1], "a.ü"):
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


def test_what_is_remembered_is_bounded(time):
    throttle = Throttle(time)
    for place in range(12_000):
        throttle.begin("Ann" if place % 2 else str(place), f"10.{place % 256}.{place // 256}.1")
    assert len(throttle._failures) <= 10_003


@pytest.fixture
def kept(db: WebDb) -> Tokens:
    return Tokens(db)


def test_a_token_is_shown_once_and_kept_as_its_hash_alone(kept, db, tmp_path):
    token, text = kept.make("OBS in the hall", "overlay", by="Ann")
    assert kept.check(text) is not None
    assert (token.name, token.scope, token.made_by) == ("OBS in the hall", "overlay", "Ann")
    secret = text.split("_", 2)[2].encode()
    assert len(secret) >= 43  # 256 bits
    folder = tmp_path
    for file in folder.iterdir():
        assert secret not in file.read_bytes(), file
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
    assert FILE in {file.name for file in folder.iterdir()}


def test_no_other_text_is_a_token(kept):
    _, text = kept.make("one", "overlay", by="Ann")
    _, another = kept.make("two", "overlay", by="Ann")
    mixed = "_".join([*text.split("_", 2)[:2], another.split("_", 2)[2]])
    for wrong in ("", "tw", "tw__", text[:-1], text + "a", text.upper(), mixed, "tw_ä_ö", "☃" * 99):
        assert kept.check(wrong) is None, wrong


def test_withdrawing_ends_a_token(kept):
    token, text = kept.make("one", "public", by="Ann")
    other, _ = kept.make("two", "public", by="Ann")
    assert kept.withdraw(token.id) is True
    assert kept.withdraw(token.id) is False
    assert kept.check(text) is None
    assert [one.id for one in kept.all()] == [other.id]
    assert (kept.valid(token.id), kept.valid(other.id)) == (False, True)


def test_the_last_use_is_written_down_to_the_hour(db):
    now = [1_000_000.0]
    kept = Tokens(db, now=lambda: now[0])
    _, text = kept.make("one", "overlay", by="Ann")
    assert kept.all()[0].used_s is None
    uses = []
    for step in (0, 10, 3599, 3600):
        now[0] = 1_000_000.0 + step
        kept.check(text)
        uses.append(kept.all()[0].used_s)
    assert uses == [1_000_000, 1_000_000, 1_000_000, 1_003_600]


# --- while a real table serves its pages ---

TILEWATCH = """
import os
import sys

def watch(event, args):
    # What SQLite opens itself raises no "open" event; everything else that opens a file does.
    if event == "open" and str(args[0]).endswith((".db", ".db-wal", ".db-shm")):
        os.write(2, f"OPENED {args[0]}\\n".encode())

sys.addaudithook(watch)
from table.cli import main
sys.exit(main())
"""
"""tilewatch, which tells of every database file that Python opens past SQLite.

Closing such a file drops every POSIX lock that the process holds on it, SQLite's included.
"""


class Browser:
    """Somebody with cookies who fills in the log-in form."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.cookies: dict[str, str] = {}

    def ask(self, path: str, method: str = "GET", form: str | None = None) -> tuple[int, str]:
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Content-Type": "application/x-www-form-urlencoded",
        }
        status, reported, page = ask(self.port, path, method, form, **headers)
        for one in reported.get_all("Set-Cookie", []):
            name, _, value = one.partition(";")[0].partition("=")
            self.cookies[name] = value
        return status, page.decode()

    def log_in(self, name: str) -> int:
        token = re.search(r'name="csrf_token" value="([0-9a-f]{64})"', self.ask("/login")[1])
        form = {"name": name, "password": PASSWORD, "csrf_token": token[1]}
        return self.ask("/login", "POST", urlencode(form))[0]


def accounts(data: Path, *argv: str, typed: str = "") -> None:
    """Run ``tilewatch accounts`` as a process of its own."""
    command = [sys.executable, "-m", "table.cli", "accounts", *argv, "--data", str(data)]
    done = subprocess.run(command, input=typed, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
def test_the_command_line_reaches_a_running_table_every_time(tmp_path: Path) -> None:
    data, config, printed = (tmp_path / name for name in ("data", "table.toml", "printed"))
    config.write_text('camera = "simulated"\n[serve]\nport = 0\n', "utf-8")
    argv = [sys.executable, "-c", TILEWATCH, "run", "--config", str(config), "--data", str(data)]
    with printed.open("w") as out:
        table = subprocess.Popen(argv, stdout=out, stderr=subprocess.STDOUT)
    try:
        until(lambda: "tilewatch accounts add NAME" in printed.read_text())
        port = int(re.search(r"open http://\S+?:(\d+)\S* in a browser", printed.read_text())[1])
        for number in range(2):
            name = f"Ann {number}"
            accounts(data, "add", name, "--password-stdin", typed=PASSWORD + "\n")
            browser = Browser(port)
            assert browser.log_in(name) == 303, f"account {number} cannot log in"
            assert browser.ask("/director")[0] == 200
            accounts(data, "remove", name)
            assert browser.ask("/director")[0] == 302, "the session of a removed account goes on"
            assert Browser(port).log_in(name) == 403, "a removed account can log in"
        links = (Path("/proc") / str(table.pid) / "fd").iterdir()
        opened = [str(link.readlink()) for link in links if link.is_symlink()]
        assert not [name for name in opened if ".db" in name and name.endswith("(deleted)")]
    finally:
        table.terminate()
        table.wait(PATIENCE_S)
    assert "OPENED" not in printed.read_text()
