"""The public site as files: its addresses, and each one's file as an anonymous reader gets it.

The hub's own application answers. So a file has what its page has: public views and results, as
late as the event wants them.
"""

from __future__ import annotations

import hashlib
import json
import mimetypes
import posixpath
import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from flask import Flask
from werkzeug.routing import Rule
from werkzeug.test import Client

import dashboard
import hub
from dashboard.feeds.feed import encode
from dashboard.feeds.rows import Rows
from dashboard.languages import GIVEN
from dashboard.parts import part
from dashboard.shown_games import ShownGames
from hub.public_pages import tsh_divisions
from hub.public_site import current_round, this_event
from hub.publish.names import Names, kind_of
from hub.service import HubService

_HOST: Final = "http://localhost"
_REDIRECTS: Final = (301, 302, 303, 307, 308)
_LONG_S: Final = 31_536_000
_PAGE_S: Final = 10
_STATIC: Final = [Path(one.__file__ or "").parent / "static" for one in (dashboard, hub)]
_CLOCK: Final = re.compile(r'(?<=<time role="timer")[^>]*>[^<]*')
_IN_STATIC: Final = re.compile(r"""["'(](\.{0,2}/?[\w./-]+\.(?:js|css|svg|png|woff2))["')]""")

HALL_NEWS: Final = "hall/news.json"
_WHOLE_S: Final = 10.0
HALL_FILES: Final = frozenset({"hall/rows.json", HALL_NEWS})
_MIMES: Final = {
    "": "application/octet-stream",
    ".atom": "application/atom+xml",
    ".gcg": "text/plain",
    ".gz": "application/gzip",
    ".js": "text/javascript",
    ".t": "text/plain",
}
NUMBER: Final = b"@published@"
"""The place in a file for the number of its publication."""
EVERY_S: Final = b"@every_s@"
"""The place for the seconds after which a page asks again."""
STAMP: Final = b'{"published":' + NUMBER + b',"every_s":' + EVERY_S + b","


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of the site. ``rank`` orders the files of one publication: what is linked is first."""

    path: str
    data: bytes
    mark: str
    """A digest of all that makes a difference to a reader."""
    rank: int
    max_age_s: int = 0
    links: tuple[str, ...] = ()
    """The addresses that it names."""
    follows: str = ""
    """The file from which a page gets news."""

    @property
    def mime(self) -> str:
        """The file's MIME type, with its encoding."""
        ending = posixpath.splitext(self.path)[1]
        found = _MIMES.get(ending) or mimetypes.guess_type(self.path)[0] or _MIMES[""]
        return f"{found}; charset=utf-8" if found.startswith("text/") else found


