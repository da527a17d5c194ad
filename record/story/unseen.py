"""The times from which there is no picture of the board, and what was concluded without one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from game.board import SIZE, Board
from game.events import BoardChanged, PicturesKept, TimeUnseen, TroubleNoted, TurnSeen
from game.plays.change import same_tile
from record.story.effects import turn_words
from record.story.event_wording import describe_event, lasting, read_when
from record.story.places import Course
from record.story.turns import TurnStory

BLIND: Final = {
    "camera_lost": "the camera delivered no picture",
    "camera_dark": "the pictures were dark",
    "camera_frozen": "the camera delivered the same picture again and again",
}
"""The troubles during which no picture shows the board, in words by code."""

_NONE_SHOWS: Final = "pictures came, but they were dark or the board was covered"
_NONE_CAME: Final = "no picture came"
_NO_TIME: Final = "pictures came for which this computer had no time"


@dataclass(frozen=True, slots=True)
class Unseen:
    """A time from which there is no picture of the board."""

    from_ns: int
    until_ns: int
    causes: tuple[str, ...]
    turns: tuple[int, ...] = ()
    """The turns that were being made in it, or of which it is all that is known."""
    concluded: tuple[str, ...] = ()
    """The kind that each of these turns was taken for, its picture, and how the board compares."""

    @property
    def words(self) -> str:
        """Its length in words; without it, if the table's time stood meanwhile."""
        length_ns = self.until_ns - self.from_ns
        length = f" for {length_ns / 1e9:.1f} s" if length_ns else ""
        return f"no picture of the board{length}"

    @property
    def dark(self) -> str:
        """Why its pictures show nothing, if they may when brightened; else empty."""
        if BLIND["camera_dark"] in self.causes:
            return "dark"
        return "dark or covered" if _NONE_SHOWS in self.causes else ""

    @property
    def untold(self) -> str:
        """A sentence on what cannot be told of it."""
        shown = ", unless a dark picture shows it brightened" if self.dark else ""
        return (
            "Who laid what in a time without pictures, whether before or after a press, and "
            f"whether tiles were lifted and put back cannot be told{shown}."
        )


def unseen_times(course: Course, turns: Sequence[TurnStory]) -> tuple[Unseen, ...]:
    """Return the times without pictures, in order and apart from each other."""
    found = sorted(
        [*_lost(course), *_blind(course), *_never_seen(turns)],
        key=lambda one: (one.from_ns, one.until_ns),
    )
    joined: list[Unseen] = []
    for one in found:
        last = joined[-1] if joined else None
        if last is None or one.from_ns > last.until_ns:
            joined.append(one)
        else:
            causes = tuple(dict.fromkeys((*last.causes, *one.causes)))
            until_ns = max(last.until_ns, one.until_ns)
            joined[-1] = Unseen(last.from_ns, until_ns, causes, (*last.turns, *one.turns))
    return tuple(_concluding(one, course, turns) for one in joined)


def _concluding(one: Unseen, course: Course, turns: Sequence[TurnStory]) -> Unseen:
    vague = {_NONE_CAME} | ({_NONE_SHOWS} if BLIND["camera_dark"] in one.causes else set())
    causes = tuple(cause for cause in one.causes if cause not in vague) or one.causes
    touched = tuple(sorted({*one.turns, *course.during(one.from_ns, one.until_ns)}))
    counted = [*(_concluded(turns, number, one) for number in touched)] or ["no turn ended in it"]
    concluded = (*counted, *_compared(one, course, turns))
    return replace(one, causes=causes, turns=touched, concluded=concluded)


def _compared(one: Unseen, course: Course, turns: Sequence[TurnStory]) -> Iterator[str]:
    """Yield when it began, what is seen to be as before after it, and what nobody saw."""
    last = course.counted(one.from_ns)
    since_ns = course.start_ns if last is None else last.press_ns
    yield f"it began {lasting(one.from_ns - since_ns)} after {course.end_of(last)}"
    changed = (step.event for step in course.steps if isinstance(step.event, BoardChanged))
    lay = course.state.ledger.at(one.from_ns).board
    later = (of.turn.seen for of in turns if (of.turn.seen.sighted_ns or 0) >= one.until_ns)
    seen = next((Board.from_rows(of.rows) for of in later if len(of.rows) == SIZE), None)
    if (
        seen is not None
        and all(same_tile(lay[square], seen[square]) for square in lay.tiles())
        and not any(it.from_ns < one.until_ns and it.seen_ns > one.from_ns for it in changed)
    ):
        yield "the tiles of the turns before lay on the same squares after it as before it"
    if one.dark:
        yield "who darkened or covered the camera no picture tells"


