"""The incidents of a game: each with its time, its turn and its outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from typing import Final

from game import events
from game.flags import CODES, QUESTIONS, Flag
from game.rulebooks.rulebook import Rulebook
from game.state.game_flags import unseen_time
from record.story.changes import Changed
from record.story.clocks import UNSTARTED, UNWATCHED, ClockAccount, Stretch
from record.story.decisions import Decision
from record.story.entries import Step
from record.story.event_wording import from_press, lasting
from record.story.incident import Incident, IncidentKind, flag_words
from record.story.overtime import is_overtime, overtimes
from record.story.places import Course, Place
from record.story.turns import FlagNote, TurnStory, flag_note, how_settled
from record.story.unseen import BLIND, Unseen, troubles

_ENDED_BY: Final = {"recount_asked": "open until it is halted or the result is signed"}
"""The outcomes of open flags of the game that an entry ends, whatever was found; by code."""

_COSTS_TIME: Final = "no question: the time is taken off the clock"


def incidents_of(
    course: Course,
    turns: Sequence[TurnStory],
    decisions: Sequence[Decision],
    clock: ClockAccount | None,
    unseen: Sequence[Unseen],
    changes: Sequence[Changed],
) -> tuple[Incident, ...]:
    """Return the incidents of a game, by turn and by time."""
    stops = [*_explained(clock, decisions)]
    in_stops = {id(entry) for _, entry in stops}
    found = [
        *_decided([one for one in decisions if id(one) not in in_stops], turns, course),
        *overtimes(course, turns),
        *_flagged(turns, clock),
        *_of_game(course),
        *_inferred(turns, course.state.rulebook, decisions),
        *_changed(changes, course),
        *_stops(stops),
        *_unseen(unseen, course, clock),
        *_noted(course),
    ]
    return tuple(sorted(_once(found), key=lambda one: course.order(one.place)))


def _once(found: Sequence[Incident]) -> Iterator[Incident]:
    """Yield incidents, those that say the same of several turns and changed nothing as one."""
    alike: dict[tuple[str, ...], list[Incident]] = {}
    for at, one in enumerate(found):
        same = one.kind in ("flag", "note") and one.event is None and one.turn is not None
        key = (one.kind, one.text, one.outcome) if same and not one.open else (str(at),)
        alike.setdefault(key, []).append(one)
    for first, *others in alike.values():
        turns = (*first.place.turns, *(n for one in others for n in one.place.turns))
        yield replace(first, place=replace(first.place, turns=turns))


def _decided(
    decisions: Sequence[Decision], turns: Sequence[TurnStory], course: Course
) -> Iterator[Incident]:
    for one in decisions:
        if isinstance(one.entry.event, events.OvertimeErased):
            continue  # it is a line of the overtime's sum
        outcome = one.outcome
        if one.taken_back is not None:
            outcome = f"taken back by event {one.taken_back}; it had done: {outcome}"
        called_ns = getattr(one.entry.event, "called_ns", None)
        called = ""
        if called_ns is not None and one.turns:
            story = turns[one.turns[0] - 1]
            called = f", called {from_press(called_ns - story.turn.press_ns, story.end)}"
        yield Incident(
            one.kind,
            one.place,
            f"{one.text}{called}{_entered_by(one, course)}",
            outcome,
            event=one.entry.number,
            why=one.entry.why,
            rule=one.rule,
        )


_BY_WORD: Final = (
    events.BlankDesignated | events.ClockAdjusted | events.ClockStartedInError
    | events.DirectorNoted | events.DrawDelayed | events.GameForfeited | events.HoldCalled
    | events.LateStart | events.PlayAccepted | events.RackReported | events.ScoreAgreed
    | events.TilesFound
)  # fmt: skip
"""The entries about what no picture of the board can show."""

_LATE_NS: Final = 60_000_000_000
"""The delay of an entry from which it is said."""


def _entered_by(one: Decision, course: Course) -> str:
    """Return who made an entry and how late, and if it rests on that alone; empty if nobody did."""
    name, after = one.entry.by, course.after(one.entered_ns)
    late_ns = 0 if one.happened_ns is None else one.entered_ns - one.happened_ns
    later = f", {lasting(late_ns)} later" if late_ns > 0 else ""
    if one.place.named and one.turns and after > one.turns[-1]:
        later += f", when turn {after} had ended"
    if not name:
        return ""
    if (ns := course.late_ns(one.entry)) >= _LATE_NS:
        time = "time of the turn" if one.turns else "end of the game"
        later += f", {lasting(ns)} after the {time}"
    word = isinstance(one.entry.event, _BY_WORD) and name != events.CAMERA
    alone = f", on {name}'s word: no picture shows it" if word else ""
    return f" (entered by {name}{later}){alone}"


def _flagged(turns: Sequence[TurnStory], clock: ClockAccount | None) -> Iterator[Incident]:
    for story in turns:
        for note in story.flags:
            flag = note.flag
            about = flag.turn or story.number
            if is_overtime(flag) or (about != story.number and about <= len(turns)):
                continue  # it is listed with the turn that it is about, overtime as a sum
            asked = flag.code in QUESTIONS
            entered = f"entered: {story.rulings}" if story.rulings else "nothing was entered"
            unsettled = "still open" if asked else entered
            unsettled += _as_it_is(flag, story, turns, clock)
            if note.cause:
                unsettled += f"; {note.cause}"
            elif not asked and CODES[flag.code].judged and flag.code != "minor_infractions":
                unsettled += _accepted(story, turns)
            where = Place((story.number,), story.turn.press_ns)
            yield _of_flag(note, where, unsettled, asked=asked)


def _accepted(story: TurnStory, turns: Sequence[TurnStory]) -> str:
    """Return how a play that was flagged came to stand, in words; empty if it did not."""
    for one in reversed(story.decisions):
        if isinstance(one.entry.event, events.PlayAccepted) and one.stands:
            return f"; {one.text}, event {one.entry.number}"
    if story.turn.kind != "play":
        return ""
    after = [one for one in turns[story.number :] if one.turn.kind != "undone"]
    played_on = next((one for one in after if one.turn.side != story.turn.side), None)
    if played_on is None:
        return ""
    return f"; the play stands: {played_on.name} played on in turn {played_on.number}"


def _as_it_is(
    flag: Flag, story: TurnStory, turns: Sequence[TurnStory], clock: ClockAccount | None
) -> str:
    """Return a ruling, or time on a clock, that a flag leaves as it is, in words; else empty."""
    if flag.code == "challenge_late" and story.rulings:
        return "; that counts, points and all, until the director takes it back"
    after = next(iter(turns[story.number :]), None)
    if flag.code != "not_pressed" or after is None or clock is None:
        return ""
    if not (lent_ns := clock.ran_ns(events.other(after.turn.side), after.turn)):
        return ""
    ran = f"{story.name}'s clock ran {lasting(lent_ns)} for turn {after.number}"
    return f"; {ran}, {after.name}'s; the rules give no time back"


def _of_flag(note: FlagNote, where: Place, unsettled: str, *, asked: bool) -> Incident:
    """Return the incident of a flag at a place, with its outcome, settled or not."""
    outcome = how_settled(note.settled_by) if note.settled_by else unsettled
    kind: IncidentKind = "doubt" if note.flag.code in QUESTIONS else "flag"
    open_ = asked and not note.settled_by
    return Incident(kind, where, flag_words(note.flag), outcome, open=open_)


def _of_game(course: Course) -> Iterator[Incident]:
    state = course.state
    gaps = {flag: number for number, flag in unseen_time(state).items()}
    for at, flag in enumerate(state.flags):
        if is_overtime(flag):
            continue  # it is a sum of its own
        costs, raised = CODES[flag.code].costs, _raised(course, at)
        unsettled = _COSTS_TIME if costs else _ENDED_BY.get(flag.code, "still open")
        where = course.places[raised.number]
        if isinstance(raised.event, events.FACTS):
            where = _flag_place(flag, gaps.get(flag), course)
        note = flag_note(flag, course)
        found = _of_flag(note, where, unsettled, asked=not costs)
        yield found if note.settled_by else replace(found, lines=note.remedies)


def _raised(course: Course, at: int) -> Step:
    """Return the event since which the game has a flag, and as many like it as are before it."""
    flags = course.state.flags

    def count(found: Sequence[Flag]) -> int:
        return sum((one.code, one.side) == (flags[at].code, flags[at].side) for one in found)

    least = count(flags[: at + 1])
    *_, step = takewhile(lambda it: count(it.after.flags) >= least, reversed(course.steps))
    return step


def _flag_place(flag: Flag, event: int | None, course: Course) -> Place:
    """Return the place of a flag of the game; ``event`` is the time unseen that it asks about."""
    turns, end_ns = course.state.turns, course.over_ns or course.seen_ns
    if event is not None:
        gap = course.state.progress.unseen[event].event
        return Place(course.touched(gap.from_ns, gap.t_ns), gap.from_ns)
    if flag.turn and flag.turn <= len(turns):
        until = course.until((flag.turn,))
        return Place((flag.turn,), end_ns if until is None else min(until, end_ns))
    if turns and flag.code == "clock_stopped":
        return Place((len(turns),), end_ns)  # it shows with the last turn
    return Place((), end_ns)


def _inferred(
    turns: Sequence[TurnStory], book: Rulebook, decisions: Sequence[Decision]
) -> Iterator[Incident]:
    in_vain = {
        one.turns[0]
        for one in decisions
        if isinstance(one.entry.event, events.TurnRuled)
        and one.entry.event.ruling == "challenge_failed"
        and one.stands
    }
    for story in turns:
        turn = story.turn
        found = partial(Incident, place=Place((story.number,), turn.press_ns))
        if turn.kind == "challenge_failed" and turn.number - 1 in in_vain:
            continue  # the ruling says that it cost this turn
        if turn.inferred:
            text, how = f"taken for: {turn.kind.replace('_', ' ')}", "by the clock and the board"
            kind: IncidentKind = "challenge" if turn.kind.startswith("challenge") else "ruling"
            outcome = f"{how}; nobody entered it"
            yield found(kind, text=text, outcome=outcome)
        elif turn.kind == "not_known":
            text = f"it is not known what {story.name} played"
            outcome = "nobody saw it, and nobody has entered it; it counts to nothing"
            yield found("note", text=text, outcome=outcome)
        elif turn.kind == "exchange_or_pass":
            why = "it scores nothing either way"
            if turn.bag_count < book.exchange_bag:
                why = f"the bag held {turn.bag_count}, too few for an exchange"
            text = f"no tile of {story.name}'s was seen by {story.end}: an exchange or a pass"
            outcome = f"nobody entered which; {why}"
            yield found("note", text=text, outcome=outcome)


def _changed(changes: Sequence[Changed], course: Course) -> Iterator[Incident]:
    for one in changes:
        due = () if one.due is None else flag_note(one.due, course).remedies
        yield Incident(
            "flag",
            one.place,
            one.text,
            one.outcome,
            event=one.number,
            until_ns=one.event.back_ns,
            rule=one.rule,
            lines=due,
        )


def _explained(
    clock: ClockAccount | None, decisions: Sequence[Decision]
) -> Iterator[tuple[Stretch, Decision | None]]:
    """Yield the stops of the clock, each with the entry that gives its reason, if there is one."""
    given = {
        (event.t_ns, event.reason): one
        for one in decisions
        if one.stands and isinstance(event := one.entry.event, events.StopExplained)
    }
    for stop in () if clock is None else clock.stretches:
        if stop.is_stop and stop.reason not in (UNWATCHED, UNSTARTED):
            why = stop.explained
            yield stop, None if why is None else given.get((why.t_ns, why.reason))


def _stops(stops: Sequence[tuple[Stretch, Decision | None]]) -> Iterator[Incident]:
    for stop, entry in stops:
        reason = f"stopped for: {stop.reason}" if stop.reason else "nobody entered why"
        if entry is not None:
            reason += f" (entered by {entry.entry.by}, event {entry.entry.number})"
        yield Incident(
            "interruption",
            Place((stop.turn,) if stop.turn else (), stop.from_ns),
            f"both clocks stood for {lasting(stop.length_ns)}",
            reason,
            until_ns=stop.until_ns,
            why="" if entry is None else entry.entry.why,
            rule="" if entry is None else entry.rule,
        )


def _unseen(
    unseen: Sequence[Unseen], course: Course, clock: ClockAccount | None
) -> Iterator[Incident]:
    stood = [s for s in (clock.stretches if clock else ()) if s.reason in (UNWATCHED, UNSTARTED)]
    for one in unseen:
        stopped_ns = sum(s.length_ns for s in stood if one.from_ns <= s.from_ns <= one.until_ns)
        stood_for = f"both clocks are taken as stopped for {lasting(stopped_ns)}; "
        yield Incident(
            "unseen",
            Place(one.turns or course.at(one.from_ns), one.from_ns),
            f"{one.words}: {'; '.join(one.causes)}",
            stood_for * bool(stopped_ns) + "; ".join(one.concluded),
            until_ns=one.until_ns,
        )


def _noted(course: Course) -> Iterator[Incident]:
    for trouble, end_ns in troubles(course):
        if trouble.code not in BLIND:  # those are among the times without pictures
            how = "still so at the end"
            if end_ns is not None:
                how = f"over after {lasting(end_ns - trouble.t_ns)}"
            how = "it happened once" if trouble.state == "happened" else how
            text = f"trouble at the table: {trouble.message}"
            where = Place(course.touched(trouble.t_ns, end_ns or trouble.t_ns), trouble.t_ns)
            yield Incident("interruption", where, text, how, until_ns=end_ns)
    for step in course.steps:
        event, place = step.event, course.places[step.number]
        match event:
            case events.ActionTaken():
                text = f"{event.message} ({event.by})" if event.by else event.message
                yield Incident("note", place, text, event.why)
            case events.PicturesDeleted():
                asked = f" on request, by {event.by}" if event.by else ""
                yield Incident("note", place, f"{course.words(step)}{asked}", event.why)
            case events.TimePassed():
                where = Place(course.touched(event.t_ns, event.t_ns), event.t_ns)
                text = "the running clock passed the limit on overtime"
                yield Incident("overtime", where, text, "noted by the table")
            case _:
                pass
