"""What a new user gets wrong: each is one line with the remedy, and nothing is left behind."""

from __future__ import annotations

import pytest

from table.cli import main
from table.log import EventLog

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


@pytest.mark.parametrize("command", ["demo", "calibrate"])
@pytest.mark.parametrize("number", ["99999", "-1", "x"])
def test_a_port_that_is_none(capsys, command, number):
    assert "choose a number from 0 to 65535" in refused(capsys, command, "--port", number)


def test_corners_may_begin_below_nought(capsys):
    corners = "-5,-5,900,-5,900,900,-5,900"
    said = refused(capsys, "read", "no-such.jpg", "--corners", corners)
    assert "no such file" in said
    assert "no-such.jpg" in refused(
        capsys, "read", "no-such.jpg", "--corners", "-.5,-5,9,-5,9,9,0,9"
    )


def test_training_helps_and_asks_what(capsys):
    assert main(["train", "--help"]) == 0
    assert "tiles" in capsys.readouterr().out
    assert "tiles or locate" in refused(capsys, "train")


@pytest.mark.parametrize(
    ("camera", "kind", "buttons", "said"),
    [
        ("wdith = 3", "web", "", "camera: unknown option 'wdith'"),
        ("width = -3", "web", "", "camera: width must be a whole number from 320 to 8192"),
        ("device = 1.5", "web", "", "camera: device must be a number or a path"),
        ("", "gpio", "left = 99", "buttons: left must be a whole number from 0 to 27"),
        ("", "gpio", "left = 27", "buttons: two buttons at one pin"),
        ("", "gpio", "pin = 4", "buttons: unknown option 'pin'"),
        ("", "web", "left = 17", "buttons: unknown option 'left'; web buttons have none"),
        ("", "keyboard", "bounce = 4", "buttons: unknown option 'bounce'"),
    ],
)
def test_a_device_that_cannot_be_meant_is_refused_at_once(
    tmp_path, capsys, camera, kind, buttons, said
):
    """A device that is not there is waited for; a configuration that is wrong stays wrong."""
    file = tmp_path / "table.toml"
    file.write_text(REAL.format(camera=camera, kind=kind, buttons=buttons), "utf-8")
    data = tmp_path / "data"
    assert said in refused(capsys, "run", "--config", file, "--data", data)
    assert not data.exists()
    assert main(["doctor", "--config", str(file), "--data", str(data)]) == 1
    assert said in capsys.readouterr().out.splitlines()[0]


def test_a_record_that_is_not_there_leaves_no_game_in_the_log(tmp_path, capsys):
    file = tmp_path / "table.toml"
    file.write_text('[simulated]\ngcg = "none.gcg"\n[serve]\non = false\n', "utf-8")
    assert "none.gcg" in refused(capsys, "run", "--config", file, "--data", tmp_path / "data")
    with EventLog(tmp_path / "data" / "tilewatch.db") as log:
        assert log.game_ids() == []


def test_a_folder_without_a_log_and_a_log_that_is_none(tmp_path, capsys):
    assert "--data" in refused(capsys, "export", "last", "--data", tmp_path)
    (tmp_path / "tilewatch.db").write_bytes(b"garbage" * 1000)
    for command in (["export", "last"], ["retention"], ["run"]):
        said = refused(capsys, *command, "--data", tmp_path)
        assert "not an event log of tilewatch" in said


def test_an_empty_file_is_no_bundle(tmp_path, capsys):
    (tmp_path / "empty.zip").touch()
    assert "the file is empty" in refused(capsys, "verify", tmp_path / "empty.zip")
