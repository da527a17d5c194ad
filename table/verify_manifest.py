"""A bundle's manifest: whether it has its form, and whether it states what the events give."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping
from typing import Any

from game.state import GameState
from table import bundle, statement

_SHA256 = re.compile(r"[0-9a-f]{64}")


def require_form(manifest: Any) -> None:
    """Make sure that a manifest of this version has its form; one of another need not.

    Raises ``ValueError``, ``KeyError`` or ``TypeError``.
    """
    if manifest["format"] != bundle.FORMAT:
        raise ValueError("another format")
    if not isinstance(manifest["version"], int):
        raise ValueError("no version")
    if manifest["version"] != bundle.VERSION:
        return
    for text in (manifest["game_id"], manifest["software"]):
        if not isinstance(text, str):
            raise ValueError("a text is none")
    hashes = [manifest["key"], manifest["first"]["prev_hash"], manifest["head"]["hash"]]
    hashes += [one["sha256"] for one in manifest["files"]]
    hashes += list(manifest["pictures"])
    if not all(_SHA256.fullmatch(text) for text in hashes):
        raise ValueError("a hash is none")
    numbers = [manifest["first"]["seq"], manifest["head"]["seq"], manifest["head"]["number"]]
    numbers += [one["size"] for one in manifest["files"]]
    if not all(isinstance(number, int) for number in numbers):
        raise ValueError("a number is none")
    if not all(isinstance(one["name"], str) for one in manifest["files"]):
        raise ValueError("a name is none")
    if not isinstance(manifest["pictures"], dict):
        raise ValueError("an object is none")
    stated, why = manifest["game"], manifest["unreplayed"]
    if not isinstance(stated, dict) and not (stated is None and isinstance(why, str)):
        raise ValueError("it states no game, and not why")


def differences(
    stated: Mapping[str, Any], due: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Where what is stated of a game is not what is due: (place, stated, due)."""
    turns, due_turns = list(stated.get("turns", ())), due["turns"]
    for number, (one, other) in enumerate(zip(turns, due_turns, strict=False), start=1):
        for name in other:
            if one.get(name) != other[name]:
                yield f"turn {number}", f"{name} {one.get(name)}", f"{name} {other[name]}"
                return
    if len(turns) != len(due_turns):
        yield "turns", f"{len(turns)} turns", f"{len(due_turns)} turns"
        return
    for name in due:
        if name != "turns" and stated.get(name) != due[name]:
            yield name, str(stated.get(name)), str(due[name])


def other_rules(manifest: Mapping[str, Any], state: GameState) -> str:
    """Which of rulebook and set of tiles this tilewatch has otherwise."""
    listed = {one["name"]: one["sha256"] for one in manifest["files"]}
    found = []
    for name, text in (
        (f"rulebook-{state.rulebook.id}.toml", statement.rulebook_text(state.rulebook.id)),
        (f"tiles-{state.tile_set.id}.toml", statement.tile_set_text(state.tile_set.id)),
    ):
        if name in listed and listed[name] != hashlib.sha256(text).hexdigest():
            found.append(name)
    return " and ".join(found)
