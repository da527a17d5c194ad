"""The likely ways to divide tiles into turns, each as an event that records it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from game.board import Square
from game.errors import TilewatchError
from game.events import PlayMade, PlaysAssigned, TurnReading, TurnRuled, check_event, other
from game.plays.play import in_lines, is_play
from game.referee.plays_in_words import GOING_ON, as_it_counts, in_words, is_whole
from game.referee.position import Turn
from game.state.game_state import GameState
from game.state.restructuring import require_assignable

_ON_BOARD: Final = frozenset({"play", "no_score", "not_known", "exchange_or_pass", "pass"})
"""Kinds of turns whose tiles, if they have any, still lie on the board."""

Found = tuple[str, str, PlaysAssigned | TurnRuled]
"""An answer's name, its words, and its event."""


def likely_plays(state: GameState, turn: Turn, why: str) -> Iterator[Found]:
    """Yield the likely ways to divide the tiles of a turn, and of the turns around it, into plays.

    The first is how the tiles count now. Tiles that a reading gives to a later turn, and that no
    turn has yet, are left to that turn.
    """
    likely = turn.seen.readings or _around(state, turn)
    if not likely:
        return
    earlier = max(one.earlier for one in likely)
    every_play = [play for one in likely for play in one.plays]
    named = {name for play in every_play for name in (*play.tiles, *(play.added or ()))}
    first = turn.number - earlier
    if first < 1:
        return
    last = turn.number
    for later in state.turns[turn.number :]:
        if named & later.tiles.keys() or any(_ends_with(one, turn, later) for one in likely):
            last = later.number
    if not turn.tiles and last == turn.number < len(state.turns):
        last += 1  # the turn after one in which nothing was laid tells whose that was
    window = state.turns[first - 1 : last]
    if any(one.kind not in _ON_BOARD for one in window):
        return
    stands = tuple(as_it_counts(one) for one in window)
    before = window[0].before
    ways = [_fitted(one, turn, window, stands, named) for one in likely]
    if last < len(state.turns):  # what followed has been recorded since
        ways = [(plays, ()) for plays, _ in ways]
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
        if not _can_be(state, event):
            continue
        yield f"reading{number}" if number else "stands", text, event
    if turn.number == len(state.turns) and any(_goes_on(one, turn) for one in likely):
        words = in_words([as_it_counts(turn)], turn.before, state.players, whole=False)
        undone = TurnRuled(turn.number, "undone", "", why, 0)
        yield "going_on", f"{words}{GOING_ON}: the press ended no turn", undone


def _can_be(state: GameState, event: PlaysAssigned) -> bool:
    """True if the event can be entered."""
    try:
        check_event(event)
        require_assignable(state, event)
    except TilewatchError:
        return False
    return True


def _goes_on(reading: TurnReading, turn: Turn) -> bool:
    """True if by this reading the turn's tiles are its player's play, which has not ended."""
    last = reading.plays[-1:]
    same = any((one.side, one.tiles.keys()) == (turn.side, turn.tiles.keys()) for one in last)
    return same and reading.going_on and len(reading.plays) == reading.earlier + 1


def _same(plays: tuple[PlayMade, ...]) -> tuple[tuple[object, ...], ...]:
    """Return a key to compare plays: by all but their symbols and when they ended."""
    return tuple(
        (one.side, frozenset(one.tiles), one.came_off, frozenset(one.added or ())) for one in plays
    )


