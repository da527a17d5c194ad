"""The recorder: every press becomes a turn with what lay there, or says that it could not see."""

from __future__ import annotations

import hashlib

import pytest

from game.board import Board, Square
from game.errors import TilewatchError
from game.events import Finding, GameEnded, from_payload
from game.state import fold
from table.errors import LogError

from .conftest import Bench

EMPTY = Board.empty()


def cover(board: Board, rows=range(6, 12), cols=range(3, 12)) -> Board:
    """A hand over a part of the board."""
    return board.replace({Square(row, col): "~" for row in rows for col in cols})


# --- one picture a turn ---


def test_turns_are_scored_from_the_picture_before_the_press(bench, put):
    first = put("8G", "CAT")
    second = put("H8", ".XE", first)
    bench.press("right", 0)
    bench.frame(900, first)
    bench.press("left", 1000)
    bench.frame(1900, second)
    bench.press("right", 2000)
    bench.frame(2900, second)
    bench.press("left", 3000)
    assert [(t.side, t.kind, t.position, t.word) for t in bench.turns] == [
        ("left", "play", "8G", "CAT"),
        ("right", "play", "H8", ".XE"),
        ("left", "exchange_or_pass", None, None),
    ]
    assert [t.flags for t in bench.turns] == [(), (), ()]
    assert bench.turns[0].press_ns == 1_000_000_000
    assert bench.seen()[0].sighted_ns == 900_000_000
    assert set(bench.seen()[1].confidence) == {"9H", "10H"}
    assert bench.state.on_turn == "right"


