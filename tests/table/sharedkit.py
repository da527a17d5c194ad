"""Recordings of real games: what is expected of each turn, and videos made of their stills.

The recordings of ScrabScrap name positions its way: a play *across* is written with the row as a
letter and the column as a number (``H4``: row H, the eighth, from the fourth column), a play *down*
with the column as a number first (``5G``: fifth column, from row G). That is GCG's naming of the
board mirrored at its diagonal, so rows and columns change places here: ``H4`` is ``8D`` and ``5G``
is ``E7``. (In the pictures FIRNS, their ``H4``, lies in the eighth row.)
"""

from __future__ import annotations

import csv
import importlib.util
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from game.board import parse_position

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@cache
def benchmark(name: str) -> ModuleType:
    """A module of ``benchmarks``."""
    spec = importlib.util.spec_from_file_location(name, BENCHMARKS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def gcg_position(theirs: str) -> str:
    """ScrabScrap's name of a position as GCG's."""
    across = re.fullmatch(r"([A-O])(\d+)", theirs)
    if across:
        return f"{ord(across[1]) - 64}{chr(64 + int(across[2]))}"
    down = re.fullmatch(r"(\d+)([A-O])", theirs)
    assert down is not None
    return f"{chr(64 + int(down[1]))}{ord(down[2]) - 64}"


def new_tiles(position: str, word: str) -> dict[str, str]:
    """The tiles that a play puts down, blanks as ``?``.

    Compared instead of the word: a single tile can lie in two words, and either names the play.
    """
    if not position:
        return {}
    start, across = parse_position(gcg_position(position))
    return {
        start.step(across, at).name: symbol.replace("_", "?")
        for at, symbol in enumerate(word)
        if symbol != "."
    }


def expected(folder: Path) -> list[dict[str, str]]:
    """The rows of ``expected.csv``."""
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def scored(row: dict[str, str]) -> bool:
    """Whether points are to be compared: the Romanian game's are by other rules."""
    return bool(row["total"])


def due(row: dict[str, str]) -> tuple[Any, ...]:
    """What is expected of a turn: all that its row tells, of one without points its tiles."""
    if not scored(row):
        tiles = dict(one.split("=") for one in row["position"].split())
        return int(row["turn"]), row["side"], tiles
    tiles = new_tiles(row["position"], row["word"])
    score, total = int(row["score"]), int(row["total"])
    return int(row["turn"]), row["side"], tiles, row["kind"], score, total


def read(turn: dict[str, Any], row: dict[str, str]) -> tuple[Any, ...]:
    """The same of a turn in the document that ``replay --json`` prints."""
    found = turn["number"], turn["side"], turn["tiles"]
    return (*found, turn["kind"], turn["score"], turn["total"]) if scored(row) else found


def shortened(folder: Path, turns: int, out: Path) -> Path:
    """The first turns of a recording of stills."""
    (out / "frames").mkdir(parents=True)
    (out / "recording.toml").write_bytes((folder / "recording.toml").read_bytes())
    pictures = sorted((folder / "frames").glob("*.jpg"))
    for picture in pictures[:turns]:
        (out / "frames" / picture.name).symlink_to(picture)
    until_ms = int(pictures[turns].stem)
    presses = (folder / "buttons.csv").read_text().splitlines()
    early = [line for line in presses[1:] if int(line.split(",")[0]) < until_ms]
    (out / "buttons.csv").write_text("\n".join([presses[0], *early]) + "\n")
    rows = (folder / "expected.csv").read_text("utf-8").splitlines()[: turns + 1]
    (out / "expected.csv").write_text("\n".join(rows) + "\n", "utf-8")
    return out


def without_buttons(folder: Path) -> Path:
    """A recording whose presses are left out; who plays first is given, as by a club's pairings."""
    toml, presses = folder / "recording.toml", folder / "buttons.csv"
    with presses.open(encoding="utf-8", newline="") as handle:
        first = "left" if next(csv.DictReader(handle))["button"] == "right" else "right"
    presses.unlink()
    given = f'buttons = "none"\nfirst = "{first}"\n'
    toml.write_text(given + toml.read_text("utf-8"), "utf-8")
    return folder


def live_video(tool: Path, recording: Path, out: Path, *options: str) -> Path:
    """A video of a recording of stills, with pretended hands."""
    tilewatch = Path(sys.executable).with_name("tilewatch")
    command = [sys.executable, str(tool), str(tilewatch), str(recording), str(out), *options]
    subprocess.run(command, check=True, capture_output=True)
    return out
