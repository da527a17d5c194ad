"""The account of the clocks: whose time every second of a game was, and what changed a clock."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from game.events import SIDES, Side, StopExplained, TimeUnseen, TurnRuled
from game.state.game_state import GameState
from game.terms import STOP_REASONS
from record.story.entries import Entry, Step
from record.story.event_wording import describe_event

UNWATCHED: Final = "nobody watched the table"
"""Why both clocks stood in a time that nobody watched, and until a clock was started after it."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A time during which one clock ran, or none."""

    from_ns: int
    until_ns: int
    side: Side | None
    """Whose clock ran; None while both stood."""
    turn: int
    """How many turns had been seen when it began."""
    reason: str = ""
    """For a stop: its reason, if somebody entered it or the game shows it."""

    @property
    def length_ns(self) -> int:
        """How long it took."""
        return self.until_ns - self.from_ns


@dataclass(frozen=True, slots=True)
class ClockChange:
    """Something else than time that changed a clock."""

    side: Side
    added_ns: int
    entry: Entry
    text: str


@dataclass(frozen=True, slots=True)
class ClockAccount:
    """Both clocks from first to last.

    For each side ``full_ns`` less its stretches plus its changes is ``left_ns``.
    """

    full_ns: Mapping[Side, int]
    stretches: tuple[Stretch, ...]
    """They follow one another without a gap, from the game's start to its last event."""
    changes: tuple[ClockChange, ...]
    left_ns: Mapping[Side, int]
    at_press_ns: Mapping[int, Mapping[Side, int]]
    """Both clocks at each press that ended a turn, by the time of the press."""

    def ran_ns(self, side: Side) -> int:
        """How long a player's clock ran."""
        return sum(one.length_ns for one in self.stretches if one.side == side)

    def changed_ns(self, side: Side) -> int:
        """What was added to a player's clock, less what was taken off it."""
        return sum(one.added_ns for one in self.changes if one.side == side)

    @property
    def stopped_ns(self) -> int:
        """How long both clocks stood."""
        return sum(one.length_ns for one in self.stretches if one.side is None)


def clock_account(steps: Sequence[Step]) -> ClockAccount | None:
    """The account of a game's clocks; None for a game without a clock."""
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
        event = step.entry.event
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
                text = describe_event(step.entry.event, after.players)
                changes.append(ClockChange(side, added, step.entry, text))
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
    """How many turns had ended by then."""
    return sum(turn.press_ns <= t_ns for turn in state.turns)


def _run(
    stretches: list[Stretch], state: GameState, between_ns: tuple[int, int], turns: int
) -> None:
    """Add the time between two events; one clock's time since one press is one stretch."""
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
        return "the game had not begun"
    if state.status == "ended":
        return "the game was over"
    return UNWATCHED if state.progress.unseen_stop_ns is not None else ""


def _reason(event: StopExplained | TurnRuled) -> str:
    """Why the clock was stopped, by what was entered while it stood; empty if it does not tell."""
    if isinstance(event, StopExplained):
        return STOP_REASONS[event.reason]
    return STOP_REASONS["challenge"] if event.ruling.startswith("challenge_") else ""


def _explained(stretches: Sequence[Stretch], steps: Sequence[Step]) -> list[Stretch]:
    """The stretches, each stop with the reason that was entered for it last."""
    found = list(stretches)
    retracted = steps[-1].after.progress.retracted
    for step in sorted(steps, key=lambda one: isinstance(one.entry.event, StopExplained)):
        event = step.entry.event
        if not isinstance(event, StopExplained | TurnRuled) or step.entry.number in retracted:
            continue
        if not (reason := _reason(event)):
            continue
        stops = [
            at
            for at, one in enumerate(found)
            if one.side is None
            and one.turn >= event.turn
            and one.from_ns <= step.t_ns
            and (isinstance(event, StopExplained) or step.t_ns <= one.until_ns)
            and one.reason not in ("the game had not begun", "the game was over")
        ]
        if stops:
            found[stops[-1]] = replace(found[stops[-1]], reason=reason)
    return found
