"""What later sightings say of earlier turns."""

from __future__ import annotations

from game.board import Square
from game.events import BlankDesignated, SquareCorrected, TurnSeen
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


def test_a_blank_lost_from_sight_and_found_again_is_what_it_was_said_to_be(bench, put):
    seen_with_a_blank(bench, put)
    corrections = EarlierTurnCorrections()
    make(bench, corrections, ReadingCorrection(1, SQUARE, ".", "read again as empty"), 2000)
    assert bench.state.board[SQUARE] == "."
    make(bench, corrections, ReadingCorrection(1, SQUARE, "?", "read again as a blank"), 3000)
    assert bench.state.board[SQUARE] == "t"
    assert bench.turns[0].word == "CAt"


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
