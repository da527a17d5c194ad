"""``tilewatch backup``: a table's data to a USB stick or a folder, while it runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from table.commands import uses
from table.commands.terminal import answer, say

if TYPE_CHECKING:
    from hub.backup import HubBackup

NAME = "backup"
HELP = "copy a table's data to a folder or a USB stick"
DESCRIPTION = (
    "Copies the log and all pictures into a folder and checks the copy: every hash and signature, "
    "every picture. Works while the table is running. Done again into the same folder it copies "
    "only what is new. Exit status 1 when pictures that belong to a game are lost."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("target", metavar="DIR", type=Path, help="a new folder, or a backup's")
    parser.add_argument(
        "--with-key",
        action="store_true",
        help="copy the table's private key too, so that another machine can go on as this table; "
        "keep such a backup locked away",
    )
    parser.add_argument(
        "--as-it-stands",
        action="store_true",
        help="back up although the log's second copy has other events, and take that along",
    )
    uses.add_config(parser, *uses.EITHER)
    uses.add_data(parser, *uses.EITHER)


def run(args: argparse.Namespace) -> int:
    """Back up, check, and say what there is."""
    from record.backup import backup
    from record.log.compare import uncompared
    from record.paths import DATABASE, HUB_DATABASE

    data = uses.data_of(args, *uses.EITHER)
    if (data / HUB_DATABASE).is_file():
        return _back_up_hub(args, data)
    done = backup(
        data,
        args.target,
        with_key=args.with_key,
        as_it_stands=args.as_it_stands,
    )
    answer(
        f"{done.folder}: {done.games} games, {done.events} events, {done.pictures} pictures "
        f"({done.fresh} new); checked"
    )
    if done.head:
        answer(f"digest of the last event  {done.head}")
    if done.key:
        answer(f"with the private key of   {done.key}")
    if (why := uncompared(data / DATABASE)) is not None:
        say(f"not compared: {why}")
    if done.discrepancy is not None:
        say(f"as it stands; restore puts back what it can: {done.discrepancy}")
    for sha in done.lost:
        say(f"lost: the picture {sha} belongs to a game and is not in the evidence folder")
    return 1 if done.lost else 0


def _back_up_hub(args: argparse.Namespace, data: Path) -> int:
    """Back up a hub: the logs of all its tables, and the pictures that it has."""
    from game.errors import TilewatchError
    from hub.backup import backup_hub

    if args.as_it_stands:
        raise TilewatchError("--as-it-stands is for a table; a hub's logs have no second copy")
    return told_of_hub(backup_hub(data, args.target, with_keys=args.with_key))


def told_of_hub(done: HubBackup) -> int:
    """Say what a hub's backup, or a restored hub, holds; the exit status."""
    answer(
        f"{done.folder}: {done.tables} tables, {done.games} games, {done.events} events, "
        f"{done.pictures} pictures ({done.fresh} new); checked"
    )
    if done.key:
        answer(f"with the keys of the hub  {done.key}")
    else:
        say("without the hub's keys: tables have to be enrolled again at a hub restored from it")
    for table_id, count in done.missing.items():
        say(
            f"{table_id}: {count} pictures of its games are not at the hub; leave the hub running "
            "until they are, or back up the table too"
        )
    return 1 if done.missing else 0
