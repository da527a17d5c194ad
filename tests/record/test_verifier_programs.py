"""Both verifiers as programs: what they print of unusable and of hostile bundles."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from record.verify_bundle import __main__ as verify_bundle
from table.cli import main

from .forgerykit import RAW

DEEP = 200_000
MODULES = {"verify": ["table.cli", "verify"], "verify_bundle": ["record.verify_bundle"]}


@pytest.fixture(params=sorted(MODULES))
def run(request, monkeypatch, capsys):
    """The answers of the two to a path: exit status, output and errors."""

    def checked(path: object) -> tuple[int, str, str]:
        if request.param == "verify":
            status = main(["verify", str(path)])
        else:
            monkeypatch.setattr(sys, "argv", ["verify_bundle", str(path)])
            status = verify_bundle.main()
        return status, *capsys.readouterr()

    return checked


def put(path: Path, odd: str) -> None:
    """Put something odd in the place of a file."""
    path.unlink(missing_ok=True)
    if odd == "pipe":
        os.mkfifo(path)
    elif odd == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as handle:
            handle.truncate({"huge": 2**40, "empty": 0}[odd])


def test_what_is_no_bundle_is_one_line_at_once(tmp_path, run):
    for odd in ("pipe", "device", "huge", "empty"):
        put(tmp_path / odd, odd)
    (tmp_path / "picture").write_bytes(b"\xff\xd8" * 300)
    for path in (tmp_path, *tmp_path.iterdir(), tmp_path / "none", "/dev/zero"):
        status, out, err = run(path)
        assert (status, out, err.count("\n")) == (2, "", 1), err


@pytest.mark.parametrize("odd", ["pipe", "device", "huge"])
def test_a_folder_with_something_odd_in_it_is_told_at_once(unpacked, run, odd):
    put(unpacked / "game.gcg", odd)
    status, out, err = run(unpacked)
    assert status in (1, 2)
    assert "game.gcg" in out + err
    put(unpacked / "manifest.json", odd)
    status, out, err = run(unpacked)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert str(unpacked) in err


def run_in_memory(program: str, megabytes: int, path: Path) -> tuple[int, str, str]:
    """The answer of the program with so much address space and no more."""
    limited = (
        "import resource, runpy, sys; "
        f"resource.setrlimit(resource.RLIMIT_AS, ({megabytes << 20}, {megabytes << 20})); "
        "name = sys.argv.pop(1); runpy.run_module(name, run_name='__main__', alter_sys=True)"
    )
    words = [sys.executable, "-c", limited, *MODULES[program], str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("program", sorted(MODULES))
def test_a_small_folder_takes_little_memory(unpacked, program):
    status, out, err = run_in_memory(program, 1024, unpacked)
    assert (status, err) == (0, "")
    assert "sound" in out


@pytest.mark.parametrize("program", sorted(MODULES))
def test_a_large_file_is_not_held_in_memory(unpacked, program):
    """It is on the disk once more, as the bundle that the unpacked was."""
    with (unpacked / "game.gcg").open("wb") as handle:
        handle.truncate(300 << 20)
    status, out, err = run_in_memory(program, 768, unpacked)
    assert (status, err) == (1, "")
    assert "game.gcg" in out


@pytest.mark.parametrize("raw", ["[" * DEEP + "]" * DEEP, '"\\ud800"', '"\\u001b[2K\\nb: sound"'])
def test_hostile_names_reach_no_terminal(tmp_path, run, forger, raw):
    forger.manifest["game"]["players"]["left"] = RAW
    forger.manifest["head"]["digest"] = RAW
    (tmp_path / "b.zip").write_bytes(forger.made(raw))
    status, out, err = run(tmp_path / "b.zip")
    assert (status, err) == (1, "")
    assert out.count("\n") < 10
    assert out.replace("\n", "").isprintable()
    assert not any(line.startswith("b: sound") for line in out.splitlines())
