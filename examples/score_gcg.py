"""Score a game record: ``python examples/score_gcg.py GAME.gcg``.

Prints each play as the referee scores it, and every line of the record that adds up otherwise.
"""

from __future__ import annotations

import sys

from game import Game, TilewatchError, check_gcg, read_gcg


def main(path: str) -> int:
    """Score one record; 0 if it is right, 1 if not, 2 if it cannot be read."""
    try:
        record = read_gcg(path)
        game = Game.from_gcg(record)
        mismatches = check_gcg(record)
    except TilewatchError as error:
        print(error, file=sys.stderr)
        return 2
    for turn in game.turns:
        play = f"{turn.position} {turn.word}" if turn.word else turn.kind.replace("_", " ")
        total = turn.scores[turn.player]
        print(f"{turn.number:3} {turn.player:20} {play:20} {turn.score + turn.bonus:4} {total:5}")
    for line in game.adjustments:
        if line.kind != "challenge_bonus":
            kind = line.kind.replace("_", " ")
            name = game.players[line.side]
            print(f"    {name:20} {kind:20} {line.points:4} {line.total:5}")
    for mismatch in mismatches:
        print(mismatch)
    return 1 if mismatches else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
