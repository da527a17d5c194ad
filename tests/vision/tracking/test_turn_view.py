"""What only seems to be a tile of a turn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace

import numpy as np
import pytest

from game.board import SIZE, Board, Square
from game.referee.position import Position
from vision.tracking.belief import NOTHING, SYMBOLS
from vision.tracking.square_history import Placement, before_press
from vision.tracking.view_doubts import TurnView, plain_tiles, stray_tiles, with_doubts

BEFORE = Board.empty().replace({Square.parse(at): s for at, s in {"8G": "C", "8H": "A"}.items()})
PLAY = {"8I": "T", "8J": "S"}


POSITION = Position(BEFORE, 84, {"left": 7, "right": 7}, {"left": 0, "right": 0})


def strays(
    tiles: dict[str, str], *, covered: str = "", unsure: str = "", position: Position = POSITION
) -> list[str]:
    """The squares that hold no tile, of those that seem to hold a new one."""
    board = BEFORE.replace({Square.parse(name): symbol for name, symbol in tiles.items()})
    hidden = np.zeros((SIZE, SIZE), np.bool_)
    sure = np.ones((SIZE, SIZE))
    if covered:
        hidden[Square.parse(covered)] = True
    if unsure:
        sure[Square.parse(unsure)] = 0.7
    progress = SimpleNamespace(ledger=SimpleNamespace(position=position))
    rulebook = SimpleNamespace(rack_tiles=7)
    state = SimpleNamespace(board=BEFORE, rulebook=rulebook, progress=progress, turns=())
    merged = SimpleNamespace(rows=board.rows, covered=hidden, confidence=sure)
    found = stray_tiles(state, SimpleNamespace(merged=merged))
    return [Square(*at).name for at in np.argwhere(found).tolist()]


def plain(tiles: dict[str, str], bare: dict[str, float], covered: str = "") -> set[str]:
    """The squares that may hold a blank, by how likely those that pass for bare are so."""
    board = BEFORE.replace({Square.parse(name): symbol for name, symbol in tiles.items()})
    posterior = np.zeros((SIZE, SIZE, len(SYMBOLS)))
    posterior[..., NOTHING] = 1.0
    for name, sure in bare.items():
        posterior[Square.parse(name)][NOTHING] = sure
    hidden = np.zeros((SIZE, SIZE), np.bool_)
    if covered:
        hidden[Square.parse(covered)] = True
    progress = SimpleNamespace(ledger=SimpleNamespace(position=POSITION))
    rulebook = SimpleNamespace(rack_tiles=7)
    state = SimpleNamespace(board=BEFORE, rulebook=rulebook, progress=progress, turns=())
    merged = Merged(board.rows, hidden, SimpleNamespace(posterior=posterior))
    return {square.name for square in plain_tiles(state, Seen(merged))}


@dataclass(frozen=True)
class Merged:
    rows: tuple[str, ...]
    covered: np.ndarray
    belief: SimpleNamespace


@dataclass(frozen=True)
class Seen:
    merged: Merged


def doubts(tiles: dict[str, str], hidden: list[str], position: Position) -> set[str] | None:
    """The squares under a hand that may hold a part of the play; None: all of it."""
    covered = np.zeros((SIZE, SIZE), np.bool_)
    for name in hidden:
        covered[Square.parse(name)] = True
    board = position.board.replace({Square.parse(name): s for name, s in tiles.items()})
    merged = Merged(board.rows, covered, SimpleNamespace(symbols=position.board.rows))
    progress = SimpleNamespace(ledger=SimpleNamespace(position=position))
    rulebook = SimpleNamespace(rack_tiles=7)
    state = SimpleNamespace(
        board=position.board, rulebook=rulebook, progress=progress, turns=position.turns
    )
    view = with_doubts(state, Seen(merged), covered)
    return None if view.doubt is None else {square.name for square in view.doubt}


HAND = ["9G", "10G", "11G", "9F", "10F", "11F", "10E", "11E", "11D"]


def test_a_hand_at_the_end_of_a_play_may_hide_a_part_of_it():
    assert doubts(PLAY, ["8K", "9K"], POSITION) == {"8K"}
    assert doubts(PLAY, HAND, POSITION) == set()


def test_a_tile_put_back_is_not_taken_for_the_play_that_a_hand_hides():
    gone = replace(POSITION, gone={Square.parse("2J"): "E"})
    assert doubts({"2J": "E"}, HAND, POSITION) == set()  # a play, if no good one
    assert doubts({"2J": "E"}, HAND, gone) is None


def test_earlier_tiles_under_a_large_hand_show_as_they_were():
    progress = SimpleNamespace(ledger=SimpleNamespace(position=POSITION))
    rulebook = SimpleNamespace(rack_tiles=7)
    state = SimpleNamespace(board=BEFORE, rulebook=rulebook, progress=progress, turns=())
    covered = np.zeros((SIZE, SIZE), np.bool_)
    covered[5:9, 4:9] = True
    rows = BEFORE.replace({Square.parse("8H"): "~", Square.parse("2J"): "E"}).rows
    merged = Merged(rows, covered, SimpleNamespace(symbols=BEFORE.rows))
    view = with_doubts(state, Seen(merged), covered)
    assert view.sighting.merged.rows[7] == BEFORE.rows[7]


@pytest.mark.parametrize("doubt", [{"covered": "2K"}, {"unsure": "2J"}])
def test_a_tile_aside_of_a_play_is_none_where_a_hand_or_its_reading_makes_it_doubtful(doubt):
    assert strays({**PLAY, "2J": "E"}, **doubt) == ["2J"]


def test_a_tile_in_full_view_is_one_wherever_it_lies():
    assert strays({**PLAY, "2J": "E"}) == []


def test_a_doubtful_tile_of_a_play_is_one():
    assert strays(PLAY, unsure="8J", covered="9I") == []
    assert strays({"2J": "E"}, unsure="2J") == []


def test_where_either_of_two_may_be_the_one_too_many_both_stay_to_be_asked_about():
    assert strays({"8I": "T", "7H": "B"}, covered="7I") == []


APART = {"8J": "S", "8K": "E"}


@pytest.mark.parametrize(
    ("tiles", "bare", "found"),
    [
        (APART, {"8I": 0.9}, {"8I"}),  # else a gap
        (APART, {"8I": 0.997}, {"8I"}),
        (APART, {"8I": 0.9985}, set()),
        (APART, {"8I": 0.9, "8L": 0.94}, {"8I"}),
        ({"9J": "S", "9K": "E"}, {"8J": 0.9, "8K": 0.9}, set()),  # either would join it
        ({"9J": "S"}, {"8I": 0.9, "8J": 0.9}, {"8J"}),
        ({"8K": "S"}, {"8I": 0.9, "8J": 0.9}, {"8I", "8J"}),
        ({"8K": "S"}, {"8I": 0.99, "8J": 0.99}, set()),  # two such at once are too unlikely
        (PLAY, {"8K": 0.85}, {"8K"}),
        (PLAY, {"8K": 0.96, "9I": 0.7, "8M": 0.7}, set()),
        (PLAY, {"8K": 0.95}, {"8K"}),
        ({}, {"8I": 0.7}, set()),
    ],
)
def test_a_square_that_may_only_seem_bare_is_in_doubt_where_a_play_needs_or_reaches_it(
    tiles, bare, found
):
    assert plain(tiles, bare) == found


def test_a_square_under_a_hand_is_no_plain_tile():
    assert plain(APART, {"8I": 0.7}, covered="8I") == set()


def test_a_tile_that_was_gone_and_lies_there_again_is_no_part_of_a_play_nor_a_doubt():
    back = replace(POSITION, gone={Square.parse("2J"): "E"})
    assert strays({**PLAY, "2J": "E"}, unsure="2J", position=back) == []
    assert strays({**PLAY, "2J": "E", "4A": "N"}, unsure="4A", position=back) == ["4A"]


def test_pictures_that_a_shadow_misleads_tell_nothing_about_tiles_that_were_hidden():
    """They show tiles as laid after the press that were read at it."""
    late, early = Placement(90, 92), Placement(70, 80)
    shown = {Square.parse("13A"): late, Square.parse("15E"): late, Square.parse("15A"): early}
    read = np.zeros((SIZE, SIZE), np.bool_)
    assert before_press(shown, 85, read) == dict(zip(shown, (False, False, True), strict=True))
    read[Square.parse("13A")] = True
    assert before_press(shown, 85, read) == dict(zip(shown, (None, None, True), strict=True))


def test_what_was_covered_is_said_in_few_words():
    view = TurnView(SimpleNamespace(), frozenset(), True, 42)
    assert view.note("at the press") == "at the press, but no part of the play"
    hidden = replace(view, doubt=None)
    assert hidden.note("at the press") == "at the press, and perhaps a part of the play"
    assert replace(view, covered=0).note("at the press") is None
