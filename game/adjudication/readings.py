"""The likely ways to part tiles into turns, each as an event that says that it was so."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from game.board import Square
from game.events import PlayMade, PlaysAssigned, TurnReading, TurnRuled, other
from game.plays.completing import is_play
from game.referee.readings import GOING_ON, as_it_counts, in_words, is_whole

if TYPE_CHECKING:
    from game.referee.position import Turn
    from game.state.game_state import GameState

_ON_BOARD: Final = frozenset({"play", "no_score", "not_known", "exchange_or_pass", "pass"})
"""Kinds of turns whose tiles, if any, still lie there."""

Found = tuple[str, str, PlaysAssigned | TurnRuled]
"""A name, plain words, and the event."""


def readings(state: GameState, turn: Turn, why: str) -> Iterator[Found]:
    """Yield the ways in which the tiles of a turn, and of those around it, may have been parted.

    The first is how they count now. Tiles that a reading has in a later turn, and that no turn has
    yet, are left to that turn.
    """
    likely = turn.seen.readings or _around(state, turn)
    if not likely:
        return
    earlier = max(one.earlier for one in likely)
    named = {name for one in likely for play in one.plays for name in play.tiles}
    first = turn.number - earlier
    if first < 1:
        return
    last = turn.number
    for later in state.turns[turn.number :]:
        if named & later.tiles.keys():
            last = later.number
    if not turn.tiles and last == turn.number < len(state.turns):
        last += 1  # the turn after one in which nothing was laid tells whose that was
    window = state.turns[first - 1 : last]
    if any(one.kind not in _ON_BOARD for one in window):
        return
    stands = tuple(as_it_counts(one) for one in window)
    before = window[0].before
    ways = [_fitted(one, turn, window, stands, named) for one in likely]
    ahead = next((more for plays, more in ways if _same(plays) == _same(stands)), ())
    found = [(stands, ahead), *ways]
    known, wholes = set(), [(*plays, *more) for plays, more in found]
    for number, (plays, _) in enumerate(found):
        if not plays or _same(plays) in known:
            continue
        known.add(_same(plays))
        every = wholes[number]
        words = in_words(every, before, state.players, whole=is_whole(every, wholes))
        text = f"{words} (as it counts now)" if not number else words
        event = PlaysAssigned(first, len(window), plays, "", why, 0)
        yield f"reading{number}" if number else "stands", text, event
    if turn.number == len(state.turns) and any(_goes_on(one, turn) for one in likely):
        words = in_words([as_it_counts(turn)], turn.before, state.players, whole=False)
        undone = TurnRuled(turn.number, "undone", "", why, 0)
        yield "going_on", f"{words}{GOING_ON}: the press ended no turn", undone


def _goes_on(reading: TurnReading, turn: Turn) -> bool:
    """True if by a reading the turn has its tiles, and has not ended."""
    last = reading.plays[-1:]
    same = any((one.side, one.tiles.keys()) == (turn.side, turn.tiles.keys()) for one in last)
    return same and reading.going_on and len(reading.plays) == reading.earlier + 1


def _same(plays: tuple[PlayMade, ...]) -> tuple[tuple[str, frozenset[str], bool], ...]:
    """Return what tells plays from others: not when they ended."""
    return tuple((one.side, frozenset(one.tiles), one.came_off) for one in plays)


def _fitted(
    reading: TurnReading,
    turn: Turn,
    window: tuple[Turn, ...],
    stands: tuple[PlayMade, ...],
    named: set[str],
) -> tuple[tuple[PlayMade, ...], tuple[PlayMade, ...]]:
    """Return the plays of a reading in place of the turns of the window, and those that follow.

    A tile that no reading names stays with its turn.
    """
    lie = {name: tile for one in stands for name, tile in one.tiles.items()}
    ahead = turn.number - window[0].number - reading.earlier
    plays = [*stands[:ahead], *reading.plays]
    taken = {name for one in plays[:ahead] for name in one.tiles}
    if taken & {name for one in reading.plays for name in one.tiles}:
        return (), ()
    # What follows the turn in question is left to the camera until a turn has it.
    due = ahead + reading.earlier
    needed = [n for n, one in enumerate(plays) if n <= due or one.tiles.keys() & lie.keys()]
    follow = tuple(plays[needed[-1] + 1 :] if needed else ())
    plays = plays[: needed[-1] + 1] if needed else []
    if not plays:
        return (), ()
    plays = [
        replace(
            one,
            tiles={s: tile if one.came_off else lie.get(s, tile) for s, tile in one.tiles.items()},
            ended_ns=turn.press_ns
            if reading.going_on and one is reading.plays[-1]
            else one.ended_ns,
        )
        for one in plays
    ]
    if len(plays) == len(window):
        plays = [replace(p, ended_ns=t.press_ns) for p, t in zip(plays, window, strict=True)]
    whole = _with_the_rest(plays, window, stands, named)
    return tuple(_in_order(whole, window[-1].press_ns)), follow


def _with_the_rest(
    plays: list[PlayMade],
    window: tuple[Turn, ...],
    stands: tuple[PlayMade, ...],
    named: set[str],
) -> list[PlayMade]:
    """Return the plays with the tiles of the turns that no reading names."""
    assigned = {name for one in plays for name in one.tiles}
    for was, one in zip(window, stands, strict=True):
        left = {s: tile for s, tile in one.tiles.items() if s not in named and s not in assigned}
        at = next((n for n, p in enumerate(plays) if p.ended_ns >= was.press_ns), None)
        if at is None and (left or was.seen.ended is None):
            plays = [*plays, PlayMade(was.side, left, was.press_ns)]
        elif at is not None and left:
            plays[at] = replace(plays[at], tiles={**plays[at].tiles, **left})
    return plays


def _in_order(plays: list[PlayMade], last_ns: int) -> list[PlayMade]:
    """Return plays each of which ends after the one before, and the last one when it must."""
    found, so_far = [], min(plays[0].ended_ns, last_ns)
    for one in plays[:-1]:
        so_far = max(so_far, min(one.ended_ns, last_ns))
        found.append(replace(one, ended_ns=so_far))
    return [*found, replace(plays[-1], ended_ns=last_ns)]


def _around(state: GameState, turn: Turn) -> tuple[TurnReading, ...]:
    """Return what else a turn may have been in which nothing was laid between two plays of one.

    Both plays were one; or the second was the other player's.
    """
    if turn.tiles or not 1 < turn.number < len(state.turns):
        return ()
    before, after = state.turns[turn.number - 2], state.turns[turn.number]
    if before.kind != "play" or after.kind != "play" or before.side != after.side:
        return ()
    first, second = as_it_counts(before), as_it_counts(after)
    both = {**first.tiles, **second.tiles}
    symbols = {Square.parse(name): tile for name, tile in both.items()}
    found = [TurnReading((first, replace(second, side=other(second.side))), 1)]
    if is_play(before.before, symbols, state.rulebook.rack_tiles):
        found.insert(0, TurnReading((replace(second, tiles=both),), 1))
    return tuple(found)
