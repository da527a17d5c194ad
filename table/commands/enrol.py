"""``tilewatch enrol``: admit a table to a hall, or bar it."""

from __future__ import annotations

import argparse

from table.commands import uses
from table.commands.terminal import answer, answer_json, columns, say

NAME = "enrol"
HELP = "let a table into the hub's hall, or keep it out"
DESCRIPTION = (
    "Makes a short code, good for one table and a quarter of an hour; at the table it is redeemed "
    "with: tilewatch join. The hub may be running. Without TABLE, lists the tables."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("table", metavar="TABLE", nargs="?", help="the table's id, like table-12")
    parser.add_argument("--name", help="what people call it (default: its id)")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--revoke", action="store_true", help="keep the table out from now on")
    what.add_argument("--readmit", action="store_true", help="let it in again")
    parser.add_argument(
        "--hub", metavar="URL", help="the address of the hub's pages (default: where it last ran)"
    )
    uses.add_config(parser, uses.HUB)
    uses.add_data(parser, uses.HUB)
    parser.add_argument("--no-qr", action="store_true", help="do not print the QR code")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Do it, and say what to do at the table."""
    from table.commands.extras import needs_hub

    with needs_hub("tilewatch enrol"):
        return _run(args)


def _run(args: argparse.Namespace) -> int:
    from contextlib import closing

    from hub.config import own_address
    from hub.enrolment.codes import new_code, readmit, revoke
    from hub.errors import HubError
    from hub.store import DATABASE, PAGES, HubStore

    folder = uses.data_of(args, uses.HUB)
    if not (folder / DATABASE).is_file():
        raise HubError(f"{folder}: no hub has run here; start it once: tilewatch hub")
    with closing(HubStore(folder)) as store:
        if args.table is None:
            return _list(store, as_json=args.json)
        if args.revoke or args.readmit:
            if args.revoke:
                revoke(store, args.table, "kept out at the command line")
            else:
                readmit(store, args.table)
            say(f"{args.table}: {'kept out' if args.revoke else 'let in again'}")
            return 0
        code = new_code(store, args.table, args.name or args.table)
        where = args.hub or store.setting(PAGES) or f"http://{own_address()}:8000"
    command = f"tilewatch join {code} --hub {where}"
    if args.json:
        answer_json({"table": args.table, "code": str(code), "command": command})
        return 0
    if not args.no_qr:
        from dashboard.qr_code import qr_text

        answer(*qr_text(command).splitlines())
    answer(str(code))
    say(f"at the table, within a quarter of an hour: {command}")
    return 0


def _list(store: object, *, as_json: bool) -> int:
    from hub.store import HubStore

    assert isinstance(store, HubStore)
    known = store.enrolled()
    if as_json:
        answer_json([{"id": t.id, "name": t.name, "revoked": t.revoked} for t in known.values()])
        return 0
    rows = [[t.id, t.name, t.kept_out or ""] for t in known.values()]
    for line in columns(rows):
        answer(line)
    if not rows:
        say("no table has been let in yet")
    return 0
