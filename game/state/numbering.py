"""The turn that an event names, found again after turns were renumbered.

Dividing, inserting and joining turns changes the numbers of later turns. Each turn on the ledger
therefore has an id that never changes: the number of the event that brought it in. For each event
that names a turn, the fold notes the turn's id. With the ids an event can be read under the current
numbers, or applied again in a course of the game that has other numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from game.errors import TilewatchError
from game.events import FACTS, Event, TurnInserted
from game.referee.inference import Seen
from game.state.game_state import GameState
from game.state.ledger import Ledger


def named_turn(state: GameState, event: Event) -> int | None:
    """Return the id of the turn that a new event names; None if it names no turn of the game.

    For an inserted turn this is the id of the turn before it.
    """
    number = getattr(event, "turn", None)
    if not isinstance(number, int):
        return None
    if isinstance(event, TurnInserted):
        number -= 1
    turns = state.ledger.sightings
    return turns[number - 1].id if 1 <= number <= len(turns) else None


def place_of(ledger: Ledger, named: int) -> int | None:
    """Return the current number of the turn with an id; None if this turn no longer exists."""
    return _place(ledger.sightings, named)


def turns_named(state: GameState, number: int, event: Event) -> tuple[int, ...]:
    """Return the current numbers of the turn that event ``number`` of the game names.

    There are several if the turn was divided since, and none if it no longer exists.
    """
    named = _id(state.progress.named, number)
    if named is None:
        turn = getattr(event, "turn", None)
        return (turn,) if isinstance(turn, int) else ()
    return tuple(at for at, seen in enumerate(state.ledger.sightings, start=1) if _is(seen, named))


def made_of_events(state: GameState, number: int) -> frozenset[int]:
    """Return the numbers of the events that brought in a turn and any turns it was made of."""
    seen: Seen | None = state.ledger.sightings[number - 1]
    found: set[int] = set()
    while seen is not None:
        found |= {seen.id, *seen.absorbed}
        seen = seen.whole
    return frozenset(found)


def renumbering(before: GameState, after: GameState) -> dict[int, int]:
    """Return a mapping from turn numbers before to turn numbers after; empty if none changed.

    Two joined turns both get the number of the joined turn. A turn that was left out gets the
    number of the turn before it.
    """
    turns = after.ledger.sightings
    numbers: dict[int, int] = {}
    for number, seen in enumerate(before.ledger.sightings, start=1):
        numbers[number] = _place(turns, seen.id) or numbers.get(number - 1, 0)
    return numbers if any(old != new for old, new in numbers.items()) else {}


def new_tiles(before: GameState, after: GameState) -> dict[str, int]:
    """Return each square of the turns that only ``after`` has, with the number of its turn."""
    known = {seen.id for seen in before.ledger.sightings}
    pairs = zip(after.ledger.sightings, after.turns, strict=True)
    new = [turn for seen, turn in pairs if seen.id not in known]
    return {name: turn.number for turn in new for name in turn.tiles}


def as_numbered_now(state: GameState, number: int, event: Event) -> Event:
    """Return event ``number`` with the current number of any turn that it names."""
    now = turns_named(state, number, event)
    about: Any = event
    if not now or isinstance(event, TurnInserted) or about.turn in now:
        return event
    return _with_turn(event, now[-1])


def renumbered(again: GameState, number: int, event: Event, named: Sequence[int | None]) -> Event:
    """Return event ``number`` with the turn number that fits another course of the game.

    Args:
        again: the state of that course before the event.
        number: the event's number.
        event: the event.
        named: for each event, the id of the turn that it named when it was entered, or None.

    Raises:
        TilewatchError: a person entered the event, and its turn does not exist in that course.
    """
    meant = _id(named, number)
    if meant is None:
        return event
    turns = again.ledger.sightings
    now = _place(turns, meant)
    while now is None and (whole := _id(named, meant)) is not None and isinstance(event, FACTS):
        meant = whole  # what was seen of a parted turn was seen of the whole
        now = _place(turns, meant)
    if now is None:
        if isinstance(event, FACTS):
            return event
        raise TilewatchError(
            f"take back event {number} first: it is about a turn that would no longer exist"
        )
    return _with_turn(event, now + isinstance(event, TurnInserted))


def _id(named: Sequence[int | None], number: int) -> int | None:
    """Return the id of the turn that event ``number`` named; None if it named none."""
    return named[number - 1] if 1 <= number <= len(named) else None


def _place(turns: list[Seen], named: int) -> int | None:
    exact = (at for at, seen in enumerate(turns, 1) if named == seen.id or named in seen.absorbed)
    return next(exact, None)


def _is(seen: Seen, named: int) -> bool:
    """True if a turn has this id, or was made by joining or dividing a turn with this id."""
    whole: Seen | None = seen
    while whole is not None:
        if named == whole.id or named in whole.absorbed:
            return True
        whole = whole.whole
    return False


def _with_turn(event: Event, number: int) -> Event:
    about: Any = event
    return event if about.turn == number else replace(about, turn=number)
