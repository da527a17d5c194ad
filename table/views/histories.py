"""How each turn came about, as every audience may know it: its time, and whether it was corrected.

Both concern turns that are over: what their clocks showed, everybody at the table has seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from game.board import UNDESIGNATED, Board
from game.referee.inference import Seen
from game.referee.turn import Turn
from game.state.fold import GameState
from game.terms import SIDES, Side
from game.values import replace

_REMADE: Final = frozenset({"play", "undone"})
"""Rulings that may put the program's own finding right; the others are events of the game."""


def histories(state: GameState) -> Iterator[dict[str, Any]]:
    """Yield for each turn ``used_ns`` where a clock ran, and ``corrected`` if it was."""
    full = state.rulebook.clock_ns
    left = {side: full + state.progress.added_ns.get(side, 0) for side in SIDES}
    for turn, seen in zip(state.turns, state.ledger.sightings, strict=True):
        found: dict[str, Any] = {}
        if turn.clock_ns is not None and state.timed:
            # Time that was added is in what each of a player's clocks shows.
            found["used_ns"] = max(0, left[turn.side] - turn.clock_ns)
            left[turn.side] = turn.clock_ns
        if _remade(seen) or _corrected(turn, state):
            found["corrected"] = True
        yield found


def used_ns(state: GameState) -> dict[Side, int]:
    """The time that each player has used when the clocks showed ``remaining_ns``."""
    full, added = state.rulebook.clock_ns, state.progress.added_ns
    return {s: full + added.get(s, 0) - state.clocks.remaining_ns[s] for s in SIDES}


def _remade(seen: Seen) -> bool:
    """True if somebody put a turn in, parted it or joined it: no press of its own ended it."""
    return seen.ended is not None or seen.whole is not None or bool(seen.absorbed)


def _corrected(turn: Turn, state: GameState) -> bool:
    """True if somebody put the reading of a turn right, or entered another score for it.

    A blank's letter is no correction: the camera cannot know it. Nor is what left the turn as it
    stood, as the answer that nobody challenged it.
    """
    ledger = state.progress.ledger
    given = ledger.rulings_for(turn.number)
    if given.agreed is not None or given.ruling in _REMADE:
        bare = replace(given, agreed=None, ruled=None if given.ruling in _REMADE else given.ruled)
        # The next turn may tell what this one was; those after it tell nothing.
        without = ledger.until(turn.number + 1).with_rulings(turn.number, bare, state.config)
        was = without.position.turns[turn.number - 1]
        if (was.tiles, was.kind, was.score) != (turn.tiles, turn.kind, turn.score):
            return True
    if not given.symbols:
        return False
    read = Board.from_rows(turn.seen.rows)
    return any(
        read[square] != symbol and not (read[square] == UNDESIGNATED and symbol.islower())
        for square, symbol in given.symbols.items()
    )
