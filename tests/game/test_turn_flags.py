"""What the camera says of a turn, as flags with their rules."""

from __future__ import annotations

import pytest

from game.board import Square
from game.errors import TilewatchError
from game.events import Finding, SquareCorrected, TilesChanged
from game.flags import CODES, make_flag

from .gamekit import Table, codes


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
        make_flag("nonsense")


def test_what_the_camera_found_is_told_with_its_squares_and_details():
    table = Table()
    findings = (Finding("askew", "8H", "by 0.4"), Finding("askew", "8G"), Finding("off_board"))
    turn = table.play("8G", "CAT", findings)
    assert [(flag.code, flag.squares, flag.message) for flag in turn.flags] == [
        ("askew", ("8G", "8H"), "A tile lies between squares: 8G, 8H (by 0.4)."),
        ("off_board", (), "A tile lies beside the playing squares."),
    ]


def test_one_tile_that_lies_turned_is_no_turned_play():
    table = Table()
    table.play("8G", "CAT")
    turn = table.play("7H", "A", (Finding("misoriented_tile", "7H"),))
    assert codes(turn) == ["misoriented_tile"]


def test_a_question_about_a_square_goes_when_it_is_answered():
    table = Table()
    doubts = (Finding("uncertain_square", "8H"), Finding("uncertain_square", None, "glare"))
    turn = table.play("8G", "CAT", doubts)
    assert [flag.squares for flag in turn.flags] == [("8H",)]
    state = table.put(SquareCorrected(1, "8H", "A", "TD", "", table.now))
    (flag,) = state.turns[0].flags
    assert (flag.squares, "glare" in flag.message) == ((), True)


def test_no_symbol_of_the_program_stands_in_what_people_read():
    guesses = "may be I 62%, . 7%, e 5%, # 2%, ~ 1%, ? 1%"
    (flag,) = (
        one
        for one in Table().play("8G", "C~T", (Finding("uncertain_square", "8H", guesses),)).flags
        if one.code == "uncertain_square"
    )
    words = "may be I 62%, nothing 7%, blank E 5%, face down 2%, unreadable 1%, a blank 1%"
    assert words in flag.message
    table = Table()
    table.play("8G", "C#T")
    rows = table.board.replace({Square.parse("8H"): "A"}).rows
    table.put(TilesChanged(1, rows, table.now, {}, table.now))
    messages = [one.message for turn in table.state.turns for one in turn.flags]
    assert "Tiles changed after the clock was pressed: 8H A for a tile face down." in messages