def _lost(course: Course) -> Iterator[Unseen]:
    """Yield the stretches from which no picture was examined, or in which nobody watched."""
    exposed_ns = _exposed_ns(course)
    for step in course.steps:
        event = step.event
        if isinstance(event, TurnSeen):
            for lost in event.lost or ():
                came = any(lost.from_ns < at_ns < lost.until_ns for at_ns in exposed_ns)
                cause = _NO_TIME if lost.dropped else _NONE_SHOWS if came else _NONE_CAME
                yield Unseen(lost.from_ns, lost.until_ns, (cause,))
        elif isinstance(event, TimeUnseen):
            text = f"{describe_event(event, course.names)}: a press in it was heard by nobody"
            yield Unseen(event.from_ns, event.t_ns, (text,))


def troubles(course: Course) -> Iterator[tuple[TroubleNoted, int | None]]:
    """Yield the troubles of the table, each with when it was over; None if it never was."""
    since: dict[tuple[str, str], TroubleNoted] = {}
    for event in (step.event for step in course.steps):
        if isinstance(event, TroubleNoted):
            key = event.code, event.what
            if event.state == "happened":
                yield event, None
            elif event.state == "over" and key in since:
                yield since.pop(key), event.t_ns
            elif event.state != "over":
                since.setdefault(key, event)
    yield from ((begun, None) for begun in since.values())


def _blind(course: Course) -> Iterator[Unseen]:
    """Yield the troubles of a camera that shows nothing, to their ends.

    A lost camera was back with the first picture that was kept, and it was light again with the
    first that was examined.
    """
    exposed_ns = _exposed_ns(course)
    seen = (step.event for step in course.steps if isinstance(step.event, TurnSeen))
    lost = [one for event in seen for one in event.lost or ()]
    for begun, over_ns in troubles(course):
        if begun.code in BLIND:
            until_ns = max(course.seen_ns, begun.t_ns) if over_ns is None else over_ns
            if begun.code == "camera_lost" and over_ns is not None:
                back = (at_ns for at_ns in exposed_ns if begun.t_ns < at_ns < over_ns)
                until_ns = next(back, over_ns)
            elif begun.code == "camera_dark":
                within = (one for one in lost if one.from_ns <= begun.t_ns < one.until_ns)
                until_ns = min(until_ns, *(one.until_ns for one in within), until_ns)
            yield Unseen(begun.t_ns, until_ns, (BLIND[begun.code],))


def _exposed_ns(course: Course) -> list[int]:
    """Return when each picture of the whole board was taken that was kept, in order."""
    kept = (step.event for step in course.steps if isinstance(step.event, PicturesKept))
    return sorted(one.exposed_ns for event in kept for one in event.pictures if not one.square)


def _never_seen(turns: Sequence[TurnStory]) -> Iterator[Unseen]:
    """Yield the moment of the press of each turn of which nothing could be seen."""
    for story in turns:
        seen = story.turn.seen
        if story.unseen:
            details = [one.detail for one in seen.findings if one.square is None and one.detail]
            cause = f"nothing of turn {story.number} could be seen"
            at_ns = story.turn.press_ns
            yield Unseen(at_ns, at_ns, (": ".join((cause, *details[:1])),), turns=(story.number,))


def _concluded(turns: Sequence[TurnStory], number: int, gap: Unseen) -> str:
    """Return what a turn was taken for, and what shows it."""
    story, before = turns[number - 1], turns[number - 2] if number > 1 else None
    turn = story.turn
    what = turn_words(turn)
    text = f"turn {number} was read from the picture {read_when(turn.seen)}: it counts as {what}"
    if story.unseen:
        text = f"nobody saw what {story.name} played in turn {number}: it counts as {what}"
    elif turn.tiles and before is not None and before.unseen:
        text += f"; no picture shows whether tiles of it were laid in turn {before.number}"
    if turn.tiles and gap.from_ns < turn.press_ns < gap.until_ns:
        text += "; how its tiles lay at the press no picture shows"
        text += ", unless a dark one brightened" * bool(gap.dark)
    if any(flag.open for flag in story.flags):
        text += "; it is asked about"
    return text + ("; it was ruled on or corrected since" if story.amended else "")
