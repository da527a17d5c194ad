"""The manifest of a bundle: its form, and its statements that follow from the events.

Every bundle carries the verifier with this module, so it imports nothing of tilewatch but other
modules of the verifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from record.bundle.archive import FORMAT
from record.linked_pictures import deleted_pictures, linked_pictures

# Forms: a dictionary has exactly these keys, a list any number of items, a tuple gives choices.
HASH = re.compile("[0-9a-f]{64}")
SIDE = re.compile("left|right")
COUNT = range(1, 2**63)
TEXT = (str, None)
FLAG = {"code": str, "squares": [str], "rule": TEXT}
TURN = {
    "number": int, "side": SIDE, "kind": str, "position": TEXT, "word": TEXT, "tiles": dict,
    "words": [list], "bingo": int, "score": int, "total": int, "flags": [FLAG],
}  # fmt: skip
ADJUSTMENT = {
    "kind": str, "side": SIDE, "points": int, "total": int, "rule": TEXT, "after_turn": int,
    "tiles": str, "why": str,
}  # fmt: skip
GAME = {
    "players": {"left": str, "right": str}, "status": str, "end_reason": TEXT, "signed": bool,
    "scores": {"left": int, "right": int}, "rows": [str], "turns": [TURN],
    "adjustments": [ADJUSTMENT],
}  # fmt: skip
STATED = {
    "format": re.compile(FORMAT), "version": int, "software": str,
    "exported_wall_ns": int, "game_id": str, "key": HASH, "keys": [HASH],
    "first": {"seq": COUNT, "prev_hash": HASH},
    "head": {"seq": COUNT, "number": COUNT, "hash": HASH, "digest": str},
    "recorded_with": (dict, None), "exported_with": dict,
    "log_history": [{"wall_ns": int, "what": str, "detail": object}],
    "exports": [{"wall_ns": int, "seq": COUNT, "digest": str}],
    "game": (GAME, None), "unreplayed": TEXT, "pictures": {HASH: [str]}, "lost": [HASH],
    "files": [{"name": str, "size": range(2**63), "sha256": HASH}],
}  # fmt: skip
_RECORDED_WITH = ("software", "files", "settings")


def misfit(value: Any, form: Any, name: str = "it") -> str:
    """Return the name of the first part of ``value`` in another form than ``form``, else ""."""
    if isinstance(form, tuple):
        found = [misfit(value, one, name) for one in form]
        return "" if "" in found else found[0]
    if isinstance(form, list) and isinstance(value, list):
        return _first(misfit(one, form[0], name) for one in value)
    if isinstance(form, dict) and isinstance(value, dict):
        if HASH in form:
            keys = (misfit(key, HASH, name) for key in value)
            return _first(keys) or misfit(list(value.values()), [form[HASH]], name)
        if value.keys() == form.keys():
            return _first(misfit(value[key], form[key], key) for key in form)
    elif isinstance(form, re.Pattern):
        return "" if isinstance(value, str) and form.fullmatch(value) else name
    elif isinstance(form, range):
        return "" if type(value) is int and value in form else name
    elif form is object or value is form or type(value) is form:
        return ""
    return name


def _first(names: Iterable[str]) -> str:
    return next(filter(None, names), "")


def events_give(
    records: Sequence[tuple[int, str, Mapping[str, Any]]], key: str, has: Callable[[str], bool]
) -> dict[str, Any]:
    """Return the statements that follow from a game's records (sequence, key, payload).

    ``key`` signs the bundle, and ``has`` returns True for the SHA-256 of a picture in the bundle.
    """
    payloads = [payload for *_, payload in records]
    deleted, links = deleted_pictures(payloads), dict[str, list[str]]()
    lost: set[str] = set()
    for number, role, sha in linked_pictures(payloads):
        if has(sha):
            links.setdefault(sha, []).append(f"{role} of event {records[number - 1][0]}")
        elif sha not in deleted:
            lost.add(sha)
    described = next((one for one in payloads if one.get("type") == "TableDescribed"), None)
    return {
        "keys": sorted({own for _, own, _ in records} | {key}),
        "recorded_with": described and {n: described.get(n) for n in _RECORDED_WITH},
        "pictures": links,
        "lost": sorted(lost),
    }
