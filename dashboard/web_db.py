"""The pages' own data: one small SQLite file and one secret, readable by the owner alone.

Both are in the table's data folder, next to its log and no part of it: accounts, sessions and
tokens may be lost without a game being lost. ``web.secret`` is made when it is first needed.
"""

from __future__ import annotations

import contextlib
import secrets
import sqlite3
import stat
import threading
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError
from game.files import create_private_file
from record.sqlite import Schema, open_database, transaction

FILE: Final = "web.db"
SECRET_FILE: Final = "web.secret"  # noqa: S105 (a file's name)

_SECRET_BYTES: Final = 32


class WebError(TilewatchError):
    """The pages' own file or secret cannot be used."""


_SCHEMA: Final = Schema(
    kind="the pages' own file",
    application_id=0x74777762,  # "twwb"
    version=1,
    create="",  # each part makes its own tables
    error=WebError,
)


class WebDb:
    """``web.db`` of a data folder. Safe to use from any thread.

    Each part names its tables with :meth:`prepare` before it uses them. It is closed with
    :meth:`close`, or when nobody holds it any more.
    """

    def __init__(self, data: Path) -> None:
        """Open the file, or make it with permissions 0600. Raises ``WebError``."""
        self.path = data / FILE
        self._lock = threading.RLock()
        try:
            data.mkdir(parents=True, exist_ok=True)
            if self.path.exists():
                _tighten(self.path)
            self._connection = open_database(self.path, _SCHEMA)
            weakref.finalize(self, self._connection.close)
        except (OSError, sqlite3.Error) as error:
            raise self._broken(error) from error

    def prepare(self, *statements: str) -> None:
        """Make tables: each statement is a ``CREATE … IF NOT EXISTS``."""
        with self.change() as connection:
            for statement in statements:
                connection.execute(statement)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return rows of a query. Raises ``WebError``."""
        with self._lock:
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except sqlite3.Error as error:
                raise self._broken(error) from error

    @contextlib.contextmanager
    def change(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection in one transaction; an error rolls all back. Raises ``WebError``."""
        with self._lock:
            try:
                with transaction(self._connection) as connection:
                    yield connection
            except sqlite3.Error as error:
                raise self._broken(error) from error

    def close(self) -> None:
        """Close the database."""
        with self._lock:
            self._connection.close()

    def _broken(self, error: Exception) -> WebError:
        reason = getattr(error, "strerror", None) or str(error)
        return WebError(
            f"{self.path}: the accounts cannot be used ({reason}); see that the disk can be "
            "written, or move the file away and make the accounts again"
        )


def secret_of(data: Path) -> bytes:
    """Return the secret of a data folder, 32 bytes, made if there is none. Raises ``WebError``."""
    path = data / SECRET_FILE
    try:
        if not path.exists():
            with contextlib.suppress(FileExistsError):  # another process was faster
                create_private_file(path, secrets.token_bytes(_SECRET_BYTES))
        _tighten(path)
        secret = path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise WebError(f"{path}: the pages' secret is unusable ({reason})") from error
    if len(secret) != _SECRET_BYTES:
        raise WebError(f"{path}: no secret of {_SECRET_BYTES} bytes; delete it and start again")
    return secret


def _tighten(path: Path) -> None:
    if stat.S_IMODE(path.stat().st_mode) & 0o077:
        path.chmod(0o600)
