"""A game with its entries: what a ruling is tried on before it is made."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from flask import abort

from dashboard.site import Table
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    Event,
    GameEnded,
    GameReopened,
    GameStarted,
    PlayersNamed,
    ResultSigned,
    Retracted,
    TurnSeen,
    from_payload,
)
from game.state.ending import UNFINISHED
from game.state.fold import GameState
from game.state.numbering import as_numbered_now, turns_named
from record.chain import LoggedEvent
from record.log.event_log import LogReader
from record.result_slip import Closing
from record.story.entries import Entry
from record.story.event_wording import describe_entry
from table.folded_log import FoldedGame, FoldedLog

_KEPT: Final = 12
"""Games remembered: a director looks at few at a time, and any other is folded again."""


_LISTED: Final = frozenset(
    one.__name__
    for one in (GameStarted, PlayersNamed, GameEnded, ResultSigned, GameReopened, Retracted)
)
"""Events that the list of games is made of."""

_BEGINS: Final = frozenset((ButtonPressed.__name__, TurnSeen.__name__))
"""Events of which the first shows that a game has begun."""

_RECENT: Final = 5
"""Games before the one on the table that its line names while nobody has signed them."""

_MOST_LINES: Final = 1000


@dataclass(frozen=True, slots=True)
class ListedGame:
    """A game in a director's list."""

    game_id: str
    players: str
    begun_ns: int | None
    """When it began, as wall time; None while it has not."""
    signed: bool
    no_result: bool = False
    """True if it ended without a result: nobody has to sign it."""

    def as_json(self) -> dict[str, object]:
        """The line as JSON-able data."""
        begun = "" if self.begun_ns is None else _moment(self.begun_ns)
        return {
            "game_id": self.game_id,
            "begun": begun,
            "players": self.players,
            "signed": self.signed,
        }


_LINES: Final[dict[str, ListedGame]] = {}
"""The line of each game, by the hash of its newest record."""


@dataclass(frozen=True, slots=True)
class FoldedPage:
    """A game at one moment: everything in its log by then, and the state that follows."""

    state: GameState
    entries: tuple[Entry, ...]
    closing: Closing

    def now(self, entry: Entry) -> Event:
        """An entry's event with the number that its turn has now."""
        return as_numbered_now(self.state, entry.logged.number, entry.event)

    def text(self, entry: Entry) -> str:
        """An entry in one line; of one that takes another back, what it takes back."""
        back = entry.event.event if isinstance(entry.event, Retracted) else None
        target = next((one for one in self.entries if one.logged.number == back), None)
        gone = self.now(target) if target is not None else None
        return describe_entry(self.now(entry), self.state.players, gone)

    def names_turn(self, entry: Entry, number: int) -> bool:
        """True if an entry's event is about the turn that has this number now."""
        return number in self.turns_of(entry)

    def turns_of(self, entry: Entry) -> tuple[int, ...]:
        """Return the numbers that the turn which an entry's event names has now."""
        return turns_named(self.state, entry.logged.number, entry.event)

    @property
    def head(self) -> LoggedEvent:
        """The newest record."""
        return self.entries[-1].logged


class GameBooks:
    """The games that were looked at last, over all tables."""

    def __init__(self) -> None:
        self._pages: OrderedDict[tuple[str, str], tuple[FoldedLog, FoldedPage]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, table: Table, game_id: str) -> FoldedPage:
        """A game of a table, or a 404."""
        folded = table.folded
        if folded is None:
            abort(404, description="This table keeps no log here.")
        game = folded.game(game_id)
        if game is None:
            abort(404, description=f"There is no game {game_id!r} at this table.")
        key = (table.id, game_id)
        with self._lock:
            of_log, known = self._pages.get(key, (folded, None))
        page = _page(folded, game, known if of_log is folded else None)
        with self._lock:
            self._pages[key] = folded, page
            self._pages.move_to_end(key)
            while len(self._pages) > _KEPT:
                self._pages.popitem(last=False)
        return page


def _page(folded: FoldedLog, game: FoldedGame, known: FoldedPage | None) -> FoldedPage:
    """Return a game with its entries; ``known`` is it as it was looked at before."""
    if known is not None and known.head.seq >= game.newest.seq:
        return known
    entries = () if known is None else known.entries
    after = 0 if known is None else known.head.seq
    records = folded.log.events(game.state.game_id, after)
    held = [one for one in records if game.holds(one.seq)]
    events = game.state.progress.events[len(entries) :]
    fresh = (Entry(*pair) for pair in zip(held, events, strict=True))
    return FoldedPage(game.state, (*entries, *fresh), game.closing)


def newest_game(table: Table) -> str | None:
    """The game that was started last at a table."""
    games = table.log.game_ids() if table.log is not None else []
    return games[-1] if games else None


def games(table: Table, most: int = 30) -> list[dict[str, object]]:
    """The table's newest games, newest first: when each began, its players, if it is signed."""
    return [one.as_json() for one in _lines(table, slice(-most, None))]


def unsigned(table: Table) -> list[dict[str, object]]:
    """The games just before the newest one that began and that nobody has signed, newest first."""
    earlier = _lines(table, slice(-_RECENT - 1, -1))
    return [
        one.as_json()
        for one in earlier
        if one.begun_ns is not None and not (one.signed or one.no_result)
    ]


def _lines(table: Table, which: slice) -> list[ListedGame]:
    """The lines of a slice of a table's games, newest first."""
    log = table.log
    return [] if log is None else [_line(log, one) for one in reversed(log.game_ids()[which])]


def _line(log: LogReader, game_id: str) -> ListedGame:
    """A game's line: made anew only once its log has grown."""
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
    """The time of day here, and the day if that is not today."""
    at = datetime.fromtimestamp(wall_ns / 1e9).astimezone()
    today = at.date() == datetime.now().astimezone().date()
    return f"{at:%H:%M}" if today else f"{at:%-d %b, %H:%M}"
