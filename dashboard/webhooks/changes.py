"""The changes in a view since the last message that somebody was sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from typing import Any

from dashboard.feeds.feed import View, encode


def known_of(view: View) -> dict[str, Any]:
    """Return a short, JSON-able summary of ``view`` to compare later views with."""
    return {
        "game": view["game_id"],
        "turns": {str(turn["number"]): _mark(_bare(turn)) for turn in view["turns"]},
        "flags": sorted(_mark(flag) for flag in _flags(view)),
        "settled": view["settled"],
        "final": view["final"],
    }


def new_messages(known: Mapping[str, Any] | None, view: View) -> list[dict[str, Any]]:
    """Return the messages since: ``turn``, ``correction``, ``flag`` and ``end``, each JSON-able.

    A correction of a turn changes the totals of those after it, which are corrected with it. The
    end comes when somebody has settled the game, and again once its scores are final if they were
    not yet.
    """
    if known is None or known["game"] != view["game_id"]:
        known = {"turns": {}, "flags": [], "settled": False, "final": False}
    messages: list[dict[str, Any]] = []
    for turn in view["turns"]:
        mark = known["turns"].get(str(turn["number"]))
        if mark is None:
            messages.append({"type": "turn", "turn": _bare(turn)})
        elif mark != _mark(_bare(turn)):
            messages.append({"type": "correction", "turn": _bare(turn)})
    messages += [
        {"type": "flag", **flag} for flag in _flags(view) if _mark(flag) not in known["flags"]
    ]
    # What was kept by an earlier version does not tell whether it was final: it is not sent again.
    final = view["final"] and not known.get("final", known["settled"])
    if (view["settled"] and not known["settled"]) or final:
        messages.append({"type": "end", "reason": view["end_reason"], "final": view["final"]})
    return [{**one, "game_id": view["game_id"], "scores": view["scores"]} for one in messages]


def _bare(turn: Mapping[str, Any]) -> dict[str, Any]:
    """A turn without its flags and notes."""
    return {
        key: value for key, value in turn.items() if key not in ("flags", "rulings", "checking")
    }


def _flags(view: View) -> Iterator[dict[str, Any]]:
    """Every flag with its turn, without what can be done about it, which changes with time."""
    for number, flags in (
        (None, view["flags"]),
        *((turn["number"], turn["flags"]) for turn in view["turns"]),
    ):
        for flag in flags:
            if flag.get("settled") is not None:
                continue
            bare = {k: v for k, v in flag.items() if k not in ("remedies", "settled")}
            yield {"turn_number": number, "flag": bare}


def _mark(value: object) -> str:
    return hashlib.sha256(encode(value)).hexdigest()[:16]
