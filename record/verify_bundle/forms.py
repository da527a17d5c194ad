"""The forms that a bundle's JSON has to have."""

import re
from typing import Any

# Forms: a dictionary has exactly these keys, a list any number of items, a tuple gives choices.
HASH = re.compile("[0-9a-f]{64}")
SIDE = re.compile("left|right")
COUNT = range(1, 2**63)
TEXT = (str, None)
TURN = {
    "number": int, "side": SIDE, "kind": str, "position": TEXT, "word": TEXT, "tiles": dict,
    "words": [list], "bingo": int, "score": int, "total": int,
    "flags": [{"code": str, "squares": [str], "rule": TEXT}],
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
MANIFEST = {
    "format": re.compile("tilewatch evidence bundle"), "version": int, "software": str,
    "exported_wall_ns": int, "game_id": str, "key": HASH, "keys": [HASH],
    "first": {"seq": COUNT, "prev_hash": HASH},
    "head": {"seq": COUNT, "number": COUNT, "hash": HASH, "digest": str},
    "recorded_with": (dict, None), "exported_with": dict,
    "log_history": [{"wall_ns": int, "what": str, "detail": object}],
    "exports": [{"wall_ns": int, "seq": COUNT, "digest": str}],
    "game": (GAME, None), "unreplayed": TEXT, "pictures": {HASH: [str]}, "lost": [HASH],
    "files": [{"name": str, "size": range(2**63), "sha256": HASH}],
}  # fmt: skip
BODY = (int, str, int, int, int, str, str, int, dict)


def fits(value: Any, form: Any) -> bool:
    """True if ``value`` has the form, in all its parts."""
    if isinstance(form, tuple):
        return any(fits(value, one) for one in form)
    if isinstance(form, list):
        return isinstance(value, list) and all(fits(one, form[0]) for one in value)
    if isinstance(form, dict):
        if not isinstance(value, dict):
            return False
        if HASH in form:
            return all(fits(key, HASH) and fits(value[key], form[HASH]) for key in value)
        return value.keys() == form.keys() and all(fits(value[key], form[key]) for key in form)
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    if isinstance(form, range):
        return type(value) is int and value in form
    return form is object or value is form or type(value) is form
