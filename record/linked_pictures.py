"""The pictures that events link, and those that the table deleted.

Payloads are read as they are, so that an event which this version does not understand keeps its
pictures. Every bundle carries the verifier with this module, so it imports nothing of tilewatch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def linked_pictures(payloads: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, str, str]]:
    """Yield every picture that an event links: (the event's number in the game, role, SHA-256)."""
    for number, payload in enumerate(payloads, start=1):
        if payload.get("type") in {"TurnSeen", "TilesChanged", "BoardSeen"}:
            frames = payload.get("frames")
            for role, sha in sorted(frames.items()) if isinstance(frames, Mapping) else ():
                if isinstance(sha, str):
                    yield number, role, sha
        elif payload.get("type") in {"PicturesKept", "BoardChanged"}:
            pictures = payload.get("pictures")
            for one in pictures if isinstance(pictures, list) else ():
                if isinstance(one, Mapping) and isinstance(one.get("sha256"), str):
                    yield number, str(one.get("role")), one["sha256"]


def deleted_pictures(payloads: Iterable[Mapping[str, Any]]) -> set[str]:
    """Return the hashes of the pictures that the events state as deleted."""
    return {
        sha
        for payload in payloads
        if payload.get("type") == "PicturesDeleted" and isinstance(payload.get("pictures"), list)
        for sha in payload["pictures"]
        if isinstance(sha, str)
    }
