"""The part of ``mutants.py`` that runs inside pytest: which tests reach a fault, and only those.

Loaded with ``-p mutants_plugin``. With ``MUTANTS_RECORD`` (a folder) it writes there which test, or
which fixture of a wider scope, was at work when a probe was reached, also in programs that a test
starts. With ``MUTANTS_CHOICE`` (a file of test names) it runs these tests alone, in that order.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

RECORD: Final = "MUTANTS_RECORD"
CHOICE: Final = "MUTANTS_CHOICE"
AT_WORK: Final = "MUTANTS_AT_WORK"
"""The test or the fixture at work, in the environment: programs that it starts inherit it."""

_seen: set[tuple[int, str]] = set()


def reached(fault: int) -> None:
    """A probe: note that the place of a fault was reached, and by whom."""
    by = os.environ.get(AT_WORK, "")
    if (fault, by) not in _seen and (folder := os.environ.get(RECORD)):
        _seen.add((fault, by))
        _note(Path(folder) / "reached", [fault, by])


def _note(file: Path, row: list[object]) -> None:
    # One short write to a file opened for appending is whole, whoever else writes.
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, f"{json.dumps(row)}\n".encode())
    os.close(descriptor)


def _fixtures(item: pytest.Item) -> list[str]:
    found = getattr(item, "_fixtureinfo", None)
    known = found.name2fixturedefs.items() if found is not None else ()
    return [_key(definition) for _, definitions in known for definition in definitions]


def _key(definition: pytest.FixtureDef[object]) -> str:
    return f"{definition.baseid} {definition.argname}"


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep the chosen tests alone, in the order of the choice."""
    if file := os.environ.get(CHOICE):
        place = {name: at for at, name in enumerate(json.loads(Path(file).read_text("utf-8")))}
        items[:] = sorted(
            (item for item in items if item.nodeid in place), key=lambda item: place[item.nodeid]
        )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Name the test at work, and note what it took."""
    folder = os.environ.get(RECORD)
    if folder is None:
        return (yield)
    os.environ[AT_WORK] = item.nodeid
    began = time.monotonic()
    try:
        return (yield)
    finally:
        os.environ.pop(AT_WORK, None)
        slow = item.get_closest_marker("slow") is not None
        prop = item.get_closest_marker("property") is not None
        took = round(time.monotonic() - began, 3)
        _note(Path(folder) / "tests", [item.nodeid, took, slow, prop, _fixtures(item)])


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: pytest.FixtureDef[object]) -> Iterator[object]:
    """Name a fixture of a wider scope at work: what it reaches, all its tests reach."""
    before = os.environ.get(AT_WORK)
    if fixturedef.scope == "function" or before is None:
        return (yield)
    os.environ[AT_WORK] = _key(fixturedef)
    try:
        return (yield)
    finally:
        os.environ[AT_WORK] = before


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note the tests that fail without any fault."""
    folder = os.environ.get(RECORD)
    if folder is not None and report.failed:
        _note(Path(folder) / "failed", [report.nodeid])
