"""Every place of the command line where a path can be named, with what else it needs."""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import resource
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import cv2
import numpy as np

from record.paths import DATABASE
from table import commands
from table.cli import main, parser

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
    chosen = next(
        one for one in parser()._actions if isinstance(one, argparse._SubParsersAction)
    ).choices
    return {
        (command.NAME, action.option_strings[-1] if action.option_strings else action.dest)
        for command in commands.ALL
        for action in chosen[command.NAME]._actions
        if action.type is Path or action.metavar in ("FILE", "DIR", "IMAGE", "BUNDLE")
    }


_JOIN = ("join", "K7QM-2D9F-XW3T", "--hub", "http://127.0.0.1:1")

CASES: dict[tuple[str, str], tuple[str, ...]] = {
    ("accounts", "--config"): ("accounts", "list", "--config", "X"),
    ("accounts", "--data"): ("accounts", "list", "--data", "X"),
    ("backup", "--config"): ("backup", "new", "--config", "X"),
    ("backup", "--data"): ("backup", "new", "--data", "X"),
    ("backup", "target"): ("backup", "X", "--data", "data"),
    ("calibrate", "--config"): ("calibrate", "--config", "X"),
    ("calibrate", "--data"): ("calibrate", "--image", "a.jpg", "--no-browser", "--data", "X"),
    ("calibrate", "--image"): ("calibrate", "--image", "X", "--no-browser", "--data", "new"),
    ("calibrate", "--stickers"): ("calibrate", "--stickers", "X"),
    ("cameras", "--config"): ("cameras", "--delay", "--config", "X"),
    ("check-tiles", "--config"): ("check-tiles", "--config", "X"),
    ("check-tiles", "--data"): ("check-tiles", "a.jpg", "--data", "X"),
    ("check-tiles", "images"): ("check-tiles", "X", "--data", "new"),
    ("demo", "--data"): ("demo", "--once", "--no-serve", "--speed", "0", "--data", "X"),
    ("demo", "--pairings"): ("demo", "--once", "--no-serve", "--speed", "0", "--pairings", "X"),
    ("demo", "--gcg"): ("demo", "--once", "--no-serve", "--speed", "0", "--gcg", "X"),
    ("doctor", "--config"): ("doctor", "--config", "X"),
    ("doctor", "--data"): ("doctor", "--data", "X"),
    ("doctor", "--report"): ("doctor", "--data", "new", "--report", "X"),
    ("enrol", "--config"): ("enrol", "--config", "X"),
    ("enrol", "--data"): ("enrol", "--data", "X"),
    ("evaluate", "--overlay"): ("evaluate", "photos", "--corners-given", "--overlay", "X"),
    ("evaluate", "--weights"): ("evaluate", "photos", "--weights", "X"),
    ("evaluate", "folders"): ("evaluate", "X"),
    ("export", "--config"): ("export", "last", "--out", "new.zip", "--config", "X"),
    ("export", "--data"): ("export", "last", "--out", "new.zip", "--data", "X"),
    ("export", "--out"): ("export", "last", "--data", "data", "--out", "X"),
    ("hub", "--config"): ("hub", "--config", "X"),
    ("hub", "--data"): ("hub", "--port", "0", "--data", "X"),
    ("join", "--config"): (*_JOIN, "--config", "X"),
    ("join", "--data"): (*_JOIN, "--data", "X"),
    ("read", "--empty"): ("read", "a.jpg", "--empty", "X"),
    ("read", "images"): ("read", "X"),
    ("repair", "--config"): ("repair", "--config", "X"),
    ("repair", "--data"): ("repair", "--data", "X"),
    ("replay", "--config"): ("replay", "recording", "--config", "X"),
    ("replay", "--data"): ("replay", "recording", "--data", "X"),
    ("replay", "--out"): ("replay", "recording", "--out", "X"),
    ("replay", "--word-list"): ("replay", "recording", "--out", "new", "--word-list", "X"),
    ("replay", "recording"): ("replay", "X", "--out", "new"),
    ("restore", "--config"): ("restore", "backup", "--config", "X"),
    ("restore", "--data"): ("restore", "backup", "--data", "X"),
    ("restore", "source"): ("restore", "X", "--data", "new"),
    ("retention", "--config"): ("retention", "--config", "X"),
    ("retention", "--data"): ("retention", "--data", "X"),
    ("run", "--config"): ("run", "--config", "X"),
    ("run", "--data"): ("run", "--config", "table.toml", "--data", "X"),
    ("run", "--gcg-file"): ("run", "--config", "table.toml", "--data", "new", "--gcg-file", "X"),
    ("run", "--record"): ("run", "--config", "table.toml", "--data", "new", "--record", "X"),
    ("score", "files"): ("score", "X"),
    ("setup", "--answers"): ("setup", "--data", "new", "--answers", "X"),
    ("setup", "--config"): ("setup", "--data", "new", "--config", "X"),
    ("setup", "--data"): ("setup", "--config", "new.toml", "--data", "X"),
    ("verify", "bundles"): ("verify", "X"),
}
"""How each place is tried: ``X`` stands for what must not be read."""

WITHIN: dict[str, tuple[str, ...]] = {
    f"data/{DATABASE}": ("export", "last", "--out", "new.zip", "--data", "data"),
    f"data/{DATABASE}#backup": ("backup", "new", "--data", "data"),
    f"data/{DATABASE}#run": ("run", "--config", "table.toml", "--data", "data"),
    "data/table.key": ("export", "last", "--out", "new.zip", "--data", "data"),
    "data/web.db": ("accounts", "list", "--data", "data"),
    "data/hub.db": ("enrol", "--data", "data"),
    "backup/backup.json": ("restore", "backup", "--data", "new"),
    f"backup/{DATABASE}": ("restore", "backup", "--data", "new"),
    "recording/recording.toml": ("replay", "recording", "--out", "new"),
    "recording/buttons.csv": ("replay", "recording", "--out", "new"),
    "recording/frames/000000900.jpg": ("replay", "recording", "--out", "new"),
    "recording/expected.csv": ("evaluate", "recording"),
    "photos/a.json": ("evaluate", "photos"),
    "photos/a.jpg": ("evaluate", "photos"),
    "words.txt": ("run", "--config", "words.toml", "--data", "new"),
    "pairings.csv": ("run", "--config", "pairings.toml", "--data", "new"),
    "game.gcg": ("run", "--config", "gcg.toml", "--data", "new"),
    "hub-password": ("hub", "--config", "hub.toml", "--data", "new", "--port", "0"),
}
"""Files that a named file or folder leads to, and a command that goes there."""

CONFIGS: dict[str, str] = {
    "table.toml": "[serve]\non = false\n[simulated]\ngames = 1\nspeed = 0.0\n",
    "words.toml": 'camera = "simulated"\nword_list = "words.txt"\n[serve]\non = false\n',
    "pairings.toml": '[serve]\non = false\n[simulated]\n[players]\nfile = "pairings.csv"\n',
    "gcg.toml": '[serve]\non = false\n[simulated]\ngcg = "game.gcg"\n',
    "hub.toml": "[broker]\nrun = false\npassword_file = 'hub-password'\n",
}


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


def tried(folder: Path, kind: str, argv: tuple[str, ...], at: Path) -> dict[str, object]:
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
    for name, text in CONFIGS.items():
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
