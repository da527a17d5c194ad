"""The place of everything in the account: at its turns, or at the game; and the moment of it.

A turn's time goes from the press that ended the turn before to the one that ended the next: it is
made, then it may be challenged, corrected or stopped for. A person's entry stands at the turns that
it names. If it names none, its moment decides: it stands at the last turn that had ended by then.
Before the first turn and after the end the place is the game; so it is for entries that are about
the game whenever they are made, such as its end or its signature. What takes an entry back stands
where that entry does.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Final

from game import events
from game.board import EMPTY
from game.referee.position import Turn, last_turn
from game.state.end_events import OnTheEnd
from game.state.fold import GameState
from game.state.numbering import as_numbered_now, made_of_events, turns_named
from game.state.start_events import OnStart
from game.state.timed_rights import play_ended_ns
from record.story.entries import Entry, Step, WallClock, is_watched
from record.story.event_wording import Names, describe_entry

_OF_THE_GAME: Final = OnStart | OnTheEnd | events.LateStart | events.OvertimeErased
"""Entries that are about the whole game, whenever they are made."""

_LATER_NS: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an event in the account."""

    turns: tuple[int, ...]
    """The turns at which it stands; empty if it stands at the game."""
    at_ns: int
    """The moment that it is about, or else of its entry."""
    named: bool = True
    """True if it names its turns or the game; False if only its moment tells its place."""


