"""The table's time: the same over a restart, and carried over a reboot by the wall clock."""

from __future__ import annotations

from table.time_base import LastEvent, open_time_base

S = 1_000_000_000
WALL = 1_800_000_000 * S


def opened(folder, last, boot, mono_s, wall_s):
    return open_time_base(
        folder, last, boot=boot, monotonic_ns=mono_s * S, wall_ns=WALL + wall_s * S
    )


def test_a_new_table_s_time_is_the_machine_s(tmp_path):
    assert opened(tmp_path, None, "a", 100, 0).offset_ns == 0


def test_a_restarted_process_finds_the_same_time_whatever_the_wall_clock_says(tmp_path):
    opened(tmp_path, None, "a", 100, 0)
    base = opened(tmp_path, LastEvent(100 * S, WALL), "a", 160, 99_999)
    assert base.of(160 * S) == 160 * S


def test_after_a_reboot_the_time_that_passed_is_taken_from_the_wall_clock(tmp_path):
    opened(tmp_path, None, "a", 5000, 0)
    base = opened(tmp_path, LastEvent(5010 * S, WALL + 10 * S), "b", 20, 70)
    assert base.of(20 * S) == 5070 * S
    assert not base.lost
    # And from then on by the machine's own, as before.
    again = opened(tmp_path, LastEvent(5070 * S, WALL + 70 * S), "b", 25, 999)
    assert again.of(25 * S) == 5075 * S


def test_a_wall_clock_that_went_back_charges_nobody(tmp_path):
    opened(tmp_path, None, "a", 5000, 0)
    base = opened(tmp_path, LastEvent(5010 * S, WALL + 10 * S), "b", 20, -500)
    assert base.of(20 * S) == 5010 * S
    assert base.lost


def test_time_never_runs_behind_the_log(tmp_path):
    """A data folder from another machine, or one whose file was lost."""
    opened(tmp_path, None, "a", 100, 0)
    base = opened(tmp_path, LastEvent(900 * S, WALL), "a", 100, 5)
    assert base.of(100 * S) == 905 * S


def test_a_spoilt_file_is_made_anew(tmp_path):
    (tmp_path / "timebase.json").write_text("{", "ascii")
    assert opened(tmp_path, None, "a", 100, 0).offset_ns == 0
    assert opened(tmp_path, None, "a", 200, 0).offset_ns == 0
