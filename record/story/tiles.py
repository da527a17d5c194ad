"""The account of the tiles of a game: where each was last seen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, NamedTuple

from game.board import EMPTY, FACE_DOWN, UNREADABLE, Square
from game.events import SIDES, Side, other
from game.plays.change import same_tile
from game.referee.position import Turn
from game.state.game_state import GameState
from game.tileset import load_tile_set
from record.story.changes import Changed
from record.story.places import Course

TilePlace = Literal["board", "rack", "unseen", "extra"]
"""``rack``: reported to be there, or known to be there by count. ``unseen``: in the bag or on a
rack, nobody knows which. ``extra``: on the board, and more than the set has."""


UNSEEN: Final = "not seen"
_UNREAD: Final = frozenset({FACE_DOWN, UNREADABLE})


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


def tile_account(course: Course, changes: Sequence[Changed]) -> TileAccount:
    """Return the account of the tiles of a game, with the changes of its board."""
    state = course.state
    tiles = state.tile_set
    by_tile: dict[str, list[TileFate]] = {tile: [] for tile in tiles.counts}
    unread: list[str] = []
    extra: list[TileFate] = []
    lying, came_off = _ways(state)
    for square in sorted(lying):
        symbol = state.board[square]
        if symbol in _UNREAD:
            unread.append(square.name)
            continue
        tile = tiles.tile_of(symbol)
        text = f"{square.name}{_as(tile, symbol)}, {_way(course, lying[square], square, changes)}"
        due = by_tile.get(tile, extra)
        if due is extra or len(due) >= tiles.counts[tile]:
            extra.append(TileFate(tile, "extra", f"{text}: more than the set has", square.name))
        else:
            due.append(TileFate(tile, "board", text, square.name))
    for side, rack in _racks(state).items():
        for tile in rack:
            if len(by_tile.get(tile, ())) < tiles.counts.get(tile, 0):
                by_tile[tile].append(TileFate(tile, "rack", f"on {state.players[side]}'s rack"))
    for one in came_off:
        if len(by_tile.get(one.tile, ())) < tiles.counts.get(one.tile, 0):
            play = f" (laid in turn {one.play.number})" if one.play else ""
            text = f"came off {one.square.name}{_as(one.tile, one.symbol)}{play}"
            by_tile[one.tile].append(TileFate(one.tile, "unseen", text, one.square.name))
    for tile, count in tiles.counts.items():
        by_tile[tile] += [TileFate(tile, "unseen")] * (count - len(by_tile[tile]))
    fates = [one for found in by_tile.values() for one in found]
    return TileAccount(
        sum(tiles.counts.values()),
        (*fates, *extra),
        tuple(unread),
        state.bag_count,
        dict(state.racks),
        _lacking(state),
    )


@dataclass(frozen=True, slots=True)
class _Placed:
    """A tile that lay on the board."""

    tile: str
    symbol: str
    square: Square
    """The square on which it was laid, or else first seen."""
    play: Turn | None
    """The turn of whose play it is; None if it is of none."""
    since: Turn | None
    """The turn in which it came to lie where it was last; None if it lay there from the start."""


def _ways(state: GameState) -> tuple[dict[Square, _Placed], list[_Placed]]:
    """Follow each tile through the turns; return what lies there, and what came off, newest first.

    A tile that comes to lie on a square and is of no play is taken for the newest like it that is
    gone from elsewhere, if there is one: it was moved, or put back.
    """
    lying: dict[Square, _Placed] = {}
    gone: list[_Placed] = []

    def placed(square: Square, symbol: str, play: Turn | None, since: Turn | None) -> _Placed:
        return _Placed(state.tile_set.tile_of(symbol), symbol, square, play, since)

    first = state.turns[0].before if state.turns else state.board
    lying = {square: placed(square, first[square], None, None) for square in first.tiles()}
    for turn in state.turns:
        board = turn.after
        own = {Square.parse(name): symbol for name, symbol in turn.tiles.items()}
        off = [at for at in lying if not _may_be(lying[at].symbol, board[at])]
        gone = [lying.pop(at) for at in off] + gone
        for at in board.tiles():
            new = placed(at, board[at], turn if at in own else None, turn)
            if at in lying:
                if lying[at].symbol in _UNREAD:  # it can be read now
                    lying[at] = replace(lying[at], tile=new.tile, symbol=new.symbol)
                continue
            same = next((one for one in gone if _is_it(one, new, turn)), None)
            if same is not None:
                gone.remove(same)
                new = new if at in own else replace(same, since=turn)
            lying[at] = new
        gone = [placed(at, it, turn, turn) for at, it in own.items() if at not in lying] + gone
    return lying, gone


def _may_be(earlier: str, now: str) -> bool:
    """True if a square may show the tile that lay there: as it was, turned over or not read."""
    return same_tile(earlier, now) or (now != EMPTY and bool({earlier, now} & _UNREAD))


def _is_it(gone: _Placed, new: _Placed, turn: Turn) -> bool:
    """True if a tile that comes to lie somewhere in a turn is taken for one that is gone.

    One that is laid may be of a play of that player that came off.
    """
    if gone.tile != new.tile or new.play is None:
        return gone.tile == new.tile
    return gone.play is not None and gone.play.side == turn.side and gone.play.kind != "play"


def _way(course: Course, one: _Placed, square: Square, changes: Sequence[Changed]) -> str:
    """Return by which turn or change a tile came to lie on a square, in words."""
    if one.since is None:
        return "from the start"
    by = one.play and f"turn {one.play.number} by {course.names[one.play.side]}"
    if by and one.play == one.since:
        asked = (flag for flag in one.play.flags if flag.code == "withdrawn_left")
        left = any(square.name in flag.squares for flag in asked)
        return f"{by}{', or left there from a play that came off' * left}"
    squares = {square.name, one.square.name}
    seen = last_change(changes, squares, *course.around(one.since.number))
    arm = f", {course.names[seen.side]}'s arm there" if seen and seen.side else ""
    since = f"since turn {one.since.number}{f' (event {seen.number}{arm})' if seen else ''}"
    return f"{since}, {f'laid on {one.square.name} in {by}' if by else 'of no play'}"


class SeenChange(NamedTuple):
    """A moment at which squares were seen changed, or as before again."""

    number: int
    """The number of the event."""
    side: Side | None
    """Whose arm was seen there; None if that is not sure."""
    from_ns: int
    """The last picture that shows them as they were."""
    until_ns: int
    """The first picture that shows them changed."""


def last_change(
    changes: Iterable[Changed], squares: Collection[str], from_ns: int, until_ns: int
) -> SeenChange | None:
    """Return when one of the squares was last seen to change in a time; None if it was not."""
    found = [
        SeenChange(one.number, side, begin, end)
        for one in changes
        for side, begin, end in (
            (one.event.side, one.event.from_ns, one.event.seen_ns),
            (one.event.back_by, one.event.back_from_ns, one.event.back_ns),
        )
        if begin is not None and end is not None and from_ns < end <= until_ns
        if any(it.square in squares for it in one.event.changes)
    ]
    return max(found, key=lambda it: it.until_ns, default=None)


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
