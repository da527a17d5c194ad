"""The snapshot that a killed recorder leaves for the next one."""

from __future__ import annotations

import json

import pytest

from record.crash_snapshot import CrashSnapshot


@pytest.fixture
def snapshot(tmp_path):
    made = CrashSnapshot(tmp_path)
    made.save(b"the board at rest", 5_000_000_000)
    return made


def test_the_picture_of_the_board_at_a_press(snapshot, tmp_path):
    snapshot.pressed(6_000_000_000, 5_000_000_000)
    assert CrashSnapshot(tmp_path).at_press(6_000_000_000) == b"the board at rest"
    assert CrashSnapshot(tmp_path).at_press(6_000_000_001) is None


def test_a_press_that_found_another_board_has_no_picture(snapshot):
    snapshot.pressed(6_000_000_000, 4_000_000_000)
    assert snapshot.at_press(6_000_000_000) is None


@pytest.mark.parametrize("times", [(10**18, 1), (1, 10**18), (10**18, 10**9)])
def test_the_newest_press_replaces_the_one_before_it_whole(snapshot, tmp_path, times):
    for press_ns in times:
        snapshot.pressed(press_ns, 5_000_000_000)
    assert snapshot.at_press(times[0]) is None
    assert snapshot.at_press(times[1]) == b"the board at rest"
    found = json.loads((tmp_path / "press.json").read_bytes())
    assert found == {"press_ns": times[1], "rest_ns": 5_000_000_000}


def test_a_press_that_an_earlier_version_wrote_is_replaced(snapshot, tmp_path):
    (tmp_path / "press.json").write_text(json.dumps({"press_ns": 1, "rest_ns": 2}), "utf-8")
    snapshot.pressed(6_000_000_000, 5_000_000_000)
    assert snapshot.at_press(6_000_000_000) == b"the board at rest"
