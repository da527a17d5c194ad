"""Bundles of one game compared in words: what happened and was entered between the two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from record.story import Step, tell
from record.story.decisions import Decision
from record.verifier.report import Facts, Report


def compared(one: Report, other: Report) -> Iterator[str]:
    """Yield in lines how two bundles relate; nothing unless they are of one game."""
    facts = [report.facts for report in (one, other) if report.facts is not None]
    if len(facts) < 2 or facts[0].game_id != facts[1].game_id:
        return
    pairs = zip(facts[0].digests, facts[1].digests, strict=False)
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    (shorter, short), (longer, long) = sorted(
        zip((one.path, other.path), facts, strict=True), key=lambda pair: pair[1].events
    )
    if shared < short.events:
        yield f"{one.path} and {other.path}: NOT one log of this game, from event {shared + 1} on"
        for path, own in zip((one.path, other.path), facts, strict=True):
            yield f"  only in {path}:"
            yield from (f"    {text}" for text in _since(own, shared))
    elif short.events == long.events:
        yield f"{one.path} and {other.path}: the same {short.events} events"
    else:
        more = long.events - short.events
        yield f"{longer} has all events of {shorter}, and {more} more:"
        yield from (f"  {text}" for text in _since(long, shared))
    yield from (f"  {text}" for text in _results((shorter, short), (longer, long)))


def _results(*pairs: tuple[object, Facts]) -> Iterator[str]:
    """Yield the result in each bundle, or that it is the same."""
    results = [
        (path, tell(own.game.steps).result) for path, own in pairs if own.game and own.game.steps
    ]
    if len(results) == len(pairs) and len({result for _, result in results}) == 1:
        yield f"the result is the same: {results[0][1]}"
    else:
        yield from (f"the result in {path}: {result}" for path, result in results)


def _since(facts: Facts, number: int) -> Iterator[str]:
    if facts.game is None:
        yield f"{facts.events - number} events of a game that cannot be replayed here"
        return
    yield from since(facts.game.steps, number)


def since(steps: Sequence[Step], number: int) -> Iterator[str]:
    """Yield what followed event ``number`` of a game: its turns, each entry, and a count."""
    if number >= len(steps):
        return
    before = len(steps[number - 1].after.turns) if number else 0
    after = len(steps[-1].after.turns)
    if after > before:
        yield f"turn {after} was made" if after == before + 1 else f"turns {before + 1} to {after}"
    entered = [one for one in tell(steps).decisions if one.entry.number > number]
    yield from map(_entry, entered)
    if rest := len(steps) - number - len(entered):
        more = "1 event" if rest == 1 else f"{rest} events"
        yield f"{more} of the clock, the camera and the table"


def _entry(one: Decision) -> str:
    """Return an entry in a line: what, by whom, why, and what it changed."""
    why = f", because: {one.entry.why}" if one.entry.why else ", no reason entered"
    changed = "; ".join(one.changes) or "it changed nothing"
    back = "" if one.stands else f"; taken back by event {one.taken_back}"
    return (
        f"event {one.entry.number}: {one.text} (entered by {one.entry.who}{why}) → {changed}{back}"
    )
