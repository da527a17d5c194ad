"""One fold for everybody: what the games of a log are, for whoever asks, and when."""

from __future__ import annotations

from dataclasses import replace

import pytest

from game.events import GameStarted, PenaltyAdded, TurnRuled, to_payload
from game.state.fold import fold
from record.log.event_log import EventLog
from table import folded_log
from table.folded_log import FoldedLog
from table.views.views import AUDIENCES, view
from tests.game.gamekit import Table, random_game

UNKNOWN = {"type": "SomethingNew", "t_ns": 0}
IMPOSSIBLE = to_payload(TurnRuled(99, "play", "TD", "", 0))


class Written:
    """A log with the events that were written into it and can be read, by game."""

    def __init__(self, folder) -> None:
        self.log = EventLog(folder / "tilewatch.db")
        self.games: dict[str, list[tuple[int, object]]] = {}

    def put(self, game_id: str, *events) -> None:
        for one in events:
            event = replace(one, game_id=game_id) if isinstance(one, GameStarted) else one
            seq = self.log.append(game_id, to_payload(event), mono_ns=0, source="t").seq
            self.games.setdefault(game_id, []).append((seq, event))

    def spoil(self, game_id: str, payload=UNKNOWN) -> int:
        return self.log.append(game_id, payload, mono_ns=0, source="t").seq

    def state(self, game_id: str, seq: int = 10**9):
        events = [event for at, event in self.games.get(game_id, ()) if at <= seq]
        return fold(events) if events else None


def penalty(points: int) -> PenaltyAdded:
    return PenaltyAdded("left", points, None, "TD", "late", 0)


@pytest.fixture
def day(tmp_path):
    """Three games, with rulings on earlier ones and records that nobody can read."""
    made = Written(tmp_path)
    first, second, third = random_game(1), random_game(2), Table()
    made.spoil("g0")
    made.put("g1", *first.events[:9])
    made.spoil("g1")
    made.put("g1", *first.events[9:])
    made.put("g2", *second.events)
    made.put("g1", penalty(5))
    made.put("g3", *third.events)
    made.spoil("g3", IMPOSSIBLE)
    third.play("8G", "CAT")
    made.put("g3", *third.events[2:])
    made.put("g2", penalty(10))
    yield made
    made.log.close()


@pytest.fixture(params=[False, True], ids=["from the first record", "from the newest game"])
def folded(day, request):
    return FoldedLog(day.log, 50, from_newest_game=request.param)


def test_whoever_asks_for_a_game_gets_it_as_it_stands(day, folded):
    assert folded.game("g0") is None
    assert folded.game("never") is None
    assert folded.shown().state.game_id == "g3"
    for game_id in ("g3", "g1", "g2"):
        assert folded.game(game_id).state == day.state(game_id)


def test_a_game_that_was_asked_for_goes_on_as_the_log_does(day, folded):
    before = {game_id: folded.game(game_id).state for game_id in ("g1", "g2", "g3")}
    for game_id in before:
        day.put(game_id, penalty(20))
        day.spoil(game_id)
    for game_id, known in before.items():
        found = folded.game(game_id).state
        assert found == day.state(game_id)
        assert found.scores["left"] == known.scores["left"] - 20


def test_a_game_can_be_had_as_it_stood_after_any_record(day, folded):
    for seq in range(0, day.log.last_seq + 1, 5):
        for game_id in ("g0", "g1", "g2", "g3"):
            assert folded.state_at(game_id, seq) == day.state(game_id, seq)


def test_the_effect_of_a_record_is_had_of_the_game_on_the_table(day, folded):
    folded.shown()
    day.put("g3", penalty(20))
    seq = day.log.last_seq
    day.put("g3", penalty(7))
    day.put("g2", penalty(7))
    before, after = folded.around(seq)
    assert (before, after) == (day.state("g3", seq - 1), day.state("g3", seq))
    assert folded.around(seq + 2) is None
    assert folded.around(seq + 100) is None


def test_a_record_shows_each_audience_the_game_that_was_started_last(day, folded):
    for audience in AUDIENCES:
        seen = list(folded.views(audience).after(day.log.last_seq - 4))
        assert [logged.seq for logged, _ in seen] == [day.log.last_seq - n for n in (3, 2, 1, 0)]
        for logged, shown in seen:
            assert shown == view(day.state("g3", logged.seq), audience)


def test_the_records_of_a_game_that_its_state_holds_are_known(day, folded):
    for game_id, written in day.games.items():
        game = folded.game(game_id)
        held = [one.seq for one in day.log.events(game_id) if game.holds(one.seq)]
        assert held == [seq for seq, _ in written]


def test_a_record_is_applied_once_for_all_who_look(day, monkeypatch):
    applied: list[object] = []
    apply = folded_log.apply

    def counted(state, event):
        applied.append(event)
        return apply(state, event)

    monkeypatch.setattr(folded_log, "apply", counted)
    shared = FoldedLog(day.log, 50)
    tails = [shared.views(audience) for audience in AUDIENCES]
    for points in (1, 2, 3):
        day.put("g3", penalty(points))
        for tail in tails:
            assert list(tail.after(day.log.last_seq - 1))
        assert shared.game("g3") is shared.shown()
        assert shared.state_at("g3", day.log.last_seq) is shared.shown().state
    assert [one.points for one in applied if one in map(penalty, (1, 2, 3))] == [1, 2, 3]
