"""The hub's pictures: fetched from the tables when somebody looks, and meanwhile in the background.

A picture comes in pieces that are asked for one by one, so a transfer goes no faster than its
limit and can be taken up where it stopped, by this hub or its next start: what has come is in a
file next to the store. Only pictures that a table's log links are asked of it, and only what has
the right hash is stored.
"""

from __future__ import annotations

import hashlib
import itertools
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hub.rate_limit import Bucket
from hub.repeating import Repeating
from hub.wire.picture_chunks import PIECE, PictureChunk, parse_chunk
from record.chain import LoggedEvent
from record.errors import EvidenceError
from record.evidence import EvidenceStore

LOOK_S: Final = 8.0
"""Whoever looks at a picture waits for it no longer than this."""

_AGAIN_S: Final = 2.0
_TICK_S: Final = 0.02
_STRIKES: Final = 3
_BACKGROUND: Final = 2
_FEW: Final = 100
_REMEMBERED: Final = 5000
"""Pictures that are kept in mind as missing at most; the others are found again later."""

Ask = Callable[[str, Mapping[str, Any]], bool]


def linked(event: LoggedEvent) -> set[str]:
    """The pictures that a record links."""
    if event.type not in ("TurnSeen", "TilesChanged", "BoardSeen", "PicturesKept"):
        return set()
    payload = event.payload
    found = payload.get("pictures")
    kept = found if isinstance(found, list) else []
    shas = [one.get("sha256") for one in kept if isinstance(one, dict)]
    frames = payload.get("frames")
    shas += frames.values() if isinstance(frames, dict) else []
    return {sha for sha in shas if isinstance(sha, str) and len(sha) == 64}


@dataclass(slots=True)
class _Transfer:
    table: str
    wanted: bool
    """True if somebody waits for it."""
    offset: int
    asked_s: float = 0.0
    asked: int = -1
    strikes: int = 0


