"""Events that code gives a game, and a table would never log so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from game.errors import TilewatchError
from game.events import ButtonPressed, Event, Side, TurnSeen, check_event


def check_given(event: Event, before: Sequence[Event], names: Mapping[Side, str]) -> None:
    """Refuse what cannot come next, though a log that has it is read.

    Args:
        event: the event.
        before: the events so far.
        names: the players' names by side.

    Raises:
        TilewatchError: it has a player's name for a side, is from before the start, or is a
            press or a turn that is on record.
    """
    kind, side = type(event).__name__, getattr(event, "side", None)
    for known, name in names.items():
        if side == name and side not in names:
            raise TilewatchError(f"{kind}.side: give game.side({name!r}), which is {known!r}")
    check_event(event)
    start_ns = getattr(before[0], "t_ns", 0)
    if (t_ns := getattr(event, "t_ns", start_ns)) < start_ns:
        raise TilewatchError(
            f"{kind}.t_ns: {t_ns} is before the game began ({start_ns}); now is game.now_ns"
        )
    for number, known_event in enumerate(before, start=1):
        if _same(event, known_event):
            raise TilewatchError(f"this {kind} is on record already: event {number}")


def _same(event: Event, known: Event) -> bool:
    """True if both are one press, or what one press ended."""
    if isinstance(event, TurnSeen) and isinstance(known, TurnSeen):
        return (event.side, event.press_ns) == (known.side, known.press_ns)
    return isinstance(event, ButtonPressed) and event == known
