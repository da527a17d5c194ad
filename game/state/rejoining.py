"""Where turns that are taken again come back to the course that was known: the rest is kept.

A ruling on a turn changes that turn, and often nothing later but the totals: an exchange that turns
out to be a pass, points for a challenge in vain. The turns after it are taken again only for as
long as they may come out otherwise. From the first position that differs from the known one in
nothing that a later turn looks at, the known positions are carried over, with the earlier turns and
the scores as they are now.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from game.events import (
    SIDES,
    PositionRestored,
    RackUnderdrawn,
    ScoreAgreed,
    Side,
    TilesFound,
)
from game.referee.position import Position, Turn, is_scoreless
from game.referee.turn_rulings import TurnRulings
from game.rulebooks.rulebook import Rulebook
from game.values import replace

TAKEN_OFF = frozenset({"challenge_upheld", "taken_back", "illegal_play", "illegal_play_unknown"})
"""Rulings by which tiles leave the board, be it after later turns."""

_LOOKS_BACK = (PositionRestored, RackUnderdrawn, ScoreAgreed, TilesFound)
"""Entries that change earlier turns, or set a score whatever it was."""

_NOTHING_PLAYED = frozenset({"exchange", "pass", "exchange_or_pass"})


def last_touched(number: int, before: TurnRulings, now: TurnRulings) -> int:
    """Return the last turn for which it matters what was ruled on a turn before and is now.

    The next two turns tell whether the play was challenged off, or had to be put right; later
    ones are taken in the light of rulings by which tiles leave the board.
    """
    late = [r.ruled_after for r in (before, now) if r.ruling in TAKEN_OFF]
    return max([number + 2, *late])


def carries_on(entries: Iterable[object]) -> bool:
    """True if what these entries do depends on nothing but the position before each."""
    return not any(isinstance(entry, _LOOKS_BACK) for entry in entries)


def rejoins(known: Position, now: Position, touched: int, book: Rulebook) -> bool:
    """True if all that follows comes out of a position as it came out of the known one.

    Args:
        known: the position as it was known.
        now: the same, taken again.
        touched: the last turn that new rulings touch (:func:`last_touched`).
        book: the rules in force.
    """
    number = len(now.turns)
    if number <= touched or number != len(known.turns):
        return False
    if replace(known, turns=(), scores=now.scores) != replace(now, turns=()):
        return False
    pairs = zip(known.turns, now.turns, strict=True)
    other = [pair for pair in pairs if pair[0] is not pair[1] and not _same(*pair)]
    last = max(touched, other[-1][1].number if other else 0)
    later = {turn.side for turn in now.turns[last:] if turn.kind != "undone"}
    if later != set(SIDES):
        return False  # a player's last turn may still be explained by the rack after it
    return all(_looks_alike(*pair, book) for pair in other)


def carried_over(
    known: Position, now: Position, rest: Sequence[Position]
) -> tuple[tuple[Position, ...], dict[Side, int]]:
    """Return the positions after ``known`` as they follow from ``now``, and the points between.

    Args:
        known: the position as it was known.
        now: the same, taken again.
        rest: the known positions that followed.
    """
    number = len(now.turns)
    more = {side: now.scores[side] - known.scores[side] for side in SIDES}
    last = now.turns[-1].total - known.turns[-1].total  # less where a total was agreed on since
    moved: dict[int, Turn] = {}
    positions = []
    for one in rest:
        later = one.turns[number - 1 :]  # what comes after a turn may still flag it
        for turn in later:
            if id(turn) not in moved:
                points = last if turn.number == number else more[turn.side]
                moved[id(turn)] = replace(turn, total=turn.total + points) if points else turn
        turns = now.turns[: number - 1] + tuple([moved[id(turn)] for turn in later])
        scores = {side: one.scores[side] + more[side] for side in SIDES}
        positions.append(replace(one, turns=turns, scores=scores))
    return tuple(positions), more


def _same(known: Turn, now: Turn) -> bool:
    """True if nothing but the total differs."""
    return replace(known, total=now.total) == now


def _looks_alike(known: Turn, now: Turn, book: Rulebook) -> bool:
    """True if a turn is the same for all later ones that do not directly follow."""
    kinds = {known.kind, now.kind}
    return (
        (len(kinds) == 1 or kinds <= _NOTHING_PLAYED)
        and is_scoreless(known, book) == is_scoreless(now, book)
        and bool(known.score) == bool(now.score)
        and (known.side, known.tiles, known.before) == (now.side, now.tiles, now.before)
        and (known.rack_count, known.bag_count) == (now.rack_count, now.bag_count)
        and known.illegal == now.illegal
    )
