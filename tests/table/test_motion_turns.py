"""The benchmark of games in motion: which turns it calls right, asked about or silently wrong."""

from __future__ import annotations

import csv
import json

import pytest

from .sharedkit import benchmark

CAT = {"8G": "C", "8H": "A", "8I": "T"}
SOX = {"9J": "S", "10J": "O", "11J": "X"}
EGG = {"12G": "E", "12H": "G", "12I": "G"}


def turn(number, side, tiles, *flags, kind="play", score=10):
    return {
        **{"number": number, "side": side, "tiles": tiles, "kind": kind, "score": score},
        "flags": [{"settled": None, "squares": [], **flag} for flag in flags],
    }


def empty(number, side, *flags, kind="exchange_or_pass"):
    return turn(number, side, {}, *flags, kind=kind, score=0)


DUE = (turn(1, "left", CAT), turn(2, "right", SOX), turn(3, "left", EGG))


def verdicts(founds, dues=DUE, game_flags=()):
    comparison = benchmark("motion_turns").Comparison(dues, founds, game_flags)
    return [(one["turn"], one["verdict"], one["differs"]) for one in comparison.verdicts()]


RIGHT = [(number, "right", []) for number in (1, 2, 3)]


def test_what_is_found_as_it_is_due_is_right():
    assert verdicts(DUE) == RIGHT


def test_of_a_play_in_two_turns_one_is_wrong_and_those_after_it_are_right():
    split = [turn(1, "left", {"8G": "C"}), turn(2, "right", {"8H": "A", "8I": "T"})]
    shifted = [turn(3, "right", SOX), turn(4, "left", EGG)]
    assert verdicts([*split, *shifted]) == [(1, "silent", ["side", "tiles"]), *RIGHT[1:]]


def test_of_two_plays_in_one_turn_both_are_wrong_and_asked_about_where_it_has_a_flag():
    merged = {**CAT, **SOX}
    asking = {"code": "too_many_tiles", "squares": list(merged)}
    about_one = {"code": "askew", "squares": ["8G"]}
    note = {"code": "not_pressed"}

    def first_two(*flags):
        return verdicts([turn(1, "left", merged, *flags), turn(2, "left", EGG)])[:2]

    wrong, missing = ["tiles"], ["missing"]
    assert first_two() == first_two(note) == [(1, "silent", wrong), (2, "silent", missing)]
    assert first_two(asking) == [(1, "asked", wrong), (2, "asked", missing)]
    assert first_two({"code": "press_forgotten"})[1] == (2, "asked", missing)
    assert first_two(about_one) == first_two(asking)
    assert first_two(asking | {"settled": 7}) == first_two()


def test_a_question_about_the_game_names_a_turn_that_is_missing():
    question = {"code": "press_forgotten", "squares": list(EGG), "settled": None}
    assert verdicts(DUE[:2])[2] == (3, "silent", ["missing"])
    assert verdicts(DUE[:2], game_flags=[question])[2] == (3, "asked", ["missing"])


def test_the_turn_after_one_that_is_missing_may_ask_about_it():
    asking = {"code": "turn_inferred", "squares": []}
    missing = [turn(1, "left", {"8G": "A", "8H": "C", "8I": "T"}), turn(2, "right", {})]
    for flags, verdict in (((), "silent"), ((asking,), "asked")):
        found = verdicts([turn(1, "left", CAT, *flags)], [*missing, turn(3, "left", CAT)])
        assert found == [(1, verdict, ["missing"]), (2, verdict, ["missing"]), (3, "right", [])]


def test_a_turn_in_another_place_is_wrong_once():
    swapped = [DUE[1], DUE[0], DUE[2]]
    found = verdicts(swapped)
    assert [verdict for _, verdict, _ in found] in (
        ["silent", "right", "right"],
        ["right", "silent", "right"],
    )
    assert ["order"] in [differs for _, _, differs in found]


def test_a_turn_of_nobody_is_wrong_by_itself():
    found = verdicts([*DUE[:2], empty(3, "left"), empty(4, "right"), turn(5, "left", EGG)])
    assert found == [*RIGHT[:2], (None, "silent", ["extra"]), (None, "silent", ["extra"]), RIGHT[2]]


def test_a_play_that_was_not_seen_is_compared_with_its_empty_turn():
    unsure = empty(2, "right", {"code": "uncertain_square"}, kind="not_known")
    assert verdicts([DUE[0], unsure, DUE[2]])[1][1] == "asked"
    assert verdicts([DUE[0], empty(2, "right"), DUE[2]])[1][1] == "silent"


def test_a_wrong_score_alone_is_no_silent_error():
    assert verdicts([*DUE[:2], turn(3, "left", EGG, score=11)])[2] == (3, "score", ["score"])


@pytest.fixture
def film(tmp_path):
    """The end of a film: three plays lie on the board, and something hides the last one's E."""
    rows = [
        ("1", "left", "play", "H7", "CAT", "10", "10"),
        ("2", "right", "play", "10I", "SOX", "10", "10"),
        ("3", "left", "play", "L7", "EGG", "10", "20"),
    ]
    with (tmp_path / "expected.csv").open("w", newline="") as handle:
        heads = ("turn", "side", "kind", "position", "word", "score", "total")
        csv.writer(handle).writerows([heads, *rows])
    ends = [{"press_ms": 1000 * number, "placed_ms": {}} for number in (1, 2, 3)]
    frames = [{"covered": []}, {"covered": [15 * 11 + 6]}, {}]
    (tmp_path / "truth.json").write_text(json.dumps({"turns": ends, "frames": frames}))
    return tmp_path


def test_tiles_in_sight_that_no_turn_and_no_question_has_are_counted(film):
    turns = benchmark("motion_turns")
    rows = [["."] * 15 for _ in range(15)]
    for at, symbol in (CAT | SOX).items():
        rows[int(at[:-1]) - 1][ord(at[-1]) - 65] = symbol
    document = {
        "turns": [{**one, "total": 10} for one in DUE[:2]],
        "flags": [{"code": "press_forgotten", "squares": ["12I"], "settled": None}],
        "rows": ["".join(row) for row in rows],
        "ms": {},
    }
    outcome = turns.measured(turns.Outcome("game", "calm", 1), film, document)
    assert outcome.unaccounted_tiles == ["12H"]
    assert (outcome.board_right, outcome.board_tiles) == (6, 9)
    assert (outcome.right, outcome.wrong, outcome.silent, outcome.asked) == (2, 1, 0, 1)
    assert outcome.each[2]["t_ms"] == 3000
    assert turns.Outcome.read(json.loads(json.dumps(vars(outcome)))) == outcome


def test_without_buttons_no_picture_shows_a_pass_that_no_turn_follows(film):
    turns = benchmark("motion_turns")
    with (film / "expected.csv").open("a", newline="") as handle:
        csv.writer(handle).writerow(("4", "right", "exchange_or_pass", "", "", "0", "10"))
    document = {"turns": [{**one, "total": 10} for one in DUE], "rows": ["." * 15] * 15, "ms": {}}
    for buttons, silent in ((True, 1), (False, 0)):
        outcome = turns.Outcome("game", "calm", 1, buttons)
        assert turns.measured(outcome, film, document).silent == silent
