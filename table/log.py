"""The event log: every fact about a table's games, in order, for good.

One SQLite file in WAL mode with ``synchronous=FULL``: when ``append`` returns, the event has
reached the disk, and only then may anybody be told of it. Rows are never changed or deleted
(triggers refuse it), and each carries the hash of the one before it (``table.chain``). One process
writes, held to that by a lock beside the file; any number of threads and processes read meanwhile.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from table import log_schema
from table.chain import (
    GENESIS,
    PAYLOAD_VERSION,
    ChainFault,
    LoggedEvent,
    canonical_json,
    first_fault,
)
from table.errors import LogError

_COLUMNS = "seq, game_id, mono_ns, wall_ns, source, type, version, payload, prev_hash, hash"
# How often a reader in another process looks for news; within one process it is told at once.
_POLL_S = 0.05


class EventLog:
    """A table's event log, opened for writing or for reading only.

    Safe to use from several threads. Use as a context manager, or call ``close``.
    """

    def __init__(self, path: Path, *, readonly: bool = False) -> None:
        """Open the log, creating it when it is not there and may be written.

        Raises ``LogError`` when another process writes it, when it is no log of tilewatch or of a
        newer version, or when it cannot be read.
        """
        self.path = path
        self.readonly = readonly
        self._writer: sqlite3.Connection | None = None
        self._reader: sqlite3.Connection | None = None
        self._write_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._news = threading.Condition()
        self._closed = False
        self._lock_file: IO[str] | None = None
        self._head = (0, GENESIS)
        if readonly and not path.is_file():
            raise LogError(f"{path}: no such event log")
        try:
            if not readonly:
                path.parent.mkdir(parents=True, exist_ok=True)
                self._lock_file = _take_writer_lock(path)
            with _as_log_error(path):
                first = log_schema.connect(path, readonly=readonly)
                self._writer = first
                log_schema.prepare(first, path, readonly=readonly)
                # A second connection, so that readers never wait for a write to reach the disk.
                self._reader = log_schema.connect(path, readonly=True)
                self._head = self._read_head()
        except OSError as error:
            self.close()
            raise LogError(f"{path}: cannot be opened ({error.strerror})") from error
        except BaseException:
            self.close()
            raise

    # --- writing ---

    def append(
        self,
        game_id: str,
        payload: Mapping[str, Any],
        *,
        mono_ns: int,
        source: str,
        wall_ns: int | None = None,
    ) -> LoggedEvent:
        """Add one event and return it once it is on the disk.

        ``payload`` is what ``game.events.to_payload`` gives: a JSON-able mapping with ``type``.
        Raises ``LogError``, with nothing added, when the disk is full or fails.
        """
        if self.readonly:
            raise LogError(f"{self.path}: opened for reading only")
        try:
            type_, text = str(payload["type"]), canonical_json(payload)
        except (KeyError, TypeError, ValueError) as error:
            raise LogError(f"{self.path}: payload cannot be logged ({error!r})") from error
        wall = time.time_ns() if wall_ns is None else wall_ns
        with self._write_lock:
            if self._closed:
                raise LogError(f"{self.path}: closed")
            seq, prev_hash = self._head[0] + 1, self._head[1]
            event = LoggedEvent(
                seq, game_id, mono_ns, wall, source, type_, PAYLOAD_VERSION, text, prev_hash, ""
            ).sealed()
            self._commit(event)
            self._head = (seq, event.hash)
        with self._news:
            self._news.notify_all()
        return event

    def _commit(self, event: LoggedEvent) -> None:
        connection = self._writer
        assert connection is not None
        row = tuple(getattr(event, name) for name in _ROW_FIELDS)
        try:
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(f"INSERT INTO events ({_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?)", row)  # noqa: S608 (a constant)
            connection.execute("COMMIT")
        except (sqlite3.Error, UnicodeError, OverflowError) as error:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            # Only the file knows whether a failed COMMIT reached it.
            with contextlib.suppress(LogError):
                self._head = self._read_head()
                if self._head == (event.seq, event.hash):
                    return
            raise LogError(_explain(self.path, error)) from error

    # --- reading ---

    @property
    def last_seq(self) -> int:
        """Sequence of the newest committed event, 0 when there is none."""
        return self.head[0]

    @property
    def head(self) -> tuple[int, str]:
        """Sequence and hash of the newest committed event; ``(0, 64 zeros)`` when there is none."""
        if not self.readonly:
            return self._head  # nobody else writes
        with _as_log_error(self.path):
            return self._read_head()

    def events(self, game_id: str | None = None, after: int = 0) -> list[LoggedEvent]:
        """Committed events with a sequence above ``after``, oldest first, of one game or of all."""
        where = "seq > ?"
        parameters: list[int | str] = [after]
        if game_id is not None:
            where += " AND game_id = ?"
            parameters.append(game_id)
        rows = self._query(
            f"SELECT {_COLUMNS} FROM events WHERE {where} ORDER BY seq",  # noqa: S608 (constants)
            parameters,
        )
        return [LoggedEvent(*row) for row in rows]

    def game_ids(self) -> list[str]:
        """The games in the log, in order of their first events."""
        rows = self._query("SELECT game_id FROM events GROUP BY game_id ORDER BY min(seq)")
        return [str(game_id) for (game_id,) in rows]

    def wait(self, after: int, timeout: float, game_id: str | None = None) -> list[LoggedEvent]:
        """Events above ``after`` as soon as there are any; an empty list after ``timeout`` seconds.

        Within the writing process the answer comes at once, in another one within 50 ms.
        """
        deadline = time.monotonic() + timeout
        seen = after
        while True:
            with self._news:
                if self._closed:
                    return []
                newest = self.last_seq
                if newest <= seen:
                    left = deadline - time.monotonic()
                    if left <= 0:
                        return []
                    self._news.wait(min(left, _POLL_S) if self.readonly else left)
                    continue
            events = self.events(game_id, after)
            if events:
                return events
            seen = newest  # news, but of other games

    def verify(self) -> ChainFault | None:
        """Check the whole chain; the first place that does not hold, or ``None``."""
        return first_fault(self.events())

    # --- housekeeping ---

    def close(self) -> None:
        """Close every connection, wake whoever waits, and let another process write."""
        with self._write_lock:
            self._closed = True
            with self._read_lock:
                for connection in (self._reader, self._writer):
                    if connection is not None:
                        connection.close()
                self._reader = self._writer = None
            if self._lock_file is not None:
                self._lock_file.close()
                self._lock_file = None
        with self._news:
            self._news.notify_all()

    def __enter__(self) -> EventLog:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _query(self, sql: str, parameters: Sequence[int | str] = ()) -> list[tuple[Any, ...]]:
        with self._read_lock, _as_log_error(self.path):
            if self._reader is None:
                raise LogError(f"{self.path}: closed")
            return self._reader.execute(sql, parameters).fetchall()

    def _read_head(self) -> tuple[int, str]:
        rows = self._query("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")
        return (int(rows[0][0]), str(rows[0][1])) if rows else (0, GENESIS)


_ROW_FIELDS = (
    "seq",
    "game_id",
    "mono_ns",
    "wall_ns",
    "source",
    "type",
    "version",
    "payload_text",
    "prev_hash",
    "hash",
)


def _take_writer_lock(path: Path) -> IO[str]:
    """Hold ``<path>.lock`` while this process lives; the kernel lets go even after SIGKILL."""
    lock_path = path.with_name(path.name + ".lock")
    handle = lock_path.open("a+", encoding="ascii")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        handle.seek(0)
        owner = handle.read().strip() or "unknown"
        handle.close()
        raise LogError(
            f"{path}: another tilewatch (process {owner}) is writing it; "
            "stop that one or choose another --data"
        ) from None
    except OSError:
        handle.close()
        raise
    handle.truncate(0)
    handle.write(f"{os.getpid()}\n")
    handle.flush()
    return handle


def _explain(path: Path, error: Exception) -> str:
    text = str(error)
    if "disk is full" in text:
        return f"{path}: the disk is full and the event was not recorded; free some space"
    if "readonly" in text:
        return f"{path}: cannot be written; the event was not recorded"
    return f"{path}: {text or error!r}"


@contextlib.contextmanager
def _as_log_error(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise LogError(_explain(path, error)) from error
