"""The accounts of a game: whose clock ran at every second, and where each tile was last seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from game.board import EMPTY, FACE_DOWN, SQUARES, UNREADABLE, Square, is_tile
from game.events import SIDES, Side, StopExplained, TimeUnseen, TurnRuled, other
from game.state.game_state import GameState
from game.terms import STOP_REASONS
from game.tileset import load_tile_set
from record.story.entries import Entry, Step
from record.story.event_wording import describe_event

UNWATCHED: Final = "nobody watched the table"
"""The reason for a stop of both clocks while nobody watched, until a clock was started again."""


_NOT_BEGUN: Final = "the game had not begun"
_OVER: Final = "the game was over"


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time during which one clock ran, or none."""

    from_ns: int
    until_ns: int
    side: Side | None
    """Whose clock ran; None while both stood."""
    turn: int
    """The number of turns seen when the stretch began."""
    reason: str = ""
    """For a stop: its reason, if somebody entered one or the game shows one."""

    @property
    def is_stop(self) -> bool:
        """True if both clocks stood within the game."""
        return self.side is None and self.reason not in (_NOT_BEGUN, _OVER)

    @property
    def length_ns(self) -> int:
        """The length of the stretch."""
        return self.until_ns - self.from_ns


@dataclass(frozen=True, slots=True)
class ClockChange:
    """A change of a clock by an event."""

    side: Side
    added_ns: int
    entry: Entry
    text: str


@dataclass(frozen=True, slots=True)
class ClockAccount:
    """Both clocks from the start of the game to its last event.

    For each side, ``full_ns`` minus its stretches plus its changes is ``left_ns``.
    """

    full_ns: Mapping[Side, int]
    stretches: tuple[Stretch, ...]
    """Stretches without a gap between them, from the game's start to its last event."""
    changes: tuple[ClockChange, ...]
    left_ns: Mapping[Side, int]
    at_press_ns: Mapping[int, Mapping[Side, int]]
    """Both clocks at each press that ended a turn, by the time of the press."""

    def ran_ns(self, side: Side) -> int:
        """Return how long a player's clock ran."""
        return sum(one.length_ns for one in self.stretches if one.side == side)

    def changed_ns(self, side: Side) -> int:
        """Return the time added to a player's clock minus the time taken off."""
        return sum(one.added_ns for one in self.changes if one.side == side)

    @property
    def stopped_ns(self) -> int:
        """How long both clocks stood."""
        return sum(one.length_ns for one in self.stretches if one.side is None)


def clock_account(steps: Sequence[Step]) -> ClockAccount | None:
    """Compute the account of both clocks from a game's events; None for a game without a clock."""
    first = steps[0].after
    if not first.timed:
        return None
    now = steps[0].t_ns
    full = {side: first.clocks.remaining(side, now) for side in SIDES}
    stretches: list[Stretch] = []
    changes: list[ClockChange] = []
    presses: dict[int, Mapping[Side, int]] = {}
    state, last = first, steps[-1].after
    for step in steps[1:]:
        after = step.after
        if after.clocks == state.clocks and after.status == state.status:
            continue  # only what bears on the clocks tells how late it was
        until = max(now, step.t_ns)
        event = step.event
        if isinstance(event, TimeUnseen):
            seen_until = max(now, event.from_ns)
            _run(stretches, state, (now, seen_until), _seen_by(last, now))
            state, now = replace(state, clocks=state.clocks.stop(seen_until)), seen_until
            state = replace(state, progress=replace(state.progress, unseen_stop_ns=now))
        _run(stretches, state, (now, until), _seen_by(last, now))
        now = until
        for side in SIDES:
            added = after.clocks.remaining(side, now) - state.clocks.remaining(side, now)
            if added:
                text = describe_event(step.event, after.players)
                changes.append(ClockChange(side, added, step, text))
        presses.setdefault(now, {side: after.clocks.remaining(side, now) for side in SIDES})
        state = after
    until = max(now, *(step.t_ns for step in steps))
    _run(stretches, state, (now, until), _seen_by(last, now))
    now = until
    left = {side: last.clocks.remaining(side, now) for side in SIDES}
    return ClockAccount(
        full, tuple(_explained(stretches, steps)), tuple(changes), left, presses
    )  # fmt: skip


def _seen_by(state: GameState, t_ns: int) -> int:
    """Return the number of turns that had ended at ``t_ns``."""
    return sum(turn.press_ns <= t_ns for turn in state.turns)


