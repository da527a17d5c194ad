"""What was empty helps to say what still is."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from vision.board_context import face_colours, recolour_posterior
from vision.decode import SYMBOL_ORDER
from vision.empty_board import EmptyBoardModel, pattern_log_likelihood_ratio
from vision.rectify import BORDER, PITCH

SIDE = 15 * PITCH + 2 * BORDER
EMPTY, BLANK = SYMBOL_ORDER.index("."), SYMBOL_ORDER.index("?")
BARE = (120, 150, 140)


def board(seed: int = 3) -> np.ndarray:
    """An empty board of one colour, a little grained, with thin lines and a mark at one side."""
    rng = np.random.default_rng(seed)
    grain = cv2.GaussianBlur(rng.normal(0, 12, (SIDE, SIDE, 1)).astype(np.float32), (0, 0), 3)
    image = np.full((SIDE, SIDE, 3), BARE, np.float32) + grain[..., None]
    for at in range(16):
        line = BORDER + at * PITCH
        image[line - 1 : line + 1] -= 30
        image[:, line - 1 : line + 1] -= 30
    for col in range(15):  # print that tells the top from the other sides
        x, y = BORDER + col * PITCH + PITCH // 2, BORDER + PITCH // 2
        cv2.circle(image, (x, y), 8, (60.0, 60.0, 160.0), -1)
    return np.clip(image, 0, 255).astype(np.uint8)


def placed(
    image: np.ndarray, row: int, col: int, colour: tuple[int, int, int] = BARE
) -> np.ndarray:
    """A plain blank of the board's own colour."""
    out = image.copy()
    x, y = BORDER + col * PITCH, BORDER + row * PITCH
    cv2.rectangle(out, (x + 2, y + 2), (x + PITCH - 3, y + PITCH - 3), colour, -1)
    cv2.rectangle(out, (x + 2, y + 2), (x + PITCH - 3, y + PITCH - 3), (105, 130, 120), 1)
    return out


def lit(image: np.ndarray, seed: int = 0) -> np.ndarray:
    """Under another light: warmer, falling off to one side, with noise."""
    slope = np.linspace(0.65, 1.1, SIDE, dtype=np.float32)[None, :, None]
    gain = np.array([0.75, 0.95, 1.1], np.float32)
    noise = np.random.default_rng(seed).normal(0, 2, image.shape)
    return np.clip(image * slope * gain + noise, 0, 255).astype(np.uint8)


def unsure(*squares: tuple[int, int]) -> np.ndarray:
    """A reading that takes all for empty, and is in two minds about some."""
    p = np.full((15, 15, len(SYMBOL_ORDER)), 1e-5, np.float32)
    p[..., EMPTY] = 0.97
    p[..., BLANK] = 0.03
    for square in squares:
        p[square] = 1e-5
        p[(*square, EMPTY)], p[(*square, BLANK)] = 0.6, 0.4
    return p / p.sum(axis=-1, keepdims=True)


@pytest.mark.parametrize("light", [lambda image: image, lit])
def test_a_blank_of_the_boards_own_colour_is_seen_by_what_it_hides(light):
    look = EmptyBoardModel(board())
    picture = placed(board(), 7, 7)
    p = unsure((7, 7), (4, 10))
    # Tiles of this set, which has the board's own colour.
    for square in [(row, col) for row in (9, 11, 13) for col in range(3, 11)]:
        picture = placed(picture, *square)
        p[square] = 1e-5
        p[(*square, SYMBOL_ORDER.index("E"))] = 0.99
    now = light(picture)
    residual = look.residual(now, p)
    assert residual is not None
    before = recolour_posterior(p, face_colours(now))
    after = recolour_posterior(p, face_colours(now), residual)
    assert before[7, 7, BLANK] < 0.6
    assert after[7, 7, BLANK] > max(0.7, before[7, 7, BLANK])
    assert after[4, 10, EMPTY] > 0.85, "what looks as it did is empty the more surely"
    assert (after.argmax(-1) == EMPTY).sum() == 225 - 25


@pytest.mark.parametrize("turns", range(4))
def test_the_side_on_which_the_empty_board_was_photographed_does_not_matter(turns):
    look = EmptyBoardModel(np.ascontiguousarray(np.rot90(board(), turns)))
    residual = look.residual(lit(placed(board(), 2, 9)), unsure())
    assert residual is not None
    assert (residual.turns + turns) % 4 == 0
    log_likelihood_ratio = pattern_log_likelihood_ratio(
        residual, unsure()[..., EMPTY].astype(np.float64)
    )
    assert np.unravel_index(log_likelihood_ratio.argmax(), log_likelihood_ratio.shape) == (2, 9)


def test_a_pose_a_hair_off_makes_no_square_stray():
    shift = np.array([[1, 0, 1.3], [0, 1, -0.9]], np.float32)
    moved = cv2.warpAffine(board(), shift, (SIDE, SIDE), borderMode=cv2.BORDER_REPLICATE)
    p = unsure()
    residual = EmptyBoardModel(board()).residual(moved, p)
    assert residual is not None
    after = recolour_posterior(p, face_colours(moved), residual)
    assert (after.argmax(-1) == EMPTY).all()


def test_where_hardly_anything_is_empty_nothing_is_compared():
    p = unsure()
    p[..., EMPTY] = 0.1
    assert EmptyBoardModel(board()).residual(board(), p) is None


def test_a_letter_on_a_square_is_no_less_a_letter_for_what_was_below_it():
    now = placed(board(), 5, 5, (220, 225, 230))
    p = unsure()
    letter = SYMBOL_ORDER.index("E")
    p[5, 5] = 1e-5
    p[5, 5, letter] = 0.99
    after = recolour_posterior(p, face_colours(now), EmptyBoardModel(board()).residual(now, p))
    assert after[5, 5].argmax() == letter
