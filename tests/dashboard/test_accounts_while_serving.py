"""Accounts made and removed by the command line while a real table serves its pages."""

from __future__ import annotations

import http.client
import http.cookiejar
import re
import subprocess
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.dashboard.accounts_fixtures import PASSWORD

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


class RunningTable:
    """``tilewatch run`` with a simulated table, as a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        config = folder / "table.toml"
        config.write_text('camera = "simulated"\n[serve]\nport = 0\n', "utf-8")
        argv = ["run", "--config", str(config), "--data", str(self.data)]
        self._process = subprocess.Popen(
            [sys.executable, "-c", TILEWATCH, *argv],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.printed: list[str] = []
        self.url = self._wait_for(r"open (http://\S+) in a browser")
        self._wait_for("tilewatch accounts add NAME")
        # Nobody may stand in the way of what it prints later.
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def _wait_for(self, pattern: str) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.printed.append(line)
            if (found := re.search(pattern, line)) is not None:
                return found[found.re.groups]
        raise AssertionError("".join(self.printed))

    def _read(self) -> None:
        assert self._process.stdout is not None
        self.printed.extend(self._process.stdout)

    def command(self, *argv: str, typed: str = "") -> None:
        """Run ``tilewatch accounts`` as a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "table.cli", "accounts", *argv, "--data", str(self.data)],
            input=typed,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr

    def open_databases(self) -> list[str]:
        """The database files that the table has open, as Linux names them."""
        links = (Path("/proc") / str(self._process.pid) / "fd").iterdir()
        names = [str(link.readlink()) for link in links if link.is_symlink()]
        return [name for name in names if ".db" in Path(name).name]

    def stop(self) -> None:
        self._process.terminate()
        self._process.wait(timeout=60)
        self._reading.join(timeout=60)
        assert self._process.stdout is not None
        self._process.stdout.close()


class Browser:
    """Somebody with cookies who fills in the log-in form."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._opener = urllib.request.build_opener(
            urllib.request.ProxyHandler({}),
            urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
            _NoRedirects,
        )

    def get(self, path: str) -> tuple[int, str]:
        return self._ask(path, None)

    def log_in(self, name: str) -> int:
        token = re.search(r'name="csrf_token" value="([0-9a-f]{64})"', self.get("/login")[1])
        assert token is not None
        form = {"name": name, "password": PASSWORD, "csrf_token": token[1]}
        return self._ask("/login", urllib.parse.urlencode(form).encode())[0]

    def _ask(self, path: str, body: bytes | None) -> tuple[int, str]:
        try:
            with self._opener.open(self._url + path, body, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RunningTable]:
    made = RunningTable(tmp_path)
    yield made
    made.stop()


@pytest.mark.slow
def test_the_command_line_reaches_a_running_table_every_time(table: RunningTable) -> None:
    for number in range(3):
        name = f"Ann {number}"
        table.command("add", name, "--password-stdin", typed=PASSWORD + "\n")
        browser = Browser(table.url)
        assert browser.log_in(name) == 303, f"account {number} cannot log in"
        assert browser.get("/director")[0] == 200
        table.command("remove", name)
        assert browser.get("/director")[0] == 302, "the session of a removed account goes on"
        assert Browser(table.url).log_in(name) == 403, "a removed account can log in"
    deleted = [name for name in table.open_databases() if name.endswith("(deleted)")]
    assert deleted == []
    assert [line for line in table.printed if line.startswith("OPENED")] == []
