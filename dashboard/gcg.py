"""Records of games as GCG: as text, as an answer, and as a file that is kept up to date."""

from __future__ import annotations

import contextlib
import logging
import threading
from pathlib import Path
from typing import Final

from flask import Response

from dashboard.responses import answer, as_download
from dashboard.site import Table
from game.errors import TilewatchError
from game.files import write_file
from game.gcg import write
from game.gcg.enriched import enriched
from game.gcg.record import GameRecord
from game.schema import Audience
from game.state.fold import GameState
from table.racks.known import KnownRacks
from table.views.public_policy import WIDE
from table.views.publication import NOT_SHOWN, OPEN
from table.views.views import record_for

_LOG = logging.getLogger(__name__)

_STEP_S: Final = 1.0


def gcg_text(state: GameState | None, table: Table, audience: Audience) -> str | None:
    """Return the text of a game's record as an audience of ``table`` may know it; else None."""
    record = shown_record(state, table, audience)
    return None if record is None else write(record)


def shown_record(state: GameState | None, table: Table, audience: Audience) -> GameRecord | None:
    """Return a game's record as an audience of ``table`` may know it.

    None if there is no game, one that began from a given position, or one that is not shown.
    """
    if state is None:
        return None
    now = table.showing(state.game_id) if audience in WIDE else OPEN
    if now.is_withheld:
        return None
    with contextlib.suppress(TilewatchError):  # it began from a given position
        record = now.record(record_for(now.state(state), audience, table.allowed))
        opened = state.settled and (audience != "public" or table.allowed.racks == "after")
        held = KnownRacks(None).history(state).held if opened else {}
        return enriched(record, state.turns, held)
    return None


def gcg_of(table: Table, audience: Audience) -> str | None:
    """Return the record of the game shown to an audience, as far as it may know it by now.

    None if there is no game, or none that can be written down.
    """
    latest = table.feeds[audience].latest()
    if latest is None or table.folded is None:
        return None
    if audience == "director":  # it is whole: some facts, like an exchange's tiles, change no view
        game = table.folded.game(latest.view["game_id"])
        return gcg_text(None if game is None else game.state, table, audience)
    return gcg_text(table.folded.state_at(latest.view["game_id"], latest.seq), table, audience)


def gcg_answer(text: str, name: str) -> Response:
    """Return the answer that saves a record as a file named ``name``."""
    return as_download(answer(text, "text/plain"), name)


class GcgFile:
    """Rewrites a ``.gcg`` file after every change of the game now played at ``table``.

    The file is always whole: the new text is written beside it and replaces it in one step. It has
    what a broadcast shows, so no racks before a game is settled. It is not delayed as the public's
    views are, because it is for whoever runs the table. A thread of its own writes it.
    """

    def __init__(self, table: Table, path: Path) -> None:
        self.path = path
        self._table = table
        self._feed = table.feeds["broadcast"]
        self._written: str | None = None
        self._failed = False
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="gcg file", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Write the newest record and stop."""
        self._stopping.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        seen: str | None = None
        while not self._stopping.is_set() and not self._feed.closed:
            messages = self._feed.since(seen, fresh=False)
            seen = messages[-1].id if messages else seen
            self._rewrite()
            self._feed.wait(seen, _STEP_S)
        self._rewrite()

    def _rewrite(self) -> None:
        try:
            text = self._text()
        except TilewatchError as error:
            _LOG.error("the record is not written: %s", error)
            return
        if text is None or text == self._written:
            return
        try:
            write_file(self.path, text.encode(), durable=False)
        except OSError as error:
            if not self._failed:
                _LOG.error("%s: the record cannot be written (%s)", self.path, error.strerror)
            self._failed = True
            return
        self._written, self._failed = text, False

    def _text(self) -> str | None:
        """Return the present record; ``None`` if there is none. One that is not shown is empty."""
        game = None if self._table.folded is None else self._table.folded.shown()
        if game is not None and self._table.showing(game.state.game_id).is_withheld:
            return f"#character-encoding UTF-8\n#note {NOT_SHOWN}\n"
        return gcg_text(None if game is None else game.state, self._table, "broadcast")
