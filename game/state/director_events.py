"""The fold's steps for other reports: a hold, why the clock stands, the set's check, a slip.

None of these is a score; each bears on a right that is timed, on what a stopped clock may be
taken for, or on what a text counts.
"""

from __future__ import annotations

from game.board import Board
from game.errors import TilewatchError
from game.events import HoldCalled, InfractionNoted, SetAltered, SetSeen, StopExplained
from game.flags import Flag, make_flag
from game.referee.position import Position
from game.rulebooks.judging import judge
from game.state.game_state import GameState, advance, derive, with_ledger
from game.tileset import altered_set, load_tile_set, set_faults
from game.values import replace

_LISTED = 6
"""How many kinds of wrong tiles a message names."""


def apply_director_event(
    state: GameState, event: HoldCalled | StopExplained | SetSeen | SetAltered | InfractionNoted
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
                    f"SetSeen.symbols: the {state.tile_set.name} set has no tile"
                    f" {state.tile_set.text(strange[0])!r}"
                )
            return derive(
                advance(state, replace(state.progress, set_flags=set_flags(event, state)))
            )
        case SetAltered():
            return _altered(state, event)
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
    stopped_ns = state.progress.stopped_ns if event.turn == len(state.turns) else None
    rulings = state.progress.ledger.rulings_for(event.turn).with_stop(event, stopped_ns)
    ledger = state.progress.ledger.with_rulings(event.turn, rulings, state.config)
    return with_ledger(state, ledger)


def _altered(state: GameState, event: SetAltered) -> GameState:
    """Return the game taken again from its start with the set as it was."""
    start = state.start
    tiles = altered_set(load_tile_set(start.tile_set), event.missing, event.extra)
    board = Board.empty() if start.rows is None else Board.from_rows(start.rows)
    opening = Position.opening(board, tiles, state.rulebook)
    state = replace(state, tile_set=tiles)
    ledger = replace(state.progress.ledger, positions=(opening,)).again(1, state.config)
    progress = replace(state.progress, ledger=ledger, set_flags=())
    return derive(advance(state, progress))


def set_flags(event: SetSeen, state: GameState) -> tuple[Flag, ...]:
    """The flag for a set that is not what it should be; none if it is right."""
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
