"""The start of a game, and later corrections of the players' names and the tile set."""

from __future__ import annotations

from types import MappingProxyType

from game.board import Board
from game.clock import Clocks
from game.errors import TilewatchError
from game.events import GameStarted, PlayersNamed, SetAltered, SetSeen
from game.flags import Flag, make_flag
from game.referee.position import Position
from game.rulebooks.judging import judge
from game.rulebooks.loading import adjusted, load_rulebook
from game.state.derive import derive, with_ledger
from game.state.game_state import GameState, Progress
from game.state.ledger import Ledger
from game.tileset import altered_set, load_tile_set, set_faults
from game.values import Grown, replace

OnStart = PlayersNamed | SetSeen | SetAltered

_LISTED = 6
"""The most kinds of wrong tiles that a message names."""


def put_right(state: GameState, event: OnStart) -> GameState:
    """Return the state after names were entered, or the tile set was checked or altered.

    Raises:
        TilewatchError: the set has no such tile.
    """
    match event:
        case PlayersNamed():
            return _named(state, event)
        case SetSeen():
            return _set_seen(state, event)
        case SetAltered():
            return _set_altered(state, event)


def started(event: GameStarted) -> GameState:
    """Return the state of a game before the first press."""
    book = adjusted(load_rulebook(event.rulebook), event.adjust)
    tiles = load_tile_set(event.tile_set)
    board = Board.empty() if event.rows is None else Board.from_rows(event.rows)
    position = Position.opening(board, tiles, book)
    return GameState(
        game_id=event.game_id,
        players=MappingProxyType(dict(event.players)),
        rulebook=book,
        tile_set=tiles,
        board=board,
        turns=(),
        scores=MappingProxyType(dict(position.scores)),
        status="waiting",
        on_turn=event.first,
        bag_count=position.bag,
        clocks=Clocks.full(book),
        adjustments=(),
        flags=(),
        end_reason=None,
        forfeit=None,
        racks=MappingProxyType(dict(position.racks)),
        start=event,
        progress=Progress(
            Ledger((), (position,)), Clocks.full(book), events=Grown((event,)), named=Grown((None,))
        ),
    )


def _named(state: GameState, event: PlayersNamed) -> GameState:
    players = MappingProxyType({**state.players, **event.players})
    progress = replace(state.progress, seated=state.progress.seated or bool(state.turns))
    state = replace(state, players=players, progress=progress)
    return with_ledger(state, state.ledger.again(1, state.config))


def _set_seen(state: GameState, event: SetSeen) -> GameState:
    strange = [t for t in event.symbols if t not in state.tile_set.counts]
    if strange:
        raise TilewatchError(
            f"SetSeen.symbols: the {state.tile_set.name} set has no tile"
            f" {state.tile_set.text(strange[0])!r}"
        )
    return derive(state, replace(state.progress, set_flags=_set_flags(event, state)))


def _set_altered(state: GameState, event: SetAltered) -> GameState:
    """Return the state computed again from the start of the game with the altered set."""
    start = state.start
    tiles = altered_set(load_tile_set(start.tile_set), event.missing, event.extra)
    board = Board.empty() if start.rows is None else Board.from_rows(start.rows)
    opening = Position.opening(board, tiles, state.rulebook)
    state = replace(state, tile_set=tiles)
    ledger = replace(state.ledger, positions=(opening,)).again(1, state.config)
    return derive(state, replace(state.progress, ledger=ledger, set_flags=()))


def _set_flags(event: SetSeen, state: GameState) -> tuple[Flag, ...]:
    """Return the flag for a set that is not complete, or has other tiles; none if it is right."""
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
