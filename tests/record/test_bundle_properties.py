"""The bundle of any game is sound, whatever people entered in it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from game.events import TurnSeen, to_payload
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import DATABASE, EVIDENCE
from record.verifier.replay import verify

from .bundlekit import GAME, bundle_of
from .mischief import mischievous


def moment(event):
    return event.press_ns if isinstance(event, TurnSeen) else event.t_ns


@given(seed=st.integers(0, 10**6))
def test_a_bundle_of_a_game_with_any_entries_is_sound(seed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("game")
    EvidenceStore(folder / EVIDENCE)
    with EventLog(folder / DATABASE) as log:
        for event in mischievous(seed).table.events:
            log.append(GAME, to_payload(event), mono_ns=moment(event), source="director")
    report = verify(bundle_of(folder, folder / "b.zip"))
    assert [one.message for one in report.faults if "is no picture" not in one.message] == []
