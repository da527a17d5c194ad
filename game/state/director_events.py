"""The fold's steps for other reports: a hold, why the clock stands, the set's check, a slip.

None of these is a score; each bears on a right that is timed, on what a stopped clock may be
taken for, or on what a text counts.
"""

from __future__ import annotations

from collections import Counter

from game.errors import TilewatchError
from game.events import HoldCalled, InfractionNoted, SetSeen, StopExplained
from game.flags import Flag, make_flag
from game.rulebooks.judging import judge
from game.state.game_state import GameState, advance, derive, with_ledger
from game.tileset import TileSet
from game.values import replace

_LISTED = 6
"""How many kinds of wrong tiles a message names."""


def apply_director_event(
    state: GameState, event: HoldCalled | StopExplained | SetSeen | InfractionNoted
) -> GameState:
    """The state after one of them.

    Raises:
        TilewatchError: it is about a turn that never was, or a tile that the set does not have.
    """
    match event:
        case HoldCalled():
            return _held(state, event)
        case StopExplained():
            return _explained(state, event)
        case SetSeen():
            strange = [t for t in event.symbols if t not in state.tile_set.counts]
            if strange:
                raise TilewatchError(
                    f"SetSeen.symbols: the {state.tile_set.name} set has no tile {strange[0]!r}"
                )
            return derive(
                advance(state, replace(state.progress, set_flags=set_flags(event, state)))
            )
        case InfractionNoted():
            if not state.rulebook.infractions_every:
                raise TilewatchError(f"{state.rulebook.id} does not count minor infractions")
            return with_ledger(state, state.progress.ledger.append(event, state.config))


def _held(state: GameState, event: HoldCalled) -> GameState:
    if not 1 <= event.turn <= len(state.turns):
        raise TilewatchError(
            f"HoldCalled: there is no turn {event.turn}; {len(state.turns)} have been seen"
        )
    turn = state.turns[event.turn - 1]
    if not turn.tiles:
        raise TilewatchError(f"turn {event.turn} cannot be held: no tiles were played")
    rulings = state.progress.ledger.rulings_for(event.turn).with_hold(event.t_ns)
    ledger = state.progress.ledger.with_rulings(event.turn, rulings, state.config)
    return with_ledger(state, ledger)


def _explained(state: GameState, event: StopExplained) -> GameState:
    if not 0 <= event.turn <= len(state.turns):
        raise TilewatchError(
            f"StopExplained: there is no turn {event.turn}; {len(state.turns)} have been seen"
        )
    rulings = state.progress.ledger.rulings_for(event.turn).with_stop(event)
    ledger = state.progress.ledger.with_rulings(event.turn, rulings, state.config)
    return with_ledger(state, ledger)


def set_flags(event: SetSeen, state: GameState) -> tuple[Flag, ...]:
    """The flag for a set that is not what it should be; none where it is right."""
    wrong = set_faults(event.symbols, state.tile_set)
    if not wrong:
        return ()
    begun = bool(state.turns) or state.status != "waiting"
    shown = ", ".join(
        f"{abs(count)} {tile} {'too many' if count > 0 else 'missing'}"
        for tile, count in list(wrong.items())[:_LISTED]
    )
    more = f", and {len(wrong) - _LISTED} more kinds" if len(wrong) > _LISTED else ""
    flag = make_flag(
        "set_wrong",
        variant="since" if begun else "before",
        count=len(event.symbols),
        total=state.tile_set.total,
        faults=shown + more,
    )
    return (judge(flag, state.rulebook),)


def set_faults(symbols: str, tiles: TileSet) -> dict[str, int]:
    """By how many tiles of each kind a set is off: above 0 too many, below 0 missing."""
    seen = Counter(symbols)
    return {tile: seen[tile] - count for tile, count in tiles.counts.items() if seen[tile] != count}
