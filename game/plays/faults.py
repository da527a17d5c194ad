"""Everything that is wrong with a change of the board, and with the play in it, at once."""

from __future__ import annotations

from collections.abc import Iterable

from game.board import (
    CENTRE,
    EMPTY,
    FACE_DOWN,
    UNDESIGNATED,
    UNREADABLE,
    Board,
    Square,
    is_blank,
    is_tile,
)
from game.flags import Flag, make_flag
from game.plays.change import Change
from game.plays.play import Play, loose
from game.rulebooks.judging import judge
from game.rulebooks.loading import Rulebook
from game.tile_symbols import symbol_words
from game.tileset import BLANK, TileSet


def faults(
    change: Change,
    play: Play | None,
    tile_set: TileSet,
    rulebook: Rulebook,
    rack: int | None = None,
) -> tuple[Flag, ...]:
    """Return everything wrong with a change of the board, in the order in which codes are declared.

    Args:
        change: what happened to the board.
        play: the play in it, from :func:`game.plays.play.find_play`.
        tile_set: the set in use.
        rulebook: the rules in force, which give each flag's rule and remedies.
        rack: the most tiles that the player can have had; a full rack if not given.
    """
    flags: list[Flag] = []
    if play is not None:
        flags += _placement(change, play, rulebook, rack)
    flags += _earlier_tiles(change)
    flags += _set(change, tile_set)
    flags += _unseen(change, play)
    return tuple([judge(flag, rulebook) for flag in flags])


def _placement(change: Change, play: Play, book: Rulebook, rack: int | None) -> list[Flag]:
    flags = []
    tiles = tuple(play.tiles)
    opening = not change.before.symbols.strip(UNREADABLE)
    if opening and CENTRE not in play.tiles:
        flags.append(make_flag("off_centre", _names(tiles)))
    if opening and len(tiles) == 1:
        flags.append(make_flag("single_tile_opening", _names(tiles)))
    rows, cols = {s.row for s in tiles}, {s.col for s in tiles}
    on_line = play.line
    one_line = len(rows) == 1 or len(cols) == 1
    unbroken = EMPTY not in change.after.text(on_line)
    if not one_line:
        off = [square for square in tiles if square not in on_line]
        flags.append(make_flag("not_one_line", _names(off), position=play.position))
    if not unbroken:
        gaps = [square for square in on_line if change.after[square] == EMPTY]
        flags.append(make_flag("gap", _names(gaps), position=play.position))
    # One tile of an unbroken line that touches an earlier one joins all the others.
    joined = one_line and unbroken and any(map(change.before.touches, tiles))
    if not opening and not joined and (apart := loose(change.before, play.tiles)):
        flags.append(make_flag("disconnected", _names(apart)))
    limit = book.rack_tiles if rack is None else min(rack, book.rack_tiles)
    if len(tiles) > limit:
        flags.append(make_flag("too_many_tiles", _names(tiles), count=len(tiles), limit=limit))
    return flags


def _earlier_tiles(change: Change) -> list[Flag]:
    flags = []
    for origin, target in change.moved:
        tile = symbol_words(change.before[origin])
        names = _names((origin, target))
        flags.append(
            make_flag("tile_moved", names, tile=tile, origin=origin.name, target=target.name)
        )
    if change.removed:
        shown = ", ".join(f"{symbol_words(tile)} of {s.name}" for s, tile in change.removed.items())
        flags.append(make_flag("tile_removed", _names(change.removed), tiles=shown))
    for square, (earlier, now) in change.replaced.items():
        was, shown = symbol_words(earlier), symbol_words(now)
        flags.append(make_flag("tile_replaced", _names((square,)), earlier=was, now=shown))
    return flags


def _set(change: Change, tile_set: TileSet) -> list[Flag]:
    flags = []
    new = {square: symbol for square, symbol in change.changed.items() if is_tile(symbol)}
    strange = [s for s, tile in new.items() if tile != FACE_DOWN and not tile_set.knows(tile)]
    if strange:
        flags.append(make_flag("unknown_letter", _names(strange), tile_set=tile_set.name))
    for tile in sorted({tile_set.tile_of(symbol) for symbol in new.values()}):
        has = tile_set.counts.get(tile)
        if has is None or (count := _count_on(change.after, tile)) <= has:
            continue
        if count > _count_on(change.before, tile):
            squares = [s for s, symbol in new.items() if tile_set.tile_of(symbol) == tile]
            kind = "blanks" if tile == BLANK else f"tiles {tile}"
            flags.append(
                make_flag(
                    "extra_tile",
                    _names(squares),
                    count=count,
                    tiles=kind,
                    tile_set=tile_set.name,
                    has=has,
                )
            )
    return flags


def _count_on(board: Board, tile: str) -> int:
    """Return how many of a tile lie on a board."""
    return sum(map(is_blank, board.symbols)) if tile == BLANK else board.count(tile)


def _unseen(change: Change, play: Play | None) -> list[Flag]:
    flags = []
    tiles: dict[str, list[Square]] = {}
    for square, symbol in play.tiles.items() if play else ():
        tiles.setdefault(symbol, []).append(square)
    if blanks := tiles.get(UNDESIGNATED):
        flags.append(make_flag("blank_undesignated", _names(blanks)))
    if down := (*tiles.get(FACE_DOWN, ()), *change.turned_over):
        flags.append(make_flag("face_down", _names(down)))
    if unsure := tiles.get(UNREADABLE):
        flags.append(make_flag("uncertain_square", _names(unsure), variant="unread"))
    if change.unreadable:
        flags.append(make_flag("uncertain_square", _names(change.unreadable), variant="unseen"))
    if change.resolved:
        shown = ", ".join(f"{s.name} as {symbol_words(t)}" for s, t in change.resolved.items())
        names = _names(change.resolved)
        flags.append(make_flag("uncertain_square", names, variant="read_late", tiles=shown))
    if change.covered:
        flags.append(make_flag("board_covered", _names(change.covered)))
    return flags


def _names(squares: Iterable[Square]) -> tuple[str, ...]:
    return tuple(square.name for square in squares)
