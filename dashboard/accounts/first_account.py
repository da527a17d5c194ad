"""The first account of a table: nobody has a password that everybody knows."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Final

from dashboard.accounts.passwords import random_password
from dashboard.accounts.store import Accounts
from dashboard.web_db import WebDb

DEMO_NAME: Final = "director"


def invitation(data: Path, *, demo: bool = False) -> str:
    """One line on how to log in as the director; empty if there is an account already.

    For a demo the account is made, with a password that stands in this line and nowhere else.
    Raises ``TilewatchError``.
    """
    with closing(WebDb(data)) as db:
        accounts = Accounts(db)
        if accounts.all():
            return ""
        if not demo:
            return (
                "the director's desk has no account yet; make one with: "
                f"tilewatch accounts add NAME --data {data}"
            )
        password = random_password()
        accounts.add(DEMO_NAME, "director", password)
    return f"the director's desk is at /director: log in as {DEMO_NAME}, password {password}"
