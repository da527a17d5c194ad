"""``tilewatch demo``: runs a simulated table through the whole real pipeline, with the dashboard.

Only the table is simulated. Everything else is as in ``tilewatch run``: the board is found in the
picture, read, scored, logged and shown, and entries of people at the desk are recorded. After each
game the recorded game is compared with the simulated one, and the result is always printed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from dashboard.accounts.store import invitation
from dashboard.event import next_game
from game.events import EndReason, Event, GameEnded, GameStarted, TurnSeen
from game.referee.turn import Turn
from game.state.fold import GameState, fold
from game.tile_symbols import spelled
from simulation.source import Game
from simulation.truth import askew_is_moot, differences
from table.config import TableConfig
from table.live import opened
from table.pairings.details import Seat
from table.pairings.reading import read_pairings
from table.running import RunningTable
from table.serving import serve_pages
from table.simulated_devices import run_simulated
from vision.tracking.observer import ReadsBoards

BETWEEN_GAMES_S: Final = 12.0

_WITNESSES: Final = frozenset({"recorder", "buttons", "players", "racks", "table"})
"""The sources of events when nobody at the desk enters anything."""

Say = Callable[[str], None]


@dataclass
class DemoSummary:
    """The number of games played, and every difference between the recorded games and the truth."""

    games: int = 0
    turns: int = 0
    differences: list[str] = field(default_factory=list)


def first_round(pairings: Path | None) -> int:
    """Return the first round that table 1 has not played yet; 1 without pairings."""
    found = next_game(read_pairings(pairings), Seat(1), None) if pairings is not None else None
    return found.round if found is not None else 1


def play(
    config: TableConfig, folder: Path, once: bool, say: Say, reader: ReadsBoards | None = None
) -> DemoSummary:
    """Play the games of a simulated table, and compare each with the truth."""
    watcher = _Watcher(say, once)
    with opened(config, folder, say, watcher.heard, reader) as table:
        if config.serve.on:
            say(f"tilewatch demo: open {serve_pages(table)} in a browser (Ctrl-C stops it)")
            if (how := invitation(folder, demo=True)) != "":
                say(how)
        run_simulated(table, watcher.concluded)
    return watcher.outcome


class _Watcher:
    """Prints every turn when it is scored, and after each game the comparison with the truth."""

    def __init__(self, say: Say, once: bool) -> None:
        self._say, self._once = say, once
        self._begun: GameState | None = None
        """The last game that has begun, as it stands."""
        self._concluded: str | None = None
        self.outcome = DemoSummary()

    def heard(self, state: GameState, event: Event) -> None:
        """Print the line for an event that was logged, if it has one."""
        if isinstance(event, GameStarted) or not state.players:
            return
        if state.status != "waiting":
            before, self._begun, names = self._begun, state, state.players
            if before is None or before.game_id != state.game_id:
                number = self.outcome.games + 1
                self._say(f"Game {number}: {names['left']} against {names['right']}")
        if isinstance(event, TurnSeen) and state.turns:
            self._say(_line(state.turns[-1], state))

    def concluded(self, game: Game, table: RunningTable) -> bool:
        """Compare a finished game with the truth; return True to play another, False to stop."""
        state = table.session.state
        if state.status == "waiting" and self._begun and self._begun.game_id != self._concluded:
            state = self._begun  # the desk has the next game on the table already
        self._concluded = state.game_id
        sources = {event.source for event in table.log.events(state.game_id)}
        alone = sources <= _WITNESSES  # else they may not have played what was planned
        turns, found = _compared(game, state, table) if alone else (len(state.turns), [])
        table.claims.pending.clear()
        if (
            state.game_id == table.session.state.game_id
            and state.status != "waiting"
            and not state.settled
        ):
            # The players agree on the result; or nobody saw that the game is over.
            reason = state.end_reason or EndReason.BROKEN_OFF
            table.session.record(GameEnded(reason, table.now_ns()), "players")
        self.outcome.games += 1
        self.outcome.turns += turns
        left, right = (f"{state.players[side]} {state.scores[side]}" for side in ("left", "right"))
        heading = "Not final yet, a rack is needed" if state.lacks_rack else "Result"
        self._say(f"{heading}: {left}, {right}")
        if not alone:
            self._say("Not compared with what was played: somebody at the desk entered something.")
        elif not found:
            self._say(f"Compared with what was played: all {turns} turns read and scored right.")
        else:
            self._say(f"Compared with what was played: {len(found)} differences in {turns} turns:")
            for difference in found:
                self._say(f"  {difference}")
            self.outcome.differences += found
        return not self._once


def _compared(game: Game, state: GameState, table: RunningTable) -> tuple[int, list[str]]:
    """Return the number of turns played, and every difference between them and the record."""
    # The table does not know who ought to begin.
    start = replace(game.plan.start("truth", game.start_ns), first=state.start.first)
    truth = fold([start, *game.table.truth])
    moot = askew_is_moot(game.table.aside)
    found = [str(difference) for difference in differences(truth, state, moot)]
    found += [f"never recorded: {event}" for event, _ in table.claims.pending]
    return len(truth.turns), found


def _line(turn: Turn, state: GameState) -> str:
    if turn.main_word is None:
        what = turn.kind.replace("_", " ")
    else:
        what = f"{turn.position:<4} {spelled(turn.main_word)}"
    flags = f"  [{', '.join(flag.code for flag in turn.flags)}]" if turn.flags else ""
    name = state.players[turn.side]
    return f"{turn.number:>4}  {name:<18.18} {what:<22} {turn.score:>+4} {turn.total:>5}{flags}"
