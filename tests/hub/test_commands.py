"""``tilewatch hub``, ``enrol`` and ``join`` as processes of their own."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from game.events import GameStarted, to_payload
from hub.table_side.connector import FILE, HubConnector, Membership
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from table.cli import main
from table.desk import TableDesk
from tests.machine import PATIENCE_S, free_port, until

ROOT = Path(__file__).resolve().parents[2]


class HubProcess:
    def __init__(self, folder: Path) -> None:
        self.folder, self.web = folder, free_port()
        self.config = folder / "hub.toml"
        self.config.write_text(
            f'venue = "hall"\nname = "Open"\n[broker]\nport = {free_port()}\nlisten = "127.0.0.1"\n'
            f'advertise = "127.0.0.1"\n[serve]\nhost = "127.0.0.1"\nport = {self.web}\n'
        )
        self.data = folder / "hub"
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            [
                sys.executable, "-m", "table.cli", "hub", "--config", str(self.config),
                "--data", str(self.data),
            ],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert until(lambda: self.hall() is not None)

    def hall(self):
        try:
            with urllib.request.urlopen(f"{self.url}/api/v1/hall", timeout=PATIENCE_S) as answer:
                return json.load(answer)["tables"]
        except OSError:
            return None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.web}"

    @property
    def broker_pid(self) -> int:
        return int((self.data / "broker" / "mosquitto.pid").read_text())

    def stop(self, how: signal.Signals = signal.SIGTERM) -> str:
        self.process.send_signal(how)
        _, output = self.process.communicate(timeout=PATIENCE_S)
        return output.decode()


@pytest.fixture
def hub(tmp_path, broker_program):
    one = HubProcess(tmp_path)
    yield one
    if one.process.poll() is None:
        one.stop()


def test_a_hub_a_code_a_table_and_its_game_from_the_command_line(hub, tmp_path, capsys):
    assert main(["enrol", "table-7", "--name", "Table 7", "--data", str(hub.data), "--json"]) == 0
    made = json.loads(capsys.readouterr().out)
    code = made["code"]
    assert made["command"] == f"tilewatch join {code} --hub {hub.url}"
    table = tmp_path / "table"
    assert main(["join", code, "--hub", hub.url, "--data", str(table)]) == 0
    assert "Table 7: table table-7 of hall" in capsys.readouterr().out
    assert (table / FILE).exists()
    # Good once, and said in one line.
    assert main(["join", code, "--hub", hub.url, "--data", str(tmp_path / "other")]) == 2
    output = capsys.readouterr().err
    assert "wrong, used or out of date" in output
    assert output.count("\n") == 1
    assert main(["enrol", "--data", str(hub.data)]) == 0
    assert "table-7  Table 7" in capsys.readouterr().out

    member = Membership.load(table)
    with EventLog(table / "tilewatch.db") as log:
        tie = HubConnector(
            member, table, log, TableDesk(time.monotonic_ns), EvidenceStore(table / "evidence")
        )
        tie.start()
        start = GameStarted(
            "g1", {"left": "Ann", "right": "Bob"}, "wespa-2007", "english", "left", 0
        )
        log.append("g1", to_payload(start), mono_ns=0, source="recorder")
        assert until(lambda: hub.hall()[0]["players"] is not None)
        assert hub.hall()[0]["players"]["left"]["name"] == "Ann"

        # A hub that is killed leaves its broker, and the next one takes it over.
        broker = hub.broker_pid
        hub.stop(signal.SIGKILL)
        assert Path(f"/proc/{broker}").exists()
        log.append("g1", {"type": "TimePassed", "t_ns": 1}, mono_ns=0, source="recorder")
        hub.start()
        assert hub.broker_pid == broker
        assert until(lambda: tie.outbox.acked == 2)
        tie.stop()
    output = hub.stop()
    assert "Traceback" not in output
    assert until(lambda: not Path(f"/proc/{broker}").exists())


@pytest.mark.usefixtures("broker_program")
def test_the_site_is_published_while_the_hub_runs_and_kept_when_it_has_stopped(
    tmp_path, capsys, broker_program
):
    site, config = tmp_path / "site", tmp_path / "hub.toml"
    assert main(["hub", "--archive", str(site), "--data", str(tmp_path / "none")]) == 2
    assert "no hub has run here" in capsys.readouterr().err
    hub = HubProcess(tmp_path)
    hub.stop()
    config.write_text(f'{config.read_text()}[publish]\ntarget = "{site}"\n')
    hub.start()
    assert until((site / "index.html").is_file)
    assert f"the public site is published to {site}" in hub.stop()
    assert json.loads((site / "published.json").read_text())["clean"] is True
    given = ["--config", str(config), "--data", str(hub.data)]
    assert main(["hub", "--archive", str(tmp_path / "archive"), *given]) == 0
    assert "files" in capsys.readouterr().out
    assert "data-archive" in (tmp_path / "archive/index.html").read_text()
    assert main(["hub", "--publish", "ftp://host/site", *given]) == 2
    assert "sftp://" in capsys.readouterr().err


def test_a_port_that_is_taken_is_said_in_one_line(tmp_path, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        config = tmp_path / "hub.toml"
        port = taken.getsockname()[1]
        config.write_text(f'[broker]\nport = {port}\nlisten = "127.0.0.1"\n')
        assert main(["hub", "--config", str(config), "--data", str(tmp_path / "data")]) == 2
    reported = capsys.readouterr().err
    assert f"port {port} is in use" in reported
    assert reported.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["join"], "say the code"),
        (["join", "K7QM", "--hub", "http://127.0.0.1:9"], "is no code"),
        (["join", "K7QM-2D9F-XW3T", "--hub", "nonsense://x"], "no address of a hub"),
        (["join", "K7QM-2D9F-XW3T", "--hub", "http://127.0.0.1:9"], "no hub answers there"),
        (["enrol", "t1"], "no hub has run here"),
        (["hub", "--config", "/nowhere.toml"], "cannot be read"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(tmp_path, capsys, arguments, reported):
    data = [] if arguments[0] == "hub" else ["--data", str(tmp_path / "d")]
    assert main([*arguments, *data]) == 2
    output = capsys.readouterr().err
    assert reported in output
    assert output.count("\n") == 1


def test_leaving_a_hub_forgets_it(tmp_path, capsys):
    (tmp_path / FILE).write_text("{}")
    assert main(["join", "--leave", "--data", str(tmp_path)]) == 0
    assert not (tmp_path / FILE).exists()
    assert list(tmp_path.iterdir()) == []
    assert "no hub any more" in capsys.readouterr().err
