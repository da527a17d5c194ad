"""``tilewatch accounts``: who may log in to the director's desk."""

from __future__ import annotations

from pathlib import Path
from typing import Final, Literal

import click

from game.errors import TilewatchError
from table.commands.options import EITHER, PATH, Given, given
from table.commands.terminal import answer, columns, say

_LONGEST_LINE: Final = 10_000

Role = Literal["director", "observer"]


@click.command()
@click.argument(
    "what", metavar="WHAT", type=click.Choice(("add", "list", "remove", "password", "link")),
    help="add, list, remove, password or link",
)  # fmt: skip
@click.argument("name", required=False, help="whose account")
@click.option(
    "--role", type=click.Choice(("director", "observer")), default="director",
    help="of a new account",
)  # fmt: skip
@click.option("--password-stdin", is_flag=True, help="read the password from standard input")
@given(*EITHER)
def accounts(given: Given, what: str, name: str | None, role: Role, password_stdin: bool) -> int:
    """Say who may log in to the director's desk.

    Accounts are made here and nowhere else; none comes with the program. A director sees
    everything and rules; an observer, such as a commentator, sees the games as a director does and
    can do nothing. A password is asked for twice, or read from standard input, first line, with
    --password-stdin. Removing an account or changing its password logs it out everywhere. link
    prints a link that is good for an hour: a new device that opens it can log in although somebody
    is guessing at passwords.
    """
    from contextlib import closing
    from urllib.parse import urlencode

    from dashboard.accounts.sessions import Devices
    from dashboard.accounts.store import Accounts
    from dashboard.web_db import WebDb, secret_of

    if what == "list" and name:
        raise TilewatchError("accounts list: takes no NAME")
    if what != "list" and not name:
        raise TilewatchError(f"accounts {what}: whose? give a NAME")
    name = name or ""
    folder = given.folder()
    with closing(WebDb(folder)) as db:
        known = Accounts(db)
        # Before anybody types two passwords.
        if what in ("password", "link") and (found := known.find(name)) is None:
            raise TilewatchError(f"there is no account {name!r}")
        match what:
            case "add":
                account = known.add(name, role, _password(password_stdin))
                answer(f"{account.name} may log in as {account.role}")
            case "password":
                account = known.set_password(name, _password(password_stdin))
                answer(f"{account.name} has another password")
            case "link":
                assert found is not None
                code = Devices(secret_of(folder)).link_code(found.name)
                say("open this page of the table on the new device within an hour, then log in:")
                answer("/login/device?" + urlencode({"account": found.name, "code": code}))
            case "remove":
                known.remove(name)
                answer(f"{name} may no longer log in")
            case _:
                rows = [[account.name, account.role] for account in known.all()]
                if not rows:
                    say("nobody may log in yet; make an account with: tilewatch accounts add NAME")
                answer(*columns(rows))
    return 0


def _password(from_stdin: bool) -> str:
    import getpass
    import sys

    if from_stdin:
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


@click.command("rack-key")
@click.argument("file", metavar="FILE", type=PATH)
def rack_key(file: Path) -> int:
    """Make the key of the broadcast role.

    What cameras see on racks is sealed to this key until the game is over. Name the file as key in
    [racks] of table.toml, keep it outside the table's data, and give a copy only to whoever may
    know the racks during the game.
    """
    from record.rack_key import RackKey

    key = RackKey.generate()
    try:
        key.save(file)
    except FileExistsError:
        raise TilewatchError(f"{file}: is there already; name another file") from None
    except OSError as error:
        text = f"{file}: no key can be written here ({error.strerror}); name another file"
        raise TilewatchError(text) from error
    answer(f"{file}: the key of the broadcast role, public half {key.public}")
    return 0
