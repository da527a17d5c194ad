"""Publishes a running hub's public site, in a thread of its own.

What people wait for is published at once: tables whose public view has changed, the hall's lines,
and a game that is over. All other pages are made again in turn, with a small share of a processor's
time (:class:`Pages`). If the target is away, the hub goes on, and the publisher catches up.
"""

from __future__ import annotations

import logging
import random
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from dashboard.site import Table
from hub.publish.changes import Publication, TakenOverError, Target, TargetError
from hub.publish.site_files import HALL_FILES, HallFiles, SiteFile, SiteFiles
from hub.service import HubService

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


_LOG = logging.getLogger(__name__)
_RETRIES_S: Final = (1.0, 2.0, 5.0, 10.0, 20.0, 60.0)


class Publisher:
    """Publishes until it is stopped. ``say`` is called with a line for people."""

    def __init__(
        self,
        files: SiteFiles,
        service: HubService,
        target: Target,
        every_s: float,
        say: Callable[[str], None],
    ) -> None:
        self._files, self._service, self._target, self._say = files, service, target, say
        self._publication = Publication(target, service.config.name, every_s)
        self._hall = HallFiles(service.hall.public)
        self._pages = Pages(files)
        self._tables: dict[str, _Shown] = {}
        self._live: dict[str, str] = {}
        """The table of each address with a newest view."""
        self._over: set[str] = set()
        self._done: set[str] = set()
        """The addresses of games that are over, and those whose files have arrived."""
        self._touched: set[str] = set()
        self._touching = threading.Lock()
        self._urgent: dict[str, None] = {}
        self._gone: set[str] = set()
        self._begun = False
        self._round = -1
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="publisher", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._service.hall.on_drawn = self._touch
        for table in self._service.site.tables:
            self._touch(table.id)
        self._thread.start()

    def stop(self) -> None:
        """Publish what has changed so far, and stop."""
        self._stopping.set()
        self._thread.join(timeout=30)
        self._target.close()

    def _touch(self, table_id: str) -> None:
        with self._touching:
            self._touched.add(table_id)

    def _run(self) -> None:
        failures = 0
        while not self._stopping.is_set():
            try:
                self.publish()
                if failures:
                    self._say("publishing goes on, and catches up")
                failures = 0
            except TakenOverError as error:
                self._say(str(error))
                return
            except TargetError as error:
                if not failures:
                    self._say(f"nothing is published for now; it is tried again: {error}")
                failures += 1
            except Exception:  # the hub goes on, and so does this
                _LOG.exception("publishing")
                failures += 1
            wait = self._target.pace_s  # from the end of one to the next: no file twice in a second
            if failures:
                pause = _RETRIES_S[min(failures, len(_RETRIES_S)) - 1]
                wait = max(wait, pause * random.uniform(0.8, 1.2))
            self._stopping.wait(wait)
        if self._begun and not failures:
            self._end()

    def _end(self) -> None:
        try:
            self.publish()
            self._publication.end()
        except (TargetError, TakenOverError) as error:
            self._say(f"the last changes are not published: {error}")

    def publish(self) -> None:
        """Publish what has changed, and some of the pages whose turn it is. Raises ``TargetError``.

        What has not arrived is made again the next time, as it is then.
        """
        if not self._begun:
            self._publication.begin()
            self._begun = True
        # The hall's lines are the oldest of what is written now: no table is behind its line.
        lines = self._hall.made(self._publication.number, time.monotonic())
        with self._touching:
            touched, self._touched = self._touched | self._hall.changed, set()
        if self._round != self._pages.rounds:  # what is public may have changed by a decision
            self._round = self._pages.rounds
            touched.update(table.id for table in self._service.site.tables)
        for table_id in sorted(touched):
            self._look_at(table_id)
        addresses, self._urgent = self._urgent, {}
        made = [one for address in addresses for one in self._made(address)]
        for address, files in self._pages.some(self._target.pace_s, self._done):
            addresses[address] = None
            made += files if address not in self._live else self._made(address)
        made += lines
        gone = self._gone | self._pages.unseen(self._publication.paths - HALL_FILES)
        gone -= {one.path for one in made}
        self._gone = set()
        try:
            self._publication.publish({one.path: one for one in made}.values(), gone)
        except BaseException:
            self._pages.again(addresses)
            self._urgent = {one: None for one in addresses if one in self._live}
            self._gone = gone
            self._hall.again()
            raise
        self._done |= self._over.intersection(addresses)

    def _made(self, address: str) -> list[SiteFile]:
        files = self._pages.made(address)
        table = self._live.get(address)
        if table is None or self._service.presence.state(table) == "here":
            return files
        return [self._files.standing(one) for one in files]

    def _look_at(self, table_id: str) -> None:
        """Find out what has changed at a table since it was looked at."""
        table = self._service.tables.table(table_id)
        if table is None:
            return
        shown = self._tables.setdefault(table_id, _Shown())
        if not shown.is_new(table, self._service.presence.state(table_id), self._round):
            return
        live = self._files.live(table_id)
        self._live[live] = table_id
        self._urgent[live] = None
        self._pages.soon([self._files.table_page(table_id)])
        games = self._files.games(table_id)
        for game in {**shown.games, **games}:
            addresses = self._files.of_game(table_id, game)
            if game not in games:
                self._gone |= {file for one in addresses if (file := self._files.names.file(one))}
            if shown.games.get(game) == games.get(game):
                continue
            self._done.difference_update(addresses)
            self._over.difference_update(addresses)
            if game in games and not shown.is_played(game):
                self._over.update(addresses)
                self._urgent = dict.fromkeys(addresses) | self._urgent
        if shown.has_turned(games):
            self._pages.soon(self._files.lists())
        shown.games = games


class _Shown:
    """A table as it was published last."""

    def __init__(self) -> None:
        self.games: dict[str, int] = {}
        self._key: tuple[Any, ...] = ()
        self._view: Mapping[str, Any] = {}
        self._stage: tuple[Any, ...] = ()

    def is_new(self, table: Table, *more: object) -> bool:
        """True if the table's log, its public view or ``more`` is another than the last time."""
        latest = table.public.latest()
        before, log = self._key, table.log
        self._key = (latest and latest.id, log and log.last_seq, table.name, table.rate, *more)
        self._view = latest.view if latest else {}
        return self._key != before

    def is_played(self, game: str) -> bool:
        """True if this game is on the table and not over."""
        return self._view.get("game_id") == game and self._view["status"] != "ended"

    def has_turned(self, games: Iterable[str]) -> bool:
        """True if a game has begun or ended here, or its result is another than the last time."""
        before = self._stage
        names = ("game_id", "status", "final", "provisional", "no_result", "outcome")
        self._stage = (*games, *(self._view.get(one) for one in names))
        return self._stage != before