def _run(
    stretches: list[Stretch], state: GameState, between_ns: tuple[int, int], turns: int
) -> None:
    """Add the time between two events, to the last stretch if side and reason are the same."""
    from_ns, until_ns = between_ns
    if until_ns == from_ns:
        return
    clocks = state.clocks
    side = clocks.running
    pieces: list[tuple[int, int, Side | None]] = [(from_ns, until_ns, side)]
    if side is not None and clocks.since_ns is not None and clocks.since_ns > from_ns:
        begun = min(clocks.since_ns, until_ns)  # not before it was started does a clock run
        pieces = [(from_ns, begun, None), (begun, until_ns, side)]
    for begin, end, whose in pieces:
        if end == begin:
            continue
        reason = "" if whose is not None else _standing(state)
        last = stretches[-1] if stretches else None
        if last is not None and (last.side, last.reason) == (whose, reason):
            stretches[-1] = replace(last, until_ns=end)
        else:
            stretches.append(Stretch(begin, end, whose, turns, reason))


def _standing(state: GameState) -> str:
    if state.status == "waiting":
        return _NOT_BEGUN
    if state.status == "ended":
        return _OVER
    return UNWATCHED if state.progress.unseen_stop_ns is not None else ""


def _reason(event: StopExplained | TurnRuled) -> str:
    """Return the reason that an entry gives for a stop; empty if there is none."""
    if isinstance(event, StopExplained):
        return STOP_REASONS[event.reason]
    return STOP_REASONS["challenge"] if event.ruling.startswith("challenge_") else ""


def _explained(stretches: Sequence[Stretch], steps: Sequence[Step]) -> list[Stretch]:
    """Return the stretches, each stop with the reason entered for it last."""
    found = list(stretches)
    retracted = steps[-1].after.progress.retracted
    for step in sorted(steps, key=lambda one: isinstance(one.event, StopExplained)):
        event = step.event
        if not isinstance(event, StopExplained | TurnRuled) or step.number in retracted:
            continue
        if not (reason := _reason(event)):
            continue
        stops = [
            at
            for at, one in enumerate(found)
            if one.is_stop
            and one.turn >= event.turn
            and one.from_ns <= step.t_ns
            and (isinstance(event, StopExplained) or step.t_ns <= one.until_ns)
        ]
        if stops:
            found[stops[-1]] = replace(found[stops[-1]], reason=reason)
    return found


Place = Literal["board", "rack", "unseen", "extra"]
"""``rack``: reported to be there, or known to be there by count. ``unseen``: in the bag or on a
rack, nobody knows which. ``extra``: on the board, and more than the set has."""


@dataclass(frozen=True, slots=True)
class TileFate:
    """One tile of the set."""

    tile: str
    """The tile's letter, ``?`` for a blank."""
    place: Place
    square: str = ""
    """The tile's square, or where it was last seen before it came off; empty if never on the
    board."""
    symbol: str = ""
    """The symbol read on that square: for a blank, its letter in lower case."""
    side: Side | None = None
    """The side whose rack has the tile, or who played it."""
    turn: int | None = None
    """The turn that put the tile on its square."""
    since: int | None = None
    """For a tile that no turn played: the last turn that found its square empty; 0 if none did."""


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

    def at(self, place: Place) -> tuple[TileFate, ...]:
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
            tile = tiles.tile_of(symbol)
            turn = players.get(square.name)
            side, number = (None, None) if turn is None else (turn.side, turn.number)
            since = _since(state, square) if turn is None else None
            due = by_tile.get(tile)
            whole = due is None or len(due) >= tiles.counts[tile]
            place: Place = "extra" if whole else "board"
            here = TileFate(tile, place, square.name, symbol, side, number, since)
            (extra if due is None or whole else due).append(here)
    for side, rack in _racks(state).items():
        for tile in rack:
            if len(by_tile.get(tile, ())) < tiles.counts.get(tile, 0):
                by_tile[tile].append(TileFate(tile, "rack", side=side))
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


def _since(state: GameState, square: Square) -> int:
    """Return the number of the last turn that found the square empty; 0 if none did."""
    bare = [turn.number for turn in state.turns if turn.before[square] == EMPTY]
    return bare[-1] if bare else 0


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
            fate = TileFate(tile, "unseen", name, symbol, turn.side, turn.number)
            found.setdefault(tile, []).append(fate)
    return found


def _is_it(symbol: str, tile: str, state: GameState) -> bool:
    return is_tile(symbol) and symbol != FACE_DOWN and state.tile_set.tile_of(symbol) == tile
