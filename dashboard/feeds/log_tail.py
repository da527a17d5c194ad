"""The event log as a feed sees it: every event with the view that an audience has after it."""

from __future__ import annotations

from collections.abc import Container, Iterator

from dashboard.feeds.feed import View, ViewEntry
from game.events import GameStarted
from game.state.fold import GameState
from record.log.reader import LogReader
from table.folding import step
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from table.views.views import Audience, view


class LogTail:
    """Folds a table's log as it grows. The game shown is the one that was started last."""

    def __init__(
        self,
        log: LogReader,
        audience: Audience = "public",
        words: Container[str] | None = None,
        public: PublicPolicy = FULLY_OPEN,
    ) -> None:
        self._log = log
        self._audience: Audience = audience
        self._words = words
        self._public = public
        self._states: dict[str, GameState] = {}
        self._shown: str | None = None

    def after(self, seq: int) -> Iterator[tuple[ViewEntry, View | None]]:
        """The events after ``seq``, each with the view of the table as it then stood.

        Call it with increasing ``seq`` only, and take everything that it yields: each event is
        folded once.
        """
        for logged in self._log.events(after=seq):
            state, event = step(self._states.get(logged.game_id), logged)
            if event is not None and state is not None:
                self._states[logged.game_id] = state
                if isinstance(event, GameStarted):
                    self._shown = logged.game_id
            yield logged, self._view()

    def wait(self, seq: int, timeout: float) -> bool:
        """Wait for an event after ``seq``."""
        return bool(self._log.wait(seq, timeout))

    def _view(self) -> View | None:
        if self._shown is None:
            return None
        return view(self._states[self._shown], self._audience, self._words, self._public)
