"""What every room's tests share."""

from __future__ import annotations

import gc
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType
from typing import Any, ClassVar

import pytest
from flask import Flask
from hypothesis import HealthCheck, is_hypothesis_test, settings
from hypothesis.internal.conjecture import providers
from hypothesis.internal.constants_ast import Constants
from jinja2 import BytecodeCache
from jinja2.bccache import Bucket
from werkzeug.routing import Rule

from tests.dashboard.browsing import browser, fresh_window

# How long an example takes is the machine's affair: benchmarks/ is for that.
EVERY_PROFILE = settings(
    deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
# The same examples every time: new ones are the thorough run's to find.
settings.register_profile("quick", EVERY_PROFILE, max_examples=20, derandomize=True)
settings.register_profile("thorough", EVERY_PROFILE, max_examples=250)
settings.load_profile("quick")


class CompiledTemplates(BytecodeCache):
    """The pages' templates, compiled once for all the applications that the tests make."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._kept.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._kept[bucket.key, bucket.checksum] = bucket.code


class RuleParsedOnce(Rule):
    """A path that is parsed once, and whose code for ``url_for`` is compiled when it is first used.

    Most tests make an application of a hundred paths, use a few, and would spend most of their
    time on the rest.
    """

    _parsed: ClassVar[dict[str, tuple[Any, Any, Any]]] = {}

    def compile(self) -> None:
        if self.rule not in self._parsed:
            super().compile()
            self._parsed[self.rule] = self._parts, self._trace, self._converters
        self._parts, self._trace, self._converters = self._parsed[self.rule]
        self.arguments |= self._converters.keys()
        self._build, self._build_unknown = map(self._compile_builder, (False, True))

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        compile_builder, made = super()._compile_builder, []

        def build(*values: object, **named: object) -> tuple[str, str]:
            if not made:
                made.append(compile_builder(append_unknown).__get__(self, None))
            return made[0](*values, **named)

        return build


# The pictures are small, and each worker has a processor. Programs that tests start inherit it.
os.environ.setdefault("OPENCV_FOR_THREADS_NUM", "1")

Flask.jinja_options = {"bytecode_cache": CompiledTemplates()}
Flask.url_rule_class = RuleParsedOnce

MEMORY = Path("/dev/shm")
ROOM = 4 << 30
"""Bytes that a run's temporary folders may come to, and more."""


def pytest_configure(config: pytest.Config) -> None:
    """Select a slow test that is named, and put the temporary folders into memory.

    Logs and pictures are synced to no disk there. Where there is no such memory, too little of it,
    or programs must not be run from it, the folders stay where pytest puts them; so they do with
    ``--basetemp``.
    """
    if config.getoption("--hypothesis-profile") is None:
        # Nor do the quick run's examples depend on the numbers and words of all modules, which
        # each worker would read for them.
        providers._get_local_constants = Constants
    if any("::" in argument for argument in config.args):
        config.option.markexpr = config.option.markexpr.replace("not slow", "")
    if os.access(MEMORY, os.W_OK):
        there = os.statvfs(MEMORY)
        if there.f_bavail * there.f_frsize >= ROOM and not there.f_flag & os.ST_NOEXEC:
            os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the browser's tests as slow, but for the everyday ones, and property tests as such."""
    for item in items:
        if isinstance(item, pytest.Function) and is_hypothesis_test(item.obj):
            item.add_marker(pytest.mark.property)
        if item.get_closest_marker("browser") and not item.get_closest_marker("everyday"):
            item.add_marker(pytest.mark.slow)


def pytest_collection_finish() -> None:
    """Leave the thousands of collected tests out of every later search for garbage."""
    gc.collect()
    gc.freeze()


SHARED = Path(__file__).resolve().parent.parent.parent / "shared"


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The folder of real photographs, recordings and game records beside the checkout."""
    if not SHARED.is_dir():
        pytest.skip(f"no {SHARED}: the real pictures and games are not part of the repository")
    return SHARED


@pytest.fixture(scope="session")
def chromium(tmp_path_factory) -> Iterator:
    """The one browser of all pages' tests; take ``driver``."""
    yield from browser(tmp_path_factory.mktemp("chromium"))


@pytest.fixture(scope="module")
def driver(chromium) -> Iterator:
    """The browser with a window, a storage and cookies of the module's own."""
    yield from fresh_window(chromium)


def heeds_ctrl_c() -> None:
    """For a child's ``preexec_fn``: tests that run in the background have it ignore Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def one_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stop the time of day, so that two worlds that are compared begin in one minute."""
    now_ns = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: now_ns)
