"""Decodes a window of tiles, presses and arms into turns, from scratch and without side effects.

A *window* is the evidence since a position that is certain: the tiles that have come, each with the
interval in which it was laid and the arms seen there, and the presses. A *hypothesis* divides the
window into turns. Players take turns; a turn has a side, tiles, an end, and at most one press;
tiles may be added to its play after the press; the tiles of the turn that has not ended are left
over. The likelihood of a hypothesis is the product of the likelihoods of

* how the tiles of each turn lie: in one line, joined to earlier tiles (soft: any may be laid);
* when they were laid: each within its turn, one turn after another;
* whose arm was seen over them;
* the presses: one for each turn, after its last tile; one may be missing, late, double, wrong, or
  too early: before some tiles of the play, or before all.

A best-first search finds all hypotheses but the very unlikely (``TurnModel.unlikely``). Their
normalised likelihoods are the posterior: a turn that differs between hypotheses is in doubt.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from heapq import heappop, heappush, nlargest
from math import exp, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, Board, Square, neighbours
from game.events import SIDES, Side, other
from game.plays.play import is_play
from vision.tracking.parameters import TURN, TurnModel

SideLikelihoods = Mapping[Square, tuple[float, float]]
"""For each tile, the log-likelihood of the arms seen over it if the left player laid it, and if the
right player did."""

_SECOND: Final = 1_000_000_000
_EDGE_NS: Final = 100_000_000
"""Time between two frames: when an interval begins and ends is known no more exactly."""

_BLOW_NS: Final = 500_000_000
"""Two presses less than this apart may be one blow on the clock."""

_ALIKE: Final = 1e-9
"""Sums of the same numbers in another order differ by less than this."""

_MOST_PLAYS: Final = 4000
"""The most plays that one search tries. If a table is started amid a game, its tiles can be divided
in too many ways: the likeliest hypothesis found within this number counts."""


@dataclass(frozen=True, slots=True)
class TileEvent:
    """A tile that has come to lie on a square."""

    symbol: str
    after_ns: int
    """The square was still bare at this time."""
    by_ns: int
    """The tile was first seen there at this time."""
    p: float = 1.0
    """Probability that a tile lies there at all, by the appearance of its square alone."""
    bare_ns: int = 0
    """The square was last read as bare for sure, in plain sight, at this time; 0 if never."""


@dataclass(frozen=True, slots=True)
class PressSeen:
    """A press of a player's button."""

    side: Side
    t_ns: int
    passed_on: bool = True
    """True if the presser's clock was running: the press stopped it and started the opponent's."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded turn: its press, if it had one, and the tiles that are surely its own."""

    side: Side
    tiles: frozenset[Square]
    press_ns: int | None
    whole: bool = False
    """True if it was in sight at its end: no other tile lay there then."""


@dataclass(frozen=True)
class Window:
    """The evidence since the last position that is certain."""

    board: Board
    """The board in that position."""
    side: Side | None
    """The side on turn in that position; None if unknown."""
    rack: int
    """The most tiles that a player can lay."""
    began_ns: int
    """Time at which the first turn after that position began."""
    tiles: Mapping[Square, TileEvent]
    presses: tuple[PressSeen, ...] = ()
    """The presses since that position, in the order of their times."""
    unpressed: float | None = None
    """Prior probability that a turn ends without a press; None without buttons."""
    seen_ns: int | None = None
    """Time at which the board was last seen: tiles laid later are unknown. None: it is in sight."""
    seen: NDArray[np.int64] | None = field(default=None, compare=False)
    """int64 (15, 15): the time at which each square was seen last. None: ``seen_ns`` for all."""
    recorded: tuple[Recorded, ...] = ()
    """The turns since that position that are recorded already."""
    over: bool = False
    """True if no more frames will come: the last turn has ended, too."""


@dataclass(frozen=True, slots=True)
class DecodedTurn:
    """A turn of a hypothesis."""

    side: Side
    tiles: frozenset[Square]
    ended_ns: int
    press_ns: int | None = None
    added: frozenset[Square] = frozenset()
    """Squares of tiles that the same player added to the play after the press."""


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A division of a window: the ended turns, the open turn's tiles, and its posterior."""

    turns: tuple[DecodedTurn, ...]
    side: Side
    """The side of the open turn."""
    rest: frozenset[Square]
    p: float

    @property
    def began(self) -> Side:
        """The side of the first turn."""
        return self.turns[0].side if self.turns else self.side

    @property
    def tiles(self) -> frozenset[Square]:
        """The squares of all tiles, of ended turns and of the open one."""
        return self.rest.union(*(turn.tiles | turn.added for turn in self.turns))


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


