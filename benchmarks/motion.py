"""The results of games filmed in motion: real boards and hands, invented moves.

    python benchmarks/motion.py RECORDINGS [--hands FOLDER] [--variant NAME]… [--only GAME]
        [--turns N] [--seed N]… [--work DIR] [--json FILE] [--sheets] [--no-buttons]

RECORDINGS holds recordings of stills with an ``expected.csv`` each. Each game is filmed in each
variant (``python -m simulation.motion``; docs/recording.md has them all) and replayed through the
whole pipeline. Reported are the measures that annotators of broadcasts publish, and ours:

* matched, split, missed: the plays that one turn shows exactly; whose tiles are found, but in
  several turns, with others among them or with a wrong letter; the rest. Spurious: turns with tiles
  most of which belong to no play that is left.
* first: the first turn that is wrong. board: the tiles that are right on the board in the end.
* right: turns with the right side, tiles, kind, score and total. alone: the same without the total,
  which an earlier mistake puts off.
* silent: turns that are wrong by themselves with no flag on them that is open at the end. It must
  be zero.
* asked: turns with a flag that is open at the end of the game, for somebody to see to, and their
  share; the reasons follow. settled: turns whose flags were all settled by what was seen later,
  with nobody asked; their reasons follow in brackets. Neither a blank's letter, which no picture
  shows, nor a note (``board_covered``, ``not_pressed``) is counted. The last line has the median
  over the games, and their range.

``--no-buttons`` leaves the presses out: the turns are taken from the board and the hands alone.
``--sheets`` puts frames around the press of each wrong turn beside the video, as ``wrong-N.png``.
Exit status 1 if an error was silent.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from simulation.motion.hands import cut_hands
from simulation.motion.make import film
from simulation.motion.stills import load_stills
from simulation.motion.variants import ALL, parse_variant
from tests.table.sharedkit import due, expected, read, scored, without_buttons

NOT_ASKED = {"blank_undesignated", "board_covered", "not_pressed"}
COLUMNS = (
    *("turns", "right", "alone", "silent", "matched", "split", "missed", "spurious"),
    *("asked", "settled"),
)


@dataclass
class Outcome:
    """The results of one game in one variant, or of several."""

    game: str
    variant: str
    seed: int
    turns: int = 0
    right: int = 0
    alone: int = 0
    silent: int = 0
    matched: int = 0
    split: int = 0
    missed: int = 0
    spurious: int = 0
    asked: int = 0
    """Turns with a flag that is open at the end."""
    settled: int = 0
    """Turns all of whose flags were settled by what was seen later."""
    reasons: Counter[str] = field(default_factory=Counter)
    """The flags that are open at the end."""
    settled_reasons: Counter[str] = field(default_factory=Counter)
    """The flags that were settled."""
    first: int | None = None
    board_right: int = 0
    board_tiles: int = 0
    wrong: list[dict[str, Any]] = field(default_factory=list)
    """Each wrong turn: what was expected, what was found, and the flags on it."""
    ms: dict[str, Any] = field(default_factory=dict)

    def add(self, other: Outcome) -> None:
        for name in (*COLUMNS, "board_right", "board_tiles"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.reasons += other.reasons
        self.settled_reasons += other.settled_reasons


def replayed(video: Path) -> dict[str, Any]:
    """The document that a replay of it prints."""
    out = str(video.with_name(f"{video.name}-out"))
    command = [sys.executable, "-m", "table.cli", "replay", str(video), "--json", "--out", out]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def measured(outcome: Outcome, rows: list[dict[str, str]], document: dict[str, Any]) -> Outcome:
    """Compare the turns of a replay with those that are expected."""
    turns = document["turns"]
    outcome.turns, outcome.ms = len(rows), document["ms"]
    for at, row in enumerate(rows):
        turn = turns[at] if at < len(turns) else None
        open_flags = _flags(turn, settled=False) if turn else []
        found = read(turn, row) if turn else None
        alone = found is not None and _alone(found, row) == _alone(due(row), row)
        outcome.right += found == due(row)
        outcome.alone += alone
        if not alone:
            outcome.silent += turn is not None and not open_flags
            outcome.first = outcome.first or int(row["turn"])
            outcome.wrong.append(
                {"turn": row["turn"], "due": due(row), "found": found, "flags": open_flags}
            )
    for turn in turns:
        open_flags, settled = _flags(turn, settled=False), _flags(turn, settled=True)
        outcome.asked += bool(open_flags)
        outcome.reasons.update(open_flags)
        outcome.settled += bool(settled) and not open_flags
        outcome.settled_reasons.update(settled)
    _match(outcome, [dict(due(row)[2]) for row in rows], [turn["tiles"] for turn in turns])
    _compare_boards(outcome, rows, document["rows"])
    return outcome


def _alone(found: tuple[Any, ...], row: dict[str, str]) -> tuple[Any, ...]:
    return found[1:-1] if scored(row) else found[1:]


def _flags(turn: dict[str, Any], *, settled: bool) -> list[str]:
    """Return the codes of the flags that ask somebody, or asked and were settled."""
    return [
        flag["code"]
        for flag in turn["flags"]
        if flag["code"] not in NOT_ASKED and (flag["settled"] is not None) == settled
    ]


def _match(outcome: Outcome, plays: list[dict[str, str]], turns: list[dict[str, str]]) -> None:
    """Count matched, split and missed plays, and spurious turns."""
    left = [tiles for tiles in turns if tiles]
    others = []
    for play in plays:
        if play in left:
            left.remove(play)
            outcome.matched += 1
        elif play:
            others.append(play)
    for play in others:
        found = {square for tiles in left for square in tiles} & play.keys()
        if 2 * len(found) >= len(play):
            outcome.split += 1
        else:
            outcome.missed += 1
    squares = {square for play in others for square in play}
    outcome.spurious += sum(2 * len(tiles.keys() & squares) < len(tiles) for tiles in left)


def _compare_boards(outcome: Outcome, rows: list[dict[str, str]], shown: list[str]) -> None:
    for row in rows:
        for name, symbol in due(row)[2].items():
            line, column = (
                int("".join(filter(str.isdigit, name))) - 1,
                ord(name.strip("0123456789")) - 65,
            )
            outcome.board_tiles += 1
            outcome.board_right += shown[line][column] == symbol


def sheet(video: Path, turn: str) -> None:
    """Write frames around the press of a turn as one picture."""
    truth = json.loads((video / "truth.json").read_text("utf-8"))
    press = next((t["press_ms"] for t in truth["turns"] if t["number"] == int(turn)), None)
    if press is None:
        return
    times = sorted(int(path.stem) for path in (video / "frames").glob("*.jpg"))
    near = [t for t in times if press - 2500 <= t <= press + 3500]
    tiles = []
    for at in np.linspace(0, len(near) - 1, min(15, len(near))).astype(int):
        image = cv2.imread(str(video / "frames" / f"{near[at]:09d}.jpg"))
        assert image is not None
        small = cv2.resize(image, None, fx=330 / image.shape[0], fy=330 / image.shape[0])
        cv2.putText(small, f"{near[at] - press:+d} ms", (4, 20), 0, 0.6, (0, 0, 255), 2)
        tiles.append(small)
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % 5)
    lines = [np.hstack(tiles[at : at + 5]) for at in range(0, len(tiles), 5)]
    cv2.imwrite(str(video / f"wrong-{turn}.png"), np.vstack(lines))


def line(outcome: Outcome) -> str:
    """One row of the table."""
    shown = [f"{getattr(outcome, name):>8}" for name in COLUMNS]
    share = 100 * outcome.asked / max(outcome.turns, 1)
    tail = f"{share:>6.1f}% {outcome.first or '-':>6} {outcome.board_right}/{outcome.board_tiles}"
    reasons, settled = (
        ", ".join(f"{code} {count}" for code, count in counted.most_common())
        for counted in (outcome.reasons, outcome.settled_reasons)
    )
    name = f"{outcome.variant:<28}{outcome.game:<20}"
    return f"{name}{''.join(shown)} {tail}  {reasons}{f' ({settled})' if settled else ''}"


def asks_per_game(asked: list[int]) -> str:
    """A line on how many turns of a game somebody is asked about."""
    median = statistics.median(asked)
    return f"asked of a game: median {median:g} turns, {min(asked)} to {max(asked)}"


def main() -> int:
    """Print a line for each game and variant."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("recordings", type=Path)
    parser.add_argument("--hands", type=Path, help="photographs to cut hands from; else drawn")
    parser.add_argument("--variant", action="append", help="names joined by +; else all")
    parser.add_argument("--only", help="the name of one recording")
    parser.add_argument("--turns", type=int, help="only the first turns of each game")
    parser.add_argument("--seed", type=int, action="append")
    parser.add_argument("--work", type=Path, help="where the videos go, and stay")
    parser.add_argument("--json", type=Path, help="where to write all that was measured")
    parser.add_argument("--sheets", action="store_true", help="show the wrong turns")
    parser.add_argument("--no-buttons", action="store_true", help="leave the presses out")
    args = parser.parse_args()
    outcomes = []
    hands = cut_hands(args.hands) if args.hands else []
    heads = "".join(f"{name:>8}" for name in COLUMNS)
    print(f"{'variant':<28}{'game':<20}{heads}   share  first board", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        for folder in sorted(path.parent for path in args.recordings.glob("*/expected.csv")):
            if args.only not in (None, folder.name):
                continue
            stills = load_stills(folder, args.turns)
            for name in args.variant or ALL:
                for seed in args.seed or [1]:
                    out = (args.work or Path(scratch)) / f"{folder.name}-{name}-{seed}"
                    film(stills, out, parse_variant(name), seed=seed, hands=hands)
                    if args.no_buttons:
                        without_buttons(out)
                    outcome = Outcome(folder.name, name, seed)
                    measured(outcome, expected(out), replayed(out))
                    outcomes.append(outcome)
                    print(line(outcome), flush=True)
                    if args.sheets:
                        for wrong in outcome.wrong:
                            sheet(out, wrong["turn"])
                    if args.json:
                        args.json.write_text(json.dumps([vars(one) for one in outcomes], indent=1))
    total = Outcome("all", "all", 0)
    for outcome in outcomes:
        total.add(outcome)
    print(line(total))
    if outcomes:
        print(asks_per_game([outcome.asked for outcome in outcomes]))
    return 1 if total.silent else 0


if __name__ == "__main__":
    sys.exit(main())
