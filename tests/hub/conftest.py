"""A hall with a real broker for each test that asks for one."""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture
def hall(tmp_path):
    """A broker, a hub, and tables on demand; skipped where there is no mosquitto."""
    if shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin") is None:
        pytest.skip("mosquitto is not installed; sh install.sh --dev")
    from tests.hub.hubkit import Hall

    one = Hall(tmp_path)
    yield one
    one.close()


@pytest.fixture
def venue(tmp_path):
    """A whole hub on a broker of its own; skipped where there is no mosquitto."""
    if shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin") is None:
        pytest.skip("mosquitto is not installed; sh install.sh --dev")
    from tests.hub.servicekit import Venue

    one = Venue(tmp_path)
    yield one
    one.close()
