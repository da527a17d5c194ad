"""The games of a table as everybody may see them: the one that is played, and those before it.

The current game is shown as the table's public feed shows it, with the same delay. No event of the
log is used that is newer than the newest one that the public has been shown.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from dashboard.gcg import gcg_of, gcg_text
from dashboard.languages import marked
from dashboard.site import Table
from table.folded_log import FoldedLog
from table.views.views import view

_MOST_VIEWS: Final = 32
"""The most views of earlier games that are remembered: each takes up to some 100 kB."""
_MOST_LINES: Final = 4000

NOT_BEGUN: Final = marked("not begun")
PLAYING: Final = marked("playing")
OVER: Final = marked("over, not yet final")
FINAL: Final = marked("final")
NO_RESULT: Final = marked("over, no result")

_EARLY: Final = frozenset(
    {"agreed", "broken off", "director", "postponed", "set up anew", "shortened"}
)
"""Reasons for an end, as in ``record.story.event_wording.ENDS``, before the game was played out."""


def how_far(view: Mapping[str, Any]) -> str:
    """Return how far the game of a view is, in words; ``table.js`` has the same words."""
    if view["status"] != "ended":
        return NOT_BEGUN if view["status"] == "waiting" else PLAYING
    if view.get("no_result"):
        return NO_RESULT
    return FINAL if view["final"] and not view["provisional"] else OVER


def early_end(view: Mapping[str, Any]) -> str | None:
    """Return why a view's game ended before it was played out, as in the log, or None."""
    reason = view["end_reason"]
    return reason if reason in _EARLY and (view["final"] or view["no_result"]) else None


@dataclass(frozen=True, slots=True)
class GameLine:
    """One game in a list."""

    id: str
    players: Mapping[str, Mapping[str, Any]]
    """The name and the score of each side, as in a view."""
    winner: str | None
    kind: str | None
    """How the game was decided, as in a view's outcome; None if by the scores."""
    early: str | None
    """Why the game ended before it was played out, as in the log; None if it did not."""
    final: bool
    no_result: bool
    provisional: bool
    """True if the result is final, but an open question may still change it."""
    playing: bool
    turns: int
    begun_ns: int
    """When it was set up, as wall time."""
    withheld: bool = False
    """True if its moves are not shown."""

    @property
    def how_far(self) -> str:
        """How far the game is, in the words of every page."""
        if self.playing:
            return PLAYING
        if self.no_result:
            return NO_RESULT
        return FINAL if self.final and not self.provisional else OVER


@dataclass
class ShownGames:
    """Earlier games, folded once for everybody who looks at them. Safe from any thread."""

    _views: OrderedDict[tuple[str, str, int], dict[str, Any]] = field(default_factory=OrderedDict)
    _lines: OrderedDict[tuple[str, str, int, str], GameLine] = field(default_factory=OrderedDict)
    _folding: threading.Lock = field(default_factory=threading.Lock)

    def view(self, table: Table, game_id: str) -> dict[str, Any] | None:
        """Return a game as everybody may see it by now; None if there is no public one."""
        latest = table.public.latest()
        if latest is None:
            return None
        if latest.view["game_id"] == game_id:
            return latest.view
        place = _place(table, game_id)
        if place is None or table.folded is None:
            return None
        with self._folding:  # one at a time: whoever asks for many waits for himself
            shown = self._folded(table, table.folded, game_id, place)
        return None if shown is None else table.showing(game_id).view(shown)

    def lines(
        self, table: Table, before: str | None = None, most: int = 20, since_ns: int = 0
    ) -> list[GameLine]:
        """Return the games played at a table, newest first, from the one before ``before``.

        ``since_ns``: games that were set up before this wall time are left out.
        """
        ids = self.ids(table)
        if before in ids:
            ids = ids[ids.index(before) + 1 :]
        found: list[GameLine] = []
        for game_id in ids:
            first = None if table.log is None else table.log.first_of(game_id)
            if first is not None and first.wall_ns < since_ns:
                break
            line = self._line(table, game_id)
            if line is not None and (line.turns or line.final):
                found.append(line)
            if len(found) == most:
                break
        return found

    def ids(self, table: Table) -> list[str]:
        """Return the games that everybody may know of, newest first."""
        return list(self.places(table))

    def places(self, table: Table) -> dict[str, int]:
        """Return the games that everybody may know of, newest first.

        Each has the sequence number of its newest event that may be known.
        """
        latest = table.public.latest()
        if latest is None:
            return {}
        if table.log is None:
            return {latest.view["game_id"]: latest.seq}
        found = {game_id: _place(table, game_id) for game_id in reversed(table.log.game_ids())}
        return {game_id: place for game_id, place in found.items() if place is not None}

    def gcg(self, table: Table, game_id: str) -> str | None:
        """Return the record of a game as far as everybody may know it; None if there is none."""
        latest = table.public.latest()
        if latest is not None and latest.view["game_id"] == game_id:
            return gcg_of(table, "public")
        place = _place(table, game_id)
        if place is None or table.folded is None:
            return None
        with self._folding:
            return gcg_text(table.folded.state_at(game_id, place), table, "public")

    def _line(self, table: Table, game_id: str) -> GameLine | None:
        latest, place = table.public.latest(), _place(table, game_id)
        if latest is None or place is None or table.log is None:
            return None
        current = latest.view["game_id"] == game_id
        key = (table.id, game_id, place, table.showing(game_id).mark)
        known = None if current else self._lines.get(key)
        if known is not None:
            return known
        shown = self.view(table, game_id)
        first = table.log.first_of(game_id)
        if shown is None or first is None:
            return None
        outcome = shown["outcome"] if shown["final"] else None
        line = GameLine(
            game_id,
            shown["players"],
            outcome["winner"] if outcome else None,
            outcome["kind"] if outcome and outcome["kind"] != "played" else None,
            early_end(shown),
            shown["final"],
            shown["no_result"],
            shown["provisional"],
            current and shown["status"] == "running",
            len(shown["turns"]),
            first.wall_ns,
            "withheld" in shown,
        )
        if not current:
            _remember(self._lines, key, line, _MOST_LINES)
        return line

    def _folded(
        self, table: Table, folded: FoldedLog, game_id: str, place: int
    ) -> dict[str, Any] | None:
        key = (table.id, game_id, place)
        known = self._views.get(key)
        if known is not None:
            return known
        state = folded.state_at(game_id, place)
        if state is None:
            return None
        shown = view(state, "public", table.words, table.allowed)
        if shown["clocks"] is not None:  # nobody plays here any more
            shown["clocks"] = {**shown["clocks"], "running": None, "since_ns": None}
        if shown["status"] != "ended":  # it was left, and another one begun
            shown |= {"status": "ended", "on_turn": None}
        shown["windows"] = []
        _remember(self._views, key, shown, _MOST_VIEWS)
        return shown


def _place(table: Table, game_id: str) -> int | None:
    """Return the sequence number of a game's newest public event; None if none is public."""
    latest = table.public.latest()
    if latest is None or table.log is None:
        return None
    first, last = table.log.first_of(game_id), table.log.last_of(game_id)
    if first is None or last is None or first.seq > latest.seq:
        return None
    # A public that is behind learns of a late ruling when it is shown what came after it.
    return min(last.seq, latest.seq) if table.allowed.behind else last.seq


def _remember(kept: OrderedDict[Any, Any], key: object, value: object, most: int) -> None:
    kept[key] = value
    while len(kept) > most:
        kept.popitem(last=False)
