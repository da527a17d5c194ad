"""The bundle and its verifiers that these tests share, and the drawn board of ``table/``."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.table.conftest import bench, drawn, grid, live, put, sit  # noqa: F401 - fixtures

from .bundlekit import fill, make
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
def unpacked(honest, tmp_path) -> Path:
    """A folder into which that bundle was unpacked."""
    with zipfile.ZipFile(honest.path) as archive:
        archive.extractall(tmp_path / "unpacked")
    return tmp_path / "unpacked"


@pytest.fixture
def data(tmp_path) -> Path:
    """The data folder of a table with a game of three turns."""
    fill(tmp_path / "table", turns=3)
    return tmp_path / "table"


@pytest.fixture
def judge(tmp_path):
    """Says what the verifier makes of these bytes, in a bundle and with the game replayed."""

    def check(data: bytes, keys=(), written=None) -> Verdict:
        return judged(data, tmp_path / "b.zip", keys, written)

    return check
