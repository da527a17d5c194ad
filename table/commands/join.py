"""``tilewatch join``: this table belongs to a hall from now on."""

from __future__ import annotations

import argparse

from table.commands import uses
from table.commands.terminal import answer, say

NAME = "join"
HELP = "tie this table to a hub, with a code from the director's desk"
DESCRIPTION = (
    "Redeems a code that tilewatch enrol made at the hub, and keeps what the hub answers beside "
    "the table's log. From its next start the table sends its log to the hub. --leave unties it."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("code", metavar="CODE", nargs="?", help="the code, like K7QM-2D9F-XW3T")
    parser.add_argument("--hub", metavar="URL", help="where the hub's pages are")
    parser.add_argument("--leave", action="store_true", help="belong to no hub any more")
    uses.add_config(parser, uses.TABLE)
    uses.add_data(parser, uses.TABLE)


def run(args: argparse.Namespace) -> int:
    """Do it."""
    from table.commands.extras import needs_hub

    with needs_hub("tilewatch join"):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from hub.errors import HubError
    from hub.table_side.joining import broker_trouble, join, leave

    folder = uses.data_of(args, uses.TABLE)
    if args.leave:
        leave(folder)
        say("this table belongs to no hub any more")
        return 0
    if not args.code or not args.hub:
        raise HubError("say the code and where the hub is: tilewatch join CODE --hub URL")
    member = join(args.code, args.hub, folder)
    answer(f"{member.name}: table {member.table} of {member.venue}, broker at "
           f"{member.host} port {member.port}")  # fmt: skip
    say("the table is tied to the hub when it is started the next time")
    trouble = broker_trouble(member, folder)
    if trouble is not None:
        say(f"but it could not be now: {trouble}")
    return 0 if trouble is None else 1
