"""The likelihood of each part of a hypothesis about a window.

Sets of tiles are bits (``vision.tracking.tile_sets``), presses and times are numbered.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import takewhile
from math import exp, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, neighbours
from game.events import SIDES, Side
from vision.tracking.parameters import TurnModel
from vision.tracking.tile_sets import TileSets
from vision.tracking.turn_hypotheses import (
    DecodedTurn,
    PressSeen,
    SideLikelihoods,
    TileEvent,
    Window,
)

_SECOND: Final = 1_000_000_000
_EDGE_NS: Final = 100_000_000
"""Time between two frames: when an interval begins and ends is known no more exactly."""

_BLOW_NS: Final = 500_000_000
"""Two presses less than this apart may be one blow on the clock."""

_ALIKE: Final = 1e-9
"""Sums of the same numbers in another order differ by less than this."""


@dataclass(frozen=True, slots=True)
class Partial:
    """A hypothesis up to its last ended turn; sets of tiles are bits."""

    score: float
    turns: tuple[DecodedTurn, ...]
    side: Side
    rest: int
    ended: int
    """The index in the search's times at which the last turn ended."""
    presses: int
    """The number of presses, the first ones in time, that the hypothesis accounts for."""
    lying: int
    """The tiles that this hypothesis takes for real ones."""

    @property
    def before(self) -> int:
        """The tiles of the ended turns."""
        return self.lying & ~self.rest

    def __lt__(self, other: Partial) -> bool:
        return self.score > other.score


