"""A table's game that is followed on a stand-in for Woogles."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from game.gcg import record_from_game
from game.state.fold import GameState
from woogles.client import NoAnswerError, Woogles
from woogles.document import read_document, totals
from woogles.follow import Follower, Shown
from woogles.mapping import Ours, rule_of
from woogles.slot import Slots, Wanted, WooglesOptions

from .standin import Standin

OPTIONS = {"account": "Club", "broadcast": "open"}


@dataclass
class Reports:
    """The reports to a director."""

    now: str | None = None
    differences: list[str] = field(default_factory=list)

    def stands(self, message: str | None) -> None:
        self.now = message

    def differs(self, message: str) -> None:
        self.differences.append(message)


def shown_of(state: GameState, racks=(None, None), **wanted) -> Shown:
    record = record_from_game(state)
    players = (record.players[0].name, record.players[1].name)
    clocks = [t.clock_ns and t.clock_ns // 10**6 for t in state.turns if t.kind != "undone"]
    found = Wanted(state.game_id, players, **{"round": 1, "table": 7, **wanted},
                   rule=rule_of(state.rulebook))  # fmt: skip
    return Shown(found, record, clocks, racks)


def document_of(game):
    """A game of the stand-in's, as its callers read it."""
    return read_document(game.doc)


class Followed:
    """A table whose game is on the stand-in; ``restart`` forgets all but the file."""

    def __init__(self, standin: Standin, folder: Path, timeout_s: float = 0.3, **options) -> None:
        self.standin, self.reports = standin, Reports()
        self.options = WooglesOptions.model_validate({**OPTIONS, "url": standin.url, **options})
        self.shown: Shown | None = None
        self._folder, self._timeout_s = folder, timeout_s
        self.restart()

    def restart(self) -> None:
        calls = Woogles(self.standin.url, self.standin.key, self._timeout_s)
        slots = Slots(calls, self.options, self._folder / "woogles.json")
        self.follower = Follower(calls, slots, self._game, self.reports, (0.0,))

    def _game(self, game_id: str | None) -> Shown | None:
        return self.shown if game_id in (None, self.shown.wanted.game_id) else None

    def look(self, shown: Shown, tries: int = 200) -> int:
        """Follow a game until there is nothing left to do; return how often that failed."""
        self.shown = shown
        for failed in range(tries):
            try:
                self.follower.look()
            except NoAnswerError:
                continue
            except Exception as error:
                if "gives" in str(error):  # a document of other types
                    continue
                raise
            return failed
        raise AssertionError("it never came to an end")

    def document(self):
        return document_of(next(iter(self.standin.games.values())))

    def assert_same(self) -> None:
        """The stand-in has the table's plays, scores and challenges, each once."""
        document = self.document()
        ours: Ours = self.shown.ours(document.rule)
        assert document.events == ours.events
        due = totals(ours.events)[-1] if ours.events else (0, 0)
        assert document.scores == due
        assert (document.state == "GAME_OVER") == ours.over or not ours.over