class PictureFetcher:
    """Brings pictures to the hub's store. Safe to use from any thread."""

    def __init__(
        self,
        store: EvidenceStore,
        folder: Path,
        ask: Ask,
        is_here: Callable[[str], bool],
        *,
        bytes_per_s: float,
        backlog: Callable[[], Iterable[tuple[str, LoggedEvent]]] = tuple,
        idle: Callable[[], bool] = lambda: True,
        noted: Callable[[str, str, str], None] = lambda _table, _what, _detail: None,
    ) -> None:
        """Fetch into ``store``; ``folder`` holds what is not whole yet.

        ``bytes_per_s`` bounds the background alone. ``backlog`` goes through all records of all
        tables that may link pictures. Raises ``EvidenceError`` when the folder cannot be made.
        """
        self.store, self._folder, self._ask, self._is_here = store, folder, ask, is_here
        self._idle, self._noted = idle, noted
        self._bucket = Bucket(bytes_per_s, max(2.0 * PIECE, bytes_per_s), time.monotonic())
        self._changing = threading.Lock()
        self._came = threading.Condition(self._changing)
        self._transfers: OrderedDict[str, _Transfer] = OrderedDict()
        self._backlog: Iterator[tuple[str, LoggedEvent]] = iter(backlog())
        self._all, self._passed_over = backlog, False
        self._bad: set[str] = set()
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EvidenceError(f"{folder}: cannot be made ({error.strerror})") from error
        self._asking = Repeating("pictures", _TICK_S, self._ask_for_more)
        self.start = self._asking.start

    def stop(self) -> None:
        """Stop; what is half here is gone on with at the next start."""
        self._asking.stop()
        with self._came:
            self._came.notify_all()

    def know(self, table_id: str, events: Iterable[LoggedEvent]) -> None:
        """Records of a table: what they link is fetched when there is time."""
        found = [sha for event in events for sha in sorted(linked(event))]
        with self._changing:
            for sha in found:
                if len(self._transfers) >= _REMEMBERED:
                    self._passed_over = True  # found again when the backlog is gone through
                    return
                if sha not in self._transfers and not self._have(sha) and sha not in self._bad:
                    self._transfers[sha] = _Transfer(table_id, False, self._half(sha))

    def look(self, table_id: str, sha256: str, timeout_s: float = LOOK_S) -> bool:
        """Fetch a picture that somebody wants to see; True if it is here in time.

        It goes before the pictures fetched in the background.
        """
        deadline = time.monotonic() + timeout_s
        with self._came:
            while not self._have(sha256):
                left = deadline - time.monotonic()
                if left <= 0 or self._asking.stopping:
                    return False
                if sha256 in self._bad or not self._is_here(table_id):
                    return False
                transfer = self._transfers.get(sha256)
                if transfer is None:
                    transfer = _Transfer(table_id, True, self._half(sha256))
                    self._transfers[sha256] = transfer
                transfer.wanted = True
                self._came.wait(min(left, 0.5))
        return True

    def may_come(self, sha256: str) -> bool:
        """True if a picture that is not here may be had from its table."""
        return sha256 not in self._bad

    @property
    def missing(self) -> int:
        """Pictures that are known of and not here yet."""
        with self._changing:  # a picture is stored a moment before its transfer ends
            return len(self._transfers)

    def piece(self, table_id: str, message: bytes) -> None:
        """Take a piece that a table has sent. Raises ``WireError`` for a malformed one."""
        piece = parse_chunk(message)
        with self._changing:
            transfer = self._transfers.get(piece.sha256)
            if transfer is None or transfer.table != table_id:
                return  # asked for twice, or of another hub's asking
            if piece.offset != transfer.offset:
                return  # came twice
            transfer.asked = -1
            if piece.total == 0:
                self._give_up(piece.sha256, transfer, "the table has no such picture any more")
                return
            path = self._folder / piece.sha256
            with path.open("ab") as handle:
                if handle.tell() != piece.offset:
                    handle.truncate(0)
                    transfer.offset = 0
                    return
                handle.write(piece.octets)
            transfer.offset += len(piece.octets)
            if transfer.offset >= piece.total:
                self._whole(piece, path, transfer)

    def _whole(self, piece: PictureChunk, path: Path, transfer: _Transfer) -> None:
        """The last piece has come."""
        content = path.read_bytes()
        path.unlink()
        if hashlib.sha256(content).hexdigest() != piece.sha256:
            transfer.offset, transfer.strikes = 0, transfer.strikes + 1
            if transfer.strikes >= _STRIKES:
                self._give_up(piece.sha256, transfer, "the table sends another picture than asked")
            return
        try:
            self.store.store(content)
        except EvidenceError as error:
            self._give_up(piece.sha256, transfer, str(error))
            return
        self._transfers.pop(piece.sha256, None)
        self._came.notify_all()

    def _give_up(self, sha256: str, transfer: _Transfer, why: str) -> None:
        self._transfers.pop(sha256, None)
        self._bad.add(sha256)
        (self._folder / sha256).unlink(missing_ok=True)
        self._came.notify_all()
        self._noted(transfer.table, "picture", f"{sha256[:12]}…: {why}")

    def _have(self, sha256: str) -> bool:
        return self.store.path(sha256).exists()

    def _half(self, sha256: str) -> int:
        try:
            return (self._folder / sha256).stat().st_size
        except OSError:
            return 0

    def _ask_for_more(self) -> None:
        self._take_up()
        for table_id, sha256, offset in self._due():
            self._ask(table_id, {"sha256": sha256, "offset": offset})

    def _take_up(self) -> None:
        """Go on through the backlog while little else is to be fetched."""
        if len(self._transfers) > _FEW or not self._idle():
            return
        for table_id, event in itertools.islice(self._backlog, _FEW):
            self.know(table_id, [event])
        if self._passed_over and not self._transfers:
            self._passed_over, self._backlog = False, iter(self._all())

    def _due(self) -> list[tuple[str, str, int]]:
        """The pieces that are to be asked for now."""
        now = time.monotonic()
        due: list[tuple[str, str, int]] = []
        with self._changing:
            somebody_waits = False
            under_way = 0
            for sha256, transfer in self._transfers.items():
                if transfer.wanted:
                    somebody_waits = True
                elif somebody_waits or under_way >= _BACKGROUND:
                    continue
                if not self._is_here(transfer.table):
                    continue
                if transfer.asked == transfer.offset and now - transfer.asked_s < _AGAIN_S:
                    under_way += not transfer.wanted
                    continue
                if not transfer.wanted:
                    if not self._idle() or not self._bucket.draw(PIECE, now):
                        break
                    under_way += 1
                transfer.asked, transfer.asked_s = transfer.offset, now
                due.append((transfer.table, sha256, transfer.offset))
                if transfer.wanted:
                    self._transfers.move_to_end(sha256, last=False)
                    break  # the order has changed: the rest at the next tick
        return due


class HubEvidence(EvidenceStore):
    """The hub's store of pictures as one table's pages see it: what is not here yet is fetched."""

    def __init__(self, folder: Path, table_id: str, pictures: PictureFetcher) -> None:
        super().__init__(folder)
        self._table, self._pictures = table_id, pictures

    def has(self, sha256: str) -> bool:
        """True if a picture is here, or may still come."""
        return super().has(sha256) or self._pictures.may_come(sha256)

    def bring(self, sha256: str) -> bool:
        """Have a picture here, from its table if need be."""
        return super().has(sha256) or self._pictures.look(self._table, sha256)

    def load(self, sha256: str) -> bytes:
        """The bytes of a picture, from its table if need be. Raises ``EvidenceError``."""
        self.bring(sha256)
        return super().load(sha256)
