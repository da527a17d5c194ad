"""Export and check of a game with many corrections do work in proportion to them."""

from __future__ import annotations

import sys

import game.state.fold
from game.events import SquareCorrected, to_payload
from record.bundle.page import page, picture_source
from record.log.event_log import EventLog
from record.paths import DATABASE
from record.story import steps_of
from record.verifier.verify import verify
from tests.game.gamekit import Table

from .bundlekit import GAME, bundle_of, fill
from .storykit import entries_of


def corrected(count: int) -> Table:
    """A game of two turns, of which one was corrected so often."""
    table = Table()
    table.play("8G", "CAT")
    table.play("9G", "ON")
    for number in range(count):
        table.now += 1
        table.put(SquareCorrected(2, "9H", "NM"[number % 2], "TD", "seen on film", table.now))
    return table


def calls(work) -> int:
    """How many functions a piece of work calls, those of the interpreter included."""
    count = 0

    def note(frame, what, arg):
        nonlocal count
        count += what in ("call", "c_call")

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_a_bundle_s_game_is_folded_once_to_export_it_and_once_to_check_it(tmp_path, monkeypatch):
    fill(tmp_path, turns=2, signed=False)
    with EventLog(tmp_path / DATABASE) as log:
        for number in range(5):
            event = SquareCorrected(2, "D8", "AB"[number % 2], "TD", "seen on film", 10**12)
            log.append(GAME, to_payload(event), mono_ns=10**12, source="director")
        events = len(log.events(GAME))
    applied, apply = [], game.state.fold.apply

    def noted(state, event):
        applied.append(event)
        return apply(state, event)

    monkeypatch.setattr(game.state.fold, "apply", noted)
    bundle = bundle_of(tmp_path, tmp_path / "bundle")
    assert len(applied) == events
    applied.clear()
    assert verify(bundle).ok
    assert len(applied) == events


def test_the_account_of_twice_as_many_corrections_is_twice_the_work():
    def account(count: int) -> int:
        steps = steps_of(entries_of(corrected(count).events))
        return calls(lambda: page(steps, "0" * 64, picture_source({})))

    none, some, twice = account(0), account(150), account(300)
    assert twice - none < 2.1 * (some - none)


def test_the_states_of_a_game_share_their_events():
    states = [step.after for step in steps_of(entries_of(corrected(20).events))]
    assert [len(one.progress.events) for one in states] == [*range(1, len(states) + 1)]
    assert len({id(one.progress.events._items) for one in states}) == 1
    assert len({id(one.progress.named._items) for one in states}) == 1
