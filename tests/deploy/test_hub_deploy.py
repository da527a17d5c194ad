"""The hub's unit, configuration and install script, as far as they can be tried here."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from hub.config import load_hub_config
from table.cli import parser
from tests.deploy.test_deploy import skip_where_one_is_installed

ROOT = Path(__file__).resolve().parents[2]
HUB = ROOT / "deploy" / "hub"
UNIT = HUB / "tilewatch-hub.service"
SCRIPT = HUB / "install.sh"


def setting(name: str) -> str:
    found = re.findall(rf"^{name}=(.*)$", UNIT.read_text("utf-8"), re.MULTILINE)
    assert len(found) == 1, name
    return found[0]


def test_the_unit_runs_a_command_line_that_there_is():
    command = shlex.split(setting("ExecStart"))
    assert command[0] == "/opt/tilewatch/venv/bin/tilewatch"
    args = parser().parse_args(command[1:])
    assert str(args.config) == "/etc/tilewatch/hub.toml"
    assert str(args.data) == f"/var/lib/{setting('StateDirectory')}"


def test_the_configuration_that_is_shipped_can_be_read():
    config = load_hub_config(HUB / "hub.toml")
    assert str(config.data) == "/var/lib/tilewatch-hub"
    assert (config.broker.port, config.serve.port) == (8883, 8000)


def test_systemd_finds_nothing_wrong_with_the_unit(tmp_path):
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("no systemd-analyze here")
    # As it will be, but for what is not installed here.
    text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", UNIT.read_text("utf-8"), flags=re.M)
    unit = tmp_path / UNIT.name
    unit.write_text(re.sub(r"^(User|Group)=.*$", "", text, flags=re.M))
    done = subprocess.run([program, "verify", str(unit)], capture_output=True, text=True)
    assert UNIT.name not in done.stderr, done.stderr


def test_the_script_is_well_formed_and_says_what_it_would_do():
    assert subprocess.run(["sh", "-n", str(SCRIPT)]).returncode == 0
    skip_where_one_is_installed()
    done = subprocess.run(
        ["sh", str(SCRIPT), "--dry-run"], capture_output=True, text=True, cwd=ROOT
    )
    if "no apt-get here" in done.stderr:
        pytest.skip("not a Debian")
    assert "pip install" in done.stdout
    assert "tilewatch-hub.service" in done.stdout
    wrong = subprocess.run(["sh", str(SCRIPT), "--nosuch"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert "unknown option --nosuch" in wrong.stderr
