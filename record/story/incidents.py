"""The incidents of a game: each with its time, its turn and its outcome."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from game import events
from game.rulebooks.rulebook import Rulebook
from record.story.changes import Changed
from record.story.clocks import UNSTARTED, UNWATCHED, ClockAccount
from record.story.decisions import Decision
from record.story.event_wording import lasting
from record.story.flags import game_flags, remedies
from record.story.incident import Incident, IncidentKind
from record.story.overtime import overtimes
from record.story.places import Course, Place
from record.story.turns import TurnStory
from record.story.unseen import BLIND, Unseen, troubles


def incidents_of(
    course: Course,
    turns: Sequence[TurnStory],
    decisions: Sequence[Decision],
    clock: ClockAccount | None,
    unseen: Sequence[Unseen],
    changes: Sequence[Changed],
) -> tuple[Incident, ...]:
    """Return the incidents of a game, by turn and by time."""
    stops = [*_stops(clock, decisions, course)]
    in_stops = {one.event for one in stops}
    found = [
        *_decided(one for one in decisions if one.event not in in_stops),
        *overtimes(course, turns),
        *_flagged(turns),
        *game_flags(course),
        *_inferred(turns, course.state.rulebook, decisions),
        *_changed(changes, course),
        *stops,
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


def _decided(decisions: Iterable[Decision]) -> Iterator[Incident]:
    """Yield the entries, but those by which overtime was erased: they are lines of its sum."""
    yield from (one for one in decisions if not isinstance(one.entry.event, events.OvertimeErased))


def _flagged(turns: Sequence[TurnStory]) -> Iterator[Incident]:
    """Yield the flags at the turns that they are about, but those for overtime: it is a sum."""
    for story in turns:
        for one in story.flags:
            about = (one.flag and one.flag.turn) or story.number
            if one.kind != "overtime" and (about == story.number or about > len(turns)):
                yield one


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
        due = () if one.due is None else remedies(one.due, course)
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


def _stops(
    clock: ClockAccount | None, decisions: Sequence[Decision], course: Course
) -> Iterator[Incident]:
    """Yield the stops of the clock, each as the entry that gives its reason, if there is one.

    An entry made in a stop is its reason, though its turn be none any more. Of a stop without a
    reason the notes are named that were entered until the next turn ended.
    """
    standing = [one for one in decisions if one.stands]
    given = [one for one in standing if isinstance(one.entry.event, events.StopExplained)]
    notes = [one for one in standing if isinstance(one.entry.event, events.DirectorNoted)]
    stretches = () if clock is None else clock.stretches
    used = {(one.explained.t_ns, one.reason) for one in stretches if one.explained}
    free = [one for one in given if (one.t_ns, one.text.partition(" for ")[2]) not in used]
    for stop in stretches:
        if not stop.is_stop or stop.reason in (UNWATCHED, UNSTARTED):
            continue
        why, reason, until_ns = stop.explained, stop.reason, stop.until_ns
        own = (one for one in given if why and one.t_ns == why.t_ns and one.text.endswith(reason))
        within = (one for one in free if stop.from_ns < one.entered_ns <= until_ns)
        entry = next(own if reason else within, None)
        after = [one for one in notes if one.entered_ns >= stop.from_ns]
        after = [one for one in after if course.after(one.entered_ns) <= course.after(until_ns)]
        noted = f", but a note: event {', '.join(str(one.event) for one in after)}" if after else ""
        if entry is not None:
            reason = f"{entry.text.partition(' for ')[2]}{entry.how_entered}"
        outcome = f"stopped for: {reason}" if reason else f"nobody entered why{noted}"
        note = course.state.rulebook.notes.get("stop.only", "")
        for turn in course.state.turns[stop.turn :][:1]:
            if turn.press_ns == until_ns and turn.tiles:
                outcome += (
                    f"; the press of turn {turn.number} ended it{note and f', though {note}'}"
                )
        yield Incident(
            "interruption",
            Place((stop.turn,) if stop.turn else (), stop.from_ns),
            f"both clocks stood for {lasting(stop.length_ns)}",
            outcome,
            event=entry.event if entry else None,
            until_ns=until_ns,
            why=entry.why if entry else "",
            rule=entry.rule if entry else "",
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
        if isinstance(step.event, events.ActionTaken | events.PicturesDeleted):
            text = course.words(step) + (f" (by {step.by})" if step.by else "")
            yield Incident("note", course.places[step.number], text, step.why)
