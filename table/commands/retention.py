"""``tilewatch retention``: list the evidence that may be deleted, and delete it."""

from __future__ import annotations

import argparse

from table.commands import uses
from table.commands.terminal import answer, columns

NAME = "retention"
HELP = "show the evidence, and what of it may be deleted"
DESCRIPTION = (
    "Lists the games with their pictures and says which would go above the size set: signed games, "
    "oldest first, never one that is unsigned or was disputed. With --apply it announces them, and "
    "deletes what was announced a day ago; the table must not be running then (a running table "
    "does it by itself)."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "--max-gb", metavar="GB", type=float, default=20.0, help="room for pictures (default: 20)"
    )
    parser.add_argument("--apply", action="store_true", help="announce, and delete what is due")
    uses.add_config(parser, uses.TABLE)
    uses.add_data(parser, uses.TABLE)


def run(args: argparse.Namespace) -> int:
    """Show, and do it where asked to."""
    from game.errors import TilewatchError
    from record.evidence import EvidenceStore
    from record.log.event_log import EventLog
    from record.paths import DATABASE, EVIDENCE
    from record.retention import plan, sweep

    if not 0 <= args.max_gb < 1e6:
        raise TilewatchError(f"--max-gb {args.max_gb:g}: choose 0 or more")
    data, limit = uses.data_of(args, uses.TABLE), round(args.max_gb * 1e9)
    with EventLog(data / DATABASE, readonly=True) as log:
        store = EvidenceStore(data / EVIDENCE, readonly=not args.apply)
        found = plan(log, store, limit)
    going = {game.game_id for game in found.going}
    rows = [["game", "pictures", "MB", ""]]
    rows += [
        [
            game.game_id,
            str(len(game.pictures)),
            f"{game.size / 1e6:.1f}",
            "goes"
            if game.game_id in going
            else ""
            if game.may_go
            else "kept: unsigned or disputed",
        ]
        for game in found.games
    ]
    for line in columns(rows, right=frozenset({1, 2})):
        answer(line)
    answer(f"{found.total / 1e6:.1f} MB of {limit / 1e6:,.0f} MB")
    if args.apply:
        with EventLog(data / DATABASE) as log:
            for line in sweep(log, store, limit):
                answer(line)
    return 0
