"""What is known of a square from one sighting to the next."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from game.board import SIZE, Board, Square
from tests.vision.tracking.trackerkit import (
    BARE,
    PLACE,
    SHADE,
    TILE,
    after,
    looks,
    merged_after,
    reading,
)
from vision.change_detector import PATCH
from vision.tracking.board_tracker import BoardTracker


def test_a_tile_that_is_turned_over_was_there_before_however_unsurely_it_was_read():
    first, second = after(
        ({"#": 0.67, ".": 0.32}, looks(PLACE)), ({"H": 0.99}, looks(PLACE, by=0.4))
    )
    assert first[0] == "#"
    assert second[0] == "H"
    assert second[2] == []  # nothing was laid on an empty square


def test_what_was_taken_for_a_letter_by_mistake_and_is_laid_on_now_was_empty():
    _, second = after(({"I": 0.62, ".": 0.37}, looks(PLACE)), ({"H": 0.99}, looks(PLACE, by=0.4)))
    assert second[0] == "H"
    assert second[2] == [(1, ".")]


def telling(nats):
    """A comparison that says this of the square, and that nothing was laid on the others."""
    asked = []

    def change_evidence(before, after, squares):
        assert before.shape == after.shape == (SIZE * SIZE, PATCH, PATCH, 3)
        asked.append([Square(*divmod(int(square), SIZE)).name for square in squares])
        return np.array([nats if name == PLACE else -6.0 for name in asked[-1]])

    return change_evidence, asked


@pytest.mark.parametrize(("nats", "shown"), [(5.0, "?"), (0.0, "."), (-5.0, ".")])
def test_a_blank_that_the_reader_misses_is_seen_where_the_square_was_laid_on(nats, shown):
    change_evidence, asked = telling(nats)
    faint = ({".": 0.87, "?": 0.13}, looks(PLACE, by=0.96))
    _, second = after(({".": 0.99}, looks()), faint, change_evidence=change_evidence)
    assert second[0] == shown
    assert asked == [[PLACE]]


@pytest.mark.parametrize(("nats", "shown"), [(5.0, "?"), (-5.0, ".")])
def test_a_shadow_that_reads_as_a_blank_is_told_from_one(nats, shown):
    change_evidence, _ = telling(nats)
    shadow = ({"?": 0.7, ".": 0.3}, looks(PLACE))
    _, second = after(({".": 0.99}, looks()), shadow, change_evidence=change_evidence)
    assert second[0] == shown


@pytest.mark.parametrize("symbol", ["H", "#"])
def test_a_letter_or_a_back_is_read_whatever_the_comparison_says(symbol):
    change_evidence, asked = telling(-6.0)
    _, second = after(
        ({".": 0.99}, looks()), ({symbol: 0.97}, looks(PLACE)), change_evidence=change_evidence
    )
    assert second[0] == symbol
    assert asked == []


def test_a_blank_as_plain_as_its_square_is_seen_when_it_reads_as_one():
    _, second = after(({".": 0.99}, looks()), ({"?": 0.97, ".": 0.03}, looks()))
    assert second[0] == "?"


def test_a_square_that_looks_as_it_did_is_not_given_a_tile_by_half_a_reading():
    _, second = after(({".": 0.99}, looks()), ({"?": 0.55, ".": 0.45}, looks()))
    assert second[0] == "."


@pytest.mark.parametrize("empty", [0.45, 0.55])
@pytest.mark.parametrize("by", [0.7, 0.96])
def test_an_empty_square_that_looks_otherwise_is_not_sure_to_be_empty(empty, by):
    _, second = after(({".": 0.99}, looks()), ({"?": 1 - empty, ".": empty}, looks(PLACE, by=by)))
    assert second[1] < 0.6 or second[0] == "?"
    assert second[0] != "."


@pytest.mark.parametrize(("look", "shown"), [(BARE, "."), (SHADE, "?")])
def test_a_blank_is_gone_when_its_square_looks_as_it_did_without_it(look, shown):
    """Else it lies in the shade, more likely."""
    nothing, blank = ({".": 0.999}, BARE), ({"?": 0.97, ".": 0.02}, TILE)
    *_, last = after(nothing, blank, blank, ({".": 0.99, "?": 0.01}, look))
    assert last[0] == shown


def test_a_blank_as_plain_as_its_square_that_is_taken_away_is_gone_and_was_there_before():
    """Both looks are the same as far as anybody can tell, but one is nearer."""
    plain = looks(PLACE, by=0.97)
    *_, placed, gone = after(
        ({".": 0.99}, BARE), ({"?": 0.98, ".": 0.01}, plain), ({".": 0.99, "?": 0.01}, BARE)
    )
    assert placed[0] == "?"
    assert (gone[0], gone[2]) == (".", [])


@pytest.mark.parametrize("light", [0.5, 1.0, 1.8])
def test_a_play_s_blank_is_gone_whatever_the_light_did_since_its_square_was_bare(light):
    plain, now = looks(PLACE, by=0.97), replace(BARE, board=BARE.board * np.float32(light))
    *_, placed, gone = after(
        ({".": 0.999}, BARE),
        ({"?": 0.999}, replace(plain, board=plain.board * np.float32(light))),
        ({".": 0.999, "?": 0.0005}, now),
    )
    assert (placed[0], gone[0], gone[2]) == ("?", ".", [])


@pytest.mark.parametrize(("letter", "shown"), [(".", "."), ("A", "?")])
def test_a_plain_blank_is_gone_when_the_letters_of_its_play_are(letter, shown):
    memory, play = BoardTracker(), Board.empty().replace({Square.parse("8G"): "A"})
    left = Board.empty().replace({Square.parse("8G"): letter})
    between = replace(BARE, board=looks(PLACE, by=0.965).board)  # of both looks of the square
    for turn, seen, look in [
        (1, reading(Board.empty(), {".": 0.999}), BARE),
        (2, reading(play, {"?": 0.999}), looks("8G", PLACE, by=0.94)),
        (3, reading(left, {".": 0.9, "?": 0.09}), between),
    ]:
        merged = memory.update(seen, look, turn)
        memory.commit(merged)
    assert merged.rows[7][7] == shown


@pytest.mark.parametrize(("pushed", "shown"), [("9H", "."), ("9I", "."), (None, "?"), ("3C", "?")])
def test_an_old_blank_is_gone_when_one_appears_beside_it(pushed, shown):
    """It was pushed there; alone, an old blank that reads as empty for once stays."""
    memory, now = BoardTracker(), [] if pushed is None else [pushed]
    board = Board.empty().replace({Square.parse(name): "?" for name in now})
    between, other = looks(PLACE, by=0.965), looks(*now, by=0.94)  # of both its looks
    between = replace(between, board=between.board * other.board / BARE.board)
    for turn, seen, look in [
        (1, reading(Board.empty(), {".": 0.999}), BARE),
        (2, reading(Board.empty(), {"?": 0.999}), looks(PLACE, by=0.94)),
        (7, reading(board, {".": 0.96, "?": 0.03}), between),
    ]:
        merged = memory.update(seen, look, turn)
        memory.commit(merged)
    assert merged.rows[7][7] == shown
    assert all(merged.rows[at.row][at.col] == "?" for at in map(Square.parse, now))
    assert not merged.corrections


def test_a_blank_that_nobody_touched_stays_though_it_reads_as_empty_more_surely_than_as_a_tile():
    plain = looks(PLACE, by=0.96)
    *_, last = after(
        ({".": 0.99}, BARE), ({"?": 0.77, ".": 0.23}, plain), ({".": 0.92, "?": 0.08}, plain)
    )
    assert last[0] == "?"
    assert last[2] == []


def test_a_blank_is_not_gone_when_neither_look_is_much_nearer():
    """A shadow makes its square look a little more as it did without it."""
    with_it, now = looks(PLACE, by=0.92), looks(PLACE, by=0.963)
    *_, last = after(
        ({".": 0.99}, BARE), ({"?": 0.97, ".": 0.02}, with_it), ({".": 0.7, "?": 0.3}, now)
    )
    assert last[0] == "?"


def test_a_tile_keeps_its_square_through_a_bad_reading_of_the_same_look():
    _, second = after(({"Q": 0.999}, looks(PLACE)), ({".": 0.9, "Q": 0.1}, looks(PLACE)))
    assert second[0] == "Q"


def test_a_blank_that_is_hard_to_see_is_not_forgotten_because_blanks_are_rare():
    """Every reading takes for granted that blanks are rare; together they must say so once."""
    faint = {"?": 0.15, ".": 0.85}
    seen = after(
        ({"?": 0.87, ".": 0.13}, looks(PLACE)),
        *((faint, looks(PLACE, by=by)) for by in (0.78, 0.62) * 4),
    )
    assert all(symbol == "?" and not corrected for symbol, _, corrected in seen)
    assert min(sure for _, sure, _ in seen) > 0.8


AROUND = [f"{row}{col}" for row in range(6, 11) for col in "FGHIJ"]


def read_ever_more_as_a_blank(look):
    """Two sightings of an empty square, then three of it in that look."""
    faint = ({"?": share, ".": 1 - share} for share in (0.34, 0.59, 0.9))
    return after(*[({".": 0.99}, looks())] * 2, *((output, look) for output in faint))


def test_a_blank_that_is_read_late_was_laid_when_its_square_was_touched():
    *_, late = read_ever_more_as_a_blank(looks(PLACE, by=0.96))
    assert (late[0], late[2]) == ("?", [(3, "?")])


def test_light_that_changed_is_no_touch():
    *_, late = read_ever_more_as_a_blank(looks(*AROUND, by=0.96))
    assert (3, "?") not in late[2]


def test_a_touched_square_that_reads_as_empty_is_empty():
    _, second = after(({".": 0.99}, looks()), ({".": 0.99}, looks(PLACE, by=0.96)))
    assert second[0] == "."


def test_a_blank_that_reads_as_empty_at_odds_of_twenty_is_no_doubt_and_a_letter_is():
    for symbol, doubts in (("?", 0), ("A", 1)):
        *_, last = merged_after(
            ({symbol: 0.97, ".": 0.03}, looks(PLACE)),
            ({symbol: 0.05, ".": 0.95}, looks(PLACE, by=0.9)),
        )
        assert last.rows[7][7] == symbol
        assert len(last.doubts) == doubts


@pytest.mark.parametrize(("placed_in", "turn"), [({}, 2), ({PLACE: 1}, 1)])
def test_a_correction_names_the_turn_by_the_number_that_it_has_since(placed_in, turn):
    memory = BoardTracker(None)
    unsure, sure = {"E": 0.6, "F": 0.39}, {"F": 0.999}
    memory.renumber({1: 2}, placed_in)  # nothing is known yet
    memory.commit(memory.update(reading(Board.empty(), unsure), looks(PLACE), 1))
    memory.renumber({1: 2}, placed_in)
    (correction,) = memory.update(reading(Board.empty(), sure), looks(PLACE), 3).corrections
    assert (correction.turn, correction.symbol) == (turn, "F")


DIM_SQUARE = {"?": 0.9, ".": 0.1}
"""How a dark blue square of an empty board may read in a dim light."""


def test_on_a_board_without_a_letter_no_blank_lies_either():
    tracker = BoardTracker(telling(-5.0)[0])
    for turn in (0, 1):
        seen = tracker.update(reading(Board.empty(), DIM_SQUARE), looks(), turn)
        tracker.commit(seen)
        assert seen.rows == Board.empty().rows
        assert not seen.corrections


def test_a_blank_beside_a_letter_is_one_when_the_board_is_first_seen():
    board = Board.empty().replace({Square.parse("8G"): "A"})
    seen = BoardTracker(telling(-5.0)[0]).update(reading(board, DIM_SQUARE), looks(), 1)
    assert seen.rows[7][6:8] == "A?"


def test_what_reads_as_a_blank_is_compared_before_all_that_a_shadow_changed():
    change_evidence, asked = telling(-6.0)
    shade = [Square(*divmod(at, SIZE)).name for at in range(0, SIZE * SIZE, 3)]
    assert len(shade) > 60
    assert PLACE not in shade
    before, now = ({".": 0.99}, looks()), ({"?": 0.95, ".": 0.05}, looks(*shade))
    _, second = after(before, now, change_evidence=change_evidence)
    assert PLACE in asked[-1]
    assert second[0] == "."


def test_how_squares_looked_empty_is_turned_with_a_board_that_lay_the_other_way_round():
    tracker = BoardTracker()
    guessed = tracker.update(reading(Board.empty(), {".": 1.0}), looks("1C"), 0)
    tracker.commit(guessed)
    upright = tracker.update(reading(Board.empty(), {"A": 1.0}), looks("15M"), 1, turned=2)
    assert upright.same_appearance[Square.parse("15M")]
    assert upright.belief.seen_empty[Square.parse("15M")]
    assert (
        tracker.update(reading(Board.empty(), {"A": 1.0}), looks("15M"), 1).same_appearance.sum()
        < 225
    )


@pytest.mark.parametrize(("place", "turns"), [("1C", 0), ("3O", 3), ("15M", 2), ("13A", 1)])
def test_a_print_on_the_board_tells_which_way_round_it_lay(place, turns):
    tracker = BoardTracker()
    empty = reading(Board.empty(), {".": 1.0})
    assert tracker.likeliest_turn(empty, looks(place)) == 0
    tracker.commit(tracker.update(empty, looks("1C"), 0))
    tile = Board.empty().replace({Square.parse("8H"): "A"})
    assert tracker.likeliest_turn(reading(tile, {"A": 1.0}), looks(place)) == turns
    assert tracker.likeliest_turn(empty, looks("1C", "3O", by=0.98)) == 0  # hardly any print
    hidden = Board.from_rows(["~" * 15] * 15)
    assert tracker.likeliest_turn(reading(hidden, {"~": 1.0}), looks(place)) == 0


def test_an_empty_square_that_cannot_be_read_in_another_light_corrects_no_earlier_turn():
    _, second = after(({".": 0.99}, looks()), ({".": 0.51, "?": 0.45}, looks(PLACE, by=0.8)))
    assert second[2] == []


@pytest.mark.parametrize(("empty", "shown"), [(0.92, "~"), (0.999, ".")])
def test_a_square_that_could_not_be_read_is_bare_only_once_that_is_sure(empty, shown):
    """It is asked about: a plain blank may lie there."""
    plain = looks(PLACE, by=0.975)
    *_, unread, last = after(
        ({".": 0.99}, BARE),
        ({".": 0.52, "?": 0.48}, plain),
        ({".": empty, "?": 1 - empty}, plain),
    )
    assert unread[0] == "~"
    assert last[0] == shown
    assert last[2] == ([(2, ".")] if shown == "." else [])


@pytest.mark.parametrize(("blank", "shown"), [(0.3, "?"), (0.001, "?"), (0.0002, ".")])
def test_a_blank_that_somebody_named_lies_there_though_its_square_looks_bare(blank, shown):
    """However often it reads so: that tells no more than it did when it was named."""
    tracker = BoardTracker(lambda _before, _after, squares: np.full(len(squares), -3.0))
    plain = reading(Board.empty(), {".": 1 - blank, "?": blank})
    tracker.commit(tracker.update(plain, looks(), 1))
    tracker.know_blanks({Square.parse(PLACE): 1})
    for turn in range(2, 9):
        later = tracker.update(plain, looks(PLACE, by=1 - turn % 3 / 50), turn)
        tracker.commit(later)
        assert later.rows[7][7] == shown
        assert not later.corrections  # the name tells which turn placed it


def test_a_named_blank_that_looked_bare_goes_with_its_play_and_stays_away():
    """Until a ruling takes the play off, its blank still has a name."""
    tracker, other = BoardTracker(), Square.parse("8G")
    lone, play = Board.empty(), Board.empty().replace({other: "A"})
    plain = {".": 0.99, "?": 0.01}
    tracker.commit(tracker.update(reading(lone, plain), looks(), 1))
    tracker.commit(tracker.update(reading(play, plain), looks("8G"), 2))
    tracker.know_blanks({Square.parse(PLACE): 2})
    for turn in (3, 4, 5):
        now = tracker.update(reading(lone, plain), looks(PLACE, by=0.97), turn)
        tracker.commit(now)
        assert now.rows[7][6:8] == ".."


def test_a_name_that_was_a_slip_leaves_no_blank():
    tracker = BoardTracker()
    plain = reading(Board.empty(), {".": 0.996, "?": 0.004})
    tracker.commit(tracker.update(plain, looks(), 1))
    for named, shown in [({Square.parse(PLACE): 1}, "?"), ({}, ".")]:
        tracker.know_blanks(named)
        assert tracker.update(plain, looks(), 2).rows[7][7] == shown


@pytest.mark.parametrize("recalled", [{".": 0.72, "?": 0.28}, {".": 0.3, "?": 0.7}])
def test_a_named_blank_stays_in_a_resumed_game_though_it_reads_as_bare(recalled):
    """How its square looked bare is not known to this process."""
    tracker, place = BoardTracker(), Square.parse(PLACE)
    known = Board.empty().replace({place: "i", Square.parse("8G"): "P"})
    read = Board.empty().replace({Square.parse("8G"): "P"})
    looks_so = looks(PLACE)
    tracker.recall(reading(read, recalled), looks_so, known, {PLACE: 1, "8G": 1})
    tracker.know_blanks({place: 1})
    for turn in range(2, 12):
        later = tracker.update(reading(read, {".": 0.989, "?": 0.011}), looks_so, turn)
        tracker.commit(later)
        assert later.rows[7][6:8] == "P?"
        assert not later.corrections
    tracker.know_blanks({})  # the name was a slip
    assert tracker.update(reading(read, recalled), looks_so, 12).rows[7][7] == (
        "." if recalled["."] > 0.5 else "?"
    )
