"""The sum of what overtime costs a player, with a line for each event that changed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from game.clock import shown
from game.events import SIDES, OvertimeErased, Side, TurnSeen
from game.state.end_events import OnTheEnd
from game.state.fold import GameState
from record.story.event_wording import number, signed
from record.story.flags import flag_words, is_overtime
from record.story.incident import Incident
from record.story.places import Course, Place
from record.story.turns import TurnStory


def overtimes(course: Course, turns: Sequence[TurnStory]) -> Iterator[Incident]:
    """Yield an incident for each player who ran out of time, with the sum of what it costs.

    Its lines are the changes of the cost, in order. Of the flags the newest count: those of the
    end, else of the last turn that ended in overtime.
    """
    last = course.state
    for side in SIDES:
        over = [
            (turn.number, one.flag)
            for turn in turns
            for one in turn.flags
            if one.flag and is_overtime(one.flag) and (one.flag.side or turn.turn.side) == side
        ]
        flags = [flag for flag in last.flags if is_overtime(flag) and flag.side == side]
        flags = flags or [flag for turn, flag in over if turn == over[-1][0]]
        lines = list(_lines(course, side))
        if not flags and not lines:
            continue
        if over:
            count = len({turn for turn, _ in over})
            ended = "1 turn" if count == 1 else f"{count} turns"
            lines.insert(0, f"over time when {ended} ended, first turn {over[0][0]}")
        outcome = "by the presses; what it costs in the end is among the points beside the turns"
        if last.status == "ended":
            outcome = f"= {number(_points(last, side))} beside the turns"
        place = Place(tuple(turn.number for turn in turns[-1:]), course.seen_ns)
        if course.over_ns is not None:
            place = Place((), course.over_ns)
        text = "; ".join(map(flag_words, flags)) or f"overtime of {course.names[side]}"
        yield Incident("overtime", place, text, outcome, lines=tuple(lines))


def _points(state: GameState, side: Side) -> int:
    """Return the points beside the turns that overtime brings a player: 0 or less."""
    kinds = ("overtime", "overtime_limit")
    return sum(one.points for one in state.adjustments if one.side == side and one.kind in kinds)


def _lines(course: Course, side: Side) -> Iterator[str]:
    """Yield a line for each event that changed what a player's overtime costs."""
    for step in course.steps:
        event = step.event
        was = 0 if step.before is None else _points(step.before, side)
        now = _points(step.after, side)
        if now == was and not (isinstance(event, OvertimeErased) and event.side == side):
            continue
        left = shown(step.after.clocks.remaining(side, step.t_ns))
        clock = f"the clock showed {left}" if now and not was else ""
        book, erased = step.after.rulebook, isinstance(event, OvertimeErased)
        rule = book.event_rule("overtime_erased") if erased else book.rule("overtime.points")
        found = (f"rule {rule}" if rule else "", step.by or "", f"event {step.number}")
        who = f" ({', '.join(filter(None, found))})"
        why = f". Why: {step.why}" if step.why and not isinstance(event, OnTheEnd) else ""
        what = course.words(step)
        if isinstance(event, TurnSeen):
            what = f"turn {course.after(event.press_ns)} ended"
        yield f"{signed(now - was)}: {'; '.join(filter(None, (what, clock)))}{who}{why}"
