"""The recorder's log and evidence, and what no scene of ``scenes/`` can show."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest

from game.board import Square
from game.errors import TilewatchError
from game.events import from_payload
from game.state.fold import fold
from record.errors import LogError
from sensors.interfaces import Frame

from .recorderkit import EMPTY, cover


def test_the_log_alone_gives_the_same_game_again(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.press("neutral", 1500)
    assert bench.logged() == [
        "GameStarted",
        "ButtonPressed",
        "ButtonPressed",
        "TurnSeen",
        "ButtonPressed",
    ]
    assert fold(from_payload(event.payload) for event in bench.log.events()) == bench.state
    assert bench.log.verify() is None
    assert [e.mono_ns for e in bench.log.events()] == [0, 0, 0, 10**9, 10**9, 10**9, 15 * 10**8]


def test_the_camera_s_own_bytes_are_the_evidence(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.frame(1900, put("8G", "CATS"))
    bench.press("right", 2000)
    shas = [hashlib.sha256(b"jpeg %d" % n).hexdigest() for n in (0, 1)]
    assert bench.seen()[0].frames == {"at": shas[0]}
    assert bench.seen()[1].frames == {"before": shas[0], "at": shas[1]}
    assert bench.evidence.load(shas[1]) == b"jpeg 1"


def test_an_event_that_cannot_be_changes_nothing(bench):
    before = bench.state
    with pytest.raises(TilewatchError):
        bench.recorder.record(bench.state.start)
    assert bench.state == before
    assert bench.logged() == ["GameStarted"]


def test_the_state_waits_for_the_log(bench, put, monkeypatch):
    bench.press("right", 0)
    before = bench.state

    def full(*args, **kwargs):
        raise LogError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(bench.log, "append", full)
        with pytest.raises(LogError):
            bench.press("left", 1000)
    assert bench.state == before


def test_the_evidence_of_a_board_at_rest_is_the_frame_that_was_read(live, put):
    first = put("8G", "CAT")
    live.video(0, 1000, EMPTY)
    live.press("right", 950)
    live.video(1000, 2000, cover(first))
    live.video(2000, 3000, first)
    live.press("left", 2950)
    shas = [hashlib.sha256(b"jpeg %d" % seq).hexdigest() for seq in range(live.seq)]
    assert 20 < shas.index(live.seen()[0].frames["at"]) < 29


def test_a_frame_that_is_no_picture_is_left_out(live, put):

    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1000, put("8G", "CAT"))
    for spoilt in (np.zeros((0, 0, 3), np.uint8), np.zeros((9, 9), np.uint8)):
        live.recorder.frame(Frame(spoilt, 1_000_000_000, live.seq))
    live.video(1000, 1500, put("8G", "CAT"))
    live.press("left", 1450)
    assert live.turns[0].word == "CAT"


def test_a_fingertip_that_reads_as_a_bare_square_hides_the_tile_under_it(live, put, monkeypatch):
    """At the press the last tile lies under a finger, beside the hand that covers the others."""
    monkeypatch.setattr("vision.tracking.appearance._ANOTHER", 10.0)
    first = put("8G", "CAT")
    hand = cover(first, cols=range(9))
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, EMPTY)
    live.video(900, 1400, put("8I", "~", hand), reads=hand.replace({Square.parse("8I"): "."}))
    live.press("left", 1350)
    live.video(1400, 4500, first)
    assert [(turn.word, turn.score) for turn in live.turns] == [("CAT", 10)]


def test_a_reading_that_goes_to_and_fro_ends_where_the_evidence_does(bench, put):
    """Corrections of corrections leave one word in all turns and nobody accused of a swap."""
    bench.press("right", 0)
    readings = ["~QQ", "QQQ", "QAA", "AAA", "AAA", "AAA", "QAA", "AAA"]
    boards = [put("8G", "CAT")]
    for number, tile in enumerate("SELFISH"):
        boards.append(put(f"{9 + number % 7}{'LMNO'[number % 4]}", tile, boards[-1]))
    for number, (board, seen) in enumerate(zip(boards, readings, strict=True), start=1):
        image = bench.frame(number * 1000 - 100, board, light=1.0 if number % 2 else 0.8)
        split = [("Q", 0.55), ("A", 0.42)] if "~" in seen else [("Q", 0.8), ("A", 0.18)]
        split = [("A", 0.97), ("Q", 0.02)] if seen == "AAA" else split
        symbol = "~" if "~" in seen else split[0][0]
        read = board.replace({Square.parse("8H"): symbol})
        bench.reader.teach(image, read, sure={"8H": split[0][1]}, guesses={"8H": split})
        bench.press("left" if number % 2 else "right", number * 1000)
    assert bench.turns[0].word == "CAT"
    assert bench.state.board == boards[-1]
    assert not {code for n in range(1, 9) for code in bench.codes(n)} & {
        "tile_replaced",
        "tile_removed",
    }


def near_the_end(live, put):
    """Ninety-three tiles lie there; Ann has two left, and it is her turn."""
    board = put("8D", "RATES")
    live.video(0, 600, board)
    live.press("right", 550)
    ledger = live.state.progress.ledger
    near_end = replace(ledger.position, bag=0, racks={"left": 2, "right": 3}, board=board)
    live.recorder.state = replace(
        live.state,
        bag_count=0,
        racks={"left": 2, "right": 3},
        board=board,
        progress=replace(live.state.progress, ledger=replace(ledger, positions=(near_end,))),
    )
    return board


def test_whoever_plays_out_stops_the_clock_and_is_seen_though_a_tile_was_knocked(live, put):
    board = near_the_end(live, put)
    knocked = put("9D", "R", put("8D", ".ATES"))
    last = put("7H", "O", put("9H", "X", knocked))
    live.video(600, 900, cover(board))
    live.video(900, 1800, last)
    live.press("neutral", 1750)
    assert live.turns[0].tiles == {"7H": "O", "9H": "X"}
    assert live.codes(1)[0] == "tile_moved"
    assert live.state.end_reason == "out"


def test_whoever_plays_out_with_a_tile_more_than_was_counted_is_out(live, put):
    """A tile that was taken off the board, and counted as played, is in somebody's hand."""
    board = near_the_end(live, put)
    last = put("7H", "OXO", board)
    live.video(600, 900, cover(board))
    live.video(900, 1800, last)
    live.press("neutral", 1750)
    assert len(live.turns[0].tiles) == 3
    assert live.state.end_reason == "out"


def test_whoever_plays_out_under_a_hand_is_seen_when_the_board_is_clear(live, put):
    board = near_the_end(live, put)
    last = put("7H", "O", put("9H", "X", board))
    live.video(600, 1800, cover(last))
    live.press("neutral", 1750)
    assert live.turns == ()
    live.video(1800, 2500, last)
    assert live.turns[0].tiles == {"7H": "O", "9H": "X"}
    assert live.codes(1) == ["board_covered"]


def test_a_stopped_clock_with_nothing_played_is_no_turn(live, put):
    board = near_the_end(live, put)
    live.video(600, 1800, cover(board))
    live.press("neutral", 1750)
    live.video(1800, 2500, board)
    assert live.turns == ()
    live.press("right", 2450)
    assert live.turns == ()
