"""When tiles were laid, by the small pictures of the frames."""

from __future__ import annotations

import numpy as np
import pytest

from game.board import Square
from vision.tracking.square_history import Placement, SquareHistory

MS = 1_000_000
H8 = Square.parse("8H")
NOBODY = np.zeros((15, 15), np.bool_)
BARE, TILE, HAND = (60, 110, 70), (230, 215, 170), (140, 160, 210)
SKIN = (72, 108, 78)


def picture(shown: tuple[int, int, int], light: float = 1.0) -> np.ndarray:
    image = np.full((75, 75, 3), BARE, np.float32)
    image[35:40, 35:40] = shown
    return np.clip(image * light, 0, 255).astype(np.uint8)


def history(*shown: tuple[int, int, int], light: float = 1.0) -> SquareHistory:
    """One frame every 100 ms, the first of which is known to be without a tile."""
    made = SquareHistory()
    for at, colour in enumerate(shown):
        made.add(at * 100 * MS, picture(colour, light if at % 2 else 1.0))
        if at == 0:
            made.know(0, NOBODY)
    return made


@pytest.mark.parametrize(
    ("shown", "after_ms", "by_ms"),
    [
        ((BARE, BARE, TILE, TILE), 100, 200),
        ((BARE, HAND, HAND, TILE), 0, 300),
        ((BARE, HAND, TILE, HAND, TILE), 0, 200),
        ((BARE, TILE, BARE, HAND, TILE), 200, 400),  # lifted, and laid again
        ((BARE, TILE, SKIN, TILE), 0, 100),  # skin as light as the board
    ],
)
@pytest.mark.parametrize("light", [1.0, 0.7])
def test_between_which_frames_a_tile_was_laid(shown, after_ms, by_ms, light):
    found = history(*shown, light=light).placements([H8], len(shown) * 100 * MS)
    assert found == {H8: Placement(after_ms * MS, by_ms * MS)}


@pytest.mark.parametrize(
    ("press_ms", "before"), [(50, False), (100, False), (150, None), (300, True)]
)
def test_on_which_side_of_a_press_that_was(press_ms, before):
    assert Placement(100 * MS, 300 * MS).before_press(press_ms * MS) is before


def test_of_a_square_that_is_not_known_without_its_tile_nothing_is_told():
    made = SquareHistory()
    made.add(0, picture(TILE))
    assert made.placements([H8], 0)[H8] == Placement(None, None)
    made.know(0, NOBODY)
    made.restart()
    made.add(100 * MS, picture(TILE))
    assert made.placements([H8], 100 * MS)[H8] == Placement(None, None)


@pytest.mark.parametrize(
    ("shown", "by_ms"), [((HAND, HAND, TILE), 200), ((HAND, TILE, HAND, TILE), 100)]
)
def test_a_hand_that_hid_a_square_ever_since_is_not_its_bare_look(shown, by_ms):
    hidden = NOBODY.copy()
    hidden[H8] = True
    made = SquareHistory()
    for at, colour in enumerate(shown):
        made.add(at * 100 * MS, picture(colour))
        if at == 0:
            made.know(0, hidden)
    found = made.placements([H8], len(shown) * 100 * MS)
    assert found == {H8: Placement(None, by_ms * MS)}


def test_a_shadow_that_wanders_over_a_square_leaves_it_what_it_is():
    made = history(BARE)
    for at, (colour, share) in enumerate(((BARE, 0.6), (TILE, 0.6), (TILE, 1.0)), start=1):
        dim = tuple(round(share * level) for level in colour)
        made.add(at * 100 * MS, picture(dim))
    assert made.placements([H8], 300 * MS) == {H8: Placement(100 * MS, 200 * MS)}


def test_a_square_that_was_hidden_keeps_what_was_known_of_it():
    made = history(BARE, HAND)
    hidden = NOBODY.copy()
    hidden[H8] = True
    made.know(100 * MS, hidden)
    made.add(200 * MS, picture(TILE))
    assert made.placements([H8], 200 * MS)[H8] == Placement(0, 200 * MS)


def test_frames_that_show_the_same_are_unchanged_and_a_tile_is_a_change():
    made = history(BARE, BARE, TILE, light=0.7)
    assert made.unchanged(0, 100 * MS)
    assert not made.unchanged(0, 200 * MS)
    assert not SquareHistory().unchanged(0, 1)


@pytest.mark.parametrize("turns", [1, 2, 3])
def test_pictures_are_kept_when_the_board_turns_out_to_lie_the_other_way_round(turns):
    def shown(square: Square | None) -> np.ndarray:
        image = np.full((75, 75, 3), BARE, np.uint8)
        if square is not None:
            image[square.row * 5 :, square.col * 5 :][:5, :5] = TILE
        return image

    made, guessed = SquareHistory(), Square(2, 4)
    made.add(0, shown(None))
    made.know(0, NOBODY)
    made.add(100 * MS, shown(guessed))
    marked = np.zeros((15, 15), np.bool_)
    marked[guessed] = True
    row, col = (int(at) for at in np.argwhere(np.rot90(marked, turns))[0])
    upright = Square(row, col)
    assert made.placements([upright], 100 * MS, turns) == {upright: Placement(0, 100 * MS)}
    made.turn(turns)
    assert made.placements([upright], 100 * MS) == {upright: Placement(0, 100 * MS)}
