"""What a new user gets wrong: each is one line with the remedy, and nothing is left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from record.log.event_log import EventLog
from table.cli import main
from table.doctor import checked_file

REAL = """
[camera]
kind = "webcam"
{camera}
[buttons]
kind = "{kind}"
{buttons}
[serve]
on = false
"""


def refused(capsys, *arguments: str) -> str:
    assert main([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tilewatch: ")
    assert err.count("\n") == 1
    return err


@pytest.mark.parametrize("command", ["demo", "calibrate", "hub"])
@pytest.mark.parametrize("number", ["99999", "-1", "x"])
def test_a_port_that_is_none(capsys, command, number):
    assert "choose a number from 0 to 65535" in refused(capsys, command, "--port", number)


def test_corners_may_begin_below_nought(capsys):
    corners = "-5,-5,900,-5,900,900,-5,900"
    output = refused(capsys, "read", "no-such.jpg", "--corners", corners)
    assert "no such file" in output
    assert "no-such.jpg" in refused(
        capsys, "read", "no-such.jpg", "--corners", "-.5,-5,9,-5,9,9,0,9"
    )


def test_an_option_that_a_command_has_not_got_points_to_its_help(capsys):
    output = refused(capsys, "score", "game.gcg", "--speed", "3")
    assert output == "tilewatch: unrecognised: --speed 3 (see tilewatch score --help)\n"


def test_training_helps_and_asks_what(capsys):
    assert main(["train", "--help"]) == 0
    assert "tiles" in capsys.readouterr().out
    assert "tiles, locate, change, pool or promise" in refused(capsys, "train")


@pytest.mark.parametrize(
    ("camera", "kind", "buttons", "output"),
    [
        ("wdith = 3", "web", "", "unknown key 'camera.wdith'; known are device, width"),
        ("width = -3", "web", "", "camera.width: Input should be greater than or equal to 320"),
        ("device = 1.5", "web", "", "camera.device: must be a number or a path"),
        ("", "gpio", "left = 99", "buttons.left: Input should be less than or equal to 27"),
        ("", "gpio", "left = 27", "buttons: two buttons at one pin"),
        ("", "gpio", "pin = 4", "unknown key 'buttons.pin'; known are edges, left"),
        ("", "web", "left = 17", "unknown key 'buttons.left'; none is known"),
        ("", "keyboard", "bounce = 4", "unknown key 'buttons.bounce'"),
    ],
)
def test_a_device_that_cannot_be_meant_is_refused_at_once(
    tmp_path, capsys, camera, kind, buttons, output
):
    """A device that is not there is waited for; a configuration that is wrong stays wrong."""
    file = tmp_path / "table.toml"
    file.write_text(REAL.format(camera=camera, kind=kind, buttons=buttons), "utf-8")
    data = tmp_path / "data"
    assert output in refused(capsys, "run", "--config", file, "--data", data)
    assert not data.exists()
    first = next(checked_file(file, data))
    assert not first.ok
    assert output in first.says


def test_a_record_that_is_not_there_leaves_no_game_in_the_log(tmp_path, capsys):
    file = tmp_path / "table.toml"
    file.write_text('[simulated]\ngcg = "none.gcg"\n[serve]\non = false\n', "utf-8")
    assert "none.gcg" in refused(capsys, "run", "--config", file, "--data", tmp_path / "data")
    with EventLog(tmp_path / "data" / "tilewatch.db") as log:
        assert log.game_ids() == []


def test_a_folder_without_a_log_and_a_log_that_is_none(tmp_path, capsys):
    assert "--data" in refused(capsys, "export", "last", "--data", tmp_path)
    (tmp_path / "tilewatch.db").write_bytes(b"garbage" * 1000)
    config = tmp_path / "table.toml"
    config.write_text('camera = "simulated"\n', "utf-8")
    for command in (["export", "last"], ["retention"], ["run", "--config", config]):
        output = refused(capsys, *command, "--data", tmp_path)
        assert "not an event log of tilewatch" in output


def test_an_empty_file_is_no_bundle(tmp_path, capsys):
    (tmp_path / "empty.zip").touch()
    assert "the file is empty" in refused(capsys, "verify", tmp_path / "empty.zip")


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
        assert "name a folder with --data" in refused(capsys, *command)
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


def test_a_library_that_cannot_be_loaded_is_one_line(monkeypatch, capsys, tmp_path):
    def broken(*_, **__):
        raise ImportError("libGL.so.1: cannot open shared object file")

    monkeypatch.setattr("record.log.event_log.open_to_read", broken)
    output = refused(capsys, "export", "last", "--data", tmp_path)
    assert "libGL.so.1" in output
    assert "sh install.sh" in output


def test_a_line_stays_readable_however_long_what_it_quotes(capsys, tmp_path):
    record = tmp_path / "long.gcg"
    record.write_text(f"#player1 a Ann\n#player2 b Bob\n>a: CAT 8H CAT +10 {'9' * 6000}\n", "utf-8")
    output = refused(capsys, "score", record)
    assert len(output) < 700
    assert "long.gcg: line 3: '999" in output
    assert output.endswith("is not a running total\n")
