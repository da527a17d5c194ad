"""The bundle and its verifiers that these tests share, and the drawn board of ``table/``."""

from __future__ import annotations

import pytest

from tests.table.conftest import bench, drawn, grid, live, put, sit  # noqa: F401 - fixtures

from .bundlekit import make
from .forgerykit import Forger, Signed, Verdict, judged


@pytest.fixture(scope="session")
def honest(tmp_path_factory) -> Signed:
    """A game of three turns with its pictures, as its table exported it. Nobody changes it."""
    folder = tmp_path_factory.mktemp("table")
    return Signed(folder, make(folder, folder / "game.zip", turns=3))


@pytest.fixture
def forger(honest) -> Forger:
    """Somebody with that table's key."""
    return honest.forger()


@pytest.fixture
def judge(tmp_path):
    """Says what both verifiers make of a file with these bytes."""

    def check(data: bytes, keys=(), written=None) -> Verdict:
        return judged(data, tmp_path / "b.zip", keys, written)

    return check
