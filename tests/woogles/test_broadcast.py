"""A whole broadcast with no hands: from the first tile of a simulated table to the last call."""

from __future__ import annotations

import random
from functools import partial

import pytest

import table.serving
import table.woogles_games
from dashboard.app import create_app
from game.events import GameEnded, TurnSeen, from_payload
from game.state.fold import fold
from simulation import generate
from table.config import Camera, Racks, Serve, TableConfig
from table.live import opened
from table.racks.known import KnownRacks
from table.running import RunningTable
from table.simulated_devices import run_simulated
from table.views.public_policy import PublicPolicy
from tests.dashboard.surfacekit import answers
from tests.dashboard.test_not_shown import VALUES
from woogles.document import TURNS, totals
from woogles.follow import Follower
from woogles.slot import WooglesOptions

from .standin import Standin
from .wooglekit import document_of, shown_of

SEED, DELAY, LOOK_EVERY = 8, 3, 6
SIMULATED = Camera(kind="simulated")


class Spectators:
    """Everything that anybody can open, looked at while the game goes on."""

    def __init__(self, standin: Standin) -> None:
        self.standin = standin
        self.app = self.table = None
        self.leaks: list[str] = []
        self.looks = 0

    def heard(self, state, event) -> None:
        """Look for what may not be known yet, after some turns."""
        if not isinstance(event, TurnSeen) or state.settled:
            return
        sent = sum(one.kind in TURNS for one in self._sent())
        if sent > max(0, len(state.turns) - DELAY):
            self.leaks.append(f"{sent} turns on Woogles after {len(state.turns)}")
        if len(state.turns) % LOOK_EVERY:
            return
        self.looks += 1
        secrets = self._secrets(state)
        values = {**VALUES, "game_id": (state.game_id,)}
        for address, body in answers(self.app, values).items():
            found = [one for one in secrets if one.encode() in body]
            self.leaks += [f"{address} has {one} after turn {len(state.turns)}" for one in found]

    def _sent(self):
        return [one for game in self.standin.games.values() for one in document_of(game).events]

    def _secrets(self, state) -> list[str]:
        """The long words of the newest turns that no earlier turn has, and the racks."""
        old, new = state.turns[:-DELAY], state.turns[-DELAY:]
        known = {word for turn in old for word, _ in turn.words}
        words = {w for turn in new for w, _ in turn.words if len(w) > 5} - known
        racks = self.table.session.racks.of(state).values()
        held = self.table.session.racks.history(state).held.values()
        return [*words, *{one for one in (*racks, *held) if one and len(one) == 7}]


@pytest.mark.slow
def test_a_broadcast_runs_from_the_first_tile_to_the_last_call(tmp_path, monkeypatch):
    script = generate(SEED)
    first = script.turns[0].side
    second = "right" if first == "left" else "left"
    standin = Standin(timeout_s=0.0)
    standin.rule = "DOUBLE"
    standin.pair(1, 1, script.players[first], script.players[second])
    rng = random.Random(SEED)
    faults = ["refuse_500", "html", "lose", "half", "drop", None]
    standin.faults.extend(rng.choice(faults) for _ in range(60))
    monkeypatch.setenv("TILEWATCH_WOOGLES_KEY", standin.key)
    monkeypatch.setattr(table.woogles_games, "Follower", partial(Follower, pauses_s=(0.05,)))
    spectators = Spectators(standin)

    def kept(*given, **more):
        spectators.app = create_app(*given, **more)
        return spectators.app

    monkeypatch.setattr(table.serving, "create_app", kept)
    words = tmp_path / "words.txt"
    words.write_text("\n".join(sorted({"CAT", "DOG", "QUIZ"})), "utf-8")
    config = TableConfig(
        camera=SIMULATED,
        simulated={"seed": SEED, "speed": 0.0, "games": 1},
        word_list=words,
        serve=Serve(port=0),
        public=PublicPolicy(delay_turns=DELAY),
        racks=Racks(left=SIMULATED, right=SIMULATED),
        woogles=WooglesOptions(account="club", broadcast="open", url=standin.url, racks=True),
    )
    with opened(config, tmp_path / "data", lambda _: None, spectators.heard) as running:
        spectators.table = running
        table.serving.serve_pages(running)
        run_simulated(running, ended)
        game, known = running.session.state.game_id, running.session.racks
        running.session.next_game("director")
        running.session.open_racks(0)
        state = fold(from_payload(one.payload) for one in running.log.events(game))
    history = known.history(state)
    right = [sorted(history.held.get(t.number, "")) == sorted(s.rack)
             for t, s in zip(state.turns, script.turns, strict=True)]  # fmt: skip
    assert sum(right) >= 0.99 * len(right)
    assert KnownRacks(None).history(state).held == history.held
    assert spectators.looks >= 4
    assert spectators.leaks == []
    assert len(standin.faults) == 0
    document = document_of(next(iter(standin.games.values())))
    ours = shown_of(state).ours(document.rule)
    assert document.events == ours.events
    assert document.scores == totals(ours.events)[-1]
    assert document.state == "GAME_OVER"
    racks = [e.rack for e in document.events if e.kind == "TILE_PLACEMENT_MOVE"]
    due = [ours.letters.rack(t.rack) for t in script.turns if t.kind == "play"]
    assert sum(a == b for a, b in zip(racks, due, strict=True)) >= 0.99 * len(due)


def ended(_, running: RunningTable) -> bool:
    """The players agree on the result, and there is no other game."""
    state = running.session.state
    if not state.settled:
        running.session.record(GameEnded(state.end_reason, running.now_ns()), "players")
    return False
