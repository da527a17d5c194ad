"""``tilewatch evaluate``: measure the weights on labelled photographs."""

from __future__ import annotations

import argparse

NAME = "evaluate"
HELP = "measure the weights on labelled photographs"
DESCRIPTION = (
    "Reads labelled photographs (each with a .json of corners and rows beside it) and says how "
    "much of them is right."
)
PASSES = True


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It has none of its own."""


def run(args: argparse.Namespace) -> int:
    """Evaluate."""
    from table.extras import needs_training

    with needs_training("evaluate"):
        from models.evaluate import main

        return int(main(args.rest) or 0)
