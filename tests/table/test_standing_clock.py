"""What the board shows while the clock stands: a play taken off, covered, lifted or put back."""

from __future__ import annotations

import pytest

from game.events import ButtonPressed
from table.recorder import Recorder
from table.resume import resume_game

from .recorderkit import EMPTY, cover, opened


def stopped(live, put):
    """Left's CAT stands, right has laid ONE under it, and left has stopped the clock at 3.5 s."""
    first = opened(live, put)
    phoney = put("9G", "ONE", first)
    live.video(1500, 1800, cover(phoney), sure=0.3)
    live.video(1800, 3000, phoney)
    live.press("right", 2950)
    live.video(3000, 3500, phoney)
    live.press("neutral", 3490)
    return first, phoney


def lifted(live, first, phoney, t_ms: int = 3500) -> None:
    """A hand takes the phoney off, and the board lies in plain sight for a second."""
    live.video(t_ms, t_ms + 300, cover(phoney), sure=0.3)
    live.video(t_ms + 300, t_ms + 1300, first)


def answered(live, put, first, t_ms: int) -> None:
    """The clock of the challenger goes on, who lays OX on squares of ONE, and presses."""
    answer = put("9G", "OX", first)
    live.press("right", t_ms)
    live.video(t_ms + 10, t_ms + 600, cover(answer), sure=0.3)
    live.video(t_ms + 600, t_ms + 1500, answer)
    live.press("left", t_ms + 1450)


@pytest.fixture
def restart(monkeypatch, drawn, put):
    """Kill the recorder and take its game up, with the picture of the phoney to remember it by."""

    def again(live) -> None:
        phoney = put("9G", "ONE", put("8G", "CAT"))
        image = drawn(phoney, seed=999)
        live.reader.teach(image, phoney)
        monkeypatch.setattr("table.recorder.decode_image", lambda *_: image)
        live.recorder = Recorder(resume_game(live.log, "g"), live.reader, live.stores)

    return again


def kinds(live) -> list[str]:
    return [turn.kind for turn in live.turns]


def test_a_play_challenged_off_whose_squares_the_next_play_covers(live, put):
    first, phoney = stopped(live, put)
    lifted(live, first, phoney)
    answered(live, put, first, 4850)
    assert kinds(live) == ["play", "challenge_upheld", "play"]
    assert live.turns[2].tiles == {"9G": "O", "9H": "X"}
    assert [live.codes(number) for number in (1, 2, 3)] == [[], [], []]
    assert live.state.scores["right"] == 0
    (event,) = [e for e in live.log.events() if e.type == "BoardSeen"]
    assert live.evidence.load(event.payload["frames"]["after"])


def test_a_hand_that_rests_elsewhere_hides_nothing_of_it(live, put):
    first, phoney = stopped(live, put)
    corner = range(0, 3), range(0, 4)
    live.video(3500, 3800, cover(phoney), sure=0.3)
    live.video(3800, 4800, cover(first, *corner))
    answered(live, put, first, 4850)
    assert kinds(live) == ["play", "challenge_upheld", "play"]


def test_the_same_in_stills(bench, put):
    first = put("8G", "CAT")
    bench.frame(0, EMPTY)
    bench.press("right", 100)
    bench.frame(1000, first)
    bench.press("left", 1100)
    bench.frame(2000, put("9G", "ONE", first))
    bench.press("right", 2100)
    bench.press("neutral", 3000)
    bench.frame(4000, first)
    bench.press("right", 5000)
    bench.frame(6000, put("9G", "OX", first))
    bench.press("left", 6100)
    assert kinds(bench) == ["play", "challenge_upheld", "play"]
    assert bench.codes(3) == []


def test_a_recorder_that_is_killed_while_the_clock_stands(live, put, restart):
    first, phoney = stopped(live, put)
    lifted(live, first, phoney)
    restart(live)
    live.video(4900, 5500, first)
    assert live.logged().count("BoardSeen") == 1
    answered(live, put, first, 5500)
    assert kinds(live) == ["play", "challenge_upheld", "play"]
    assert live.codes(3) == []


def test_tiles_taken_off_while_the_recorder_was_away(live, put, restart):
    first, _ = stopped(live, put)
    restart(live)
    live.video(9000, 10_000, first)
    answered(live, put, first, 10_000)
    assert kinds(live) == ["play", "challenge_upheld", "play"]


