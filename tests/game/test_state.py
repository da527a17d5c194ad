"""The fold: clocks, amendments, the end, and what is refused."""

from __future__ import annotations

import json

import pytest

from game.board import SQUARES, Board, Square
from game.clock import shown
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    ButtonPressed,
    ChallengeBonus,
    Finding,
    GameEnded,
    GameForfeited,
    GameStarted,
    PenaltyAdded,
    RackReported,
    SquareCorrected,
    TurnRuled,
    TurnSeen,
    from_payload,
    to_payload,
)
from game.flags import CODES, make_flag
from game.outcome import played
from game.state import apply, ends_turn, fold
from game.tileset import load_tile_set

from .gamekit import SECOND, Table, codes

PLAYERS = {"left": "Ann", "right": "Bo"}
START = GameStarted("g", PLAYERS, "wespa-2007", "english", None, 0)
FULL = 25 * 60 * SECOND


def press(button, seconds):
    return ButtonPressed(button, int(seconds * SECOND))


# The clock.


def test_the_first_press_only_starts_the_other_clock():
    state = fold([START, press("right", 5)])
    assert (state.status, state.on_turn, state.turns) == ("running", "left", ())
    assert state.clocks.running == "left"
    assert state.clocks.remaining("left", 15 * SECOND) == FULL - 10 * SECOND
    assert state.clocks.remaining("right", 15 * SECOND) == FULL
    assert ends_turn(fold([START]), "left") is None
    assert ends_turn(state, "left") == "left"
    assert ends_turn(state, "right") is None


def test_time_goes_to_whose_clock_runs():
    state = fold([START, press("right", 0), press("left", 30), press("right", 100.5)])
    assert dict(state.clocks.remaining_ns) == {
        "left": FULL - 30 * SECOND,
        "right": FULL - 705 * SECOND // 10,
    }
    assert state.on_turn == "left"


def test_ones_own_button_again_does_nothing():
    state = fold([START, press("right", 0), press("left", 30)])
    assert apply(state, press("left", 31)) == state


def test_neutral_stops_both_and_either_button_goes_on():
    state = fold([START, press("right", 0), press("neutral", 60)])
    assert state.clocks.running is None
    assert state.clocks.remaining("left", 999 * SECOND) == FULL - 60 * SECOND
    assert state.on_turn == "left"
    resumed = apply(state, press("right", 100))
    assert (resumed.clocks.running, resumed.on_turn) == ("left", "left")
    assert ends_turn(state, "right") is None
    ended = apply(state, press("left", 100))
    assert (ended.clocks.running, ended.on_turn) == ("right", "right")
    assert ends_turn(state, "left") == "left"
    assert ends_turn(state, "neutral") is None
    assert dict(ended.clocks.remaining_ns)["left"] == FULL - 60 * SECOND


def test_time_never_runs_backwards():
    state = fold([START, press("right", 100), press("left", 40), press("right", 130)])
    assert dict(state.clocks.remaining_ns) == {"left": FULL, "right": FULL - 30 * SECOND}


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1500, "25:00"), (59.9, "0:59"), (0, "0:00"), (-0.5, "0:00"), (-65, "-1:05")],
)
def test_a_clock_as_it_is_shown(seconds, text):
    assert shown(int(seconds * SECOND)) == text


def test_a_late_sighting_does_not_turn_the_turn_back():
    table = Table()
    rows = table.play("8G", "CAT").after.rows
    table.put(press("right", 50))
    state = table.put(press("left", 60))
    assert state.on_turn == "right"
    state = table.put(TurnSeen("right", 50 * SECOND, rows))
    assert state.on_turn == "right"
    assert state.turns[-1].clock_ns == FULL - 20 * SECOND


def test_overtime_costs_points_once_the_game_is_over():
    table = Table(seconds=1561)
    turn = table.play("8G", "CAT")
    assert turn.score == turn.total == 10
    assert codes(turn) == ["overtime"]
    assert table.state.scores["left"] == 10
    state = table.end()
    (line,) = state.adjustments
    assert (line.kind, line.side, line.points, line.total, line.rule) == (
        "overtime",
        "left",
        -20,
        -10,
        "8.2",
    )
    assert state.scores["left"] == -10
    assert state.turns[-1].total == 10
    assert [flag.code for flag in state.flags] == ["overtime"]