class Course:
    """The moments of a game: the ends of its turns, its own end, and the last seen of it."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = steps
        self.state: GameState = steps[-1].after
        self.names: Names = self.state.players
        self.start_ns = self.state.start.t_ns
        self.over_ns = play_ended_ns(self.state)
        """When the play of the game ended; None while it goes on."""
        self.seen_ns = max(seen_ns(step) for step in steps)
        """The last moment that the table saw, or at which somebody stopped or started a clock. What
        is entered later adds nothing to the clocks."""
        self.wall = WallClock(steps)
        ends = (turn.press_ns for turn in self.state.turns)
        self._ends_ns = list(accumulate(ends, max, initial=self.start_ns))[1:]

    def after(self, t_ns: int) -> int:
        """Return the number of the last turn that had ended by a moment; 0 before the first."""
        return bisect_right(self._ends_ns, t_ns)

    def counted(self, t_ns: int) -> Turn | None:
        """Return the last turn that had ended by a moment and counts; None before the first."""
        return last_turn(self.state.turns[: self.after(t_ns)])

    def lifted(self, t_ns: int) -> set[str]:
        """Return the squares that were seen without their tile since the last press."""
        since_ns = [self.start_ns, *self._ends_ns][self.after(t_ns)]
        gone = (one for one in self._changed if since_ns < one.seen_ns <= t_ns)
        return {it.square for one in gone for it in one.changes if it.showed == EMPTY}

    @cached_property
    def _changed(self) -> list[events.BoardChanged]:
        """The changes of the board that were not put back."""
        seen = (step.event for step in self.steps)
        return [one for one in seen if isinstance(one, events.BoardChanged) and one.back_ns is None]

    @property
    def laid_after(self) -> dict[str, str]:
        """The tiles that were seen laid after the end and not taken off again, by their squares."""
        over_ns = self.seen_ns if self.over_ns is None else self.over_ns
        later = (one for one in self._changed if one.seen_ns > over_ns)
        showed = {it.square: (it.was, it.showed) for one in later for it in one.changes}
        return {at: now for at, (was, now) in showed.items() if was == EMPTY}

    def arm(self, side: events.Side | None) -> str:
        """Return whose arm was over the board at a change, in words."""
        return "whose arm was not made out" if side is None else f"{self.names[side]}'s arm there"

    def end_of(self, turn: Turn | None) -> str:
        """Return the moment from which times after a turn count, in words; the start for None."""
        if turn is None:
            return "the start"
        return f"the {'press' if turn.pressed else 'end'} of turn {turn.number}"

    def stood(self, from_ns: int, until_ns: int) -> bool:
        """Return True if both clocks stood throughout a period, stopped by a press."""
        presses = [step for step in self.steps if isinstance(step.event, events.ButtonPressed)]
        by_then = sorted((one for one in presses if one.t_ns <= until_ns), key=lambda one: one.t_ns)
        clocks = by_then[-1].after.clocks if by_then else None
        return clocks is not None and clocks.running is None and by_then[-1].t_ns <= from_ns

    def stopped(self, t_ns: int) -> int:
        """Return when both clocks were first stopped from a moment on; if never, that moment."""
        presses = (
            step.event for step in self.steps if isinstance(step.event, events.ButtonPressed)
        )
        stops = (one.t_ns for one in presses if one.button == "neutral" and one.t_ns >= t_ns)
        return min(stops, default=t_ns)

    def during(self, from_ns: int, until_ns: int) -> tuple[int, ...]:
        """Return the turns that were being made in a period, or at a moment of it."""
        last = bisect_left(self._ends_ns, until_ns)
        first = min(bisect_right(self._ends_ns, from_ns), last)
        return tuple(range(first + 1, min(last + 1, len(self._ends_ns)) + 1))

    def around(self, number: int) -> tuple[int, int]:
        """Return the time of a turn: from the end of the one that counts before to the next's."""
        before = last_turn(self.state.turns[: number - 1])
        until_ns = self._ends_ns[min(number, len(self._ends_ns) - 1)]
        return self.start_ns if before is None else before.press_ns, until_ns

    def touched(self, from_ns: int, until_ns: int) -> tuple[int, ...]:
        """Return the turns that were being made in a period, else where its beginning stands."""
        return self.during(from_ns, until_ns) or self.at(from_ns)

    def at(self, t_ns: int) -> tuple[int, ...]:
        """Return the turn at which something stands that happened at a moment; empty for the game.

        Of a stop, a press or a word, this is the last turn that had ended.
        """
        over = self.over_ns is not None and t_ns >= self.over_ns
        number = 0 if over else self.after(t_ns)
        return (number,) if number else ()

    def until(self, turns: Sequence[int]) -> int | None:
        """Return until when something may stand at turns, or at the game; None if it goes on."""
        if turns and turns[-1] < len(self._ends_ns):
            return self._ends_ns[turns[-1]]
        stands = self.state.timed and (self.state.clocks.running is None or self.wall.replayed)
        return self.over_ns or (self.seen_ns if stands else None)

    def late_ns(self, entry: Entry) -> int:
        """Return how long after the time of its turn, or the game's end, an entry was made.

        It is 0 if the entry was made within that time. The machine's clock tells.
        """
        until = self.until(self.places[entry.number].turns)
        return 0 if until is None else max(0, entry.logged.wall_ns - self.wall.at(until))

    @cached_property
    def places(self) -> dict[int, Place]:
        """The place of each event, by its number."""
        return {step.number: self._place(step) for step in self.steps}

    def by_turn(self) -> dict[int, list[Step]]:
        """Return the events at each turn, in order, by its number; those at the game at 0."""
        found: dict[int, list[Step]] = {}
        for step in self.steps:
            for number in self.places[step.number].turns or (0,):
                found.setdefault(number, []).append(step)
        return found

    def now(self, step: Step) -> events.Event:
        """Return an event with the present number of the turn that it names."""
        return as_numbered_now(self.state, step.number, step.event)

    def words(self, step: Step) -> str:
        """Return an event in one line, with the present numbers of turns."""
        gone = step.event
        back = self.now(self.steps[gone.event - 1]) if isinstance(gone, events.Retracted) else None
        return describe_entry(self.now(step), self.names, back)

    def entered_ns(self, step: Step) -> int:
        """Return when an event was entered, on the table's base.

        An entry for an earlier moment has that moment as its own; the machine's clock tells by how
        much later it was made. Of less than a second it tells nothing.
        """
        mono_ns = step.logged.mono_ns
        if self.wall.replayed or isinstance(step.event, events.FACTS):
            return mono_ns
        later_ns = step.logged.wall_ns - self.wall.at(mono_ns)
        return mono_ns + later_ns if later_ns >= _LATER_NS else mono_ns

    def order(self, place: Place) -> tuple[int, int]:
        """Return the order of places: by turns, those at the game between them, then by moments."""
        half = 2 * place.turns[0] if place.turns else 2 * self.after(place.at_ns) + 1
        return half, place.at_ns

    def _place(self, step: Step) -> Place:
        if isinstance(step.event, events.Retracted):
            return replace(self._place(self.steps[step.event.event - 1]), at_ns=step.t_ns)
        if about := self._about(step):
            return Place(about, moment_ns(step))
        named = isinstance(step.event, _OF_THE_GAME)
        turns = () if named else self.at(step.t_ns)
        if isinstance(step.event, events.FACTS):  # those before the first turn's end lead to it
            turns = turns or self.during(step.t_ns, step.t_ns)
        return Place(turns, step.t_ns, named)

    def _about(self, step: Step) -> tuple[int, ...]:
        """Return the present numbers of the turns that an event names, by number or by square."""
        event, turns = step.event, self.state.turns
        if isinstance(event, events.ButtonPressed):  # the one that ended a turn is about it
            at = self.after(event.t_ns)
            return (at,) if at and self._ends_ns[at - 1] == event.t_ns else ()
        if isinstance(event, events.BoardChanged):
            if self.stood(event.from_ns, event.seen_ns):
                return self.at(event.seen_ns)  # it is in nobody's turn
            return self.touched(event.seen_ns, event.seen_ns)
        if isinstance(event, events.TimeUnseen):
            return self.touched(event.from_ns, event.t_ns)
        if isinstance(event, events.BlankDesignated):
            on = [turn.number for turn in turns if event.square in turn.tiles]
            return tuple(on[-1:])
        named = turns_named(self.state, step.number, event)
        if named == (0,) and isinstance(event, events.PicturesKept) and turns:
            return (1,)  # of the set-up: they are shown with the first turn
        return tuple(n for n in named if 1 <= n <= len(turns)) or self._made.get(step.number, ())

    @cached_property
    def _made(self) -> dict[int, tuple[int, ...]]:
        """The turns that each event made, by the event's number."""
        made: dict[int, tuple[int, ...]] = {}
        for turn in self.state.turns:
            for number in made_of_events(self.state, turn.number):
                made[number] = (*made.get(number, ()), turn.number)
        return made


def own_end(turn: Turn) -> str:
    """Return the moment from which the times of a turn count, in words."""
    return "the press" if turn.pressed else "its end"


def moment_ns(step: Step) -> int:
    """Return the moment that an event is about: when it happened, if that was said, else its own.

    For a ruling on a challenge it is the call; for an acceptance, when the play was accepted; for a
    time when nobody watched, its beginning.
    """
    event = step.event
    if isinstance(event, events.TurnRuled):
        return event.happened_ns if event.called_ns is None else event.called_ns
    if isinstance(event, events.TimeUnseen):
        return event.from_ns
    return event.moment_ns if isinstance(event, events.PlayAccepted) else step.t_ns


def seen_ns(step: Step) -> int:
    """Return until when an event shows that the game was watched; 0 for a mere entry."""
    before, after = step.before, step.after
    if before is None or is_watched(step.event):
        return step.t_ns
    turned = (after.clocks.running, after.status) != (before.clocks.running, before.status)
    return step.t_ns if turned else 0