def _fitted(
    reading: TurnReading,
    turn: Turn,
    window: tuple[Turn, ...],
    stands: tuple[PlayMade, ...],
    named: set[str],
) -> tuple[tuple[PlayMade, ...], tuple[PlayMade, ...]]:
    """Return the plays that replace the window's turns, and the reading's plays of later turns.

    Two empty tuples if the reading contradicts those turns. A tile that no reading names stays with
    its turn.
    """
    lie = {name: tile for one in stands for name, tile in one.tiles.items()}
    ahead = turn.number - window[0].number - reading.earlier
    plays = [*stands[:ahead], *reading.plays]
    taken = {name for one in plays[:ahead] for name in one.tiles}
    if taken & {name for one in reading.plays for name in one.tiles}:
        return (), ()
    until = window[-1].press_ns
    # What follows the turn in question is left to the camera until a turn has it.
    latest = reading.plays[-1].ended_ns if reading.going_on else until
    due = ahead + reading.earlier
    needed = [
        n
        for n, one in enumerate(plays)
        if n <= due
        or one.tiles.keys() & lie.keys()
        or (one.ended_ns <= until and not (reading.going_on and n == len(plays) - 1))
    ]
    follow = tuple(plays[needed[-1] + 1 :] if needed else ())
    plays = plays[: needed[-1] + 1] if needed else []
    if not plays:
        return (), ()
    plays = [
        replace(
            one,
            tiles={s: tile if one.came_off else lie.get(s, tile) for s, tile in one.tiles.items()},
            ended_ns=_end(reading, turn, window)
            if one is reading.plays[-1]
            else min(one.ended_ns, latest),
        )
        for one in plays
    ]
    if len(plays) == len(window):
        plays = [replace(p, ended_ns=t.press_ns) for p, t in zip(plays, window, strict=True)]
    whole = _with_the_rest(list(plays), window, stands, named)
    if any(_is_scattered(one, part) for one, part in zip(whole, plays, strict=False)):
        return (), ()  # what was recorded since shows that it was not so
    return tuple(_in_order(whole, window[-1].press_ns)), follow


def _ends_with(reading: TurnReading, turn: Turn, later: Turn) -> bool:
    """True if a play of a reading of ``turn`` is the play of a later turn, or a part of it.

    The two have the same player and the same end; or the reading's last play had not ended, and the
    later turn is the next one, of the same player.
    """
    plays = reading.plays
    if reading.going_on and later.number == turn.number + 1 and later.side == plays[-1].side:
        return later.kind in _ON_BOARD
    ended = {
        (one.side, one.ended_ns)
        for n, one in enumerate(plays[: len(plays) - reading.going_on])
        if all(one.ended_ns <= after.ended_ns for after in plays[n:])
    }
    return later.kind in _ON_BOARD and (later.side, later.press_ns) in ended


def _end(reading: TurnReading, turn: Turn, window: tuple[Turn, ...]) -> int:
    """Return when the last play of a turn's reading ended."""
    if not reading.going_on:
        return reading.plays[-1].ended_ns
    following = window[turn.number - window[0].number :][1:2]
    return (following if following and _ends_with(reading, turn, following[0]) else (turn,))[
        0
    ].press_ns


def _is_scattered(whole: PlayMade, part: PlayMade) -> bool:
    """True if the tiles of ``part`` are in one line, and those of ``whole`` are not."""
    first, both = ([Square.parse(name) for name in one.tiles] for one in (part, whole))
    return 0 < len(first) < len(both) and in_lines(first, 1) and not in_lines(both, 1)


def _with_the_rest(
    plays: list[PlayMade],
    window: tuple[Turn, ...],
    stands: tuple[PlayMade, ...],
    named: set[str],
) -> list[PlayMade]:
    """Return the plays with the tiles added that no reading names.

    Such a tile goes to the play that ended with its turn, else to the same player's next play.
    """
    assigned = {name for one in plays for name in one.tiles}
    for was, one in zip(window, stands, strict=True):
        left = {s: tile for s, tile in one.tiles.items() if s not in named and s not in assigned}
        later = [n for n, p in enumerate(plays) if p.ended_ns >= was.press_ns]
        own = [n for n in later if plays[n].side == was.side or plays[n].ended_ns == was.press_ns]
        if not later and (left or was.seen.ended is None):
            if plays[-1].side != was.side:
                plays = [*plays, PlayMade(was.side, {}, was.press_ns)]
            later = own = [len(plays) - 1]
            plays[-1] = replace(plays[-1], ended_ns=was.press_ns)
        if left:
            at = (own or later)[0]
            plays[at] = replace(plays[at], tiles={**plays[at].tiles, **left})
    return plays


def _in_order(plays: list[PlayMade], last_ns: int) -> list[PlayMade]:
    """Return the plays with ends in order, the last of them at ``last_ns``."""
    found, so_far = [], min(plays[0].ended_ns, last_ns)
    for one in plays[:-1]:
        so_far = max(so_far, min(one.ended_ns, last_ns))
        found.append(replace(one, ended_ns=so_far))
    return [*found, replace(plays[-1], ended_ns=last_ns)]


def _around(state: GameState, turn: Turn) -> tuple[TurnReading, ...]:
    """Return other readings of a turn without tiles between two plays of the same player.

    Both plays were one play; or the second play was the opponent's.
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
