"""The racks of a game from sighting to sighting: what was held, played, kept and drawn.

While a turn is made its tiles leave the rack one by one, and after it new ones come. So a turn was
played from the newest full rack that was seen before its press and has its tiles.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from game.board import FACE_DOWN, UNREADABLE
from game.events import SIDES, Side, other
from game.referee.turn import Turn
from game.state.fold import GameState
from game.tile_symbols import spelled

FULL: Final = 7
"""The tiles on a rack before its first turn."""

SURE: Final = 0.9
"""A sighting with a less certain tile raises no doubt."""

_CAME_BACK: Final = frozenset({"challenge_upheld", "illegal_play", "taken_back", "undone"})
"""Turns whose tiles went back to the rack."""

_UNTOUCHED: Final = frozenset({"pass", "exchange_or_pass"})
"""Turns after which the rack is the same unless another one is seen: the same one is not logged."""

_KEEPS: Final = frozenset({"play", "pass", *_CAME_BACK})
"""Turns after which the tiles that were not played are still on the rack."""


@dataclass(frozen=True, slots=True)
class RackSighting:
    """The tiles that were seen on a rack."""

    side: Side
    tiles: str
    """Symbols from left to right, ``?`` for a blank."""
    t_ns: int
    confidence: tuple[float, ...] = ()
    """The probability of each tile."""

    @property
    def sure(self) -> bool:
        """True if no tile is uncertain."""
        return min(self.confidence, default=1.0) >= SURE


@dataclass(frozen=True, slots=True)
class RackDoubt:
    """Something about a rack that does not agree with the game."""

    turn: int
    side: Side
    text: str


@dataclass(frozen=True, slots=True)
class RackHistory:
    """The racks of a game as far as they are known."""

    held: Mapping[int, str] = field(default_factory=dict)
    """The rack that each turn was made from, by the turn's number."""
    drawn: Mapping[int, str] = field(default_factory=dict)
    """The tiles drawn after each turn, by its number: the next rack without what was kept."""
    now: Mapping[Side, str | None] = field(default_factory=dict)
    """The rack now, by side; None if nothing is known of it."""
    doubts: tuple[RackDoubt, ...] = ()


def rack_history(state: GameState, sightings: Sequence[RackSighting]) -> RackHistory:
    """Return the racks of a game by the sightings, in the order in which they were logged."""
    held: dict[int, str] = {}
    drawn: dict[int, str] = {}
    now: dict[Side, str | None] = {}
    doubts: list[RackDoubt] = []
    for side in SIDES:
        own = [turn for turn in state.turns if turn.side == side]
        seen = [one for one in sightings if one.side == side]
        used, now[side] = _used(state, own, seen)
        for number, rack in used.items():
            if rack is not None:
                held[number] = rack.tiles
        nexts = [*(used[turn.number] for turn in own[1:]), _full_now(state, side, seen, used)]
        for turn, after in zip(own, nexts, strict=False):
            before = used[turn.number]
            if before is None or after is None or turn.kind not in _KEEPS:
                continue
            kept = Counter(before.tiles) - _played(turn, state)
            drawn[turn.number] = "".join(sorted((Counter(after.tiles) - kept).elements()))
            if before.sure and after.sure and (gone := kept - Counter(after.tiles)):
                text = f"{_named(gone)} was on the rack before turn {turn.number} and not after it"
                doubts.append(RackDoubt(turn.number, side, text))
    for turn in state.turns:
        doubts += _unheld(turn, state, held, sightings)
    doubts += _too_many(state, sightings)
    return RackHistory(held, drawn, now, tuple(sorted(doubts, key=lambda one: one.turn)))


