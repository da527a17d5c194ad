"""Who made an entry, how late, and on whose word alone it rests."""

from __future__ import annotations

from typing import Final

from game import events
from record.story.decisions import Decision
from record.story.event_wording import lasting
from record.story.places import Course

_BY_WORD: Final = (
    events.BlankDesignated,
    events.ClockAdjusted,
    events.ClockStartedInError,
    events.DrawDelayed,
    events.HoldCalled,
    events.PlayAccepted,
    events.RackReported,
    events.ScoreAgreed,
    events.TilesFound,
)
"""The entries about what no picture of the board can show."""

_LATE_NS: Final = 60_000_000_000
"""The delay of an entry from which it is said."""


def entered_by(one: Decision, course: Course) -> str:
    """Return who made an entry and how late, and if it rests on that alone; empty if nobody did."""
    name, after = one.entry.by, course.after(one.entered_ns)
    late_ns = 0 if one.happened_ns is None else one.entered_ns - one.happened_ns
    later = f", {lasting(late_ns)} later" if late_ns > 0 else ""
    if one.place.named and one.turns and after > one.turns[-1]:
        later += f", when turn {after} had ended"
    if not name:
        return ""
    if (ns := course.late_ns(course.steps[one.entry.number - 1])) >= _LATE_NS:
        time = "time of the turn" if one.turns else "end of the game"
        later += f", {lasting(ns)} after the {time}"
    word = isinstance(one.entry.event, _BY_WORD) and name != events.CAMERA
    alone = f", on {name}'s word: no picture shows it" if word else ""
    return f" (entered by {name}{later}){alone}"
