"""The pages of the site in turn: which of them is made next, and which are no longer there."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Collection, Iterable, Iterator
from typing import Final

from hub.publish.site_files import SiteFile, SiteFiles

_SHARE: Final = 0.1
"""The share of a processor for pages that nobody waits for."""
_FIRST_SHARE: Final = 0.4
"""The share until each page was made once."""
_CYCLE_S: Final = 20.0
_MOST: Final = 100_000
"""Addresses of a site at most: links lead to no more."""


class Pages:
    """Makes the files of a site's addresses round after round. For one thread."""

    def __init__(self, files: SiteFiles) -> None:
        self._files = files
        self._soon: dict[str, None] = {}
        self._turn: deque[str] = deque()
        self._listed: set[str] | None = None
        """The files of this round's addresses; None between two."""
        self._static: dict[str, SiteFile] = {}
        self._seen: set[str] = set()
        """The files that were made in this round."""
        self._begun_s = 0.0
        self._credit_s = 0.0
        self.rounds = 0
        """How many rounds are complete."""

    def soon(self, addresses: Iterable[str]) -> None:
        """Make these addresses before others."""
        self._soon |= dict.fromkeys(addresses)

    def made(self, address: str) -> list[SiteFile]:
        """Make the file of an address now, with the static files that it needs, if it has one."""
        file = self._files.made(address)
        if file is None:
            return []
        self._seen.add(file.path)
        found, listed = [file], self._listed
        for link in file.links:
            if self._files.rank(link) == 0:
                found += self._made_static(link)
            elif listed is not None and len(listed) < _MOST:
                path = self._files.names.file(link) or ""
                if path not in listed:
                    listed.add(path)
                    self._turn.append(link)
        return found

    def _made_static(self, address: str) -> list[SiteFile]:
        """Return a static file and those that it needs, each the first time that it is named."""
        found, left = [], [address]
        while left:
            one = left.pop()
            if one not in self._static and (file := self._files.made(one)) is not None:
                self._static[one] = file
                found.append(file)
                left += file.links
        return found

    def some(self, passed_s: float, skip: Collection[str]) -> Iterator[tuple[str, list[SiteFile]]]:
        """Make as many pages as their share of the time that has passed allows.

        ``skip`` are addresses that need not be made again.
        """
        share = _SHARE if self.rounds else _FIRST_SHARE
        self._credit_s = min(self._credit_s, 0.0) + share * passed_s
        while self._credit_s > 0 and (address := self._next()) is not None:
            if address in skip:
                self._seen.add(self._files.names.file(address) or "")
                continue
            begun = time.thread_time()
            yield address, self.made(address)
            self._credit_s -= time.thread_time() - begun

    def _next(self) -> str | None:
        if self._soon:
            address = next(iter(self._soon))
            del self._soon[address]
            return address
        if self._listed is None and time.monotonic() - self._begun_s >= _CYCLE_S:
            self._begun_s = time.monotonic()
            addresses = self._files.addresses()
            self._listed = {self._files.names.file(one) or "" for one in addresses}
            self._seen = set()
            self._turn.extend(addresses)
        return self._turn.popleft() if self._turn else None

    def unseen(self, paths: Iterable[str]) -> set[str]:
        """Return which of the target's files the site no longer has, once a round is complete."""
        if self._turn or self._listed is None:
            return set()
        seen = self._seen | {one.path for one in self._static.values()}
        self._listed = None
        self.rounds += 1
        return set(paths) - seen

    def again(self, addresses: Iterable[str]) -> None:
        """Make these addresses anew: whether their files have arrived is not known."""
        self._soon = dict.fromkeys(addresses) | self._soon
        self._static.clear()
