"""Follows a log and folds it into games once, for all readers.

Pages, programs, directors, the hall and the files that are kept up to date all use the same
:class:`FoldedLog`. ``after_record`` is the fold itself and reads nothing; the class reads the log,
caches and locks.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from game.errors import TilewatchError
from game.events import GameStarted, from_payload
from game.schema import Audience
from game.state.fold import GameState, apply
from game.values import replace
from record.chain import LoggedEvent
from record.log.event_log import LogReader
from record.result_slip import Closing
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from table.views.views import view

_LOG = logging.getLogger(__name__)

_EARLIER_GAMES: Final = 2
"""The number of cached games besides the one on the table: a director looks at few at a time."""


_STEPS, _STEPS_LATE = 512, 2048
"""The number of cached steps, without and with a late public: four for each view that a feed
keeps, since many records change no view."""


def steps_kept(*, late: bool) -> int:
    """Return the number of steps to cache; ``late`` is True if some pages lag up to an hour."""
    return _STEPS_LATE if late else _STEPS


@dataclass(frozen=True, slots=True)
class FoldedGame:
    """A game after one of its records."""

    state: GameState
    first: int
    """The sequence of the record that started it."""
    newest: LoggedEvent
    """The newest record that the state holds."""
    closing: Closing
    """The records that ended and signed it."""
    passed_over: frozenset[int] = frozenset()
    """The sequences of its records that the fold skipped."""

    def holds(self, seq: int) -> bool:
        """Return True if the state includes this record of the game."""
        return self.first <= seq <= self.newest.seq and seq not in self.passed_over


@dataclass(frozen=True, slots=True)
class Step:
    """One record of a log, with the game on the table after it."""

    logged: LoggedEvent
    shown: GameState | None
    """The game that was started last, after this record; None before a first game."""


def after_record(game: FoldedGame | None, logged: LoggedEvent) -> FoldedGame | None:
    """Return a game after one more of its records; None before its first valid one.

    A record is skipped, with a warning in the program's log, if another version wrote it in a form
    unknown here, if it is damaged, or if it is not valid at this point of the game.
    """
    try:
        event = from_payload(logged.payload)
        state = apply(None if game is None else game.state, event)
    except TilewatchError as error:
        _LOG.warning("event %d of the log is skipped: %s", logged.seq, error)
    except Exception:  # a fault of ours: one record must not take a table's pages away for good
        _LOG.exception("event %d of the log is skipped", logged.seq)
    else:
        if game is None:
            return FoldedGame(state, logged.seq, logged, Closing())
        closing = game.closing.after(logged, event, state)
        return replace(game, state=state, newest=logged, closing=closing)
    if game is None:
        return None
    return replace(game, passed_over=game.passed_over | {logged.seq})


def _folded(records: Iterable[LoggedEvent], game: FoldedGame | None = None) -> FoldedGame | None:
    for logged in records:
        game = after_record(game, logged)
    return game


class FoldedLog:
    """The games of a log, each of its records applied once. Safe to use from any thread."""

    def __init__(self, log: LogReader, max_steps: int, *, from_newest_game: bool = False) -> None:
        """Follow ``log`` and cache the last ``max_steps`` records with the state after each.

        With ``from_newest_game`` the fold begins at the newest game; else at the first record,
        which would take too long at a hub with two hundred tables.
        """
        self.log = log
        self._from_newest_game = from_newest_game
        self._shown: FoldedGame | None = None
        self._earlier: OrderedDict[str, FoldedGame] = OrderedDict()
        self._started: set[str] = set()
        """The ids of all games that were started: a second start of a game is skipped."""
        self._seq = 0
        self._steps: deque[Step] = deque(maxlen=max_steps)
        self._lock = threading.Lock()

    def steps(self, after: int) -> list[Step]:
        """Return the cached steps with a sequence above ``after``, oldest first."""
        with self._lock:
            self._read()
            found: list[Step] = []
            for step in reversed(self._steps):
                if step.logged.seq <= after:
                    break
                found.append(step)
            return found[::-1]

    def shown(self) -> FoldedGame | None:
        """Return the game that was started last; None before a first one."""
        with self._lock:
            self._read()
            return self._shown

    def game(self, game_id: str) -> FoldedGame | None:
        """Return the present state of a game; None if the log has no game with this id."""
        with self._lock:
            self._read()
            known, upto = self._known(game_id), self._seq
        if known is not None:
            return known
        # Pages go on meanwhile: they do not wait for a whole game to be folded.
        game = _folded(one for one in self.log.events(game_id) if one.seq <= upto)
        if game is None:
            return None
        with self._lock:
            self._read()
            since = self.log.events(game_id, after=upto)
            game = _folded((one for one in since if one.seq <= self._seq), game)
            assert game is not None
            self._earlier[game_id] = game
            while len(self._earlier) > _EARLIER_GAMES:
                self._earlier.popitem(last=False)
            return game

    def state_at(self, game_id: str, seq: int) -> GameState | None:
        """Return a game's state after the record ``seq``; None before its first record."""
        with self._lock:
            self._read()
            step = next((one for one in reversed(self._steps) if one.logged.seq <= seq), None)
        if step is not None and step.shown is not None and step.shown.game_id == game_id:
            return step.shown
        game = _folded(one for one in self.log.events(game_id) if one.seq <= seq)
        return None if game is None else game.state

    def course(self, game_id: str) -> dict[int, GameState]:
        """Return the game's state after each of its cached records, by sequence."""
        with self._lock:
            self._read()
            return {
                step.logged.seq: step.shown
                for step in self._steps
                if step.shown is not None and step.logged.game_id == step.shown.game_id == game_id
            }

    def around(self, seq: int) -> tuple[GameState, GameState] | None:
        """Return the game on the table before and after its record ``seq``.

        None if the record belongs to another game or is no longer cached.
        """
        before: GameState | None = None
        for step in self.steps(after=seq - 2):
            if step.logged.seq == seq and step.shown is not None and before is not None:
                same = step.logged.game_id == step.shown.game_id == before.game_id
                return (before, step.shown) if same else None
            before = step.shown
        return None

    def views(
        self,
        audience: Audience,
        words: Container[str] | None = None,
        public: PublicPolicy = FULLY_OPEN,
        *,
        newest_first: bool = False,
    ) -> Following:
        """Return the views of the log for one audience, for a feed to follow.

        With ``newest_first`` the first call of ``after`` yields only the newest view.
        """

        def shown(step: Step) -> dict[str, Any] | None:
            return None if step.shown is None else view(step.shown, audience, words, public)

        return Following(self, shown, newest_first)

    def _known(self, game_id: str) -> FoldedGame | None:
        shown = self._shown
        if shown is not None and shown.state.game_id == game_id:
            return shown
        return self._earlier.get(game_id)

    def _read(self) -> None:
        """Read and fold the new records of the log."""
        if self._from_newest_game and self._seq == 0:
            games = self.log.game_ids()
            first = self.log.first_of(games[-1]) if games else None
            self._seq = 0 if first is None else first.seq - 1
        for logged in self.log.events(after=self._seq):
            self._take(logged)

    def _take(self, logged: LoggedEvent) -> None:
        game_id = logged.game_id
        known = self._known(game_id)
        starts = logged.type == GameStarted.__name__ and game_id not in self._started
        if known is not None or starts:  # else it is about an earlier game
            game = after_record(known, logged)
            if game is not None and (known is None or known is self._shown):
                self._started.add(game_id)
                self._shown = game
            elif game is not None:
                self._earlier[game_id] = game
        self._seq = logged.seq
        self._steps.append(Step(logged, None if self._shown is None else self._shown.state))


@dataclass(frozen=True, slots=True)
class Following:
    """What is ``shown`` after each record of a log; a ``dashboard.feeds.feed.Tail``."""

    log: FoldedLog
    shown: Callable[[Step], dict[str, Any] | None]
    newest_first: bool = False

    def after(self, seq: int) -> Iterator[tuple[LoggedEvent, dict[str, Any] | None]]:
        """Yield the records after ``seq``, each with what is shown after it, or None."""
        steps = self.log.steps(seq)
        for step in steps[-1:] if seq == 0 and self.newest_first else steps:
            yield step.logged, self.shown(step)

    def wait(self, seq: int, over: Callable[[], bool]) -> None:
        """Wait for a record after ``seq``, or until ``over()`` is true at a ``wake``."""
        self.log.log.grew(seq, threading.TIMEOUT_MAX, over)

    def wake(self) -> None:
        """Wake the threads that wait."""
        self.log.log.wake()
