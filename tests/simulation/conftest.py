"""Games that simulated players play, made once; and the drawn board of ``table/``."""

from __future__ import annotations

from functools import cache

from simulation import Script, generate
from tests.table.conftest import bench, drawn, grid, live, put, sit  # noqa: F401 - fixtures


@cache
def generated(seed: int) -> Script:
    """The game of a seed. Those of 8, 17 and 25 are found at one of the first attempts."""
    return generate(seed)
