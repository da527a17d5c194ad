"""``tilewatch accounts``: who may log in to the director's desk."""

from __future__ import annotations

import argparse
from typing import Final

from table.commands import uses
from table.commands.terminal import answer, columns, say

NAME = "accounts"
HELP = "say who may log in to the director's desk"
DESCRIPTION = (
    "Accounts are made here and nowhere else; none comes with the program. A director sees "
    "everything and rules; an observer, such as a commentator, sees the games as a director does "
    "and can do nothing. A password is asked for twice, or read from standard input, first line, "
    "with --password-stdin. Removing an account or changing its password logs it out everywhere. "
    "link prints a link that is good for an hour: a new device that opens it can log in although "
    "somebody is guessing at passwords."
)

_LONGEST_LINE: Final = 10_000
_ROLES: Final = ("director", "observer")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "what",
        metavar="WHAT",
        choices=("add", "list", "remove", "password", "link"),
        help="add, list, remove, password or link",
    )
    parser.add_argument("name", metavar="NAME", nargs="?", help="whose account")
    parser.add_argument(
        "--role", choices=_ROLES, default="director", help="of a new account (default: director)"
    )
    parser.add_argument(
        "--password-stdin", action="store_true", help="read the password from standard input"
    )
    uses.add_config(parser, *uses.EITHER)
    uses.add_data(parser, *uses.EITHER)


def run(args: argparse.Namespace) -> int:
    """Do it; ``web.db`` is made where there is none."""
    from contextlib import closing
    from urllib.parse import urlencode

    from dashboard.accounts.devices import Devices
    from dashboard.accounts.store import Accounts
    from dashboard.web_db import WebDb, secret_of
    from game.errors import TilewatchError

    if args.what != "list" and not args.name:
        raise TilewatchError(f"accounts {args.what}: whose? give a NAME")
    if args.what == "list" and args.name:
        raise TilewatchError("accounts list: takes no NAME")
    folder = uses.data_of(args, *uses.EITHER)
    with closing(WebDb(folder)) as db:
        accounts = Accounts(db)
        if args.what == "add":
            account = accounts.add(args.name, args.role, _password(args))
            answer(f"{account.name} may log in as {account.role}")
        elif args.what == "password":
            if accounts.find(args.name) is None:  # before anybody types two passwords
                raise TilewatchError(f"there is no account {args.name!r}")
            account = accounts.set_password(args.name, _password(args))
            answer(f"{account.name} has another password")
        elif args.what == "link":
            found = accounts.find(args.name)
            if found is None:
                raise TilewatchError(f"there is no account {args.name!r}")
            code = Devices(secret_of(folder)).link_code(found.name)
            say("open this page of the table on the new device within an hour, then log in:")
            answer("/login/device?" + urlencode({"account": found.name, "code": code}))
        elif args.what == "remove":
            accounts.remove(args.name)
            answer(f"{args.name} may no longer log in")
        else:
            rows = [[account.name, account.role] for account in accounts.all()]
            if not rows:
                say("nobody may log in yet; make an account with: tilewatch accounts add NAME")
            for line in columns(rows):
                answer(line)
    return 0


def _password(args: argparse.Namespace) -> str:
    import getpass
    import sys

    from game.errors import TilewatchError

    if args.password_stdin:
        line = sys.stdin.buffer.readline(_LONGEST_LINE)
        if not line:
            raise TilewatchError("accounts: no password on standard input")
        if len(line) == _LONGEST_LINE:
            raise TilewatchError("accounts: the line on standard input is too long for a password")
        try:
            # As text and not as this terminal's encoding has it: pages send UTF-8.
            return line.decode("utf-8").rstrip("\r\n")
        except UnicodeDecodeError as error:
            raise TilewatchError(
                "accounts: the password on standard input is not UTF-8 text; nothing was changed"
            ) from error
    if not sys.stdin.isatty():
        raise TilewatchError(
            "accounts: there is no terminal to ask for the password; use --password-stdin"
        )
    try:
        first = getpass.getpass("Password: ")
        second = getpass.getpass("Again: ")
    except UnicodeDecodeError as error:
        raise TilewatchError(
            "accounts: the password that was typed is not UTF-8 text; nothing was changed"
        ) from error
    except EOFError:
        raise TilewatchError("accounts: no password was typed; nothing was changed") from None
    if second != first:
        raise TilewatchError("the two passwords differ; nothing was changed")
    return first
