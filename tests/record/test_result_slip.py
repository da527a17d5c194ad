"""The check code for the result slip is said when a game ends, once, and when it is signed."""

from __future__ import annotations

import pytest

from game.events import (
    GameEnded,
    GameReopened,
    GameStarted,
    PicturesKept,
    RackReported,
    ResultSigned,
    from_payload,
    to_payload,
)
from game.state.fold import fold
from record.log.event_log import EventLog
from record.result_slip import ResultSlip, closing
from record.seals import digest, fingerprint
from record.story.entries import logged_entries, steps_of

START = GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2021", "english", None, 0)


class Game:
    """A game in a log, and what is given out for its slip."""

    def __init__(self, log: EventLog) -> None:
        self.log = log
        self.output: list[str] = []

    def slip(self, *events) -> ResultSlip:
        """The slip of a table that starts after these events."""
        for event in events:
            self.add(event)
        return ResultSlip(self.log, self.output.append, self.state)

    def add(self, event):
        self.log.append("g", to_payload(event), mono_ns=1, source="test")
        return self.state

    @property
    def state(self):
        return fold(from_payload(event.payload) for event in self.log.events("g"))


@pytest.fixture
def game(tmp_path):
    with EventLog(tmp_path / "tilewatch.db") as log:
        yield Game(log)


def closed(game) -> dict[str, int]:
    """The numbers of the events that ended the game, and with which it was signed."""
    found = closing(steps_of(logged_entries(game.log.events("g"))))
    return {stage: event.number for stage, event in found.items()}


def test_it_is_said_at_the_end_and_at_the_signature_and_no_more(game):
    slip, output = game.slip(START), game.output
    slip.announce(game.state)
    assert output == []
    game.add(GameEnded("director", 2))
    last = game.log.last_of("g")
    ended = game.add(PicturesKept(1, (), 2))
    for _ in range(3):
        slip.announce(ended)
    assert len(output) == 1
    assert digest(last.hash) not in output[0]  # which is not the signed one
    assert output[0].startswith("g is over (director): Ann 0, Bob 0.")
    slip.announce(game.add(ResultSigned("both", 3)))
    assert len(output) == 2
    assert output[1].startswith("g is signed")
    signed = game.log.last_of("g")
    assert f"check code {digest(signed.hash)}, key {fingerprint(signed.key)}" in output[1]
    slip.announce(game.state)
    assert len(output) == 2
    assert closed(game) == {"ended": 2, "signed": 4}


def test_a_game_that_was_broken_off_has_no_lines_for_a_slip(game):
    slip, output = game.slip(START), game.output
    slip.announce(game.add(GameEnded("broken off", 2)))
    assert output == ["g is over without a result (broken off)"]
    assert closed(game) == {}
    game.add(GameEnded("director", 3, "TD", "it counts", 2))
    assert closed(game) == {"ended": 3}
    game.add(GameEnded("broken off", 4, "TD", "it does not", 3))
    assert closed(game) == {}


def test_what_was_over_when_the_table_started_was_said_before(game):
    slip, output = game.slip(START, GameEnded("director", 2)), game.output
    slip.announce(game.state)
    assert output == []
    slip.announce(game.add(GameReopened("", "director", "it goes on", 3)))
    slip.announce(game.add(GameEnded("director", 4)))
    assert len(output) == 1


def test_scores_that_lack_a_rack_are_not_called_the_result(game):
    slip, output = game.slip(START), game.output
    slip.announce(game.add(GameEnded("six_zeros", 2)))
    waiting = "g is over (six zeros), but not final, as a rack is needed: Ann 0, Bob 0."
    assert [line[: len(waiting)] for line in output] == [waiting]
    slip.announce(game.add(RackReported("left", "QZ", 3, "TD", counted=2)))
    assert len(output) == 1
    slip.announce(game.add(RackReported("right", "E", 4, "TD", counted=1)))
    assert len(output) == 2
    assert output[1].startswith("g is over (six zeros): Ann -20, Bob -1.")
    slip.announce(game.add(ResultSigned("both", 5)))
    assert len(output) == 3


def test_an_end_that_takes_the_place_of_another_is_said(game):
    slip, output = game.slip(START), game.output
    slip.announce(game.add(GameEnded("director", 2)))
    slip.announce(game.add(GameEnded("confirmed", 3, "TD", "they agree", 2)))
    assert output[1].startswith("g is over (confirmed)")
    assert closed(game) == {"ended": 3}


def test_a_result_that_is_opened_again_is_not_signed_and_ended_when_it_had(game):
    reopened = GameReopened("both_agree", "TD", "", 4)
    game.slip(START, GameEnded("director", 2), ResultSigned("both", 3), reopened)
    assert closed(game) == {"ended": 2}
    game.add(ResultSigned("both", 5))
    assert closed(game) == {"ended": 2, "signed": 5}
