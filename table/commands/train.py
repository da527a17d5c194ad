"""``tilewatch train``: make the weights from nothing."""

from __future__ import annotations

import argparse

NAME = "train"
HELP = "make the weights from nothing"
DESCRIPTION = (
    "Renders scenes and trains on them, from nothing: 'tiles' the classifier, 'locate' the board "
    "finder. Options after that word go to it. Needs sh install.sh --train."
)
PASSES = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("what", choices=["tiles", "locate"])


def run(args: argparse.Namespace) -> int:
    """Train."""
    from table.extras import needs_training

    with needs_training("train"):
        if args.what == "tiles":
            from models.train_tiles import main
        else:
            from models.train_locate import main
        return int(main(args.rest) or 0)
