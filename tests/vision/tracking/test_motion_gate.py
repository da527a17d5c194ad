"""Stretches at rest, and what several readings of one say together."""

from __future__ import annotations

import pytest

from game.board import Board, Square
from game.events import Finding
from sensors.interfaces import Frame
from vision.rectify import homography, project
from vision.tracking.motion_gate import MotionGate, combine_readings
from vision.tracking.observer import agreement, best_shift, shifted_by_squares

MS = 1_000_000
EMPTY = Board.empty()


@pytest.fixture
def feed(drawn):
    """Hands frames of a board to a gate, 100 ms apart."""
    gate = MotionGate()
    gate.at = 0

    def more(board: Board, count: int = 1) -> MotionGate:
        for _ in range(count):
            gate.add(Frame(drawn(board, seed=gate.at), gate.at * 100 * MS, gate.at))
            gate.at += 1
        return gate

    return more


def test_at_rest_after_a_while(feed):
    assert not feed(EMPTY).is_settled(0)
    assert not feed(EMPTY).is_settled(100 * MS)
    gate = feed(EMPTY)
    assert gate.is_settled(200 * MS)
    assert gate.segment_id == 1
    assert [frame.seq for frame in gate.frames()] == [2, 1, 0]


def test_a_move_begins_a_new_stretch(feed, put):
    feed(EMPTY, 5)
    gate = feed(put("8H", "A"))
    assert not gate.is_settled(500 * MS)
    assert [frame.seq for frame in gate.frames()] == [5]
    assert feed(put("8H", "A"), 2).is_settled(700 * MS)
    assert gate.segment_id == 2


def test_only_a_few_frames_are_kept(feed):
    assert [frame.seq for frame in feed(EMPTY, 50).frames()] == [49, 48, 47]


def test_a_stalled_camera_says_nothing_about_now(feed, drawn):
    gate = feed(EMPTY, 5)
    assert gate.is_settled(1000 * MS)
    assert not gate.is_settled(2000 * MS)
    gate.add(Frame(drawn(EMPTY, seed=99), 5000 * MS, 99))
    assert not gate.is_settled(5000 * MS)


# --- several readings ---


@pytest.fixture
def reading(bench, drawn):
    """What the fake reader says of a board."""

    def of(board: Board, **taught):
        image = drawn(board)
        bench.reader.teach(image, board, **taught)
        return bench.reader.read(image)

    return of


def test_one_reading_is_itself(reading, put):
    one = reading(put("8H", "A"))
    assert combine_readings([one]) is one


def test_what_one_reading_doubts_another_settles(reading, put):
    doubt = Finding("uncertain_square", "8H", "may be A 50%, R 30%")
    other = Finding("askew", "8I", "")
    unsure = reading(
        put("8H", "~B"),
        sure={"8H": 0.5},
        guesses={"8H": [("A", 0.5), ("R", 0.3)]},
        findings=[doubt, other],
    )
    whole = combine_readings([unsure, reading(put("8H", "AB"))])
    assert whole.rows == put("8H", "AB").rows
    assert whole.guesses == {}
    assert whole.findings == (other,)
    assert 0.7 < whole.confidence[Square.parse("8H")] < 0.8


def test_readings_that_disagree_stay_in_doubt(reading, put):
    whole = combine_readings([reading(put("8H", "A")), reading(put("8H", "R"))])
    square = Square.parse("8H")
    assert whole.symbol(square) == "~"
    assert {symbol for symbol, _ in whole.guesses[square][:2]} == {"A", "R"}


def test_all_in_doubt_stays_in_doubt(reading, put):
    unsure = {"sure": {"8H": 0.5}, "guesses": {"8H": [("A", 0.5), ("R", 0.3)]}}
    whole = combine_readings([reading(put("8H", "~"), **unsure) for _ in range(3)])
    assert whole.symbol(Square.parse("8H")) == "~"
    assert whole.guesses[Square.parse("8H")][0][0] == "A"


# --- a pose that slipped ---


def test_agreement_counts_known_tiles(put):
    tiles = put("8D", "RIVEr").tiles()
    assert agreement(put("8D", "RIVE?").rows, tiles) == 1.0
    assert agreement(put("8D", "RIVER").rows, tiles) == 0.8
    assert agreement(put("8D", "RI~~~").rows, tiles) == 1.0
    assert agreement(EMPTY.rows, tiles) == 0.0
    assert agreement(put("8D", "~~~~~").rows, tiles) == 0.0


@pytest.mark.parametrize(("down", "right"), [(0, 0), (1, 0), (0, -1), (2, 1), (-1, -2)])
def test_a_slip_is_found_and_undone(put, grid, down, right):
    tiles = put("H8", "OTTER", put("8D", "RIVER")).tiles()
    shown = Board.empty().replace(
        {Square(s.row + down, s.col + right): symbol for s, symbol in tiles.items()}
    )
    assert best_shift(shown.rows, tiles) == (down, right)
    corners = shifted_by_squares(grid, down, right)
    first = project(homography(corners), grid[:1] * 0)[0]
    due = project(homography(grid), grid[:1] * 0 + [right, down])[0]
    assert first == pytest.approx(due, abs=0.01)
