"""``tilewatch backup``, ``restore`` and ``repair``: copies of a table's data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from game.errors import TilewatchError
from table.commands.options import EITHER, HUB, PATH, TABLE, Given, given
from table.commands.terminal import answer, say

if TYPE_CHECKING:
    from hub.backup import HubBackup


@click.command()
@click.argument("target", metavar="DIR", type=PATH, help="a new folder, or a backup's")
@click.option(
    "--with-key", is_flag=True,
    help="copy the table's private key too, so that another machine can go on as this table; "
    "keep such a backup locked away",
)  # fmt: skip
@click.option(
    "--as-it-stands", is_flag=True,
    help="back up although the log's second copy has other events, and take that along",
)  # fmt: skip
@given(*EITHER)
def backup(given: Given, target: Path, with_key: bool, as_it_stands: bool) -> int:
    """Copy a table's data to a folder or a USB stick.

    Copies the log and all pictures into a folder and checks the copy: every hash and signature,
    every picture. Works while the table is running. Done again into the same folder it copies only
    what is new. Exit status 1 when pictures that belong to a game are lost.
    """
    from record import backup as tables
    from record.log.mirror import uncompared
    from record.paths import DATABASE, HUB_DATABASE

    data = given.folder()
    if (data / HUB_DATABASE).is_file():
        from hub.backup import backup_hub

        if as_it_stands:
            raise TilewatchError("--as-it-stands is for a table; a hub's logs have no second copy")
        return _told_of_hub(backup_hub(data, target, with_keys=with_key))
    done = tables.backup(data, target, with_key=with_key, as_it_stands=as_it_stands)
    answer(
        f"{done.folder}: {done.games} games, {done.events} events, {done.pictures} pictures "
        f"({done.fresh} new); checked"
    )
    if done.head:
        answer(f"check code of the last event  {done.head}")
    if done.key:
        answer(f"with the private key of       {done.key}")
    if (why := uncompared(data / DATABASE)) is not None:
        say(f"not compared: {why}")
    if done.discrepancy is not None:
        say(f"as it stands; restore puts back what it can: {done.discrepancy}")
    for sha in done.lost:
        say(f"lost: the picture {sha} belongs to a game and is not in the evidence folder")
    return 1 if done.lost else 0


def _told_of_hub(done: HubBackup) -> int:
    """Print the contents of a hub's backup or of a restored hub; return the exit status."""
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


@click.command()
@click.argument("source", metavar="DIR", type=PATH, help="the folder of the backup")
@given(*EITHER)
def restore(given: Given, source: Path) -> int:
    """Put a backup back, on this machine or another.

    Checks a backup whole, every hash, signature and picture, and makes it the data of this table.
    It never writes over data that is there. Exit status 1 when pictures are lost.
    """
    from record import backup as tables
    from record.signing import KEY_FILE, TableKey

    if tables.format_of(source) not in (None, tables.FORMAT):
        from hub.backup import restore_hub

        return _told_of_hub(restore_hub(source, given.folder(HUB)))
    data = given.folder(TABLE)
    done = tables.restore(source, data)
    answer(
        f"{done.folder}: {done.games} games, {done.events} events, {done.pictures} pictures; "
        "checked"
    )
    for line in done.repairs:
        say(line)
    if done.head:
        answer(f"check code of the last event  {done.head}")
    key = TableKey.open(data / KEY_FILE).fingerprint
    answer(f"key of the table              {key}{'' if done.key else ' (new)'}")
    for sha in done.lost:
        say(f"lost: the picture {sha} belongs to a game and is not in the backup")
    return 1 if done.lost else 0


@click.command()
@given(TABLE)
def repair(given: Given) -> int:
    """Repair a damaged log from its second copy.

    Restores events that the log has lost and its second copy still has, and writes a new log in
    place of a damaged one; the damaged file is kept. A table does the same whenever it starts. Then
    every hash and signature is checked: exit status 1 when something is still wrong.
    """
    from record.errors import LogError
    from record.log.event_log import EventLog
    from record.log.mirror import discrepancy, mirror_path
    from record.paths import DATABASE

    path = given.folder() / DATABASE
    if not path.is_file() and not mirror_path(path).is_file():
        raise LogError(f"{path}: no such event log; name the table's data folder with --data")
    with EventLog(path) as log:
        fault, left = log.verify(), discrepancy(log.events, path)
        for line in log.opening:
            answer(line)
        for wrong in (fault, left):
            if wrong is not None:
                answer(f"{path}: {wrong}")
        if fault is None and left is None:
            answer(f"{path}: {log.last_seq} events hold")
    return 0 if fault is None and left is None else 1
