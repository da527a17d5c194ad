"""The changes since the last publication; a target never shows an older state after a newer.

Every publication has a number above all before it, and every file of data has the number of its
publication, so a page passes over an older file that a cache still has. ``published.json`` at the
target holds who publishes and up to which number. A publisher that starts claims the numbers above
that. One that finds another name there stops.

``published-files.json`` names every file before it is first written. Their digests stand there only
after an orderly stop; without them a publisher writes everything anew.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final, Protocol

from hub.errors import HubError
from hub.publish.site_files import EVERY_S, NUMBER, SiteFile

HEAD: Final = "published.json"
LIST: Final = "published-files.json"
_CLAIMED: Final = 100_000
_LOOK_S: Final = 10.0
_LAST: Final = 9


class TargetError(HubError):
    """The target cannot be reached, or refuses; one line says why."""


class TakenOverError(HubError):
    """Another publisher has taken the target over."""


@dataclass(frozen=True, slots=True)
class Upload:
    """A file as the target gets it."""

    path: str
    data: bytes
    mime: str
    max_age_s: int
    """The seconds for which caches may keep it without asking."""


class Target(Protocol):
    """A place that a static site is served from. Every method raises ``TargetError``."""

    pace_s: float
    """The seconds between two publications at least. A server may tell files by the second."""

    def put(self, files: list[Upload]) -> None:
        """Write files, each at once as a whole, in any order."""

    def remove(self, paths: list[str]) -> None:
        """Remove files; those that are not there are no error."""

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None if there is none."""

    def close(self) -> None:
        """Give the connection back."""


@dataclass
class Publication:
    """The files at a target. Call ``begin``, ``publish`` as things change, and ``end``."""

    target: Target
    name: str
    every_s: float
    _own: str = field(default_factory=lambda: secrets.token_hex(8))
    _number: int = 0
    _claimed: int = 0
    _known: dict[str, str] = field(default_factory=dict)
    """The digest of each file at the target; empty if it is not known."""
    _numbers: dict[str, int] = field(default_factory=dict)
    _looked: float = 0.0

    @property
    def number(self) -> int:
        """The number of the next publication."""
        return self._number + 1

    @property
    def paths(self) -> set[str]:
        """The files at the target, as far as they are known."""
        return set(self._known)

    def begin(self) -> None:
        """Take the target over. Raises ``TargetError``."""
        head = _object(self.target.read(HEAD))
        listed = _object(self.target.read(LIST))
        self._number = self._claimed = max(_whole(head.get("upto")), self._claimed)
        self._claim()
        in_order = head.get("clean") is True
        self._known = {str(path): str(mark) if in_order else "" for path, mark in listed.items()}

    def _claim(self, *, clean: bool = False) -> None:
        upto = self._number if clean else self._number + _CLAIMED
        head = {"publisher": self._own, "event": self.name, "upto": upto, "clean": clean}
        self._put([(HEAD, head)])
        self._claimed, self._looked = upto, time.monotonic()

    def publish(self, files: Iterable[SiteFile], gone: Iterable[str] = ()) -> int:
        """Write what has changed, and remove the paths ``gone``; return how many files changed.

        Raises ``TargetError``: then it is not known which of them have arrived. Raises
        ``TakenOverError``.
        """
        changed = [one for one in files if self._known.get(one.path) != one.mark]
        removed = sorted(path for path in gone if path in self._known)
        if time.monotonic() - self._looked >= _LOOK_S:
            self._look()
        if not changed and not removed:
            return 0
        self._number += 1
        if self._number >= self._claimed:
            self._claim()
        new = [one.path for one in changed if one.path not in self._known]
        self._known |= {one.path: "" for one in changed}
        if new:
            self._put([(LIST, dict.fromkeys(self._known, ""))])
        if removed:  # first, if somebody does not want to be shown any more
            self.target.remove(removed)
        changed.sort(key=lambda one: one.rank)
        for _, some in groupby(changed, key=lambda one: one.rank):
            ranked = list(some)
            self._numbers |= {one.path: self._number for one in ranked if NUMBER in one.data[:99]}
            self.target.put([self._upload(one) for one in ranked])
        self._known |= {one.path: one.mark for one in changed}
        for path in removed:
            del self._known[path]
        return len(changed) + len(removed)

    def end(self) -> None:
        """Leave the target in order, so that the next publisher need not write everything anew."""
        self._look()
        self._put([(LIST, self._known)])
        self._claim(clean=True)

    def _look(self) -> None:
        head = _object(self.target.read(HEAD))
        if head.get("publisher", self._own) != self._own:
            raise TakenOverError(
                f"another hub ({str(head.get('event'))[:40]!r}) now publishes to the same place; "
                "this one publishes nothing more"
            )
        self._looked = time.monotonic()

    def _upload(self, one: SiteFile) -> Upload:
        number = self._numbers.get(one.follows, 0) if one.follows else self._number
        data = one.data
        if NUMBER in data[:200]:
            data = data.replace(NUMBER, b"%d" % number, 1)
            data = data.replace(EVERY_S, b"%g" % self.every_s, 1)
        return Upload(one.path, data, one.mime, one.max_age_s)

    def _put(self, files: list[tuple[str, Mapping[str, object]]]) -> None:
        self.target.put(
            [
                Upload(path, json.dumps(value, indent=0).encode(), "application/json", 0)
                for path, value in files
            ]
        )


def _object(text: bytes | None) -> dict[str, object]:
    """Return a JSON object from the target; an empty one if there is none that can be read."""
    try:
        found = json.loads(text or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0
