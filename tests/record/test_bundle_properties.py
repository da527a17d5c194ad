"""The bundle of any game is sound, whatever people entered in it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
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
    report = verify(bundle_with(seed, tmp_path_factory.mktemp("game")))
    assert [one.message for one in report.faults if "is no picture" not in one.message] == []


@pytest.mark.slow
def test_the_page_does_not_depend_on_the_order_of_a_set(tmp_path):
    """Python orders strings in sets by a secret of each process; a verifier has another one."""
    seeds = range(200, 230)
    bundles = []
    for seed in seeds:
        (tmp_path / str(seed)).mkdir()
        bundles.append(str(bundle_with(seed, tmp_path / str(seed))))
    for secret in ("1", "2", "3"):
        found = subprocess.run(
            [sys.executable, "-m", "table.cli", "verify", *bundles],
            env={**os.environ, "PYTHONHASHSEED": secret},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "is not what the program" not in found.stdout + found.stderr


def bundle_with(seed, folder):
    """Return the bundle of a game with entries of all kinds."""
    EvidenceStore(folder / EVIDENCE)
    with EventLog(folder / DATABASE) as log:
        for event in mischievous(seed).table.events:
            log.append(GAME, to_payload(event), mono_ns=moment(event), source="director")
    return bundle_of(folder, folder / "b.zip")
