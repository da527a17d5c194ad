"""A mirrored log folded once, for every audience that looks at it and for the hall.

A table folds its log from the first record. A hub has two hundred logs of a day each and is started
again while they grow, so it begins with the newest game of each.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator
from typing import Final

from dashboard.feeds.feed import View, ViewEntry
from game.events import GameStarted
from game.state.fold import GameState
from hub.mirrored_log import MirroredLog
from record.chain import LoggedEvent
from table.folding import step
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from table.views.views import Audience, view

_LEAVE_S: Final = 0.05


class FoldedLog:
    """The games of a log from its newest on. Safe to use from any thread."""

    def __init__(self, log: MirroredLog, max_states: int) -> None:
        """``max_states`` states are remembered, for feeds that are asked seldom."""
        self.log = log
        self._states: dict[str, GameState] = {}
        self._shown: str | None = None
        self._begun: set[str] = set()
        """Every game that has begun: a second start of one is none."""
        self._seq = 0
        self._kept: deque[tuple[LoggedEvent, GameState | None]] = deque(maxlen=max_states)
        self._lock = threading.Lock()

    def after(self, seq: int) -> list[tuple[LoggedEvent, GameState | None]]:
        """The records after ``seq`` that are remembered, each with the game as it then stood."""
        with self._lock:
            if self._seq == 0:
                self._begin()
            for logged in self.log.events(after=self._seq):
                self._take(logged)
            return [one for one in self._kept if one[0].seq > seq]

    def shown(self) -> tuple[str, GameState] | None:
        """The id and the state of the game on the table."""
        self.after(self._seq)
        with self._lock:
            return None if self._shown is None else (self._shown, self._states[self._shown])

    def _begin(self) -> None:
        games = self.log.game_ids()
        first = self.log.first_of(games[-1]) if games else None
        if first is not None:
            self._seq = first.seq - 1

    def _take(self, logged: LoggedEvent) -> None:
        known = self._states.get(logged.game_id)
        begins = logged.type == GameStarted.__name__ and logged.game_id not in self._begun
        if begins or known is not None:  # else it is about an earlier game
            state, event = step(known, logged)
            if event is not None and state is not None:
                self._states = {logged.game_id: state}
                self._shown = logged.game_id
                self._begun.add(logged.game_id)
        self._seq = logged.seq
        shown = None if self._shown is None else self._states[self._shown]
        self._kept.append((logged, shown))


class FoldTail:
    """The views of one audience, as a feed reads them from a fold."""

    def __init__(
        self,
        fold: FoldedLog,
        audience: Audience,
        public: PublicPolicy = FULLY_OPEN,
        *,
        whole: bool = False,
    ) -> None:
        """With ``whole`` the first look gives the whole game, and not only how it stands."""
        self._fold, self._audience, self._public = fold, audience, public
        self._whole = whole

    def after(self, seq: int) -> Iterator[tuple[ViewEntry, View | None]]:
        """The records after ``seq``, each with the view of the table as it then stood."""
        found = self._fold.after(seq)
        if seq == 0 and not self._whole:
            found = found[-1:]
        for logged, state in found:
            yield logged, self._view(state)

    def wait(self, seq: int, timeout: float) -> bool:
        """Wait for a record after ``seq``."""
        grew = self._fold.log.grew(seq, timeout)
        if self._fold.log.closed:
            time.sleep(min(_LEAVE_S, timeout))  # until the feed itself stops
        return grew

    def _view(self, state: GameState | None) -> View | None:
        return None if state is None else view(state, self._audience, None, self._public)
