"""The report for whoever helps: all that was found, and nothing that is secret."""

from __future__ import annotations

import json
import zipfile

import pytest

from game.events import GameStarted, to_payload
from record.log.event_log import EventLog
from table.cli import main
from table.doctor.check import fine, wrong
from table.doctor.machine import Machine
from table.doctor.report import Redaction, write_report

SECRETS = (
    *("anna.camera", "pa55-w0rd", "hidden-path", "in-the-query", "Evelyn", "Zo"),
    *("k3y-of-the-clock", "8an8-wh78-f6pa", "setup-key-77", "tok_abc123", "c00kie-value"),
)
CONFIG = """
[camera]
kind = "url"
url = "rtsp://192.0.2.7:554/live/hidden-path?auth=in-the-query"
user = "anna.camera"
password = "pa55-w0rd"
[buttons]
kind = "web"
[players]
left = "Evelyn"
right = "Zo"
"""
JOURNAL = """\
the players' clock is at http://192.0.2.9:8000/tables/1/clock#k3y-of-the-clock
the director's desk is at /director: log in as Evelyn, password 8an8-wh78-f6pa
open http://192.0.2.9:4711/setup?key=setup-key-77 in a browser (Ctrl-C ends without saving)
camera: rtsp://anna.camera:pa55-w0rd@192.0.2.7/live/hidden-path gave no picture
Authorization: Bearer tok_abc123; Cookie: c00kie-value
login with pa55-w0rd refused; Table 1: running: Evelyn 24, Zo 20
the camera is opened again after 4 s
"""


def journal(command):
    return JOURNAL if command[0] == "journalctl" else None


def test_no_planted_secret_is_in_the_report(tmp_path):
    config = tmp_path / "table.toml"
    config.write_text(CONFIG)
    checks = [
        fine("port", "free"),
        wrong("camera", "rtsp://anna.camera:pa55-w0rd@192.0.2.7/x is gone", "switch it on"),
    ]
    machine = Machine(root=tmp_path, ask=journal)
    write_report(tmp_path / "report.zip", checks, config, tmp_path / "data", machine=machine)
    assert (tmp_path / "report.zip").stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(tmp_path / "report.zip") as found:
        assert found.namelist() == ["report.json"]
        text = found.read("report.json").decode()
    for secret in SECRETS:
        assert secret not in text, secret
    document = json.loads(text)
    assert document["checks"][1]["remedy"] == "switch it on"
    assert document["config"]["camera"]["kind"] == "url"
    assert document["versions"]["numpy"]
    assert document["disk"]["free"] > 0
    assert document["log"][-1] == "the camera is opened again after 4 s"
    assert "192.0.2.7" in text, "the host is no secret, and helps"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("see http://pi.lan:8000/ now", "see http://pi.lan:8000 now"),
        ("https://ann:x@pi.lan/a/b#c", "https://pi.lan/…"),
        ("token=abc, next", "token=(removed), next"),
        ('"password": "abc"', '"password": (removed)"'),
        ("the user in the group video", "the user in the group video"),
        ("press any key to go on", "press any key to go on"),
        # A short name is removed as a word of its own.
        ("Bo 24; the Board is empty", "(removed) 24; the Board is empty"),
    ],
)
def test_what_is_taken_out_of_a_text(text, clean):
    assert Redaction(["Bo"]).text(text) == clean


def test_the_command_writes_it_with_events_and_picture(tmp_path, capsys):
    data = tmp_path / "data"
    with EventLog(data / "tilewatch.db") as log:
        start = GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2021", "english", None, 0)
        log.append("g", to_payload(start), mono_ns=5, source="recorder")
    (data / "spool").mkdir()
    (data / "spool" / "rest.jpg").write_bytes(b"a picture")
    (tmp_path / "table.toml").write_text('camera = "simulated"\nnonsense = 1\n')
    report = tmp_path / "report.zip"
    arguments = ["doctor", "--config", str(tmp_path / "table.toml"), "--data", str(data)]
    assert main([*arguments, "--report", str(report), "--picture"]) == 1
    assert "look into it before you send it" in capsys.readouterr().err
    with zipfile.ZipFile(report) as found:
        assert found.read("board.jpg") == b"a picture"
        document = json.loads(found.read("report.json"))
    assert document["checks"][0]["ok"] is False
    assert document["config"] is None
    (event,) = document["events"]
    assert set(event) == {"seq", "type", "wall_ns"}


@pytest.mark.parametrize("text", [f"a = {'[' * 5000}", "\ufeffa = 1", "a = "])
def test_a_report_is_written_whatever_the_configuration_is(tmp_path, text):
    config = tmp_path / "table.toml"
    config.write_text(text, "utf-8")
    machine = Machine(tmp_path / "machine", lambda _: None)
    write_report(tmp_path / "report.zip", [], config, tmp_path / "data", machine=machine)
    assert (tmp_path / "report.zip").exists()
