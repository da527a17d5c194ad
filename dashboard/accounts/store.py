"""Who may log in, and as what: accounts and their passwords.

Accounts are made on the command line, never by a page. A password is kept as its hash (argon2id,
RFC 9106); nobody has a password that everybody knows.
"""

from __future__ import annotations

import contextlib
import hashlib
import secrets
import threading
import time
import unicodedata
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast, get_args

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from dashboard.web_db import WebDb
from game.errors import TilewatchError

SHORTEST: Final = 10
LONGEST: Final = 200

_HASHER: Final = PasswordHasher(time_cost=3, memory_cost=32 * 1024, parallelism=1)
"""32 MiB and three passes: about a tenth of a second, on a Pi half of one."""

_ONE_AT_A_TIME: Final = threading.Lock()
"""Held during a check, so that many attempts at once cost time and not memory."""

_ONE_TRUSTED_AT_A_TIME: Final = threading.Lock()
"""The same lock for known devices, which do not wait for strangers' checks."""

_NOBODY: Final = (
    "$argon2id$v=19$m=32768,t=3,p=1"
    "$g3tRAesqWGOxVVOStLCqKw$rJajPZTJGmuVSGB9Ku56iaq7PQ7uhL+ryk9puqnm8Xs"
)
"""The hash to compare with if there is no such account, so that the check takes as long.

It is a random password's that nobody kept. Making one would delay the start of every program.
"""

_LETTERS: Final = "abcdefghjkmnpqrstuvwxyz23456789"


def check_password(password: str, name: str) -> None:
    """Refuse a password that is easily guessed. Raises ``TilewatchError``."""
    if len(password) < SHORTEST:
        raise TilewatchError(f"the password is too short; use {SHORTEST} characters or more")
    if len(password) > LONGEST:
        raise TilewatchError(f"the password is too long; use {LONGEST} characters or fewer")
    if len(set(password)) < 4 or password.casefold() == name.casefold():
        raise TilewatchError("the password is too easily guessed; use another")


def hashed(password: str) -> str:
    """Return the hash of a password, as it is stored."""
    with _ONE_AT_A_TIME:
        return _HASHER.hash(_plain(password))


def matches(kept: str | None, password: str, *, trusted: bool = False) -> bool:
    """True if ``kept`` is the hash of the password.

    ``kept`` is None if there is no such account: then return False, after the same time.
    A ``trusted`` attempt does not wait for those of strangers.
    """
    line = _ONE_TRUSTED_AT_A_TIME if trusted else _ONE_AT_A_TIME
    with line, contextlib.suppress(VerificationError, InvalidHashError):
        return _HASHER.verify(kept or _NOBODY, _plain(password)) and kept is not None
    return False


def outdated(kept: str) -> bool:
    """True if the hash was made with other cost parameters than today's and should be replaced."""
    return _HASHER.check_needs_rehash(kept)


def random_password() -> str:
    """Return a password to be typed once: four groups of four, 79 bits."""
    groups = ("".join(secrets.choice(_LETTERS) for _ in range(4)) for _ in range(4))
    return "-".join(groups)


def _plain(password: str) -> str:
    # The same letters, whichever keyboard wrote them. Beyond the longest, nothing is hashed.
    return unicodedata.normalize("NFKC", password[: LONGEST + 1])


Role = Literal["director", "observer"]
"""``director`` sees everything and rules; ``observer``, an assistant or a commentator, sees the
games as a director does and can change nothing."""

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
    """A person who may log in."""

    name: str
    role: Role


class Accounts:
    """The accounts of a data folder. Names are compared without regard to case."""

    def __init__(self, db: WebDb) -> None:
        self._db = db
        db.prepare(_TABLE)

    def add(self, name: str, role: Role, password: str) -> Account:
        """Make an account. Raises ``TilewatchError`` for a wrong name, role or password."""
        name = _checked(name)
        if role not in ROLES:
            raise TilewatchError(f"there is no role {role!r}; choose one of {', '.join(ROLES)}")
        check_password(password, name)
        if self.find(name) is not None:
            raise TilewatchError(f"there is an account {name!r} already; choose another name")
        kept = hashed(password)
        with self._db.change() as change:
            change.execute(
                "INSERT INTO accounts VALUES (?, ?, ?, ?, ?)",
                (_key(name), name, role, kept, int(time.time())),
            )
        return Account(name, role)

    def remove(self, name: str) -> None:
        """Remove an account. Raises ``TilewatchError`` if there is none."""
        with self._db.change() as change:
            gone = change.execute("DELETE FROM accounts WHERE key = ?", (_key(name),)).rowcount
        if not gone:
            raise _nobody(name)

    def set_password(self, name: str, password: str) -> Account:
        """Change an account's password. Raises ``TilewatchError``."""
        account = self.find(name)
        if account is None:
            raise _nobody(name)
        check_password(password, account.name)
        self._write(name, hashed(password))
        return account

    def find(self, name: str) -> Account | None:
        """Return the account of that name; None if there is none."""
        rows = self._db.rows("SELECT name, role FROM accounts WHERE key = ?", (_key(name),))
        return _account(rows[0]) if rows else None

    def all(self) -> list[Account]:
        """Return every account, by name."""
        rows = self._db.rows("SELECT name, role FROM accounts ORDER BY key")
        return [_account(row) for row in rows]

    def stamp(self, name: str) -> str:
        """Return a value that changes if the account is made again or gets another password."""
        rows = self._db.rows("SELECT password FROM accounts WHERE key = ?", (_key(name),))
        return hashlib.sha256(str(rows[0][0]).encode()).hexdigest() if rows else ""

    def log_in(self, name: str, password: str, *, trusted: bool = False) -> Account | None:
        """Return the account; None for a wrong name or password, after the same time.

        A ``trusted`` attempt does not wait for those of strangers.
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


DEMO_NAME: Final = "director"


def invitation(data: Path, *, demo: bool = False) -> str:
    """Return one line on how to log in as the director; empty if there is an account already.

    For a demo the account is made; only this line gives its password.
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
