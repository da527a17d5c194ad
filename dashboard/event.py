"""The tournament of a site: what its overlays and values say besides the game.

It also has the results of a table's own games, until they are in the pairings' file.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, TypeAlias

from flask import Flask

from dashboard import parts
from dashboard.feeds.shown import LiveRules
from dashboard.overlay.style import EventError, Theme
from dashboard.shown_games import GameLine, ShownGames
from dashboard.site import Table
from game.errors import TilewatchError
from game.files import read_file
from table.pairings.details import (
    EventDetails,
    PairedGame,
    Seat,
    at_seat,
    plain,
    renamed,
    table_number,
)
from table.pairings.reading import WatchedPairings, read_pairings

_LOG = logging.getLogger(__name__)

LONGEST_S: Final = 2 * 3600.0
"""Seconds for which earlier states are kept: longer than any delay."""

_FRESH_S: Final = 1.0
"""Seconds for which the file's contents are reused, because many overlays ask for them."""

LARGEST_LOGO: Final = 2_000_000
_KINDS: Final = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"))

Meeting: TypeAlias = tuple[int, frozenset[str]]
"""A round, and the plain names of the two who are paired."""

Results: TypeAlias = Mapping[Meeting, Mapping[str, int]]
"""The scores of games that are settled, by plain name."""


@dataclass(frozen=True, slots=True)
class Source:
    """The sources of a tournament's details."""

    pairings: Path | None = None
    title: str = ""
    """The title where the file has none."""
    results: Callable[[Sequence[PairedGame]], Results] = lambda _: {}
    """Returns results, known otherwise than from the file, of the file's games."""
    rules: LiveRules = field(default_factory=LiveRules)
    """Says who may be shown: the details have the public names."""
    waits: Callable[[str, str], bool] = lambda _table, _game: False
    """Returns True if a game's result, final at its table, does not count yet at the event."""
    seat_of: Callable[[str], Seat] = lambda id_: Seat(table_number(id_))
    """Returns a table's seat in the file, by the table's id."""