def test_ten_minutes_over_forfeits_by_the_margin_then():
    # Right leads by 28. At ten minutes over, left's penalties are 100 points, not the 110 of
    # the half minute that the clock ran on for (8.3).
    table = Table()
    table.nothing()
    assert table.play("8G", "ZAP").total == 28
    table.seconds = 2100
    turn = table.nothing()
    assert codes(turn) == ["overtime", "overtime_limit"]
    forfeit = table.state.forfeit
    assert (forfeit.side, forfeit.margin, forfeit.rule) == ("left", 128, "8.3")


def test_a_forfeit_is_never_less_than_a_hundred():
    table = Table()
    table.play("8D", "QUIZZED")
    table.nothing()
    table.seconds = 2200
    table.nothing()
    assert table.state.forfeit.side == "left"
    assert table.state.forfeit.margin == 100


# Amendments.


def test_a_correction_scores_everything_after_it_again():
    wrong, right = Table(), Table()
    for table, letter in ((wrong, "O"), (right, "Q")):
        table.play("8G", f"CA{letter}")
        table.play("I8", ".UI")
        table.play("10I", ".T")
    state = wrong.put(SquareCorrected(1, "8I", "Q", "TD", "looked", wrong.now))
    assert [t.score for t in state.turns] == [t.score for t in right.state.turns]
    assert [t.total for t in state.turns] == [t.total for t in right.state.turns]
    assert [t.word for t in state.turns] == [t.word for t in right.state.turns]
    assert state.board == right.state.board
    assert [codes(t) for t in state.turns] == [[], [], []]
    assert state.turns[0].seen.rows[7][8] == "O"  # what the camera saw stays visible


def test_a_correction_holds_until_something_else_is_seen_there():
    table = Table()
    table.play("8G", "CAO")
    table.nothing()
    table.put(SquareCorrected(1, "8I", "Q", "TD", "", table.now))
    assert codes(table.nothing()) == []  # the camera still reads an O
    assert codes(table.lay("8I=~")) == []
    assert codes(table.lay("8I=Q")) == []  # and now agrees
    turn = table.lay("8I=B")
    assert codes(turn) == ["tile_replaced"]
    assert table.state.board[(7, 8)] == "B"


def test_a_tile_that_was_never_there_can_be_taken_out():
    table = Table()
    assert codes(table.lay("8G=C", "8H=A", "8I=T", "1A=I")) == ["not_one_line"]
    table.play("9I", "O")
    state = table.put(SquareCorrected(1, "1A", ".", "TD", "a reflection", table.now))
    assert [codes(turn) for turn in state.turns] == [[], []]
    assert "1A" not in state.turns[0].tiles


def test_a_tile_that_was_missed_can_be_put_in():
    table = Table()
    table.lay("8G=C", "8I=T")
    table.nothing()
    state = table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    assert (state.turns[0].word, state.turns[0].score) == ("CAT", 10)
    assert [codes(turn) for turn in state.turns] == [[], []]


def test_a_missed_tile_does_not_come_back_after_its_play_was_withdrawn():
    table = Table()
    table.lay("8G=C", "8I=T")
    table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("8G=.", "8I=.")
    assert turn.kind == "exchange_or_pass"
    assert not table.state.board.symbols


def test_a_missed_tile_does_not_come_back_where_the_withdrawal_is_ruled_a_turn_later():
    table = Table()
    table.lay("8G=C", "8I=T")
    table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    table.play("9H", "ON")
    table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    turn = table.lay("8G=.", "8I=.", "10H=T")
    assert (turn.word, turn.tiles) == (".T", {"10H": "T"})


