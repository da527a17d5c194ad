"""The event log as a feed sees it: every event with the view that an audience has after it."""

from __future__ import annotations

import logging
from collections.abc import Container, Iterator

from dashboard.feed import Entry, View
from game.errors import TilewatchError
from game.events import GameStarted, from_payload
from game.state import GameState, apply
from table.log_reading import LogReader
from table.public import NOTHING_SAID, Public
from table.views import Audience, view

_LOG = logging.getLogger(__name__)


class LogTail:
    """Folds a table's log as it grows. The game shown is the one that was started last."""

    def __init__(
        self,
        log: LogReader,
        audience: Audience = "public",
        words: Container[str] | None = None,
        public: Public = NOTHING_SAID,
    ) -> None:
        self._log = log
        self._audience: Audience = audience
        self._words = words
        self._public = public
        self._states: dict[str, GameState] = {}
        self._shown: str | None = None

    def after(self, seq: int) -> Iterator[tuple[Entry, View | None]]:
        """The events after ``seq``, each with the view of the table as it then stood.

        Call it with increasing ``seq`` only, and take everything that it yields: each event is
        folded once.
        """
        for logged in self._log.events(after=seq):
            try:
                event = from_payload(logged.payload)
                self._states[logged.game_id] = apply(self._states.get(logged.game_id), event)
                if isinstance(event, GameStarted):
                    self._shown = logged.game_id
            except TilewatchError as error:
                # What was logged was folded first; this is another version's event, or damage.
                # The page goes on with what it understands, and the log says what it did not.
                _LOG.warning("event %d of the log is passed over: %s", logged.seq, error)
            yield logged, self._view()

    def wait(self, seq: int, timeout: float) -> bool:
        """Wait for an event after ``seq``."""
        return bool(self._log.wait(seq, timeout))

    def _view(self) -> View | None:
        if self._shown is None:
            return None
        return view(self._states[self._shown], self._audience, self._words, self._public)
