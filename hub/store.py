"""The hub's database: the enrolled tables, and the unchanged records of every table's log.

One SQLite file in WAL mode with ``synchronous=FULL``. Records come in from one thread, many tables'
in one transaction, and are acknowledged after it; they are never changed or deleted (triggers
refuse it). A table's records are identified by (table, sequence, hash). Everything else that the
hub has to remember (credentials, requests, incidents, slots) is in the same file.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Self

from hub.errors import HubError
from record.chain import LoggedEvent
from record.log.schema import COLUMNS, row
from record.paths import HUB_DATABASE
from record.seals import GENESIS
from record.sqlite import Schema, connect, open_database, pragma, take_writer_lock, transaction

APPLICATION_ID: Final = 0x74776875  # "twhu"
VERSION: Final = 1
DATABASE: Final = HUB_DATABASE
WANTED: Final = "pictures wanted"
"""The setting by which another process asks the running hub for pictures: ``[[table, sha256], …]``.

The hub sets it to :data:`NONE_WANTED` when it takes them up.
"""

NONE_WANTED: Final = "[]"

OUT: Final = "kept out"
REVOKED: Final = "revoked"
"""The kind of the incident that a table's access is revoked."""

PAGES: Final = "pages"
"""The setting with the address of the pages of the hub that last ran here."""

AUTHORITY: Final = "authority"
"""The setting with the id of the authority of the broker that last ran here."""

_CREATE: Final = """
CREATE TABLE tables (
    id          TEXT    PRIMARY KEY,
    name        TEXT    NOT NULL,
    enrolled_ns INTEGER NOT NULL,
    password    TEXT,
    revoked     TEXT
) STRICT;
CREATE TABLE table_keys (
    table_id  TEXT    NOT NULL REFERENCES tables (id),
    key       TEXT    NOT NULL,
    pinned_ns INTEGER NOT NULL,
    PRIMARY KEY (table_id, key)
) STRICT;
CREATE TABLE records (
    table_id  TEXT    NOT NULL REFERENCES tables (id),
    seq       INTEGER NOT NULL CHECK (seq > 0),
    game_id   TEXT    NOT NULL,
    number    INTEGER NOT NULL CHECK (number > 0),
    mono_ns   INTEGER NOT NULL,
    wall_ns   INTEGER NOT NULL,
    source    TEXT    NOT NULL,
    type      TEXT    NOT NULL,
    version   INTEGER NOT NULL,
    payload   TEXT    NOT NULL,
    prev_hash TEXT    NOT NULL,
    hash      TEXT    NOT NULL,
    key       TEXT    NOT NULL,
    signature TEXT    NOT NULL,
    PRIMARY KEY (table_id, seq),
    UNIQUE (table_id, game_id, number)
) STRICT;
CREATE TRIGGER records_keep BEFORE DELETE ON records
BEGIN SELECT RAISE(ABORT, 'a mirrored log is never shortened'); END;
CREATE TRIGGER records_stand BEFORE UPDATE ON records
BEGIN SELECT RAISE(ABORT, 'a mirrored log is never changed'); END;
CREATE TABLE requests (
    id         TEXT    PRIMARY KEY,
    table_id   TEXT    NOT NULL REFERENCES tables (id),
    asked_ns   INTEGER NOT NULL,
    expires_ns INTEGER NOT NULL,
    by         TEXT    NOT NULL,
    body       TEXT    NOT NULL,
    status     TEXT    NOT NULL,
    sent       INTEGER NOT NULL DEFAULT 0,
    seq        INTEGER,
    said       TEXT
) STRICT;
CREATE INDEX requests_open ON requests (table_id, status);
CREATE TABLE incidents (
    id       INTEGER PRIMARY KEY,
    wall_ns  INTEGER NOT NULL,
    table_id TEXT    NOT NULL,
    what     TEXT    NOT NULL,
    detail   TEXT    NOT NULL
) STRICT;
CREATE TABLE codes (
    id         TEXT    PRIMARY KEY,
    verifier   TEXT    NOT NULL,
    table_id   TEXT    NOT NULL,
    name       TEXT    NOT NULL,
    expires_ns INTEGER NOT NULL,
    tries      INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE results (
    table_id TEXT    NOT NULL REFERENCES tables (id),
    game_id  TEXT    NOT NULL,
    seq      INTEGER NOT NULL,
    result   TEXT    NOT NULL,
    PRIMARY KEY (table_id, game_id)
) STRICT;
CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;
"""

