"""The next call that brings a game on Woogles nearer to a table's record, and what differs.

The comparison starts from the document that was just read, so a call whose answer was lost is never
made twice, and events that an amendment dropped are simply missing again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Final

from woogles.document import CHALLENGES, ENDS, TURNS, DocEvent, Document, totals
from woogles.letters import Letters
from woogles.mapping import Ours, unended


@dataclass(frozen=True)
class Send:
    """The call of ``SendGameEvent`` for the event with this index."""

    event: DocEvent
    number: int
    amendment: bool = False


@dataclass(frozen=True)
class SetRacks:
    """The call of ``SetRacks``: the tiles known on each rack now."""

    racks: tuple[bytes, bytes]
    number: int


@dataclass(frozen=True)
class Replace:
    """The call of ``ReplaceGameDocument``, and the difference that no other call mends."""

    why: str
    """One line for the director; empty if only clocks, notes and time penalties are new."""
    ends: bool = False
    """True if it ends a game that the call of its last event did not end."""


_COUNTED: Final = ENDS | {"TIME_PENALTY", "RESIGNED"}
"""Events after the last turn, of which rulebooks differ."""

Step = Send | SetRacks | Replace


def next_step(ours: Ours, theirs: Document, answered: Step | None = None) -> Step | None:
    """Return the next call; None if there is none to make now.

    Args:
        ours: the table's game.
        theirs: the document, read after the call before.
        answered: the call before, if the server answered it. One that is due again did not do
            what it should have: then the whole document is sent.
    """
    at = first_difference(ours.events, theirs.events)
    step = _step(ours, theirs, at)
    if isinstance(answered, Send) and step is not None:
        if answered.number == at:
            step = Replace(difference(ours, theirs, at))
        if isinstance(step, Replace):
            return replace(step, ends=answered.number == len(unended(ours).events))
    return None if step == answered and isinstance(step, SetRacks) else step


def first_difference(ours: tuple[DocEvent, ...], theirs: tuple[DocEvent, ...]) -> int:
    """Return the index of the first event that differs or that one of them lacks."""
    pairs = enumerate(zip(ours, theirs, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(ours), len(theirs)))


def _step(ours: Ours, theirs: Document, at: int) -> Step | None:
    mine, other = ours.events[at:], theirs.events[at:]
    if not mine and not other:
        return _beside(ours, theirs)
    if not other:
        sent = mine[0].kind in TURNS or mine[0].kind in CHALLENGES or mine[0].kind == "RESIGNED"
        if sent and theirs.state != "GAME_OVER":
            return Send(mine[0], at)
        return _whole(ours, theirs, at)
    if not mine and not ours.over and all(one.kind in ENDS for one in other):
        return None  # the server ended a game whose end the record does not have yet
    if not mine and not ours.over and ours.waits:
        return None
    if mine and mine[0].kind in ("TILE_PLACEMENT_MOVE", "PASS") and _amendable(mine[0], other[0]):
        return Send(mine[0], at, amendment=True)
    return _whole(ours, theirs, at)


def _whole(ours: Ours, theirs: Document, at: int) -> Replace:
    """Return the call with the whole document; what rulebooks count apart is no difference."""
    matters = at >= len(ours.events) or ours.events[at].kind not in _COUNTED
    return Replace(difference(ours, theirs, at) if matters else "")


def _amendable(mine: DocEvent, other: DocEvent) -> bool:
    """Return True if an amendment can make ``mine`` of an event: more than its points differ."""
    asked = (mine.kind, mine.position, mine.tiles)
    is_other = asked != (other.kind, other.position, other.tiles)
    return is_other and other.kind in TURNS and mine.player == other.player


def _beside(ours: Ours, theirs: Document) -> Step | None:
    """Return the call for what goes with the events: racks, and at the end clocks and notes.

    An amendment leaves sums behind that count what it took away.
    """
    if theirs.scores != (totals(ours.events) or [(0, 0)])[-1]:
        return Replace("")
    if ours.over:
        pairs = list(zip(ours.events, theirs.events, strict=True))
        more = any(
            one.millis not in (None, other.millis)
            or one.note not in ("", other.note)
            or len(one.rack) > len(other.rack)
            for one, other in pairs
        )
        return Replace("") if more or theirs.state != "GAME_OVER" else None
    known = ours.racks
    racks = tuple(theirs.racks[side] if one is None else one for side, one in enumerate(known))
    if all(sorted(one) == sorted(other) for one, other in zip(racks, theirs.racks, strict=True)):
        return None
    return SetRacks((racks[0], racks[1]), len(theirs.events))


def difference(ours: Ours, theirs: Document, at: int) -> str:
    """Return in one line what both records say at an event."""
    letters = ours.letters
    mine, other = (
        in_words(one[at], letters) if at < len(one) else "nothing"
        for one in (ours.events, theirs.events)
    )
    return f"event {at + 1}: the table has {mine}, and Woogles had {other}"


def in_words(event: DocEvent, letters: Letters) -> str:
    """Return an event in words: ``player 1: 8D CAT +10``."""
    if event.kind == "TILE_PLACEMENT_MOVE":
        what = f"{event.position} {letters.tiles.bracketed(letters.symbols(event.tiles))}"
    else:
        what = event.kind.replace("_", " ").lower()
        if event.kind == "EXCHANGE":
            what += f" {letters.tiles.bracketed(letters.symbols(event.tiles, '?'))}"
    return f"player {event.player + 1}: {what} {event.points:+d}"


@dataclass(frozen=True)
class Row:
    """One event of two records, side by side."""

    number: int
    same: bool
    ours: str
    theirs: str


def side_by_side(ours: Ours, theirs: Document) -> Iterator[Row]:
    """Yield the events of both records in their order."""
    for number, pair in enumerate(zip_longest(ours.events, theirs.events), start=1):
        one, other = ("–" if event is None else in_words(event, ours.letters) for event in pair)
        yield Row(number, pair[0] == pair[1], one, other)
