"""Deletion of the oldest evidence pictures once there are too many.

Pictures of a game whose result is not signed, or that was ever reopened, are never deleted.
Pictures of signed games are deleted oldest game first, only while all pictures together take more
than the size set, and only a day after the announcement; before a deletion, the log gets a
``PicturesDeleted`` event. Events are never deleted. If the disk fills up sooner, new pictures are
not kept (``record.evidence``).
"""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from game.errors import TilewatchError
from game.events import Event, GameReopened, PicturesDeleted, from_payload, to_payload
from game.state.fold import fold
from record.evidence import EvidenceStore
from record.linked_pictures import linked_pictures
from record.log.event_log import EventLog

DEFAULT_BYTES: Final = 20 * 10**9
NOTICE_NS: Final = 24 * 3600 * 10**9
"""The time between the announcement and the deletion of pictures."""

ANNOUNCED: Final = "retention.json"


@dataclass(frozen=True)
class RetainedGame:
    """The pictures of one game."""

    game_id: str
    ended_wall_ns: int
    """Wall time of the game's newest event."""
    may_go: bool
    """True if the result is signed and was never reopened, so the pictures may be deleted."""
    pictures: frozenset[str]
    """The pictures that are on the disk."""
    size: int


@dataclass(frozen=True)
class RetentionPlan:
    """All games with pictures, and those whose pictures are to be deleted."""

    total: int
    limit: int
    games: tuple[RetainedGame, ...]
    """All games with pictures, oldest first."""
    going: tuple[RetainedGame, ...]

    @property
    def above(self) -> int:
        """The bytes above the limit that remain, because no other pictures may be deleted."""
        return max(0, self.total - sum(one.size for one in self.going) - self.limit)


def plan(log: EventLog, store: EvidenceStore, limit: int = DEFAULT_BYTES) -> RetentionPlan:
    """Return the games whose pictures to delete so that all take at most ``limit`` bytes."""
    games = sorted(
        (one for one in (_kept(log, store, game) for game in log.game_ids()) if one.pictures),
        key=lambda one: one.ended_wall_ns,
    )
    shared: dict[str, int] = {}
    for game in games:
        for sha in game.pictures:
            shared[sha] = shared.get(sha, 0) + 1
    total = _size(store, shared)
    left = total
    going = []
    for game in games:
        if left <= limit:
            break
        if game.may_go:
            alone = frozenset(sha for sha in game.pictures if shared[sha] == 1)
            size = _size(store, alone)
            going.append(RetainedGame(game.game_id, game.ended_wall_ns, True, alone, size))
            left -= size
    return RetentionPlan(total, limit, tuple(games), tuple(going))


def sweep(
    log: EventLog,
    store: EvidenceStore,
    limit: int = DEFAULT_BYTES,
    *,
    now_ns: int | None = None,
) -> list[str]:
    """Announce deletions, and delete pictures announced a day ago; return lines for the director.

    ``log`` is open for writing and the table is not running: its time is that of the newest event.
    ``now_ns`` is wall time. Raises ``LogError``; then every deletion made is in the log.
    """
    now = time.time_ns() if now_ns is None else now_ns
    path = store.folder.parent / ANNOUNCED
    announced = _announced(path)
    due = plan(log, store, limit)
    messages: list[str] = []
    still: dict[str, int] = {}
    for game in due.going:
        since = announced.get(game.game_id)
        if since is None or since > now:
            still[game.game_id] = now
            messages.append(
                f"the pictures of {game.game_id} ({_mb(game.size)}) will be deleted in "
                f"{NOTICE_NS // (3600 * 10**9)} hours: signed, and all pictures take "
                f"{_mb(due.total)} of {_mb(limit)}"
            )
        elif now - since < NOTICE_NS:
            still[game.game_id] = since
        else:
            _delete(log, store, game)
            messages.append(f"the pictures of {game.game_id} ({_mb(game.size)}) were deleted")
    if due.above:
        messages.append(
            f"pictures take {_mb(due.above)} more than {_mb(limit)}, and all are of games that are "
            "not signed or were disputed: export or back them up, and sign what is settled"
        )
    if still != announced:
        path.write_text(json.dumps(still, indent=1) + "\n", "utf-8")
    return messages


def _delete(log: EventLog, store: EvidenceStore, game: RetainedGame) -> None:
    mono_ns = log.events(after=log.last_seq - 1)[-1].mono_ns
    why = "the result is signed, and the evidence takes more room than it may"
    event = PicturesDeleted(tuple(sorted(game.pictures)), why, mono_ns)
    logged = log.append(game.game_id, to_payload(event), mono_ns=mono_ns, source="retention")
    if not logged.on_disk:
        return  # the log must be known to have it
    for sha in game.pictures:
        with contextlib.suppress(OSError):
            store.path(sha).unlink(missing_ok=True)


def _kept(log: EventLog, store: EvidenceStore, game_id: str) -> RetainedGame:
    try:
        records = log.events(game_id)
    except TilewatchError:  # nothing goes of a game that cannot be read, and no table stops for it
        return RetainedGame(game_id, 0, False, frozenset(), 0)
    game: list[Event] = []
    payloads = []
    may_go = True
    for record in records:
        try:
            payload = record.payload
            payloads.append(payload)
            game.append(from_payload(payload))
        except TilewatchError:
            may_go = False  # what cannot be understood may be a dispute
    try:
        may_go = may_go and fold(game).signed is not None
    except TilewatchError:
        may_go = False
    may_go = may_go and not any(isinstance(event, GameReopened) for event in game)
    linked = {sha for _, _, sha in linked_pictures(payloads)}
    there = frozenset(sha for sha in linked if store.path(sha).is_file())
    return RetainedGame(game_id, records[-1].wall_ns, may_go, there, _size(store, there))


def _size(store: EvidenceStore, pictures: Iterable[str]) -> int:
    return sum(store.path(sha).stat().st_size for sha in pictures)


def _announced(path: Path) -> dict[str, int]:
    try:
        read = json.loads(path.read_text("utf-8"))
        return {str(game): int(when) for game, when in read.items()}
    except (OSError, ValueError, AttributeError, TypeError):
        return {}  # announced anew, which only puts it off


def _mb(size: int) -> str:
    return f"{size / 1e6:,.1f} MB" if size < 10**9 else f"{size / 1e9:,.1f} GB"
