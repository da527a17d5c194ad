"""The simulated players heed the desk: they wait, go on, or play no more of a game."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from game.events import ButtonPressed, GameEnded, GameReopened, ResultSigned, TurnRuled
from game.state.fold import GameState, apply
from game.values import replace
from simulation.demo_clock import DemoClock
from table import simulated_devices
from table.simulated_devices import _begun, _Heeding
from tests.game.gamekit import SECOND, Table


@pytest.fixture
def state() -> GameState:
    """A game that goes on."""
    table = Table(rulebook="wespa-2021")
    table.play("8G", "CAT")
    return table.state


@pytest.fixture
def clock(monkeypatch) -> DemoClock:
    """A clock that nobody has to wait for."""
    made = DemoClock(1.0)
    monkeypatch.setattr(made, "rest", lambda: None)
    return made


class Waiting:
    """Players at a table whose game is, at each look, the next of ``states``; the last stays."""

    def __init__(self, *states: GameState, playing: str | None = None) -> None:
        self.session = SimpleNamespace(state=states[0])
        self.source = SimpleNamespace(put_right=self.put_right, putting_right=False)
        self.time = SimpleNamespace(simulation=SimpleNamespace(source=self.source))
        self.right: list[str] = []
        self._states = list(states[1:])
        self.waits = 0
        self.heeding = _Heeding(self, playing)

    def look(self) -> None:
        self.waits += 1
        if self._states:
            self.session.state = self._states.pop(0)
        assert self.waits < 50, "they wait for ever"

    def put_right(self, _state: GameState, side: str) -> bool:
        self.right.append(side)
        return True

    def goes_on(self, clock: DemoClock) -> bool:
        return self.heeding.goes_on(clock, self.look)


def later(state: GameState) -> int:
    return state.turns[-1].press_ns + SECOND


def stopped(state: GameState, by: str = "") -> GameState:
    return apply(state, ButtonPressed("neutral", later(state), by, "a call" if by else ""))


def ended(state: GameState, by: str = "") -> GameState:
    return apply(state, GameEnded("confirmed", later(state), by))


def test_they_play_on_while_nothing_is_the_matter(state, clock):
    players = Waiting(state, playing=state.game_id)
    assert players.goes_on(clock)
    assert players.waits == 0


def test_they_wait_while_the_clock_stands_that_the_desk_stopped(state, clock):
    players = Waiting(stopped(state, "Ann"), stopped(state, "Ann"), state, playing=state.game_id)
    assert players.goes_on(clock)
    assert players.waits == 2
    # They stop it themselves, to challenge for example, and start it again.
    assert Waiting(stopped(state), playing=state.game_id).goes_on(clock)


def ruled(state: GameState, by: str, ruling: str = "challenge_upheld") -> GameState:
    return apply(state, TurnRuled(1, ruling, by, "no word", later(state)))


@pytest.mark.parametrize("ruling", ["challenge_upheld", "taken_back"])
def test_a_play_that_the_desk_rules_off_is_taken_off_though_the_clock_stands(state, clock, ruling):
    standing = stopped(state, "Ann")
    players = Waiting(standing, ruled(standing, "Ann", ruling), playing=state.game_id)
    assert players.goes_on(clock)
    assert players.waits == 1
    assert players.heeding.puts_right()
    assert not players.heeding.puts_right()  # once is enough
    players.source.putting_right = True
    assert players.goes_on(clock)
    players.source.putting_right = False
    players._states.append(state)  # it is undone, and the clock started
    assert players.goes_on(clock)
    assert players.heeding.puts_right()
    assert players.right == ["left", "left"]


@pytest.mark.parametrize(
    ("by", "ruling"), [("the simulated director", "challenge_upheld"), ("Ann", "challenge_failed")]
)
def test_what_needs_no_tile_taken_off_changes_nothing_of_what_they_do(state, by, ruling):
    players = Waiting(ruled(state, by, ruling), playing=state.game_id)
    assert not players.heeding.puts_right()


def test_a_game_that_the_desk_ended_may_be_reopened_for_a_while(state, clock, monkeypatch):
    over = ended(state, "Ann")
    reopened = apply(over, GameReopened("director", "Ann", "by mistake", later(over)))
    players = Waiting(over, over, reopened, playing=state.game_id)
    assert players.goes_on(clock)
    assert players.waits == 2
    monkeypatch.setattr(simulated_devices, "_GRACE_S", -1.0)
    players = Waiting(over, playing=state.game_id)
    assert not players.goes_on(clock)
    assert players.waits == 0


def test_a_game_that_the_desk_ended_and_was_signed_is_over_at_once(state, clock):
    over = ended(state, "Ann")
    signed = apply(over, ResultSigned("both players", later(over)))
    players = Waiting(over, signed, playing=state.game_id)
    assert not players.goes_on(clock)
    assert players.waits == 1


def test_a_game_that_the_players_ended_is_theirs_to_finish(state, clock):
    assert Waiting(ended(state), playing=state.game_id).goes_on(clock)


def test_they_play_no_more_once_another_game_is_on_the_table(state, clock):
    players = Waiting(replace(state, game_id="another"), playing=state.game_id)
    assert not players.goes_on(clock)


def test_players_who_sit_down_are_not_skipped_for_the_game_before(state, clock):
    """The desk ended the game before; theirs has not begun, and then it is the one that counts."""
    over, theirs = ended(state, "Ann"), replace(state, game_id="theirs")
    players = Waiting(over, playing=over.game_id)
    players.heeding.sit_down()
    assert players.goes_on(clock)
    assert (players.heeding.playing, players.heeding.before) == (None, over.game_id)
    players.session.state = theirs
    assert players.goes_on(clock)
    assert players.heeding.playing == "theirs"
    players.session.state = over
    assert not players.goes_on(clock)


def test_a_game_that_goes_on_after_a_restart_is_theirs(state):
    assert _begun(state) == state.game_id
    assert _begun(replace(state, status="waiting")) is None


def test_nobody_waits_for_a_clock_that_was_stopped_or_has_no_speed(state, clock):
    standing = stopped(state, "Ann")
    clock.stop()
    assert Waiting(standing, playing=state.game_id).goes_on(clock)
    assert Waiting(standing, playing=state.game_id).goes_on(DemoClock(0))
