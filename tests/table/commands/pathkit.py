"""Every place of the command line where a path can be named, with what else it needs."""

from __future__ import annotations

import contextlib
import io
import json
import os
import resource
import shlex
import shutil
import signal
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import cv2
import numpy as np

from record.paths import DATABASE
from table.cli import main, tilewatch

TOML = 'name = "g"\ntile_set = "english"\nstills = true\nplayers = { left = "A", right = "B" }\n'
PRESSES = "t_ms,button\n0,right\n1000,left\n"
EXPECTED = "turn,side,position,word\n1,left,,\n"


def make_hostile(path: Path, kind: str) -> None:
    """Put something there that must not be read as a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.touch()
        os.truncate(path, 100 * 10**9)


def make_inputs(folder: Path) -> None:
    """A sound input of each kind, for all but the place that is tried."""
    from tests.record.bundlekit import make

    make(folder / "data", folder / "bundle.zip", turns=2)
    picture = np.random.default_rng(1).integers(0, 255, (400, 400, 3)).astype(np.uint8)
    for place in ("recording/frames/000000900.jpg", "photos/a.jpg", "a.jpg"):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        cv2.imwrite(str(folder / place), picture)
    (folder / "recording/recording.toml").write_text(TOML)
    (folder / "recording/buttons.csv").write_text(PRESSES)
    (folder / "recording/expected.csv").write_text(EXPECTED)
    label = {"corners": [[0, 0], [400, 0], [400, 400], [0, 400]], "rows": ["." * 15] * 15}
    (folder / "photos/a.json").write_text(json.dumps(label))
    main_quietly("backup", folder / "backup", "--data", folder / "data")


def main_quietly(*argv: object) -> tuple[int, str]:
    """Run a command in this process; its exit status and what it says about what is wrong."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main([str(one) for one in argv])
    return status, err.getvalue()


def named_paths() -> set[tuple[str, str]]:
    """(command, option) wherever the command line takes a path."""
    top = click.Context(tilewatch)
    return {
        (name, param.opts[-1])
        for name in tilewatch.list_commands(top)
        for param in tilewatch.get_command(top, name).params
        if isinstance(param.type, click.Path)
    }


TRIED = tomllib.loads(Path(__file__).with_name("named_paths.toml").read_text("utf-8"))
CASES = {tuple(place.split()): shlex.split(line) for place, line in TRIED["cases"].items()}
WITHIN = {name: shlex.split(line) for name, line in TRIED["within"].items()}


class Hangs(BaseException):
    """A command that did not end by itself."""


@contextlib.contextmanager
def _no_longer_than(seconds: int) -> Iterator[None]:
    """Break off what hangs."""

    def late(*_: object) -> None:
        raise Hangs

    signal.signal(signal.SIGALRM, late)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)


def tried(folder: Path, kind: str, argv: list[str], at: Path) -> dict[str, object]:
    """Run one case in this process, which may neither hang nor take much memory."""
    os.chdir(folder)
    make_hostile(at, kind)
    try:
        with _no_longer_than(90):
            status, err = main_quietly(*(str(at) if one == "X" else one for one in argv))
    except BaseException as error:
        return {"argv": argv, "at": str(at), "escaped": repr(error)}
    return {"argv": argv, "at": str(at), "status": status, "err": err}


OUTPUTS = {
    ("calibrate", "--stickers"),
    ("doctor", "--report"),
    ("export", "--out"),
    ("run", "--gcg-file"),
}
"""Files that are written, where a huge one in their place is nobody's trouble."""


def child(folder: Path, kind: str) -> None:
    """Try every case with one kind of thing, and print what came of it as JSON."""
    make_inputs(folder)
    for name, text in TRIED["configs"].items():
        (folder / name).write_text(text)
    sound = folder / "sound"
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
    done = []
    shutil.copytree(folder, sound, symlinks=True)
    for number, (place, argv) in enumerate(CASES.items()):
        if kind == "sparse" and place in OUTPUTS:
            continue
        case = folder / f"case{number}"
        shutil.copytree(sound, case)
        done.append(tried(case, kind, argv, case / "hostile"))
    for number, (name, argv) in enumerate(WITHIN.items()):
        if kind == "sparse" and argv[0] == "run" and name.startswith(f"data/{DATABASE}"):
            continue  # a damaged log, which the table makes good before it goes on
        case = folder / f"within{number}"
        shutil.copytree(sound, case)
        done.append(tried(case, kind, argv, case / name.partition("#")[0]))
    sys.stdout.write(json.dumps(done))


if __name__ == "__main__":
    child(Path(sys.argv[1]), sys.argv[2])
