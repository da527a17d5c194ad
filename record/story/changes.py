"""The changes of the settled board between two presses, in words, each with the rule on it.

Tiles that came off by a ruling before the clock went on are no such changes: when they did, and
whose arm was there, is told with the ruling.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from game import events
from game.board import EMPTY, UNREADABLE, Square, neighbours
from game.flags import Flag, label, make_flag
from game.referee.position import Turn
from game.rulebooks.judging import judge
from game.state.ledger import TAKEN_OFF
from game.tile_symbols import spelled
from record.story.clocks import ClockAccount
from record.story.event_wording import describe_event, from_press, lasting
from record.story.places import Course, Place

_ARM: Final = "an arm of the player not on turn over the board; what it hid was not seen meanwhile"


@dataclass(frozen=True, slots=True)
class Changed:
    """A change of the settled board, described."""

    event: events.BoardChanged
    number: int
    """The number of the event."""
    place: Place
    text: str
    outcome: str
    rule: str
    """The rules on it, in words; empty if the text has none."""
    left: tuple[str, ...]
    """The squares of tiles that lay there when the clock went on, of a play that came off."""
    due: Flag | None
    """The flag with what the rulebook lets whom do about such tiles; None without any."""


@dataclass(frozen=True, slots=True)
class TakenOff:
    """Tiles of a play, lifted from the board as it was ruled."""

    at_ns: int
    """When they were seen gone."""
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """A report of changes of the settled board, without what a newer one has."""

    number: int
    """The number of the event."""
    event: events.BoardChanged
    kept: events.BoardChanged | None
    """The event with what is told of it; None if nothing is."""
    off: tuple[events.SquareChange, ...]
    """Tiles that came off by a ruling before the clock went on, and were not put back."""


def reports_of(course: Course) -> tuple[Report, ...]:
    """Return the reports of changes of the settled board, in order; the newest on each counts."""
    reports = [
        (step, _unless_laid(step.event, course))
        for step in course.steps
        if isinstance(step.event, events.BoardChanged)
    ]
    newest = {
        (event.from_ns, one): step.number
        for step, event in reports
        for one in event.changes or (event.moved,)
    }
    found = []
    for step, event in reports:
        new = [one for one in event.changes if newest[event.from_ns, one] == step.number]
        slid = _slid(event)
        came_off = [one for one in new if event.back_ns is None and one not in slid]
        off = [one for one in came_off if _as_ruled(one, event, course)]
        rest = tuple(one for one in new if one not in off)
        whole = not event.changes and newest[event.from_ns, event.moved] == step.number
        kept = replace(event, changes=rest) if rest or whole else None
        found.append(Report(step.number, event, kept, tuple(off)))
    return tuple(found)


def changes_of(
    reports: Iterable[Report], course: Course, clock: ClockAccount | None
) -> tuple[Changed, ...]:
    """Return the changes of the settled board, described, in order."""
    kept = ((one.number, one.kept) for one in reports if one.kept is not None)
    return tuple(_described(number, event, course, clock) for number, event in kept)


def taken_off(
    reports: Iterable[Report], course: Course, clock: ClockAccount | None
) -> dict[int, tuple[TakenOff, ...]]:
    """Return when tiles came off as it was ruled, by the numbers of their turns."""
    found: dict[int, tuple[TakenOff, ...]] = {}
    for report in reports:
        event, gone = report.event, [one.square for one in report.off if one.showed == EMPTY]
        for turn in reversed(course.state.turns[: course.after(event.seen_ns)]):
            squares = [square for square in gone if square in turn.tiles]
            gone = [square for square in gone if square not in turn.tiles]
            if squares:
                off = TakenOff(event.seen_ns, _off_words(turn, event, squares, course, clock))
                found[turn.number] = (*found.get(turn.number, ()), off)
    return found


def _unless_laid(event: events.BoardChanged, course: Course) -> events.BoardChanged:
    """Return a report; as not put back if a turn laid anew what a ruling had taken off."""
    if event.back_from_ns is None or event.back_ns is None:
        return event
    made = course.during(event.back_from_ns, event.back_ns)
    played = {square for number in made for square in course.state.turns[number - 1].tiles}
    if not any(_ruled(one, event, course) for one in event.changes if one.square in played):
        return event
    return replace(event, back_from_ns=None, back_ns=None, back_by=None)


def _as_ruled(one: events.SquareChange, event: events.BoardChanged, course: Course) -> bool:
    """True if the clock did not run between a tile's change and the ruling that took it off.

    A ruling that was entered later counts from the stop for its challenge.
    """
    ruled = _ruled(one, event, course)
    if ruled is None:
        return False
    called_ns = ruled.t_ns if ruled.called_ns is None else ruled.called_ns
    moments = ruled.t_ns, called_ns, course.stopped(called_ns)
    at = event.from_ns, event.seen_ns
    return any(course.stood(*sorted(pair)) for pair in product(moments, at))


def _ruled(
    one: events.SquareChange, event: events.BoardChanged, course: Course
) -> events.TurnRuled | None:
    """Return the ruling that took off the play of a tile that changed; None without one."""
    turns = course.state.turns[: course.after(event.seen_ns)]
    of = [turn.number for turn in turns if one.square in turn.tiles]
    ruled = course.state.ledger.rulings_for(of[-1]).ruled if of else None
    return ruled if ruled is not None and ruled.ruling in TAKEN_OFF else None


def _described(
    number: int, event: events.BoardChanged, course: Course, clock: ClockAccount | None
) -> Changed:
    state = course.state
    left = _left(event, course)
    before = course.counted(event.seen_ns)

    def span(from_ns: int, until_ns: int, by: events.Side | None) -> str:
        before = course.counted(until_ns)
        since_ns = before.press_ns if before else course.start_ns
        first, last = (lasting(abs(at - since_ns)) for at in (from_ns, until_ns))
        unknown = from_ns < since_ns
        first += " before" if unknown else ""
        seen = " (if before or after it, no picture shows)" if unknown else ""
        return f"{first} to {last} after {course.end_of(before)}{seen}, {course.arm(by)}"

    def whose(from_ns: int, until_ns: int) -> str:
        ran = () if clock is None else clock.ran(from_ns, until_ns)
        each = (
            "both clocks stood" if one is None else f"{course.names[one]}'s clock ran"
            for one in ran
        )
        return "".join(f"; {words}" for words in [", then ".join(each)] if words)

    place = Place(course.places[number].turns, event.seen_ns)
    arm_alone = not event.changes and event.moved is None
    came, ended = ("came", "was there") if arm_alone else ("changed", "lay so")
    made = f"{came} {span(event.from_ns, event.seen_ns, event.side)}"
    if arm_alone and event.from_ns == event.seen_ns:
        made = f"stayed from {course.end_of(before)} on, {course.arm(event.side)}"
    outcome = _entered(place, course) if left else f"it {ended} {_until(number, event, course)}"
    if event.back_from_ns is not None and event.back_ns is not None:
        again = "away" if arm_alone else "as before"
        outcome = f"{again} again {span(event.back_from_ns, event.back_ns, event.back_by)}"
        if course.counted(event.back_ns) != before:
            outcome += whose(event.back_from_ns, event.back_ns)
    ran = () if clock is None else clock.ran(event.from_ns, event.seen_ns)
    away = event.side is not None and ran == (events.other(event.side),)
    own = {*before.tiles} if away and before else set[str]()
    after = before is None or before.press_ns <= event.from_ns
    each = [one for one in event.changes if one.was != EMPTY and not _as_ruled(one, event, course)]
    codes = dict.fromkeys(_code(one, left, own) for one in each if after)
    codes |= {"changed_out_of_turn": None} if away else {}
    due = None
    if left:
        due = make_flag(
            "withdrawn_left", tuple(left), variant="left", side=next(iter(left.values()))
        )
    rules = ((state.rulebook.guide(code).rule, label(code)) for code in codes)
    rule = "; ".join(f"{number}: {words}" for number, words in rules if number)
    return Changed(
        event,
        number,
        place,
        f"{'; '.join(_what(event, left)) or _ARM}: {made}{whose(event.from_ns, event.seen_ns)}",
        outcome,
        f"rule {rule}" if rule else "",
        tuple(left),
        due and judge(due, state.rulebook),
    )


def _until(number: int, event: events.BoardChanged, course: Course) -> str:
    """Return until when it was so, in words: the turn's end or the game's, or a change there."""
    squares, turn = {one.square for one in event.changes}, course.counted(event.seen_ns)
    again = (
        f"until it changed again, event {one.number}"
        for one in course.steps
        if one.number > number
        and isinstance(one.event, events.BoardChanged)
        and squares & {change.square for change in one.event.changes}
        and course.counted(one.event.seen_ns) == turn
    )
    over = course.over_ns is not None and event.seen_ns >= course.over_ns
    return next(again, "when it was seen last" if over else "at the end of the turn")


def _left(event: events.BoardChanged, course: Course) -> dict[str, events.Side]:
    """Return whose the tiles were that lay there when a clock went on after their play came off.

    They may have gone to the square beside their own before.
    """
    then, found = course.state.ledger.at(event.from_ns), {}
    earlier = (step.event for step in course.steps if step.t_ns <= event.from_ns)
    slid = {
        to.square: one
        for before in earlier
        if isinstance(before, events.BoardChanged) and before.back_ns is None
        for one, to in _slid(before).items()
    }
    for one in event.changes:
        home = slid.get(one.square, one)
        ruled = _ruled(home, event, course)
        lay = Square.parse(one.square) in then.withdrawn or (one is not home and ruled)
        if lay and not _as_ruled(one, event, course):
            turn = next(turn for turn in reversed(then.turns) if home.square in turn.tiles)
            if ruled is None or ruled.happened_ns <= event.from_ns:
                found[one.square] = turn.side
    return found


def _entered(place: Place, course: Course) -> str:
    """Return what was entered about clocks and points since, until the turn ended, in words."""
    until_ns = course.until(place.turns)
    gone = {step.event.event for step in course.steps if isinstance(step.event, events.Retracted)}
    found = (
        f"entered: {describe_event(step.event, course.names)}, event {step.number}"
        for step in course.steps
        if isinstance(
            step.event, events.ClockAdjusted | events.PenaltyAdded | events.PointsAdjusted
        )
        and step.number not in gone
        and place.at_ns <= step.t_ns
        and (until_ns is None or step.t_ns <= until_ns)
    )
    return "; ".join(found) or "nothing was entered"


def _what(event: events.BoardChanged, left: Collection[str]) -> Iterator[str]:
    if event.moved is not None:
        far = f"{event.moved:.1f}", f"{abs(event.turned or 0):.0f}"
        each = (f"moved by {far[0]} squares", f"turned by {far[1]}°")
        how = [words for words, one in zip(each, far, strict=True) if float(one)] or ["moved"]
        yield f"the board was {' and '.join(how)}, with all tiles on their squares"
    slid = _slid(event)
    for one in event.changes:
        tile = "nothing" if one.was == EMPTY else spelled(one.was)
        if one.square in left:
            gone = f"went to {slid[one].square}" if one in slid else "was taken off"
            yield (
                f"the {tile} on {one.square}, of a play that came off, lay there when the clock "
                f"went on, and {gone}"
            )
        elif one.askew:
            by = f"turned by {abs(one.turned):.0f}°" if one.turned else "turned or pushed"
            by = "pushed" if one.turned == 0 else by
            which = "tile" if one.was == UNREADABLE else tile
            yield f"the {which} on {one.square} was {by} on its square"
        elif one in slid:
            yield f"the {tile} went from {one.square} to {slid[one].square}"
        elif one not in slid.values():
            then = "nothing" if one.showed == EMPTY else spelled(one.showed)
            yield f"{one.square} showed {tile} and then {then}"


def _slid(event: events.BoardChanged) -> dict[events.SquareChange, events.SquareChange]:
    """Return the changes by which a tile left its square, with those of the squares it went to."""
    came = [one for one in event.changes if one.was == EMPTY]
    return {
        one: to
        for one in event.changes
        for to in came
        if not one.askew
        and one.was == to.showed
        and Square.parse(to.square) in neighbours(Square.parse(one.square))
    }


def _code(one: events.SquareChange, left: Collection[str], own: Collection[str]) -> str:
    """Return the code of the flag that a change would get if a press showed it.

    ``own`` are the squares of the last play if its player changed it, after the press.
    """
    if one.askew:
        return "askew"
    if one.square in left:
        return "withdrawn_left"
    if one.square in own:
        return "changed_after_press"
    return "tile_removed" if one.showed == EMPTY else "tile_replaced"


def _off_words(
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