class SiteFiles:
    """Makes the files of a hub's public site. For one thread at a time."""

    def __init__(
        self,
        app: Flask,
        service: HubService,
        public: str = "",
        language: str = "en",
        *,
        archive: bool = False,
    ) -> None:
        """``public`` is the address at which the files are read, if it is known.

        The pages of an ``archive`` do not ask for news.
        """
        self._app, self._service, self._language = app, service, language
        self._archive = archive
        self._client = Client(app, use_cookies=False)
        self._adapter = app.url_map.bind("localhost")
        self.names = Names(self._adapter, _HOST, self.static, public)

    @cached_property
    def static(self) -> str:
        """The folder of static files: its name changes with any of them."""
        found = hashlib.sha256()
        for path in sorted(one for folder in _STATIC for one in folder.rglob("*") if one.is_file()):
            found.update(path.name.encode() + path.read_bytes())
        return f"static-{found.hexdigest()[:12]}"

    # --- addresses ---

    def addresses(self) -> list[str]:
        """Return the site's addresses that can be told beforehand; the rest are linked from them.

        They are in the order of publication: each game and its files, tables, then lists.
        """
        with self._app.test_request_context(base_url=_HOST):
            event = this_event()
            given: dict[str, Iterable[Any]] = {
                "number": list(event.rounds),
                "key": list(event.people),
                "division": tsh_divisions(),
            }
        found = [one for table in self._service.site.tables for one in self.of_table(table.id)]
        for rule in self._rules:
            if not rule.arguments:
                found.append(self._adapter.build(rule.endpoint))
            elif len(rule.arguments) == 1 and (name := min(rule.arguments)) in given:
                found += [self._adapter.build(rule.endpoint, {name: one}) for one in given[name]]
        return sorted(found, key=self.rank)

    def of_table(self, table_id: str) -> list[str]:
        """Return the addresses of a table and of its games."""
        games = [one for game in self.games(table_id) for one in self.of_game(table_id, game)]
        return [*games, *self._built({"table_id": table_id})]

    def of_game(self, table_id: str, game_id: str) -> list[str]:
        """Return the addresses of a game."""
        return self._built({"table_id": table_id, "game_id": game_id})

    def live(self, table_id: str) -> str:
        """Return the address of a table's newest view."""
        return self._adapter.build("spectators.live", {"table_id": table_id})

    def table_page(self, table_id: str) -> str:
        """Return the address of a table's page."""
        return self._adapter.build("spectators.table_page", {"table_id": table_id})

    def lists(self) -> list[str]:
        """Return the addresses that a result changes, without those of players."""
        found = [self._adapter.build(one.endpoint) for one in self._rules if not one.arguments]
        with self._app.test_request_context(base_url=_HOST):
            number = current_round()
        if number is not None:
            found.append(self._adapter.build("event.one_round", {"number": number}))
        return found

    def games(self, table_id: str) -> dict[str, int]:
        """Return the public games of a table, each with the place in the log that is public."""
        table = self._service.tables.table(table_id)
        if table is None:
            return {}
        return part(ShownGames, self._app).places(table)

    def rank(self, address: str) -> int:
        """Return when a file is published among others: 0 first."""
        found = self.names.rule(address)
        if found is None or found[1] == "static":
            return 0
        rule, kind = found
        many = len(rule.arguments)
        if rule.endpoint == "spectators.live":
            return 3
        if many >= 2:
            return 2 if kind == "page" else 1
        if many == 1:
            return 4
        return 6 if kind == "page" else 5

    def _built(self, values: dict[str, str]) -> list[str]:
        rules = [one for one in self._rules if one.arguments == set(values)]
        return [self._adapter.build(one.endpoint, values) for one in rules]

    @cached_property
    def _rules(self) -> list[Rule]:
        rules = self._app.url_map.iter_rules()
        return [one for one in rules if kind_of(one) in ("page", "data", "file")]

    # --- files ---

    def made(self, address: str) -> SiteFile | None:
        """Return the file of an address as it is now; None if it has no public answer."""
        named = self.names.rule(address)
        path = self.names.file(address)
        if named is None or path is None:
            return None
        kind, rank = named[1], self.rank(address)
        if kind == "static":
            return self._static_file(path)
        data = self._answer(address)
        if data is None:
            return None
        if named[0].endpoint == "spectators.live":
            return self._live(path, json.loads(data), rank)
        if kind == "page":
            return self._page(path, data.decode(), rank)
        if path.endswith((".atom", ".ics")):
            data = self.names.readdressed(data.decode(), path).encode()
        return SiteFile(path, data, _mark(data), rank, 0 if kind == "data" else _PAGE_S)

    def _answer(self, address: str) -> bytes | None:
        for _ in range(3):
            answer = self._client.get(
                address,
                base_url=_HOST,
                environ_overrides={"REMOTE_ADDR": "127.0.0.1", GIVEN: self._language},
            )
            with answer:
                if answer.status_code in _REDIRECTS and answer.location is not None:
                    address = urlsplit(answer.location).path
                    if self.names.rule(address) is None:
                        return None
                    continue
                return answer.get_data() if answer.status_code == 200 else None
        return None

    def _page(self, path: str, text: str, rank: int) -> SiteFile:
        links: dict[str, None] = {}
        text = self.names.relinked(text, path, links.setdefault)
        follows = ""
        if 'data-stream="' in text:
            follows = HALL_NEWS
        elif path.startswith("tables/"):
            follows = "/".join(path.split("/")[:2]) + "/live.json"
        if self._archive:
            text = text.replace("<html ", "<html data-archive ", 1)
        if follows:
            text = text.replace("<html ", f'<html data-published="{NUMBER.decode()}" ', 1)
        mark = _mark(_CLOCK.sub("", text).encode())  # a clock that runs is no news
        return SiteFile(path, text.encode(), mark, rank, _PAGE_S, tuple(links), follows)

    def _live(self, path: str, state: dict[str, Any], rank: int) -> SiteFile:
        """Return a table's newest view; the time that it is there makes no news of it."""
        mark = f"{state['id']} {state['rate']} {state['table']}"
        return SiteFile(path, STAMP + encode(state)[1:], mark, rank)

    def standing(self, file: SiteFile) -> SiteFile:
        """Return a table's newest view for a table whose clock stands, such as a silent one."""
        state = json.loads(file.data.replace(NUMBER, b"0").replace(EVERY_S, b"0"))
        del state["published"], state["every_s"]
        return self._live(file.path, state | {"rate": 0}, file.rank)

    def _static_file(self, path: str) -> SiteFile | None:
        """Return a static file; ``links`` are those that it names."""
        name = path.removeprefix(f"{self.static}/")
        folder = _STATIC[1] if name.startswith("hub/") else _STATIC[0]
        source = folder / name.removeprefix("hub/")
        if not source.resolve().is_relative_to(folder.resolve()) or not source.is_file():
            return None
        data = source.read_bytes()
        links: list[str] = []
        if source.suffix in (".js", ".css"):
            beside = posixpath.join("/static", posixpath.dirname(name))
            named = _IN_STATIC.findall(data.decode())
            links = [posixpath.normpath(posixpath.join(beside, other)) for other in named]
        return SiteFile(path, data, _mark(data), 0, _LONG_S, tuple(links))


