"""The account of both clocks: whose ran at every moment, and why neither did."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, zip_longest
from typing import Final

from game import events
from game.referee.position import Turn
from game.state.clock_history import over_earlier_ns
from game.state.game_state import GameState
from game.terms import STOP_REASONS, StopReason
from record.story.entries import Step
from record.story.event_wording import Names
from record.story.places import Course, seen_ns

UNWATCHED: Final = "nobody watched the table"
"""The reason for a stop of both clocks while nobody watched."""
UNSTARTED: Final = "no clock had been started again"
"""The reason for the stop that follows, until a clock was started again."""

_NOT_BEGUN: Final = "the game had not begun"
_OVER: Final = "the game was over"
_THE_END: Final = "the end of the game"
"""The reason for a stop that nobody explained, if the game was over after it."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time during which one clock ran, or none."""

    from_ns: int
    until_ns: int
    side: events.Side | None
    """Whose clock ran; None while both stood."""
    turn: int = 0
    """The number of the last turn that had ended when the stretch began."""
    reason: str = ""
    """For a stop: its reason, if somebody entered one or the game shows one; for a clock that ran
    for the other player's turn: why."""
    explained: events.StopExplained | None = None
    """For a stop: the entry of its reason; None if nobody entered one."""

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

    side: events.Side
    added_ns: int
    at_ns: int
    """When the clock changed: not before what the table had seen by then."""
    entry: Step


@dataclass(frozen=True, slots=True)
class ClockAccount:
    """Both clocks from the start of the game to the last moment that the table saw.

    For each side, ``full_ns`` minus its stretches plus its changes is ``left_ns``.
    """

    full_ns: Mapping[events.Side, int]
    stretches: tuple[Stretch, ...]
    """Stretches without a gap between them."""
    changes: tuple[ClockChange, ...]
    left_ns: Mapping[events.Side, int]

    def ran(self, from_ns: int, until_ns: int) -> tuple[events.Side | None, ...]:
        """Return whose clock ran in a period, in order; None for a stop of both."""
        found = (one for one in self.stretches if one.from_ns < until_ns and one.until_ns > from_ns)
        return tuple(side for side, _ in groupby(found, key=lambda one: one.side))

    def ran_ns(self, side: events.Side | None, turn: Turn | None = None) -> int:
        """Return how long a clock ran, or neither did, in the game or while a turn was made."""
        return sum(
            one.length_ns
            for one in self.stretches
            if one.side == side and (turn is None or one.turn == turn.number - 1)
        )

    def changed_ns(self, side: events.Side) -> int:
        """Return the time added to a player's clock minus the time taken off."""
        return sum(one.added_ns for one in self.changes if one.side == side)

    def shown_ns(self, t_ns: int, *, changed: bool = True) -> dict[events.Side, int]:
        """Return what both clocks showed at a moment.

        With ``changed`` False, a change at that very moment has not been made yet.
        """
        shown = dict(self.full_ns)
        for run in self.stretches:
            if run.side is not None and run.from_ns < t_ns:
                shown[run.side] -= min(run.until_ns, t_ns) - run.from_ns
        for change in self.changes:
            if change.at_ns < t_ns or (changed and change.at_ns == t_ns):
                shown[change.side] += change.added_ns
        return shown


def clock_account(course: Course) -> ClockAccount | None:
    """Compute the account of both clocks from a game's events; None for a game without a clock."""
    first, *later = course.steps
    if not course.state.timed:
        return None
    line = _Line(first, course.names)
    for step in later:
        before, after = step.before, step.after
        assert before is not None
        if after.clocks != before.clocks or after.status != before.status:
            line.take(step)
    line.reach(course.seen_ns)
    left = {side: course.state.clocks.remaining(side, line.now_ns) for side in events.SIDES}
    stretches = _with_reasons((one for one in line.stretches if one.length_ns), course)
    return ClockAccount(line.full_ns, tuple(stretches), tuple(line.changes), left)


