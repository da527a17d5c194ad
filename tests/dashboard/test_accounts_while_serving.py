"""Accounts made and removed by the command line while a real table serves its pages."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.dashboard.accounts_fixtures import PASSWORD
from tests.dashboard.connectionkit import ask
from tests.machine import PATIENCE_S, until

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
