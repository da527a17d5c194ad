"""A bundle's manifest: its form, and what it states of the records.

Everything that can be computed from the records has to be stated as computed. The forms are those
of docs/evidence.md, which the independent verifier has by itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from record import statement, strict_json
from record.bundle import archive
from record.chain import LoggedEvent
from record.signing import digest

_SHA256: Final = re.compile(r"[0-9a-f]{64}")


class _MapOf:
    """The form of an object whose keys are hashes."""

    def __init__(self, form: Any) -> None:
        self.form = form


class _ListOf:
    def __init__(self, form: Any) -> None:
        self.form = form


class _Either:
    def __init__(self, *forms: Any) -> None:
        self.forms = forms


_ANY: Final = object()
_COUNT: Final = range(1, 2**63)
_TEXT_OR_NULL: Final = _Either(str, None)
_SIDE: Final = re.compile("left|right")
_FLAG: Final = {"code": str, "squares": _ListOf(str), "rule": _TEXT_OR_NULL}
_TURN: Final = {
    "number": int,
    "side": _SIDE,
    "kind": str,
    "position": _TEXT_OR_NULL,
    "word": _TEXT_OR_NULL,
    "tiles": dict,
    "words": _ListOf(list),
    "bingo": int,
    "score": int,
    "total": int,
    "flags": _ListOf(_FLAG),
}
_ADJUSTMENT: Final = {
    "kind": str,
    "side": _SIDE,
    "points": int,
    "total": int,
    "rule": _TEXT_OR_NULL,
    "after_turn": int,
    "tiles": str,
    "why": str,
}
_GAME: Final = {
    "players": {"left": str, "right": str},
    "status": str,
    "end_reason": _TEXT_OR_NULL,
    "signed": bool,
    "scores": {"left": int, "right": int},
    "rows": _ListOf(str),
    "turns": _ListOf(_TURN),
    "adjustments": _ListOf(_ADJUSTMENT),
}
_FORM: Final = {
    "format": re.compile(archive.FORMAT),
    "version": int,
    "software": str,
    "exported_wall_ns": int,
    "game_id": str,
    "key": _SHA256,
    "keys": _ListOf(_SHA256),
    "first": {"seq": _COUNT, "prev_hash": _SHA256},
    "head": {"seq": _COUNT, "number": _COUNT, "hash": _SHA256, "digest": str},
    "recorded_with": _Either(dict, None),
    "exported_with": dict,
    "log_history": _ListOf({"wall_ns": int, "what": str, "detail": _ANY}),
    "exports": _ListOf({"wall_ns": int, "seq": _COUNT, "digest": str}),
    "game": _Either(_GAME, None),
    "unreplayed": _TEXT_OR_NULL,
    "pictures": _MapOf(_ListOf(str)),
    "lost": _ListOf(_SHA256),
    "files": _ListOf({"name": str, "size": range(2**63), "sha256": _SHA256}),
}


def require_form(manifest: Any) -> None:
    """Make sure that a manifest of a known version has its form. Raises ``ValueError``."""
    form = dict(_FORM)
    if manifest["version"] == 1:
        del form["exports"]
    _require(manifest, form, "it")
    if (manifest["game"] is None) == (manifest["unreplayed"] is None):
        raise ValueError("it states no game and not why, or both")


def version_of(manifest: Any) -> int:
    """The version of a manifest, whose form may be that of another. Raises ``ValueError``."""
    if not isinstance(manifest, dict) or manifest.get("format") != archive.FORMAT:
        raise ValueError("another format")
    version = manifest.get("version")
    if type(version) is not int:
        raise ValueError("no version")
    return version


def _require(value: Any, form: Any, name: str) -> None:
    if isinstance(form, dict):
        if not isinstance(value, dict) or value.keys() != form.keys():
            raise ValueError(f"{name} has not the fields that it should have")
        for key, one in form.items():
            _require(value[key], one, key)
    elif isinstance(form, _ListOf):
        if not isinstance(value, list):
            raise ValueError(f"{name} is no array")
        for one in value:
            _require(one, form.form, name)
    elif isinstance(form, _MapOf):
        if not isinstance(value, dict):
            raise ValueError(f"{name} is no object")
        for key, one in value.items():
            _require(key, _SHA256, name)
            _require(one, form.form, name)
    elif isinstance(form, _Either):
        chosen = form.forms[0] if value is not None else None
        _require(value, chosen, name)
    elif not _is_plain(value, form):
        raise ValueError(f"{name} has another form")


def _is_plain(value: Any, form: Any) -> bool:
    if form is _ANY:
        return True
    if form is None:
        return value is None
    if isinstance(form, re.Pattern):
        return isinstance(value, str) and form.fullmatch(value) is not None
    if isinstance(form, range):
        return type(value) is int and value in form
    return type(value) is form


# --- what follows from the records ---


def file_names(manifest: Mapping[str, Any], events: Sequence[LoggedEvent]) -> list[str]:
    """The entries that a bundle of these events has, after manifest and signature.

    Which of the linked pictures are there, and whether a game has a record, is left to it.
    """
    names = [archive.README, archive.PAGE, archive.EVENTS, archive.CHAIN]
    listed = {one["name"] for one in manifest["files"]}
    if manifest["version"] > 1:
        names += [archive.VERIFIER, *([archive.EDGES] if archive.EDGES in listed else [])]
    if manifest["game"] is not None:
        start = events[0].payload
        names += [f"rulebook-{start.get('rulebook')}.toml", f"tiles-{start.get('tile_set')}.toml"]
        names += [archive.RECORD] if archive.RECORD in listed else []
    linked = {sha for _, _, sha in statement.linked_pictures(event.payload for event in events)}
    return names + sorted({archive.picture_name(sha) for sha in linked} & listed)


def false_statements(
    manifest: Mapping[str, Any], events: Sequence[LoggedEvent], there: set[str]
) -> Iterator[str]:
    """Differences between the manifest and the records, a line each.

    ``there`` are the names of the entries that are in the bundle.
    """
    payloads = [event.payload for event in events]
    links: dict[str, list[str]] = {}
    lost: set[str] = set()
    deleted = statement.deleted_pictures(payloads)
    for number, role, sha in statement.linked_pictures(payloads):
        if archive.picture_name(sha) in there:
            links.setdefault(sha, []).append(f"{role} of event {events[number - 1].seq}")
        elif sha not in deleted:
            lost.add(sha)
    described = next((one for one in payloads if one["type"] == "TableDescribed"), None)
    due = {
        "keys": sorted({event.key for event in events} | {manifest["key"]}),
        "recorded_with": None
        if described is None
        else {name: described.get(name) for name in ("software", "files", "settings")},
        "pictures": links,
        "lost": sorted(lost),
    }
    digests = {event.seq: digest(event.hash) for event in events}
    for one in manifest.get("exports", ()):
        if digests.get(one["seq"]) != one["digest"]:
            yield f"names an earlier bundle up to event {one['seq']}, whose digest is not in it"
    names = statement.names_given(payloads)
    for side, name in (manifest["game"] or {"players": {}})["players"].items():
        if name not in names[side]:
            yield f"players: the events never name {side} so"
    for name, value in due.items():
        if not strict_json.same(manifest[name], value):
            yield f"{name} is not what the events give"


def differences(
    stated: Mapping[str, Any], due: Mapping[str, Any]
) -> Iterator[tuple[str, str, str]]:
    """Differences between the statement of a game and the one due: (place, stated, due)."""
    turns, due_turns = stated["turns"], due["turns"]
    for number, (one, other) in enumerate(zip(turns, due_turns, strict=False), start=1):
        for name in other:
            if not strict_json.same(one.get(name), other[name]):
                yield f"turn {number}", f"{name} {one.get(name)}", f"{name} {other[name]}"
                return
    if len(turns) != len(due_turns):
        yield "turns", f"{len(turns)} turns", f"{len(due_turns)} turns"
        return
    for name in due:
        if name != "turns" and not strict_json.same(stated.get(name), due[name]):
            yield name, str(stated.get(name)), str(due[name])
