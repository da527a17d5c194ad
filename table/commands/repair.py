"""``tilewatch repair``: repair a log from its second copy."""

from __future__ import annotations

import argparse

from table.commands import uses
from table.commands.terminal import answer

NAME = "repair"
HELP = "repair a damaged log from its second copy"
DESCRIPTION = (
    "Restores events that the log has lost and its second copy still has, and writes a new log in "
    "place of a damaged one; the damaged file is kept. A table does the same whenever it starts. "
    "Then every hash and signature is checked: exit status 1 when something is still wrong."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    uses.add_config(parser, uses.TABLE)
    uses.add_data(parser, uses.TABLE)


def run(args: argparse.Namespace) -> int:
    """Repair, check, and say what was done."""
    from record.errors import LogError
    from record.log.compare import discrepancy
    from record.log.event_log import EventLog
    from record.log.mirror import mirror_path
    from record.paths import DATABASE

    path = uses.data_of(args, uses.TABLE) / DATABASE
    if not path.is_file() and not mirror_path(path).is_file():
        raise LogError(f"{path}: no such event log; name the table's data folder with --data")
    with EventLog(path) as log:
        fault, left = log.verify(), discrepancy(log, path)
        for line in log.opening:
            answer(line)
        for wrong in (fault, left):
            if wrong is not None:
                answer(f"{path}: {wrong}")
        if fault is None and left is None:
            answer(f"{path}: {log.last_seq} events hold")
    return 0 if fault is None and left is None else 1
