"""Checks of the arguments of the library's calls."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from game.errors import TilewatchError
from game.events.values import MAX_NAME, short
from game.rulebooks import announcing
from game.rulebooks.loading import load_rulebook


def require(value: object, kind: Any, what: str, is_: str) -> None:
    """Refuse a value that is not of the given type; a bool does not count as a number.

    Args:
        value: the value.
        kind: the types that it may have, as ``isinstance`` takes them.
        what: the name of the value, for the message.
        is_: what the value has to be, for the message.

    Raises:
        TilewatchError: the value is of another type.
    """
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        raise TilewatchError(f"{what}: {short(value)} is not {is_}")


def adjusted(rulebook: str, announced: Mapping[str, int | str] | None) -> dict[str, Any]:
    """Return the settings that an event announces, in the form that the start of a game stores.

    Raises:
        TilewatchError: there is no such rulebook, or it does not let an event announce one of them.
    """
    require(rulebook, str, "rulebook", "the id of a rulebook")
    require(announced, (Mapping, type(None)), "announced", "values by name")
    return announcing.announced(load_rulebook(rulebook), announced or {})


def two_names(left: str, right: str) -> Mapping[str, str]:
    """Return the names by side. Raises ``TilewatchError`` unless they are two different names."""
    for name in (left, right):
        require(name, str, "players", "a name")
        if not name.strip() or not name.isprintable() or len(name) > MAX_NAME:
            raise TilewatchError(
                f"{short(name)} is not a name: give one line of 1 to {MAX_NAME} characters"
            )
    if left == right:
        raise TilewatchError(f"both players are called {short(left)}: give them different names")
    return {"left": left, "right": right}
