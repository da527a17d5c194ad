"""The event log: every fact about a table's games, in order, for good.

One SQLite file in WAL mode with ``synchronous=FULL``: when ``append`` returns, the event has
reached the disk, and only then may it be shown to anybody. Rows are never changed or deleted
(triggers refuse it), and each has the hash of the one before it and the table's signature
(``record.chain``). A lock beside the file lets only one process write; any number of threads and
processes read meanwhile. A second copy in plain text is next to it
(``record.log.mirror``).

A *live* log sets disk space aside. If this is used up too, or the disk breaks, the log goes on in
memory, because clock and scores must not stop for a disk. ``trouble`` then says so, ``on_disk`` of
each such event is False, and all of them are written as soon as the disk takes them.
"""

from __future__ import annotations

import contextlib
import sqlite3
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final, Protocol, Self

from record.chain import PAYLOAD_VERSION, ChainFault, LoggedEvent, first_fault, payload_json
from record.errors import LogError
from record.log import schema
from record.log.disk import RESERVE_BYTES, LogDisk, as_log_error, connect_to_read, traces
from record.log.schema import COLUMNS
from record.seals import GENESIS
from record.signing import KEY_FILE, TableKey
from record.sqlite import connect, take_writer_lock

# How often a reader in another process looks for new events; within one process it is notified.
_POLL_S = 0.05
_MAX_HELD: Final = 20_000
"""The most events that are held in memory: a day's games."""


class LogReader(Protocol):
    """The methods that read an :class:`~EventLog`; safe for several threads."""

    @property
    def path(self) -> Path:
        """The path of the log's file."""

    @property
    def last_seq(self) -> int:
        """Sequence of the newest event, 0 if there is none."""

    @property
    def head(self) -> tuple[int, str]:
        """Sequence and hash of the newest event; ``(0, 64 zeros)`` when there is none."""

    @property
    def trouble(self) -> str | None:
        """A line for the director about the log's storage; None if all is well."""

    def events(
        self, game_id: str | None = None, after: int = 0, limit: int | None = None
    ) -> list[LoggedEvent]:
        """Events with a sequence above ``after``, oldest first, of one game or of all."""

    def game_ids(self) -> list[str]:
        """Return the games in the log, in order of their first events."""

    def first_of(self, game_id: str) -> LoggedEvent | None:
        """Return the oldest event of a game; None if there is no such game."""

    def last_of(self, game_id: str) -> LoggedEvent | None:
        """Return the newest event of a game; None if there is no such game."""

    def history(self) -> list[tuple[int, str, str]]:
        """Repairs of the file itself: (wall time in ns, what, detail as JSON)."""

    def grew(self, after: int, timeout: float, over: Callable[[], bool] = bool) -> bool:
        """Wait for an event above ``after``; False if the wait ended without one.

        It ends after ``timeout`` seconds, if ``over()`` is true, and if the log is closed.
        """

    def wake(self) -> None:
        """Wake the threads that wait in ``grew``."""


