"""When plays that a ruling took off were lifted from the board, and whose arm was there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from game import events
from game.board import EMPTY
from game.referee.position import Turn
from record.story.changes import Changed
from record.story.clocks import ClockAccount
from record.story.event_wording import from_press, lasting
from record.story.places import Course


@dataclass(frozen=True, slots=True)
class TakenOff:
    """Tiles of a play, lifted from the board as it was ruled."""

    at_ns: int
    """When they were seen gone."""
    text: str


def taken_off(
    course: Course, changes: Sequence[Changed], clock: ClockAccount | None
) -> dict[int, tuple[TakenOff, ...]]:
    """Return when tiles came off as it was ruled, by the numbers of the turns that had laid them.

    These are the changes of the board that are not among ``changes``, which tell all others.
    """
    listed = {(one.event.from_ns, change) for one in changes for change in one.event.changes}
    newest = {
        (step.event.from_ns, one): step.event
        for step in course.steps
        if isinstance(step.event, events.BoardChanged)
        for one in step.event.changes
    }
    found: dict[tuple[int, int], tuple[Turn, events.BoardChanged, list[str]]] = {}
    for (from_ns, one), event in newest.items():
        turns = reversed(course.state.turns[: course.after(event.seen_ns)])
        turn = next((turn for turn in turns if one.square in turn.tiles), None)
        if turn is not None and one.showed == EMPTY and (from_ns, one) not in listed:
            *_, squares = found.setdefault((turn.number, from_ns), (turn, event, []))
            squares.append(one.square)
    by_turn: dict[int, tuple[TakenOff, ...]] = {}
    for turn, event, squares in found.values():
        off = TakenOff(event.seen_ns, _words(turn, event, squares, course, clock))
        by_turn[turn.number] = (*by_turn.get(turn.number, ()), off)
    return by_turn


def _words(
    turn: Turn,
    event: events.BoardChanged,
    squares: Sequence[str],
    course: Course,
    clock: ClockAccount | None,
) -> str:
    which = "the tiles" if {*squares} == turn.tiles.keys() else ", ".join(squares)
    first = lasting(abs(event.from_ns - turn.press_ns))
    first += " before" * (event.from_ns < turn.press_ns)
    end = "the press" if turn.pressed else "its end"
    stood = clock is not None and clock.ran(event.from_ns, event.seen_ns) == (None,)
    return (
        f"{which} of the play were taken off {first} to "
        f"{from_press(event.seen_ns - turn.press_ns, end)}, {course.arm(event.side)}"
        f"{'; both clocks stood' * stood}"
    )
