"""Contradictions of an entry by the record itself: its own sums, and the tiles in the bag."""

from __future__ import annotations

from collections.abc import Iterator

from game import events
from game.guidance import by_name
from record.story.entries import Step
from record.story.event_wording import Names, number
from record.story.places import Course
from record.story.sums import turn_sum


def against(course: Course, step: Step) -> Iterator[str]:
    """Yield what the record says against points that were entered, one a line."""
    match step.event:
        case events.PointsAdjusted(on="score", side=side) | events.ScoreAgreed(turn=0, side=side):
            yield _own_sums(step, side, course.names)
        case events.PointsAdjusted() | events.PenaltyAdded():
            yield from _in_the_bag(course, step)


def _own_sums(step: Step, side: events.Side, names: Names) -> str:
    """Return what the squares give a player, or the turns of which they do not give the score."""
    state = step.before
    assert state is not None
    unlike = []
    for turn in state.turns:
        if turn.side == side and turn.kind == "play":
            found = turn_sum(turn, state.tile_set)
            if found is None or found.made + turn.bonus - turn.penalty != found.counts:
                unlike.append(f"turn {turn.number}")
    if unlike:
        return f"by the record the squares do not give the score of {', '.join(unlike)}"
    score = number(state.scores[side])
    return (
        f"the record's own sums gave {names[side]} {score} before it: each play scores what its "
        "squares give, premiums counted"
    )


def _in_the_bag(course: Course, step: Step) -> Iterator[str]:
    """Yield the tiles in the bag at a report that points answer, if the text goes by them."""
    assert step.before is not None
    reports = zip(step.before.progress.reports, step.after.progress.reports, strict=False)
    for was, now in reports:
        guide = step.after.rulebook.guide(was.code)
        texts = [by_name(str(one), course.names, was.side) for one in guide.remedies]
        if was.answered is None and now.answered and any("the bag" in one for one in texts):
            bag = course.steps[was.event - 1].after.bag_count
            yield f"{bag} tiles were in the bag when it was reported; the rules: {'; '.join(texts)}"