def test_what_was_ruled_can_be_ruled_otherwise():
    table = Table()
    table.play("8G", "CAT")
    upheld = table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    assert (upheld.turns[0].kind, upheld.scores["left"]) == ("challenge_upheld", 0)
    assert upheld.turns[0].word == "CAT"
    back = table.put(TurnRuled(1, "play", "TD", "a slip", table.now))
    assert (back.turns[0].kind, back.scores["left"]) == ("play", 10)
    assert back.board[(7, 7)] == "A"


def test_a_withdrawn_play_gives_its_tiles_back():
    table = Table()
    table.play("8D", "ABCDEFG")
    assert (table.state.bag_count, table.state.racks["left"]) == (79, 7)
    state = table.put(TurnRuled(1, "challenge_upheld", "TD", "", table.now))
    assert (state.bag_count, state.racks["left"]) == (86, 7)


def test_a_withdrawal_nobody_ruled_is_seen_for_what_it_is():
    table = Table()
    table.play("8G", "CAT")
    turn = table.lay("8G=.", "8H=.", "8I=.")
    assert codes(turn) == ["tile_removed", "challenge_unclear"]
    assert "was it withdrawn after a challenge?" in turn.flags[0].message
    state = table.put(TurnRuled(1, "challenge_upheld", "TD", "yes", table.now))
    assert codes(state.turns[1]) == []


def test_a_ruling_that_a_correction_overtakes_is_shown_not_dropped():
    table = Table()
    table.nothing()
    table.put(TurnRuled(1, "exchange", "TD", "", table.now))
    state = table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    assert state.turns[0].kind == "play"
    assert state.turns[0].ruling is None
    assert "ruling_ignored" in codes(state.turns[0])


def test_a_blank_keeps_its_letter_whoever_names_it_last():
    table = Table()
    table.play("8G", "C?T")
    table.put(BlankDesignated("8H", "a", "Ann", "", table.now))
    state = table.put(BlankDesignated("8h", "U", "TD", "", table.now))
    assert state.board[(7, 7)] == "u"
    assert state.turns[0].word == "CuT"
    assert codes(state.turns[0]) == []
    assert codes(table.play("9H", "S")) == []


def test_bonuses_and_penalties_count_from_where_they_stand():
    table = Table()
    table.play("8G", "CAT")
    table.put(ChallengeBonus("left", 5, "4.6.10", "TD", "", table.now))
    table.play("9G", "O")
    table.put(PenaltyAdded("right", 10, None, "TD", "talking", table.now))
    table.play("10G", "N")
    state = table.state
    assert state.turns[0].total == 10
    assert state.turns[2].total == 15 + state.turns[2].score
    assert [(a.kind, a.points, a.after_turn) for a in state.adjustments] == [
        ("challenge_bonus", 5, 1),
        ("penalty", -10, 2),
    ]
    assert state.scores["right"] == state.turns[1].score - 10


# The end.


def almost_out() -> Table:
    """A game set up near its end: 95 tiles lie on the board, A, A, E, I and Q are left."""
    counts = load_tile_set("english").counts
    tiles = [t for t, n in counts.items() for _ in range(n) if t != "?"] + ["a", "b"]
    for tile in "AAEIQ":
        tiles.remove(tile)
    board = Board.empty().replace(dict(zip(SQUARES, tiles, strict=False)))
    table = Table()
    table.state, table.board = None, board
    table.put(GameStarted("g", PLAYERS, "wespa-2007", "english", "left", 0, board.rows))
    return table


def test_the_position_may_be_given_at_the_start():
    table = almost_out()
    assert table.state.bag_count == 0
    assert len(table.state.board.symbols) == 95
    assert sum(n for n in table.state.unseen.values() if n > 0) == 5


def out_table() -> Table:
    """Everything is played but a Y and a Z, seven at a time, whatever it joins.

    Left draws the last two after turn 13 and right goes out with turn 14.
    """
    table = Table()
    bag = [t for t, n in load_tile_set("english").counts.items() for _ in range(n) if t != "?"]
    bag = [*bag[:-2], "a", "b"]
    squares = [Square(7, 7), *(s for s in SQUARES if s != Square(7, 7))]
    for at in range(0, 98, 7):
        tiles = dict(zip(squares[at : at + 7], bag[at : at + 7], strict=True))
        table.see(table.board.replace(tiles))
    return table