def test_the_log_alone_gives_the_same_game_again(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.press("neutral", 1500)
    assert bench.logged() == [
        "GameStarted",
        "ButtonPressed",
        "ButtonPressed",
        "TurnSeen",
        "ButtonPressed",
    ]
    assert fold(from_payload(event.payload) for event in bench.log.events()) == bench.state
    assert bench.log.verify() is None
    assert [e.mono_ns for e in bench.log.events()] == [0, 0, 0, 10**9, 10**9, 10**9, 15 * 10**8]


def test_the_camera_s_own_bytes_are_the_evidence(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.frame(1900, put("8G", "CATS"))
    bench.press("right", 2000)
    shas = [hashlib.sha256(b"jpeg %d" % n).hexdigest() for n in (0, 1)]
    assert bench.seen()[0].frames == {"at": shas[0]}
    assert bench.seen()[1].frames == {"before": shas[0], "at": shas[1]}
    assert bench.evidence.load(shas[1]) == b"jpeg 1"


def test_a_turn_without_a_picture_says_so_and_the_next_shows_both(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.press("right", 2000)  # no picture in this turn: the last one shows the turn before
    both = put("7I", "SO", put("8G", "CAT"))
    bench.frame(2900, both)
    bench.press("left", 3000)
    assert bench.codes(2) == ["board_covered"]
    assert bench.seen()[1].sighted_ns is None
    assert bench.turns[1].kind == "exchange_or_pass"
    assert bench.state.board == both


def test_a_picture_without_a_board_costs_no_turn(bench, put):
    bench.press("right", 0)
    bench.frame(900, EMPTY, blind=True)
    bench.press("left", 1000)
    assert bench.codes(1) == ["board_covered"]
    bench.frame(1900, put("8G", "CAT"))
    bench.press("right", 2000)
    assert bench.turns[1].word == "CAT"


def test_a_hand_over_the_picture_is_said(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.frame(1900, cover(put("8G", "CAT")), sure=0.3)
    bench.press("right", 2000)
    assert "board_covered" in bench.codes(2)
    assert bench.state.board == put("8G", "CAT")


def test_presses_that_end_no_turn_only_move_the_clock(bench, put):
    bench.press("right", 0)
    bench.frame(500, put("8G", "CAT"))
    bench.press("right", 600)  # right is not on turn
    bench.press("neutral", 700)
    assert bench.turns == ()
    assert bench.state.clocks.running is None
    bench.press("right", 800)  # left's clock goes on
    assert bench.state.clocks.running == "left"
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    assert bench.turns[0].word == "CAT"


def test_findings_of_the_camera_become_flags_once(bench, put):
    askew = Finding("misoriented_tile", "8H", "A lies upside down")
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"), findings=[askew])
    bench.press("left", 1000)
    bench.frame(1900, put("8G", "CATS"), findings=[askew])
    bench.press("right", 2000)
    assert bench.codes(1) == ["misoriented_tile"]
    assert bench.codes(2) == []


# --- what was known, and what is seen now ---


def test_a_flicker_in_an_unchanged_square_is_no_replaced_tile(bench, put):
    board = put("8G", "CAT")
    bench.press("right", 0)
    bench.frame(900, board)
    bench.press("left", 1000)
    image = bench.frame(1900, put("J8", "S", board))
    misread = put("J8", "S", put("8G", "CQT"))
    bench.reader.teach(image, misread, sure={"8H": 0.9})
    bench.press("right", 2000)
    assert bench.turns[1].tiles == {"8J": "S"}
    assert bench.codes(2) == []


def test_a_surer_look_corrects_the_turn_that_laid_the_tile(bench, put):
    board = put("8G", "CAT")
    bench.press("right", 0)
    image = bench.frame(900, board)
    split = {"8H": [("Q", 0.62), ("A", 0.35)]}
    bench.reader.teach(image, put("8G", "CQT"), sure={"8H": 0.62}, guesses=split)
    bench.press("left", 1000)
    assert bench.turns[0].word == "CQT"
    bench.frame(1900, put("J8", "S", board), sure=0.999)
    bench.press("right", 2000)
    assert bench.turns[0].word == "CAT"
    assert bench.seen()[0].rows == put("8G", "CQT").rows  # the first reading stays visible
    assert bench.codes(2) == []
    assert "SquareCorrected" in bench.logged()
    bench.frame(2900, put("J8", "S", board), sure=0.999)
    bench.press("left", 3000)
    assert bench.turns[2].kind == "exchange_or_pass"
    assert bench.logged().count("SquareCorrected") == 1


def test_a_reading_that_goes_to_and_fro_ends_where_the_evidence_does(bench, put):
    """Corrections of corrections leave one word in all turns and nobody accused of a swap."""
    bench.press("right", 0)
    readings = ["~QQ", "QQQ", "QAA", "AAA", "AAA", "AAA", "QAA", "AAA"]
    boards = [put("8G", "CAT")]
    for number, tile in enumerate("SELFISH"):
        boards.append(put(f"{9 + number % 7}{'LMNO'[number % 4]}", tile, boards[-1]))
    for number, (board, seen) in enumerate(zip(boards, readings, strict=True), start=1):
        image = bench.frame(number * 1000 - 100, board, light=1.0 if number % 2 else 0.8)
        split = [("Q", 0.55), ("A", 0.42)] if "~" in seen else [("Q", 0.8), ("A", 0.18)]
        split = [("A", 0.97), ("Q", 0.02)] if seen == "AAA" else split
        symbol = "~" if "~" in seen else split[0][0]
        read = board.replace({Square.parse("8H"): symbol})
        bench.reader.teach(image, read, sure={"8H": split[0][1]}, guesses={"8H": split})
        bench.press("left" if number % 2 else "right", number * 1000)
    assert bench.turns[0].word == "CAT"
    assert bench.state.board == boards[-1]
    assert not {code for n in range(1, 9) for code in bench.codes(n)} & {
        "tile_replaced",
        "tile_removed",
    }


def test_a_tile_missed_in_a_turn_is_added_to_that_turn(bench, put):
    board = put("8G", "CAT")
    bench.press("right", 0)
    image = bench.frame(900, board)
    unsure = [("T", 0.5), (".", 0.3)]
    bench.reader.teach(image, put("8G", "CA~"), sure={"8I": 0.5}, guesses={"8I": unsure})
    bench.press("left", 1000)
    assert "uncertain_square" in bench.codes(1)
    bench.frame(1900, put("J8", "S", board))
    bench.press("right", 2000)
    assert bench.turns[0].word == "CAT"
    assert bench.turns[1].tiles == {"8J": "S"}


def test_a_tile_really_replaced_is_flagged(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"), sure=0.999)
    bench.press("left", 1000)
    bench.frame(1900, put("8G", "CWT"), sure=0.999)
    bench.press("right", 2000)
    assert "tile_replaced" in bench.codes(2)


def test_a_doubtful_swap_keeps_the_tile_and_says_so(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"), sure=0.999)
    bench.press("left", 1000)
    bench.frame(1900, put("8G", "CWT"), sure={"8H": 0.7})
    bench.press("right", 2000)
    assert bench.codes(2) == ["uncertain_square"]
    assert "looks like W (7" in bench.turns[1].flags[0].message
    assert bench.state.board == put("8G", "CAT")


def test_tiles_taken_back_are_gone(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.frame(1900, put("8D", "DOG"), sure=0.93)
    bench.press("right", 2000)
    assert bench.state.board == put("8D", "DOG")
    assert "tile_removed" in bench.codes(2)


# --- video ---


def test_video_turns_are_seen_at_the_press(live, put):
    first = put("8G", "CAT")
    live.video(0, 1000, EMPTY)
    live.press("right", 950)
    live.video(1000, 2000, cover(first))
    live.video(2000, 3000, first)
    live.press("left", 2950)
    assert live.turns[0].word == "CAT"
    assert live.codes(1) == []
    assert live.seen()[0].sighted_ns == 2_900_000_000


def test_a_lamp_that_flickers_does_not_unsettle_the_board(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    for number, t in enumerate(range(500, 1500, 100)):
        live.frame(t, first, light=1.1 if number % 2 else 0.9)
    live.press("left", 1450)
    assert live.turns[0].word == "CAT"
    assert live.codes(1) == []


def test_a_press_under_a_hand_is_held_open_until_the_board_is_clear(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, cover(first), sure=0.3)
    live.press("left", 1450)
    assert live.turns == ()
    live.video(1500, 2000, first)
    assert live.turns[0].word == "CAT"
    assert live.turns[0].press_ns == 1_450_000_000
    assert live.codes(1) == ["board_covered"]
    assert live.state.on_turn == "right"


def test_long_after_the_press_the_last_clear_view_before_it_counts(live, put):
    first, second = put("8G", "CAT"), put("8G", "CATS")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, first)
    hands = [cover(first, cols=range(3 + n % 2, 12)) for n in range(60)]
    for number in range(3):
        live.frame(1500 + 100 * number, hands[number], sure=0.3)
    live.press("left", 1790)
    for number in range(3, 40):
        live.frame(1500 + 100 * number, hands[number], sure=0.3)
    live.video(5500, 6500, second)
    live.press("right", 6450)
    assert [turn.word for turn in live.turns] == ["CAT", "...S"]
    assert live.codes(1) == ["board_covered"]
    assert live.codes(2) == []


def test_a_held_turn_is_settled_before_the_next_press(live, put):
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.press("left", 600)  # the camera has stalled: nothing is known of this turn
    live.press("right", 5000)
    assert [turn.side for turn in live.turns] == ["left"]
    live.recorder.finish()
    assert [turn.side for turn in live.turns] == ["left", "right"]
    assert all("board_covered" in live.codes(n) for n in (1, 2))


def test_what_one_frame_hides_another_shows(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, first)
    image = live.frame(900, first)
    live.reader.teach(image, put("8G", "C~T"), sure={"8H": 0.4}, guesses={"8H": [("A", 0.4)]})
    live.press("left", 950)
    assert live.turns[0].word == "CAT"
    assert live.codes(1) == []


def test_an_unmoved_board_is_not_read_between_presses(live, put):
    live.video(0, 1000, EMPTY)
    before = live.reader.reads
    live.video(1000, 3000, EMPTY)
    assert live.reader.reads == before
    assert len(live.recorder.timings.per_frame) == 30


def test_a_board_at_rest_is_read_before_the_press_and_not_again_at_it(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, first)
    before = live.reader.reads
    live.press("left", 1450)
    assert live.reader.reads == before
    assert live.turns[0].word == "CAT"
    assert live.seen()[0].sighted_ns == 1_400_000_000


def test_what_too_little_motion_betrayed_is_seen_at_the_press_all_the_same(live, put, monkeypatch):
    first, second = put("8G", "CAT"), put("8G", "CATS")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1000, first)
    monkeypatch.setattr("table.motion.PIXELS", 10_000)
    live.video(1000, 1500, second)
    live.press("left", 1450)
    assert live.turns[0].word == "CATS"


# --- after the press ---


def opened(live, put) -> Board:
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, first)
    live.press("left", 1450)
    return first


def test_a_tile_taken_after_the_press_is_reported_with_its_picture(live, put):
    first = opened(live, put)
    live.video(1500, 1800, cover(first), sure=0.3)
    live.video(1800, 2500, put("8G", "CA"))
    assert live.codes(1) == ["changed_after_press"]
    assert live.turns[0].score == 10
    (changed,) = [e for e in live.log.events() if e.type == "TilesChanged"]
    assert changed.payload["frames"].keys() == {"at", "after"}
    assert live.evidence.load(changed.payload["frames"]["after"])
    # Put back by the opponent, who then passes.
    live.video(2500, 2800, cover(first), sure=0.3)
    live.video(2800, 3500, first)
    live.press("right", 3450)
    assert live.turns[1].kind == "exchange_or_pass"
    assert live.codes(2) == []


def test_what_the_opponent_lays_is_no_change_after_the_press(live, put):
    first = opened(live, put)
    live.video(1500, 1700, cover(first), sure=0.3)
    live.video(1700, 2500, put("7I", "O", first))
    live.video(2500, 2700, cover(first), sure=0.3)
    live.video(2700, 3400, put("7I", "O", put("9I", "O", first)))
    live.press("right", 3350)
    assert live.codes(1) == []
    assert live.turns[1].tiles == {"7I": "O", "9I": "O"}


def test_tiles_that_go_while_the_clock_stands_are_the_director_s(live, put):
    first = opened(live, put)
    live.press("neutral", 1550)
    live.video(1600, 1800, cover(first), sure=0.3)
    live.video(1800, 2500, EMPTY)
    assert "changed_after_press" not in live.codes(1)


def test_what_goes_long_after_the_press_is_the_opponent_s_doing(live, put):
    first = opened(live, put)
    live.video(1500, 5000, first)
    live.video(5000, 5300, cover(first), sure=0.3)
    live.video(5300, 6000, put("8G", "CA"))
    assert live.codes(1) == []
    live.press("right", 5950)
    assert "tile_removed" in live.codes(2)


# --- a hand, a camera ---


def test_a_hand_over_a_corner_of_the_board_is_no_clear_view(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, cover(first, range(2, 5), range(11, 14)))
    live.press("left", 1450)
    assert live.turns == ()
    live.video(1500, 2100, first)
    assert live.turns[0].word == "CAT"
    assert live.codes(1) == ["board_covered"]


def test_a_tile_that_lay_upright_does_not_turn_by_itself(live, put):
    first = opened(live, put)
    turned = Finding("misoriented_tile", "8G", "C lies upside down")
    live.video(1500, 1700, cover(first), sure=0.3)
    live.video(1700, 2500, put("7I", "O", first), findings=[turned], light=0.8)
    live.press("right", 2450)
    assert live.codes(2) == []


def test_a_frame_that_is_no_picture_is_left_out(live, put):
    import numpy as np

    from sensors.interfaces import Frame

    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1000, put("8G", "CAT"))
    for spoilt in (np.zeros((0, 0, 3), np.uint8), np.zeros((9, 9), np.uint8)):
        live.recorder.frame(Frame(spoilt, 1_000_000_000, live.seq))
    live.video(1000, 1500, put("8G", "CAT"))
    live.press("left", 1450)
    assert live.turns[0].word == "CAT"


def test_an_answered_question_is_no_flag_any_more(bench, put):
    board = put("8G", "CAT")
    bench.press("right", 0)
    image = bench.frame(900, board)
    unsure = [("T", 0.5), (".", 0.3)]
    asked = Finding("uncertain_square", "8I", "may be T")
    bench.reader.teach(
        image, put("8G", "CA~"), sure={"8I": 0.5}, guesses={"8I": unsure}, findings=[asked]
    )
    bench.press("left", 1000)
    assert "uncertain_square" in bench.codes(1)
    bench.frame(1900, put("J8", "S", board))
    bench.press("right", 2000)
    assert bench.turns[0].word == "CAT"
    assert bench.codes(1) == []


# --- when things go wrong ---


def test_an_event_that_cannot_be_changes_nothing(bench):
    before = bench.state
    with pytest.raises(TilewatchError):
        bench.recorder.record(bench.state.start)
    assert bench.state == before
    assert bench.logged() == ["GameStarted"]


def test_the_state_waits_for_the_log(bench, put, monkeypatch):
    bench.press("right", 0)
    before = bench.state

    def full(*args, **kwargs):
        raise LogError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(bench.log, "append", full)
        with pytest.raises(LogError):
            bench.press("left", 1000)
    assert bench.state == before


def test_presses_after_the_end_are_for_the_next_game(bench, put):
    bench.press("right", 0)
    bench.recorder.record(GameEnded("stopped", 500_000_000), "director")
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    assert bench.turns == ()
    assert bench.state.status == "ended"


def near_the_end(live, put):
    """Ninety-three tiles lie there; Ann has two left, and it is her turn."""
    from dataclasses import replace

    board = put("8D", "RATES")
    live.video(0, 600, board)
    live.press("right", 550)
    live.recorder.state = replace(
        live.state,
        bag_count=0,
        racks={"left": 2, "right": 3},
        board=board,
        _ledger=replace(
            live.state._ledger,
            tallies=(
                replace(
                    live.state._ledger.tally,
                    bag=0,
                    racks={"left": 2, "right": 3},
                    board=board,
                ),
            ),
        ),
    )
    return board


def test_whoever_plays_out_stops_the_clock_and_is_seen_though_a_tile_was_knocked(live, put):
    board = near_the_end(live, put)
    knocked = put("9D", "R", put("8D", ".ATES"))
    last = put("7H", "O", put("9H", "X", knocked))
    live.video(600, 900, cover(board))
    live.video(900, 1800, last)
    live.press("neutral", 1750)
    assert live.turns[0].tiles == {"7H": "O", "9H": "X"}
    assert live.codes(1)[0] == "tile_moved"
    assert live.state.end_reason == "out"


def test_whoever_plays_out_with_a_tile_more_than_was_counted_is_out(live, put):
    """A tile that was taken off the board, and counted as played, is in somebody's hand."""
    board = near_the_end(live, put)
    last = put("7H", "OXO", board)
    live.video(600, 900, cover(board))
    live.video(900, 1800, last)
    live.press("neutral", 1750)
    assert len(live.turns[0].tiles) == 3
    assert live.state.end_reason == "out"


def test_whoever_plays_out_under_a_hand_is_seen_when_the_board_is_clear(live, put):
    board = near_the_end(live, put)
    last = put("7H", "O", put("9H", "X", board))
    live.video(600, 1800, cover(last))
    live.press("neutral", 1750)
    assert live.turns == ()
    live.video(1800, 2500, last)
    assert live.turns[0].tiles == {"7H": "O", "9H": "X"}
    assert live.codes(1) == ["board_covered"]


def test_a_stopped_clock_with_nothing_played_is_no_turn(live, put):
    board = near_the_end(live, put)
    live.video(600, 1800, cover(board))
    live.press("neutral", 1750)
    live.video(1800, 2500, board)
    assert live.turns == ()
    live.press("right", 2450)
    assert live.turns == ()


def test_a_hand_that_rests_after_the_press_and_reads_as_a_tile_hides_no_change(live, put):
    first = opened(live, put)
    hand = put("10B", "Y", put("9A", "~~", put("11A", "~~", first)))
    live.video(1500, 2000, hand)
    live.video(2000, 2200, cover(first), sure=0.3)
    live.video(2200, 2800, put("8G", "CA"))
    assert live.logged()[-1] == "TilesChanged"
    assert live.codes(1) == ["changed_after_press"]


@pytest.mark.parametrize(("rulebook", "turns"), [("sanspa-2001", 1), ("wespa-2007", 0)])
def test_a_stop_of_the_clock_ends_a_play_where_the_text_has_it(tmp_path, put, rulebook, turns):
    live = Bench(tmp_path, stills=False, rulebook=rulebook)
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, put("8G", "CAT"))
    live.press("neutral", 1450)
    assert len(live.turns) == turns
    live.video(1500, 2500, put("8G", "CAT"))
    live.press("neutral", 2450)  # nothing more was played
    assert len(live.turns) == turns
    live.log.close()


def test_an_earlier_tile_that_goes_after_the_press_is_not_put_down_to_whoever_pressed(live, put):
    first = opened(live, put)
    live.video(1500, 5000, first)
    both = put("J8", "S", first)
    live.video(5000, 5300, cover(both), sure=0.3)
    live.video(5300, 6000, both)
    live.press("right", 5950)
    live.video(6000, 6300, cover(both), sure=0.3)
    live.video(6300, 7000, put("8G", "CA", put("J8", "S")))
    assert [live.codes(n) for n in (1, 2)] == [[], []]