def _used(
    state: GameState, own: Sequence[Turn], seen: Sequence[RackSighting]
) -> tuple[dict[int, RackSighting | None], str | None]:
    """Return the rack that each turn of a side was made from, and its rack now."""
    used: dict[int, RackSighting | None] = {}
    due, place = FULL, 0
    rest: Counter[str] | None = None
    pressed_ns = -1
    for turn in own:
        until = place
        while until < len(seen) and seen[until].t_ns <= turn.press_ns:
            until += 1
        tiles = _played(turn, state, returned=True)
        full = [at for at in range(place, until) if len(seen[at].tiles) == due]
        having = [at for at in full if not tiles - Counter(seen[at].tiles)]
        at = (having or full or [-1])[-1]
        used[turn.number] = found = seen[at] if at >= 0 else None
        if at >= 0:
            place = at if turn.kind in _UNTOUCHED else at + 1
        rest = None if found is None else Counter(found.tiles) - _played(turn, state)
        if turn.kind not in _KEEPS:
            rest = None
        due, pressed_ns = turn.rack_count, turn.press_ns
    full_now = [one for one in seen[place:] if len(one.tiles) == due]
    if full_now:
        return used, full_now[-1].tiles
    since = [one.tiles for one in seen[place:] if one.t_ns > pressed_ns][-1:]
    parts = [*since, *([] if rest is None else ["".join(sorted(rest.elements()))])]
    return used, max(parts, key=len, default=None)


def _full_now(
    state: GameState,
    side: Side,
    seen: Sequence[RackSighting],
    used: Mapping[int, RackSighting | None],
) -> RackSighting | None:
    """Return the newest sighting of a side's present rack, if it shows all its tiles."""
    before = {id(one) for one in used.values()}
    newest = seen[-1:]
    full = [one for one in newest if len(one.tiles) == state.racks[side] and id(one) not in before]
    return full[0] if full else None


def _played(turn: Turn, state: GameState, *, returned: bool = False) -> Counter[str]:
    """Return the tiles a turn took off the rack, with ``returned`` also those that went back."""
    if turn.kind in _CAME_BACK and not returned:
        return Counter()
    symbols = (one for one in turn.tiles.values() if one not in (FACE_DOWN, UNREADABLE))
    return Counter(map(state.tile_set.tile_of, symbols))


def _unheld(
    turn: Turn, state: GameState, held: Mapping[int, str], sightings: Iterable[RackSighting]
) -> list[RackDoubt]:
    """Return the doubt about a play with a tile that its player's rack did not show."""
    rack = held.get(turn.number)
    if rack is None:
        return []
    extra = _played(turn, state, returned=True) - Counter(rack)
    sure = all(one.sure for one in sightings if one.side == turn.side and one.tiles == rack)
    if not extra or not sure:
        return []
    opponents = [
        one for one in sightings if one.side != turn.side and one.t_ns <= turn.press_ns and one.sure
    ][-1:]
    text = f"{_named(extra)} was played and not seen on the player's rack"
    if opponents and not extra - Counter(opponents[0].tiles):
        text = f"{_named(extra)} was played, and seen on {state.players[other(turn.side)]}'s rack"
    return [RackDoubt(turn.number, turn.side, text)]


def _too_many(state: GameState, sightings: Sequence[RackSighting]) -> list[RackDoubt]:
    """Return the doubts about letters of which rack and board now show more than the set has."""
    found = []
    for side in SIDES:
        newest = [one for one in sightings if one.side == side][-1:]
        for one in newest:
            last = state.turns[-1] if state.turns else None
            if not one.sure or (last is not None and one.t_ns <= last.press_ns):
                continue
            left = Counter(state.tile_set.unseen(state.board.symbols))
            left.subtract(one.tiles)
            over = Counter({tile: -left[tile] for tile in set(one.tiles) if left[tile] < 0})
            if over:
                text = f"rack and board show {_named(over)} more than the set has"
                found.append(RackDoubt(len(state.turns), side, text))
    return found


def _named(tiles: Counter[str]) -> str:
    return spelled(", ".join("a blank" if one == "?" else one for one in sorted(tiles.elements())))
