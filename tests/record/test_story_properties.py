"""Whatever people enter, and whenever: it has its place, and time and pictures add up."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from game.events import (
    FACTS,
    SIDES,
    BoardChanged,
    ClockAdjusted,
    GameEnded,
    GameReopened,
    OvertimeErased,
    PlayersNamed,
    ResultSigned,
    Retracted,
    SetAltered,
    StopExplained,
    TurnRuled,
    UnseenTimeCharged,
)
from game.state.clock_history import clocks_by_presses
from game.state.timed_rights import play_ended_ns
from record.story import Story, steps_of, tell

from .mischief import Mischief, mischievous

SECOND = 1_000_000_000
OF_THE_GAME = GameEnded, GameReopened, OvertimeErased, PlayersNamed, ResultSigned, SetAltered


def place(made: Mischief, number: int) -> tuple[int, ...]:
    """The turns at which an entry is to stand, worked out in another way; none for the game."""
    state, event = made.table.state, made.table.events[number - 1]
    if isinstance(event, Retracted):
        return place(made, event.event)
    if isinstance(event, TurnRuled | StopExplained) and event.turn:
        return (event.turn,)  # nothing is renumbered in these games
    over = play_ended_ns(state)
    if isinstance(event, OF_THE_GAME) or (over is not None and event.t_ns >= over):
        return ()
    ended = [turn.number for turn in state.turns if turn.press_ns <= event.t_ns]
    return tuple(ended[-1:])


def check_places(made: Mischief, account: Story) -> None:
    """Every entry stands at its turn or at the game, and is one incident, as is every change.

    A ruling tells itself when the tiles that it took off were lifted.
    """
    events = list(enumerate(made.table.events, 1))
    entered = [n for n, e in events if not isinstance(e, FACTS)]
    decisions = {one.entry.number: one for one in account.decisions}
    assert set(decisions) == set(entered)
    incidents = [one.event for one in account.incidents if one.event is not None]
    erased = [n for n in entered if isinstance(made.table.events[n - 1], OvertimeErased)]
    lines = [line for one in account.incidents if one.kind == "overtime" for line in one.lines]
    assert all(sum(f"event {n})" in line for line in lines) == 1 for n in erased)
    lifted = {off.at_ns for one in account.decisions for off in one.off}
    changed = [
        number
        for number, event in events
        if isinstance(event, BoardChanged) and (number in incidents or event.seen_ns not in lifted)
    ]
    assert sorted([*incidents, *erased]) == sorted([*entered, *changed])
    beside = {one.number for one in account.beside}
    for number, one in decisions.items():
        assert one.turns == place(made, number)
        homes = [turn.number for turn in account.turns if one in turn.decisions]
        logged = [turn.number for turn in account.turns if one.entry in turn.entries]
        assert homes == logged == list(one.turns)
        assert (number in beside) == (not one.turns)
    assert len(account.entries) == len(beside) + sum(len(one.entries) for one in account.turns)
    assert [one.number for one in account.turns] == sorted({one.number for one in account.turns})


def check_clocks(made: Mischief, account: Story) -> None:
    """Every second of both clocks has its line, and the lines add up to what the clocks show."""
    clock, at = account.clock, made.table.events[0].t_ns
    for one in clock.stretches:
        assert one.from_ns == at < one.until_ns
        at = one.until_ns
    assert at == max(account.course.seen_ns, made.table.events[0].t_ns)
    for side in SIDES:
        left = clock.full_ns[side] - clock.ran_ns(side) + clock.changed_ns(side)
        assert left == clock.left_ns[side] == made.table.state.clocks.remaining(side, at)
        assert clock.shown_ns(max(at, *(one.at_ns for one in clock.changes), 0))[side] == left
    for one in clock.changes:  # nothing but what people gave or took
        event = one.entry.event
        event = made.table.events[event.event - 1] if isinstance(event, Retracted) else event
        assert one.added_ns
        assert isinstance(event, ClockAdjusted | UnseenTimeCharged)
    state = made.table.state  # its clocks follow from the log alone, whatever was taken back
    if state.status != "ended" and state.progress.at_end is None:
        assert clocks_by_presses(state) == state.raw_clocks


def check_gaps(made: Mischief, account: Story) -> None:
    """Every gap of pictures is within one incident, and there is none without a gap."""
    ends = [(one.from_ns, one.until_ns) for one in account.unseen]
    assert all(until < after for (_, until), (after, _) in pairwise(ends))
    of_kind = [one for one in account.incidents if one.kind == "unseen"]
    assert sorted((one.t_ns, one.until_ns) for one in of_kind) == ends
    covering = set()
    for begin, end in made.gaps:
        until = max(account.course.seen_ns, begin) if end is None else end
        (over,) = [one for one in ends if one[0] <= begin and until <= one[1]]
        covering.add(over)
    blind = {(one.turn.press_ns,) * 2 for one in account.turns if one.unseen}
    assert set(ends) <= covering | blind
    for one in account.turns:
        if one.unseen:
            (over,) = [
                it for it in account.unseen if it.from_ns <= one.turn.press_ns <= it.until_ns
            ]
            assert one.number in over.turns
            texts = [it.text for it in account.incidents if one.number in it.place.turns]
            assert not any("played nothing" in text for text in texts)


@given(st.integers(0, 2**32))
@example(800192)  # tiles that a ruling took off are lifted
def test_every_entry_every_second_and_every_gap_has_its_place(seed):
    made = mischievous(seed)
    account = tell(steps_of(made.entries))
    check_places(made, account)
    check_clocks(made, account)
    check_gaps(made, account)
