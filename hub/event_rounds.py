"""The rounds of an event: which one is played, and which is to be seated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hub.event_meetings import Meeting


def round_due(rounds: Mapping[int, Sequence[Meeting]]) -> int | None:
    """Return the round to be seated: the newest, or the next once its games are over, or None."""
    number = newest_round(rounds)
    if number is None:
        return None
    is_open = any(one.right and not one.is_over for one in rounds[number])
    later = [one for one in rounds if one > number]
    return number if is_open or not later else later[0]


def _is_begun(one: Meeting) -> bool:
    """Return True if a game has begun; a bye never counts, since its points may be known early."""
    return bool(one.right and (one.result or one.live or one.scores))


def newest_round(rounds: Mapping[int, Sequence[Meeting]]) -> int | None:
    """Return the current round: the last with a game under way or over, else the first, or None."""
    begun = [number for number, meetings in rounds.items() if any(map(_is_begun, meetings))]
    return begun[-1] if begun else next(iter(rounds), None)
