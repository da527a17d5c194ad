"""The Debian package's scripts, and those that try it and the README's commands in bare roots."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
MAINTAINER = ("preinst", "postinst", "prerm", "postrm")


TRIALS = sorted(path.name for path in DEPLOY.glob("try-*.sh"))


@pytest.mark.parametrize(
    "script", ["build-deb.sh", "roots.sh", *TRIALS, *(f"deb/{name}" for name in MAINTAINER)]
)
def test_the_scripts_are_well_formed(script):
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
        (tmp_path / name).write_text(
            "#!/bin/sh\necho 0\n" if name == "id" else "#!/bin/sh\necho .\n"
        )
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
    assert (
        purge.index('"$1" = purge') < purge.index("rm -rf /var/lib/tilewatch") < purge.index("\nfi")
    )
