"""The account of the tiles of a game: where each was last seen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from game.board import EMPTY, FACE_DOWN, SQUARES, UNREADABLE, Square, is_tile
from game.events import SIDES, Side, other
from game.referee.position import Turn
from game.state.game_state import GameState
from game.tileset import load_tile_set

TilePlace = Literal["board", "rack", "unseen", "extra"]
"""``rack``: reported to be there, or known to be there by count. ``unseen``: in the bag or on a
rack, nobody knows which. ``extra``: on the board, and more than the set has."""


UNSEEN: Final = "not seen"


@dataclass(frozen=True, slots=True)
class TileFate:
    """One tile of the set."""

    tile: str
    """The tile's letter, ``?`` for a blank."""
    place: TilePlace
    text: str = UNSEEN
    """Its place now or when it was last seen, in words."""
    square: str = ""
    """Its square, or the one that it came off; empty if it was never on the board."""
    turn: int | None = None
    """The turn that put it there."""


@dataclass(frozen=True, slots=True)
class TileAccount:
    """The places of all tiles, and the counts of bag and racks."""

    total: int
    """The number of tiles in the set."""
    fates: tuple[TileFate, ...]
    """A fate for each tile of the set, and for each tile on the board that the set does not
    have."""
    unread: tuple[str, ...]
    """Squares with a tile face down or unreadable; each such tile is one of the unseen."""
    bag: int
    """The number of tiles in the bag, by count."""
    racks: Mapping[Side, int]
    """The number of tiles on each rack, by count."""
    lacking: Mapping[str, int]
    """How many of each tile the set lacks, as entered; negative if the set has too many."""

    def at(self, place: TilePlace) -> tuple[TileFate, ...]:
        """Return the tiles in one kind of place."""
        return tuple(one for one in self.fates if one.place == place)

    @property
    def uncounted(self) -> int:
        """The number of unseen tiles minus the number that bag and racks should hold."""
        known = len(self.at("rack")) + len(self.at("unseen")) - len(self.unread)
        return known - self.bag - sum(self.racks.values())


def tile_account(state: GameState) -> TileAccount:
    """Return the account of the tiles of a game in this state."""
    tiles = state.tile_set
    by_tile: dict[str, list[TileFate]] = {tile: [] for tile in tiles.counts}
    unread: list[str] = []
    extra: list[TileFate] = []
    players = {square: turn for turn in state.turns for square in turn.tiles}
    for square in SQUARES:
        symbol = state.board[square]
        if symbol in (FACE_DOWN, UNREADABLE):
            unread.append(square.name)
        elif is_tile(symbol):
            here = _on_board(state, square, players.get(square.name))
            due = by_tile.get(here.tile, extra)
            if due is extra or len(due) >= tiles.counts[here.tile]:
                text = f"{here.text}: MORE THAN THE SET HAS"
                extra.append(replace(here, place="extra", text=text))
            else:
                due.append(here)
    for side, rack in _racks(state).items():
        for tile in rack:
            if len(by_tile.get(tile, ())) < tiles.counts.get(tile, 0):
                by_tile[tile].append(TileFate(tile, "rack", f"on {state.players[side]}'s rack"))
    came_off = _came_off(state)
    for tile, count in tiles.counts.items():
        while len(by_tile[tile]) < count:
            last = came_off[tile].pop(0) if came_off.get(tile) else TileFate(tile, "unseen")
            by_tile[tile].append(last)
    fates = [one for found in by_tile.values() for one in found]
    return TileAccount(
        sum(tiles.counts.values()),
        (*fates, *extra),
        tuple(unread),
        state.bag_count,
        dict(state.racks),
        _lacking(state),
    )


def _on_board(state: GameState, square: Square, turn: Turn | None) -> TileFate:
    """Return where a tile on the board lies, and the turn that laid it, if one did."""
    symbol = state.board[square]
    tile = state.tile_set.tile_of(symbol)
    if turn is not None:
        when = f"turn {turn.number} by {state.players[turn.side]}"
    else:
        bare = [one.number for one in state.turns if one.before[square] == EMPTY]
        when = f"put there after turn {bare[-1]}, of no turn" if bare else "from the start"
    text = f"{square.name}{_as(tile, symbol)}, {when}"
    return TileFate(tile, "board", text, square.name, None if turn is None else turn.number)


def _as(tile: str, symbol: str) -> str:
    """Return the letter of a blank, in words; empty for any other tile."""
    return f" as {symbol.upper()}" if tile == "?" != symbol else ""


def _lacking(state: GameState) -> dict[str, int]:
    whole, now = load_tile_set(state.start.tile_set).counts, state.tile_set.counts
    tiles = dict.fromkeys((*whole, *now))
    return {tile: n for tile in tiles if (n := whole.get(tile, 0) - now.get(tile, 0))}


def _racks(state: GameState) -> dict[Side, str]:
    """Return the tiles on each rack, as far as they are known."""
    racks: dict[Side, str] = dict(state.progress.ledger.position.reported)
    for line in state.adjustments:
        if line.tiles and line.kind in ("end_rack", "end_rack_penalty"):
            owner = other(line.side) if line.kind == "end_rack" else line.side
            racks.setdefault(owner, line.tiles)
    return {side: racks[side] for side in SIDES if side in racks}


def _came_off(state: GameState) -> dict[str, list[TileFate]]:
    """Return, by tile, the played tiles that are no longer on their squares, newest first."""
    found: dict[str, list[TileFate]] = {}
    for turn in reversed(state.turns):
        for name, symbol in turn.tiles.items():
            if symbol == FACE_DOWN or not is_tile(symbol):
                continue
            tile = state.tile_set.tile_of(symbol)
            if _is_it(state.board[Square.parse(name)], tile, state):
                continue
            text = f"came off {name}{_as(tile, symbol)} (laid in turn {turn.number})"
            fate = TileFate(tile, "unseen", text, name, turn.number)
            found.setdefault(tile, []).append(fate)
    return found


def _is_it(symbol: str, tile: str, state: GameState) -> bool:
    return is_tile(symbol) and symbol != FACE_DOWN and state.tile_set.tile_of(symbol) == tile
