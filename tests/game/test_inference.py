"""What clock, board and racks tell of a turn, and what is asked instead of guessed."""

from __future__ import annotations

import pytest

from game.board import Board, Square
from game.clock import shown
from game.ending import settle_limit
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ChallengeBonus,
    ClockAdjusted,
    Finding,
    GameEnded,
    GameForfeited,
    InfractionNoted,
    LateStart,
    PenaltyAdded,
    RackReported,
    Retracted,
    SetSeen,
    SquareCorrected,
    StopExplained,
    TilesChanged,
    TurnRuled,
)
from game.rulebook import load_rulebook
from game.state import apply, fold
from game.tally import Setting
from game.tileset import load_tile_set

from .gamekit import SECOND, Table, codes

CAT = {Square(7, 6): "C", Square(7, 7): "A", Square(7, 8): "T"}
LOSS = {"challenge.failed": "lose_turn"}


def press(table, *buttons):
    for button in buttons:
        table.now += SECOND
        table.put(ButtonPressed(button, table.now))


def kinds(table):
    return [turn.kind for turn in table.state.turns]


def stopped_after(table, *after, reason=None):
    """Two plays; then the clock is stopped, perhaps explained, and what else is pressed."""
    table.play("8G", "CAT")
    table.play("9G", "ON")
    press(table, "neutral")
    if reason is not None:
        table.put(StopExplained(2, reason, "TD", "", table.now))
    press(table, *after)


@pytest.mark.parametrize(
    ("seconds", "text"), [(-0.999, "0:00"), (-1, "-0:01"), (-1.5, "-0:01"), (1, "0:01")]
)
def test_the_first_second_over_time_is_shown_as_such(seconds, text):
    assert shown(int(seconds * SECOND)) == text


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
    assert one._ledger.about(2).stop_reason == two._ledger.about(2).stop_reason == "score"


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
    ledger = table.state._ledger
    assert len(ledger.tallies) == len(ledger.entries) + 1
    assert [len(tally.turns) for tally in ledger.tallies] == [0, 0, 1, 1, 2, 2, 3]
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
    for said in ("ABCDEFH", "AABCDEF"):
        table = Table()
        table.put(RackReported("left", "ABCDEFG", 0))
        table.nothing()
        table.play("8G", "CAT")
        table.put(RackReported("left", said, table.now))
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


@pytest.mark.parametrize("said", ["play", "pass"])
def test_somebodys_word_on_a_turn_without_tiles_stands_against_the_racks(said):
    table = Table()
    table.put(RackReported("left", "ABCDEFG", 0))
    table.nothing()
    table.put(TurnRuled(1, said, "TD", "", table.now))
    table.play("8G", "CAT")
    table.put(RackReported("left", "ABCDEFH", table.now))
    table.play("9G", "ON")
    assert kinds(table)[0] == {"play": "exchange_or_pass", "pass": "pass"}[said]
    assert not table.state.turns[0].inferred


def test_the_clock_that_stands_is_asked_about_while_it_does():
    table = Table()
    table.play("8G", "CAT")
    assert table.state.flags == ()
    press(table, "neutral")
    (flag,) = table.state.flags
    assert (flag.code, flag.turn, flag.visibility) == ("clock_stopped", 1, "director")
    press(table, "left")
    assert table.state.flags == ()


def test_a_stop_for_the_score_does_not_end_the_game_after_six_zeros():
    for reason, status in ((None, "ended"), ("score", "running"), ("six_zeros", "ended")):
        table = Table(rulebook="naspa-2017")
        for _ in range(6):
            table.nothing()
        press(table, "neutral")
        if reason is not None:
            table.put(StopExplained(6, reason, "TD", "", table.now))
        assert table.state.status == status


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


def test_a_penalty_may_be_nothing_and_never_less():
    table = Table()
    assert table.put(PenaltyAdded("left", 0, None, "TD", "a warning", 0)).scores["left"] == 0
    with pytest.raises(TilewatchError, match="-1 is below 0"):
        table.put(PenaltyAdded("left", -1, None, "TD", "", 0))


def test_the_message_on_overtime_says_how_much():
    table = Table(seconds=1565)
    turn = table.play("8G", "CAT")
    assert turn.flags[0].message == "Ann Lee is 1:05 over time: 20 points."
    table = Table(rulebook="naspa-2017", seconds=2101)
    turn = table.play("8G", "CAT")
    assert turn.flags[1].message == (
        "Ann Lee has exceeded 10:00 of overtime, which loses the game."
    )


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


