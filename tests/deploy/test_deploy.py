"""The unit and the install script, as far as they can be tried without being installed."""

from __future__ import annotations

import configparser
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from game.options import StrictOptions
from table.cli import parser
from table.config import load_config
from table.health import systemd, watchdog

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "tilewatch.service"
SCRIPT = DEPLOY / "install-pi.sh"


class _Many(dict):
    """A key that stands more than once keeps all its values."""

    def __setitem__(self, key, value):
        if key in self and isinstance(value, list):
            self[key].extend(value)
            return
        super().__setitem__(key, value)


def unit() -> configparser.RawConfigParser:
    read = configparser.RawConfigParser(strict=False, dict_type=_Many, interpolation=None)
    read.optionxform = str
    read.read_string(UNIT.read_text("utf-8"))
    return read


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here")
    return found


def test_the_unit_runs_a_command_line_that_there_is():
    command = shlex.split(unit()["Service"]["ExecStart"])
    assert command[0] == "/opt/tilewatch/venv/bin/tilewatch"
    args = parser().parse_args(command[1:])
    assert str(args.config) == "/etc/tilewatch/table.toml"
    assert str(args.data) == "/var/lib/tilewatch"


def test_the_watchdog_waits_longer_than_it_is_fed_and_less_than_a_game_can():
    service = unit()["Service"]
    watchdog_s = float(service["WatchdogSec"])
    assert service["Type"] == "notify"
    assert service["WatchdogSignal"] == "SIGTERM"
    assert 10 * systemd._EVERY_S <= watchdog_s <= 60
    assert watchdog.GONE_S < watchdog.HUNG_S < 60


def test_systemd_understands_the_unit(tmp_path):
    analyze = tool("systemd-analyze")
    text = UNIT.read_text("utf-8")
    # What it starts, and whose it is, are not there yet where it is not installed.
    copy = tmp_path / "tilewatch.service"
    copy.write_text(
        text.replace("/opt/tilewatch/venv/bin/tilewatch", "/bin/true").replace(
            "User=tilewatch\nGroup=tilewatch", "User=root\nGroup=root"
        )
    )
    done = subprocess.run([analyze, "verify", str(copy)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_service_is_held_tight():
    service = unit()["Service"]
    for key, value in {
        "ProtectSystem": "strict",
        "ProtectHome": "yes",
        "NoNewPrivileges": "yes",
        "CapabilityBoundingSet": "",
        "DevicePolicy": "closed",
        "StateDirectoryMode": "0700",
        "Restart": "always",
    }.items():
        assert service[key] == value
    assert set(service["SupplementaryGroups"].split()) == {"video", "gpio"}
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}"
    assert unit()["Unit"]["StartLimitIntervalSec"] == "0"


def test_the_sample_configuration_is_one():
    config = load_config(DEPLOY / "table.toml")
    assert (config.camera.kind, config.buttons.kind) == ("pi", "gpio")
    assert str(config.data) == "/var/lib/tilewatch"


def test_shellcheck_finds_nothing():
    for script in (ROOT / "install.sh", *DEPLOY.glob("*.sh")):
        done = subprocess.run(
            [tool("shellcheck"), "-x", "-S", "warning", str(script)],
            cwd=ROOT, capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout


def skip_where_one_is_installed() -> None:
    """The scripts say what they would do here: less where it has been done."""
    for folder in ("/opt/tilewatch", "/etc/tilewatch"):
        if Path(folder).exists():
            pytest.skip(f"tilewatch is installed on this machine already ({folder})")


def dry_run(tmp_path: Path, model: str | None, *options: str) -> subprocess.CompletedProcess[str]:
    file = tmp_path / "model"
    if model is not None:
        file.write_text(f"{model}\0")
    if not Path("/etc/debian_version").exists():
        pytest.skip("for Debian and Raspberry Pi OS")
    skip_where_one_is_installed()
    # As on a 64-bit system with systemd, on which nothing is installed yet.
    programs = tmp_path / "bin"
    programs.mkdir(exist_ok=True)
    for name, does in {"dpkg-query": "exit 1", "getconf": "echo 64", "systemctl": "exit 3"}.items():
        (programs / name).write_text(f"#!/bin/sh\n{does}\n")
        (programs / name).chmod(0o755)
    return subprocess.run(
        ["sh", str(SCRIPT), "--dry-run", *options],
        capture_output=True,
        text=True,
        env={"PATH": f"{programs}:/usr/sbin:/usr/bin:/sbin:/bin", "DEVICE_MODEL": str(file)},
    )


def test_a_dry_run_on_a_pi_says_all_it_would_do(tmp_path):
    done = dry_run(tmp_path, "Raspberry Pi 5 Model B Rev 1.0")
    assert done.returncode == 0, done.stderr
    assert "on a Raspberry Pi 5" in done.stdout
    for step in (
        "python3-picamera2 libcamera-ipa",
        "python3-lgpio",
        "-m venv --system-site-packages /opt/tilewatch/venv",
        "pip install",
        "import cv2, onnxruntime, flask, uvicorn, cryptography, paho.mqtt.client, gpiozero,"
        " lgpio, picamera2",
        "deploy/table.toml /etc/tilewatch/table.toml",
        "deploy/tilewatch.service /etc/systemd/system/tilewatch.service",
        "systemctl enable --quiet tilewatch.service",
    ):
        assert step in done.stdout
    assert "would: ln -sfn" in done.stdout


def test_another_machine_needs_a_webcam(tmp_path):
    done = dry_run(tmp_path, None)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "install-pi.sh: this is no Raspberry Pi; with --webcam a USB webcam serves, on any Debian"
    ]
    done = dry_run(tmp_path, None, "--webcam")
    assert done.returncode == 0, done.stderr
    assert "picamera2" not in done.stdout
    assert 'kind = "webcam"' in done.stdout


def test_an_unknown_option_is_one_line(tmp_path):
    done = dry_run(tmp_path, None, "--force")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1


def test_what_a_webcam_makes_of_the_sample_is_a_configuration(tmp_path):
    """The very sed command of the script, over the very file."""
    done = dry_run(tmp_path, None, "--webcam")
    assert "would: sed" in done.stdout
    (line,) = (line for line in SCRIPT.read_text("utf-8").splitlines() if "do_ sed -i" in line)
    script = line[line.index("'") + 1 : line.rindex("'")]
    copy = tmp_path / "table.toml"
    shutil.copyfile(DEPLOY / "table.toml", copy)
    subprocess.run(["sed", "-i", script, str(copy)], check=True)
    config = load_config(copy)
    assert (config.camera.kind, config.buttons.kind) == ("webcam", "web")
    assert config.buttons.options == StrictOptions()
