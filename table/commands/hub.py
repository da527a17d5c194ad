"""``tilewatch hub``: many tables in one hall."""

from __future__ import annotations

import argparse

from table.commands import uses
from table.commands.arguments import port
from table.commands.terminal import say
from table.stopping import interrupted_by_signals

NAME = "hub"
HELP = "run the hub of a hall of tables"
DESCRIPTION = (
    "Runs the hub and its broker: mirrors the logs of all tables of a hall, shows them, and "
    "carries the director's rulings to them. Tables are let in with: tilewatch enrol."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    uses.add_config(parser, uses.HUB)
    uses.add_data(parser, uses.HUB)
    parser.add_argument("--host", help="the address that the pages are served on")
    parser.add_argument("--port", type=port, help="the port that the pages are served on")
    parser.add_argument(
        "--https",
        action="store_true",
        default=None,
        help="serve the pages over TLS, with a certificate of the hub's own",
    )


def run(args: argparse.Namespace) -> int:
    """Run the hub until it is stopped."""
    from table.commands.extras import needs_hub

    with needs_hub("tilewatch hub"):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from hub.run import run_hub

    config = uses.hub_of(args)
    serve = config.serve.model_copy(
        update={
            key: value
            for key in ("host", "port", "https")
            if (value := getattr(args, key)) is not None
        }
    )
    config = config.model_copy(update={"serve": serve})
    try:
        with interrupted_by_signals():
            return run_hub(config, config.folder, say)
    except KeyboardInterrupt:
        say("Stopped; the tables play on and catch up when the hub is back.")
        return 0
