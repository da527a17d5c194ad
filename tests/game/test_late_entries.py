"""Entries that change nothing, and entries that are made late: the game is what it would be."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from hypothesis import example, given
from hypothesis import strategies as st

from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    ChallengeBonus,
    ClockAdjusted,
    DirectorNoted,
    DrawDelayed,
    Event,
    HoldCalled,
    InfractionNoted,
    LateStart,
    OvertimeErased,
    PenaltyAdded,
    PlayAccepted,
    PlayersNamed,
    PointsAdjusted,
    RackReported,
    RackUnderdrawn,
    Reported,
    Retracted,
    ScoreAgreed,
    SetAltered,
    SquareCorrected,
    StopExplained,
    TurnRuled,
    TurnSeen,
)
from game.flag_codes import REPORTED
from game.flags import Flag
from game.rulebooks.loading import rulebook_ids
from game.state.fold import GameState, fold
from game.state.timed_rights import windows

from .gamekit import SECOND
from .gcg.test_to_events import ODD, odd_game

Entry = Callable[[random.Random, GameState, int], Event]

HARMLESS: list[Entry] = [
    lambda rng, state, now: DirectorNoted("the light was changed", "TD", "", now),
    lambda rng, state, now: PlayersNamed({"left": state.players["left"]}, "TD", now),
    lambda rng, state, now: Reported(rng.choice(["cheating", "overdrawn"]), "left", "TD", "", now),
]

BESIDE: list[Entry] = [
    lambda rng, state, now: PenaltyAdded(side(rng), 10, None, "TD", "", now),
    lambda rng, state, now: ChallengeBonus(side(rng), 5, None, "TD", "", now),
    lambda rng, state, now: PointsAdjusted(side(rng), 7, "score", None, "TD", "", now),
    lambda rng, state, now: PointsAdjusted(side(rng), -50, "spread", None, "TD", "", now),
    lambda rng, state, now: DirectorNoted("so", "TD", "", now, score={side(rng): 5}),
    lambda rng, state, now: DirectorNoted("so", "TD", "", now, added_ns={side(rng): 60 * SECOND}),
    lambda rng, state, now: ClockAdjusted(
        side(rng), rng.choice([60, -60, -1600]) * SECOND, None, "TD", "", now
    ),
    lambda rng, state, now: LateStart(side(rng), 120 * SECOND, "TD", "", now),
    lambda rng, state, now: OvertimeErased(side(rng), "TD", "", now),
    lambda rng, state, now: DrawDelayed(side(rng), "TD", "", now),
    lambda rng, state, now: RackReported(side(rng), rng.choice(["AEIORST", "QI", ""]), now),
    lambda rng, state, now: RackUnderdrawn(side(rng), 1, "TD", "", now),
    lambda rng, state, now: InfractionNoted(side(rng), None, "TD", "", now),
    lambda rng, state, now: SetAltered("Q", "", "TD", "", now),
    lambda rng, state, now: ScoreAgreed(0, side(rng), 50, "TD", "", now),
]

OF_A_TURN: list[Entry] = [
    lambda rng, state, now: HoldCalled(number(rng, state), "TD", now),
    lambda rng, state, now: StopExplained(
        number(rng, state), rng.choice(["challenge", "score", "director"]), "TD", "", now
    ),
    lambda rng, state, now: PlayAccepted(
        number(rng, state), rng.choice(["tiles_drawn", "score_written"]), "TD", "", now
    ),
    lambda rng, state, now: ScoreAgreed(number(rng, state), side(rng), 9, "TD", "", now),
    lambda rng, state, now: TurnRuled(
        number(rng, state),
        rng.choice(["play", "pass", "exchange", "challenge_upheld", "challenge_failed", "undone"]),
        "TD",
        "",
        now,
    ),
    lambda rng, state, now: SquareCorrected(
        number(rng, state), square(rng, state), rng.choice("AEX?."), "TD", "", now
    ),
    lambda rng, state, now: BlankDesignated(square(rng, state), "E", "TD", "", now),
]


def side(rng):
    return rng.choice(["left", "right"])


def number(rng, state) -> int:
    return rng.randint(1, max(1, len(state.turns)))


def square(rng, state) -> str:
    return rng.choice([name for turn in state.turns for name in turn.tiles] or ["8H"])


def flags_of(flags: tuple[Flag, ...]) -> list[str]:
    """The flags but for reports and the numbers of the events that settled them."""
    kept = (flag for flag in flags if flag.code not in REPORTED)
    return sorted(f"{flag.message} {flag}".split(" settled=")[0] for flag in kept)


def seen(state: GameState) -> dict[str, object]:
    """The views that anybody has of a game, but for the numbers of its events."""
    kept = ("scores", "board", "status", "on_turn", "bag_count", "racks", "clocks", "adjustments")
    found = {name: getattr(state, name) for name in (*kept, "end_reason", "forfeit", "outcome")}
    found |= {"windows": windows(state), "flags": flags_of(state.flags)}
    for turn in state.turns:
        fields = {name: getattr(turn, name) for name in turn.__dataclass_fields__}
        found[f"turn {turn.number}"] = fields | {"flags": flags_of(turn.flags)}
    return found


def moment_ns(event: Event) -> int:
    return event.press_ns if isinstance(event, TurnSeen) else event.t_ns


def places(events: list[Event]) -> Iterator[tuple[int, int]]:
    """The place and moment for an entry between two events more than a second apart."""
    for at in range(2, len(events) + 1):
        now = max(map(moment_ns, events[:at])) + SECOND
        if at == len(events) or moment_ns(events[at]) > now:
            yield at, now


odd_games = st.tuples(
    st.integers(0, 10**6),
    st.sampled_from(rulebook_ids()),
    st.lists(st.sampled_from(ODD), min_size=1, max_size=9),
    st.sampled_from(["", "", "limit", "left"]),
)


def entered(game, seed: int, kinds: list[Entry]) -> tuple[list[Event], int, Event]:
    """The events of a game, a place among them, and an entry that was made there or about then."""
    rng, events = random.Random(seed), odd_game(*game).events
    at, now = rng.choice(list(places(events)))
    return events, at, rng.choice(kinds)(rng, fold(events[:at]), now)


def taken(events: list[Event]) -> dict[str, object] | None:
    """The views of a game after these events; None where one of them is refused."""
    try:
        return seen(fold(events))
    except TilewatchError:
        return None


@given(odd_games, st.integers(0, 10**6))
def test_a_note_or_a_report_changes_nothing_else(game, seed):
    events, at, entry = entered(game, seed, HARMLESS)
    found = taken([*events[:at], entry, *events[at:]])
    assert found in (None, seen(fold(events)))


@given(odd_games, st.integers(0, 10**6))
def test_an_entry_that_is_taken_back_leaves_nothing(game, seed):
    events, at, entry = entered(game, seed, BESIDE + OF_A_TURN)
    later = random.Random(seed).choice([to for to, _ in places(events) if to >= at])
    back = Retracted(at + 1, "TD", "", moment_ns(events[-1]))
    found = taken([*events[:at], entry, *events[at:later], back, *events[later:]])
    assert found in (None, seen(fold(events)))


@given(odd_games, st.integers(0, 10**6))
@example((3234, "naspa-2017", ["penalty", "play", "play"], "limit"), 5)
def test_what_is_entered_late_is_as_if_it_had_been_entered_in_time(game, seed):
    events, at, entry = entered(game, seed, BESIDE + OF_A_TURN)
    ruled = {event.turn for event in events[at:] if isinstance(event, TurnRuled)}
    if isinstance(entry, TurnRuled) and entry.turn in ruled:
        return  # of two rulings the one that was entered last holds
    late, in_time = taken([*events, entry]), taken([*events[:at], entry, *events[at:]])
    assert None in (late, in_time) or late == in_time
