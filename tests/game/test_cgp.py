"""Positions in CGP: read, written, and refused."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game import Game, TilewatchError

from .gamekit import position, random_game

EMPTY = "/".join(["15"] * 15)
ENDGAME = (
    "5BERGS5/4PA3U5/2QAID3R5/3BEE3F2S2/1P1ET2VIATIC2/MA1TAW3c2H2/ES3IS2E2A2/AT1FOLIA4V2/"
    "LI1L1EX1E6/1N1O1D2N2Y3/1GNU2C1JETE3/2ER2OHO2N3/2O3GOY6/1INDOW1U7/4DORR7"
)
"""An endgame of the format's own page."""


def test_a_position_is_gone_on_from():
    one = Game.from_cgp(f"{ENDGAME} IKLMTZ/AEINRU? 100/90 0 lex OSPD1;", "Ann", "Bob")
    assert one.scores == {"Ann": 100, "Bob": 90}
    assert (one.on_turn, one.state.bag_count) == ("Ann", 0)
    assert dict(one.state.racks) == {"left": 6, "right": 7}
    assert one.board["10O"] == "."
    one.pass_turn()
    assert one.to_cgp() == (
        f"{ENDGAME} AEINRU?/ 90/100 1 lex OSPD1; ld english; tmr 1500000/1499000;"
    )


def test_a_player_goes_out_of_a_position_and_may_be_challenged():
    rows = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in position(0))
    for by, ends in (("wespa-2021", 123), ("naspa-2017", 123)):
        one = Game.from_cgp(f"{rows} RATIUES/DNLGBVQ 0/0 0", "Ann", "Bob", rulebook=by)
        out = one.play("8H", ".RATIUES")
        assert (out.score, out.word) == (77, "ORATIUES")
        one.challenge(succeeds=True)
        assert (one.is_over, one.scores["Ann"], one.on_turn) == (False, 0, "Bob")
        one.undo()
        assert one.end({"Bob": "DNLGBVQ"}) == {"Ann": ends, "Bob": 0}
        assert one.winner == "Ann"


def test_clocks_and_scoreless_turns_are_part_of_it():
    line = f"{EMPTY} / 0/0 3 ld german; tmr 10000/-2500;"
    one = Game.from_cgp(line, "Ann", "Bob", rulebook="wespa-2021")
    assert one.clocks == {"Ann": 10, "Bob": -2.5}
    assert [turn.player for turn in one.turns] == ["Bob", "Ann", "Bob"]
    assert one.on_turn == "Ann"
    for _ in range(3):
        one.pass_turn()
    assert one.is_over


def test_the_clock_that_runs_stands_as_it_shows():
    one = Game("Ann", "Bob", rulebook="wespa-2021")
    one.wait(10)
    assert one.to_cgp().endswith("tmr 1490000/1500000;")


def test_tiles_of_several_letters_stand_in_brackets():
    one = Game("Ann", "Bob", tile_set="spanish")
    one.play("8G", "[CH]A[ll]O")
    text = one.to_cgp()
    assert "/6[CH]A[ll]O5/" in text
    assert Game.from_cgp(text, "Bob", "Ann").board == one.board


def test_a_blank_without_a_letter_has_no_form():
    one = Game()
    one.play("8G", "C?T")
    with pytest.raises(TilewatchError, match="no form for \\? on 8H: enter first which tile it is"):
        one.to_cgp()


@given(st.integers(0, 10**6), st.integers(0, 30))
def test_any_position_comes_back_from_its_own_line(seed, turns):
    events = random_game(seed % 40).events
    one = Game.from_events(events[: 2 + 2 * turns])
    on = one.state.next_side or "left"
    names = (one.players[on], next(name for side, name in one.players.items() if side != on))
    line = one.to_cgp()
    again = Game.from_cgp(line, *names, rulebook=one.state.rulebook.id)
    assert again.to_cgp() == line
    assert again.board == one.board
    assert again.scores == {**one.scores}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "0 fields: give four"),
        (f"{EMPTY} / 0/0", "3 fields: give four"),
        ("15/15 / 0/0 0", "the board has 2 rows"),
        (EMPTY.replace("15", "14", 1) + " / 0/0 0", "row 1 has 14 squares"),
        (EMPTY.replace("15", "999", 1) + " / 0/0 0", "row 1 has 16 squares"),
        (EMPTY.replace("15", "Ж14", 1) + " / 0/0 0", "row 1: 'Ж' is not a tile of the English set"),
        (EMPTY.replace("15", "?14", 1) + " / 0/0 0", "row 1: '\\?' is not a tile"),
        (EMPTY.replace("15", "[CH]14", 1) + " / 0/0 0", "row 1: '\\[CH\\]' is not a tile"),
        (f"{EMPTY} AB 0/0 0", "racks 'AB': give two, with a slash"),
        (f"{EMPTY} A1/ 0/0 0", "rack 'A1': '1' is not a tile"),
        (f"{EMPTY} AB/ 0/0 0", "a rack has 2 tiles, but the bag"),
        (f"{EMPTY} QQ/ 0/0 0", "more Q than the English set"),
        (f"{EMPTY} / 0/x 0", "scores: 'x' is no number"),
        (f"{EMPTY} / 0/0 x", "'x' is not a number of scoreless turns"),
        (f"{EMPTY} / 0/0 6", "6 scoreless turns in a row end the game"),
        (f"{EMPTY} / 0/0 0 ld klingon;", "unknown tile set 'klingon'"),
        (f"{EMPTY} / 0/0 0 tmr 1;", "tmr '1': give two"),
    ],
)
def test_what_is_no_position_is_refused_in_one_line(line, message):
    with pytest.raises(TilewatchError, match=message) as why:
        Game.from_cgp(line)
    assert "\n" not in str(why.value)
