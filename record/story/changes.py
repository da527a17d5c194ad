"""The changes of the settled board between two presses, in words, each with the rule on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from game.board import EMPTY, Square
from game.events import BoardChanged, Side, SquareChange
from game.flags import label
from game.tile_symbols import spelled
from record.story.clocks import ClockAccount
from record.story.entries import Step
from record.story.event_wording import lasting
from record.story.places import Course, Place


@dataclass(frozen=True, slots=True)
class Changed:
    """A change of the settled board, described."""

    event: BoardChanged
    number: int
    """The number of the event."""
    place: Place
    text: str
    outcome: str
    rule: str
    """The rules on it, in words; empty if the text has none."""
    left: tuple[str, ...]
    """The squares of tiles that had stayed when their play came off."""


def changes_of(
    steps: Sequence[Step], course: Course, clock: ClockAccount | None
) -> tuple[Changed, ...]:
    """Return the changes of the settled board, in order."""
    return tuple(
        _described(step, step.event, course, clock)
        for step in steps
        if isinstance(step.event, BoardChanged)
    )


def _described(
    step: Step, event: BoardChanged, course: Course, clock: ClockAccount | None
) -> Changed:
    state, board = course.state, (step.before or course.state).board
    changes = event.changes
    left = tuple(one.square for one in changes if board[Square.parse(one.square)] == EMPTY)
    number = course.after(event.seen_ns)
    since_ns = state.turns[number - 1].press_ns if number else course.start_ns

    def span(from_ns: int, until_ns: int, by: Side | None) -> str:
        first, last = (lasting(max(0, at - since_ns)) for at in (from_ns, until_ns))
        since = f"the press of turn {number}" if number else "the start"
        arm = "whose arm is not to be seen" if by is None else f"{state.players[by]}'s arm there"
        return f"{first} to {last} after {since}, {arm}"

    stretches = () if clock is None else clock.stretches
    ran = next((one.side for one in reversed(stretches) if one.from_ns <= event.seen_ns), None)
    whose = "both clocks stood" if ran is None else f"{state.players[ran]}'s clock ran"
    outcome = "so it stayed" if left or not changes else "it lay so at the end of the turn"
    if event.back_from_ns is not None and event.back_ns is not None:
        outcome = f"as before again {span(event.back_from_ns, event.back_ns, event.back_by)}"
    codes = dict.fromkeys(_code(one, left) for one in changes)
    if event.side is not None and ran is not None and event.side != ran:
        codes["changed_out_of_turn"] = None
    rules = ((state.rulebook.guide(code).rule, label(code)) for code in codes)
    rule = "; ".join(f"{number}: {words}" for number, words in rules if number)
    return Changed(
        event,
        step.number,
        Place(course.touched(event.seen_ns, event.seen_ns), event.seen_ns),
        f"{'; '.join(_what(event, left))}: changed "
        f"{span(event.from_ns, event.seen_ns, event.side)}; {whose}",
        outcome,
        f"rule {rule}" if rule else "",
        left,
    )


def _what(event: BoardChanged, left: Sequence[str]) -> Iterator[str]:
    if event.moved is not None:
        yield (
            f"the board was moved by {event.moved:.1f} squares and turned by "
            f"{abs(event.turned or 0):.0f}°, with all tiles on their squares"
        )
    for one in event.changes:
        tile = spelled(one.was)
        if one.square in left:
            yield f"the {tile} on {one.square} had stayed when its play came off, and was taken off"
        elif one.askew:
            yield f"the {tile} on {one.square} was turned or pushed on its square"
        else:
            then = "nothing" if one.showed == EMPTY else spelled(one.showed)
            yield f"{one.square} showed {tile} and then {then}"


def _code(one: SquareChange, left: Sequence[str]) -> str:
    """Return the code of the flag that a change would get if a press showed it."""
    if one.askew:
        return "askew"
    if one.square in left:
        return "withdrawn_left"
    return "tile_removed" if one.showed == EMPTY else "tile_replaced"
