"""Each table's knowledge for its commentators, and the one thread that works it out."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Protocol, TypeVar

from flask import abort, request

from analysis.analyst import Analyst, cgp_for_engine, completed, missing_tiles
from analysis.engine import EngineError, ask_engine
from analysis.options import AnalysisOptions
from dashboard.responses import TokenNeededError
from dashboard.site import Table
from dashboard.tokens import presented
from game.errors import TilewatchError
from game.state.fold import GameState
from table.racks.history import RackHistory
from table.racks.known import KnownRacks
from table.views.views import view

_NO_OPTIONS: Final = AnalysisOptions()
_Made = TypeVar("_Made")


class Racks(Protocol):
    """Knows what was seen on the racks of a game."""

    def history(self, state: GameState) -> RackHistory:
        """Return the racks of a game as far as they are known."""


class Seat:
    """The commentators' seat at one table. Safe to use from any thread."""

    def __init__(
        self,
        racks: Racks | None = None,
        words: Collection[str] | None = None,
        options: AnalysisOptions = _NO_OPTIONS,
    ) -> None:
        """Without ``racks`` only those of games whose racks were opened are known."""
        self.options = options
        self.reads_racks: Final = racks is not None
        self._racks = racks or KnownRacks(None)
        self._opened = KnownRacks(None)
        self._analyst = Analyst(words)
        self._worker = ThreadPoolExecutor(1, "analysis")

    def report(self, table: Table, game_id: str, seq: int) -> dict[str, Any] | None:
        """Return a game after one of its records for commentators, as JSON.

        None if there is no such game, or if its moves may not be shown.
        """
        state = None if table.folded is None else table.folded.state_at(game_id, seq)
        showing = table.showing(game_id)
        if state is None or showing.is_withheld:
            return None
        shown = showing.view(view(state, "broadcast", table.words))
        racks = self._racks.history(state)
        report = self._work(
            lambda: self._analyst.report(state, racks.now, racks.held, phoneys(shown))
        )
        same = ("players", "rows", "status", "tile_set", "clocks")
        return report | {name: shown[name] for name in same} | {"last_tiles": shown["last"]}

    def engine_says(
        self, table: Table, game_id: str, seq: int, superseded: Callable[[], bool]
    ) -> dict[str, Any] | None:
        """Return what the engine says of the position, or why it says nothing.

        None without an engine, if not all of the rack of the player on turn is known, or if
        ``superseded`` became true.
        """
        state = None if table.folded is None else table.folded.state_at(game_id, seq)
        if not self.options.engine or state is None or state.status == "ended":
            return None
        racks = completed(state, self._racks.history(state).now)
        side = state.next_side or "left"
        if not racks[side] or missing_tiles(state, racks)[side]:
            return None
        try:
            cgp = cgp_for_engine(state, racks, state.reached_ns)
            found = ask_engine(self.options.engine, cgp, self.options.engine_s, superseded)
        except EngineError as error:
            return {"trouble": str(error)}
        except TilewatchError as error:
            return {"trouble": f"the engine was not asked: {error}"}
        return None if found is None else found.as_json()

    def turns(self, state: GameState, shown: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return each turn of a game that is over beside the best that its rack had.

        Only racks that have been opened, or were entered, count.

        Args:
            state: the game.
            shown: its public view.
        """
        held = self._opened.history(state).held
        return self._work(lambda: self._analyst.game(state, held, phoneys(shown)))

    def knows_racks(self, state: GameState) -> bool:
        """True if a rack of a turn was opened, or entered."""
        return bool(self._opened.history(state).held) or any(turn.rack for turn in state.turns)

    def _work(self, job: Callable[[], _Made]) -> _Made:
        return self._worker.submit(job).result()


class Seats:
    """The seats of a site's tables, by id."""

    def __init__(self, seats: Mapping[str, Seat] | None = None) -> None:
        self._seats = dict(seats or {})

    def of(self, table: Table) -> Seat:
        """Return the seat at a table; one without secrets if it was given none."""
        if table.id not in self._seats:
            words = table.words if isinstance(table.words, frozenset) else None
            self._seats[table.id] = Seat(words=words)
        return self._seats[table.id]


def phoneys(shown: Mapping[str, Any]) -> dict[int, bool]:
    """Return by number the turns of which a view says if they are phoneys."""
    return {turn["number"]: turn["phoney"] for turn in shown["turns"] if "phoney" in turn}


def require_seat(seat: Seat, table: Table) -> None:
    """End the request with 401 or 403 unless it may see the racks of a table.

    That needs a token for what goes out on a stream; no account and no other token will do. The
    request must come from an address that the table allows.
    """
    if not seat.options.admits(request.remote_addr):
        abort(403, description="Commentators' pages cannot be opened from this address.")
    token = presented()
    if token is None:
        raise TokenNeededError(
            "This page opens with a token for what goes out on a stream, at the end of its address."
            " A director copies the whole address from the page of links."
        )
    if token.scope != "overlay" or not token.opens("broadcast", table.id):
        abort(403, description="This token does not open the commentators' pages of this table.")
