"""A hub whose public site is published step by step, and targets that fail or that are real."""

from __future__ import annotations

import html
import json
import random
import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

from hub.publish.changes import Target, TargetError, Upload
from hub.publish.publisher import Publisher
from hub.publish.site_files import SiteFiles
from hub.publish.targets import Folder
from hub.run import hub_app
from tests.hub.servicekit import Venue

_LINK = re.compile(r'\s(?:href|src|action|data-(?!files)[\w-]+)="([^"#]+)"')


class Published:
    """A publisher that works when it is told to."""

    def __init__(self, venue: Venue, target: Target) -> None:
        self.venue = venue
        self.lines: list[str] = []
        self.files = SiteFiles(hub_app(venue.service), venue.service)
        self.target = target
        self.new()

    def new(self) -> None:
        """Another one begins, as after a crash."""
        service = self.venue.service
        self.publisher = Publisher(self.files, service, self.target, 3, self.lines.append)

    def step(self) -> None:
        """Publish what has changed, and all pages."""
        for table in self.venue.service.site.tables:
            self.venue.service.hall.draw(table.id)
            self.publisher._touch(table.id)
        pages = self.publisher._pages
        pages._begun_s, before = -1e9, pages.rounds
        while pages.rounds == before:
            self.publisher.publish()


class CutOff:
    """A target that fails at random, before or after it has written a part of what it was given."""

    pace_s = 1.0

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._rng = Folder(folder, plain=True), random.Random(seed)
        self.away = 0.0
        """How likely an operation fails."""
        self.seen = Reader()

    def put(self, files: list[Upload]) -> None:
        files = self._rng.sample(files, len(files))
        for file in files:
            self._maybe_fail()
            self._folder.put([file])
            self.seen.reads(file)
        self._maybe_fail()

    def remove(self, paths: list[str]) -> None:
        self._maybe_fail()
        self._folder.remove(paths)

    def read(self, path: str) -> bytes | None:
        self._maybe_fail()
        return self._folder.read(path)

    def close(self) -> None:
        pass

    def _maybe_fail(self) -> None:
        if self._rng.random() < self.away:
            raise TargetError("the target is away")


class Reader:
    """Somebody who reads every file as soon as it is there, and notes what is older than before."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.places: dict[str, int] = {}
        self.turns: dict[str, int] = {}
        self.older: list[str] = []

    def reads(self, file: Upload) -> None:
        if not file.path.endswith(("live.json", "rows.json", "news.json")):
            return
        data = json.loads(file.data)
        if data["published"] <= self.numbers.get(file.path, 0):
            self.older.append(f"{file.path}: {data['published']}")
        self.numbers[file.path] = data["published"]
        if "view" in data:
            place = int((data["id"] or "0").partition("-")[0])
            if place < self.places.get(file.path, 0):
                self.older.append(f"{file.path}: {place}")
            self.places[file.path] = place
            self.turns[data["table"]["id"]] = len((data["view"] or {"turns": []})["turns"])
        for row in data.get("rows", []):
            if row["turns"] > self.turns.get(row["id"], 0):
                self.older.append(f"{file.path}: {row['id']} is ahead of its table's own file")


def dead_links(site: Path) -> list[str]:
    """The links of a folder of pages that lead nowhere, or out of the folder.

    Ann and Bob are named at tables where nobody has played: no player's page is theirs.
    """
    found = []
    for page in site.rglob("*.html"):
        for text in _LINK.findall(page.read_text("utf-8")):
            link = html.unescape(text)
            if not ("/" in link or link.endswith(".html")) or re.search(
                r"players/(ann|bob)/", link
            ):
                continue
            file = page.parent / unquote(urlsplit(link).path)
            if link.startswith("/") or not file.is_file():
                found.append(f"{page.relative_to(site)}: {link}")
    return found


def texts(site: Path) -> str:
    """All that is published, as one text."""
    kinds = (".html", ".json", ".gcg", ".csv", ".t", ".atom", ".ics")
    files = (one for one in site.rglob("*") if one.suffix in kinds)
    return "\n".join(one.read_text("utf-8") for one in files)
