"""Which table a command means: a real one's data is never taken for a simulated one's."""

from __future__ import annotations

import socket

import pytest

from game.errors import TilewatchError
from record.log.event_log import EventLog
from table import live
from table.cli import main
from table.config import Camera, Serve, TableConfig
from table.doctor.machine import Machine
from table.doctor.port import port
from table.doctor.run import checked_file
from table.live import opened, run_table

REAL = '[camera]\nkind = "file"\npath = "gone.mp4"\n[buttons]\nkind = "web"\n[serve]\non = false\n'


@pytest.mark.parametrize("command", ["run", "calibrate", "check-tiles", "cameras --delay"])
def test_the_configuration_of_this_folder_is_taken_and_said(tmp_path, monkeypatch, capsys, command):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.toml").write_text("nmae = 1\n")
    assert main(command.split()) == 2
    first, *_, last = capsys.readouterr().err.splitlines()
    assert "table.toml of this folder" in first
    assert "nmae" in last


def test_the_doctor_looks_at_the_table_of_this_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.toml").write_text(REAL)
    assert main(["doctor", "--data", str(tmp_path / "data")]) == 1
    printed = capsys.readouterr()
    assert "table.toml of this folder" in printed.err
    assert any(line.startswith("NO  camera: ") for line in printed.out.splitlines())


def test_a_machine_without_a_camera_is_not_well(tmp_path, monkeypatch):
    machine = Machine(root=tmp_path, ask=lambda _: None)
    monkeypatch.setattr("table.doctor.run.Machine", lambda: machine)
    (found,) = [check for check in checked_file(None, tmp_path) if check.name == "camera"]
    assert not found.ok
    assert "--config" in found.remedy


def test_a_running_table_that_listens_elsewhere_is_not_said_to_serve_here():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        (check,) = port(Serve(port=other.getsockname()[1]), True)
    assert not check.known
    assert "nothing listens" in check.says


class Nothing:
    """A reader that is never asked."""

    change_evidence = None


def test_a_simulated_table_leaves_a_real_tables_games_alone(tmp_path, monkeypatch):
    real = TableConfig.model_validate({"camera": {"kind": "pi"}, "buttons": {"kind": "web"}})
    with opened(real, tmp_path, lambda _: None, reader=Nothing()):
        pass
    with EventLog(tmp_path / "tilewatch.db") as log:
        before = log.last_seq
    assert before
    with pytest.raises(TilewatchError, match=r"real table \(camera pi\).*--config.*--data"):
        run_table(TableConfig(data=tmp_path, serve=Serve(on=False)), None, lambda _: None)
    with EventLog(tmp_path / "tilewatch.db") as log:
        assert log.last_seq == before


def test_a_simulated_table_says_so_first(tmp_path, monkeypatch):
    lines: list[str] = []
    monkeypatch.setattr(live, "run_simulated", lambda _: None)
    monkeypatch.setattr(live, "calibrated_reader", lambda *_: Nothing())
    assert Camera().simulated
    for _ in range(2):  # and its own games are no hindrance
        run_table(TableConfig(data=tmp_path, serve=Serve(on=False)), None, lines.append)
    assert "simulated" in lines[0]
