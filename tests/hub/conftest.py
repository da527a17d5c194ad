"""A hall with a real broker, and a whole hub, for each test that asks for one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from hub.requests import Requests
from table.desk import TIMEOUT_S
from tests.machine import PATIENCE_S, mosquitto


@pytest.fixture(scope="session")
def broker_program() -> Path:
    """Mosquitto; without it the test is skipped."""
    program = mosquitto()
    if program is None:
        pytest.skip("mosquitto is not installed; sh install.sh --dev")
    return Path(program)


@pytest.fixture
def hall(tmp_path, broker_program):
    """A broker, a hub, and tables on demand."""
    from tests.hub.hubkit import Hall

    one = Hall(tmp_path)
    yield one
    one.close()


@pytest.fixture
def opened(tmp_path, monkeypatch, broker_program) -> Iterator[Callable[..., Any]]:
    """Opens whole hubs with the settings given, each on a broker of its own.

    ``pairings`` may be their text, or the data of a TSH tournament.
    """
    from tests.hub.pagekit import pairings_file
    from tests.hub.servicekit import Venue

    # A busy machine may take longer over an answer than a director is kept waiting.
    monkeypatch.setattr("hub.table_registry._MIRRORED_S", PATIENCE_S)
    monkeypatch.setattr("hub.broker.access._ANSWER_S", PATIENCE_S)
    ask = Requests.ask
    monkeypatch.setattr(
        Requests,
        "ask",
        lambda self, table, post, seen, timeout_s: ask(
            self, table, post, seen, PATIENCE_S if timeout_s == TIMEOUT_S else timeout_s
        ),
    )
    venues: list[Venue] = []

    def start(pairings: str | dict | None = None, **settings) -> Venue:
        if pairings is not None:
            settings["pairings"] = pairings_file(tmp_path, pairings)
        venues.append(Venue(tmp_path, **settings))
        return venues[-1]

    yield start
    for venue in venues:
        venue.close()


@pytest.fixture
def venue(opened):
    """A whole hub."""
    return opened()


@pytest.fixture
def pages(venue):
    """That hub's application, and somebody who looks at it."""
    from tests.hub.pagekit import Pages

    return Pages(venue)
