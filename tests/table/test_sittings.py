"""The scenes of ``tests/table/sittings``: a table over several games, also when it is killed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from game.events import GameEnded, ResultSigned, from_payload
from game.rulebooks.loading import load_rulebook
from game.state.fold import fold
from table.coming_games import RosterFile, Schedule
from table.desk import NamePlayers
from table.pairings.details import Seat
from table.time_base import Gap

from .scenekit import Scene
from .sessionkit import MS, Sitting, new_game

SCENES = [
    pytest.param(scene, id=scene["name"])
    for path in sorted((Path(__file__).parent / "sittings").glob("*.toml"))
    for scene in tomllib.loads(path.read_text("utf-8"))["scene"]
]
OPENING = "1 s empty\npress right\n0.3 s hand cat\n1 s cat\npress left\n0.2 s cat"


class TableScene(Scene):
    """A scene at a table whose clock goes on with what is shown, and which others post to."""

    def __init__(self, sat: Sitting, pairings: Path, monkeypatch) -> None:
        super().__init__(sat, monkeypatch)
        self.sat, self.pairings = sat, pairings
        self.game, self.state = sat.state.game_id, sat.state

    def take(self, step: str) -> None:
        sat = self.sat
        match step.split():
            case ["opening"]:
                for one in OPENING.splitlines():
                    self.take(one)
                self.game = sat.state.game_id
            case [seconds, "s", "pass"]:
                sat.now_ms += round(float(seconds) * 1000)
            case [seconds, "s", *board]:
                sat.video(float(seconds), self.board(" ".join(board)))
            case ["press", button]:
                sat.press(button)
            case ["killed"]:
                sat.killed()
            case ["the", "camera", "is", "lost"]:
                sat.session.camera_lost = "no picture"
            case ["nobody", "watches", "for", seconds, "s"]:
                now = sat.now_ms * MS
                sat.session.time_unseen(Gap(now, now, int(seconds) * 1000 * MS, measured=False))
            case ["note", *_]:
                self.game, self.state = sat.state.game_id, sat.state
            case _:
                self.enter(step)

    def enter(self, step: str) -> None:
        """What somebody enters, at the desk or in the pairings."""
        sat = self.sat
        match step.split():
            case ["the", "game", "is", "ended"]:
                assert sat.rule(GameEnded("director", sat.now_ms * MS)).done
            case ["the", "result", "is", "signed"]:
                assert sat.rule(ResultSigned("both players", sat.now_ms * MS)).done
            case ["the", "director", "sets", "up", "a", "game", "by", "psa"]:
                assert sat.post(new_game("director", "other rules")).done
            case ["name", *names]:
                players = dict(one.split("=") for one in names)
                assert sat.post(NamePlayers(players, "director")).done
            case ["pairings", *_]:
                self.pairings.write_text(step.partition(" ")[2].replace("|", "\n") + "\n")
            case _:
                super().take(step)

    def of_turn(self, what: str, number: int, due: list[str]) -> tuple[object, object]:
        turns = self.bench.turns
        if what == "lost":
            return turns[number - 1].seen.lost[-1].until_ns, int(due[-1]) * MS
        if what == "used":
            side, clocks = turns[number - 1].side, self.sat.state.clocks
            spent = self.state.clocks.remaining_ns[side] - clocks.remaining_ns[side]
            return spent, turns[number - 1].press_ns - turns[number - 2].press_ns
        return super().of_turn(what, number, due)

    def of_game(self, words: list[str]) -> tuple[object, object]:
        state = self.sat.state
        match words:
            case ["phase", phase]:
                return self.sat.phase, phase
            case ["players", left, right]:
                return dict(state.players), {"left": left, "right": right}
            case ["it", "is", *which, "game"]:
                return state.game_id == self.game, which == ["the", "same"]
            case ["it", "ended", "as", *reason]:
                last = self.sat.log.events(self.game)[-1]
                return from_payload(last.payload).reason, " ".join(reason)
            case ["the", "clocks", "are", "as", "noted"]:
                return state.clocks, self.state.clocks
            case ["the", "state", "is", "as", "noted"]:
                return state, self.state
            case ["rulebook", rulebook]:
                return state.rulebook.id, rulebook
            case ["adjusted", *due]:
                found = {f"{name}={value}" for name, value in state.start.adjust.items()}
                return found, set(due)
            case ["open", "tiles", *board]:
                tiles = [square for turn in self.bench.turns for square in turn.open_tiles]
                return sorted(tiles), sorted(self.tiles(board))
        return super().of_game(words)


@pytest.mark.parametrize("scene", SCENES)
def test_a_sitting_is_recorded_as_it_was(scene, sit, tmp_path, monkeypatch):
    pairings = tmp_path / "pairings.csv"
    options = {}
    if "pairings" in scene:
        pairings.write_text(scene["pairings"].replace("|", "\n") + "\n")
        book = load_rulebook("wespa-2007")
        options["schedule"] = Schedule(pairings=RosterFile(pairings, Seat(1), book))
    played = TableScene(sit(**options), pairings, monkeypatch)
    for step in scene["steps"].strip().splitlines():
        played.take(step)
    log = played.sat.log
    assert log.verify() is None
    logged = [from_payload(event.payload) for event in log.events(played.sat.state.game_id)]
    assert fold(logged) == played.sat.state
