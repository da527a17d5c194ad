"""All tables at a glance, as they change: what the director's desk follows.

A table's line comes from its log and from its present faults. While somebody follows, one thread
checks both ten times a second for all followers: a check is one comparison, and a line is made
again only if something has changed.
"""

from __future__ import annotations

import contextlib
import secrets
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Final

from dashboard.director.concerns import Concern, concerns, sorted_concerns, troubles
from dashboard.feeds.feed import Message, encode
from dashboard.feeds.rows import Rows
from dashboard.site import Site, Table
from dashboard.streaming.streams import RowsFollower, frame
from game.board import main_word
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    GameEnded,
    GameReopened,
    GameStarted,
    PlayersNamed,
    ResultSigned,
    Retracted,
    TurnSeen,
    from_payload,
)
from game.state.settlement import UNFINISHED
from game.tile_symbols import spelled
from record.log.event_log import LogReader

_LOOK_S: Final = 0.1

_MOST_VIEWS: Final = 1000
_CONCERNS: Final[dict[str, tuple[Concern, ...]]] = {}
"""The concerns of each view, by its id."""

_LISTED: Final = frozenset(
    one.__name__
    for one in (GameStarted, PlayersNamed, GameEnded, ResultSigned, GameReopened, Retracted)
)
"""Events that the list of games is made of."""

_BEGINS: Final = frozenset((ButtonPressed.__name__, TurnSeen.__name__))
"""Types of events; the first such event of a game is its beginning."""

_RECENT: Final = 5
"""The number of games before the current one that a table's line names if they are unsigned."""

_MOST_LINES: Final = 1000


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in a director's list."""

    game_id: str
    players: str
    begun_ns: int | None
    """When the game began, as wall time; None before the first press or turn."""
    signed: bool
    no_result: bool = False
    """True if the game ended without a result: nobody has to sign it."""

    def as_json(self) -> dict[str, object]:
        """Return the line as JSON-able data."""
        begun = "" if self.begun_ns is None else _moment(self.begun_ns)
        return {
            "game_id": self.game_id,
            "begun": begun,
            "players": self.players,
            "signed": self.signed,
        }


_LINES: Final[dict[str, ListedGame]] = {}
"""The line of each game, by the hash of its newest record."""


class Overview(Rows):
    """The lines of a site's tables. Safe to use from any thread."""

    def __init__(self, site: Site, *, made_here: bool = True) -> None:
        """``made_here``: lines are made while somebody follows; else only those that are put."""
        super().__init__()
        self._site, self._made_here = site, made_here
        self._seen: dict[str, tuple[object, ...]] = {}
        self._looking = threading.Lock()
        self.run = secrets.token_hex(4)
        """The id of this run of the program; a page from an earlier run is sent every line."""

    def refresh(self) -> None:
        """Make again the lines that have changed."""
        with self._looking:
            for table in self._site.tables if self._made_here else ():
                now = _signs(table)
                if self._seen.get(table.id) != now:
                    self.put(table.id, summary(table))
                    self._seen[table.id] = now

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until a line has changed; False if time ran out."""
        if not self._made_here:
            return super().wait(last_id, timeout)
        give_up = time.monotonic() + timeout
        while not self.closed:
            self.refresh()
            left_s = give_up - time.monotonic()
            if self.since(last_id) or left_s <= 0:
                break
            time.sleep(min(_LOOK_S, left_s))
        return bool(self.since(last_id))

    @property
    def closed(self) -> bool:
        """True if the lines or their site are closed."""
        return super().closed or self._site.closed

    def times(self, tables: Iterable[str] | None = None) -> bytes:
        """Return the time at these tables, or at all of them, as an event of the stream."""
        wanted = None if tables is None else set(tables)
        now = {
            table.id: {"now_ns": table.feeds["director"].now_ns(), "rate": table.rate}
            for table in self._site.tables
            if wanted is None or table.id in wanted
        }
        return frame("time", encode(now))


class OverviewFollower(RowsFollower):
    """The messages for one director's page: lines, with the times at their tables."""

    def __init__(self, glance: Overview, last_id: str | None, ended: Callable[[], bool]) -> None:
        super().__init__(glance, glance.run, last_id, ended)
        self._glance = glance

    def beat(self) -> bytes:
        """Return the time at every table, as an event of the stream."""
        return self._glance.times()

    def new_frames(self, fresh: bool = False) -> bytes:
        """Return the changed lines after the times at their tables; empty if none has changed."""
        if fresh:
            self._glance.refresh()
        lines = self.fresh()
        return self._glance.times(lines) + self.framed(lines) if lines else b""


def _signs(table: Table) -> tuple[object, ...]:
    """Return values that differ if a table's line may have changed; cheap to compute."""
    desk, log = table.desk, table.log
    newest = log.last_seq if log is not None else table.feeds["director"].latest()
    return (
        table,
        newest,
        None if log is None else log.trouble,
        None if desk is None else (desk.phase, desk.trouble()),
    )