class TurnLikelihoods:
    """The log-likelihoods of the turns of one window."""

    def __init__(self, window: Window, sets: TileSets, model: TurnModel) -> None:
        self._window, self._sets, self._model = window, sets, model
        tiles = [_since(window.tiles[square], window.began_ns) for square in sets.squares]
        self.times = sorted(
            {window.began_ns}
            | {t for tile in tiles for t in (tile.after_ns, tile.by_ns) if t > window.began_ns}
            | {press.t_ns for press in window.presses if press.t_ns > window.began_ns}
        )
        """The times at which a turn may have ended."""
        times = np.array(self.times)
        self._there = _there(tiles, times, model)
        self._by_ns = [tile.by_ns for tile in tiles]
        self._after_ns = [tile.after_ns for tile in tiles]
        groups: dict[tuple[int, int], int] = defaultdict(int)
        for at, tile in enumerate(tiles):
            groups[tile.after_ns, tile.by_ns] |= 1 << at
        self._group = [groups[tile.after_ns, tile.by_ns] for tile in tiles]
        self._groups = {
            bits: log(1 - exp(-max(by - after, _EDGE_NS) / _SECOND / model.visit_s))
            for (after, by), bits in groups.items()
        }
        self._log_later = np.log(1 - self._there)
        self._pressed = [self._log_pressed(press.t_ns, times) for press in window.presses]
        self._stray = [self._log_stray_press(press) for press in window.presses]
        moments = np.array([press.t_ns for press in window.presses], np.int64)
        self._begun = _there(tiles, moments, model).T
        # The same few sets of tiles are asked about again and again.
        often = self._weights, self._laid_in_turn, self.laid_later, self.end, self._laid_within
        for method in often:
            setattr(self, method.__name__, cache(method))

    def use(self, hands: SideLikelihoods) -> None:
        """Take another way to tell from the arms seen who laid each tile."""
        seen = np.array([hands.get(s, (0.0, 0.0)) for s in self._sets.squares]).reshape(-1, 2)
        self._hands = dict(zip(SIDES, seen.T.tolist(), strict=True))
        self._either = (np.logaddexp(seen[:, 0], seen[:, 1]) - log(2)).tolist()
        self.laid_by = cache(self._laid_by)

    def log_how(self, partial: Partial, play: int, press: int | None) -> float:
        """Return the log-likelihood of the number and the places of a turn's tiles."""
        model = self._model
        if play.bit_count() > min(self._window.rack, len(model.lengths)):
            return log(model.too_many)
        length = log(model.lengths[play.bit_count() - 1])
        misplaced = self._log_misplaced(partial, play, press)
        return length + misplaced + self.log_continued(partial, play, model.continued)

    def end(self, begun: int, play: int, rest: int, press: int | None) -> tuple[int, float]:
        """Return the index of a turn's likeliest end in the times, and its log-likelihood.

        The end is likely if it is later than time number ``begun``, at which the previous turn
        ended, later than the turn's tiles, and earlier than all other tiles and than its press.
        """
        fit = self._laid_in_turn(play, begun) + self.laid_later(rest, begun)
        fit = fit + sum(q for bits, q in self._groups.items() if bits & play and bits & rest)
        if press is not None:
            fit = fit + self._pressed[press][begun:]
            if rest:
                fit = fit + self._log_overtaken(press, self._sets.of(rest), passed=not play)
        # Of times that fit alike the first one: it leaves the others most room.
        at = int((fit >= fit.max() - _ALIKE).argmax())
        # What the others' times make of it is counted again where they are laid.
        return begun + at, float(fit[at])

    def _laid_in_turn(self, play: int, begun: int) -> NDArray[np.float64]:
        """Return the log-likelihood that a turn's tiles were laid in it, for each possible end."""
        mine = self._sets.of(play)
        before = self._there[mine, begun - 1][:, None] if begun else 0.0
        least = np.minimum(self._there[mine, begun:], self._model.mistimed)
        within = np.log(np.maximum(self._there[mine, begun:] - before, least))
        return np.asarray(self._weights(play) @ within)

    def laid_later(self, rest: int, begun: int) -> NDArray[np.float64]:
        """Return the log-likelihood that the other tiles were laid after a turn.

        One value for each time at which the turn may have ended.
        """
        return np.asarray(self._weights(rest) @ self._log_later[self._sets.of(rest), begun:])

    def _weights(self, bits: int) -> NDArray[np.float64]:
        """Return the weight of each tile's time as evidence.

        Tiles that came into sight together share the weight of one: one hand laid them.
        """
        return np.array([1 / (self._group[at] & bits).bit_count() for at in self._sets.of(bits)])

    def _log_pressed(self, press_ns: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the log-likelihood of a press, for each of these times as the end of its turn."""
        early_s = (times - press_ns) / _SECOND - self._model.latency_s
        return np.asarray(np.clip(-8.0 * np.maximum(early_s, 0.0), -12.0, 0.0))

    def log_nothing(self, press: int | None) -> float:
        """Return the log-likelihood that no tile of a turn was seen.

        Its player laid none, or laid them after the board was last seen.
        """
        seen_ns, nothing = self._window.seen_ns, self._model.nothing
        if press is None or seen_ns is None:
            return log(nothing)
        unseen_s = max(self._window.presses[press].t_ns - seen_ns, 0) / _SECOND
        return log(nothing + (1 - nothing) * self._laid_within(unseen_s))

    def log_unfinished(self, partial: Partial) -> float:
        """Return the log-likelihood of the places of the open turn's tiles."""
        model, rest = self._model, partial.rest
        if self._sets.makes_play(partial.before, rest):
            return 0.0
        more = self._sets.lines(rest) - 1
        if more:
            return more * log(model.misplaced)
        # What lies there for long, with nothing new beside it, is not being laid any more.
        last_ns, beside_ns = (
            max(self._by_ns[at] for at in self._sets.of(rest)),
            self._beside_ns(rest),
        )
        rested_s = 0.0 if beside_ns is None else max(beside_ns - last_ns, 0) / _SECOND
        going_on = exp(-rested_s / model.laying_s)
        return log(model.misplaced + (model.unfinished - model.misplaced) * going_on)

    def _log_misplaced(self, partial: Partial, play: int, press: int | None) -> float:
        """Return the log-likelihood of the places of an ended turn's tiles.

        If they form no play, more may have been laid beside them, on squares out of sight since.
        """
        model, lines = self._model, self._sets.lines(play)
        if self._sets.makes_play(partial.before, play):
            return 0.0
        seen_ns = self._beside_ns(play)
        if lines > 1 or press is None or seen_ns is None:
            return max(1, lines - 1) * log(model.misplaced)
        unseen_s = max(self._window.presses[press].t_ns - seen_ns, 0) / _SECOND
        return log(model.misplaced + (1 - model.misplaced) * self._laid_within(unseen_s))

    def _beside_ns(self, tiles: int) -> int | None:
        """Return the time at which all empty squares next to these tiles had last been seen.

        None if unknown.
        """
        seen = self._window.seen
        if seen is None:
            return None
        beside = {near for square in self._sets.set(tiles) for near in neighbours(square)}
        free = [s for s in beside - self._window.tiles.keys() if self._window.board[s] == EMPTY]
        return min((int(seen[near]) for near in free), default=sys.maxsize)

    def log_continued(self, partial: Partial, play: int, prior: float) -> float:
        """Return the log prior that a play continues the opponent's last one as a single play.

        ``prior`` is the probability that a play does; the result is 0 for a play that does not.
        """
        last = self._sets.bits(partial.turns[-1].tiles) if partial.turns else 0
        both = last | play
        if not (last and play) or both.bit_count() > self._window.rack:
            return 0.0
        continued = self._sets.makes_play(partial.before & ~last, both)
        return log(prior) if continued else 0.0

    def _log_overtaken(self, press: int, others: list[int], *, passed: bool) -> float:
        """Return the log-likelihood of a press when the opponent may have laid tiles before it."""
        model, begun = self._model, float(self._begun[press, others].max())
        begun_ns = min(self._by_ns[at] for at in others)
        waited_s = max((self._window.presses[press].t_ns - begun_ns) / _SECOND, 0.0)
        made_up = model.reminded * (self._window.unpressed or model.forgotten)
        late = model.overtaken * exp(-waited_s / model.overtaken_s) + made_up
        return log(1 - begun + begun * late * (model.unnoticed if passed else 1.0))

    def log_begun(self, play: int, partial: Partial) -> float:
        """Return the log-likelihood of the time from a turn's beginning to its first tile."""
        if not partial.turns and not self._window.board.symbols:
            return 0.0  # before the clock is started everybody thinks
        return self.log_waited(min(self._by_ns[at] for at in self._sets.of(play)), partial)

    def log_waited(self, done_ns: int, partial: Partial) -> float:
        """Return the log-likelihood that a player has laid a tile, or has passed, by ``done_ns``.

        The player's time starts at the press that ended the previous turn or, without one between
        that turn's end and ``done_ns``, at that turn's end.
        """
        before_ns = self.times[partial.ended]
        press_ns = (partial.turns[-1].press_ns if partial.turns else None) or 0
        began_ns = press_ns if before_ns < press_ns <= done_ns else before_ns
        return log(self._laid_within(max(done_ns - began_ns, _EDGE_NS) / _SECOND))

    def _laid_within(self, seconds: float) -> float:
        """Return the probability that a player lays a tile within ``seconds`` of being on turn."""
        model = self._model
        ready, thought = (
            (1 - exp(-seconds / pace_s)) ** 2 for pace_s in (model.reach_s, model.pace_s)
        )
        return model.prepared * ready + (1 - model.prepared) * thought

    def log_stray(self, first: int, end: int) -> float:
        """Return the log prior that these presses end no turn."""
        return sum(self._stray[first:end])

    def _log_stray_press(self, press: PressSeen) -> float:
        model = self._model
        if press.passed_on:
            return log(model.taken_back)
        apart = [abs(press.t_ns - one.t_ns) for one in self._window.presses if one is not press]
        return log(model.double if min(apart, default=_SECOND) <= _BLOW_NS else model.stray)

    def log_added(self, added: int, partial: Partial, press: int) -> float:
        """Return the log-likelihood that a player added these tiles to a play after the press.

        They were laid before the opponent's next press.
        """
        model, mine, presses = self._model, self._sets.of(added), self._window.presses
        following = (
            n for n in range(press + 1, len(presses)) if presses[n].side != presses[press].side
        )
        until = next(following, None)
        there = 1.0 if until is None else self._begun[until, mine]
        within = np.log(np.maximum(there - self._begun[press, mine], model.mistimed))
        first_ns = min(self._after_ns[at] for at in mine)
        waited_s = max(first_ns - presses[press].t_ns, 0) / _SECOND
        apart = sum(
            q for bits, q in self._groups.items() if bits & added and bits & partial.rest & ~added
        )
        again = self.pressed_again(press, added)
        made_up = model.reminded if again > press else 1 - model.reminded
        return (
            log(model.added)
            - waited_s / model.added_s
            + log(made_up)
            + self.log_stray(press + 1, again)
            + float(self._weights(added) @ within)
            + self.laid_by(added, partial.side)
            + apart
        )

    def pressed_again(self, press: int, added: int) -> int:
        """Return the press by which a player ends a play again to which tiles were added.

        If there is none, ``press`` itself.
        """
        presses = self._window.presses
        own = takewhile(
            lambda n: presses[n].side == presses[press].side, range(press, len(presses))
        )
        done_ns = max((self._by_ns[at] for at in self._sets.of(added)), default=sys.maxsize)
        return next((n for n in own if presses[n].t_ns >= done_ns), press)

    def _laid_by(self, play: int, side: Side) -> float:
        """Return the log-likelihood of the arms seen over a play, if ``side`` laid it.

        Either all arms seen over a play are evidence, or none is (``TurnModel.misseen``).
        """
        mine, misseen = self._sets.of(play), self._model.misseen
        seen, either = (
            sum([hands[at] for at in mine]) for hands in (self._hands[side], self._either)
        )
        return float(np.logaddexp(log(1 - misseen) + seen, log(misseen) + either))


def _since(tile: TileEvent, began_ns: int) -> TileEvent:
    """Return the tile with its interval cut to begin no earlier than ``began_ns``."""
    return replace(tile, after_ns=max(tile.after_ns, min(began_ns, tile.by_ns)))


def _there(
    tiles: Sequence[TileEvent], times: NDArray[np.int64], model: TurnModel
) -> NDArray[np.float64]:
    """Return the probability that each tile had been laid at each time: float64 (tiles, times).

    The small pictures, which time a tile, and the reading of a bare square err independently.
    """
    after = np.array([tile.after_ns for tile in tiles], np.float64).reshape(-1, 1)
    by = np.array([tile.by_ns for tile in tiles], np.float64).reshape(-1, 1)
    # A hand comes, lays the tile and leaves: it takes a part of a long interval.
    hand_ns = model.latency_s * _SECOND
    after = after + np.minimum(hand_ns, np.maximum(by - after - hand_ns, 0.0))
    share = np.clip((times[None, :] + _EDGE_NS - after) / (by - after + _EDGE_NS), 0.0, 1.0)
    bare = np.array([tile.bare_ns for tile in tiles], np.float64).reshape(-1, 1)
    misread = np.where(times[None, :] + _EDGE_NS < bare, 1 - model.certain, 1.0)
    return np.asarray(model.mistimed * misread + (1 - 2 * model.mistimed) * share)
