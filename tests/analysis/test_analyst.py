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


def test_with_an_empty_bag_the_other_rack_follows():
    left = Counter(opened(OPENING).unseen) - Counter("SONAZ")
    text = "".join(left.elements()).replace("?", "q")
    board = OPENING.split("/")
    for row in (0, 1, 2, 3, 4, 5, 9, 10, 11, 12, 13, 14):  # where they lie does not matter
        part, text = text[:15], text[15:]
        board[row] = part + (f"{15 - len(part)}" if len(part) < 15 else "")
    state = opened("/".join(board), "ZAS/")
    report = Analyst(WORDS).report(state, {"left": "ZAS", "right": None}, {}, {})
    assert state.bag_count == 0
    assert report["racks"]["right"] == "NO"
    assert report["pool"] == {}
    assert report["chances"] == {}
    assert report["end"] is not None


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
