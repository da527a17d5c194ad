"""Changes of the board after the press that ended a turn.

A tile counts for the turn if it was there at the press. What is added, taken or swapped after it
changes no score: it is flagged on that turn, and from then on the board is as it was seen.
"""

from __future__ import annotations

from collections.abc import Mapping

from game.board import EMPTY, UNREADABLE, Board, Square
from game.events import TilesChanged
from game.flags import Flag, make_flag
from game.plays.change import same_tile
from game.referee.corrected_sightings import displaced, lies_there
from game.referee.position import GameConfig, Position, Turn
from game.referee.turn_rulings import TurnRulings
from game.rulebooks.judging import judge
from game.tile_symbols import symbol_words
from game.values import replace

_GONE = frozenset({"challenge_upheld", "taken_back", "illegal_play", "undone"})
"""Turns whose tiles go by leave."""


def after_press(
    position: Position, event: TilesChanged, rulings: TurnRulings, config: GameConfig
) -> Position:
    """Return the position with the change flagged on its last turn, and the board as it was then.

    Args:
        position: how the game stands.
        event: what was seen after the press.
        rulings: of the turn; they count for a square that somebody corrected later.
        config: players, tile set and rules.
    """
    turn = position.turns[-1]
    at, later = Board.from_rows(turn.seen.rows), Board.from_rows(event.rows)
    left = turn.left_board or turn.after
    restored = {
        square: left[square]
        for flag in turn.flags
        if flag.code == "changed_after_press"
        for square in map(Square.parse, flag.squares)
        if position.board[square] != left[square] and same_tile(left[square], later[square])
    }
    changed, overrides = _changes(position, at, later, event.t_ns, rulings)
    # A withdrawn tile that was seen gone and lies there again is played anew.
    withdrawn = {
        s: tile
        for s, tile in position.withdrawn.items()
        if later[s] == UNREADABLE or lies_there(tile, later[s])
    }
    position = replace(position, withdrawn=withdrawn, overrides=overrides)
    if not changed and not restored:
        return position
    board = position.board.replace({**restored, **changed})
    # A tile that was taken is expected back, like one that was knocked off.
    more = sum(at[square] == EMPTY for square in changed)
    more -= sum(symbol == EMPTY for symbol in restored.values())
    bag, rack = position.bag, position.racks[turn.side]
    if bag:
        bag = max(0, bag - more)  # the rack was filled up from it
    else:
        rack = max(0, rack - more)
    last = replace(
        turn,
        flags=_flags(turn, at, changed, config),
        after=board,
        left_board=left,
        bag_count=bag,
        rack_count=rack,
    )
    gone = {s: at[s] for s, now in changed.items() if now == EMPTY}
    fresh = [{square: position.board[square]} for square, now in changed.items() if now != EMPTY]
    return replace(
        position,
        board=board,
        bag=bag,
        racks={**position.racks, turn.side: rack},
        turns=(*position.turns[:-1], last),
        gone={s: t for s, t in {**position.gone, **gone}.items() if board[s] == EMPTY},
        displaced=displaced(position.displaced, board, fresh),
    )


def _changes(
    position: Position, at: Board, later: Board, t_ns: int, rulings: TurnRulings
) -> tuple[dict[Square, str], dict[Square, tuple[str, str]]]:
    """Return the squares that changed without leave, and the corrections that hold."""
    turn, changed, overrides = position.turns[-1], {}, dict(position.overrides)
    for square in at.diff(later):
        before, now = at[square], later[square]
        symbol = rulings.symbols.get(square)
        if symbol is not None and rulings.stamps[square][0] > t_ns:
            overrides[square] = now, symbol
            continue
        corrected = position.overrides.get(square, ("", ""))[1]
        if UNREADABLE in (before, now) or same_tile(before, now) or now == corrected:
            continue
        if turn.kind in _GONE and square.name in turn.tiles:
            continue
        if position.board[square] != now:  # else a correction has shown it before
            changed[square] = now
    return changed, overrides


def _flags(
    turn: Turn, at: Board, changed: Mapping[Square, str], config: GameConfig
) -> tuple[Flag, ...]:
    """The turn's flags, with a flag for the changed squares added; each square is named once."""
    if not changed:
        return turn.flags
    changes = ", ".join(
        f"{square.name} {symbol_words(at[square] if now == EMPTY else now)} "
        f"{_done(at[square], now)}"
        for square, now in sorted(changed.items())
    )
    names = tuple(square.name for square in sorted(changed))
    flags = [
        flag
        for flag in turn.flags
        if flag.code != "changed_after_press" or not set(flag.squares) <= set(names)
    ]
    flags.append(judge(make_flag("changed_after_press", names, changes=changes), config.rulebook))
    asked = any(flag.code == "challenge_unclear" for flag in flags)
    if turn.kind == "play" and not asked and _withdrawn(turn, changed):
        flags.append(make_flag("challenge_unclear", variant="came_off", turn=turn.number))
    return tuple(flags)


def _withdrawn(turn: Turn, changed: Mapping[Square, str]) -> bool:
    """True if the tiles of the turn are gone, and no others changed."""
    gone = {square.name for square, now in changed.items() if now == EMPTY}
    return gone == set(turn.tiles) and len(changed) == len(gone)


def _done(before: str, now: str) -> str:
    if now == EMPTY:
        return "gone"
    return "new" if before == EMPTY else f"for {symbol_words(before)}"
