"""The incidents of a game: each with its time, its turn and its outcome."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from game.clock import passed
from game.events import ActionTaken, PicturesDeleted, TimePassed, TroubleNoted
from game.flag_codes import Cost
from game.flags import CODES, QUESTIONS, Flag, label
from game.rulebooks.rulebook import Rulebook
from game.state.game_flags import unseen_time
from record.story.clocks import ClockAccount
from record.story.decisions import Decision
from record.story.places import Course, Place
from record.story.turns import TurnStory, settled_by
from record.story.unseen import BLIND, Unseen

IncidentKind = Literal[
    "challenge", "ruling", "correction", "doubt", "flag", "interruption", "unseen", "overtime",
    "end", "note",
]  # fmt: skip

_OF_DECISION: Final[dict[str, IncidentKind]] = {
    "challenge": "challenge",
    "ruling": "ruling",
    "correction": "correction",
    "blank": "correction",
    "rack": "end",
    "clock": "ruling",
    "points": "ruling",
    "end": "end",
    "retraction": "correction",
    "names": "note",
    "entry": "note",
}

_COSTS: Final[Mapping[Cost, str]] = {
    "points": "no question: what it costs is among the points beside the turns",
    "time": "no question: the time is taken off the clock",
}
_COSTS_AT_PRESS: Final = (
    "by the presses; what it costs in the end is among the points beside the turns"
)

BEYOND: Final[dict[str, str]] = {
    "challenge": "That a challenge was called, by whom and when, is words spoken: no camera sees "
    "them. What stands here is what was entered.",
    "rack": "What was drawn, and when, goes on in a bag and on racks that no camera sees.",
    "clock": "Why a clock was stopped is entered by people; the presses are the table's own.",
    "end": "What the players agreed on or announced is words spoken; what stands here was entered.",
    "blank": "Which letter a blank stands for is announced by word or slip; the camera sees a "
    "blank.",
    "exchange": "Whether it was an exchange or a pass, and which tiles were drawn, is not to be "
    "seen on the board.",
}
"""Notes on what a camera cannot settle, by the kind of entry or turn."""


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident, with its place and its outcome."""

    kind: IncidentKind
    place: Place
    text: str
    outcome: str
    open: bool = False
    """True if something is still to be decided."""
    beyond: str = ""
    """The part of the incident that no camera can settle; empty if there is none."""
    event: int | None = None
    """The number of the event, if the incident is an event."""
    until_ns: int | None = None
    """The end of an incident that lasted; None for one of a moment."""

    @property
    def t_ns(self) -> int:
        """When it happened or began."""
        return self.place.at_ns

    @property
    def turn(self) -> int | None:
        """The turn that it is about; None if it is about the game."""
        return self.place.turns[0] if self.place.turns else None

    @property
    def also(self) -> tuple[int, ...]:
        """Further turns that it is about."""
        return self.place.turns[1:]


def incidents_of(
    course: Course,
    turns: Sequence[TurnStory],
    decisions: Sequence[Decision],
    clock: ClockAccount | None,
    unseen: Sequence[Unseen],
) -> tuple[Incident, ...]:
    """Return the incidents of a game, by turn and by time."""
    found = [
        *_decided(decisions),
        *_flagged(turns),
        *_of_game(course),
        *_inferred(turns, course.state.rulebook),
        *_stops(clock),
        *_unseen(unseen, course),
        *_noted(course),
    ]
    return tuple(sorted(found, key=lambda one: course.order(one.place)))


def _decided(decisions: Sequence[Decision]) -> Iterator[Incident]:
    for one in decisions:
        outcome = "; ".join(one.changes) or "nothing changed by it"
        if one.taken_back is not None:
            outcome = f"taken back by event {one.taken_back}; it had done: {outcome}"
        by = f" (entered by {one.entry.by})" if one.entry.by else ""
        yield Incident(
            _OF_DECISION[one.kind],
            one.place,
            f"{one.text}{by}",
            outcome,
            beyond=BEYOND.get(one.kind, ""),
            event=one.entry.number,
        )


def _kind(code: str) -> IncidentKind:
    if CODES[code].costs == "points":
        return "overtime"
    return "doubt" if code in QUESTIONS else "flag"


def _flagged(turns: Sequence[TurnStory]) -> Iterator[Incident]:
    for story in turns:
        for note in story.flags:
            flag = note.flag
            about = flag.turn or story.number
            if about != story.number and about <= len(turns):
                continue  # it is listed with the turn that it is about
            asked = flag.code in QUESTIONS
            unsettled = "still open" if asked else "nothing was entered"
            if CODES[flag.code].costs == "points":
                unsettled = _COSTS_AT_PRESS
            where = Place((story.number,), story.turn.press_ns)
            yield _of_flag(flag, where, note.settled_by, unsettled, asked=asked)


