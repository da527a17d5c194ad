"""The flags of turns and of the game as incidents: remedies, causes, and what settled them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Final

from game import events
from game.board import EMPTY
from game.flags import CODES, QUESTIONS, Flag, label
from game.guidance import by_name
from game.referee.position import Turn, last_turn
from game.rulebooks.rulebook import Rulebook
from game.terms import other
from record.story.changes import Changed
from record.story.clocks import ClockAccount
from record.story.decisions import Decision, looked_again
from record.story.entries import Step
from record.story.event_wording import lasting
from record.story.incident import Incident, IncidentKind
from record.story.places import Course, Place
from record.story.tiles import SeenChange, last_change

_ENDED_BY: Final = {"recount_asked": "open until it is halted or the result is signed"}
"""The outcomes of open flags of the game that an entry ends, whatever was found; by code."""

_COSTS_TIME: Final = "no question: the time is taken off the clock"

_MOVED: Final = ("tile_moved", "tile_removed", "tile_replaced")
_TILES: Final = (*_MOVED, "hole_filled", "askew")
"""The flags about tiles that may have come to lie so by another hand than the player's."""

_RULINGS: Final = (
    events.ChallengeBonus
    | events.PenaltyAdded
    | events.PointsAdjusted
    | events.PositionRestored
    | events.ScoreAgreed
    | events.TurnRuled
)


def turn_flags(
    course: Course,
    turn: Turn,
    decisions: Sequence[Decision],
    changes: Sequence[Changed],
    clock: ClockAccount | None,
) -> Iterator[Incident]:
    """Yield the turn's own flags, and flags of other turns about it.

    A flag for overtime is of the kind ``overtime``.
    """
    own = [one for one in decisions if turn.number in one.turns]
    ruled = [one for one in own if one.stands and isinstance(one.entry.event, _RULINGS)]
    others = (one for one in course.state.turns if one.number != turn.number)
    about = (flag for one in others for flag in one.flags if flag.turn == turn.number)
    since_ns, place = course.around(turn.number)[0], Place((turn.number,), turn.press_ns)
    for flag in (*turn.flags, *about):
        if flag.settled is not None and looked_again(course.steps[flag.settled - 1]):
            continue
        tiles, outcome = flag.squares if flag.code in _TILES else (), "still open"
        seen = last_change(changes, tiles, since_ns, turn.press_ns)
        if flag.code not in QUESTIONS:
            named = (one for one in decisions if _names(one, flag, turn))
            each = dict.fromkeys(f"{one.text}, event {one.event}" for one in (*ruled, *named))
            outcome = f"entered: {'; '.join(each)}" if each else "nothing was entered"
        outcome += _as_it_is(flag, turn, bool(ruled), course, clock)
        by = _by_hand(flag, seen and seen.side, turn, course)
        found = _incident(by, course, place, outcome, turn.side)
        cause, accepted = _cause(turn, flag, seen, course), ""
        if not cause and flag.settled is None and CODES[flag.code].judged:
            accepted = _accepted(flag, turn, own, course)
        if accepted or (ruled and flag.code not in QUESTIONS):
            found = replace(found, lines=())
        elif found.lines and (seen is None or seen.side is None):
            found = replace(found, lines=_by_either(flag, turn, course))
        yield replace(found, outcome="; ".join(filter(None, (found.outcome, cause, accepted))))


def _names(one: Decision, flag: Flag, turn: Turn) -> bool:
    """True if a person entered something since a turn that names a tile of its flag."""
    entered = one.stands and one.entry.by != events.CAMERA and one.entered_ns >= turn.press_ns
    return entered and not {*flag.squares}.isdisjoint(re.findall(r"\w+", one.text))


def _by_hand(flag: Flag, side: events.Side | None, turn: Turn, course: Course) -> Flag:
    """Return a flag; on tiles that the other player moved by the text on just that."""
    if flag.code not in _MOVED or side != other(turn.side):
        return flag
    last = last_turn(course.state.turns[: turn.number - 1])
    pressed = last is not None and last.side == side and {*flag.squares} <= last.tiles.keys()
    guide = course.state.rulebook.guide("changed_after_press" if pressed else "changed_out_of_turn")
    put_back = (one for one in flag.remedies if one.action == "put_back" and not pressed)
    return replace(flag, rule=guide.rule, remedies=(*put_back, *guide.remedies))


