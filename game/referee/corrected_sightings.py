"""A sighting as it counts: with corrections, and without tiles that are being taken off."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from game.board import EMPTY, FACE_DOWN, UNREADABLE, Board, Square, is_tile
from game.plays.change import Change, compare, may_hold_play, same_tile
from game.plays.play import find_play, misplaced
from game.referee.position import Position, Turn
from game.referee.turn_flags import withdrawal
from game.referee.turn_rulings import TurnRulings

_KNOCKED: Final = 2
"""The greatest distance, in squares, at which a tile still counts as knocked from its square."""


class Corrected(NamedTuple):
    """A sighting as it counts."""

    board: Board
    """The reading with all corrections."""
    overrides: Mapping[Square, tuple[str, str]]
    """The corrections that still hold, as in :class:`Position`."""


def corrected(raw: Board, position: Position, rulings: TurnRulings) -> Corrected:
    """Return the reading with all corrections, and the corrections that still hold.

    A correction of a square also holds for later turns while the camera's reading of that square
    stays the same, equals the corrected symbol, or is uncertain. A correction to an empty square
    ends once the camera reads the square as empty: whatever it reads later was laid since.
    """
    if not position.overrides and not rulings.symbols:
        return Corrected(raw, position.overrides)
    overrides = {
        square: (was, symbol)
        for square, (was, symbol) in position.overrides.items()
        if raw[square] in (was, symbol, UNREADABLE) and not symbol == raw[square] == EMPTY
    }
    for square, symbol in rulings.symbols.items():
        overrides[square] = (raw[square], symbol)
    board = raw.replace({square: symbol for square, (_, symbol) in overrides.items()})
    return Corrected(board, overrides)


def without_withdrawn(
    sighting: Board, position: Position, rulings: TurnRulings, late: tuple[int, ...]
) -> tuple[Board, dict[Square, str]]:
    """Leave out the tiles of a withdrawn play that are still on the board.

    Tiles that were seen before the play was ruled withdrawn are left out wherever they still are.
    So are tiles that an earlier press since then showed there, unless the new play is a joined line
    only with them.

    Other tiles may be the opponent's: the same letters on the same squares. Several tiles of the
    withdrawn play, or all of it, are left out if nothing else was laid: nobody plays what was just
    taken back. Several are also left out if the rest is a joined line of its own elsewhere. Any
    tile is left out if the play is a joined line only without it, or if it was knocked away.

    Args:
        sighting: the corrected sighting.
        position: the position before the turn.
        rulings: the rulings on the turn; a tile that somebody entered was not knocked there.
        late: turns that were ruled withdrawn only after this one.

    Returns:
        The sighting without those tiles, and the tiles.
    """
    left = withdrawn_there(position, sighting)
    if not (left or late):
        return sighting, {}
    aside = _knocked_aside(position, sighting, rulings, left, late)
    if late or aside:
        left |= aside
        return _without(sighting, left), left
    before, known = position.board, position.lingering
    lingering = {square: tile for square, tile in left.items() if square in known}
    without = _without(sighting, lingering)
    if _broken(before, without) and not _broken(before, sighting):
        lingering, without, known = {}, sighting, frozenset()
    fresh = {square: tile for square, tile in left.items() if square not in known}
    whole = fresh.keys() == position.withdrawn.keys() - known
    rest = _without(without, fresh)
    new, sound, several = compare(before, rest).placed, not _broken(before, rest), len(fresh) > 1
    alone = (whole or several) and not new
    spoilt = _broken(before, without) and (whole or sound)
    lengthened = any(Board.empty().replace(fresh).touches(square) for square in new)
    if fresh and (alone or spoilt or (several and sound and not lengthened)):
        return rest, left
    return without, lingering


def _knocked_aside(
    position: Position,
    sighting: Board,
    rulings: TurnRulings,
    left: Mapping[Square, str],
    late: tuple[int, ...],
) -> dict[Square, str]:
    """Return tiles of withdrawn plays that were knocked to other squares, not played there.

    ``left`` are the withdrawn tiles that are still in place. A tile elsewhere was knocked if the
    new play is a joined line only without it. It was also knocked if it is near its own square and
    other tiles of its play are in place, and nobody had yet ruled that play withdrawn.
    """
    if left.keys() == position.withdrawn.keys():
        return {}
    before = known_board(position, sighting)
    change = compare(before.replace(position.withdrawn), sighting)
    found = {
        target: origin
        for origin, target in change.moved
        if origin in position.withdrawn
        and before[target] == EMPTY
        and target not in position.withdrawn
        and target not in rulings.symbols  # somebody says that this tile was laid there
    }
    if not found:
        return {}
    spoiling = _spoiling(before, _without(sighting, left), sorted(found))
    lying = [
        names
        for names in (position.turns[number - 1].tiles for number in late)
        if any(square.name in names for square in left)
    ]
    return {
        target: sighting[target]
        for target, origin in found.items()
        if target in spoiling
        or (_near(origin, target) and any(origin.name in names for names in lying))
    }


def _spoiling(before: Board, seen: Board, squares: Sequence[Square]) -> Collection[Square]:
    """Return the fewest squares to ignore so that the new tiles form one joined line.

    Empty if none need be ignored, or if ignoring these squares does not help.
    """
    if not _broken(before, seen):
        return ()
    for count in range(1, len(squares) + 1):
        for some in combinations(squares, count):
            if not _broken(before, _without(seen, some)):
                return some
    return ()


def _near(one: Square, other: Square) -> bool:
    return max(abs(one.row - other.row), abs(one.col - other.col)) <= _KNOCKED


def _without(sighting: Board, squares: Iterable[Square]) -> Board:
    return sighting.replace(dict.fromkeys(squares, EMPTY))


def lies_there(tile: str, seen: str) -> bool:
    """True if what is seen on a square may be the tile; a tile that was not read may be any."""
    return seen == tile or (tile in (UNREADABLE, FACE_DOWN) and seen != EMPTY)


def withdrawn_there(position: Position, sighting: Board) -> dict[Square, str]:
    """Return the tiles of withdrawn plays that a sighting shows in place."""
    return {s: tile for s, tile in position.withdrawn.items() if lies_there(tile, sighting[s])}


def played_anew(position: Position, sighting: Board) -> tuple[str, ...]:
    """Return the squares where tiles of withdrawn plays are in place and were never seen gone.

    They may be the same letters played again, or a challenged play that was left there and built on
    (NASPA III.G.6). This is worth a question, even for one tile that the new play needs.
    """
    there = withdrawn_there(position, sighting)
    return tuple(square.name for square in sorted(there)) if there else ()


def put_back(position: Position, sighting: Board) -> dict[Square, str]:
    """Return earlier tiles that had gone or been moved and were put back in their places."""
    back = {
        square: tile
        for square, tile in position.gone.items()
        if position.board[square] == EMPTY and same_tile(tile, sighting[square])
    }
    for act in position.displaced:
        if all(same_tile(tile, sighting[square]) for square, tile in act.items()):
            back |= act
    return back


def known_board(position: Position, sighting: Board) -> Board:
    """Return the board before a turn, with the earlier tiles that are back in place."""
    return position.board.replace(put_back(position, sighting))


def holes_filled(
    position: Position, known: Board, sighting: Board, rulings: TurnRulings
) -> dict[Square, str]:
    """Return the earlier tiles that were found gone, by square, if another tile lies there now.

    If all new tiles are one play, it was laid there. Otherwise nobody plays on a square whose tile
    is known to be missing, unless somebody says so.
    """
    if not position.gone or not _broken(known, sighting):
        return {}
    return {
        square: tile
        for square, tile in position.gone.items()
        if known[square] == EMPTY and is_tile(sighting[square]) and square not in rulings.symbols
    }


def without_earlier_questions(change: Change, position: Position) -> Change:
    """Return the change without unreadable squares that an earlier turn's flag already asks about.

    A square stays if it may hold a tile of this play. The earlier flag counts as long as every turn
    since has left the square unreadable.
    """
    if not change.unreadable or not position.turns:
        return change
    may_hold, asked = may_hold_play(change), set[Square]()
    for turn in position.turns:
        asked = {square for square in asked if _unread(turn, square)}
        for flag in turn.flags:
            if flag.code == "uncertain_square":
                asked |= {s for s in map(Square.parse, flag.squares) if _unread(turn, s)}
    left = tuple(s for s in change.unreadable if s in may_hold or s not in asked)
    return change.with_unreadable(left)


def displaced(
    before: tuple[Mapping[Square, str], ...], board: Board, fresh: Sequence[Mapping[Square, str]]
) -> tuple[Mapping[Square, str], ...]:
    """Return the tiles that squares had before tiles were moved or swapped, one group for each act.

    Args:
        before: the groups so far.
        board: the board now; a group is left out if all its tiles are back in place.
        fresh: the tiles before each new act.
    """
    if not before and not fresh:
        return ()
    groups = list(before)
    for act in fresh:
        touched = [group for group in groups if group.keys() & act.keys()]
        merged = dict(act)
        for group in touched:
            groups.remove(group)
            merged |= group  # the first tile there counts
        groups.append(merged)
    return tuple(
        group
        for group in groups
        if not all(same_tile(tile, board[square]) for square, tile in group.items())
    )


def acts(change: Change) -> list[Mapping[Square, str]]:
    """Return the tiles before each act of moving or swapping, by square."""
    before = change.before
    moved = [{one: before[one] for one in pair} for pair in change.moved]
    return [*moved, *({square: was} for square, (was, _) in change.replaced.items())]


def still_gone(position: Position, change: Change, board: Board) -> dict[Square, str]:
    """Return earlier tiles that were taken without permission and have not come back."""
    if not position.gone and not change.removed:
        return {}
    gone = dict(position.gone)
    if not withdrawal(change, position.turns):
        gone |= change.removed  # a whole play that is gone may be played anew
    return {square: tile for square, tile in gone.items() if board[square] == EMPTY}


def _unread(turn: Turn, square: Square) -> bool:
    return turn.seen.rows[square.row][square.col] == UNREADABLE


def _broken(before: Board, seen: Board) -> bool:
    """True if the new tiles are not one line joined to the others."""
    change = compare(before, seen)
    play = find_play(change)
    return play is not None and misplaced(change, play)
