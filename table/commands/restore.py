"""``tilewatch restore``: a backup becomes a table's data again."""

from __future__ import annotations

import argparse
from pathlib import Path

from table.commands import uses
from table.commands.terminal import answer, say

NAME = "restore"
HELP = "put a backup back, on this machine or another"
DESCRIPTION = (
    "Checks a backup whole, every hash, signature and picture, and makes it the data of this "
    "table. It never writes over data that is there. Exit status 1 when pictures are lost."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("source", metavar="DIR", type=Path, help="the folder of the backup")
    uses.add_config(parser, *uses.EITHER)
    uses.add_data(parser, *uses.EITHER)


def run(args: argparse.Namespace) -> int:
    """Restore, and say under which key the table goes on."""
    from record.backup import FORMAT, format_of, restore
    from record.signing import KEY_FILE, TableKey

    if format_of(args.source) not in (None, FORMAT):
        from hub.backup import restore_hub
        from table.commands.backup import told_of_hub

        return told_of_hub(restore_hub(args.source, uses.data_of(args, uses.HUB)))
    data = uses.data_of(args, uses.TABLE)
    done = restore(args.source, data)
    answer(
        f"{done.folder}: {done.games} games, {done.events} events, {done.pictures} pictures; "
        "checked"
    )
    for line in done.repairs:
        say(line)
    if done.head:
        answer(f"digest of the last event  {done.head}")
    key = TableKey.open(data / KEY_FILE).fingerprint
    answer(f"key of the table          {key}{'' if done.key else ' (new)'}")
    for sha in done.lost:
        say(f"lost: the picture {sha} belongs to a game and is not in the backup")
    return 1 if done.lost else 0