def _by_either(flag: Flag, turn: Turn, course: Course) -> tuple[str, ...]:
    """Return the remedies for a flag, by whose hand moved the tiles if they differ by that."""
    hands = {side: _by_hand(flag, side, turn, course) for side in (turn.side, other(turn.side))}
    own, others = ({one.action for one in by.remedies} for by in hands.values())
    if own <= others:
        return remedies(flag, course, turn.side)
    return tuple(
        f"if {course.names[side]} did it, {line}"
        for side, by in hands.items()
        for line in remedies(by, course, turn.side)
    )


def game_flags(course: Course) -> Iterator[Incident]:
    """Yield the flags of the game, but those for overtime, which are sums of their own."""
    for at, flag in enumerate(course.state.flags):
        costs, raised = CODES[flag.code].costs, _raised(course, at)
        if costs == "points":
            continue
        unsettled = _COSTS_TIME if costs else _ENDED_BY.get(flag.code, "still open")
        yield _incident(flag, course, course.places[raised.number], unsettled)


def _incident(
    flag: Flag,
    course: Course,
    where: Place,
    unsettled: str,
    side: events.Side | None = None,
) -> Incident:
    """Return the incident of a flag at a place, with its remedies while it is not settled.

    ``unsettled`` is its outcome until then. ``side`` is whose turn it is about; None for the game,
    of which every flag is to be decided that costs nothing.
    """
    asked = flag.code in QUESTIONS
    kind: IncidentKind = "overtime" if is_overtime(flag) else "doubt" if asked else "flag"
    found = Incident(kind, where, flag_words(flag), unsettled, flag=flag)
    if flag.settled is not None:
        return replace(found, outcome=settled_by(flag, course))
    open_ = asked or (side is None and not CODES[flag.code].costs)
    return replace(found, open=open_, lines=remedies(flag, course, side))


def is_overtime(flag: Flag) -> bool:
    """True if a flag says that a player ran out of time."""
    return CODES[flag.code].costs == "points"


def flag_words(flag: Flag) -> str:
    """Return a flag with its rule, in words."""
    rule = f" (rule {flag.rule})" if flag.rule else ""
    return f"{label(flag.code)}: {flag.message}{rule}"


def remedies(flag: Flag, course: Course, side: events.Side | None = None) -> tuple[str, ...]:
    """Return the remedies for a flag in words; ``side`` is whose turn it is about."""
    return tuple(by_name(str(one), course.names, flag.side or side) for one in flag.remedies)


def settled_by(flag: Flag, course: Course) -> str:
    """Return how a settled flag ended, in words: what was read later settles nothing."""
    assert flag.settled is not None
    step = course.steps[flag.settled - 1]
    event = f", event {flag.settled}"
    if not isinstance(step.event, events.FACTS):
        return f"{_settled_by_entry(flag, step, course)}{event}"
    if is_overtime(flag):
        return f"it is counted with the overtime of the whole game{event}"
    number = len(step.after.turns)
    seen = f"when turn {number} was read" if number else "when the board was read"
    rule = step.after.rulebook.rule("scoreless.goes_on") if flag.code == "six_zeros" else None
    on = f"; unnoticed, the game goes on (rule {rule})" if rule else ""
    return f"it was no longer so {seen}{event}{on}"


def _settled_by_entry(flag: Flag, step: Step, course: Course) -> str:
    match step.event:
        case events.GameEnded():
            return "it was open until the game ended"
        case events.DrawDelayed(side=side) if side == flag.side:
            return "it was the warning, for it was done again"
        case events.Reported(what=flag.code, side=side) if side == flag.side:
            return "it was the warning, for it was done again"
    return f"settled: {course.words(step)}{f' by {step.by}' * bool(step.by)}"


