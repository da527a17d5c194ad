"""Commands that need more than a plain install say how to get it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from game.errors import TilewatchError

_HUB = frozenset({"paho", "spake2"})


@contextmanager
def needs_hub(command: str) -> Iterator[None]:
    """Turn a missing package of the hub's into one line with the remedy."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in _HUB:
            raise
        raise TilewatchError(
            f"{command} needs {package}, which a plain install leaves out; "
            "install it with: sh install.sh --hub"
        ) from error
