"""A hall with a real broker for each test that asks for one."""

from __future__ import annotations

import pytest

from hub.requests import Requests
from table.desk import TIMEOUT_S
from tests.machine import PATIENCE_S, mosquitto


@pytest.fixture
def hall(tmp_path):
    """A broker, a hub, and tables on demand; skipped where there is no mosquitto."""
    if mosquitto() is None:
        pytest.skip("mosquitto is not installed; sh install.sh --dev")
    from tests.hub.hubkit import Hall

    one = Hall(tmp_path)
    yield one
    one.close()


@pytest.fixture
def venue(tmp_path, monkeypatch):
    """A whole hub on a broker of its own; skipped where there is no mosquitto."""
    # A busy machine may take longer over an answer than a director is kept waiting.
    monkeypatch.setattr("hub.remote_desk._MIRRORED_S", PATIENCE_S)
    monkeypatch.setattr("hub.broker.access._ANSWER_S", PATIENCE_S)
    ask = Requests.ask
    monkeypatch.setattr(
        Requests,
        "ask",
        lambda self, table, post, seen, timeout_s: ask(
            self, table, post, seen, PATIENCE_S if timeout_s == TIMEOUT_S else timeout_s
        ),
    )
    if mosquitto() is None:
        pytest.skip("mosquitto is not installed; sh install.sh --dev")
    from tests.hub.servicekit import Venue

    one = Venue(tmp_path)
    yield one
    one.close()


@pytest.fixture
def pages(venue):
    """That hub's application, and somebody who looks at it."""
    from tests.hub.pagekit import Pages

    return Pages(venue)
