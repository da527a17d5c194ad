"""How often turns are right that say to be so sure: reliability by bins.

    python benchmarks/certainty.py WORK…

WORK is a folder in which ``benchmarks/motion.py --work WORK`` has left videos and, beside each, the
log of its replay. The ``certainty`` of each turn is compared with the play of the recording that
shares most squares with it (``tiles``: exactly that; ``player``: its side), and the confidence of
each square that a turn changed with what lies there in that play. Presses are the truth about time,
so ``time`` says nothing with a clock. Other plays than the recording's (a play that is challenged
off) have no truth to compare with: leave such variants out.

*Silent*: wrong, with no flag that somebody has to see to. Exit status 1 if there is such a turn.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from motion_turns import NOT_ASKED

from game.board import UNREADABLE, Square
from game.referee.turn import Turn
from game.state.fold import GameState
from record.log.event_log import EventLog
from record.paths import DATABASE
from table.resume import resume_game
from tests.table.sharedkit import due, expected

EDGES = (0.0, 0.3, 0.6, 0.75, 0.9, 0.95, 0.99, 0.999, 1.0001)


@dataclass(frozen=True)
class Sample:
    """One number that was claimed, and whether it came true."""

    what: str
    claimed: float
    right: bool
    asked: bool
    where: str


def samples(video: Path, state: GameState) -> Iterable[Sample]:
    """Compare a game with its recording."""
    plays = [(row["side"], dict(due(row)[2])) for row in expected(video)]
    how = "with a clock" if state.timed else "without a clock"
    for turn in state.turns:
        sure = turn.seen.certainty
        if sure is None:
            continue
        side, play = _play_of(turn, plays)
        asked = any(flag.code not in NOT_ASKED for flag in turn.flags)
        where = f"{video.name}, turn {turn.number}"
        shown = {name: "?" if s.islower() else s for name, s in turn.tiles.items()}
        yield Sample(f"tiles {how}", sure["tiles"], shown == play, asked, where)
        if shown:
            yield Sample(f"player {how}", sure["player"], turn.side == side, asked, where)
        for name, confidence in turn.seen.confidence.items() if shown else ():
            square = Square.parse(name)
            symbol = turn.seen.rows[square.row][square.col]
            if symbol != UNREADABLE:
                right = play.get(name, ".") == ("?" if symbol.islower() else symbol)
                yield Sample(f"squares {how}", confidence, right, asked, f"{where}, {name}")


def _play_of(turn: Turn, plays: list[tuple[str, dict[str, str]]]) -> tuple[str, dict[str, str]]:
    """The play that shares most squares with a turn; of one without tiles that of its number."""
    if not turn.tiles:
        return plays[turn.number - 1] if turn.number <= len(plays) else (turn.side, {})
    return max(plays, key=lambda play: len(play[1].keys() & turn.tiles.keys()))


def show(what: str, found: list[Sample]) -> None:
    """Print one table."""
    print(f"\n{what}: {len(found)}\n{'claimed':>16}{'n':>7}{'mean':>8}{'right':>8}{'silent':>8}")
    for low, high in pairwise(EDGES):
        here = [one for one in found if low <= one.claimed < high]
        if not here:
            continue
        mean = sum(one.claimed for one in here) / len(here)
        right = sum(one.right for one in here) / len(here)
        silent = sum(not one.right and not one.asked for one in here)
        span = f"{low:g} to {min(high, 1):g}"
        print(f"{span:>16}{len(here):>7}{mean:>8.3f}{right:>8.3f}{silent:>8}")


def main() -> int:
    """Print the tables and the silent errors."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", type=Path, nargs="+")
    args = parser.parse_args()
    found: list[Sample] = []
    for out in sorted(path.parent for work in args.work for path in work.glob(f"*-out/{DATABASE}")):
        with EventLog(out / DATABASE) as log:
            state = resume_game(log, log.game_ids()[-1]).state
        found += samples(out.with_name(out.name.removesuffix("-out")), state)
    for what in sorted({one.what for one in found}):
        show(what, [one for one in found if one.what == what])
    silent = [s for s in found if not s.right and not s.asked and not s.what.startswith("squares")]
    for one in silent:
        print(f"silent: {one.what}, {one.where}")
    return 1 if silent else 0


if __name__ == "__main__":
    sys.exit(main())
