"""Units, configurations, install scripts and the package, as far as they can be tried here."""

from __future__ import annotations

import configparser
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from game.options import StrictOptions
from hub.config import load_hub_config
from table.config import load_config
from table.health import watchdog
from tests.commandkit import parsed

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
UNIT = DEPLOY / "tilewatch.service"
SCRIPT = DEPLOY / "install-pi.sh"
HUB_UNIT = DEPLOY / "hub" / "tilewatch-hub.service"
HUB_SCRIPT = DEPLOY / "hub" / "install.sh"
MAINTAINER = ("preinst", "postinst", "prerm", "postrm")
TRIALS = sorted(path.name for path in DEPLOY.glob("try-*.sh"))


class _Many(dict):
    """A key that stands more than once keeps all its values."""

    def __setitem__(self, key, value):
        if key in self and isinstance(value, list):
            self[key].extend(value)
            return
        super().__setitem__(key, value)


def unit(path: Path = UNIT) -> configparser.RawConfigParser:
    read = configparser.RawConfigParser(strict=False, dict_type=_Many, interpolation=None)
    read.optionxform = str
    read.read_string(path.read_text("utf-8"))
    return read


def tool(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"no {name} here")
    return found


@pytest.mark.parametrize(("path", "config"), [(UNIT, "table.toml"), (HUB_UNIT, "hub.toml")])
def test_a_unit_runs_a_command_line_that_there_is(path, config):
    service = unit(path)["Service"]
    command = shlex.split(service["ExecStart"])
    assert command[0] == "/opt/tilewatch/venv/bin/tilewatch"
    args = parsed(*command[1:])
    assert str(args["config"]) == f"/etc/tilewatch/{config}"
    assert str(args["data"]) == f"/var/lib/{service['StateDirectory']}"


def test_the_watchdog_waits_longer_than_it_is_fed_and_less_than_a_game_can():
    service = unit()["Service"]
    watchdog_s = float(service["WatchdogSec"])
    assert service["Type"] == "notify"
    assert service["WatchdogSignal"] == "SIGTERM"
    assert 10 * watchdog._EVERY_S <= watchdog_s <= 60
    assert watchdog.GONE_S < watchdog.HUNG_S < 60


@pytest.mark.parametrize("path", [UNIT, HUB_UNIT])
def test_systemd_understands_a_unit(tmp_path, path):
    analyze = tool("systemd-analyze")
    # What it starts, and whose it is, are not there yet where it is not installed.
    text = re.sub(r"(?m)^ExecStart=\S+", "ExecStart=/bin/true", path.read_text("utf-8"))
    copy = tmp_path / path.name
    copy.write_text(re.sub(r"(?m)^(User|Group)=.*$", r"\1=root", text))
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


def test_the_sample_configurations_are_some():
    config = load_config(DEPLOY / "table.toml")
    assert (config.camera.kind, config.buttons.kind) == ("pi", "gpio")
    assert str(config.data) == "/var/lib/tilewatch"
    hub = load_hub_config(DEPLOY / "hub" / "hub.toml")
    assert str(hub.data) == "/var/lib/tilewatch-hub"
    assert (hub.broker.port, hub.serve.port) == (8883, 8000)


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


def test_the_script_of_the_hub_says_what_it_would_do():
    skip_where_one_is_installed()
    command = ["sh", str(HUB_SCRIPT), "--dry-run"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if "no apt-get here" in done.stderr:
        pytest.skip("not a Debian")
    assert "pip install" in done.stdout
    assert "tilewatch-hub.service" in done.stdout
    wrong = subprocess.run(["sh", str(HUB_SCRIPT), "--nosuch"], capture_output=True, text=True)
    assert wrong.returncode == 2
    assert "unknown option --nosuch" in wrong.stderr


def test_the_scripts_are_well_formed():
    maintainer = [f"deb/{name}" for name in MAINTAINER]
    for script in ("hub/install.sh", "build-deb.sh", "roots.sh", *TRIALS, *maintainer):
        subprocess.run(["sh", "-n", DEPLOY / script], check=True)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "say for what: amd64 or arm64, then 12 or 13"),
        (["amd64", "11"], "no release 11; known are 12 and 13"),
        (["riscv64", "13"], "no architecture riscv64; known are amd64 and arm64"),
        (["amd64", "13", "--fast"], "unknown option --fast; known is --version"),
        (["amd64", "13", "--version"], "--version needs a version"),
    ],
)
def test_a_wrong_command_line_is_one_line(words, says):
    command = ["sh", str(DEPLOY / "build-deb.sh"), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == f"build-deb.sh: {says}\n"


@pytest.mark.parametrize("script", TRIALS)
def test_where_nothing_can_be_tried_one_line_says_so(tmp_path, script):
    """Without debootstrap, and without being root."""
    for name in ("id", "dpkg", "dirname", "mktemp"):
        (tmp_path / name).write_text(f"#!/bin/sh\necho {0 if name == 'id' else '.'}\n")
        (tmp_path / name).chmod(0o755)
    command = ["/bin/sh", str(DEPLOY / script)]
    env = {**os.environ, "PATH": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=DEPLOY)
    assert done.returncode == 3
    assert done.stdout.startswith(f"{script}: skipped: no debootstrap here")


def test_the_readme_has_the_two_commands_that_are_tried():
    found = [
        line.strip()
        for line in (ROOT / "README.md").read_text("utf-8").splitlines()
        if line.startswith("    sh install.sh")
    ]
    assert [line.split(" && ")[0] for line in found] == ["sh install.sh", "sh install.sh --dev"]
    assert found[0].endswith("tilewatch demo")


def test_data_is_deleted_on_purge_alone():
    for name in MAINTAINER:
        text = (DEPLOY / "deb" / name).read_text()
        removals = [line for line in text.splitlines() if "rm -r" in line and "/var/lib" in line]
        assert len(removals) == (name == "postrm")
    purge = (DEPLOY / "deb" / "postrm").read_text()
    guard, removal = purge.index('"$1" = purge'), purge.index("rm -rf /var/lib/tilewatch")
    assert guard < removal < purge.index("\nfi")
