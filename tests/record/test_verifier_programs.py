"""Both verifiers as programs: what they print of unusable and of hostile bundles."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

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


@pytest.fixture
def unpacked_into(tmp_path):
    """A folder into which a sound bundle was unpacked."""
    bundle = make(tmp_path / "data", tmp_path / "game.zip", turns=2)
    with zipfile.ZipFile(bundle) as archive:
        archive.extractall(tmp_path / "bundle")
    return tmp_path / "bundle"


def in_memory(program: str, megabytes: int) -> tuple[str, ...]:
    """The program with so much address space, as one line for ``run``."""
    limited = (
        "import resource, runpy, sys; "
        f"resource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20}, {megabytes << 20})); "
        "name = sys.argv.pop(1); runpy.run_module(name, run_name='__main__', alter_sys=True)"
    )
    return ("-c", limited, *PROGRAMS[program][1:])


def put(path: Path, odd: str) -> None:
    """Put something odd in the place of a file."""
    path.unlink()
    if odd == "pipe":
        os.mkfifo(path)
    elif odd == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as handle:
            handle.truncate(2**40)


@pytest.mark.parametrize("program", sorted(PROGRAMS))
@pytest.mark.parametrize("odd", ["pipe", "device", "huge"])
def test_a_folder_with_something_odd_in_it_is_told_at_once(unpacked_into, program, odd):
    put(unpacked_into / "game.gcg", odd)
    status, out, err = run(*PROGRAMS[program], str(unpacked_into))
    assert status in (1, 2)
    assert "game.gcg" in out + err
    put(unpacked_into / "manifest.json", odd)
    status, out, err = run(*PROGRAMS[program], str(unpacked_into))
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert str(unpacked_into) in err


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_a_small_folder_takes_little_memory(unpacked_into, program):
    status, out, err = run(*in_memory(program, 1024), str(unpacked_into))
    assert (status, err) == (0, "")
    assert "sound" in out


@pytest.mark.parametrize("program", sorted(PROGRAMS))
def test_a_large_file_is_not_held_in_memory(unpacked_into, program):
    """It is on the disk once more, as the bundle that the folder was."""
    with (unpacked_into / "game.gcg").open("wb") as handle:
        handle.truncate(300 << 20)
    status, out, err = run(*in_memory(program, 768), str(unpacked_into))
    assert (status, err) == (1, "")
    assert "game.gcg" in out


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
