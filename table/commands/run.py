"""``tilewatch run``: a live table."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from table.commands import uses
from table.commands.terminal import say
from table.stopping import interrupted_by_signals

if TYPE_CHECKING:
    from table.config import TableConfig

NAME = "run"
HELP = "record the games at a table, live"
DESCRIPTION = (
    "Watches a table through its camera and clock buttons, records game after game and serves the "
    "pages, until it is stopped. Started again it goes on where it was. Without a configuration "
    "it takes the camera of this machine; a simulated table is `tilewatch demo`, or configured."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    uses.add_config(parser, uses.TABLE)
    parser.add_argument(
        "--record", metavar="DIR", type=Path, help="write what is seen as a recording, too"
    )
    uses.add_data(parser, uses.TABLE)
    parser.add_argument(
        "--https",
        action="store_true",
        help="serve the pages over TLS, with a certificate of the table's own",
    )
    parser.add_argument(
        "--gcg-file",
        metavar="FILE",
        type=Path,
        help="rewrite this file with the game's record after every turn",
    )


def run(args: argparse.Namespace) -> int:
    """Run the table until it is stopped."""
    from game.files import require_replaceable

    config = uses.table_of(args).with_camera()
    given = {"gcg": args.gcg_file, "https": args.https or None}
    changes = {name: value for name, value in given.items() if value is not None}
    config = config.model_copy(update={"serve": config.serve.model_copy(update=changes)})
    if config.serve.gcg is not None:
        require_replaceable(config.serve.gcg)
    return run_until_stopped(config, args.record)


def run_until_stopped(config: TableConfig, record: Path | None) -> int:
    """Run a table until a signal stops it, recording into ``record`` if that is a folder."""
    from table.live import run_table

    try:
        with interrupted_by_signals():
            return run_table(config, record, say)
    except KeyboardInterrupt:
        say("Stopped; started again, the game goes on.")
        return 0
