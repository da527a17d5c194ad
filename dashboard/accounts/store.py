"""Who may log in, and as what. Accounts are made on the command line, never by a page."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Final, Literal, cast, get_args

from dashboard.accounts.passwords import check_password, hashed, matches, outdated
from dashboard.web_db import WebDb
from game.errors import TilewatchError

Role = Literal["director", "observer"]
"""``director`` sees everything and rules; ``observer``, an assistant or a commentator, sees what a
director sees of the games and can do nothing."""

ROLES: Final[tuple[Role, ...]] = get_args(Role)

_LONGEST_NAME: Final = 40

_TABLE: Final = """
CREATE TABLE IF NOT EXISTS accounts (
    key TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    password TEXT NOT NULL,
    made_s INTEGER NOT NULL
) STRICT
"""


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may log in."""

    name: str
    role: Role


class Accounts:
    """The accounts of a data folder. Names differ by more than capitals."""

    def __init__(self, db: WebDb) -> None:
        self._db = db
        db.prepare(_TABLE)

    def add(self, name: str, role: Role, password: str) -> Account:
        """Make one. Raises ``TilewatchError``: no such name or role, or a password too weak."""
        name = _checked(name)
        if role not in ROLES:
            raise TilewatchError(f"there is no role {role!r}; choose one of {', '.join(ROLES)}")
        check_password(password, name)
        if self.find(name) is not None:
            raise TilewatchError(f"there is an account {name!r} already")
        kept = hashed(password)
        with self._db.change() as change:
            change.execute(
                "INSERT INTO accounts VALUES (?, ?, ?, ?, ?)",
                (_key(name), name, role, kept, int(time.time())),
            )
        return Account(name, role)

    def remove(self, name: str) -> None:
        """Remove one. Raises ``TilewatchError`` when there is none."""
        with self._db.change() as change:
            gone = change.execute("DELETE FROM accounts WHERE key = ?", (_key(name),)).rowcount
        if not gone:
            raise _nobody(name)

    def set_password(self, name: str, password: str) -> Account:
        """Give one another password. Raises ``TilewatchError``."""
        account = self.find(name)
        if account is None:
            raise _nobody(name)
        check_password(password, account.name)
        self._write(name, hashed(password))
        return account

    def find(self, name: str) -> Account | None:
        """The account of that name."""
        rows = self._db.rows("SELECT name, role FROM accounts WHERE key = ?", (_key(name),))
        return _account(rows[0]) if rows else None

    def all(self) -> list[Account]:
        """Every account, by name."""
        rows = self._db.rows("SELECT name, role FROM accounts ORDER BY key")
        return [_account(row) for row in rows]

    def stamp(self, name: str) -> str:
        """Return a value that changes if the account is made again or gets another password."""
        rows = self._db.rows("SELECT password FROM accounts WHERE key = ?", (_key(name),))
        return hashlib.sha256(str(rows[0][0]).encode()).hexdigest() if rows else ""

    def log_in(self, name: str, password: str, *, trusted: bool = False) -> Account | None:
        """The account, if that is its password. It takes as long if there is no such account.

        Who is ``trusted`` waits for no stranger.
        """
        rows = self._db.rows(
            "SELECT name, role, password FROM accounts WHERE key = ?", (_key(name),)
        )
        kept = str(rows[0][2]) if rows else None
        if not matches(kept, password, trusted=trusted):
            return None
        assert kept is not None
        if outdated(kept):
            self._write(name, hashed(password))
        return _account(rows[0])

    def _write(self, name: str, kept: str) -> None:
        with self._db.change() as change:
            change.execute("UPDATE accounts SET password = ? WHERE key = ?", (kept, _key(name)))


def _key(name: str) -> str:
    return name.strip().casefold()


def _checked(name: str) -> str:
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise TilewatchError(
            f"{name[:60]!r} cannot be an account's name: it has 1 to {_LONGEST_NAME} characters "
            "that can be printed"
        )
    return name


def _account(row: tuple[object, ...]) -> Account:
    return Account(str(row[0]), cast("Role", row[1]))


def _nobody(name: str) -> TilewatchError:
    return TilewatchError(f"there is no account {name!r}; see them with: tilewatch accounts list")
