"""Deletion of evidence pictures: because of their size, of their age, or on request.

- *Size*: pictures of signed games are deleted oldest game first, only while all pictures together
  take more than the size set. Those of a game whose result is not signed, or that was ever
  reopened, are never deleted for their size.
- *Age*: pictures are deleted some days after the newest event of their game. Signed games and all
  others have an age each; without one they stay.
- *Request*: somebody who is in the pictures asks for it, and a person carries it out at once.

By size and age they are only deleted a day after the announcement. Before a deletion, the log gets
a ``PicturesDeleted`` event. Events are never deleted. If the disk fills up sooner, new pictures are
not kept (``record.evidence``).
"""

from __future__ import annotations

import contextlib
import json
import math
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from game.errors import TilewatchError
from game.events import Event, GameReopened, PicturesDeleted, from_payload, to_payload
from game.state.fold import fold
from record.chain import LoggedEvent
from record.errors import EvidenceError
from record.evidence import EvidenceStore
from record.linked_pictures import linked_pictures
from record.log.event_log import EventLog

DEFAULT_BYTES: Final = 20 * 10**9
NOTICE_NS: Final = 24 * 3600 * 10**9
"""The time between the announcement and the deletion of pictures."""

ANNOUNCED: Final = "retention.json"

_HOUR_NS: Final = 3600 * 10**9
_DAY_NS: Final = 24 * _HOUR_NS


@dataclass(frozen=True)
class RetentionRule:
    """How much room pictures may take, and for how many days they are kept; None: no end."""

    most_bytes: int = DEFAULT_BYTES
    signed_days: float | None = None
    unsigned_days: float | None = None
    """For games whose result is not signed, or that were ever reopened."""


@dataclass(frozen=True)
class RetainedGame:
    """The pictures of one game."""

    game_id: str
    ended_wall_ns: int
    """Wall time of the game's newest event, deletions apart."""
    settled: bool
    """True if the result is signed and was never reopened."""
    pictures: frozenset[str]
    """The pictures that are on the disk."""
    size: int
    due_wall_ns: int | None = None
    """The wall time at which the pictures are too old; None: never."""


@dataclass(frozen=True)
class Deletion:
    """Pictures of a game that are to be deleted, at ``from_wall_ns`` at the earliest."""

    game_id: str
    pictures: frozenset[str]
    size: int
    why: str
    from_wall_ns: int = 0


@dataclass(frozen=True)
class RetentionPlan:
    """All games with pictures, and those whose pictures are to be deleted."""

    total: int
    rule: RetentionRule
    games: tuple[RetainedGame, ...]
    """All games with pictures, oldest first."""
    going: tuple[Deletion, ...]

    @property
    def above(self) -> int:
        """The bytes above the limit that remain, because no other pictures may be deleted."""
        return max(0, self.total - sum(one.size for one in self.going) - self.rule.most_bytes)


def plan(
    log: EventLog,
    store: EvidenceStore,
    rule: RetentionRule | None = None,
    now_ns: int | None = None,
) -> RetentionPlan:
    """Return the deletions that ``rule`` demands, those that are due within a day included.

    ``now_ns`` is wall time.
    """
    rule = rule or RetentionRule()
    now = time.time_ns() if now_ns is None else now_ns
    games = sorted(
        (one for one in (_retained(log, store, rule, game) for game in log.game_ids())),
        key=lambda one: one.ended_wall_ns,
    )
    games = [game for game in games if game.pictures]
    shared = Counter(sha for game in games for sha in game.pictures)
    total = _size(store, shared)
    alone = {game.game_id: _alone(store, game, shared) for game in games}
    aged = {
        game.game_id: replace(
            alone[game.game_id], why=_old(rule, game.settled), from_wall_ns=game.due_wall_ns
        )
        for game in games
        if game.due_wall_ns is not None and game.due_wall_ns - NOTICE_NS <= now
    }
    left = total - sum(one.size for one in aged.values())
    going = []
    for game in games:
        if game.game_id in aged:
            going.append(aged[game.game_id])
        elif game.settled and left > rule.most_bytes:
            going.append(alone[game.game_id])
            left -= alone[game.game_id].size
    return RetentionPlan(total, rule, tuple(games), tuple(going))


def days_left(game: RetainedGame, now_ns: int | None = None) -> int | None:
    """Return the whole days until a game's pictures are too old; None if they never are.

    ``now_ns`` is wall time.
    """
    if game.due_wall_ns is None:
        return None
    now = time.time_ns() if now_ns is None else now_ns
    return max(0, math.ceil((game.due_wall_ns - now) / _DAY_NS))