_UNUSABLE: Final = (sqlite3.Error, OverflowError, UnicodeEncodeError)
"""The errors of an unusable file, and of values that it cannot store."""

_SCHEMA: Final = Schema("a hub's database", APPLICATION_ID, VERSION, _CREATE, HubError)
_INSERT: Final = f"INSERT INTO records (table_id, {COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A table that the hub knows."""

    id: str
    name: str
    keys: frozenset[str]
    """The public keys that may sign for the table."""
    password: str | None
    """The hash of its password at the broker; None if it has none yet."""
    revoked: str | None
    """The reason why it may no longer connect; None if it may."""
    revoked_ns: int | None = None
    """The time of the revocation, in ns of wall time; None if it is not revoked."""

    @property
    def kept_out(self) -> str | None:
        """A line on who revoked its access, why and when; None if nobody did."""
        if self.revoked is None:
            return None
        line = self.revoked if self.revoked.startswith(OUT) else f"{OUT}: {self.revoked}"
        if self.revoked_ns is None:
            return line
        since = time.localtime(self.revoked_ns / 1e9)
        return f"{line} (since {time.strftime('%a %d %b, %H:%M', since)})"


class HubStore:
    """The hub's database. Safe to use from several threads and processes.

    Records are written by the one process that opened it as ``serving``.
    """

    def __init__(self, folder: Path, *, serving: bool = False) -> None:
        """Open or create the database in ``folder``. Raises ``HubError`` and ``LogError``."""
        self.folder = folder
        self.path = folder / DATABASE
        self._lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._file: IO[str] | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = take_writer_lock(self.path) if serving else None
            self._writer = open_database(self.path, _SCHEMA)
            self._reader = connect(self.path, readonly=True)
        except (OSError, sqlite3.Error) as error:
            if self._file is not None:
                self._file.close()
            raise HubError(f"{self.path}: cannot be opened ({error})") from error

    def close(self) -> None:
        """Close the database, so that another process may serve it."""
        with self._lock, self._read_lock, suppress(sqlite3.Error):
            self._reader.close()
            self._writer.close()
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- transactions and queries ---

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """Make the ``with`` block one transaction, on the disk at its end. Raises ``HubError``."""
        with self._lock:
            try:
                with transaction(self._writer) as connection:
                    yield connection
            except _UNUSABLE as error:
                raise HubError(f"{self.path}: {error}") from error

    def read(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return the rows of a query. Raises ``HubError``."""
        with self._read_lock:
            try:
                return self._reader.execute(sql, parameters).fetchall()
            except _UNUSABLE as error:
                raise HubError(f"{self.path}: {error}") from error

    def version(self) -> int:
        """Return a number that changes when another process has written."""
        with self._lock:
            try:
                return pragma(self._writer, "data_version")
            except sqlite3.Error as error:
                raise HubError(f"{self.path}: {error}") from error

    # --- tables ---

    def enrolled(self) -> dict[str, Enrolled]:
        """Return every table that was ever enrolled, by its id, in order of the ids."""
        keys: dict[str, set[str]] = {}
        for table_id, key in self.read("SELECT table_id, key FROM table_keys"):
            keys.setdefault(table_id, set()).add(key)
        return {
            id_: Enrolled(id_, name, frozenset(keys.get(id_, ())), password, revoked, since)
            for id_, name, password, revoked, since in self.read(
                "SELECT id, name, password, revoked, CASE WHEN revoked IS NOT NULL THEN "
                "(SELECT max(wall_ns) FROM incidents WHERE table_id = tables.id AND what = ?) END "
                "FROM tables ORDER BY length(id), id",
                (REVOKED,),
            )
        }

    def enrol(self, table_id: str, name: str, key: str, password: str | None) -> None:
        """Enrol a table, or again with one more key, with a new password."""
        now = time.time_ns()
        with self.write() as connection:
            connection.execute(
                "INSERT INTO tables (id, name, enrolled_ns, password) VALUES (?,?,?,?) "
                "ON CONFLICT (id) DO UPDATE SET name=excluded.name, password=excluded.password, "
                "revoked=NULL",
                (table_id, name, now, password),
            )
            connection.execute(
                "INSERT OR IGNORE INTO table_keys VALUES (?,?,?)", (table_id, key, now)
            )

    def revoke(self, table_id: str, why: str | None) -> None:
        """Revoke a table's access for the reason ``why``; if that is None, admit it again."""
        with self.write() as connection:
            connection.execute("UPDATE tables SET revoked = ? WHERE id = ?", (why, table_id))

    # --- records ---

    def add(self, records: Sequence[tuple[str, LoggedEvent]]) -> None:
        """Write records of any tables, all or none; they are on the disk when this returns."""
        with self.write() as connection:
            connection.executemany(
                _INSERT, [(table_id, *row(event)) for table_id, event in records]
            )

    def records(
        self,
        table_id: str,
        game_id: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[LoggedEvent]:
        """Return a table's records above a sequence, oldest first."""
        where = "table_id = ? AND seq > ?"
        parameters: list[str | int] = [table_id, after]
        if game_id is not None:
            where += " AND game_id = ?"
            parameters.append(game_id)
        rows = self.read(
            f"SELECT {COLUMNS} FROM records WHERE {where} ORDER BY seq LIMIT ?",  # noqa: S608
            [*parameters, -1 if limit is None else limit],
        )
        return [LoggedEvent(*one) for one in rows]

    def head(self, table_id: str) -> tuple[int, str]:
        """Sequence and hash of a table's newest record; ``(0, 64 zeros)`` when there is none."""
        rows = self.read(
            "SELECT seq, hash FROM records WHERE table_id = ? ORDER BY seq DESC LIMIT 1",
            (table_id,),
        )
        return (int(rows[0][0]), str(rows[0][1])) if rows else (0, GENESIS)

    def games(self, table_id: str) -> list[str]:
        """Return the ids of a table's games, in order of their first records."""
        rows = self.read(
            "SELECT game_id FROM records WHERE table_id = ? AND number = 1 ORDER BY seq",
            (table_id,),
        )
        return [str(one) for (one,) in rows]

    def last_of(self, table_id: str, game_id: str) -> LoggedEvent | None:
        """Return the newest record of a game; None if there is none."""
        rows = self.read(
            f"SELECT {COLUMNS} FROM records WHERE table_id = ? AND game_id = ? "  # noqa: S608
            "ORDER BY number DESC LIMIT 1",
            (table_id, game_id),
        )
        return LoggedEvent(*rows[0]) if rows else None

    def numbers(self, table_id: str, game_id: str) -> int:
        """The number of a game's records."""
        rows = self.read(
            "SELECT max(number) FROM records WHERE table_id = ? AND game_id = ?",
            (table_id, game_id),
        )
        return int(rows[0][0] or 0)

    # --- incidents and settings ---

    def note(self, table_id: str, what: str, detail: str) -> None:
        """Store an incident: its kind ``what`` in a word or two, and a line."""
        with self.write() as connection:
            connection.execute(
                "INSERT INTO incidents (wall_ns, table_id, what, detail) VALUES (?,?,?,?)",
                (time.time_ns(), table_id, what, detail[:500]),
            )

    def incident_kinds(self, newest: int = 50) -> list[tuple[int, str, str, str, int]]:
        """The newest incident of each kind at each table, and how many there were, newest first.

        Each is (wall time in ns, table, what, detail, count).

        So a kind that is repeated often does not displace others.
        """
        rows = self.read(
            "SELECT wall_ns, table_id, what, detail, counted FROM (SELECT max(id) AS newest, "
            "count(*) AS counted FROM incidents GROUP BY table_id, what) "
            "JOIN incidents ON id = newest ORDER BY id DESC LIMIT ?",
            (newest,),
        )
        return [
            (int(at), str(id_), str(what), str(text), int(n)) for at, id_, what, text, n in rows
        ]

    def setting(self, name: str) -> str | None:
        """The value of a setting; None if it was never set."""
        rows = self.read("SELECT value FROM settings WHERE name = ?", (name,))
        return str(rows[0][0]) if rows else None

    def keep_setting(self, name: str, value: str) -> None:
        """Set a setting."""
        with self.write() as connection:
            connection.execute(
                "INSERT INTO settings VALUES (?,?) ON CONFLICT (name) DO UPDATE "
                "SET value=excluded.value",
                (name, value),
            )
