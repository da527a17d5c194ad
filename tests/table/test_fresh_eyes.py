"""What a new user gets wrong: each is one line with the remedy, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from table.cli import main


def test_training_helps(capsys):
    assert main(["train", "--help"]) == 0
    assert "tiles" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("closing", "status"),
    [
        ("tilewatch rulebooks >&-", 2),
        ("tilewatch rulebooks --json >&-", 2),
        ("tilewatch --version >&-", 2),
        ("tilewatch rulebooks 2>&- >/dev/null", 0),
        ("tilewatch bogus 2>&-", 2),
        ("tilewatch bogus >&- 2>&-", 2),
        ("tilewatch rulebooks > /dev/full", 2),
    ],
)
def test_a_stream_that_is_closed_from_the_start(closing, status):
    script = f'tilewatch() {{ "{sys.executable}" -m table.cli "$@"; }}; {closing}'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == (1 if status and "2>&-" not in closing else 0)


def test_a_user_without_a_home_names_a_folder(monkeypatch, capsys):
    def homeless():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr("pathlib.Path.home", homeless)
    for command in (["export", "last"], ["retention"], ["run"]):
        assert main(command) == 2
        assert "name a folder with --data" in capsys.readouterr().err
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert "NO  data folder: this user has no home folder" in out


@pytest.mark.slow
def test_a_demo_that_is_stopped_leaves_nothing_behind(tmp_path):
    command = [sys.executable, "-m", "table.cli", "demo", "--no-serve"]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path)},
    ) as process:
        assert process.stdout is not None
        begun = process.stdout.readline()
        assert begun.startswith("Game 1: "), process.stderr
        assert list(tmp_path.glob("*-tilewatch/tilewatch.db"))
        process.send_signal(signal.SIGTERM)  # as SIGINT, which Python knows by itself
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "Traceback" not in err
    assert out.endswith("Stopped.\n")
    assert list(tmp_path.glob("*-tilewatch")) == []
