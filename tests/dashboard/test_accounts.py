"""Accounts, passwords and sessions, each by itself."""

from __future__ import annotations

import stat
from contextlib import closing
from pathlib import Path

import pytest

from dashboard.accounts import first_account
from dashboard.accounts.passwords import hashed, matches
from dashboard.accounts.sessions import IDLE_S, OLDEST_S, Sessions
from dashboard.accounts.store import Accounts
from dashboard.web_db import FILE, SECRET_FILE, WebDb, WebError, secret_of
from game.errors import TilewatchError
from tests.dashboard.accounts_fixtures import PASSWORD, Time, add


@pytest.fixture
def db(tmp_path: Path):
    with closing(WebDb(tmp_path)) as opened:
        yield opened


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