class _Line:
    """The time of both clocks, as it grows from event to event.

    An event that came late changes what was known: the line is then rewritten from its moment.
    """

    def __init__(self, first: Step, names: Names) -> None:
        self._names = names
        state, begun_ns = first.after, first.t_ns
        self.full_ns = {side: state.clocks.remaining(side, begun_ns) for side in events.SIDES}
        reason = _standing(state) or ""
        self.stretches = [Stretch(begun_ns, begun_ns, state.clocks.running, reason=reason)]
        self.changes: list[ClockChange] = []
        self._before_end: list[Stretch] = []
        """The stretches before an end for an earlier moment took time off: they hold again once
        that time counts again; empty if there is none."""

    @property
    def now_ns(self) -> int:
        """The end of the line so far."""
        return self.stretches[-1].until_ns

    def reach(self, t_ns: int) -> None:
        """Let the last stretch go on to a moment, if it is not past it."""
        last = self.stretches[-1]
        self.stretches[-1] = replace(last, until_ns=max(t_ns, last.until_ns))

    def take(self, step: Step) -> None:
        """Take the next event that bears on the clocks."""
        event, before, clocks = step.event, step.before, step.after.clocks
        assert before is not None
        if isinstance(event, events.TimeUnseen):
            self.reach(event.from_ns)
            self._begin(event.from_ns, None, UNWATCHED)
            self.reach(event.t_ns)
        if self._before_end and min(self._uncounted_ns(step.after).values()) < 0:
            self.stretches, self._before_end = self._before_end, []
            self._begin(self.now_ns, None)  # the clocks stand until somebody starts one
        self.reach(seen_ns(step))
        standing = _standing(step.after)
        if (over_ns := self._over_ns(step)) is not None:
            self._before_end = [*self.stretches]
            self._begin(over_ns, None, _OVER)
        elif standing is None:
            self._begin(clocks.since_ns or step.t_ns, clocks.running)
        elif standing == _standing(before):
            pass  # one clock ran, or both stood, and still do
        elif isinstance(event, events.Retracted) and self.stretches[-1].reason == _OVER:
            self._begin(self.stretches[-1].from_ns, None, self._taken_back(event))
        else:
            since_ns = before.clocks.since_ns or self.stretches[-1].from_ns
            self._begin(max(step.t_ns, since_ns), None, standing)
        for side in events.SIDES:
            if added_ns := step.after.added_ns[side] - before.added_ns[side]:
                at_ns = max(self.now_ns, step.t_ns)
                self.changes.append(ClockChange(side, added_ns, at_ns, step))

    def _uncounted_ns(self, state: GameState) -> dict[events.Side, int]:
        """Return how much longer each clock ran on the line than the state counts."""
        uncounted_ns = {
            side: left_ns - state.added_ns[side] - self.full_ns[side]
            for side, left_ns in state.clocks.remaining_ns.items()
        }
        for one in self.stretches:
            if one.side is not None:
                uncounted_ns[one.side] += one.length_ns
        return uncounted_ns

    def _over_ns(self, step: Step) -> int | None:
        """Return since when the game is over, if it had gone on after that; else None."""
        if _standing(step.after) != _OVER:
            return None
        begun = step.before is not None and step.before.status != "ended"
        over_ns = over_earlier_ns(step.after) if begun else None
        if over_ns is not None:
            return over_ns
        uncounted_ns = self._uncounted_ns(step.after)
        for one in reversed(self.stretches):
            if one.side is not None and (cut_ns := min(uncounted_ns[one.side], one.length_ns)) > 0:
                uncounted_ns[one.side] -= cut_ns
                over_ns = one.until_ns - cut_ns
        return over_ns

    def _taken_back(self, event: events.Retracted) -> str:
        """Return the reason for the stop that an end was until it was taken back."""
        ran = next((one.side for one in self.stretches[-2:-1]), None)
        had = f", when {self._names[ran]}'s clock ran" if ran else ""
        return f"event {event.event}, an end that was taken back{had}"

    def _begin(self, from_ns: int, side: events.Side | None, reason: str = "") -> None:
        """Let a clock run from a moment to the end of the line, or none."""
        last, now_ns = self.stretches[-1], self.now_ns
        if (last.side, last.reason) == (side, reason) and last.from_ns <= from_ns:
            return
        first = self.stretches[0].from_ns
        kept = [one for one in self.stretches if one.from_ns < from_ns]
        if kept:
            kept[-1] = replace(kept[-1], until_ns=min(kept[-1].until_ns, from_ns))
            first = kept[-1].until_ns
        self.stretches = [*kept, Stretch(first, now_ns, side, reason=reason)]


