"""How sure a turn is, and what is asked although it was read."""

from __future__ import annotations

import pytest

from game.events import Finding
from tests.table.recorderkit import EMPTY, opened


def played(live, board, t_ms=1500, button="right", **taught):
    live.video(t_ms, t_ms + 1000, board, **taught)
    live.press(button, t_ms + 950)
    return live.turns[-1]


def test_a_clear_turn_is_sure_and_nobody_is_asked(live, put):
    opened(live, put)
    (turn,) = live.turns
    assert turn.seen.certainty["tiles"] > 0.9
    assert not turn.seen.findings


@pytest.mark.parametrize(
    ("sure", "asked"), [({"8H": 0.7}, True), ({"8H": 0.8}, False), ({"8H": 0.97}, False)]
)
def test_a_letter_that_may_as_well_be_another_is_asked_about(live, put, sure, asked):
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    guesses = {"8H": [("A", sure["8H"]), ("R", 0.98 - sure["8H"])]}
    turn = played(live, put("8G", "CAT"), 500, "left", sure=sure, guesses=guesses)
    assert turn.tiles == {"8G": "C", "8H": "A", "8I": "T"}, "what was read counts meanwhile"
    assert turn.seen.certainty["tiles"] == pytest.approx(sure["8H"], abs=0.05)
    found = [finding for finding in turn.seen.findings if finding.code == "uncertain_square"]
    assert [finding.square for finding in found] == (["8H"] if asked else [])
    if asked:
        assert found[0].detail.startswith("may be A 7"), "the alternatives are named"
        assert ", R 2" in found[0].detail
    assert [flag.squares for flag in turn.flags] == ([("8H",)] if asked else [])


def test_a_tile_where_perhaps_nothing_lies_is_asked_about_sooner(live, put):
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    guesses = {"8I": [("T", 0.82), (".", 0.17)]}
    turn = played(live, put("8G", "CAT"), 500, "left", sure={"8I": 0.82}, guesses=guesses)
    assert [finding.square for finding in turn.seen.findings] == ["8I"]


def test_what_is_asked_already_is_not_asked_again(live, put):
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    known = Finding("uncertain_square", "8H", "may be A 65%, R 32%")
    guesses = {"8H": [("A", 0.65), ("R", 0.32)]}
    turn = played(
        live, put("8G", "CAT"), 500, "left", sure={"8H": 0.65}, guesses=guesses, findings=[known]
    )
    assert [finding.square for finding in turn.seen.findings] == ["8H"]


def test_tiles_that_make_no_play_make_a_turn_unsure_and_a_turn_without_any_after_them_too(
    live, put
):
    first = opened(live, put)
    both = put("2B", "TO", put("G7", "A.E", first))
    odd = played(live, both)
    assert odd.seen.certainty["tiles"] < 0.25
    nothing = played(live, both, 2500, "left")
    assert not nothing.tiles
    assert nothing.seen.certainty["tiles"] < 0.25
    assert [flag.code for flag in nothing.flags] == ["uncertain_square"]


def test_a_turn_without_tiles_after_a_play_is_sure(live, put):
    first = opened(live, put)
    nothing = played(live, first)
    assert nothing.seen.certainty["tiles"] == 1.0
    assert not nothing.flags