def _of_flag(flag: Flag, where: Place, settled: str, unsettled: str, *, asked: bool) -> Incident:
    """Return the incident of a flag at a place, with its outcome, settled or not."""
    rule = f" (rule {flag.rule})" if flag.rule else ""
    text = f"{label(flag.code)}: {flag.message}{rule}"
    outcome = f"settled: {settled}" if settled else unsettled
    return Incident(_kind(flag.code), where, text, outcome, open=asked and not settled)


def _of_game(course: Course) -> Iterator[Incident]:
    state = course.state
    gaps = {flag: number for number, flag in unseen_time(state).items()}
    for flag in state.flags:
        costs = CODES[flag.code].costs
        unsettled = _COSTS[costs] if costs else "still open"
        where = _flag_place(flag, gaps.get(flag), course)
        settled = settled_by(flag, course.steps)
        yield _of_flag(flag, where, settled, unsettled, asked=not costs)


def _flag_place(flag: Flag, event: int | None, course: Course) -> Place:
    """Return the place of a flag of the game; ``event`` is the time unseen that it asks about."""
    turns, end_ns = course.state.turns, course.over_ns or course.seen_ns
    if event is not None:
        gap = course.state.progress.unseen[event].event
        return Place(course.touched(gap.from_ns, gap.t_ns), gap.from_ns)
    if flag.turn and flag.turn <= len(turns):
        until = course.until((flag.turn,))
        return Place((flag.turn,), end_ns if until is None else min(until, end_ns))
    if turns and (flag.code == "clock_stopped" or CODES[flag.code].costs):
        return Place((len(turns),), end_ns)  # it shows with the last turn
    return Place((), end_ns)


def _inferred(turns: Sequence[TurnStory], book: Rulebook) -> Iterator[Incident]:
    for story in turns:
        turn, place = story.turn, Place((story.number,), story.turn.press_ns)
        if turn.inferred:
            kind: IncidentKind = "challenge" if turn.kind.startswith("challenge") else "ruling"
            yield Incident(
                kind,
                place,
                f"taken for: {turn.kind.replace('_', ' ')}",
                "by the clock and the board; nobody entered it",
                beyond=BEYOND["challenge"],
            )
        elif turn.kind == "not_known":
            yield Incident(
                "note",
                place,
                f"it is not known what {story.name} played",
                "nobody saw it, and nobody has entered it; it counts to nothing",
            )
        elif turn.kind == "exchange_or_pass":
            why = "it scores nothing either way"
            if turn.bag_count < book.exchange_bag:
                why = f"the bag held {turn.bag_count}, too few for an exchange"
            what = f"{story.name} played nothing: an exchange or a pass"
            if story.unseen:
                what = f"nobody saw what {story.name} played; it counts as an exchange or a pass"
            yield Incident(
                "note",
                place,
                what,
                f"nobody entered which; {why}",
                beyond=BEYOND["exchange"],
            )


def _stops(clock: ClockAccount | None) -> Iterator[Incident]:
    for one in () if clock is None else clock.stretches:
        if one.is_stop:
            yield Incident(
                "interruption",
                Place((one.turn,) if one.turn else (), one.from_ns),
                f"both clocks stood for {passed(one.length_ns)}",
                f"stopped for: {one.reason}" if one.reason else "nobody entered why",
                beyond=BEYOND["clock"],
                until_ns=one.until_ns,
            )


def _unseen(unseen: Sequence[Unseen], course: Course) -> Iterator[Incident]:
    for one in unseen:
        yield Incident(
            "unseen",
            Place(one.turns or course.at(one.from_ns), one.from_ns),
            f"{one.words}: {'; '.join(one.causes)}",
            "; ".join(one.concluded) or "no turn ended in it",
            until_ns=one.until_ns,
        )


def _noted(course: Course) -> Iterator[Incident]:
    over: dict[tuple[str, str], int] = {}
    for step in reversed(course.steps):
        event, place = step.event, course.places[step.number]
        match event:
            case TroubleNoted(code=code) if code in BLIND:
                pass  # it is among the times without pictures
            case TroubleNoted(state="over"):
                over[event.code, event.what] = event.t_ns
            case TroubleNoted():
                end = over.pop((event.code, event.what), None)
                how = "still so at the end"
                if end is not None:
                    how = f"over after {(end - event.t_ns) / 1e9:.1f} s"
                how = "it happened once" if event.state == "happened" else how
                text = f"trouble at the table: {event.message}"
                where = Place(course.touched(event.t_ns, end or event.t_ns), event.t_ns)
                yield Incident("interruption", where, text, how, until_ns=end)
            case ActionTaken():
                text = f"{event.message} ({event.by})" if event.by else event.message
                yield Incident("note", place, text, event.why)
            case PicturesDeleted():
                text = f"{len(event.pictures)} pictures were deleted"
                yield Incident("note", place, text, event.why)
            case TimePassed():
                where = Place(course.touched(event.t_ns, event.t_ns), event.t_ns)
                text = "the running clock passed the limit on overtime"
                yield Incident("overtime", where, text, "noted by the table")
            case _:
                pass