def _standing(state: GameState) -> str | None:
    """Return why both clocks stand; empty if the state does not show it, None if one runs."""
    if state.clocks.running is not None:
        return None
    if state.status == "waiting":
        return _NOT_BEGUN
    if state.status == "ended":
        return _OVER
    return UNSTARTED if state.progress.unseen_stop_ns is not None else ""


def _with_reasons(stretches: Iterable[Stretch], course: Course) -> Iterator[Stretch]:
    """Yield the stretches with their turns, each stop with the reason that is its own."""
    found = [one for whole in stretches for one in _parted(whole, course)]
    stops = [one for one in found if one.is_stop and not one.reason]
    reasons = _reasons(course.state, stops)
    for one, after in zip_longest(found, found[1:]):
        if one.from_ns in reasons:
            reason, why = reasons[one.from_ns]
            yield replace(one, reason=STOP_REASONS[reason], explained=why)
        elif after.reason == _OVER if after else one.until_ns == course.over_ns:
            yield replace(one, reason=one.reason or (_THE_END if one.is_stop else ""))
        else:
            yield one


def _parted(one: Stretch, course: Course) -> Iterator[Stretch]:
    """Yield a stretch, the run of a clock parted where a turn ended without a press."""
    ends = sorted({turn.press_ns for turn in course.state.turns})
    within = [at for at in ends if one.from_ns < at < one.until_ns and one.side is not None]
    for from_ns, until_ns in pairwise((one.from_ns, *within, one.until_ns)):
        turn, reason = course.after(from_ns), one.reason
        of = next(iter(course.state.turns[turn:]), None)
        if from_ns in within and of is not None and of.side != one.side:
            book = course.state.rulebook.name
            why = f"for no press was heard after turn {turn}; {book} gives no time back"
            reason = f"{course.names[of.side]}'s turn, {why}"
        yield replace(one, from_ns=from_ns, until_ns=until_ns, turn=turn, reason=reason)


def _reasons(
    state: GameState, stops: Sequence[Stretch]
) -> dict[int, tuple[StopReason, events.StopExplained | None]]:
    """Return the reason of each stop that has one, and its entry, by the moment of the stop.

    A stop in which a challenge was ruled on, or called, was for it, unless an entry says otherwise.
    Of a challenge that was ruled on at another time, it is the stop after the play. A challenge has
    one stop.
    """
    found: dict[int, tuple[StopReason, events.StopExplained | None]] = {}
    for number, rulings in state.ledger.rulings.items():
        own = [one for one in stops if one.turn == number]
        for at_ns, entry in rulings.explained.items():
            stop = _stop_of(own, entry.t_ns) if at_ns is None else _stop_of(stops, at_ns)
            if stop is not None:
                found[stop.from_ns] = entry.reason, entry
    free = [one for one in stops if one.from_ns not in found]
    for number, rulings in state.ledger.rulings.items():
        known = any(entry.reason == "challenge" for entry in rulings.explained.values())
        if rulings.ruled is not None and rulings.challenge_since(0) and not known:
            t_ns = rulings.challenged_ns or rulings.ruled.happened_ns
            within = [one for one in free if one.from_ns <= t_ns <= one.until_ns]
            stop = _stop_of(within or [one for one in free if one.turn == number], t_ns)
            if stop is not None:
                found[stop.from_ns] = "challenge", None
    return found


def _stop_of(stops: Sequence[Stretch], t_ns: int) -> Stretch | None:
    """Return the last stop by a moment, else the first after it; None if there is none."""
    by_then = [one for one in stops if one.from_ns <= t_ns]
    return by_then[-1] if by_then else next(iter(stops), None)