def test_the_game_ends_when_a_player_is_out_and_the_bag_is_empty():
    table = out_table()
    state = table.state
    assert (state.status, state.end_reason, state.bag_count) == ("ended", "out", 0)
    (line,) = state.adjustments
    out = state.turns[-1].side
    loser = "left" if out == "right" else "right"
    assert (line.kind, line.side) == ("end_rack", out)
    unseen = "".join(t * n for t, n in sorted(state.unseen.items()))
    assert (line.tiles, line.points) == ("YZ", 28)
    assert unseen == "YZ"
    assert state.racks == {"left": 2, "right": 0}
    assert loser == "left"
    assert state.scores[out] == state.turns[-1].total + line.points
    assert state.clocks.running is None


def test_after_the_end_an_idle_press_is_no_turn_but_tiles_are_seen():
    table = out_table()
    before = len(table.state.turns)
    assert table.state.turns[-1].number == before
    table.see()
    assert len(table.state.turns) == before
    turn = table.lay("15O=Q")
    assert "changed_out_of_turn" in codes(turn)
    assert len(table.state.turns) == before + 1


def test_clearing_the_board_after_the_end_changes_nothing():
    table = out_table()
    state = table.state
    table.see(Board.empty())
    assert table.state.board == state.board
    assert (table.state.turns, table.state.scores) == (state.turns, state.scores)


def test_a_game_that_goes_on_after_the_end_is_still_settled_where_it_ended():
    table = out_table()
    (line,) = table.state.adjustments
    table.lay("15O=Q")
    assert table.state.end_reason == "out"
    assert [a.kind for a in table.state.adjustments] == []
    assert [f.code for f in table.state.flags] == ["rack_unknown"]
    state = table.put(SquareCorrected(15, "15O", ".", "TD", "a shadow", table.now))
    assert state.adjustments[0].points == line.points


def test_said_to_be_out_when_nobody_is():
    table = Table()
    assert [f.code for f in table.end("out").flags] == ["rack_unknown"]
    table = Table()
    table.play("8G", "CAT")
    state = table.end("out")
    assert (state.status, state.adjustments) == ("ended", ())
    assert [f.code for f in state.flags] == ["rack_unknown"]


def test_six_scoreless_turns_count_whoever_ends_the_game():
    table = Table()
    for _ in range(6):
        table.nothing()
    table.put(RackReported("left", "AEZ", table.now))
    table.put(RackReported("right", "", table.now))
    state = table.end("agreed")
    assert state.end_reason == "agreed"
    assert dict(state.scores) == {"left": -12, "right": 0}


def test_a_play_after_six_scoreless_turns_is_flagged_and_the_game_goes_on():
    table = Table()
    for _ in range(6):
        table.nothing()
    turn = table.play("8G", "CAT")
    assert codes(turn) == ["changed_out_of_turn"]
    assert (table.state.status, table.state.end_reason) == ("running", None)


def test_a_challenge_of_the_out_play_goes_on_with_the_game():
    table = out_table()
    number = table.state.turns[-1].number
    state = table.put(TurnRuled(number, "challenge_upheld", "TD", "", table.now))
    assert (state.status, state.end_reason, state.adjustments) == ("running", None, ())


def test_a_reported_rack_wins_over_counting_and_is_doubted_aloud():
    table = out_table()
    side = "left" if table.state.turns[-1].side == "right" else "right"
    state = table.put(RackReported(side, "QZ", table.now))
    (line,) = state.adjustments
    assert (line.tiles, line.points) == ("QZ", 40)
    assert [flag.code for flag in state.flags] == ["rack_unknown"]
    assert state.flags[0].visibility == "director"