def _accepted(flag: Flag, turn: Turn, decisions: Sequence[Decision], course: Course) -> str:
    """Return how a play that was flagged came to stand, in words; empty if it did not."""
    if flag.code in (*QUESTIONS, "minor_infractions"):
        return ""
    for one in reversed(decisions):
        if isinstance(one.entry.event, events.PlayAccepted) and one.stands:
            return f"{one.text}, event {one.event}"
    if turn.kind != "play":
        return ""
    after = [one for one in course.state.turns[turn.number :] if one.kind != "undone"]
    on = next((one for one in after if one.side != turn.side), None)
    if on is None:
        return ""
    return f"the play stands: {course.names[on.side]} played on in turn {on.number}"


def _as_it_is(
    flag: Flag, turn: Turn, ruled: bool, course: Course, clock: ClockAccount | None
) -> str:
    """Return a ruling, or time on a clock, that a flag leaves as it is, in words; else empty."""
    if flag.code == "challenge_late" and ruled:
        return "; that counts, points and all, until the director takes it back"
    after = next(iter(course.state.turns[turn.number :]), None)
    if flag.code != "not_pressed" or after is None or clock is None:
        return ""
    if not (lent_ns := clock.ran_ns(other(after.side), after)):
        return ""
    ran = f"{course.names[turn.side]}'s clock ran {lasting(lent_ns)} for turn {after.number}"
    return f"; {ran}, {course.names[after.side]}'s; the rules give no time back"


def _cause(turn: Turn, flag: Flag, seen: SeenChange | None, course: Course) -> str:
    """Return what bears on a flag of a turn, in words; else empty.

    It is when and by whom its tiles came to lie so, if not by the turn's player; of a challenge out
    of time what the text notes on the right to it; of withdrawn tiles how they lay on.
    """
    if flag.code == "challenge_late":
        return _right_to_challenge(turn, course.state.rulebook)
    if flag.code == "withdrawn_left":
        return _left_over(turn, flag, course)
    stood = seen is not None and course.stood(seen.from_ns, seen.until_ns)
    if seen is None or not (stood or seen.side == other(turn.side)):
        return ""
    who = f"{course.names[seen.side]}'s arm was there when it" if seen.side else "it"
    return f"{who} changed{' while both clocks stood' * stood}, event {seen.number}"


def _right_to_challenge(turn: Turn, book: Rulebook) -> str:
    """Return the text's note on when the right to challenge goes; empty without one."""
    note, rule = book.notes.get("challenge.until", ""), book.rule("challenge.until")
    unpressed = "" if turn.pressed else f"; no press is known after turn {turn.number}"
    return note and f"rule {rule}: {note}{unpressed}"


def _left_over(turn: Turn, flag: Flag, course: Course) -> str:
    """Return how tiles lay on when the rest of their play came off; empty if nothing shows that."""
    before = reversed(course.state.turns[: turn.number - 1])
    play = next((one for one in before if {*flag.squares} <= one.tiles.keys()), None)
    if play is None:
        return ""
    seen = [
        (step.number, one)
        for step in course.steps
        if isinstance(step.event, events.BoardChanged)
        and step.event.back_ns is None
        and play.press_ns < step.event.seen_ns <= turn.press_ns
        for one in step.event.changes
    ]
    off = {one.square: n for n, one in seen if one.square in play.tiles and one.showed == EMPTY}
    if not off or any(one.square in flag.squares for _, one in seen):
        return ""
    which, when = ", ".join(flag.squares), max(off.values())
    return (
        f"{which} of {course.names[play.side]}'s turn {play.number} lay there still when "
        f"{', '.join(off)} had come off, event {when}; no change there was seen by "
        f"{course.end_of(turn)}"
    )


def _raised(course: Course, at: int) -> Step:
    """Return the event since which the game has a flag, and as many like it as are before it."""
    flags = course.state.flags

    def count(found: Sequence[Flag]) -> int:
        return sum((one.code, one.side) == (flags[at].code, flags[at].side) for one in found)

    least = count(flags[: at + 1])
    *_, step = takewhile(lambda it: count(it.after.flags) >= least, reversed(course.steps))
    return step