def sweep(
    log: EventLog,
    store: EvidenceStore,
    rule: RetentionRule | None = None,
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
    due = plan(log, store, rule, now)
    messages: list[str] = []
    still: dict[str, int] = {}
    for game in due.going:
        since = announced.get(game.game_id)
        if since is None or since > now:
            still[game.game_id] = now
            hours = math.ceil(max(NOTICE_NS, game.from_wall_ns - now) / _HOUR_NS)
            messages.append(
                f"the pictures of {game.game_id} ({_mb(game.size)}) will be deleted in {hours} "
                f"hours: {game.why}"
            )
        elif now - since < NOTICE_NS or now < game.from_wall_ns:
            still[game.game_id] = since
        else:
            _delete(log, store, game)
            messages.append(f"the pictures of {game.game_id} ({_mb(game.size)}) were deleted")
    if due.above:
        messages.append(
            f"pictures take {_mb(due.above)} more than {_mb(due.rule.most_bytes)}, and all are of "
            "games that are not signed or were disputed: export or back them up, and sign what is "
            "settled"
        )
    if still != announced:
        path.write_text(json.dumps(still, indent=1) + "\n", "utf-8")
    return messages


def erase(
    log: EventLog,
    store: EvidenceStore,
    game_id: str,
    by: str,
    why: str,
    beginnings: Iterable[str] = (),
) -> int:
    """Delete pictures of a game because somebody asked for it; return their number.

    All of the game's, or those whose SHA-256 has one of these ``beginnings``. Another game that
    links the same picture gets the event too. ``log`` is open for writing and the table is not
    running. Raises ``EvidenceError`` if a beginning fits no picture, and ``LogError``; then every
    deletion made is in the log.
    """
    wanted = tuple(beginnings)
    linked = {game: _linked(log.events(game)) for game in log.game_ids()}
    kept = {sha for sha in linked.get(game_id, ()) if store.has(sha)}
    for one in wanted:
        if not any(sha.startswith(one) for sha in kept):
            raise EvidenceError(f"no picture of {game_id} begins with {one[:80]!r}")
    erased = frozenset(sha for sha in kept if not wanted or sha.startswith(wanted))
    for game, shas in linked.items():
        if also := erased & shas:
            _delete(log, store, Deletion(game, also, 0, why), by)
    return len(erased)


def _delete(log: EventLog, store: EvidenceStore, game: Deletion, by: str | None = None) -> None:
    mono_ns = log.events(after=log.last_seq - 1)[-1].mono_ns
    event = PicturesDeleted(tuple(sorted(game.pictures)), game.why, mono_ns, by)
    logged = log.append(game.game_id, to_payload(event), mono_ns=mono_ns, source="retention")
    if not logged.on_disk:
        return  # the log must be known to have it
    for sha in game.pictures:
        with contextlib.suppress(OSError):
            store.path(sha).unlink(missing_ok=True)


def _alone(store: EvidenceStore, game: RetainedGame, shared: Counter[str]) -> Deletion:
    """Return the deletion of the pictures that no other game links."""
    pictures = frozenset(sha for sha in game.pictures if shared[sha] == 1)
    why = "the result is signed, and the evidence takes more room than it may"
    return Deletion(game.game_id, pictures, _size(store, pictures), why)


def _old(rule: RetentionRule, settled: bool) -> str:
    days, game = rule.signed_days if settled else rule.unsigned_days, "an unsigned or disputed"
    return f"pictures of {'a signed' if settled else game} game are kept for {days:g} days"


def _retained(
    log: EventLog, store: EvidenceStore, rule: RetentionRule, game_id: str
) -> RetainedGame:
    try:
        records = log.events(game_id)
    except TilewatchError:  # nothing goes of a game that cannot be read, and no table stops for it
        return RetainedGame(game_id, 0, False, frozenset(), 0)
    there = frozenset(sha for sha in _linked(records) if store.path(sha).is_file())
    times = [one.wall_ns for one in records if one.type != PicturesDeleted.__name__]
    ended_ns = max(times[-1:], default=0)
    settled = _is_settled(records)
    days = rule.signed_days if settled else rule.unsigned_days
    due_ns = None if days is None else ended_ns + round(days * _DAY_NS)
    return RetainedGame(game_id, ended_ns, settled, there, _size(store, there), due_ns)


def _linked(records: Iterable[LoggedEvent]) -> frozenset[str]:
    payloads = []
    for record in records:
        with contextlib.suppress(TilewatchError):  # the pictures of the others are known
            payloads.append(record.payload)
    return frozenset(sha for _, _, sha in linked_pictures(payloads))


def _is_settled(records: Iterable[LoggedEvent]) -> bool:
    """Return True if the result is signed and the game was never reopened."""
    try:
        game: list[Event] = [from_payload(record.payload) for record in records]
        signed = fold(game).signed is not None
    except TilewatchError:
        return False  # what cannot be understood may be a dispute
    return signed and not any(isinstance(event, GameReopened) for event in game)


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