def test_a_reported_rack_that_agrees_with_counting_is_not_doubted():
    table = out_table()
    side = "left" if table.state.turns[-1].side == "right" else "right"
    (counted,) = table.state.adjustments
    state = table.put(RackReported(side, counted.tiles[::-1], table.now))
    (line,) = state.adjustments
    assert (line.tiles, line.points) == (counted.tiles[::-1], counted.points)
    assert state.flags == ()


def test_a_reported_rack_is_not_doubted_where_counting_does_not_tell():
    table = out_table()
    turn = table.state.turns[-1]
    side = "left" if turn.side == "right" else "right"
    table.put(SquareCorrected(turn.number, next(iter(turn.tiles)), "#", "TD", "", table.now))
    state = table.put(RackReported(side, "QZ", table.now))
    (line,) = state.adjustments
    assert (line.tiles, line.points) == ("QZ", 40)
    assert state.flags == ()


def test_a_director_may_set_a_spread_of_nothing_where_the_text_is_silent():
    table = Table(rulebook="wespa-2007")
    table.play("8G", "CAT")
    with pytest.raises(TilewatchError, match="-1 is below 0"):
        table.put(GameForfeited("left", "director", "TD", "", table.now, margin=-1))
    state = table.put(GameForfeited("left", "director", "TD", "", table.now, margin=0))
    assert (state.outcome.winner, state.outcome.margin) == ("right", 0)


def test_an_unknown_rack_is_asked_for_not_guessed():
    table = out_table()
    square = table.state.turns[-1].tiles
    state = table.put(
        SquareCorrected(table.state.turns[-1].number, next(iter(square)), "#", "TD", "", table.now)
    )
    assert state.end_reason == "out"
    assert state.adjustments == ()
    assert [flag.code for flag in state.flags] == ["rack_unknown"]


def test_too_many_tiles_for_what_the_rack_can_hold():
    table = out_table()
    table.put(TurnRuled(table.state.turns[-1].number, "challenge_upheld", "TD", "", table.now))
    side = table.side
    rack = table.state.racks[side]
    board = table.state.board
    squares = [(14, c) for c in range(rack + 1)]
    turn = table.see(board.replace(dict.fromkeys(squares, "E")))
    assert "too_many_tiles" in codes(turn)


def test_an_exchange_with_too_few_in_the_bag():
    table = almost_out()
    table.put(TurnSeen("left", 5, table.state.board.rows))
    state = table.put(TurnRuled(1, "exchange", "TD", "", 6))
    (flag,) = state.turns[0].flags
    assert (flag.code, flag.rule) == ("exchange_too_late", "4.2")


# What the camera says, and out of turn.


def test_findings_become_flags_with_rules():
    findings = (
        Finding("misoriented_tile", "8G"),
        Finding("misoriented_tile", "8H"),
        Finding("misoriented_tile", "8I"),
        Finding("changed_after_press", "8I", "the I came late"),
        Finding("off_board"),
    )
    flags = {flag.code: flag for flag in Table().play("8G", "CAT", findings).flags}
    assert set(flags) == {"misoriented_play", "changed_after_press", "off_board"}
    assert flags["misoriented_play"].squares == ("8G", "8H", "8I")
    assert flags["misoriented_play"].rule is None  # which way is up: WESPA is silent
    assert flags["changed_after_press"].rule == "4.1"
    assert "the I came late" in flags["changed_after_press"].message


def test_one_tile_turned_is_no_play_turned():
    turn = Table().play("8G", "CAT", (Finding("misoriented_tile", "8H"),))
    assert [(f.code, f.squares, f.rule) for f in turn.flags] == [
        ("misoriented_tile", ("8H",), "4.5")
    ]


def test_a_turn_out_of_order_is_kept_and_flagged():
    table = Table()
    table.play("8G", "CAT")
    table.side = "left"
    turn = table.play("9G", "O")
    assert (turn.side, turn.kind) == ("left", "play")
    assert "changed_out_of_turn" in codes(turn)
    (flag,) = (f for f in turn.flags if f.code == "changed_out_of_turn")
    assert "Bo's turn" in flag.message


