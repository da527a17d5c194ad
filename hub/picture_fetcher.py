"""Fetches pictures from the tables to the hub: on request at once, the others in the background.

A picture comes in pieces that are requested one by one. So a transfer keeps its rate limit and can
be continued where it stopped, also after a restart of the hub: the received part is in a file next
to the store. A table is asked only for pictures that its log links, and only a picture with the
right hash is stored.

Each table has its own queue, and the queues take turns. If a table does not send a picture, it is
asked ever more rarely, and the picture moves to the end of the queue after a few tries. Other
tables are not affected.
"""

from __future__ import annotations

import hashlib
import re
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeAlias

from game.events import PicturesDeleted
from game.files import os_error_as
from hub.rate_limit import Bucket
from hub.repeating import Repeating
from hub.wire.messages import PictureWanted
from hub.wire.picture_chunks import PIECE, PictureChunk, parse_chunk
from record.chain import LoggedEvent
from record.errors import EvidenceError, LogError
from record.evidence import EvidenceStore
from record.linked_pictures import deleted_pictures, linked_pictures

LOOK_S: Final = 8.0
"""The longest time in seconds that a page waits for a picture."""

AGAIN_S: Final = 2.0
"""The seconds after which a piece that has not come is requested again."""

SELDOM_S: Final = 600.0
"""The longest pause in seconds before a table that does not answer is asked again."""

TRIES: Final = 3
"""The number of tries after which a picture goes to the end of its table's queue."""

LINE: Final = 100
"""The most pictures in a table's queue; further ones are found later in its log."""

_TICK_S: Final = 0.02
_STRIKES: Final = 3
_BACKGROUND: Final = 2
_AT_ONCE: Final = 4
"""The most requested pieces of one table at a time, if somebody waits for them."""

_SHA256: Final = re.compile(r"[0-9a-f]{64}")

_Key: TypeAlias = tuple[str, str]
"""A table's id and a picture's SHA-256."""

Ask = Callable[[str, PictureWanted], bool]
Records = Callable[[str, int, int], Sequence[LoggedEvent]]
"""Returns up to a number of a table's records after a sequence, oldest first."""


def deleted(event: LoggedEvent) -> set[str]:
    """Return the pictures that a record states as deleted; none for an unreadable record."""
    if event.type != PicturesDeleted.__name__:
        return set()
    try:
        return deleted_pictures([event.payload])
    except LogError:
        return set()


def linked(event: LoggedEvent) -> list[str]:
    """Return the pictures that a record links; an empty list for an unreadable record."""
    if event.type not in ("TurnSeen", "TilesChanged", "BoardSeen", "BoardChanged", "PicturesKept"):
        return []
    try:
        pictures = linked_pictures([event.payload])
        return sorted({sha for _, _, sha in pictures if _SHA256.fullmatch(sha)})
    except LogError:
        return []


@dataclass(slots=True)
class _Transfer:
    offset: int
    tries: int = 0
    """The number of requests for the piece at ``offset`` that had no answer."""
    strikes: int = 0


@dataclass(slots=True)
class _Line:
    """One table's queue: its pictures in the order in which they are fetched."""

    waiting: OrderedDict[str, _Transfer] = field(default_factory=OrderedDict)
    bad: set[str] = field(default_factory=set)
    """Pictures that the table does not have, or only with another hash than in its log."""
    read_to: int = 0
    """The sequence up to which the table's records were searched for pictures."""
    unread: bool = False
    """True if records after ``read_to`` may link pictures."""
    pause_s: float = AGAIN_S
    quiet_until_s: float = 0.0
    """The time before which nothing is requested in the background."""

    def answered(self) -> None:
        """Note that the table answers requests."""
        self.pause_s, self.quiet_until_s = AGAIN_S, 0.0


