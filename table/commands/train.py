"""``tilewatch train``: make the weights from nothing."""

from __future__ import annotations

import argparse

from table.commands.terminal import answer

NAME = "train"
HELP = "make the weights from nothing"
DESCRIPTION = (
    "Renders scenes and trains on them, from nothing: 'tiles' the classifier, 'locate' the board "
    "finder, 'change' what tells whether a tile was placed; 'pool' fits how two classifiers' "
    "words are pooled, 'promise' chooses how surely a square must be read. Options after that word "
    "go to it. Needs sh install.sh --train."
)
PASSES = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("what", choices=["tiles", "locate", "change", "pool", "promise"], nargs="?")


def run(args: argparse.Namespace) -> int:
    """Train."""
    from game.errors import TilewatchError

    if args.what is None:
        if not {"-h", "--help"} & set(args.rest):
            raise TilewatchError("train: say what to train: tiles, locate, change, pool or promise")
        answer(
            "usage: tilewatch train {tiles,locate,change,pool,promise} [OPTION ...]",
            "",
            *DESCRIPTION.splitlines(),
            "",
            "tilewatch train tiles --help, and so on: their options",
        )
        return 0
    from table.commands.extras import needs_training

    with needs_training("train"):
        if args.what == "tiles":
            from models.train_tiles import main
        elif args.what == "pool":
            from models.pool import main
        elif args.what == "promise":
            from models.promise import main
        elif args.what == "change":
            from models.train_change import main
        else:
            from models.train_locate import main
        return int(main(args.rest) or 0)
