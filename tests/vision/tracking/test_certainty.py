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


KNOWN = Finding("uncertain_square", "8H", "may be A 65%, R 32%")


@pytest.mark.parametrize(
    ("square", "guesses", "findings", "asked"),
    [
        ("8H", [("A", 0.7), ("R", 0.28)], [], True),
        ("8H", [("A", 0.8), ("R", 0.18)], [], False),
        # Where perhaps nothing lies it is asked sooner, and what is asked already not again.
        ("8I", [("T", 0.82), (".", 0.17)], [], True),
        ("8H", [("A", 0.65), ("R", 0.32)], [KNOWN], True),
    ],
)
def test_a_letter_that_may_as_well_be_another_is_asked_about(
    live, put, square, guesses, findings, asked
):
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    taught = {"sure": {square: guesses[0][1]}, "guesses": {square: guesses}, "findings": findings}
    turn = played(live, put("8G", "CAT"), 500, "left", **taught)
    assert turn.tiles == {"8G": "C", "8H": "A", "8I": "T"}, "what was read counts meanwhile"
    assert turn.seen.certainty["tiles"] == pytest.approx(guesses[0][1], abs=0.05)
    assert [finding.square for finding in turn.seen.findings] == ([square] if asked else [])
    for finding in turn.seen.findings:
        (letter, first), (other, _) = guesses
        assert finding.detail.startswith(f"may be {letter} {int(10 * first)}")
        assert f", {other} " in finding.detail
    assert [flag.squares for flag in turn.flags] == ([(square,)] if asked else [])


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
