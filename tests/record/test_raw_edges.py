"""Edges of the contacts laid over the presses of the log."""

from __future__ import annotations

from pathlib import Path

import pytest

from record.raw_edges import EDGES, RawEdge, edges_near
from sensors.debounce import Edge
from sensors.gpio import EdgeLog

MS = 1_000_000
SHIFT = 700_000_123
PRESSES = [(1_000 * MS, "right"), (31_000 * MS + 17, "left"), (64_000 * MS + 5, "right"),
           (90_000 * MS + 911, "left")]  # fmt: skip


def bounce(t_ns: int) -> list[tuple[int, bool]]:
    """A press with a bounce, let go 80 ms later."""
    return [(t_ns, True), (t_ns + MS, False), (t_ns + 2 * MS, True), (t_ns + 80 * MS, False)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """What a table wrote whose log has :data:`PRESSES`."""
    log = EdgeLog(tmp_path / EDGES)
    for t_ns, button in PRESSES:
        for when, closed in bounce(t_ns - SHIFT):
            log.write(Edge(button, closed, when))
    log.close()
    return tmp_path / EDGES


def test_edges_come_on_the_tables_base(path):
    at = PRESSES[1][0]
    found = edges_near(path, PRESSES, [1], 500 * MS)
    assert found == [RawEdge(when, "left", closed) for when, closed in bounce(at)]


def test_edges_that_fit_no_press_are_not_told(path):
    moved = [(t_ns + n * 1000, button) for n, (t_ns, button) in enumerate(PRESSES)]
    assert edges_near(path, moved, [1], 10**12) == []
    swapped = [(t_ns, {"left": "right", "right": "left"}[button]) for t_ns, button in PRESSES]
    assert edges_near(path, swapped, [1], 10**12) == []


def test_one_press_alone_and_no_file_prove_nothing(path, tmp_path):
    assert edges_near(tmp_path / "none", PRESSES, [1], 10**12) == []
    assert edges_near(path, PRESSES[:1], [0], 10**12) == []
    assert edges_near(path, [], [], 10**12) == []


def test_a_file_set_aside_counts_and_damage_does_not(path):
    lines = path.read_text("ascii").splitlines(keepends=True)
    path.with_name(f"{EDGES}.1").write_text("".join(lines[:8]), "ascii")
    path.write_text("nonsense\n1,left\n,,\n-5,left,1\n" + "".join(lines[8:]), "ascii")
    assert len(edges_near(path, PRESSES, [2], 10**12)) == 16


def test_an_earlier_run_of_the_machine_is_told_apart(path):
    """After a restart the kernel's clock begins anew: the same times may stand there twice."""
    with path.open("a", encoding="ascii") as file:
        for t_ns, button in [(5_000 * MS, "right"), (9_000 * MS, "left")]:
            for when, closed in bounce(t_ns):
                file.write(f"{when},{button},{int(closed)}\n")
    at = PRESSES[2][0]
    found = edges_near(path, PRESSES, [2], 100 * MS)
    assert [edge.t_ns - at for edge in found] == [0, MS, 2 * MS, 80 * MS]
