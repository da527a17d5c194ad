"""A game without a clock: turns are seen, and no time is judged."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from game.adjudication.remedies import offers
from game.board import Board
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    ClockAdjusted,
    GameStarted,
    PlayMade,
    PlaysAssigned,
    Retracted,
    TurnSeen,
    from_payload,
)
from game.state.fold import apply, fold
from game.state.timed_rights import windows
from table.cli import main
from table.config import TableConfig
from table.doctor.devices import buttons
from table.doctor.machine import Machine
from table.views.views import AUDIENCES, view
from tools.film.make import film
from tools.film.stills import load_stills
from tools.film.variants import parse_variant

from .conftest import Bench
from .sharedkit import due, expected, read, without_buttons

HANDS = {"left": "bottom", "right": "top"}
START = GameStarted(
    "game", {"left": "Ann", "right": "Bob"}, "wespa-2021", "english", None, 0, hands=HANDS
)
HOUR = 3600 * 1_000_000_000


def rows(*lines: str) -> tuple[str, ...]:
    board = list(Board.empty().rows)
    board[7 : 7 + len(lines)] = lines
    return tuple(board)


PLAYED = fold(
    [
        START,
        TurnSeen("left", HOUR, rows(".......CAT....."), ended="opponent_placed"),
        TurnSeen(
            "right", 3 * HOUR, rows(".......CAT.....", ".........O....."), ended="watch_ended"
        ),
    ]
)


def test_turns_alternate_and_score_however_long_they_take():
    assert [(turn.side, turn.word, turn.score) for turn in PLAYED.turns] == [
        ("left", "CAT", 10),
        ("right", ".O", 2),
    ]
    assert (PLAYED.status, PLAYED.on_turn, PLAYED.timed) == ("running", "left", False)
    codes = {flag.code for turn in PLAYED.turns for flag in turn.flags}
    assert not {"overtime", "overtime_limit"} & codes
    assert {one.right for one in windows(PLAYED)} <= {"challenge"}


def test_who_sits_where_is_asked_once_and_one_answer_swaps_the_whole_game():
    (flag,) = PLAYED.flags
    assert (flag.code, flag.message) == ("seats_unconfirmed", "Did Ann make the first play?")
    stay, swap = (from_payload(one.event) for one in offers(PLAYED, None, flag))
    assert apply(PLAYED, stay).flags == ()
    swapped = apply(PLAYED, swap)
    assert swapped.flags == ()
    assert (swapped.players["left"], swapped.scores["left"]) == ("Bob", 10)
    again = apply(swapped, Retracted(len(swapped.progress.events), "Dir", "", 4 * HOUR))
    assert (again.players["left"], len(again.flags)) == ("Ann", 1)


def test_nobody_is_asked_who_began_where_that_is_known():
    known = fold([replace(START, first="left"), *(turn.seen for turn in PLAYED.turns)])
    assert known.flags == ()


@pytest.mark.parametrize("audience", AUDIENCES)
def test_no_view_has_clocks(audience):
    assert view(PLAYED, audience)["clocks"] is None


@pytest.mark.parametrize(
    "event",
    [ButtonPressed("left", 4 * HOUR), ClockAdjusted("left", 1, None, "Dir", "late", 4 * HOUR)],
)
def test_what_needs_a_clock_is_refused(event):
    with pytest.raises(TilewatchError, match="without a clock"):
        apply(PLAYED, event)


def test_a_play_that_was_taken_off_is_asked_about(tmp_path, put):
    live = Bench(tmp_path, stills=False, hands=HANDS)
    cat, dog = put("8G", "CAT"), put("8F", "DOG")
    shown = (Board.empty(), cat, Board.empty(), dog, put("J6", "ICE", dog))
    for number, board in enumerate(shown):
        live.video(6000 * number, 6000 * number + 6000, board)
    live.recorder.finish()
    live.log.close()
    (asked,) = [flag for flag in live.turns[0].flags if flag.code == "turn_inferred"]
    assert asked.message == (
        "Which is right: DOG at 8F by Ann, then ICE at J6 by Bob; or "
        "DOG at 8F by Bob, then ICE at J6 by Ann; or "
        "DOG at 8F and ICE at J6 by Bob, in one play; or "
        "CAT at 8G by Ann, challenged off, then DOG at 8F by Bob?"
    )
    assert [turn.word for turn in live.turns] == ["DOG", "ICE"]


def test_the_camera_abides_by_what_a_director_said_of_a_turns_tiles(tmp_path, put):
    live = Bench(tmp_path, stills=False, hands=HANDS)
    dog = put("8F", "DOG")
    ice = put("J6", "ICE", dog)
    nag = put("10E", "NAG", ice)
    for number, board in enumerate((Board.empty(), dog, ice)):
        live.video(6000 * number, 6000 * number + 6000, board)
    turn = live.turns[0]
    first = {"8F": "D", "8G": "O"}
    plays = (PlayMade("right", first, turn.press_ns),)
    ruling = PlaysAssigned(1, 1, plays, "Dir", "I saw it", 18_000_000_000)
    live.recorder.record(ruling, "director")
    live.video(18000, 30000, ice)
    live.video(30000, 36000, nag)
    live.recorder.finish()
    live.log.close()
    assert (live.turns[0].side, dict(live.turns[0].tiles)) == ("right", first)
    assert "8H" in live.turns[1].tiles
    assert not {"turn_inferred", "press_forgotten"} & set(live.codes(1))


@pytest.mark.shared
@pytest.mark.parametrize("variant", ["calm", "withdrawn+hurried"])
@pytest.mark.slow
def test_a_clip_without_presses_gives_the_turns(shared_dir, hands, tmp_path, capsys, variant):
    stills = load_stills(shared_dir / "recordings" / "scrabscrap-game01", 3)
    video = film(stills, tmp_path / "video", parse_variant(variant), seed=3, hands=hands)
    without_buttons(video)
    assert main(["replay", str(video), "--json", "--out", str(tmp_path / "out")]) == 0
    turns, due_rows = json.loads(capsys.readouterr().out)["turns"], expected(video)
    assert [read(turn, row) for turn, row in zip(turns, due_rows, strict=True)] == [
        due(row) for row in due_rows
    ]


def test_a_table_without_a_clock_is_configured_by_where_the_players_sit():
    table = TableConfig.model_validate(
        {"camera": "webcam", "buttons": {"kind": "none", "left": "right", "right": "left"}}
    )
    assert table.buttons.hands == {"left": "right", "right": "left"}
    assert TableConfig.model_validate({"camera": "webcam", "buttons": "web"}).buttons.hands is None
    with pytest.raises(ValueError, match="both hands"):
        TableConfig.model_validate({"camera": "webcam", "buttons": {"kind": "none", "left": "top"}})
    check = buttons(Machine(), table.buttons, running=False)
    assert check.ok
    assert "no clock" in check.says
