"""Which table a command means: a real one's data is never taken for a simulated one's."""

from __future__ import annotations

import re
import socket
from pathlib import Path

import pytest

from game.errors import TilewatchError
from game.events import GameStarted, to_payload
from record.log.event_log import EventLog
from record.paths import data_dir
from table import live
from table.cli import main
from table.commands.options import TABLE, Given
from table.config import Buttons, Camera, Serve, TableConfig
from table.doctor.configuration import port
from table.doctor.machine import Machine
from table.doctor.run import checked_file
from table.live import opened, run_table

REAL = '[camera]\nkind = "file"\npath = "gone.mp4"\n[buttons]\nkind = "web"\n[serve]\non = false\n'


SIMULATED = 'camera = "simulated"\ndata = "kept"\n'


COMMANDS = ["export last", "retention", "accounts list", "repair", "backup b", "join --leave"]


@pytest.mark.parametrize(
    ("words", "given", "first"),
    [
        *((one, "", r"uses table.toml of this folder, data in .*kept$") for one in COMMANDS),
        *((one, " --config table.toml", "uses data in .*kept$") for one in COMMANDS),
        # The command line told it; but [pictures] of the configuration counts as well.
        *((one, " --data kept", "(?!.*uses)") for one in COMMANDS if one != "retention"),
        ("retention", " --data kept", "uses table.toml of this folder$"),
    ],
)
def test_every_command_takes_the_data_that_this_folder_names_and_says_so(
    tmp_path, monkeypatch, capsys, words, given, first
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "elsewhere"))
    (tmp_path / "table.toml").write_text(SIMULATED)
    with EventLog(tmp_path / "kept" / "tilewatch.db") as log:
        start = GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2021", "english", None, 0)
        log.append("g", to_payload(start), mono_ns=5, source="recorder")
    assert main([*f"{words}{given}".split()]) == 0, capsys.readouterr().err
    assert re.match(first, capsys.readouterr().err.partition("\n")[0])
    assert not (tmp_path / "elsewhere").exists()


def test_without_a_configuration_the_data_folder_is_the_users_own(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own"))
    assert main(["accounts", "list"]) == 0
    line = f"uses data in {tmp_path / 'own' / 'tilewatch'} (no table.toml or hub.toml in this"
    assert capsys.readouterr().err.startswith(line)


def test_accounts_of_a_hub_are_those_that_its_configuration_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hub.toml").write_text('data = "hall"\n')
    assert main(["accounts", "list"]) == 0
    assert "uses hub.toml of this folder, data in" in capsys.readouterr().err
    assert (tmp_path / "hall" / "web.db").exists()
    (tmp_path / "table.toml").write_text(SIMULATED)  # of two, one has to be named
    assert main(["accounts", "list", "--config", "hub.toml"]) == 0
    # One that may be a table's or a hub's will do where it names the data.
    (tmp_path / "either.toml").write_text('name = "Hall"\ndata = "either"\n')
    assert main(["accounts", "list", "--config", "either.toml"]) == 0


def test_the_set_up_goes_on_where_the_configuration_of_this_folder_keeps_its_data(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    given = Given((TABLE,))
    assert given.to_set_up() == (Path("table.toml"), data_dir())
    (tmp_path / "table.toml").write_text(SIMULATED)
    assert given.to_set_up() == (Path("table.toml"), Path("kept"))


@pytest.mark.parametrize("text", [None, 'name = "Table 7"\n', "[camera]\n"])
@pytest.mark.parametrize(
    "words", ["run", "calibrate --no-browser", "check-tiles", "cameras --delay"]
)
def test_no_simulated_camera_stands_in_for_one_that_nobody_named(
    tmp_path, monkeypatch, capsys, words, text
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "own"))
    monkeypatch.setattr("table.doctor.configuration.found", lambda _: None)
    if text is not None:
        (tmp_path / "table.toml").write_text(text)
    assert main(words.split()) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    last = printed.err.splitlines()[-1]
    assert ("no camera was found" if text is None else "table.toml: names no camera") in last
    assert ("--config" if text is None else "tilewatch setup") in last
    assert not (tmp_path / "own").exists()


def test_without_a_configuration_the_camera_is_this_machines(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    machine = TableConfig(camera=Camera(kind="webcam"), buttons=Buttons(kind="web"))
    monkeypatch.setattr("table.doctor.configuration.found", lambda _: machine)
    given = Given((TABLE,), data=Path("d"))
    config = given.camera(given.table())
    assert (config.camera.kind, config.folder) == ("webcam", Path("d"))
    assert "uses the webcam of this machine (no table.toml" in capsys.readouterr().err


def test_the_doctor_looks_at_the_table_of_this_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.toml").write_text(REAL)
    assert main(["doctor", "--data", str(tmp_path / "data")]) == 1
    printed = capsys.readouterr()
    assert "uses table.toml of this folder" in printed.err
    assert any(line.startswith("NO  camera: ") for line in printed.out.splitlines())


def test_the_doctor_names_no_device_that_the_configuration_does_not_name(tmp_path):
    path = tmp_path / "table.toml"
    path.write_text('name = "Table 7"\n[serve]\non = false\n')
    found = {check.name: check for check in checked_file(path, tmp_path / "data")}
    assert found["configuration"].ok
    assert "camera" not in found["configuration"].says
    assert "names none" in found["camera"].says
    assert "buttons" not in found


def test_a_machine_without_a_camera_is_not_well(tmp_path, monkeypatch):
    machine = Machine(root=tmp_path, ask=lambda _: None)
    monkeypatch.setattr("table.doctor.run.Machine", lambda: machine)
    found = {check.name: check for check in checked_file(None, tmp_path)}
    assert not found["camera"].ok
    assert "--config" in found["camera"].remedy
    assert "simulated" not in "\n".join(map(str, found.values()))


def test_a_running_table_that_listens_elsewhere_is_not_said_to_serve_here():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        check = port(Serve(port=other.getsockname()[1]), True)
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


def test_a_real_table_does_not_go_on_with_a_simulated_game(tmp_path):
    with opened(TableConfig(), tmp_path, lambda _: None, reader=Nothing()):
        pass
    real = TableConfig.model_validate({"camera": {"kind": "pi"}, "buttons": {"kind": "web"}})
    with (
        pytest.raises(TilewatchError, match=r"games of a simulated table, .*--data"),
        opened(real, tmp_path, lambda _: None, reader=Nothing()),
    ):
        pass


def test_a_simulated_table_says_so_first(tmp_path, monkeypatch):
    lines: list[str] = []
    monkeypatch.setattr(live, "run_simulated", lambda _: None)
    monkeypatch.setattr(live, "calibrated_reader", lambda *_: Nothing())
    assert Camera().simulated
    for _ in range(2):  # and its own games are no hindrance
        run_table(TableConfig(data=tmp_path, serve=Serve(on=False)), None, lines.append)
    assert "simulated" in lines[0]