def test_time_taken_off_a_clock_is_seen_from_the_first_turn_on():
    table = Table(seconds=700)
    for where, word in (("8G", "CA"), ("9G", "BE"), ("10G", "DO")):
        table.play(where, word)
    assert [codes(turn) for turn in table.state.turns] == [[], [], []]
    table.put(ClockAdjusted("left", -810 * SECOND, None, "TD", "", table.now))
    assert ["overtime" in codes(turn) for turn in table.state.turns] == [True, False, True]


@pytest.mark.parametrize("cause", ["left", "resigned", "late", "absent", "director"])
def test_an_outcome_says_what_it_came_from(cause):
    table = Table(rulebook="psa")
    outcome = table.put(GameForfeited("left", cause, "TD", "", 0)).outcome
    assert (outcome.kind, outcome.winner) == (cause, "right")


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


def test_the_higher_score_wins_by_the_difference():
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    state = apply(table.state, GameEnded("agreed", table.now))
    assert dict(state.scores) == {"left": 10, "right": 10}
    assert (state.outcome.winner, state.outcome.margin) == (None, 0)
    table.put(PenaltyAdded("left", 4, None, "TD", "", table.now))
    state = apply(table.state, GameEnded("agreed", table.now))
    assert (state.outcome.winner, state.outcome.margin) == ("right", 4)


def test_a_game_resigned_at_its_score_is_won_by_the_lead():
    table = Table(rulebook="naspa-2017", adjust={"leaving.resigning": "current_score"})
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.put(PenaltyAdded("right", 3, None, "TD", "", table.now))
    outcome = table.put(GameForfeited("right", "resigned", "TD", "", table.now)).outcome
    assert (outcome.winner, outcome.margin, outcome.rule) == ("left", 3, "I.B")


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


def test_one_tile_that_lies_turned_is_no_turned_play():
    table = Table()
    table.play("8G", "CAT")
    turn = table.play("7H", "A", (Finding("misoriented_tile", "7H"),))
    assert codes(turn) == ["misoriented_tile"]


def test_the_same_play_by_the_opponent_may_be_challenged_off_too():
    table = Table()
    for number in (1, 2):
        turn = table.see(Board.empty().replace(CAT))
        assert turn.word == "CAT"
        table.put(TurnRuled(number, "challenge_upheld", "TD", "", table.now))
        table.put(TilesChanged(number, Board.empty().rows, table.now, {}, table.now))
        assert codes(table.state.turns[-1]) == []
    assert kinds(table) == ["challenge_upheld", "challenge_upheld"]
    assert [turn.word for turn in table.state.turns] == ["CAT", "CAT"]


def test_a_withdrawn_play_that_was_never_seen_gone_is_not_played_again():
    table = Table()
    table.play("8G", "CAT")
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    turn = table.nothing()
    assert (turn.kind, turn.word, codes(turn)) == ("exchange_or_pass", None, ["withdrawn_left"])


def test_a_correction_goes_with_the_play_that_was_challenged_off():
    table = Table()
    table.play("8G", "CAT")
    table.put(SquareCorrected(1, "8G", "B", "TD", "", table.now))
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    assert table.lay("8G=C", "8H=O", "8I=T").word == "COT"


def test_nothing_is_added_for_an_opponent_who_wins_by_one_already():
    setting = Setting(
        {"left": "Ann", "right": "Bo"}, load_tile_set("english"), load_rulebook("naspa-2017")
    )
    clocks = {"left": 0, "right": -601 * SECOND}
    kept = settle_limit("right", {"left": 10, "right": 109}, clocks, setting, 2)
    assert [line.kind for line in kept.adjustments] == ["overtime_limit"]
    level = settle_limit("right", {"left": 10, "right": 110}, clocks, setting, 2)
    assert dict(level.scores) == {"left": 11, "right": 10}


def test_a_question_about_a_square_goes_when_it_is_answered():
    table = Table()
    doubts = (Finding("uncertain_square", "8H"), Finding("uncertain_square", None, "glare"))
    turn = table.play("8G", "CAT", doubts)
    assert [flag.squares for flag in turn.flags] == [("8H",)]
    state = table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    (flag,) = state.turns[0].flags
    assert (flag.squares, "glare" in flag.message) == ((), True)


