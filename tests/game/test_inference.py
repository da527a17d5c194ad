"""What clock, board and racks tell of a turn, and what is asked instead of guessed."""

from __future__ import annotations

import pytest

from game.board import Square
from game.events import (
    ButtonPressed,
    ChallengeBonus,
    PenaltyAdded,
    RackReported,
    Retracted,
    SquareCorrected,
    StopExplained,
    TurnRuled,
)
from game.state.fold import apply, fold

from .gamekit import SECOND, Table, codes, kinds, press

LOSS = {"challenge.failed": "lose_turn"}


def stopped_after(table, *after, reason=None):
    """Two plays; then the clock is stopped, perhaps explained, and what else is pressed."""
    table.play("8G", "CAT")
    table.play("9G", "ON")
    press(table, "neutral")
    if reason is not None:
        table.put(StopExplained(2, reason, "TD", "", table.now))
    press(table, *after)


@pytest.mark.parametrize("reason", [None, "challenge"])
def test_tiles_gone_while_the_clock_stood_were_challenged_off(reason):
    table = Table()
    stopped_after(table, "right", reason=reason)
    table.lay("9G=.", "9H=.", "7G=A")
    assert kinds(table) == ["play", "challenge_upheld", "play"]
    assert table.state.turns[1].inferred
    assert codes(table.state.turns[2]) == []
    assert table.state.scores["right"] == 0


@pytest.mark.parametrize("reason", ["score", "director", "overdraw"])
def test_a_stop_explained_otherwise_is_no_challenge(reason):
    table = Table()
    stopped_after(table, "right", reason=reason)
    table.lay("9G=.", "9H=.", "7G=A")
    assert kinds(table) == ["play", "play", "play"]
    assert "tile_removed" in codes(table.state.turns[2])


def test_explaining_a_stop_later_takes_the_turns_again_and_taking_it_back_too():
    table = Table()
    stopped_after(table, "right")
    table.lay("9G=.", "9H=.", "7G=A")
    before = table.state
    number = len(table.events) + 1
    table.put(StopExplained(2, "score", "TD", "", table.now))
    assert kinds(table) == ["play", "play", "play"]
    table.put(Retracted(number, "TD", "", table.now))
    assert table.state == before
    assert fold(table.events) == before


def test_of_two_explanations_the_later_holds_in_whatever_order():
    table = Table()
    stopped_after(table)
    early = StopExplained(2, "challenge", "TD", "", table.now)
    late = StopExplained(2, "score", "TD", "", table.now + 1)
    one = apply(apply(table.state, early), late)
    two = apply(apply(table.state, late), early)
    assert (
        one.progress.ledger.rulings_for(2).stop_reason
        == two.progress.ledger.rulings_for(2).stop_reason
        == "score"
    )


def test_what_was_said_between_the_turns_outlives_taking_them_again():
    table = Table()
    table.put(PenaltyAdded("left", 3, None, "TD", "", 0))
    table.play("8G", "CAT")
    table.put(PenaltyAdded("right", 5, None, "TD", "", table.now))
    table.play("9G", "ON")
    table.put(PenaltyAdded("right", 7, None, "TD", "", table.now))
    press(table, "neutral", "right")
    table.lay("9G=.", "9H=.", "7G=A")
    assert kinds(table) == ["play", "challenge_upheld", "play"]
    ledger = table.state.progress.ledger
    assert len(ledger.positions) == len(ledger.entries) + 1
    assert [len(position.turns) for position in ledger.positions] == [0, 0, 1, 1, 2, 2, 3]
    assert dict(table.state.scores) == {"left": 10 - 3 + 5, "right": -12}


@pytest.mark.parametrize(
    ("gone", "asked"),
    [
        (("9G=.", "9H=."), "The tiles of turn 2 are gone, and no challenge was seen"),
        (("9G=.",), None),
        (("9G=.", "9H=.", "8I=."), None),
    ],
)
def test_tiles_gone_with_the_clock_running_are_asked_about(gone, asked):
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    turn = table.lay(*gone)
    found = [flag for flag in turn.flags if flag.code == "challenge_unclear"]
    assert [flag.turn for flag in found] == ([2] if asked else [])
    assert all(flag.message.startswith(asked) for flag in found)
    assert table.state.status == "running"


