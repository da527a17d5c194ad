"""``tilewatch doctor``: what works at this machine, and what to do about the rest."""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import TilewatchError
from game.files import require_replaceable
from table.commands import uses
from table.commands.terminal import answer, answer_json, say

if TYPE_CHECKING:
    from table.doctor.check import Check

NAME = "doctor"
HELP = "check camera, buttons, disk, clocks and all else a table needs"
DESCRIPTION = (
    "Looks at everything that a table needs and says of each whether it will do, or what to do. "
    "Without a configuration it looks at what this machine has. Camera and pins of a table that is "
    "running are left alone. Exit status 1 when something has to be done."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    uses.add_config(parser, uses.TABLE)
    uses.add_data(parser, uses.TABLE)
    parser.add_argument(
        "--report", metavar="FILE", type=Path,
        help="write all that was found into this ZIP file, without secrets, for whoever helps",
    )  # fmt: skip
    parser.add_argument(
        "--picture", action="store_true", help="add the newest picture of the board to the report"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Run the checks one after another, and print each result at once."""
    from table.doctor import checked_file

    if args.picture and args.report is None:
        raise TilewatchError("--picture goes into a report; add --report FILE")
    if args.report is not None:
        require_replaceable(args.report)
    path = uses.config_file(args, uses.TABLE)
    with contextlib.suppress(TilewatchError, OSError):  # the checks say what is wrong with it
        uses.table_of(args)
    done = []
    for check in checked_file(path, args.data, _hub):
        done.append(check)
        if not args.json:
            answer(str(check))
    if args.report is not None:
        from table.doctor.report import write_report

        write_report(args.report, done, path, args.data, picture=args.picture)
        say(f"written: {args.report}; look into it before you send it")
    amiss = sum(not check.ok for check in done)
    if args.json:
        answer_json({"ok": not amiss, "checks": [check.as_json() for check in done]})
    elif amiss:
        need = "needs" if amiss == 1 else "need"
        answer(f"{amiss} of {len(done)} {need} fixing: the lines that begin with NO")
    else:
        answer(f"all {len(done)} are well")
    return 1 if amiss else 0


def _hub(folder: Path, running: bool) -> Iterable[Check]:
    from record.paths import HUB_FILE

    if not (folder / HUB_FILE).exists():
        return ()
    from hub.table_side.doctor import hub_checks

    return hub_checks(folder, running=running)