@pytest.mark.parametrize(
    ("book", "margin", "rule"), [("naspa-2017", 50, "V.K"), ("wespa-2007", None, None)]
)
def test_a_game_that_neither_came_to_is_lost_by_both_where_the_text_says_so(book, margin, rule):
    table = Table(rulebook=book)
    outcome = table.put(GameForfeited("left", "both_absent", "TD", "", 0)).outcome
    assert (outcome.winner, outcome.margin, outcome.rule) == (None, margin, rule)


def test_a_correction_before_the_limit_on_overtime_changes_the_margin():
    table = Table()
    table.play("8H", "ZZZZZZZ")
    table.seconds = 2100
    table.nothing()
    table.seconds = 10
    table.nothing()
    before = table.state
    assert (before.forfeit.side, before.forfeit.margin) == ("right", 310)
    later = apply(before, TurnRuled(3, "pass", "TD", "", table.now))
    assert later.forfeit == before.forfeit
    state = apply(before, SquareCorrected(1, "8I", "A", "TD", "", table.now))
    assert state.turns[0].score < 210
    assert state.forfeit.margin == state.turns[0].score + 100


def test_a_turn_that_never_was_scores_nothing():
    table = Table()
    table.play("8G", "CAT")
    table.put(TurnRuled(1, "undone", "TD", "", table.now))
    (turn,) = table.state.turns
    assert (turn.score, turn.total, turn.bingo, dict(turn.tiles)) == (0, 0, 0, {})


@pytest.mark.parametrize(("minutes", "words"), [(25, "starts with 0:00"), (26, "the game is lost")])
def test_a_player_who_comes_at_the_last_second_still_starts(minutes, words):
    table = Table(rulebook="naspa-2017")
    (flag,) = table.put(LateStart("left", minutes * 60 * SECOND, "TD", "", 0)).flags
    assert words in flag.message


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


@pytest.mark.parametrize("turn", [1, 2, 3, 4, 5])
def test_the_limit_on_overtime_was_reached_when_it_was_whatever_is_said_later(turn):
    table = Table(rulebook="naspa-2017", seconds=10)
    for where, word, seconds in (
        ("8G", "CAT", 10),
        ("9G", "ON", 2101),
        ("10G", "A", 10),
        ("11G", "A", 10),
        ("12G", "A", 10),
    ):
        table.play(where, word)
        table.seconds = seconds
    assert dict(table.state.scores) == {"left": -90, "right": 10}
    said = StopExplained(turn, "director", "TD", "", table.now)
    assert dict(apply(table.state, said).scores) == {"left": -90, "right": 10}
    undone = apply(table.state, TurnRuled(turn, "no_score", "TD", "", table.now))
    lost = {1: {"left": -100}, 2: {"right": 0}}.get(turn, {})
    assert dict(undone.scores) == {"left": -90, "right": 10} | lost


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


def test_a_correction_elsewhere_outlives_a_play_that_was_challenged_off():
    table = Table()
    table.play("8G", "BAT")
    table.put(SquareCorrected(1, "8G", "C", "TD", "", table.now))  # the camera goes on reading B
    table.play("9G", "ON")
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("9G=.", "9H=.", "7G=A")
    assert (turn.kind, codes(turn)) == ("play", [])
    assert table.state.board[Square(7, 6)] == "C"


def test_a_withdrawn_play_is_laid_at_the_door_of_whoever_made_it_for_as_long_as_it_lies_there():
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    for _ in range(2):
        (flag,) = table.nothing().flags
        assert (flag.code, flag.side, flag.squares) == ("withdrawn_left", "right", ("9G", "9H"))


def test_a_tile_only_told_of_goes_with_the_play_that_is_challenged_off_late():
    table = Table()
    table.play("8G", "CAT")
    table.lay("9G=O")  # the camera never sees the N
    table.put(SquareCorrected(2, "9H", "N", "TD", "", table.now))
    table.nothing()
    table.put(TurnRuled(2, "challenge_upheld", "TD", "", table.now))
    table.lay("9G=.", "7G=A")
    assert kinds(table) == ["play", "challenge_upheld", "exchange_or_pass", "play"]
    assert table.state.board[Square(8, 7)] == "."