class HallFiles:
    """The hall's lines in two files: all lines every few seconds, and at once those changed since.

    A page that has nothing, or nothing new enough to join on, reads all of them first.
    """

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._version = 0
        self._turns: dict[str, tuple[object, int]] = {}
        self.changed: set[str] = set()
        """The tables whose lines have changed since the last time."""
        self._whole: list[tuple[int, int, float]] = []
        """The number, version of the lines and moment of the two newest files of all lines."""

    def made(self, number: int, now_s: float) -> list[SiteFile]:
        """Return the files that are due, for the publication of this number."""
        version, lines = self._rows.newer(self._version)
        self._version, self.changed = version, set(lines)
        less = self._has_less()
        files: list[SiteFile] = []
        last = self._whole[-1] if self._whole else None
        if last is None or (version != last[1] and (less or now_s - last[2] >= _WHOLE_S)):
            version, lines = self._rows.newer(0)
            self._whole = [*self._whole[-1:], (number, version, now_s)]
            files.append(_rows_file("hall/rows.json", lines, b""))
        since, reached, _ = self._whole[0]
        lines = self._rows.newer(reached)[1]
        files.append(_rows_file(HALL_NEWS, lines, b'"since":%d,' % since))
        return files

    def _has_less(self) -> bool:
        """True if a game has fewer turns than before: one was taken back, or it is withheld."""
        rows = [one for one in self._rows.rows() if one["id"] in self.changed]
        now = {one["id"]: (one.get("game"), one["turns"]) for one in rows}
        known = [(self._turns[one], now[one]) for one in now if one in self._turns]
        self._turns |= now
        return any(game != after or turns > left for (game, turns), (after, left) in known)

    def again(self) -> None:
        """Make all lines anew: whether the last ones arrived is not known."""
        self._whole.clear()


def _rows_file(path: str, lines: Mapping[str, bytes], more: bytes) -> SiteFile:
    rows = b'"rows":[' + b",".join(lines.values()) + b"]}"
    wall = b'"wall_ms":%d,' % (time.time_ns() // 1_000_000)
    return SiteFile(path, STAMP + wall + more + rows, _mark(more + rows), 5)


def _mark(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
