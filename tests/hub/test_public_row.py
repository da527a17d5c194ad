"""A table's line in the hall's public feed, and the order in which the hall shows the tables."""

from __future__ import annotations

import pytest

from dashboard.board_template import small_board
from game.state.fold import fold
from hub.public_row import by_drama, by_number, clock_left, drama, newest_moments, public_row
from table.pairings.details import Entrant
from table.views.views import view
from tests.game.gamekit import random_game

EVENTS = list(random_game(3).events)
MINUTE_NS = 60 * 1_000_000_000


def view_after(events: int) -> dict:
    return view(fold(EVENTS[:events]), "public")


def game(**changes) -> dict:
    """A view of a game under way whose newest turn is an ordinary play, with some changes."""
    seen = view_after(31)
    turn = {**seen["turns"][-1], "kind": "play", "bingo": 0}
    return {**seen, "turns": [*seen["turns"][:-1], turn], **changes}


def of_spread(lead: int, seen: dict | None = None) -> int:
    """The drama of a game in which the left has long been ahead by so much."""
    seen = seen or game()
    return drama(seen, [lead] * (len(seen["turns"]) + 1))


def with_tiles(count: int) -> dict:
    return game(squares={number: {} for number in range(count)})


def test_a_line_says_what_the_view_says_and_nothing_else():
    seen = view_after(31)
    entrants = {"left": Entrant("Ann", "NZL", 1500)}
    row = public_row("table-3", "Table 3", seen, round_=4, entrants=entrants)
    assert row["board"] == seen["rows"]
    assert row["round"] == 4
    assert row["players"]["left"] == {**seen["players"]["left"], "country": "NZL", "rating": 1500}
    assert row["players"]["right"] == seen["players"]["right"]
    assert row["last"]["squares"] == seen["last"]
    scores = seen["players"]
    assert len(row["course"]) == len(seen["turns"]) + 1
    assert row["course"][-1] == scores["left"]["score"] - scores["right"]["score"]
    assert "unseen" not in str(row)
    waiting = public_row("table-4", "Table 4", None)
    assert waiting["status"] == "waiting"
    assert waiting["drama"] == 0


def test_the_closer_and_the_later_a_game_the_further_up_it_stands():
    late, early = with_tiles(90), with_tiles(20)
    assert of_spread(5, late) > of_spread(60, late) > of_spread(150, late)
    assert of_spread(5, late) > of_spread(5, early)
    assert of_spread(150, late) < of_spread(
        150, with_tiles(50)
    )  # nothing can happen there any more


@pytest.mark.parametrize(
    ("kind", "bingo", "before", "now"),
    [("challenge_upheld", 0, 20, 20), ("play", 50, 20, 20), ("play", 0, -10, 20)],
)
def test_news_of_the_newest_turn_lifts_a_game_until_the_next(kind, bingo, before, now):
    seen = game()
    turn = {**seen["turns"][-1], "side": "left", "kind": kind, "bingo": bingo}
    newer = {**seen, "turns": [*seen["turns"][:-1], turn]}
    spreads = [*[before] * len(seen["turns"]), now]
    plain = {**seen, "turns": [*seen["turns"][:-1], {**turn, "kind": "play", "bingo": 0}]}
    assert drama(newer, spreads) > drama(plain, [now] * len(spreads))
    following = {**turn, "number": turn["number"] + 1, "kind": "play", "bingo": 0}
    later = {**newer, "turns": [*newer["turns"], following]}
    assert drama(later, [*spreads, now]) == drama(plain, [now] * len(spreads))


def test_a_clock_that_runs_out_and_an_open_challenge_lift_a_game():
    seen = game()
    clocks = seen["clocks"]
    short = {**clocks, "remaining_ns": {"left": 90 * 1_000_000_000, "right": 20 * MINUTE_NS}}
    asked = {**clocks, "stopped_for": "challenge"}
    assert of_spread(20, game(clocks=short)) > of_spread(20)
    assert of_spread(20, game(clocks=asked)) > of_spread(20)


def test_games_under_way_stand_before_those_that_are_over_and_tables_without_one():
    played = view(fold(EVENTS), "public")
    rows = [
        public_row("table-10", "10", None),
        public_row("table-2", "2", None),
        public_row("table-1", "1", {**played, "status": "ended", "final": True}),
        public_row("table-4", "4", {**played, "status": "ended", "final": False}),
        public_row("table-3", "3", view_after(3)),
    ]
    assert [row["name"] for row in by_drama(rows)] == ["3", "4", "1", "2", "10"]
    assert [row["name"] for row in by_number(rows)] == ["1", "2", "3", "4", "10"]


def test_the_newest_moments_of_all_tables_come_first():
    seen = view_after(40)
    first = public_row("table-1", "1", seen)
    second = public_row("table-2", "2", seen, offset_ns=MINUTE_NS)  # a minute longer ago
    found = newest_moments([second, first], 10**9)
    assert found
    assert {one["kind"] for one in found} <= {"bingo", "lead", "challenge", "over"}
    assert [one["ago_ms"] for one in found] == sorted(one["ago_ms"] for one in found)
    assert found[0]["row"] is first


def test_a_clock_is_counted_on_from_the_moment_of_its_press():
    seen = game()
    clocks = {
        "running": "left", "since_ns": 5 * MINUTE_NS,
        "remaining_ns": {"left": 10 * MINUTE_NS, "right": 9 * MINUTE_NS},
    }  # fmt: skip
    row = public_row("t", "T", {**seen, "clocks": clocks}, offset_ns=2 * MINUTE_NS)
    assert clock_left(row, "left", 4 * MINUTE_NS) == "9:00"
    assert clock_left(row, "right", 4 * MINUTE_NS) == "9:00"
    assert clock_left({**row, "clocks": None}, "left", 0) == ""


def test_a_blank_and_a_tile_of_several_letters_are_drawn():
    rows = ["." * 15] * 15
    rows[7] = ".......Ⰰa......"
    drawn = small_board(rows, ["8I"])
    assert drawn.tiles == "M7 7h1v1h-1zM8 7h1v1h-1z"
    assert drawn.lit == "M8 7h1v1h-1z"
    assert drawn.blanks == ("A", "8.5", "7.75")
    assert drawn.several == (("CH", 7.5, 7.75),)