class Event:
    """A tournament's details now and at earlier times. Safe to use from any thread.

    Standings reveal results. So whoever sees the games late gets the standings, and the pairings
    that follow from them, equally late: their earlier states are kept for as long as the longest
    delay.
    """

    def __init__(
        self,
        source: Source | None = None,
        theme: Theme | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self.source, self.theme = source or Source(), theme or Theme()
        self._now = now
        self._lock = threading.Lock()
        path = self.source.pairings
        self._file = None if path is None else WatchedPairings(path, read_pairings, EventDetails())
        self._read_s = 0.0
        self._rules = self.source.rules.version
        self._states: deque[tuple[float, EventDetails]] = deque()

    def details(self) -> EventDetails:
        """Return the details now, at most a second old."""
        with self._lock:
            now = self._now()
            if self._rules != (version := self.source.rules.version):
                self._states.clear()  # the earlier ones have names that may not be shown
                self._rules = version
            if self._states and now - self._read_s < _FRESH_S:
                return self._states[-1][1]
            found, self._read_s = self._read(), now
            if not self._states or self._states[-1][1] != found:
                self._states.append((now, found))
            while len(self._states) > 1 and self._states[1][0] < now - LONGEST_S:
                self._states.popleft()
            return found

    def details_at(self, delay_s: float) -> EventDetails:
        """Return the details of ``delay_s`` ago; without games if that state is no longer kept.

        Title, logo, flags and ratings reveal nothing, and are always the current ones.
        """
        newest = self.details()
        if delay_s <= 0:
            return newest
        until = self._now() - delay_s
        with self._lock:
            then = [found for at_s, found in self._states if at_s <= until]
        return replace(newest, games=then[-1].games if then else ())

    def logo(self) -> tuple[bytes, str] | None:
        """Return the logo and its MIME type; None if there is none that can be shown."""
        path = self.theme.logo or self.details().logo
        if path is None:
            return None
        try:
            data = read_file(path, LARGEST_LOGO, EventError)
        except (OSError, TilewatchError) as error:
            _LOG.warning("logo %s: %s", path, error)
            return None
        kind = next((kind for start, kind in _KINDS if data.startswith(start)), None)
        if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
            kind = "image/webp"
        if kind is None:
            _LOG.warning("logo %s: no PNG, JPEG or WebP", path)
        return None if kind is None else (data, kind)

    def _read(self) -> EventDetails:
        file = EventDetails() if self._file is None else self._file.newest()
        file = renamed(file, self.source.rules.naming())
        results = self.source.results(file.games)
        games = tuple(_with_result(game, results) for game in file.games)
        return replace(file, title=file.title or self.source.title, games=games)


def _with_result(game: PairedGame, results: Results) -> PairedGame:
    left, right = plain(game.left), plain(game.right)
    scores = results.get((game.round, frozenset((left, right))))
    if scores is None or left not in scores or right not in scores:
        return game
    return replace(game, scores=(scores[left], scores[right]))


def round_of(details: EventDetails, names: Sequence[str]) -> int | None:
    """Return the round in which two players play now; None if the pairings do not say.

    The first round in which they meet without a result counts; if all have one, the last.
    """
    pair = {plain(name) for name in names}
    met = [game for game in details.games if {plain(game.left), plain(game.right)} == pair]
    rounds = sorted(game.round for game in met if game.scores is None)
    if not rounds:
        return max((game.round for game in met), default=None)
    is_certain = len(rounds) == 1 or any(game.scores is not None for game in details.games)
    return rounds[0] if is_certain else None


def next_game(details: EventDetails, seat: Seat, after: int | None) -> PairedGame | None:
    """Return the next game of a table after a round, or else its first without a result.

    Also None if several games may be the table's next.
    """
    games = at_seat(details.games, seat)
    due = [
        number
        for number, found in games.by_round.items()
        if (number > after if after is not None else any(one.scores is None for one in found))
    ]
    return games.game(min(due)) if due else None


def install(app: Flask, event: Event) -> None:
    """Show ``event`` on the overlays of ``app``; log colours of its theme that are hard to read."""
    for line in event.theme.warnings():
        _LOG.warning("theme: %s", line)
    parts.install(app, event)
    event.details()  # the first state that is kept


_EVENT_NS: Final = 20 * 3600 * 1_000_000_000
"""Games that were set up longer ago belong to another day or another tournament."""

_MOST: Final = 40
"""Games that one table plays in a day, at most."""


def results_of_table(
    shown: ShownGames, table: Table, now_ns: Callable[[], int] = time.time_ns
) -> Callable[[Sequence[PairedGame]], Results]:
    """Return a function that finds the results of a table's games that are public by now.

    ``now_ns`` is the wall time.
    """

    def results(games: Sequence[PairedGame]) -> Results:
        if not games:
            return {}
        return own_results(shown.lines(table, most=_MOST, since_ns=now_ns() - _EVENT_NS), games)

    return results


def own_results(lines: Iterable[GameLine], games: Sequence[PairedGame]) -> Results:
    """Return the results of games that were played, by round and players.

    Only players who are paired once count, and only if the file lacks their result: of two games
    between the same players, only the file can say which one a result belongs to. A question that
    is open at the end holds a result back until the table's next game is played.
    """
    rounds: dict[frozenset[str], list[PairedGame]] = defaultdict(list)
    for game in games:
        rounds[frozenset((plain(game.left), plain(game.right)))].append(game)
    found: dict[Meeting, dict[str, int]] = {}
    gone_on = False
    for line in lines:
        scores = {plain(one["name"]): int(one["score"]) for one in line.players.values()}
        met = rounds.get(frozenset(scores), [])
        # What a forfeit is worth is for the director to enter.
        stands = gone_on or not line.provisional
        gone_on = gone_on or line.turns > 0
        played = line.final and stands and line.kind is None
        if played and len(met) == 1 and met[0].scores is None:
            found.setdefault((met[0].round, frozenset(scores)), scores)  # the newest game first
    return found