def test_a_clock_that_goes_on_the_moment_the_hand_has_left(live, put):
    first, phoney = stopped(live, put)
    live.video(3500, 4000, cover(phoney), sure=0.3)
    live.frame(4000, first)
    live.press("right", 4050)
    live.video(4100, 4700, first)
    answer = put("9G", "OX", first)
    live.video(4700, 5000, cover(answer), sure=0.3)
    live.video(5000, 6000, answer)
    live.press("left", 5950)
    assert kinds(live) == ["play", "challenge_upheld", "play"]
    assert live.codes(3) == []


def test_what_is_lifted_after_the_clock_went_on_tells_nothing(live, put):
    first, phoney = stopped(live, put)
    live.video(3500, 4500, phoney)
    live.press("right", 4500)
    live.video(4550, 4800, cover(phoney), sure=0.3)
    live.video(4800, 6000, first)
    assert "BoardSeen" not in live.logged()


def test_a_hand_over_the_tiles_has_not_taken_them_off(live, put):
    _, phoney = stopped(live, put)
    live.video(3500, 4800, cover(phoney, range(8, 9), range(5, 10)), sure=0.3)
    live.press("right", 4850)
    live.video(4900, 6000, put("10G", "A", phoney))
    live.press("left", 5950)
    assert "BoardSeen" not in live.logged()
    assert kinds(live) == ["play", "play", "play"]


def test_a_hand_that_comes_after_they_were_taken_off_takes_nothing_back(live, put):
    first, phoney = stopped(live, put)
    lifted(live, first, phoney)
    live.video(4800, 5500, cover(first), sure=0.3)
    answered(live, put, first, 5500)
    assert kinds(live) == ["play", "challenge_upheld", "play"]


def test_tiles_that_were_lifted_and_put_back(live, put):
    first, phoney = stopped(live, put)
    lifted(live, first, phoney)
    live.video(4800, 5100, cover(phoney), sure=0.3)
    live.video(5100, 6000, phoney)
    live.press("right", 6000)
    live.video(6050, 7000, put("10G", "A", phoney))
    live.press("left", 6950)
    assert live.logged().count("BoardSeen") == 2
    assert kinds(live) == ["play", "play", "play"]
    assert live.turns[2].tiles == {"10G": "A"}
    assert live.turns[1].word == "ONE"


def test_tiles_that_are_put_back_just_before_the_clock_goes_on(live, put):
    first, phoney = stopped(live, put)
    lifted(live, first, phoney)
    live.video(4800, 5000, cover(phoney), sure=0.3)
    live.frame(5000, phoney)
    live.press("right", 5050)
    live.video(5100, 6000, put("10G", "A", phoney))
    live.press("left", 5950)
    assert kinds(live) == ["play", "play", "play"]
    assert live.turns[2].tiles == {"10G": "A"}


@pytest.mark.parametrize("tidied", ["ON.", ".NE", "O.E"])
def test_tiles_that_are_tidied_up_one_by_one(live, put, tidied):
    first, phoney = stopped(live, put)
    live.video(3500, 3800, cover(phoney), sure=0.3)
    live.video(3800, 4500, put("9G", tidied, first))
    live.video(4500, 4800, cover(phoney), sure=0.3)
    live.video(4800, 5500, phoney)
    live.press("right", 5500)
    live.video(5550, 6500, put("10G", "A", phoney))
    live.press("left", 6450)
    assert "BoardSeen" not in live.logged()
    assert kinds(live) == ["play", "play", "play"]


def test_a_clock_that_goes_on_with_the_tiles_there_tells_nothing(live, put):
    first, phoney = stopped(live, put)
    live.video(3500, 4500, phoney)
    live.press("right", 4500)
    live.video(4550, 5000, cover(phoney), sure=0.3)
    live.video(5000, 6000, put("9G", "OX", first))
    live.press("left", 5950)
    assert "BoardSeen" not in live.logged()
    assert live.turns[1].kind == "play"


def test_the_next_tiles_may_be_laid_before_the_clock_goes_on(live, put):
    first, phoney = stopped(live, put)
    lifted(live, first, phoney)
    answer = put("9G", "OX", first)
    live.video(4800, 5000, cover(answer), sure=0.3)
    live.video(5000, 6000, answer)
    live.press("right", 6000)
    live.video(6050, 7000, answer)
    live.press("left", 6950)
    assert kinds(live) == ["play", "challenge_upheld", "play"]
    assert live.codes(3) == []


def test_nothing_is_read_while_the_clock_stands_and_nothing_moves(live, put):
    _, phoney = stopped(live, put)
    before = live.reader.reads
    live.video(3500, 8000, phoney)
    assert live.reader.reads == before
    assert [e.type for e in live.log.events()].count(ButtonPressed.__name__) == 4