class PictureFetcher:
    """Fetches pictures into the hub's store. Safe to use from any thread."""

    def __init__(
        self,
        store: EvidenceStore,
        folder: Path,
        ask: Ask,
        is_here: Callable[[str], bool],
        *,
        bytes_per_s: float,
        records: Records = lambda _table, _after, _limit: (),
        idle: Callable[[], bool] = lambda: True,
        noted: Callable[[str, str, str], None] = lambda _table, _what, _detail: None,
    ) -> None:
        """Fetch into ``store``; ``folder`` holds incomplete pictures.

        ``bytes_per_s`` limits only the background. Raises ``EvidenceError`` if the folder cannot be
        made.
        """
        self.store, self._folder, self._ask, self._is_here = store, folder, ask, is_here
        self._records = records
        self._idle, self._noted = idle, noted
        self._bucket = Bucket(bytes_per_s, max(2.0 * PIECE, bytes_per_s), time.monotonic())
        self._changing = threading.Lock()
        self._came = threading.Condition(self._changing)
        self._lines: OrderedDict[str, _Line] = OrderedDict()
        """The queues by table; the next one comes first."""
        self._on_the_way: dict[_Key, float] = {}
        """The times at which pieces were requested."""
        self._looked_for: dict[_Key, float] = {}
        """The times until which somebody waits for a picture."""
        with os_error_as(EvidenceError, f"{folder}: cannot be made"):
            folder.mkdir(parents=True, exist_ok=True)
        self._asking = Repeating("pictures", _TICK_S, self.ask_for_more)
        self.start = self._asking.start

    def stop(self) -> None:
        """Stop; half-fetched pictures are continued at the next start."""
        self._asking.stop()
        with self._came:
            self._came.notify_all()

    def look_through(self, tables: Iterable[str]) -> None:
        """Search the logs of these tables for pictures that are not here."""
        with self._changing:
            for table_id in tables:
                self._line(table_id).unread = True

    def know(self, table_id: str, events: Iterable[LoggedEvent]) -> None:
        """Take a table's new records; their pictures are fetched in the background."""
        with self._changing:
            line = self._line(table_id)
            for event in events:
                if not self._queue(table_id, line, event):
                    line.unread, line.read_to = True, min(line.read_to, event.seq - 1)
                elif not line.unread:
                    line.read_to = event.seq

    def delete(self, events: Iterable[LoggedEvent]) -> None:
        """Delete the hub's copies of pictures that a table's records state as deleted.

        Where a table names another's picture, the hub fetches that one again at its next start.
        """
        for sha in (sha for event in events for sha in deleted(event) if _SHA256.fullmatch(sha)):
            with suppress(OSError):
                self.store.path(sha).unlink(missing_ok=True)

    def look(self, table_id: str, sha256: str, timeout_s: float = LOOK_S) -> bool:
        """Fetch a picture before those in the background; return True if it comes in time."""
        deadline = time.monotonic() + timeout_s
        with self._came:
            line = self._line(table_id)
            while not self._have(sha256):
                left = deadline - time.monotonic()
                if left <= 0 or self._asking.stopping:
                    return False
                if sha256 in line.bad or not self._is_here(table_id):
                    return False
                self._wait_for(table_id, line, sha256, deadline)
                self._came.wait(min(left, 0.5))
        return True

    def want(self, table_id: str, shas: Iterable[str], patience_s: float) -> None:
        """Fetch these pictures before those in the background, without waiting for them."""
        until_s = time.monotonic() + patience_s
        with self._changing:
            line = self._line(table_id)
            for sha256 in shas:
                if _SHA256.fullmatch(sha256) and sha256 not in line.bad and not self._have(sha256):
                    self._wait_for(table_id, line, sha256, until_s)

    def may_come(self, table_id: str, sha256: str) -> bool:
        """Return True if a picture that is not here may still come from its table."""
        line = self._lines.get(table_id)
        return line is None or sha256 not in line.bad

    @property
    def missing(self) -> int:
        """The number of pictures in the queues, at most :data:`LINE` for each table."""
        with self._changing:  # a picture is stored a moment before its transfer ends
            return sum(len(line.waiting) for line in self._lines.values())

    def piece(self, table_id: str, message: bytes) -> None:
        """Take a piece that a table has sent. Raises ``WireError`` for a malformed one."""
        piece = parse_chunk(message)
        with self._changing:
            line = self._line(table_id)
            transfer = line.waiting.get(piece.sha256)
            if transfer is None:
                return  # asked for twice, or of another hub's asking
            if piece.total == 0:
                line.answered()
                self._give_up(table_id, piece.sha256, "the table has no such picture any more")
                return
            if piece.offset != transfer.offset or not piece.octets:
                return  # came twice, or brings nothing
            line.answered()
            transfer.tries = 0
            self._on_the_way.pop((table_id, piece.sha256), None)
            try:
                self._append(table_id, piece, transfer)
            except OSError as error:
                self._noted(table_id, "picture", f"cannot be kept here: {error.strerror}")

    def _append(self, table_id: str, piece: PictureChunk, transfer: _Transfer) -> None:
        path = self._part(table_id, piece.sha256)
        with path.open("ab") as handle:
            if handle.tell() != piece.offset:
                handle.truncate(0)
                transfer.offset = 0
                return
            handle.write(piece.octets)
        transfer.offset += len(piece.octets)
        if transfer.offset >= piece.total:
            self._whole(table_id, piece, path, transfer)

    def _whole(self, table_id: str, piece: PictureChunk, path: Path, transfer: _Transfer) -> None:
        """Check and store a picture of which the last piece has come."""
        content = path.read_bytes()
        path.unlink()
        if hashlib.sha256(content).hexdigest() != piece.sha256:
            transfer.offset, transfer.strikes = 0, transfer.strikes + 1
            if transfer.strikes >= _STRIKES:
                why = "the table sends another picture than asked"
                self._give_up(table_id, piece.sha256, why)
            return
        try:
            self.store.store(content)
        except EvidenceError as error:
            self._give_up(table_id, piece.sha256, str(error))
            return
        self._drop(table_id, piece.sha256)

    def _give_up(self, table_id: str, sha256: str, why: str) -> None:
        self._lines[table_id].bad.add(sha256)
        self._part(table_id, sha256).unlink(missing_ok=True)
        self._drop(table_id, sha256)
        self._noted(table_id, "picture", f"{sha256[:12]}…: {why}")

    def _wait_for(self, table_id: str, line: _Line, sha256: str, until_s: float) -> None:
        if sha256 not in line.waiting:
            line.waiting[sha256] = _Transfer(self._half(table_id, sha256))
        key = table_id, sha256
        self._looked_for[key] = max(until_s, self._looked_for.get(key, 0.0))

    def _drop(self, table_id: str, sha256: str) -> None:
        """Stop fetching a picture."""
        del self._lines[table_id].waiting[sha256]
        for kept in (self._on_the_way, self._looked_for):
            kept.pop((table_id, sha256), None)
        self._came.notify_all()

    def _line(self, table_id: str) -> _Line:
        return self._lines.setdefault(table_id, _Line())

    def _queue(self, table_id: str, line: _Line, event: LoggedEvent) -> bool:
        """Put a record's pictures into its table's queue; return False if that is full.

        Pictures that it states as deleted leave the queue, and the hub's store.
        """
        for sha in deleted(event):
            line.bad.add(sha)
            if sha in line.waiting:
                self._drop(table_id, sha)
        self.delete([event])
        for sha in linked(event):
            if sha in line.waiting or sha in line.bad or self._have(sha):
                continue
            if len(line.waiting) >= LINE:
                return False
            line.waiting[sha] = _Transfer(self._half(table_id, sha))
        return True

    def _have(self, sha256: str) -> bool:
        return self.store.path(sha256).exists()

    def _part(self, table_id: str, sha256: str) -> Path:
        """Return the path of the file with the received part of a picture from this table."""
        return self._folder / f"{table_id}.{sha256}"

    def _half(self, table_id: str, sha256: str) -> int:
        try:
            return self._part(table_id, sha256).stat().st_size
        except OSError:
            return 0

    def ask_for_more(self) -> None:
        """Send the requests that are due. The fetcher's own thread calls this repeatedly."""
        self._take_up()
        for table_id, sha256, offset in self._due():
            self._ask(table_id, PictureWanted(sha256=sha256, offset=offset))

    def _take_up(self) -> None:
        """Search more of the log of the next table with room in its queue."""
        if not self._idle():
            return
        with self._changing:
            found = (
                (table_id, line.read_to)
                for table_id, line in self._lines.items()
                if line.unread and len(line.waiting) < LINE // 2
            )
            table_id, after = next(found, ("", 0))
        if not table_id:
            return
        events = self._records(table_id, after, LINE)
        with self._changing:
            line = self._lines[table_id]
            if line.read_to != after:
                return  # it was sent back meanwhile
            line.unread = bool(events)
            for event in events:
                if not self._queue(table_id, line, event):
                    return
                line.read_to = event.seq

    def _due(self) -> list[tuple[str, str, int]]:
        """Return the pieces to be requested now: table, picture and offset."""
        now = time.monotonic()
        with self._changing:
            late = self._late(now)
            keys = self._looked_for_now(now) or self._background(now)
            self._on_the_way.update(dict.fromkeys(keys, now))
            due = [(table, sha, self._lines[table].waiting[sha].offset) for table, sha in keys]
        for table_id, sha256 in late:
            why = f"the table does not send it in {TRIES} tries; its others go first"
            self._noted(table_id, "picture", f"{sha256[:12]}…: {why}")
        return due

    def _late(self, now: float) -> list[_Key]:
        """Forget overdue requests; return the pictures that move to the end of their queue."""
        lost: list[_Key] = []
        for key, asked_s in list(self._on_the_way.items()):
            if now - asked_s < AGAIN_S:
                continue
            del self._on_the_way[key]
            table_id, sha256 = key
            line = self._lines[table_id]
            if not self._is_here(table_id):
                line.answered()  # it cannot have heard
                continue
            transfer = line.waiting[sha256]
            transfer.tries += 1
            line.quiet_until_s, line.pause_s = now + line.pause_s, min(2 * line.pause_s, SELDOM_S)
            if transfer.tries % TRIES == 0:
                line.waiting.move_to_end(sha256)
                lost.append(key)
        return lost

    def _looked_for_now(self, now: float) -> list[_Key]:
        """Return the pictures that somebody waits for and of which no piece is requested."""
        for key, until_s in list(self._looked_for.items()):
            if until_s <= now:
                del self._looked_for[key]
        busy = Counter(table_id for table_id, _ in self._on_the_way)
        found: list[_Key] = []
        for key in self._looked_for:
            table_id = key[0]
            if key in self._on_the_way or busy[table_id] >= _AT_ONCE or not self._is_here(table_id):
                continue
            busy[table_id] += 1
            found.append(key)
        return found

    def _background(self, now: float) -> list[_Key]:
        """Return the next pictures for the background, one of each table, in turns."""
        busy = set()
        for table_id, sha256 in self._on_the_way:
            if (table_id, sha256) not in self._looked_for:
                busy.add(table_id)
            elif not self._lines[table_id].waiting[sha256].tries:
                return []  # what somebody waits for is coming
        found: list[_Key] = []
        for table_id, line in list(self._lines.items()):
            if len(busy) >= _BACKGROUND or not self._idle():
                break
            if not line.waiting or table_id in busy or now < line.quiet_until_s:
                continue
            sha256 = next(iter(line.waiting))
            if (table_id, sha256) in self._on_the_way or not self._is_here(table_id):
                continue
            if not self._bucket.draw(PIECE, now):
                break
            busy.add(table_id)
            found.append((table_id, sha256))
            self._lines.move_to_end(table_id)
        return found


class HubEvidence(EvidenceStore):
    """The hub's store of pictures for one table's pages; missing pictures are fetched."""

    def __init__(self, folder: Path, table_id: str, pictures: PictureFetcher) -> None:
        super().__init__(folder)
        self._table, self._pictures = table_id, pictures

    def has(self, sha256: str) -> bool:
        """Return True if a picture is here or may still come."""
        return super().has(sha256) or self._pictures.may_come(self._table, sha256)

    def bring(self, sha256: str) -> bool:
        """Return True if a picture is here or could be fetched from its table in time."""
        return super().has(sha256) or self._pictures.look(self._table, sha256)

    def load(self, sha256: str) -> bytes:
        """Return a picture's bytes, fetched if necessary. Raises ``EvidenceError``."""
        self.bring(sha256)
        return super().load(sha256)
