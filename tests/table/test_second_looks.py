"""The recorder: what was known of a square, and what is seen there now."""

from __future__ import annotations

import pytest

from game.board import Square
from game.events import Finding

from .recorderkit import EMPTY, IN_FULL_VIEW, cover, opened


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


@pytest.mark.parametrize("known", [True, False])
def test_a_tile_that_is_read_late_is_flagged_as_turned_once_it_is_seen_so(bench, put, known):
    """Of a tile that could not be read, it was not known which way up it lies."""
    board, turned = put("8G", "CAT"), Finding("misoriented_tile", "8I", "T lies upside down")
    bench.press("right", 0)
    image = bench.frame(900, board)
    unsure = [("T", 0.5), ("F", 0.3)]
    found = (turned,) if known else ()
    bench.reader.teach(
        image, put("8G", "CA~"), sure={"8I": 0.5}, guesses={"8I": unsure}, findings=found
    )
    bench.press("left", 1000)
    assert ("misoriented_tile" in bench.codes(1)) == known
    image, later = bench.frame(1900, put("J8", "S", board)), put("J8", "S", board)
    bench.reader.teach(image, later, sure=0.999, findings=(turned,))
    bench.press("right", 2000)
    assert bench.turns[0].word == "CAT"
    flags = [flag for flag in bench.turns[0].flags if flag.code == "misoriented_tile"]
    assert [(flag.squares, flag.message.count("upside down")) for flag in flags] == [(("8I",), 1)]
    assert bench.codes(2) == []


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


def test_a_tile_that_lay_upright_does_not_turn_by_itself(live, put):
    first = opened(live, put)
    turned = Finding("misoriented_tile", "8G", "C lies upside down")
    live.video(1500, 1700, cover(first), sure=0.3)
    live.video(1700, 2500, put("7I", "O", first), findings=[turned], light=0.8)
    live.press("right", 2450)
    assert live.codes(2) == []


def test_a_tile_between_others_that_is_read_late_counts_for_the_turn_that_laid_it(live, put):
    """A glare hides the A; when it has gone the square looks otherwise, and is read."""
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, put("8G", "C~T"), sure={"8H": 0.3})
    live.press("left", 1450)
    assert (live.turns[0].word, live.turns[0].score) == ("C~T", 8)
    live.video(1500, 2500, first)
    assert (live.turns[0].word, live.turns[0].score) == ("CAT", 10)
    live.press("right", 2450)
    assert [live.turns[1].kind, live.turns[1].flags] == ["exchange_or_pass", ()]
    assert live.logged().count("SquareCorrected") == 1


def test_a_tile_that_may_be_a_back_is_asked_about_once_and_scores_nothing_when_turned_up(live, put):
    first, whole = put("8G", "CA#"), put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    guesses = {"8I": [("#", 0.54), ("X", 0.44)]}
    live.video(500, 1500, first, reads=put("8G", "CA~"), sure={"8I": 0.54}, guesses=guesses)
    live.press("left", 1450)
    assert (live.turns[0].score, live.codes(1)) == (8, ["face_down"])
    live.video(4000, 4300, cover(whole), sure=0.3)
    live.video(4300, 5000, put("J8", "S", whole), sure=0.999)
    live.press("right", 4950)
    assert (live.turns[0].tiles["8I"], live.turns[0].score) == ("#", 8)
    assert live.turns[1].tiles == {"8J": "S"}


LIKELY = {"8I": [("T", 0.6), ("I", 0.3)]}


def likely_cat(live, put):
    """Left has laid CAT and pressed; the last letter may be an I. This is the board then."""
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, first, sure={"8I": 0.6}, guesses=LIKELY)
    live.press("left", 1450)
    return first


def test_a_question_settles_itself_when_a_later_view_is_sure(live, put):
    first = likely_cat(live, put)
    live.video(1500, 2500, first, sure={"8I": 0.6}, guesses=LIKELY)
    (flag,) = live.turns[0].flags
    assert (flag.code, flag.squares, flag.settled) == ("uncertain_square", ("8I",), None)
    live.video(2500, 2700, cover(first), sure=0.3)
    live.video(2700, 4500, first, sure=0.995)
    assert live.logged().count("SquareCorrected") == 1
    assert (live.turns[0].word, live.turns[0].flags) == ("CAT", ())


def test_a_view_that_is_no_surer_settles_no_question(live, put):
    first = likely_cat(live, put)
    live.video(1500, 2700, cover(first), sure=0.3)
    live.video(2700, 4500, first, sure={"8I": 0.7}, guesses=LIKELY)
    assert [flag.settled for flag in live.turns[0].flags] == [None]


def test_the_question_whether_a_tile_lies_there_settles_itself_when_none_does(live, put):
    """No turn follows: it was the last of the game."""
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    hand = cover(first, range(6, 9), range(9, 13))
    live.video(500, 1500, hand, sure=IN_FULL_VIEW)
    live.press("left", 1450)
    live.video(1500, 4500, hand, sure=IN_FULL_VIEW)
    asked = [flag for flag in live.turns[0].flags if flag.code == "uncertain_square"]
    assert [(flag.squares, flag.settled) for flag in asked] == [(("8J",), None)]
    live.video(4500, 6000, first)
    assert all(flag.settled for flag in live.turns[0].flags if flag.code == "uncertain_square")
    assert (live.turns[0].word, live.state.board) == ("CAT", first)


def test_a_tile_that_its_play_needs_counts_for_it_though_it_is_not_surely_read(live, put):
    """The press comes under a hand; when it has gone, one tile amid the play shines a little."""
    first = put("8G", "CATS")
    both = put("9G", "OD", first)
    shining = {"sure": {"8H": 0.94}, "guesses": {"8H": [("A", 0.94), (".", 0.01)]}}
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, cover(first, cols=range(8, 12)), **shining)
    live.video(900, 1500, cover(first), sure=0.3)
    live.press("left", 1450)
    live.video(1500, 4000, cover(first), sure=0.3)
    live.press("right", 3950)
    live.video(4000, 4700, both, **shining)
    assert live.turns[0].tiles == {"8G": "C", "8H": "A", "8I": "T", "8J": "S"}
    assert live.turns[1].tiles == {"9G": "O", "9H": "D"}
    assert live.codes(2) == ["board_covered"]
