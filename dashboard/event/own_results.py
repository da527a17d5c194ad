"""The results of a table's own games, until they are in the pairings' file."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from dashboard.event.event import Meeting, Results
from dashboard.shown_games import GameLine, ShownGames
from dashboard.site import Table
from table.pairings.details import PairedGame, plain

_EVENT_NS: Final = 20 * 3600 * 1_000_000_000
"""Games that were set up longer ago are those of another day, or of another event."""

_MOST: Final = 40
"""Games that one table plays in a day, at most."""


def results_of_table(
    shown: ShownGames, table: Table, now_ns: Callable[[], int] = time.time_ns
) -> Callable[[Sequence[PairedGame]], Results]:
    """Return what finds the results of a table's games that everybody may know of by now.

    ``now_ns`` is the wall time.
    """

    def results(games: Sequence[PairedGame]) -> Results:
        if not games:
            return {}
        return own_results(shown.lines(table, most=_MOST, since_ns=now_ns() - _EVENT_NS), games)

    return results


def own_results(lines: Iterable[GameLine], games: Sequence[PairedGame]) -> Results:
    """Return the results of games that were played, by round and players.

    Only of players who are paired once, whose result the file has not got: which of two games a
    result is of, the file alone tells.
    """
    rounds: dict[frozenset[str], list[PairedGame]] = defaultdict(list)
    for game in games:
        rounds[frozenset((plain(game.left), plain(game.right)))].append(game)
    found: dict[Meeting, dict[str, int]] = {}
    for line in lines:
        scores = {plain(one["name"]): int(one["score"]) for one in line.players.values()}
        met = rounds.get(frozenset(scores), [])
        # What a forfeit is worth is for the director to enter.
        played = line.final and not line.provisional and line.kind is None
        if played and len(met) == 1 and met[0].scores is None:
            found.setdefault((met[0].round, frozenset(scores)), scores)  # the newest game first
    return found
