"""What later sightings say of earlier turns."""

from __future__ import annotations

import pytest

from game.board import Square
from game.events import BlankDesignated, SquareCorrected, TurnParted, TurnSeen
from game.state.fold import apply
from game.state.numbering import renumbering
from table.corrections import EarlierTurnCorrections
from vision.tracking.board_tracker import ReadingCorrection

SQUARE = Square.parse("8I")


def make(bench, corrections, correction, t_ms):
    for event in corrections.events(correction, bench.state, t_ms * 10**6):
        bench.recorder.record(event)


def seen_with_a_blank(bench, put):
    """CA? at 8G, the blank said to be a T."""
    bench.press("right", 0)
    bench.frame(900, put("8G", "CA?"))
    bench.press("left", 1000)
    bench.recorder.record(BlankDesignated("8I", "T", "the player", "said", 1500 * 10**6))
    assert bench.turns[0].word == "CAt"


GONE = ReadingCorrection(1, SQUARE, ".", "read again as empty")


def test_a_blank_that_somebody_named_is_not_read_away(bench, put):
    seen_with_a_blank(bench, put)
    make(bench, EarlierTurnCorrections(), GONE, 2000)
    assert bench.turns[0].word == "CAt"


@pytest.mark.parametrize(("played", "left"), [("CA?", "CA"), ("C?T", "C?T"), ("CAT", "CA")])
def test_a_tile_without_which_the_others_make_no_play_is_not_read_away(bench, put, played, left):
    bench.press("right", 0)
    bench.frame(900, put("8G", played))
    bench.press("left", 1000)
    square = SQUARE if played[1] == "A" else Square.parse("8H")
    gone = ReadingCorrection(1, square, ".", "read again as empty")
    make(bench, EarlierTurnCorrections(), gone, 2000)
    assert bench.turns[0].word == left


def test_a_blank_that_looked_like_its_square_belongs_to_the_play_that_it_completes(bench, put):
    bench.press("right", 0)
    first = put("8G", "CAT")
    bench.frame(900, first)
    bench.press("left", 1000)
    bench.frame(1900, put("11G", "E", put("9G", "O", first)), sure=0.9995)
    bench.press("right", 2000)
    assert "gap" in {flag.code for flag in bench.turns[1].flags}
    again = ReadingCorrection(1, Square.parse("10G"), "?", "read again as a blank")
    make(bench, EarlierTurnCorrections(), again, 3000)
    assert [turn.tiles for turn in bench.turns] == [
        {"8G": "C", "8H": "A", "8I": "T"},
        {"9G": "O", "10G": "?", "11G": "E"},
    ]
    assert not {flag.code for flag in bench.turns[1].flags} & {"gap", "not_one_line"}


def taken_up(bench, put, by, why):
    """Corrections that recall the blank, which was then corrected to nothing."""
    seen_with_a_blank(bench, put)
    gone = SquareCorrected(1, "8I", ".", by, why, 1600 * 10**6)
    bench.recorder.record(gone)
    corrections = EarlierTurnCorrections()
    named = BlankDesignated("8I", "T", "the player", "said", 1500 * 10**6)
    corrections.recall([TurnSeen("left", 10**9, bench.turns[0].seen.rows, None), named, gone])
    return corrections


def test_so_it_is_after_a_restart(bench, put):
    corrections = taken_up(bench, put, "camera", "read again as empty")
    make(bench, corrections, ReadingCorrection(1, SQUARE, "?", "read again as a blank"), 3000)
    assert bench.state.board[SQUARE] == "t"


def test_another_blank_laid_there_later_is_not_taken_for_it(bench, put):
    corrections = taken_up(bench, put, "a director", "withdrawn")
    bench.frame(1900, put("9H", "T", put("8G", "CA")))
    bench.press("right", 2000)
    make(bench, corrections, ReadingCorrection(2, SQUARE, "?", "read again as a blank"), 3000)
    assert bench.state.board[SQUARE] == "?"


def test_a_blank_that_nobody_named_stays_without_a_name(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CA"))
    bench.press("left", 1000)
    for turn in (0, 1):
        found = ReadingCorrection(turn, SQUARE, "?", "read again as a blank")
        make(bench, EarlierTurnCorrections(), found, 2000)
        assert bench.state.board[SQUARE] == "?"


def test_a_turn_that_was_parted_is_corrected_under_its_new_number(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CA"))
    bench.press("left", 1000)
    bench.frame(1900, put("9G", "TO", put("8G", "CA")))
    bench.press("right", 2000)
    first = TurnParted(1, ("8G",), "left", 500 * 10**6, "TD", "forgotten", 2100 * 10**6)
    corrections = EarlierTurnCorrections()
    found = ReadingCorrection(2, Square.parse("9H"), "Q", "read again as Q")
    make(bench, corrections, found, 2050)
    corrections.renumber(renumbering(bench.state, apply(bench.state, first)))
    bench.recorder.record(first)
    assert [len(turn.tiles) for turn in bench.turns] == [1, 1, 2]
    again = ReadingCorrection(3, Square.parse("9H"), "O", "read again as O")
    make(bench, corrections, again, 2200)
    assert bench.state.board[Square.parse("9H")] == "O"


def test_the_recorder_reads_on_under_the_new_numbers(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.recorder.record(
        TurnParted(1, ("8G", "8H"), "left", 500 * 10**6, "TD", "forgotten", 1100 * 10**6)
    )
    bench.frame(1900, put("9G", "ARS", put("8G", "CAT")))
    bench.press("left", 2000)
    bench.frame(2900, put("10G", "SO", put("9G", "ARS", put("8G", "CAT"))))
    bench.press("right", 3000)
    assert [turn.side for turn in bench.turns] == ["left", "right", "left", "right"]
    assert [len(turn.tiles) for turn in bench.turns] == [2, 1, 3, 2]
