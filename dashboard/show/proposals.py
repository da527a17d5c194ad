"""Rules that propose the table to show next. Each can be read, and switched off."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

View = Mapping[str, Any]

LATE: Final = 9
"""Tiles in the bag at which a game is late."""
CLOSE: Final = 30
"""Points by which the leader of a close game is ahead, at most."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A reason to show a table."""

    key: str
    text: str
    """The rule in words."""
    weight: int
    """The rules of greater weight come first."""
    reason: Callable[[View], str]
    """Returns the reason in words for a table's view; empty if the rule does not hold."""


def _apart(view: View) -> int:
    left, right = (int(view["players"][side]["score"]) for side in ("left", "right"))
    return abs(left - right)


def _challenge(view: View) -> str:
    clocks, newest = view["clocks"], view["turns"][-1]
    if clocks and clocks["running"] is None and clocks.get("stopped_for") == "challenge":
        return "a challenge"
    if newest["kind"] == "challenge_upheld":
        return f"{_name(view, newest)} was challenged off"
    return "a challenge failed" if newest["kind"] == "challenge_failed" else ""


def _close(view: View) -> str:
    if view["bag_count"] > LATE or _apart(view) > CLOSE:
        return ""
    return f"{_apart(view)} points apart, {view['bag_count']} in the bag"


def _bingo(view: View) -> str:
    newest = view["turns"][-1]
    if newest["kind"] != "play" or not newest["bingo"]:
        return ""
    return f"a bingo by {_name(view, newest)} for {newest['score']}"


def _name(view: View, turn: Mapping[str, Any]) -> str:
    return str(view["players"][turn["side"]]["name"])


RULES: Final = (
    Rule(
        "challenge",
        "A challenge: the clock is stopped for one, or the last turn was one",
        3,
        _challenge,
    ),
    Rule(
        "close",
        f"Close and late: at most {CLOSE} points apart, at most {LATE} tiles in the bag",
        2,
        _close,
    ),
    Rule("bingo", "A bingo: the last play was one", 1, _bingo),
)


def reasons(view: View | None, off: frozenset[str] = frozenset()) -> list[tuple[Rule, str]]:
    """Return the rules, not switched ``off``, that propose the table of a view, with the reason."""
    if view is None or "withheld" in view or view["status"] != "running" or not view["turns"]:
        return []
    held = ((rule, rule.reason(view)) for rule in RULES if rule.key not in off)
    return [(rule, reason) for rule, reason in held if reason]
