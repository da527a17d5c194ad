"""``tilewatch accounts``, as it is typed."""

from __future__ import annotations

import getpass
import io
import stat
import sys
from contextlib import closing
from urllib.parse import parse_qs, urlsplit

import pytest

from dashboard.accounts.sessions import Devices
from dashboard.accounts.store import Accounts
from dashboard.web_db import WebDb, secret_of
from table.cli import main

PASSWORD = "seven tiles left"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def accounts(tmp_path, monkeypatch, capsys):
    """Run the command with what is typed; its status, output and complaint."""

    def run(*argv: str, typed: str | bytes | None = None, asked: tuple[str, ...] = ()):
        answers = iter(asked)
        if asked:
            monkeypatch.setattr(sys, "stdin", Terminal())
            monkeypatch.setattr(getpass, "getpass", lambda _: next(answers))
        else:
            typed = typed or ""
            data = typed if isinstance(typed, bytes) else typed.encode()
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), "ascii"))
        status = main(["accounts", *argv, "--data", str(tmp_path)])
        output = capsys.readouterr()
        return status, output.out, output.err

    return run


def logs_in(tmp_path, name: str, password: str) -> bool:
    with closing(WebDb(tmp_path)) as db:
        return Accounts(db).log_in(name, password) is not None


def test_an_account_is_made_changed_and_removed(accounts, tmp_path):
    status, out, err = accounts("list")
    assert (status, out) == (0, "")
    assert "nobody may log in yet" in err
    assert accounts("add", "Ann", asked=(PASSWORD, PASSWORD))[0] == 0
    assert accounts("add", "Otto", "--role", "observer", "--password-stdin", typed=PASSWORD + "\n")[
        :2
    ] == (0, "Otto may log in as observer\n")
    assert accounts("list")[1] == "Ann   director\nOtto  observer\n"
    assert stat.S_IMODE((tmp_path / "web.db").stat().st_mode) == 0o600
    assert logs_in(tmp_path, "Ann", PASSWORD)
    assert accounts("password", "Ann", "--password-stdin", typed="seven other tiles\n")[0] == 0
    assert not logs_in(tmp_path, "Ann", PASSWORD)
    assert logs_in(tmp_path, "Ann", "seven other tiles")
    assert accounts("remove", "Ann")[0] == 0
    assert accounts("list")[1] == "Otto  observer\n"


@pytest.mark.parametrize(
    ("argv", "given", "says"),
    [
        (("add",), {}, "give a NAME"),
        (("list", "Ann"), {}, "takes no NAME"),
        (("remove", "Ann"), {}, "no account 'Ann'"),
        (("password", "Ann"), {}, "no account 'Ann'"),
        (("add", "Ann"), {"asked": (PASSWORD, PASSWORD + "!")}, "the two passwords differ"),
        (("add", "Ann"), {"typed": PASSWORD}, "use --password-stdin"),
        (("add", "Ann", "--password-stdin"), {"typed": ""}, "no password on standard input"),
        (("add", "Ann", "--password-stdin"), {"typed": "short\n"}, "too short"),
        (("add", "Ann", "--password-stdin"), {"typed": b"seven \xe4ther tiles\n"}, "is not UTF-8"),
        (("add", "Ann", "--password-stdin"), {"typed": "x" * 20_000}, "too long"),
        (("add", "A\tB", "--password-stdin"), {"typed": PASSWORD}, "cannot be an account's name"),
        (("crown", "Ann"), {}, "is not one of"),
        (("add", "Ann", "--role", "king"), {}, "is not one of"),
    ],
)
def test_what_cannot_be_done_is_one_line(accounts, argv, given, says, tmp_path):
    status, out, err = accounts(*argv, **given)
    assert (status, out) == (2, "")
    assert says in err
    assert err.count("\n") == 1
    with closing(WebDb(tmp_path)) as db:
        assert Accounts(db).all() == []


def test_a_password_is_utf_8_whatever_the_terminal_s_encoding(accounts, tmp_path):
    typed = "sieben große Steine"
    assert accounts("add", "Ann", "--password-stdin", typed=typed + "\r\n")[0] == 0
    assert logs_in(tmp_path, "Ann", typed)


def test_a_link_makes_a_new_device_known(accounts, tmp_path):
    assert accounts("add", "Ann", asked=(PASSWORD, PASSWORD))[0] == 0
    status, out, err = accounts("link", "ann")
    assert status == 0
    assert "within an hour" in err
    query = parse_qs(urlsplit(out.strip()).query)
    assert urlsplit(out.strip()).path == "/login/device"
    assert query["account"] == ["Ann"]
    assert Devices(secret_of(tmp_path)).is_link_code("Ann", query["code"][0])
    status, out, err = accounts("link", "Bob")
    assert (status, out) == (2, "")
    assert "there is no account 'Bob'" in err
