"""Score a game record: ``python examples/score_gcg.py GAME.gcg``.

Prints each play as the referee scores it, and every line of the record that adds up otherwise.
"""

from __future__ import annotations

import sys

from game import Game, TilewatchError, read_gcg
from game.gcg import check


def main(path: str) -> int:
    """Score one record; 0 if it is right, 1 if not, 2 if it cannot be read."""
    try:
        record = read_gcg(path)
        game = Game.from_record(record)
        mismatches = check(record)
    except TilewatchError as error:
        print(error, file=sys.stderr)
        return 2
    for turn in game.turns:
        name = game.state.players[turn.side]
        play = f"{turn.position} {turn.word}" if turn.word else turn.kind
        print(f"{turn.number:3} {name:20} {play:20} {turn.score:4} {turn.total:5}")
    for mismatch in mismatches:
        print(mismatch)
    return 1 if mismatches else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
