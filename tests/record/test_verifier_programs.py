"""Both verifiers as programs: what they print of unusable and of hostile bundles."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from record.signing import KEY_FILE, TableKey

from .bundlekit import make, unpacked
from .forgerykit import RAW, Forger

DEEP = 200_000


def run(*program: str) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, *program], capture_output=True, text=True, timeout=120, check=False
    )
    return done.returncode, done.stdout, done.stderr


PROGRAMS = {
    "verify": ("-m", "table.cli", "verify"),
    "verify_bundle": ("-m", "record.verify_bundle"),
}


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_what_is_no_regular_file_is_one_line_at_once(tmp_path, program):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "empty").touch()
    with (tmp_path / "sparse").open("wb") as handle:
        handle.truncate(2**40)
    for name in (tmp_path, tmp_path / "pipe", tmp_path / "empty", tmp_path / "sparse", "/dev/zero"):
        status, out, err = run(*PROGRAMS[program], str(name))
        assert (status, out, err.count("\n")) == (2, "", 1), err


@pytest.mark.parametrize("program", sorted(PROGRAMS))
@pytest.mark.parametrize("raw", ["[" * DEEP + "]" * DEEP, '"\\ud800"', '"\\u001b[2K\\nb: sound"'])
def test_hostile_names_reach_no_terminal(tmp_path, program, raw):
    honest = make(tmp_path, tmp_path / "game.zip", turns=2).read_bytes()
    key = TableKey.open(tmp_path / KEY_FILE)
    forger = Forger(unpacked(honest), key)
    forger.manifest["game"]["players"]["left"] = RAW
    forger.manifest["head"]["digest"] = RAW
    path = tmp_path / "b.zip"
    path.write_bytes(forger.made(raw))
    status, out, err = run(*PROGRAMS[program], str(path))
    assert (status, err) == (1, "")
    assert out.count("\n") < 10
    assert out.replace("\n", "").isprintable()
    assert not any(line.startswith("b: sound") for line in out.splitlines())