def summary(table: Table) -> dict[str, Any]:
    """Return a table's line on the desk, JSON-able."""
    feed = table.feeds["director"]
    latest = feed.latest()
    seen: Mapping[str, Any] | None = latest.view if latest else None
    found = sorted_concerns([*troubles(table), *(_of_view(latest) if latest else ())])
    last = seen["turns"][-1] if seen and seen["turns"] else None
    ended = seen is not None and seen["status"] == "ended"  # else its whole log is read each time
    return {
        "id": table.id,
        "name": table.name,
        "phase": table.desk.phase if table.desk is not None else None,
        "game_id": seen["game_id"] if seen else None,
        "status": seen["status"] if seen else "waiting",
        "no_result": seen["no_result"] if seen else False,
        "players": seen["players"] if seen else None,
        "on_turn": seen["on_turn"] if seen else None,
        "clocks": seen["clocks"] if seen else None,
        "bag_count": seen["bag_count"] if seen else None,
        "turns": len(seen["turns"]) if seen else 0,
        "last": {key: last[key] for key in ("number", "side", "kind", "position", "score")}
        | {"word": _last_word(last, seen["rows"])}
        if seen and last
        else None,
        "concerns": [asdict(one) for one in found],
        "signed": ended and any(one.signed for one in _lines(table, slice(-1, None))),
        "unsigned": unsigned(table),
    }


def _last_word(turn: Mapping[str, Any], rows: Sequence[str]) -> str | None:
    """Return the main word of a turn's play as people write it; None if nothing was played."""
    return spelled(main_word(turn["position"], turn["word"], rows)) if turn["word"] else None


def _of_view(message: Message) -> tuple[Concern, ...]:
    """Return the concerns of a view, which are computed once."""
    known = _CONCERNS.get(message.id)
    if known is None:
        if len(_CONCERNS) >= _MOST_VIEWS:
            _CONCERNS.clear()
        _CONCERNS[message.id] = known = tuple(concerns(message.view))
    return known


def games(table: Table, most: int = 30) -> list[dict[str, object]]:
    """Return a table's newest games, newest first, each as :class:`ListedGame` in JSON."""
    return [one.as_json() for one in _lines(table, slice(-most, None))]


def unsigned(table: Table) -> list[dict[str, object]]:
    """Return the unsigned games just before the newest one, newest first, if they began."""
    earlier = _lines(table, slice(-_RECENT - 1, -1))
    return [
        one.as_json()
        for one in earlier
        if one.begun_ns is not None and not (one.signed or one.no_result)
    ]


def _lines(table: Table, which: slice) -> list[ListedGame]:
    """Return the lines of a slice of a table's games, newest first."""
    log = table.log
    return [] if log is None else [_line(log, one) for one in reversed(log.game_ids()[which])]


def _line(log: LogReader, game_id: str) -> ListedGame:
    """Return a game's line, cached until the game's log grows."""
    last = log.last_of(game_id)
    if last is None:
        return _listed(log, game_id)
    known = _LINES.get(last.hash)
    if known is None:
        if len(_LINES) >= _MOST_LINES:
            _LINES.clear()
        known = _LINES[last.hash] = _listed(log, game_id)
    return known


def _listed(log: LogReader, game_id: str) -> ListedGame:
    names: dict[str, str] = {}
    signed: int | None = None
    begun_ns: int | None = None
    ends: dict[int, str] = {}
    for logged in log.events(game_id):
        if begun_ns is None and logged.type in _BEGINS:
            begun_ns = logged.wall_ns
        if logged.type not in _LISTED:
            continue
        with contextlib.suppress(TilewatchError):  # one that cannot be read says nothing
            event = from_payload(logged.payload)
            if isinstance(event, GameStarted | PlayersNamed):
                names |= event.players
            elif isinstance(event, GameEnded):
                ends[logged.number] = event.reason
            elif isinstance(event, ResultSigned):
                signed = logged.number
            elif isinstance(event, GameReopened):
                ends = ends if signed is not None else {}  # the sheet is opened, or the game
                signed = None
            elif isinstance(event, Retracted):
                ends.pop(event.event, None)
                signed = None if event.event == signed else signed
    no_result = any(reason in UNFINISHED for reason in list(ends.values())[-1:])
    players = " – ".join(names.values())
    return ListedGame(game_id, players, begun_ns, signed is not None, no_result)


def _moment(wall_ns: int) -> str:
    """Return the time of day here, and the day if that is not today."""
    at = datetime.fromtimestamp(wall_ns / 1e9).astimezone()
    today = at.date() == datetime.now().astimezone().date()
    return f"{at:%H:%M}" if today else f"{at:%-d %b, %H:%M}"