def test_every_code_has_a_meaning_and_only_those_can_be_raised():
    assert all(code.meaning and code.meaning[0].islower() for code in CODES.values())
    with pytest.raises(TilewatchError, match="unknown flag code"):
        make_flag("nonsense", "")


# What is refused.


def test_no_events_are_no_game():
    with pytest.raises(TilewatchError, match="no events"):
        fold([])


GRID = ("." * 15,) * 15


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ([press("left", 1)], "event 1: ButtonPressed before the game was started"),
        ([START, START], "event 2: game 'g' has already started"),
        ([GameStarted("g", PLAYERS, "house", "english", None, 0)], "unknown rulebook 'house'"),
        ([GameStarted("g", PLAYERS, "wespa-2007", "elvish", None, 0)], "unknown tile set"),
        ([GameStarted("g", {"left": "A"}, "wespa-2007", "english", None, 0)], "left and right"),
        ([START, TurnRuled(1, "pass", "", "", 0)], "there is no turn 1; 0 have been seen"),
        ([START, TurnSeen("left", 0, GRID[:14])], "15 rows, not 14"),
        ([START, TurnSeen("left", 0, (*GRID[:14], "x"))], "row 15"),
        ([START, TurnSeen("left", 0, GRID, findings=(Finding("odd"),))], "unknown code 'odd'"),
        ([START, TurnSeen("left", 0, GRID, findings=(Finding("askew", "9Z"),))], "no such square"),
        (
            [START, TurnSeen("left", 0, GRID), TurnRuled(1, "challenge_upheld", "", "", 0)],
            "turn 1 cannot be ruled 'challenge_upheld': no tiles were played",
        ),
        ([START, TurnSeen("left", 0, GRID), TurnRuled(1, "draw", "", "", 0)], "draw"),
        ([START, TurnSeen("left", 0, GRID), SquareCorrected(0, "8H", "A", "", "", 0)], "no turn 0"),
        (
            [START, TurnSeen("left", 0, GRID), SquareCorrected(1, "8H", "AB", "", "", 0)],
            "not a symbol",
        ),
        ([START, BlankDesignated("8H", "e", "", "", 0)], "no blank was played on 8H"),
        ([START, BlankDesignated("8H", "Ö", "", "", 0)], "has no letter"),
        ([START, BlankDesignated("8H", "", "", "", 0)], "not a letter"),
        ([START, RackReported("left", "AÖ", 0)], "no tile 'Ö'"),
        ([START, PenaltyAdded("left", -5, None, "", "", 0)], "below 0"),
        ([START, GameEnded("x", 0), GameEnded("x", 0)], "already been ended"),
        ([START, GameEnded("x", 0), TurnSeen("left", 0, GRID)], "after the game was ended"),
        ([START, "left"], "not an event"),
    ],
)
def test_nonsense_is_refused_in_one_line(events, why):
    with pytest.raises(TilewatchError) as caught:
        fold(events)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_refused_event_leaves_the_state_good():
    table = Table()
    table.play("8G", "CAT")
    good = table.state
    with pytest.raises(TilewatchError):
        apply(good, TurnRuled(9, "pass", "", "", 0))
    assert apply(good, ButtonPressed("neutral", table.now)).turns == good.turns


# Payloads.


def test_every_event_survives_json():
    table = Table()
    table.play("8G", "C?T", (Finding("askew", "8G", "half a square"),))
    table.put(BlankDesignated("8H", "a", "Ann", "said so", table.now))
    table.put(SquareCorrected(1, "8G", "B", "TD", "", table.now))
    table.put(TurnRuled(1, "challenge_failed", "TD", "", table.now))
    table.put(ChallengeBonus("left", 5, "4.6.10", "TD", "", table.now))
    table.put(PenaltyAdded("left", 5, None, "TD", "", table.now))
    table.put(RackReported("right", "AE?", table.now))
    table.put(TurnSeen("right", 9, table.board.rows, 10, {"8G": 0.5}, {"at": "ab" * 32}))
    table.end()
    again = [from_payload(json.loads(json.dumps(to_payload(e)))) for e in table.events]
    assert again == table.events
    assert fold(again) == table.state


