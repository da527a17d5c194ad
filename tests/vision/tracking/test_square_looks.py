"""What the looks of a square, and what covers it, tell of its tile."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.board import SIZE, Board, Square
from tests.vision.tracking.trackerkit import BARE, PLACE, TILE, after, looks, reading
from vision.decode import SYMBOL_ORDER
from vision.tracking.appearance import AppearanceMap, appearance_distance
from vision.tracking.board_tracker import BoardTracker


def test_a_square_that_looks_as_it_did_without_its_tile_is_empty_however_its_print_reads():
    star, tile = {".": 0.5, "X": 0.3, "A": 0.2}, ({"R": 0.99}, looks(PLACE))
    bare = {".": 0.99}, looks()
    assert after(bare, tile, (star, looks()))[-1][0] == "."
    assert after(bare, tile, (star, looks(PLACE, by=0.5)))[-1][0] != "."


@pytest.mark.parametrize("printed", [{"X": 0.69, "#": 0.12, ".": 0.11}, {"#": 0.6, ".": 0.2}])
def test_a_bare_square_whose_print_passes_for_a_tile_is_told_by_how_it_looked(printed):
    bare, tile = ({".": 0.99}, looks()), ({"A": 0.999}, looks(PLACE))
    shown, sure, corrections = after(bare, tile, (printed, looks()))[-1]
    assert (shown, corrections) == (".", [])
    assert sure > 0.9
    assert after(bare, tile, (printed, looks(PLACE, by=0.5)))[-1][0] != "."


@pytest.mark.parametrize("symbol", ["A", "X", "?"])
def test_a_tile_that_is_surely_read_lies_there_though_its_square_looks_bare(symbol):
    bare, tile = ({".": 0.99}, looks()), ({symbol: 0.999}, looks(PLACE))
    assert after(bare, tile, ({symbol: 0.9995}, looks()))[-1][0] == symbol


def test_a_tile_amid_tiles_is_gone_when_its_square_looks_as_it_did_without_it():
    """The tiles around it tell nothing of the light since then, which the bare squares tell."""
    around = [f"{row}{column}" for row in range(6, 11) for column in "FGHIJ"]
    tiles = looks(*around, by=1.3)
    gone = looks(*(name for name in around if name != PLACE), by=1.3)
    board = Board.empty().replace({Square.parse(name): "E" for name in around if name != PLACE})
    tracker = BoardTracker()
    steps = ((Board.empty(), {".": 0.99}, looks()), (board, {"I": 0.999}, tiles))
    for turn, (now, output, look) in enumerate(steps, start=1):
        tracker.commit(tracker.update(reading(now, output), look, turn))
    tracker.commit(tracker.update(reading(board, {"I": 0.999}), tiles, 3))
    shown = tracker.update(reading(board, {".": 0.95, "?": 0.02, "I": 0.01}), gone, 4)
    assert shown.rows[7][7] == "."


def test_a_known_tile_that_the_picture_cuts_off_is_no_other():
    inside = np.ones((SIZE, SIZE), np.bool_)
    cut = inside.copy()
    cut[Square.parse(PLACE)] = False
    there = replace(looks(PLACE), in_picture=inside)
    whole = {"J": 0.98}, replace(looks(PLACE, by=0.4), in_picture=inside)
    part = {"J": 0.98}, replace(looks(PLACE, by=0.4), in_picture=cut)
    assert after(({"U": 0.99}, there), whole)[-1][0] == "J"
    assert after(({"U": 0.99}, there), part)[-1] == ("U", pytest.approx(0.99, abs=0.01), [])
    unsure = {"U": 0.6, "J": 0.3}, there  # never known, so the picture's part counts
    assert after(unsure, part) == after(unsure, whole)


def test_a_play_along_the_edge_looks_different_throughout():
    play = [f"{row}O" for row in range(1, 8)]
    distance = appearance_distance(looks(), looks(*play, by=0.85))
    changed = np.array([[Square(r, c).name in play for c in range(SIZE)] for r in range(SIZE)])
    assert (distance[changed] > 0.1).all()
    assert (distance[~changed] < 0.01).all()


def test_tiles_are_compared_with_themselves_and_empty_squares_with_empty_ones():
    given = []

    def change_evidence(before, after, squares):
        given.append(before[:, 0, 0, 0].reshape(SIZE, SIZE))
        return np.zeros(len(squares))

    def at(grey, *dark):
        look = looks(*dark)
        return replace(look, patches=np.full_like(look.patches, grey))

    sightings = [({".": 0.99}, at(10)), ({"H": 0.99}, at(20, PLACE)), ({"H": 0.99}, at(30, PLACE))]
    other = "2B"
    memory = BoardTracker(change_evidence)
    for turn, (output, look) in enumerate(sightings, start=1):
        faint = reading(Board.empty(), output)
        if turn > 1:
            faint.posterior[Square.parse(other)][SYMBOL_ORDER.index("?")] = 0.1
        memory.commit(memory.update(faint, look, turn))
    assert given[-1][Square.parse(PLACE)] == 20
    assert given[-1][Square.parse("15O")] == 20
    assert given[0][Square.parse(PLACE)] == 10


def test_a_blank_that_passed_for_a_bare_square_is_not_what_it_is_compared_with():
    given = []

    def change_evidence(before, after, squares):
        given.append(int(before[Square.parse(PLACE).row * SIZE + Square.parse(PLACE).col, 0, 0, 0]))
        return np.full(len(squares), -1.4)

    def at(grey, *dark):
        look = looks(*dark, by=0.97)
        return replace(look, patches=np.full_like(look.patches, grey))

    doubtful = {".": 0.77, "?": 0.23}
    after(
        ({".": 0.99}, at(10)),
        (doubtful, at(20, PLACE)),
        (doubtful, at(30, PLACE)),
        change_evidence=change_evidence,
    )
    assert given == [10, 10]


@pytest.mark.parametrize(("nats", "compared"), [(-1.0, [10, 10]), (-4.0, [10, 20])])
def test_a_square_that_the_comparison_is_in_doubt_of_is_not_remembered_as_bare(nats, compared):
    given = []

    def change_evidence(before, after, squares):
        given.append(before.reshape(SIZE, SIZE, -1)[Square.parse(PLACE)].max())
        return np.full(len(squares), nats)

    def at(grey, *dark):
        look = looks(*dark, by=0.97 - grey / 1000)
        return replace(look, patches=np.full_like(look.patches, grey))

    empty = {".": 0.996, "?": 0.004}
    after(
        (empty, at(10)),
        (empty, at(20, PLACE)),
        (empty, at(40, PLACE)),
        change_evidence=change_evidence,
    )
    assert given == compared


@pytest.mark.parametrize(("nats", "shown"), [(4.0, "?"), (-4.0, ".")])
@pytest.mark.parametrize("look", [looks(PLACE, by=0.5), looks(PLACE, by=0.98)])
def test_a_blank_that_reads_as_empty_later_is_compared_with_its_bare_square(look, nats, shown):
    """The light may make it look like neither of its looks, or nearly as its bare square."""
    given = []

    def change_evidence(before, after, squares):
        given.append(before.reshape(SIZE, SIZE, -1)[Square.parse(PLACE)].max())
        return np.array(
            [nats if Square(*divmod(int(at), SIZE)).name == PLACE else -6.0 for at in squares]
        )

    def at(grey, look):
        return replace(look, patches=np.full_like(look.patches, grey))

    *_, last = after(
        ({".": 0.999}, at(10, BARE)),
        ({"?": 0.97, ".": 0.02}, at(20, TILE)),
        ({".": 0.97, "?": 0.03}, at(30, look)),
        change_evidence=change_evidence,
    )
    assert last[0] == shown
    assert given[-1] == 10


def on_frame(hand: bool) -> AppearanceMap:
    """An even board with a hand on the frame beside the right end of rows 1 to 3, or without."""
    rim = np.full((60, 6, 12, 3), 100.0, np.float32)
    rim[:, ::2] = 60.0
    if hand:
        rim[15:18] = rim[15:18, ::-1]
    return replace(looks(), rim=rim)


def test_a_hand_that_has_left_the_frame_covers_nothing():
    memory = BoardTracker()
    board = Board.empty()
    for turn, hand in enumerate((False, True), start=1):
        memory.commit(memory.update(reading(board, {".": 0.99}), on_frame(hand), turn))
    look = replace(on_frame(False), board=looks("1O").board)
    letter = reading(board.replace({Square.parse("1O"): "O"}), {".": 0.99})
    letter.posterior[Square.parse("1O")] = 2e-4
    letter.posterior[Square.parse("1O")][SYMBOL_ORDER.index("O")] = 0.99
    merged = memory.update(letter, look, 3)
    assert merged.rows[0][14] == "O"
    assert not merged.covered.any()


@pytest.mark.parametrize(("hand", "corrections"), [(True, [(2, "U")]), (False, [])])
def test_a_letter_that_a_hand_half_hid_is_put_right_by_a_clear_view(hand, corrections):
    """Seen in full both times, the tile was exchanged."""
    memory, under = BoardTracker(), ["7F", "7G", "8F", "8G", "9F", "9G"] if hand else []
    covered = Board.empty().replace({Square.parse(name): "~" for name in under})
    for turn, seen, look in [
        (1, reading(Board.empty(), {".": 0.999}), BARE),
        (2, reading(covered, {"J": 0.9997}), looks(PLACE, *under, by=0.5)),
        (3, reading(Board.empty(), {"U": 0.9999}), looks(PLACE, by=0.52)),
    ]:
        merged = memory.update(seen, look, turn)
        memory.commit(merged)
    assert merged.rows[7][7] == "U"
    assert [(c.turn, c.symbol) for c in merged.corrections] == corrections


def lit(look: AppearanceMap, by: float) -> AppearanceMap:
    patches = np.full_like(look.patches, round(200 * by))
    return replace(look, board=look.board * np.float32(by), patches=patches)


def test_a_square_that_is_kept_from_an_earlier_picture_comes_into_the_light_of_the_others():
    before, now = lit(looks(), 1.0), lit(looks(), 0.6)
    seen = np.ones((SIZE, SIZE), np.bool_)
    seen[Square.parse(PLACE)] = False
    stale, kept = before.replaced(seen, now), before.relit(now, ~seen, seen).replaced(seen, now)
    assert appearance_distance(stale, now)[Square.parse(PLACE)] > 0.3
    assert appearance_distance(kept, now).max() < 0.01
    assert np.abs(kept.patches.astype(int) - now.patches).max() <= 2


def test_a_doubted_square_is_compared_with_its_bare_look_in_the_light_of_today():
    """A plain blank lies there, and the light has changed since the square was seen bare."""
    given = []

    def change_evidence(before, after, squares):
        given.append(int(before.reshape(SIZE, SIZE, -1)[Square.parse(PLACE)].max()))
        return np.full(len(squares), -1.0)

    doubtful = {".": 0.77, "?": 0.23}
    after(
        ({".": 0.99}, lit(looks(), 1.0)),
        (doubtful, lit(looks(PLACE, by=0.97), 0.6)),
        (doubtful, lit(looks(PLACE, by=0.97), 0.6)),
        change_evidence=change_evidence,
    )
    assert given == [200, pytest.approx(120, abs=2)]


@pytest.mark.parametrize(("by", "sure"), [(0.999, True), (0.95, False)])
def test_a_letter_that_is_read_for_another_on_a_square_that_looks_almost_the_same_is_in_doubt(
    by, sure
):
    """An I and a T differ by little more than the pose does to their edges."""
    old = {"I": 0.999, "T": 0.0005}, looks(PLACE, by=0.7)
    new = {"T": 0.998, "I": 0.001}, looks(PLACE, by=0.7 * by)
    shown, certainty, _ = after(({".": 0.99}, looks()), old, new)[-1]
    assert shown in ("I", "~")
    assert (certainty > 0.75) == sure


def test_a_colour_that_the_squares_around_hardly_have_tells_nothing_of_the_light():
    """A little haze more than doubles the blue of a yellow board, and not that of a blue square."""
    place = Square.parse(PLACE)
    board = np.full_like(looks().board, (5.0, 150.0, 160.0))
    board[place.row * 12 : place.row * 12 + 12, place.col * 12 : place.col * 12 + 12] = (
        200,
        120,
        60,
    )
    before = replace(looks(), board=board)
    now = replace(before, board=np.asarray(board * 0.9 + 5, np.float32))
    seen = np.ones((SIZE, SIZE), np.bool_)
    seen[place] = False
    assert appearance_distance(before.relit(now, ~seen, seen).replaced(seen, now), now)[place] < 0.1
