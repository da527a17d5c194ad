"""Decodes a window of tiles, presses and arms into turns, from scratch and without side effects.

The likelihood of a hypothesis (``vision.tracking.turn_hypotheses``) is the product of the
likelihoods of

* how the tiles of each turn lie: in one line, joined to earlier tiles (soft: any may be laid);
* when they were laid: each within its turn, one turn after another;
* whose arm was seen over them;
* the presses: one for each turn, after its last tile; one may be missing, late, double, wrong, or
  too early: before some tiles of the play, or before all.

A best-first search finds all hypotheses but the very unlikely (``TurnModel.unlikely``). Their
normalised likelihoods are the posterior: a turn that differs between hypotheses is in doubt.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush, nlargest
from math import exp, log
from typing import Final

import numpy as np

from game.board import Square
from game.events import SIDES, Side, other
from vision.tracking.parameters import TURN, TurnModel
from vision.tracking.tile_sets import TileSets
from vision.tracking.turn_hypotheses import (
    DecodedTurn,
    Hypothesis,
    Recorded,
    SideLikelihoods,
    Window,
)
from vision.tracking.turn_likelihoods import Partial, TurnLikelihoods

_MOST_PLAYS: Final = 4000
"""The most plays that one search tries. If a table is started amid a game, its tiles can be divided
in too many ways: the likeliest hypothesis found within this number counts."""

_Key = tuple[tuple[DecodedTurn, ...], Side, frozenset[Square]]


def decode(
    window: Window,
    readings: Sequence[tuple[float, SideLikelihoods]] = ((0.0, {}),),
    model: TurnModel = TURN,
) -> list[Hypothesis]:
    """Return the hypotheses about a window, likeliest first; their posteriors sum to 1.

    The list is empty if no hypothesis agrees with the recorded turns. ``readings`` are the ways to
    tell from the arms seen who laid each tile, each way with its log prior.
    """
    found: dict[_Key, float] = {}
    search = _Search(window, model)
    for log_p, hands in sorted(readings, key=lambda reading: -reading[0]):
        for key, score in search.scores(log_p, hands).items():
            found[key] = np.logaddexp(found.get(key, -np.inf), score)
    top = max(found.values(), default=0.0)
    weights = {key: exp(score - top) for key, score in found.items()}
    weights = {key: weight for key, weight in weights.items() if weight >= model.unlikely}
    total = sum(weights.values())
    hypotheses = [Hypothesis(*key, weight / total) for key, weight in weights.items()]
    return sorted(hypotheses, key=lambda one: (-round(one.p, 9), one.began))


class _Search:
    """Best-first search for hypotheses; branches that are much less likely are cut."""

    def __init__(self, window: Window, model: TurnModel) -> None:
        self._window, self._model = window, model
        self._sets = TileSets(window)
        self._fit = TurnLikelihoods(window, self._sets, model)
        self._tiles = [window.tiles[square] for square in self._sets.squares]
        self._recorded = [self._sets.bits(one.tiles) for one in window.recorded]
        self._best = -1e9
        self._least = log(model.unlikely)
        self._tried = 0
        self._found: dict[_Key, float] = {}

    def scores(self, log_p: float, hands: SideLikelihoods) -> dict[_Key, float]:
        """Return the log-likelihood of each hypothesis, for one way to tell who laid each tile."""
        window, self._found, self._tried = self._window, {}, 0
        self._fit.use(hands)
        sides = SIDES if window.side is None else (window.side,)
        queue: list[Partial] = []
        for side in sides:
            for lying, log_q in self._lying():
                start = log_p + log_q - log(len(sides))
                heappush(queue, Partial(start, (), side, lying, 0, 0, lying))
        while queue and queue[0].score >= self._best + self._least:
            partial = heappop(queue)
            self._close(partial)
            for following in self._next(partial):
                heappush(queue, following)
        return self._found

    def _lying(self) -> list[tuple[int, float]]:
        """Return the sets of tiles that may all be real, with the log prior of each set."""
        choices = [(0, 0.0)]
        for at, tile in enumerate(self._tiles):
            ways = [(1 << at, log(tile.p))] if tile.p > 0 else []
            if tile.p < self._model.certain:
                ways.append((0, log(1 - tile.p)))
            choices = [(bits | bit, q + more) for bits, q in choices for bit, more in ways]
            choices = nlargest(_MOST_PLAYS, choices, key=lambda choice: choice[1])
            least = choices[0][1] + self._least
            choices = [(bits, q) for bits, q in choices if q >= least]
        return choices

    def _close(self, partial: Partial) -> None:
        """Score a hypothesis in which no further turn has ended."""
        window, model = self._window, self._model
        if (window.over and partial.rest) or len(partial.turns) < len(window.recorded):
            return
        score = partial.score
        score += self._fit.log_stray(partial.presses, len(window.presses))
        rest = self._sets.set(partial.rest)
        if rest:
            score += self._fit.log_begun(partial.rest, partial)
            score += float(self._fit.laid_later(partial.rest, max(partial.ended - 1, 0))[0])
            score += self._fit.laid_by(partial.rest, partial.side)
            score += self._fit.log_unfinished(partial)
            # The first tile of a play may go on in another line.
            prior = model.hooked if len(rest) == 1 else model.continued
            score += self._fit.log_continued(partial, partial.rest, prior)
            score += 0.0 if len(rest) <= window.rack else log(model.too_many)
        key = partial.turns, partial.side, rest
        if score > self._found.get(key, -1e9):
            self._found[key] = score
            self._best = max(self._best, score)

    def _next(self, partial: Partial) -> Iterator[Partial]:
        """Yield the hypotheses with one more ended turn."""
        presses, model = self._window.presses, self._model
        unpressed = model.parted if self._window.unpressed is None else self._window.unpressed
        ways: list[tuple[int | None, float]] = [(None, log(unpressed))]
        ways += [
            (number, self._fit.log_stray(partial.presses, number))
            for number in range(partial.presses, len(presses))
            if presses[number].side == partial.side
        ]
        if len(partial.turns) < len(self._window.recorded):
            recorded = self._window.recorded[len(partial.turns)]
            ways = [way for way in ways if self._is_as_recorded(recorded, way[0])]
        for press, log_p in ways:
            score = partial.score + log_p
            if score < self._best + self._least or self._tried >= _MOST_PLAYS:
                continue
            for play in self._plays(partial):
                for added, log_q in self._additions(partial, play, press):
                    if score + log_q < self._best + self._least:
                        continue
                    following = self._ended(partial, play, press, score + log_q, added)
                    if following is not None:
                        yield following

    def _ended(
        self, partial: Partial, play: int, press: int | None, score: float, added: int
    ) -> Partial | None:
        """Return the hypothesis with one more turn, of this play and press; None if unlikely.

        ``added`` are the tiles that were added to the play after the press.
        """
        model, window = self._model, self._window
        rest = partial.rest & ~(play | added)
        recorded = len(partial.turns) < len(window.recorded)
        if press is None and not (rest or recorded):
            later = window.presses[partial.presses :]
            if not (play and (window.over or any(one.side != partial.side for one in later))):
                return None  # nothing shows that it has ended
        # What was added after a press is rare, and does not crowd out plays.
        self._tried += not added
        least = self._best + self._least
        if play | added:
            score += self._fit.log_how(partial, play | added, press)
        else:
            score += self._fit.log_nothing(press)
        if play:
            score += self._fit.laid_by(play, partial.side)
            score += self._fit.log_begun(play, partial) if score >= least else 0.0
        elif press is not None:
            score += self._fit.log_waited(window.presses[press].t_ns, partial)
        elif window.unpressed is not None:
            score += log(model.unnoticed)
        if score < least:
            return None  # nor do the times make it likelier
        at, fit = self._fit.end(partial.ended, play, rest, press)
        # The first press after the last tile ends a turn, not one that is double.
        passed = window.presses[partial.presses : press] if press is not None else ()
        ended_ns = self._fit.times[at]
        doubled = sum(one.side == partial.side and one.t_ns >= ended_ns for one in passed)
        score += doubled * log(model.stray) + fit
        if score < least:
            return None
        press_ns = None if press is None else window.presses[press].t_ns
        turn = DecodedTurn(
            partial.side, self._sets.set(play), ended_ns, press_ns, self._sets.set(added)
        )
        count = partial.presses if press is None else self._fit.pressed_again(press, added) + 1
        turns, side = (*partial.turns, turn), other(partial.side)
        return Partial(score, turns, side, rest, at, count, partial.lying)

    def _additions(
        self, partial: Partial, play: int, press: int | None
    ) -> Iterator[tuple[int, float]]:
        """Yield the sets of tiles that a player may have laid after the press, to end the play.

        Each comes with its log-likelihood. With what lay there at the press they make one play.
        What did is known for certain: it was in sight.
        """
        yield 0, 0.0
        recorded = self._window.recorded[len(partial.turns) :]
        if press is None or len(recorded) != 1 or not recorded[0].whole:
            return
        for added in self._sets.joined(partial.before, play, partial.rest & ~play):
            yield added, self._fit.log_added(added, partial, press)

    def _is_as_recorded(self, recorded: Recorded, press: int | None) -> bool:
        """True if ``press`` may be the one that ended a recorded turn.

        A turn recorded without a press may have ended by one that came after it was recorded.
        """
        if press is None or recorded.press_ns is None:
            return recorded.press_ns is None
        return self._window.presses[press].t_ns == recorded.press_ns

    def _plays(self, partial: Partial) -> tuple[int, ...]:
        """Return the sets of tiles that may be the next play.

        They are all plays in a line, the tiles that were laid first, all tiles, and none.
        """
        number, rest = len(partial.turns), partial.rest
        mine = self._recorded[number] if number < len(self._recorded) else 0
        if number < len(self._recorded) and self._window.recorded[number].whole:
            return (mine,)
        taken = sum(self._recorded[number + 1 :])
        if mine | taken:
            free = rest & ~(mine | taken)
            parts = {0, free, *self._sets.runs(free)}
            return tuple(mine | part for part in parts)
        found = {0, rest, *self._sets.joined(partial.before, 0, rest)}
        for when in ("by_ns", "after_ns"):
            times = {at: getattr(self._tiles[at], when) for at in self._sets.of(rest)}
            found |= {sum(1 << at for at in times if times[at] <= t) for t in times.values()}
        return tuple(found)
