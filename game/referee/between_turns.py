"""Sightings of the board between two turns: tiles that changed, and a play that was taken off.

A tile counts for a turn if it was on the board at the turn's press. Tiles that are added, taken or
swapped later change no score: they are flagged on that turn, and the board from then on is as it
was seen.

A play that is challenged off leaves the board while the clock stands. The next turn may then cover
the same squares, so that the board at its end does not show the challenge; a sighting in between
does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from game.board import EMPTY, UNREADABLE, Board, Square, is_blank
from game.events import BoardSeen, TilesChanged
from game.flags import Flag, make_flag
from game.plays.change import Change, compare, same_tile
from game.referee.corrected_sightings import corrected, displaced, lies_there
from game.referee.position import GameConfig, Position, Turn
from game.referee.turn_rulings import NO_RULINGS, TurnRulings
from game.rulebooks.judging import judge
from game.tile_symbols import symbol_words
from game.values import replace

Place = Literal["off", "on"]
"""The place of the last play's tiles: all taken off with every other tile in its place, or all on
their squares, in the same or another order."""


def place_of_play(position: Position, seen: Board) -> Place | None:
    """Return whether a sighting shows the last play on or off the board; None if neither."""
    known, last = position.board, position.last
    if last is None or last.kind != "play":
        return None
    seen = corrected(seen, position, NO_RULINGS).board
    change = compare(known, seen)
    tiles = tiles_of(change, last)
    if len(tiles) < len(last.tiles):
        return None  # some went before the clock was stopped
    if all(same_tile(known[square], seen[square]) for square in tiles):
        return "on"
    if put_back_swapped(known, seen, tiles):
        return "on"
    alone = gone(change) == tiles and not change.placed and not change.turned_over
    return "off" if alone and all(seen[square] == EMPTY for square in tiles) else None


def put_back_swapped(known: Board, seen: Board, squares: Iterable[Square]) -> bool:
    """True if tiles on these squares changed places, and nothing else there changed."""
    changed = [
        square
        for square in squares
        if seen[square] != UNREADABLE and not same_tile(known[square], seen[square])
    ]
    before, now = (
        sorted("?" if is_blank(board[square]) else board[square] for square in changed)
        for board in (known, seen)
    )
    return bool(changed) and before == now


def played_over(position: Position, play: Turn, seen: Board) -> bool | None:
    """Tell whether the last play may have been off the board before the next turn was played.

    Returns:
        None if all tiles of the last play are in place, since they may have been put back.
            Otherwise True if no other tile is gone or turned over, and False if one is.
    """
    change = compare(position.board, seen)
    tiles = tiles_of(change, play)
    if all(
        seen[square] == UNREADABLE or same_tile(position.board[square], seen[square])
        for square in tiles
    ) or put_back_swapped(position.board, seen, tiles):
        return None
    rest = compare(position.board.replace(dict.fromkeys(tiles, EMPTY)), seen)
    return not gone(rest) and not rest.turned_over


def seen_standing(position: Position, event: BoardSeen, *, asks: bool) -> Position:
    """Return the position after a sighting of the board while the clock stands.

    Withdrawn tiles that are no longer on the board are forgotten. If the last play was taken off
    and nobody has entered why, a flag asks: the next turn would show whether it was challenged off,
    but there may be none.

    ``asks``: nobody has ruled on the play, or explained the stop as anything but a challenge.
    """
    seen = Board.from_rows(event.rows)
    position = replace(position, withdrawn=not_seen_gone(position, seen))
    place = place_of_play(position, seen)
    if place == "on":
        return without_question(position)
    if place != "off" or not asks:
        return position
    turn = None if position.last is None else position.last.number
    flag = make_flag("challenge_unclear", variant="went_while_stopped", turn=turn)
    return without_question(position).with_flag(flag)


def not_seen_gone(position: Position, seen: Board) -> dict[Square, str]:
    """Return the withdrawn tiles that may still be there: the board does not show them gone."""
    seen = corrected(seen, position, NO_RULINGS).board
    return {
        square: tile
        for square, tile in position.withdrawn.items()
        if seen[square] == UNREADABLE or lies_there(tile, seen[square])
    }


def without_question(position: Position) -> Position:
    """Return the position without the question whether its last play was challenged off."""
    if not position.turns:
        return position
    last, play = position.turns[-1], position.last
    number = 0 if play is None else play.number
    flags = tuple(
        flag for flag in last.flags if flag.code != "challenge_unclear" or flag.turn != number
    )
    if len(flags) == len(last.flags):
        return position
    return replace(position, turns=(*position.turns[:-1], replace(last, flags=flags)))


def tiles_of(change: Change, turn: Turn) -> set[Square]:
    """Return the squares of a turn's tiles that were on the board before the change."""
    return {square for square in change.before.tiles() if square.name in turn.tiles}


def gone(change: Change) -> set[Square]:
    """Return the squares whose earlier tile is no longer there."""
    return {*change.removed, *change.replaced, *(origin for origin, _ in change.moved)}


_OFF_BY_LEAVE = frozenset({"challenge_upheld", "taken_back", "illegal_play", "undone"})
"""Kinds of turns whose tiles may rightly be taken off."""


def after_press(
    position: Position, event: TilesChanged, rulings: TurnRulings, config: GameConfig
) -> Position:
    """Return the position after tiles changed since the last press, with a flag on the last turn.

    Args:
        position: the position before.
        event: what was seen after the press.
        rulings: the rulings on the last turn; a square that somebody corrected later is not
            flagged.
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
    position = replace(position, overrides=overrides)
    position = replace(position, withdrawn=not_seen_gone(position, later))
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
    taken = {s: at[s] for s, now in changed.items() if now == EMPTY}
    fresh = [{square: position.board[square]} for square, now in changed.items() if now != EMPTY]
    return replace(
        position,
        board=board,
        bag=bag,
        racks={**position.racks, turn.side: rack},
        turns=(*position.turns[:-1], last),
        gone={s: t for s, t in {**position.gone, **taken}.items() if board[s] == EMPTY},
        displaced=displaced(position.displaced, board, fresh),
    )


def _changes(
    position: Position, at: Board, later: Board, t_ns: int, rulings: TurnRulings
) -> tuple[dict[Square, str], dict[Square, tuple[str, str]]]:
    """Return the squares that changed without permission, and the corrections that still hold."""
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
        if turn.kind in _OFF_BY_LEAVE and square.name in turn.tiles:
            continue
        if position.board[square] != now:  # else a correction has shown it before
            changed[square] = now
    return changed, overrides


def _flags(
    turn: Turn, at: Board, changed: Mapping[Square, str], config: GameConfig
) -> tuple[Flag, ...]:
    """Return the turn's flags, with one for the changed squares; each square is named once."""
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
    """True if exactly the tiles of the turn are gone, and no others changed."""
    gone = {square.name for square, now in changed.items() if now == EMPTY}
    return gone == set(turn.tiles) and len(changed) == len(gone)


def _done(before: str, now: str) -> str:
    if now == EMPTY:
        return "gone"
    return "new" if before == EMPTY else f"for {symbol_words(before)}"