_Key = tuple[tuple[DecodedTurn, ...], Side, frozenset[Square]]


@dataclass(frozen=True, slots=True)
class _Partial:
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
    press_ns: int = 0
    """Time of the press of the last turn; 0 if it had none."""

    def __lt__(self, other: _Partial) -> bool:
        return self.score > other.score


class _Search:
    """Best-first search for hypotheses; branches that are much less likely are cut."""

    def __init__(self, window: Window, model: TurnModel) -> None:
        self._window, self._model = window, model
        self._squares = sorted(window.tiles)
        tiles = [_since(window.tiles[square], window.began_ns) for square in self._squares]
        self._times = sorted(
            {window.began_ns}
            | {t for tile in tiles for t in (tile.after_ns, tile.by_ns) if t > window.began_ns}
            | {press.t_ns for press in window.presses if press.t_ns > window.began_ns}
        )
        times = np.array(self._times)
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
        self._bits = {square: 1 << at for at, square in enumerate(self._squares)}
        self._recorded = [self._bits_of(one.tiles) for one in window.recorded]
        self._log_later = np.log(1 - self._there)
        self._pressed = [self._log_pressed(press.t_ns, times) for press in window.presses]
        self._stray = [self._log_stray_press(press) for press in window.presses]
        moments = np.array([press.t_ns for press in window.presses], np.int64)
        self._begun = _there(tiles, moments, model).T
        self._best = -1e9
        self._least = log(model.unlikely)
        self._tried = 0
        self._found: dict[_Key, float] = {}
        self._by_hands: dict[tuple[int, Side], float] = {}
        # The same few sets of tiles are asked about again and again.
        for method in (
            *(self._of, self._set, self._board, self._lines, self._makes_play, self._plays),
            *(self._weights, self._laid_in_turn, self._laid_later, self._laid_after, self._end),
            *(self._first_ns, self._laid_within, self._joined),
        ):
            setattr(self, method.__name__, cache(method))

    def scores(self, log_p: float, hands: SideLikelihoods) -> dict[_Key, float]:
        """Return the log-likelihood of each hypothesis, for one way to tell who laid each tile."""
        window, self._found, self._tried = self._window, {}, 0
        unknown = 0.0, 0.0
        seen = np.array([hands.get(square, unknown) for square in self._squares]).reshape(-1, 2)
        self._hands = dict(zip(SIDES, seen.T.tolist(), strict=True))
        self._either = (np.logaddexp(seen[:, 0], seen[:, 1]) - log(2)).tolist()
        self._by_hands.clear()
        sides = SIDES if window.side is None else (window.side,)
        queue: list[_Partial] = []
        for side in sides:
            for lying, log_q in self._lying():
                start = log_p + log_q - log(len(sides))
                heappush(queue, _Partial(start, (), side, lying, 0, 0, lying))
        while queue and queue[0].score >= self._best + self._least:
            partial = heappop(queue)
            self._close(partial)
            for following in self._next(partial):
                heappush(queue, following)
        return self._found

    def _lying(self) -> list[tuple[int, float]]:
        """Return the sets of tiles that may all be real, with the log prior of each set."""
        tiles = [self._window.tiles[square] for square in self._squares]
        choices = [(0, 0.0)]
        for at, tile in enumerate(tiles):
            ways = [(1 << at, log(tile.p))] if tile.p > 0 else []
            if tile.p < self._model.certain:
                ways.append((0, log(1 - tile.p)))
            choices = [(bits | bit, q + more) for bits, q in choices for bit, more in ways]
            choices = nlargest(_MOST_PLAYS, choices, key=lambda choice: choice[1])
            least = choices[0][1] + self._least
            choices = [(bits, q) for bits, q in choices if q >= least]
        return choices

    def _close(self, partial: _Partial) -> None:
        """Score a hypothesis in which no further turn has ended."""
        window, model = self._window, self._model
        if (window.over and partial.rest) or len(partial.turns) < len(window.recorded):
            return
        score = partial.score
        score += self._log_stray(partial.presses, len(window.presses))
        rest = self._set(partial.rest)
        if rest:
            score += self._log_begun(partial.rest, partial)
            score += self._laid_after(partial.rest, max(partial.ended - 1, 0))
            score += self._laid_by(partial.rest, partial.side)
            score += self._log_unfinished(partial)
            # The first tile of a play may go on in another line.
            prior = model.hooked if len(rest) == 1 else model.continued
            score += self._log_continued(partial, partial.rest, prior)
            score += 0.0 if len(rest) <= window.rack else log(model.too_many)
        key = partial.turns, partial.side, rest
        if score > self._found.get(key, -1e9):
            self._found[key] = score
            self._best = max(self._best, score)

    def _next(self, partial: _Partial) -> Iterator[_Partial]:
        """Yield the hypotheses with one more ended turn."""
        presses, model = self._window.presses, self._model
        unpressed = model.parted if self._window.unpressed is None else self._window.unpressed
        ways: list[tuple[int | None, float]] = [(None, log(unpressed))]
        ways += [
            (number, self._log_stray(partial.presses, number))
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
            for play in self._candidates(partial):
                for added, log_q in self._additions(partial, play, press):
                    if score + log_q < self._best + self._least:
                        continue
                    following = self._ended(partial, play, press, score + log_q, added)
                    if following is not None:
                        yield following

    def _ended(
        self, partial: _Partial, play: int, press: int | None, score: float, added: int
    ) -> _Partial | None:
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
            score += self._log_how(partial, play | added, press)
        else:
            score += self._log_nothing(press)
        if play:
            score += self._laid_by(play, partial.side)
            score += self._log_begun(play, partial) if score >= least else 0.0
        elif press is not None:
            score += self._log_waited(window.presses[press].t_ns, partial)
        elif window.unpressed is not None:
            score += log(model.unnoticed)
        if score < least:
            return None  # nor do the times make it likelier
        at, fit = self._end(partial.ended, play, rest, press)
        # The first press after the last tile ends a turn, not one that is double.
        passed = window.presses[partial.presses : press] if press is not None else ()
        doubled = sum(one.side == partial.side and one.t_ns >= self._times[at] for one in passed)
        score += doubled * log(model.stray) + fit
        last = press
        if added and press is not None:
            last, log_again = self._pressed_again(press, added)
            score += log_again
        if score < least:
            return None
        press_ns = None if press is None else window.presses[press].t_ns
        turn = DecodedTurn(
            partial.side, self._set(play), self._times[at], press_ns, self._set(added)
        )
        count = partial.presses if last is None else last + 1
        turns = (*partial.turns, turn)
        side, pressed_ns = other(partial.side), press_ns or 0
        return _Partial(score, turns, side, rest, at, count, partial.lying, pressed_ns)

    # --- likelihoods ---

    def _log_how(self, partial: _Partial, play: int, press: int | None) -> float:
        """Return the log-likelihood of the number and the places of a turn's tiles."""
        model = self._model
        if play.bit_count() > min(self._window.rack, len(model.lengths)):
            return log(model.too_many)
        length = log(model.lengths[play.bit_count() - 1])
        misplaced = self._log_misplaced(partial, play, press)
        return length + misplaced + self._log_continued(partial, play, model.continued)

    def _end(self, begun: int, play: int, rest: int, press: int | None) -> tuple[int, float]:
        """Return the index of a turn's likeliest end in the times, and its log-likelihood.

        The end is likely if it is later than time number ``begun``, at which the previous turn
        ended, later than the turn's tiles, and earlier than all other tiles and than its press.
        """
        fit = self._laid_in_turn(play, begun) + self._laid_later(rest, begun)
        fit = fit + sum(q for bits, q in self._groups.items() if bits & play and bits & rest)
        if press is not None:
            fit = fit + self._pressed[press][begun:]
            if rest:
                fit = fit + self._log_overtaken(press, self._of(rest), passed=not play)
        # Of times that fit alike the first one: it leaves the others most room.
        at = int((fit >= fit.max() - _ALIKE).argmax())
        # What the others' times make of it is counted again where they are laid.
        return begun + at, float(fit[at])

    def _laid_in_turn(self, play: int, begun: int) -> NDArray[np.float64]:
        """Return the log-likelihood that a turn's tiles were laid in it, for each possible end."""
        mine = self._of(play)
        before = self._there[mine, begun - 1][:, None] if begun else 0.0
        least = np.minimum(self._there[mine, begun:], self._model.mistimed)
        within = np.log(np.maximum(self._there[mine, begun:] - before, least))
        return np.asarray(self._weights(play) @ within)

    def _laid_later(self, rest: int, begun: int) -> NDArray[np.float64]:
        """Return the log-likelihood that the other tiles were laid after a turn.

        One value for each time at which the turn may have ended.
        """
        return np.asarray(self._weights(rest) @ self._log_later[self._of(rest), begun:])

    def _laid_after(self, rest: int, ended: int) -> float:
        """Return the log-likelihood that the open turn's tiles were laid after the last turn."""
        fit = np.log(np.maximum(1.0 - self._there[self._of(rest), ended], self._model.mistimed))
        return float(fit @ self._weights(rest))

    def _weights(self, bits: int) -> NDArray[np.float64]:
        """Return the weight of each tile's time as evidence.

        Tiles that came into sight together share the weight of one: one hand laid them.
        """
        return np.array([1 / (self._group[at] & bits).bit_count() for at in self._of(bits)])

    def _log_pressed(self, press_ns: int, times: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the log-likelihood of a press, for each of these times as the end of its turn."""
        early_s = (times - press_ns) / _SECOND - self._model.latency_s
        return np.asarray(np.clip(-8.0 * np.maximum(early_s, 0.0), -12.0, 0.0))

    def _log_nothing(self, press: int | None) -> float:
        """Return the log-likelihood that no tile of a turn was seen.

        Its player laid none, or laid them after the board was last seen.
        """
        seen_ns, nothing = self._window.seen_ns, self._model.nothing
        if press is None or seen_ns is None:
            return log(nothing)
        unseen_s = max(self._window.presses[press].t_ns - seen_ns, 0) / _SECOND
        return log(nothing + (1 - nothing) * self._laid_within(unseen_s))

    def _log_unfinished(self, partial: _Partial) -> float:
        """Return the log-likelihood of the places of the open turn's tiles."""
        model, rest = self._model, partial.rest
        if self._is_play(partial, rest):
            return 0.0
        more = self._lines(rest) - 1
        if more:
            return more * log(model.misplaced)
        # What lies there for long, with nothing new beside it, is not being laid any more.
        last_ns, beside_ns = max(self._by_ns[at] for at in self._of(rest)), self._beside_ns(rest)
        rested_s = 0.0 if beside_ns is None else max(beside_ns - last_ns, 0) / _SECOND
        going_on = exp(-rested_s / model.laying_s)
        return log(model.misplaced + (model.unfinished - model.misplaced) * going_on)

    def _log_misplaced(self, partial: _Partial, play: int, press: int | None) -> float:
        """Return the log-likelihood of the places of an ended turn's tiles.

        If they form no play, more may have been laid beside them, on squares out of sight since.
        """
        model, lines = self._model, self._lines(play)
        if self._is_play(partial, play):
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
        beside = {near for square in self._set(tiles) for near in neighbours(square)}
        free = [s for s in beside - self._bits.keys() if self._window.board[s] == EMPTY]
        return min((int(seen[near]) for near in free), default=sys.maxsize)

    def _log_continued(self, partial: _Partial, play: int, prior: float) -> float:
        """Return the log prior that a play continues the opponent's last one as a single play.

        ``prior`` is the probability that a play does; the result is 0 for a play that does not.
        """
        last = self._bits_of(partial.turns[-1].tiles) if partial.turns else 0
        both = last | play
        if not (last and play) or both.bit_count() > self._window.rack:
            return 0.0
        continued = self._makes_play(partial.lying & ~partial.rest & ~last, both)
        return log(prior) if continued else 0.0

    def _lines(self, tiles: int) -> int:
        """Return the least number of rows and columns that hold these tiles."""
        return _lines(sorted(self._set(tiles)))

    def _log_overtaken(self, press: int, others: list[int], *, passed: bool) -> float:
        """Return the log-likelihood of a press when the opponent may have laid tiles before it."""
        model, begun = self._model, float(self._begun[press, others].max())
        begun_ns = min(self._by_ns[at] for at in others)
        waited_s = max((self._window.presses[press].t_ns - begun_ns) / _SECOND, 0.0)
        made_up = model.reminded * (self._window.unpressed or model.forgotten)
        late = model.overtaken * exp(-waited_s / model.overtaken_s) + made_up
        return log(1 - begun + begun * late * (model.unnoticed if passed else 1.0))

    def _log_begun(self, play: int, partial: _Partial) -> float:
        """Return the log-likelihood of the time from a turn's beginning to its first tile."""
        if not partial.turns and not self._window.board.symbols:
            return 0.0  # before the clock is started everybody thinks
        return self._log_waited(self._first_ns(play), partial)

    def _log_waited(self, done_ns: int, partial: _Partial) -> float:
        """Return the log-likelihood that a player has laid a tile, or has passed, by ``done_ns``.

        The player's time starts at the press that ended the previous turn or, without one between
        that turn's end and ``done_ns``, at that turn's end.
        """
        before_ns = self._times[partial.ended]
        began_ns = partial.press_ns if before_ns < partial.press_ns <= done_ns else before_ns
        return log(self._laid_within(max(done_ns - began_ns, _EDGE_NS) / _SECOND))

    def _first_ns(self, play: int) -> int:
        """Return the time at which the first of these tiles was first seen."""
        return min(self._by_ns[at] for at in self._of(play))

    def _laid_within(self, seconds: float) -> float:
        """Return the probability that a player lays a tile within ``seconds`` of being on turn."""
        model = self._model
        ready, thought = (
            (1 - exp(-seconds / pace_s)) ** 2 for pace_s in (model.reach_s, model.pace_s)
        )
        return model.prepared * ready + (1 - model.prepared) * thought

    def _log_stray(self, first: int, end: int) -> float:
        """Return the log prior that these presses end no turn."""
        return sum(self._stray[first:end])

    def _log_stray_press(self, press: PressSeen) -> float:
        model = self._model
        if press.passed_on:
            return log(model.taken_back)
        apart = [abs(press.t_ns - one.t_ns) for one in self._window.presses if one is not press]
        return log(model.double if min(apart, default=_SECOND) <= _BLOW_NS else model.stray)

    def _additions(
        self, partial: _Partial, play: int, press: int | None
    ) -> Iterator[tuple[int, float]]:
        """Yield the sets of tiles that a player may have laid after the press, to end the play.

        Each comes with its log-likelihood. With what lay there at the press they make one play.
        What did is known for certain: it was in sight.
        """
        yield 0, 0.0
        recorded = self._window.recorded[len(partial.turns) :]
        if press is None or len(recorded) != 1 or not recorded[0].whole:
            return
        for added in self._joined(partial.lying & ~partial.rest, play, partial.rest & ~play):
            yield added, self._log_added(added, partial, press)

    def _joined(self, before: int, play: int, rest: int) -> tuple[int, ...]:
        """Return the runs of tiles of ``rest`` that make one play together with ``play``."""
        runs = {*_runs([(at, self._squares[at]) for at in self._of(rest)])}
        return tuple(run for run in sorted(runs) if self._makes_play(before, play | run))

    def _log_added(self, added: int, partial: _Partial, press: int) -> float:
        """Return the log-likelihood that a player added these tiles to a play after the press.

        They were laid before the opponent's next press.
        """
        model, mine, presses = self._model, self._of(added), self._window.presses
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
        return (
            log(model.added)
            - waited_s / model.added_s
            + float(self._weights(added) @ within)
            + self._laid_by(added, partial.side)
            + apart
        )

    def _pressed_again(self, press: int, added: int) -> tuple[int, float]:
        """Return the press by which a player ends again a play to which tiles were added.

        If there is none, ``press`` itself. It comes with the log-likelihood of the player's presses
        since ``press``.
        """
        presses, done_ns = self._window.presses, max(self._by_ns[at] for at in self._of(added))
        for number in range(press + 1, len(presses)):
            one = presses[number]
            if one.side != presses[press].side:
                break
            if one.t_ns >= done_ns:
                again = self._log_stray(press + 1, number) + log(self._model.reminded)
                return number, again
        return press, log(1 - self._model.reminded)

    def _laid_by(self, play: int, side: Side) -> float:
        """Return the log-likelihood of the arms seen over a play, if ``side`` laid it.

        Either all arms seen over a play are evidence, or none is (``TurnModel.misseen``).
        """
        known = self._by_hands.get((play, side))
        if known is None:
            mine, misseen = self._of(play), self._model.misseen
            seen, either = (
                sum([hands[at] for at in mine]) for hands in (self._hands[side], self._either)
            )
            known = float(np.logaddexp(log(1 - misseen) + seen, log(misseen) + either))
            self._by_hands[play, side] = known
        return known

    # --- plays ---

    def _is_as_recorded(self, recorded: Recorded, press: int | None) -> bool:
        """True if ``press`` may be the one that ended a recorded turn.

        A turn recorded without a press may have ended by one that came after it was recorded.
        """
        if press is None or recorded.press_ns is None:
            return recorded.press_ns is None
        return self._window.presses[press].t_ns == recorded.press_ns

    def _candidates(self, partial: _Partial) -> tuple[int, ...]:
        """Return the sets of tiles that may be the next play."""
        number = min(len(partial.turns), len(self._recorded))
        return self._plays(partial.rest, partial.lying, number)

    def _plays(self, rest: int, lying: int, number: int) -> tuple[int, ...]:
        """Return the sets of tiles that may be the play of turn ``number``, as bits.

        They are all plays in a line, the tiles that were laid first, all tiles, and none. ``rest``
        are the tiles that no turn has yet; ``lying`` are all tiles taken for real ones.
        """
        mine = self._recorded[number] if number < len(self._recorded) else 0
        if number < len(self._recorded) and self._window.recorded[number].whole:
            return (mine,)
        taken = sum(self._recorded[number + 1 :])
        if mine | taken:
            free = rest & ~(mine | taken)
            parts = {0, free, *(1 << at for at in self._of(free))}
            parts |= set(_runs([(at, self._squares[at]) for at in self._of(free)]))
            return tuple(mine | part for part in parts)
        squares = self._of(rest)
        runs = _runs([(at, self._squares[at]) for at in squares])
        found = {0, rest, *(run for run in runs if self._makes_play(lying & ~rest, run))}
        tiles = self._window.tiles
        for when in ("by_ns", "after_ns"):
            times = {at: getattr(tiles[self._squares[at]], when) for at in squares}
            found |= {sum(1 << at for at in times if times[at] <= t) for t in times.values()}
        return tuple(found)

    def _is_play(self, partial: _Partial, play: int) -> bool:
        """True if these tiles form a play on the board as it is after the turns that have ended."""
        return self._makes_play(partial.lying & ~partial.rest, play)

    def _makes_play(self, before: int, play: int) -> bool:
        """True if the tiles of ``play`` form a play on the certain board with ``before`` added."""
        tiles = self._window.tiles
        placed = {square: tiles[square].symbol for square in self._set(play)}
        return is_play(self._board(before), placed, self._window.rack)

    def _board(self, before: int) -> Board:
        """Return the certain board with the window's tiles ``before`` added."""
        tiles = self._window.tiles
        return self._window.board.replace({s: tiles[s].symbol for s in self._set(before)})

    def _bits_of(self, squares: Collection[Square]) -> int:
        return sum(self._bits[square] for square in squares if square in self._bits)

    def _of(self, bits: int) -> list[int]:
        return [at for at in range(len(self._squares)) if bits >> at & 1]

    def _set(self, bits: int) -> frozenset[Square]:
        return frozenset(self._squares[at] for at in self._of(bits))


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


def _runs(squares: Sequence[tuple[int, Square]]) -> Iterator[int]:
    """Yield the runs of squares in each row and column, as bits."""
    for across in (True, False):
        lines: dict[int, list[int]] = defaultdict(list)
        for at, square in squares:
            lines[square.row if across else square.col].append(at)
        for line in lines.values():
            for start in range(len(line)):
                bits = 0
                for at in line[start:]:
                    bits |= 1 << at
                    yield bits


def _lines(squares: Sequence[Square]) -> int:
    """Return the least number of rows and columns that hold these squares, at most 4."""

    def held(left: Sequence[Square], count: int) -> bool:
        if not left:
            return True
        row, col = left[0]
        return count > 0 and (
            held([one for one in left if one.row != row], count - 1)
            or held([one for one in left if one.col != col], count - 1)
        )

    return next((count for count in (1, 2, 3) if held(squares, count)), 4)


def in_line(squares: Collection[Square]) -> bool:
    """True if these squares are all in one row or column."""
    return len({s.row for s in squares}) <= 1 or len({s.col for s in squares}) <= 1