@pytest.mark.parametrize(
    ("stops", "reason", "asks"),
    [
        (("TD",), None, False),
        (("TD",), "challenge", True),
        (("TD", "TD"), None, False),
        (("", "TD"), None, True),
        (("TD", ""), None, True),
    ],
)
def test_a_stop_by_the_director_is_no_challenge_in_vain(stops, reason, asks):
    """Who rules at the desk on a challenge enters it there."""
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    for by in stops:
        table.now += SECOND
        why = "stopped for a ruling" if by else ""
        table.put(ButtonPressed("neutral", table.now, by, why))
        if reason is not None:
            table.put(StopExplained(2, reason, "TD", "", table.now))
        press(table, "right")
    assert ("challenge_unclear" in codes(table.play("10G", "A"))) == asks
    stopped_after(again := Table(), "right")
    assert "challenge_unclear" in codes(again.play("10G", "A"))


def test_tiles_gone_after_a_stop_by_the_director_are_asked_about():
    table = Table(adjust=LOSS)
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.now += SECOND
    table.put(ButtonPressed("neutral", table.now, "TD", "stopped for a ruling"))
    press(table, "right")
    assert "challenge_unclear" in codes(table.lay("9G=.", "7G=A"))


def test_some_tiles_gone_while_the_clock_stood_are_asked_about():
    table = Table(adjust=LOSS)
    stopped_after(table, "right")
    turn = table.lay("9G=.", "7G=A")
    assert "challenge_unclear" in codes(turn)
    assert "was it challenged off?" in turn.flags[-1].message
    state = apply(table.state, TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    assert "challenge_unclear" not in codes(state.turns[2])


def test_under_points_the_number_of_words_is_asked_only_where_the_same_clock_runs_on():
    for buttons, asks in ((("right",), True), ((), False)):
        table = Table()
        stopped_after(table, *buttons)
        turn = table.play("10G", "A")
        assert ("challenge_unclear" in codes(turn)) == asks
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    assert codes(table.play("10G", "A")) == []  # the clock was never stopped


def test_nothing_is_asked_once_points_were_given_or_the_turn_was_ruled():
    table = Table()
    stopped_after(table, "right")
    table.put(ChallengeBonus("right", 5, None, "TD", "", table.now))
    assert codes(table.play("10G", "A")) == []
    table = Table()
    stopped_after(table, "right")
    table.put(TurnRuled(2, "challenge_withdrawn", "TD", "", table.now))
    assert codes(table.play("10G", "A")) == []
    table = Table()
    stopped_after(table, "right", reason="score")
    assert codes(table.play("10G", "A")) == []


@pytest.mark.parametrize("reason", [None, "challenge", "score"])
def test_under_loss_of_turn_the_other_clock_started_means_a_challenge_lost(reason):
    table = Table(adjust=LOSS)
    stopped_after(table, reason=reason)
    table.nothing()
    lost = reason != "score"
    assert kinds(table)[2] == ("challenge_failed" if lost else "exchange_or_pass")


def test_a_rack_that_changed_tells_of_an_exchange():
    table = Table()
    table.put(RackReported("left", "ABCDEFG", 0))
    table.nothing()
    table.play("8G", "CAT")
    table.put(RackReported("left", "GFEDCBA", table.now))
    table.play("9G", "ON")
    assert kinds(table)[0] == "pass"
    for output in ("ABCDEFH", "AABCDEF"):
        table = Table()
        table.put(RackReported("left", "ABCDEFG", 0))
        table.nothing()
        table.play("8G", "CAT")
        table.put(RackReported("left", output, table.now))
        table.play("9G", "ON")
        assert kinds(table)[0] == "exchange"
        assert table.state.turns[0].inferred


def test_a_rack_known_in_part_tells_nothing():
    table = Table()
    table.put(RackReported("left", "ABC", 0))
    table.nothing()
    table.play("8G", "CAT")
    table.put(RackReported("left", "ABD", table.now))
    table.play("9G", "ON")
    assert kinds(table)[0] == "exchange_or_pass"


def test_a_rack_is_known_for_the_players_own_next_turn_and_no_longer():
    table = Table()
    table.put(RackReported("right", "ABCDEFG", 0))
    for where, word in (("8G", "CAT"), ("9G", "ON"), ("10G", "TO"), ("11G", "ON")):
        table.play(where, word)
    assert [turn.rack for turn in table.state.turns] == [None, "ABCDEFG", None, None]


@pytest.mark.parametrize("output", ["play", "pass"])
def test_somebodys_word_on_a_turn_without_tiles_stands_against_the_racks(output):
    table = Table()
    table.put(RackReported("left", "ABCDEFG", 0))
    table.nothing()
    table.put(TurnRuled(1, output, "TD", "", table.now))
    table.play("8G", "CAT")
    table.put(RackReported("left", "ABCDEFH", table.now))
    table.play("9G", "ON")
    assert kinds(table)[0] == {"play": "exchange_or_pass", "pass": "pass"}[output]
    assert not table.state.turns[0].inferred


def test_a_stop_for_the_score_does_not_end_the_game_after_six_zeros():
    for reason, status in ((None, "ended"), ("score", "running"), ("six_zeros", "ended")):
        table = Table(rulebook="naspa-2017")
        for _ in range(6):
            table.nothing()
        press(table, "neutral")
        if reason is not None:
            table.put(StopExplained(6, reason, "TD", "", table.now))
        assert table.state.status == status


def test_only_a_play_can_be_challenged_in_vain():
    table = Table(adjust=LOSS)
    table.play("8G", "CAT")
    table.nothing()
    press(table, "neutral")
    table.nothing()
    assert kinds(table) == ["play", "exchange_or_pass", "exchange_or_pass"]


def test_nobody_challenges_the_own_play():
    table = Table(adjust=LOSS)
    table.play("8G", "CAT")
    press(table, "neutral")
    table.side = "left"
    table.nothing()
    assert kinds(table) == ["play", "exchange_or_pass"]
    assert "changed_out_of_turn" in codes(table.state.turns[1])


def test_tiles_taken_off_by_their_own_player_are_asked_of_nobody():
    table = Table()
    table.play("8G", "CAT")
    press(table, "neutral")
    table.side = "left"
    turn = table.lay("8G=.", "8H=.", "8I=.")
    assert kinds(table) == ["play", "exchange_or_pass"]
    assert "challenge_unclear" not in codes(turn)


@pytest.mark.parametrize("adjust", [{}, LOSS])
def test_tiles_gone_and_no_clock_started_is_upheld_only_where_something_was_played(adjust):
    table = Table(adjust=adjust)
    stopped_after(table)
    table.lay("9G=.", "9H=.", "7G=A")
    assert kinds(table) == ["play", "challenge_upheld", "play"]
    table = Table(adjust=adjust)
    stopped_after(table)
    turn = table.lay("9G=.", "9H=.")
    assert kinds(table) == ["play", "play", "exchange_or_pass"]
    assert "challenge_unclear" in codes(turn)


@pytest.mark.parametrize("buttons", [(), ("neutral", "left")])
def test_a_tile_that_only_somebody_said_lies_there_is_not_taken_for_gone(buttons):
    """The camera reads nothing on 9H from the first; the correction says what lies there."""
    table = Table()
    table.play("8G", "CAT")
    table.nothing()
    table.put(SquareCorrected(2, "9H", "O", "TD", "", table.now))
    press(table, *buttons)
    table.play("7G", "A")
    assert kinds(table) == ["play", "play", "play"]
    assert codes(table.state.turns[2]) == []
    assert table.state.board[Square(8, 7)] == "O"


def test_the_first_play_of_all_is_challenged_off():
    table = Table()
    table.play("8G", "CAT")
    press(table, "neutral", "left")
    table.lay("8G=.", "8H=.", "8I=.", "8D=D", "8E=O", "8F=G", "8H=S")
    assert kinds(table) == ["challenge_upheld", "play"]
    assert dict(table.state.scores)["left"] == 0


def test_a_turn_in_which_tiles_were_played_was_not_lost_by_a_challenge():
    table = Table(adjust=LOSS)
    stopped_after(table)
    turn = table.play("10G", "A")
    assert (turn.kind, turn.ruling, turn.inferred) == ("play", None, False)


def test_tiles_misread_as_gone_and_corrected_were_not_challenged_off():
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    turn = table.lay("9G=.", "9H=.")
    assert "challenge_unclear" in codes(turn)
    table.put(SquareCorrected(3, "9G", "O", "TD", "", table.now))
    table.put(SquareCorrected(3, "9H", "N", "TD", "", table.now))
    assert kinds(table) == ["play", "play", "exchange_or_pass"]
    assert codes(table.state.turns[2]) == []


@pytest.mark.parametrize("buttons", [("right",), ("left",)])
def test_tiles_misread_as_gone_while_the_clock_stood_were_not_challenged_off(buttons):
    table = Table()
    stopped_after(table, *buttons)
    table.lay("9G=.", "9H=.", "7G=A")
    assert kinds(table)[1] == "challenge_upheld"
    table.put(SquareCorrected(3, "9G", "O", "TD", "", table.now))
    table.put(SquareCorrected(3, "9H", "N", "TD", "", table.now))
    assert kinds(table) == ["play", "play", "play"]


def test_more_tiles_gone_than_those_of_the_play_is_no_challenge():
    table = Table()
    stopped_after(table, "right")
    turn = table.lay("9G=.", "9H=.", "8I=.", "7G=A")
    assert kinds(table)[:2] == ["play", "play"]
    assert "challenge_unclear" in codes(turn)
