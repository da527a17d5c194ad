"""The recorder: every press becomes a turn with what lay there, or says that it could not see."""

from __future__ import annotations

import hashlib

import pytest

from game.errors import TilewatchError
from game.events import Finding, GameEnded, from_payload
from game.state.fold import fold
from record.errors import LogError

from .recorderkit import EMPTY, cover


def test_turns_are_scored_from_the_picture_before_the_press(bench, put):
    first = put("8G", "CAT")
    second = put("H8", ".XE", first)
    bench.press("right", 0)
    bench.frame(900, first)
    bench.press("left", 1000)
    bench.frame(1900, second)
    bench.press("right", 2000)
    bench.frame(2900, second)
    bench.press("left", 3000)
    assert [(t.side, t.kind, t.position, t.word) for t in bench.turns] == [
        ("left", "play", "8G", "CAT"),
        ("right", "play", "H8", ".XE"),
        ("left", "exchange_or_pass", None, None),
    ]
    assert [t.flags for t in bench.turns] == [(), (), ()]
    assert bench.turns[0].press_ns == 1_000_000_000
    assert bench.seen()[0].sighted_ns == 900_000_000
    assert set(bench.seen()[1].confidence) == {"9H", "10H"}
    assert bench.state.on_turn == "right"


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


def test_a_turn_without_a_picture_says_so_and_the_next_shows_both(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.press("right", 2000)  # no picture in this turn: the last one shows the turn before
    both = put("7I", "SO", put("8G", "CAT"))
    bench.frame(2900, both)
    bench.press("left", 3000)
    assert bench.codes(2) == ["uncertain_square"]
    assert bench.seen()[1].sighted_ns is None
    assert bench.turns[1].kind == "not_known"
    assert bench.state.board == both


def test_a_picture_without_a_board_costs_no_turn(bench, put):
    bench.press("right", 0)
    bench.frame(900, EMPTY, blind=True)
    bench.press("left", 1000)
    assert bench.codes(1) == ["uncertain_square"]
    bench.frame(1900, put("8G", "CAT"))
    bench.press("right", 2000)
    assert bench.turns[1].word == "CAT"


def test_a_hand_over_the_picture_is_said(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.frame(1900, cover(put("8G", "CAT")), sure=0.3)
    bench.press("right", 2000)
    assert "uncertain_square" in bench.codes(2)
    assert bench.state.board == put("8G", "CAT")


def test_presses_that_end_no_turn_only_move_the_clock(bench, put):
    bench.press("right", 0)
    bench.frame(500, put("8G", "CAT"))
    bench.press("right", 600)  # right is not on turn
    bench.press("neutral", 700)
    assert bench.turns == ()
    assert bench.state.clocks.running is None
    bench.press("right", 800)  # left's clock goes on
    assert bench.state.clocks.running == "left"
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    assert bench.turns[0].word == "CAT"


def test_findings_of_the_camera_become_flags_once(bench, put):
    askew = Finding("misoriented_tile", "8H", "A lies upside down")
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"), findings=[askew])
    bench.press("left", 1000)
    bench.frame(1900, put("8G", "CATS"), findings=[askew])
    bench.press("right", 2000)
    assert bench.codes(1) == ["misoriented_tile"]
    assert bench.codes(2) == []


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


def test_presses_after_the_end_are_for_the_next_game(bench, put):
    bench.press("right", 0)
    bench.recorder.record(GameEnded("stopped", 500_000_000), "director")
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    assert bench.turns == ()
    assert bench.state.status == "ended"
