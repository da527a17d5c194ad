"""Reports on positions: racks that follow from others, words as people read them, CGP."""

from __future__ import annotations

from collections import Counter

import pytest
from pydantic import ValidationError

from analysis.analyst import Analyst, cgp_for_engine, play_text
from analysis.options import AnalysisOptions
from game.cgp import events_from_cgp
from game.state.fold import fold
from game.tileset import load_tile_set

NAMES = {"left": "Ann", "right": "Bob"}
WORDS = frozenset({"CAT", "CATS", "SO", "OS", "AT", "TA", "ON", "NO", "ZA"})


def opened(board: str, racks: str = "/", more: str = ""):
    return fold(events_from_cgp(f"{board} {racks} 0/0 0 {more}", NAMES, "wespa-2021"))


OPENING = "15/15/15/15/15/15/15/7CAT5/15/15/15/15/15/15/15"


def test_a_word_says_what_was_there_and_what_is_a_blank():
    english, spanish = load_tile_set("english"), load_tile_set("spanish")
    assert play_text("QU.z..", "QUIzES", english) == "QU(I)z(ES)"
    assert play_text("...S", "CaTS", english) == "(CaT)S"
    ch = spanish.symbols("[CH]")
    assert play_text(f"{ch}.{ch.lower()}", f"{ch}O{ch.lower()}", spanish) == "CH(O)ch"


def test_without_a_word_list_there_are_racks_and_draws_and_no_plays():
    report = Analyst(None).report(opened(OPENING), {"left": "SO?", "right": None}, {}, {})
    assert (report["words"], report["plays"], report["recent"]) == (False, {}, [])
    assert report["racks"] == {"left": "?OS", "right": None}
    assert report["pool"]["?"] == 1
    assert report["chances"]["?"][0] == round(1 / sum(report["pool"].values()), 3)


def ending(left: str, right: str):
    """A game with an empty bag and these racks; only the left one is known to the game."""
    tiles = Counter(opened(OPENING).unseen) - Counter(left + right)
    text = "".join(tiles.elements()).replace("?", "q")
    board = OPENING.split("/")
    for row in (0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14):  # where they lie does not matter
        part, text = text[:15], text[15:]
        board[row] = part + (f"{15 - len(part)}" if len(part) < 15 else "")
    return opened("/".join(board), f"{left}/")


@pytest.mark.parametrize("seen", [None, "N"])
def test_with_an_empty_bag_the_rest_of_a_rack_follows_from_the_other(seen):
    state = ending("ZAS", "NO")
    report = Analyst(WORDS).report(state, {"left": "ZAS", "right": seen}, {}, {})
    assert state.bag_count == 0
    assert report["racks"]["right"] == "NO"
    assert report["missing"] == {"left": 0, "right": 0}
    assert report["pool"] == {}
    assert report["chances"] == {}
    assert report["end"] is not None


@pytest.mark.parametrize(
    ("left", "right", "missing"),
    [("ZA", "N", {"left": 1, "right": 1}), ("ZAS", "T", {"left": 0, "right": 1})],
)
def test_an_endgame_is_not_told_of_racks_that_are_not_known(left, right, missing):
    report = Analyst(WORDS).report(ending("ZAS", "NO"), {"left": left, "right": right}, {}, {})
    assert report["missing"] == missing
    assert report["end"] is None
    assert "right" not in report["plays"]


def test_an_endgame_is_not_told_of_racks_that_are_not_the_unseen_tiles():
    report = Analyst(WORDS).report(ending("ZAS", "NO"), {"left": "ZAS", "right": "NT"}, {}, {})
    assert report["end"] is None


def test_a_rack_that_is_being_read_has_no_plays():
    report = Analyst(WORDS).report(opened(OPENING), {"left": "SONAZ", "right": "AEINRST"}, {}, {})
    assert report["missing"] == {"left": 2, "right": 0}
    assert set(report["plays"]) == {"right"}


def test_an_engine_gets_the_rack_of_the_player_on_turn_alone():
    state = opened(OPENING, "/", "lex NWL23;")
    line = cgp_for_engine(state, {"left": "AEINRST", "right": "QVWZXJK"}, 0)
    board, racks, *_ = line.split(" ")
    assert (board, racks) == (OPENING, "AEINRST/")
    assert "lex NWL23;" in line


@pytest.mark.parametrize(
    "wrong", [{"addresses": ["the hall"]}, {"delay_s": 601}, {"engine_s": 0}, {"engine": "x"}]
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ValidationError):
        AnalysisOptions(**wrong)


def test_an_address_that_is_none_is_not_admitted():
    options = AnalysisOptions(addresses=["192.0.2.0/24", "2001:db8::/32"])
    assert [options.admits(one) for one in ("192.0.2.9", "2001:db8::1", "?", None)] == [
        *(True, True, False, False)
    ]
    assert AnalysisOptions().admits(None)
