"""What the hypotheses about a window say of its turns: which are sure, likely or asked about.

A recorded turn is amended by a correction, never taken back.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from game.board import EMPTY, Square
from game.events import BoardEnding, PlayMade, Side, TurnReading
from game.referee.position import Turn
from game.state.fold import GameState
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.findings import open_questions
from vision.tracking.parameters import LIKELY, SQUARE, SURE, TURN
from vision.tracking.turn_hypotheses import DecodedTurn, Hypothesis, TileEvent


@dataclass(frozen=True, slots=True)
class Decoded:
    """The open turns of the likeliest hypothesis; all but ``turns`` is about the first of them."""

    turns: tuple[DecodedTurn, ...] = ()
    """The turns that have ended and are not recorded."""
    sure: float = 1.0
    """The posterior probability that the recorded turns and the first of ``turns`` are right."""
    doubtful: frozenset[Square] = frozenset()
    """Squares that may hold a tile of the first turn, or be bare."""
    ended: BoardEnding | None = None
    """The evidence that the first turn has ended; None if its press is."""
    readings: tuple[TurnReading, ...] = ()
    """The ways to divide the first turn's tiles and those around it, the likeliest first; empty if
    there is only one."""
    maybe_ended: tuple[DecodedTurn, float] | None = None
    """If ``turns`` is empty: the likeliest turn that has ended by another hypothesis, with its
    posterior."""
    amended: tuple[ReadingCorrection, ...] = ()
    """Corrections of recorded turns."""
    guessed: bool = False
    """True if one of ``amended`` or ``added`` is only likely, not sure."""
    added: frozenset[Square] = frozenset()
    """Squares of tiles that were added to the last recorded play after its press."""


@dataclass(frozen=True)
class Posterior:
    """The hypotheses that continue the recorded turns, likeliest first; there is at least one."""

    fits: Sequence[Hypothesis]
    known: tuple[Turn, ...]
    """The recorded turns with which they begin."""
    new: Mapping[Square, TileEvent]
    """The tiles that belong to no recorded turn."""
    tiles: Mapping[Square, TileEvent]
    """These tiles and those of the recorded turns."""
    readable: Collection[Square]
    """The squares of new tiles whose letters are known."""
    seen_ns: int
    """Time until which the board was seen."""

    def decoded(
        self, state: GameState, over: BoardEnding | None, *, by_board: bool, needed: bool
    ) -> Decoded:
        """Return the open turns of the likeliest hypothesis, and how sure the first of them is.

        Args:
            state: the game with all recorded turns.
            over: the evidence that the last turn has ended, other than an answer to it.
            by_board: True without a clock.
            needed: True to amend recorded turns even if the amendment is only the likeliest, not
            sure.
        """
        fits, count = self.fits, len(self.known)
        best = fits[0].turns[count:]
        unsure = {square for square, event in self.new.items() if event.p < TURN.certain}
        begins = beginning(fits[0], count + 1, unsure)
        # What reads as a tile is never left out unasked.
        doubtful = {s for s in unsure - fits[0].tiles if self.new[s].p > TURN.unread}
        doubtful |= {s for s in unsure if 1 - SQUARE.sure < self._p_of(count, s) < SQUARE.sure}
        amended, added = self._amended(state, needed=needed), self._added(needed=needed)
        surely = self._amended(state, needed=False), self._added(needed=False)
        others = _others(fits, count + 1, unsure)
        return Decoded(
            best,
            sum(one.p for one in fits if beginning(one, count + 1, unsure) == begins),
            frozenset(doubtful),
            _ending(best, over, by_board=by_board),
            _readings(fits[0], others, count, self.tiles, self.seen_ns),
            None if best else _maybe_ended(fits, count),
            amended,
            (amended, added) != surely,
            added,
        )

    def _p_of(self, number: int, square: Square) -> float:
        """Return the probability that the tile on a square is of turn ``number``."""
        return sum(one.p for one in self.fits if _holds(one, number, square))

    def _amended(self, state: GameState, *, needed: bool) -> tuple[ReadingCorrection, ...]:
        """Return the corrections that add tiles to recorded turns, or take them away.

        Only sure corrections are made; if ``needed``, also those of the likeliest hypothesis.
        """
        asked = {square: turn.number for turn, square in open_questions(state)}
        found = []
        for square in self.readable:
            event = self.new[square]
            for number, was in enumerate(self.known):
                p = self._p_of(number, square)
                likeliest = needed and _holds(self.fits[0], number, square)
                if (p >= SURE and event.p >= SURE) or (likeliest and event.p >= LIKELY):
                    why = f"read only later, and is of turn {was.number}"
                    found.append(ReadingCorrection(was.number, square, event.symbol, why))
                elif p <= 1 - SURE and asked.get(square) == was.number and event.p >= SURE:
                    why = f"laid after turn {was.number} had ended"
                    found.append(ReadingCorrection(was.number, square, EMPTY, why))
        return tuple(sorted(found, key=lambda one: (one.turn, one.square)))

    def _added(self, *, needed: bool) -> frozenset[Square]:
        """Return the tiles that were surely added to the last of the recorded turns.

        If ``needed``, also those of the likeliest hypothesis.
        """
        if not self.known:
            return frozenset()
        ways = [(one.turns[len(self.known) - 1].added, one.p) for one in self.fits]
        best = ways[0][0]
        sure = sum(p for added, p in ways if added == best) >= SURE
        read = all(square in self.readable and self.new[square].p >= LIKELY for square in best)
        return best if read and (sure or needed) else frozenset()


def _ending(
    turns: Sequence[DecodedTurn], over: BoardEnding | None, *, by_board: bool
) -> BoardEnding | None:
    """Return the evidence that the first of some turns has ended; None: its press, or no turn.

    ``over`` is the evidence that the last of these turns has ended, other than an answer to it.
    """
    if not turns or turns[0].press_ns is not None:
        return None
    if by_board and any(not turn.tiles for turn in turns[:2]):
        return "player_placed_again"
    return over if len(turns) == 1 and over is not None else "opponent_placed"


def beginning(
    one: Hypothesis, number: int, unsure: Collection[Square]
) -> list[tuple[Side, frozenset[Square], frozenset[Square]]]:
    """Return the sides and squares of the first ``number`` turns, without ``unsure`` squares."""
    return [
        (turn.side, turn.tiles.difference(unsure), turn.added.difference(unsure))
        for turn in one.turns[:number]
    ]


def _holds(one: Hypothesis, number: int, square: Square) -> bool:
    return number < len(one.turns) and square in one.turns[number].tiles


def _maybe_ended(fits: Sequence[Hypothesis], count: int) -> tuple[DecodedTurn, float] | None:
    """Return the likeliest next turn to have ended, with its posterior; None if none has."""
    ended = [one for one in fits if len(one.turns) > count]
    if not ended:
        return None
    first = ended[0].turns[count]
    same = (one.p for one in ended if one.turns[count].tiles == first.tiles)
    return first, sum(same)


def _others(
    fits: Sequence[Hypothesis], number: int, unsure: Collection[Square]
) -> list[Hypothesis]:
    """Return the hypotheses between which and the likeliest one a question asks.

    Of those that differ in the first ``number`` turns, it asks about each that is not unlikely, and
    about the likeliest in any case; if none differs there, about the likeliest that differs later.
    """
    found: dict[int, tuple[Hypothesis, float]] = {}
    begins = [beginning(one, number, unsure) for one in fits]
    for one, turns in zip(fits, begins, strict=True):
        first = begins.index(turns)
        known, p = found.get(first, (one, 0.0))
        found[first] = known, p + one.p
    _, *others = found.values()
    if others:
        asked = [one for one, p in others if p > 1 - SQUARE.sure]
        return asked or [others[0][0]]
    whole = [beginning(one, sys.maxsize, unsure) for one in fits]
    return [one for one, turns in zip(fits, whole, strict=True) if turns != whole[0]][:1]


def _readings(
    best: Hypothesis,
    others: Sequence[Hypothesis],
    count: int,
    events: Mapping[Square, TileEvent],
    seen_ns: int,
) -> tuple[TurnReading, ...]:
    """Return the readings between which a question asks; none if there is only one.

    They begin with the first of the ``count`` recorded turns that differs.
    """
    if not others:
        return ()
    from_ = min(_alike(best, one, count) for one in others)
    return tuple(_reading(one, from_, count, events, seen_ns) for one in (best, *others))


def _alike(one: Hypothesis, another: Hypothesis, count: int) -> int:
    """Return how many of the first ``count`` turns have the same tiles."""
    pairs = zip(one.turns[:count], another.turns[:count], strict=False)
    same = takewhile(
        lambda pair: (pair[0].tiles, pair[0].added) == (pair[1].tiles, pair[1].added), pairs
    )
    return sum(1 for _ in same)


def _reading(
    one: Hypothesis, from_: int, count: int, events: Mapping[Square, TileEvent], seen_ns: int
) -> TurnReading:
    """Return a hypothesis as a ``TurnReading``, without the first ``from_`` turns."""

    def symbols(tiles: frozenset[Square]) -> dict[str, str]:
        # Of a square that is rather bare something else is asked.
        there = (s for s in sorted(tiles) if s in events and events[s].p > 0.5)
        return {square.name: events[square].symbol for square in there}

    plays = [
        PlayMade(
            turn.side,
            symbols(turn.tiles),
            turn.ended_ns if turn.press_ns is None else turn.press_ns,
            added=symbols(turn.added) or None,
        )
        for turn in one.turns[from_:]
    ]
    plays += [PlayMade(one.side, symbols(one.rest), seen_ns)] if one.rest else []
    return TurnReading(tuple(plays), min(count - from_, len(plays)), bool(one.rest))