@pytest.mark.parametrize(
    ("payload", "why"),
    [
        (None, "an event is an object"),
        ({}, "unknown event type None"),
        ({"type": "Explosion"}, "unknown event type 'Explosion'"),
        ({"type": "ButtonPressed", "button": "left"}, "t_ns is missing"),
        ({"type": "ButtonPressed", "button": "up", "t_ns": 1}, "'up' is not one of"),
        ({"type": "ButtonPressed", "button": "left", "t_ns": "1"}, "t_ns: '1' has the wrong form"),
        ({"type": "ButtonPressed", "button": "left", "t_ns": True}, "wrong form"),
        ({"type": "ButtonPressed", "button": "left", "t_ns": 1, "x": 1}, "unknown field 'x'"),
        ({"type": "ButtonPressed", "button": [], "t_ns": 1}, "is not one of"),
        ({"type": "TurnSeen", "side": "left", "press_ns": 1, "rows": "abc"}, "rows"),
        ({"type": "TurnSeen", "side": "left", "press_ns": 1, "rows": [1] * 15}, "rows[0]"),
        (
            {
                "type": "TurnSeen",
                "side": "left",
                "press_ns": 1,
                "rows": list(GRID),
                "findings": [{"code": 1}],
            },
            "findings[0].code",
        ),
    ],
)
def test_a_payload_in_another_form_is_refused(payload, why):
    with pytest.raises(TilewatchError) as caught:
        from_payload(payload)
    assert why in str(caught.value)


def test_a_slip_on_the_clock_and_its_mending_leave_no_trace():
    table = Table()
    table.play("8G", "CAT")
    table.nothing()  # right's slip
    table.nothing()  # left starts right's clock again
    for order in ((2, 3), (3, 2)):
        state = table.state
        for number in order:
            state = apply(state, TurnRuled(number, "undone", "TD", "a slip", table.now))
        assert [turn.kind for turn in state.turns] == ["play", "undone", "undone"]
        assert state.on_turn == "right"
        seen = TurnSeen("right", table.now + SECOND, table.board.rows)
        assert codes(apply(state, seen).turns[3]) == []
        again = apply(state, TurnRuled(3, "pass", "TD", "it was one", table.now + 1))
        assert again.on_turn == "right"


def test_a_first_turn_that_never_was():
    table = Table()
    table.nothing()
    state = apply(table.state, TurnRuled(1, "undone", "TD", "a slip", table.now))
    assert state.on_turn == "left"


@pytest.mark.parametrize("ruling", [None, "pass", "exchange"])
def test_a_turn_without_a_play_has_no_points_of_any_kind(ruling):
    table = Table()
    table.play("8G", "CAT")
    table.nothing()
    if ruling:
        table.put(TurnRuled(2, ruling, "TD", "", table.now))
    turn = table.state.turns[1]
    assert (turn.score, turn.total, turn.bingo, turn.bonus, turn.penalty) == (0, 0, 0, 0, 0)
    assert (turn.words, turn.tiles, turn.position, turn.word) == ((), {}, None, None)


@pytest.mark.parametrize(
    ("left", "right", "winner", "margin"),
    [(1, 0, "left", 1), (0, 1, "right", 1), (-3, -3, None, 0), (300, 299, "left", 1)],
)
def test_a_point_decides(left, right, winner, margin):
    outcome = played({"left": left, "right": right})
    assert (outcome.kind, outcome.winner, outcome.margin) == ("played", winner, margin)


def test_what_the_camera_found_is_told_with_its_squares_and_details():
    table = Table()
    findings = (Finding("askew", "8H", "by 0.4"), Finding("askew", "8G"), Finding("off_board"))
    turn = table.play("8G", "CAT", findings)
    assert [(flag.code, flag.squares, flag.message) for flag in turn.flags] == [
        ("askew", ("8G", "8H"), "A tile lies between squares: 8G, 8H (by 0.4)."),
        ("off_board", (), "A tile lies beside the playing squares."),
    ]
