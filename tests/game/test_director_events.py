"""What is said beside the turns: why the clock stands, a set that was checked, a slip."""

from __future__ import annotations

import pytest

from game.errors import TilewatchError
from game.events import (
    InfractionNoted,
    LateStart,
    PenaltyAdded,
    Retracted,
    SetSeen,
    StopExplained,
    TurnRuled,
)
from game.state.fold import fold

from .gamekit import SECOND, Table, press


def test_the_clock_that_stands_is_asked_about_while_it_does():
    table = Table()
    table.play("8G", "CAT")
    assert table.state.flags == ()
    press(table, "neutral")
    (flag,) = table.state.flags
    assert (flag.code, flag.turn, flag.visibility) == ("clock_stopped", 1, "director")
    press(table, "left")
    assert table.state.flags == ()


@pytest.mark.parametrize("ruling", ["challenge_upheld", "challenge_failed"])
@pytest.mark.parametrize("turn", [1, 2])
def test_a_challenge_that_is_ruled_on_says_why_the_clock_stands(ruling, turn):
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ONE")
    press(table, "neutral")
    ruled = table.put(TurnRuled(turn, ruling, "TD", "", table.now + SECOND))
    assert "clock_stopped" not in [flag.code for flag in ruled.flags]
    press(table, "right", "neutral")
    assert "clock_stopped" in [flag.code for flag in table.state.flags]  # another stop


@pytest.mark.parametrize(
    "ruled",
    [
        TurnRuled(1, "no_score", "TD", "", 10**12),
        TurnRuled(1, "challenge_failed", "TD", "", 10**12, found_ns=1),
    ],
)
def test_a_ruling_that_is_no_challenge_of_this_stop_leaves_it_asked(ruled):
    table = Table()
    table.play("8G", "CAT")
    press(table, "neutral")
    number = len(table.events) + 1
    assert "clock_stopped" in [flag.code for flag in table.put(ruled).flags]
    table.put(TurnRuled(1, "challenge_failed", "TD", "", 10**12 + 1))
    assert "clock_stopped" not in [flag.code for flag in table.state.flags]
    table.put(Retracted(number + 1, "TD", "", 10**12 + 2))
    assert "clock_stopped" in [flag.code for flag in table.state.flags]


def test_what_was_never_is_refused():
    table = Table()
    with pytest.raises(TilewatchError, match="there is no turn 1"):
        table.put(StopExplained(1, "score", "TD", "", 0))
    with pytest.raises(TilewatchError, match="there is no turn -1"):
        table.put(StopExplained(-1, "score", "TD", "", 0))
    with pytest.raises(TilewatchError, match="has no tile 'Ä'"):
        table.put(SetSeen("ABÄ", "TD", 0))
    with pytest.raises(TilewatchError, match="does not count minor infractions"):
        table.put(InfractionNoted("left", None, "TD", "", 0))
    table.put(StopExplained(0, "director", "TD", "", 0))


def test_the_sets_faults_are_named():
    table = Table(rulebook="naspa-2017")
    whole = "".join(tile * count for tile, count in table.state.tile_set.counts.items())
    assert table.put(SetSeen(whole, "TD", 0)).flags == ()
    (flag,) = table.put(SetSeen(whole.replace("Q", "Z"), "TD", 1)).flags
    assert "100 tiles of 100" in flag.message
    assert "1 Q missing" in flag.message
    assert "1 Z too many" in flag.message
    (flag,) = table.put(SetSeen("A", "TD", 2)).flags
    assert "1 tiles of 100" in flag.message
    assert "8 A missing" in flag.message
    assert "and 21 more kinds" in flag.message
    assert table.put(SetSeen(whole, "TD", 3)).flags == ()


def test_when_the_set_was_checked_is_said():
    table = Table()
    table.state = fold(table.events[:1])
    (flag,) = table.put(SetSeen("A", "TD", 0)).flags
    assert "before the game" in flag.message
    table = Table()
    table.play("8G", "CAT")
    (flag,) = table.put(SetSeen("A", "TD", 0)).flags
    assert "in the game or after it" in flag.message
    (flag,) = Table().put(SetSeen("A", "TD", 0)).flags
    assert "in the game or after it" in flag.message


def test_a_penalty_may_be_nothing_and_never_less():
    table = Table()
    assert table.put(PenaltyAdded("left", 0, None, "TD", "a warning", 0)).scores["left"] == 0
    with pytest.raises(TilewatchError, match="-1 is below 0"):
        table.put(PenaltyAdded("left", -1, None, "TD", "", 0))


@pytest.mark.parametrize(("minutes", "words"), [(25, "starts with 0:00"), (26, "the game is lost")])
def test_a_player_who_comes_at_the_last_second_still_starts(minutes, words):
    table = Table(rulebook="naspa-2017")
    (flag,) = table.put(LateStart("left", minutes * 60 * SECOND, "TD", "", 0)).flags
    assert words in flag.message