class EventLog:
    """A table's event log, opened for writing or for reading only.

    Safe to use from several threads. Use as a context manager, or call ``close``.
    """

    def __init__(
        self,
        path: Path,
        *,
        readonly: bool = False,
        live: bool = False,
        key: TableKey | None = None,
        reserve: int = RESERVE_BYTES,
        scratch: Path | None = None,
    ) -> None:
        """Open the log; create a missing one unless ``readonly``.

        ``key`` signs new events; by default the key in ``table.key`` beside the log, made if there
        is none. ``live`` is for a table at work: ``reserve`` bytes are set aside, and appending
        never fails because of the disk. ``scratch`` is a folder for the copy that a reader needs if
        nothing can be written beside the log.
        Raises ``LogError`` if another process writes the log, if the file is no log of tilewatch or
        one of another version, or if it cannot be read; ``SigningError`` if the key is unusable.
        """
        self.path = path
        self.readonly = readonly
        self.opening: tuple[str, ...] = ()
        """Repairs of this opening, in lines for people."""
        self.repairs: tuple[str, ...] = ()
        """The repairs that somebody should look into, because something was damaged or lost."""
        self._disk: LogDisk | None = None
        self._reader: sqlite3.Connection | None = None
        self._write_lock = threading.Lock()
        self._read_lock = threading.Lock()
        self._grown = threading.Condition()
        self._closed = False
        self._lock_file: IO[str] | None = None
        self._head = (0, GENESIS)
        self._numbers: dict[str, int] = {}
        self._live = live
        self._held: tuple[LoggedEvent, ...] = ()
        self._held_why: str | None = None
        self._reading = contextlib.ExitStack()
        self.key: TableKey | None = None
        if readonly and not path.is_file():
            raise LogError(f"{path}: no such event log; name the table's data folder with --data")
        try:
            if readonly:
                self._open_reader(scratch)
            else:
                path.parent.mkdir(parents=True, exist_ok=True)
                left = traces(path)
                self._lock_file = take_writer_lock(path)
                self.key = key or TableKey.open(path.parent / KEY_FILE)
                self._disk = LogDisk(path, reserve if live else None)
                self._open_writer(self._disk, self.key, left)
        except OSError as error:
            self.close()
            raise LogError(f"{path}: cannot be opened ({error.strerror or error})") from error
        except BaseException:
            self.close()
            raise

    def _open_reader(self, scratch: Path | None) -> None:
        with as_log_error(self.path):
            self._reader = connect_to_read(self.path, scratch, self._reading)

    def _open_writer(self, disk: LogDisk, key: TableKey, left: str | None) -> None:
        self.opening = tuple(disk.open(key, left))
        self.repairs = disk.repairs
        with as_log_error(self.path):
            # A second connection, so that readers never wait for a write to reach the disk.
            self._reader = connect(self.path, readonly=True)
            self._head = self._read_head()

    # --- writing ---

    def append(
        self,
        game_id: str,
        payload: Mapping[str, Any],
        *,
        mono_ns: int,
        source: str,
        wall_ns: int | None = None,
        alone: bool = True,
    ) -> LoggedEvent:
        """Add one event and return it once it is on the disk.

        ``payload`` is what ``game.events.to_payload`` gives: a JSON-able mapping with ``type``.
        If it is not ``alone``, more events follow at once: the last of them, or ``wake``, wakes
        waiting readers. Raises ``LogError``, with nothing added, if the disk is full or fails; a
        live log then returns the event with ``on_disk`` False.
        """
        disk, key = self._disk, self.key
        if disk is None or key is None:
            raise LogError(f"{self.path}: opened for reading only")
        try:
            type_, text = str(payload["type"]), payload_json(payload)
            f"{game_id}{source}{text}".encode()
        except (KeyError, TypeError, ValueError) as error:
            raise LogError(f"{self.path}: payload cannot be logged ({error!r})") from error
        wall = time.time_ns() if wall_ns is None else wall_ns
        with self._write_lock:
            if self._closed:
                raise LogError(f"{self.path}: this log is closed")
            seq, prev_hash = self._head[0] + 1, self._head[1]
            event = LoggedEvent(
                seq, game_id, self._next_number(game_id), mono_ns, wall, source, type_,
                PAYLOAD_VERSION, text, prev_hash, "", "", "",
            ).sealed(key)  # fmt: skip
            event = self._persist(disk, event)
            self._head, self._numbers[game_id] = (seq, event.hash), event.number
        if alone:
            self.wake()
        return event

    def wake(self) -> None:
        """Wake the threads that wait in ``grew``."""
        with self._grown:
            self._grown.notify_all()

    def retry(self) -> bool:
        """Try again to write the events held in memory; True if none is left in memory."""
        with self._write_lock:
            if self._held and self._disk is not None and not self._closed:
                with contextlib.suppress(LogError):
                    self._disk.write(self._held)
                    self._held, self._held_why = (), None
            return not self._held

    def remember(self, what: str, detail: Mapping[str, Any]) -> None:
        """Add an entry to the file's own history. Raises ``LogError``."""
        with self._write_lock, as_log_error(self.path):
            if self._disk is None or self._disk.connection is None:
                raise LogError(f"{self.path}: not open for writing")
            schema.note(self._disk.connection, what, detail)

    @property
    def held(self) -> int:
        """The number of events that are only in memory."""
        return len(self._held)

    @property
    def trouble(self) -> str | None:
        """A line for the director about the disk; None if all is well."""
        return self._held_why or (None if self._disk is None else self._disk.trouble)

    def _persist(self, disk: LogDisk, event: LoggedEvent) -> LoggedEvent:
        """Return the event once it is on the disk, or in a live log at least held in memory."""
        try:
            disk.write((*self._held, event))
        except LogError as error:
            if not self._live:
                raise LogError(f"{error}; the event was not recorded") from error
            if len(self._held) >= _MAX_HELD:
                raise LogError(f"{error}; {_MAX_HELD} events are held in memory already") from None
            event = replace(event, on_disk=False)
            self._held = (*self._held, event)
            self._held_why = (
                f"{error}; the newest {len(self._held)} events are in memory alone and are lost "
                "if the table is switched off"
            )
            return event
        self._held, self._held_why = (), None
        return event

    def _next_number(self, game_id: str) -> int:
        if game_id not in self._numbers:
            rows = self._query("SELECT max(number) FROM events WHERE game_id = ?", (game_id,))
            self._numbers[game_id] = rows[0][0] or 0
        return self._numbers[game_id] + 1

    # --- reading ---

    @property
    def last_seq(self) -> int:
        """Sequence of the newest event, 0 if there is none."""
        return self.head[0]

    @property
    def head(self) -> tuple[int, str]:
        """Sequence and hash of the newest event; ``(0, 64 zeros)`` when there is none."""
        if not self.readonly:
            return self._head  # nobody else writes
        with as_log_error(self.path):
            return self._read_head()

    def events(
        self, game_id: str | None = None, after: int = 0, limit: int | None = None
    ) -> list[LoggedEvent]:
        """The oldest ``limit`` events with a sequence above ``after``, of one game or of all."""
        held = self._held
        where, of = ("seq > ?", ()) if game_id is None else ("seq > ? AND game_id = ?", (game_id,))
        rows = self._query(
            f"SELECT {COLUMNS} FROM events WHERE {where} ORDER BY seq LIMIT ?",  # noqa: S608
            (after, *of, -1 if limit is None else limit),
        )
        events = [LoggedEvent(*row) for row in rows]
        last = events[-1].seq if events else after
        events += [e for e in held if e.seq > last and game_id in (None, e.game_id)]
        return events[:limit]

    def game_ids(self) -> list[str]:
        """Return the games in the log, in order of their first events."""
        held = self._held
        rows = self._query("SELECT game_id FROM events GROUP BY game_id ORDER BY min(seq)")
        return list(dict.fromkeys([str(one) for (one,) in rows] + [e.game_id for e in held]))

    def first_of(self, game_id: str) -> LoggedEvent | None:
        """Return the first event of a game; None if there is no such game."""
        kept = self._first(game_id, "number")
        return next((one for one in (*kept, *self._held) if one.game_id == game_id), None)

    def last_of(self, game_id: str) -> LoggedEvent | None:
        """Return the newest event of a game; None if there is no such game."""
        mine = [one for one in self._held if one.game_id == game_id]
        return next(reversed(mine or self._first(game_id, "number DESC")), None)

    def _first(self, game_id: str, order: str) -> list[LoggedEvent]:
        """Return the event of a game that comes first in an order, of those on the disk."""
        which = f"WHERE game_id = ? ORDER BY {order} LIMIT 1"
        rows = self._query(f"SELECT {COLUMNS} FROM events {which}", (game_id,))  # noqa: S608
        return [LoggedEvent(*row) for row in rows]

    def history(self) -> list[tuple[int, str, str]]:
        """Repairs of the file itself: (wall time in ns, what, detail as JSON)."""
        return [
            (int(wall), str(what), str(detail))
            for wall, what, detail in self._query(
                "SELECT wall_ns, what, detail FROM history ORDER BY id"
            )
        ]

    def grew(self, after: int, timeout: float, over: Callable[[], bool] = bool) -> bool:
        """Wait for an event above ``after``; False if the wait ended without one.

        An event of this process ends it at once, one of another within 50 ms; see ``LogReader``.
        """
        deadline = time.monotonic() + timeout
        with self._grown:
            while not (self._closed or over()):
                if self.last_seq > after:
                    return True
                left = deadline - time.monotonic()
                if left <= 0:
                    break
                self._grown.wait(min(left, _POLL_S) if self.readonly else left)
        return False

    def copy_to(self, target: Path) -> None:
        """Copy the present log into a new database. Raises ``LogError``."""
        with self._read_lock, as_log_error(self.path), closing(sqlite3.connect(target)) as copy:
            if self._reader is None:
                raise LogError(f"{self.path}: this log is closed")
            self._reader.backup(copy)
            copy.execute("PRAGMA journal_mode=DELETE")

    def verify(self) -> ChainFault | None:
        """Check the whole chain and every signature; return the first fault, or None."""
        return first_fault(self.events())

    # --- housekeeping ---

    def close(self) -> None:
        """Close every connection, wake waiting readers, and let another process write.

        Raises ``LogError`` if events held in memory could not be written even now.
        """
        lost: str | None = None
        with self._write_lock:
            if self._held and self._disk is not None and not self._closed:
                try:
                    self._disk.write(self._held)
                    self._held = ()
                except LogError as error:
                    lost = f"{error}; {len(self._held)} events in memory were lost"
            self._closed = True
            with self._read_lock:
                if self._reader is not None:
                    with contextlib.suppress(sqlite3.Error):
                        self._reader.close()
                    self._reader = None
            if self._disk is not None:
                self._disk.close()
            with contextlib.suppress(OSError):
                self._reading.close()
            if self._lock_file is not None:
                with contextlib.suppress(OSError):
                    self._lock_file.close()
                self._lock_file = None
        self.wake()
        if lost is not None:
            raise LogError(lost)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _query(self, sql: str, parameters: Sequence[int | str] = ()) -> list[tuple[Any, ...]]:
        with self._read_lock, as_log_error(self.path):
            if self._reader is None:
                raise LogError(f"{self.path}: this log is closed")
            return self._reader.execute(sql, parameters).fetchall()

    def _read_head(self) -> tuple[int, str]:
        rows = self._query("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")
        return (int(rows[0][0]), str(rows[0][1])) if rows else (0, GENESIS)
