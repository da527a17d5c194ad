"""The hub's pages and what they show, as tests make them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dashboard.accounts.guard import SESSION_COOKIE, TOKEN_HEADER, AuthContext
from dashboard.app import create_app
from dashboard.server import Server
from hub.pages import register
from hub.public_row import public_row
from hub.results import Result
from tests.hub.servicekit import Venue
from tests.machine import PATIENCE_S

TOURNEY = {
    "divisions": [
        {
            "name": "A",
            "players": [
                None,
                {"id": 1, "name": "Ito, Aiko", "rating": 1500, "pairings": [2, 2], "scores": [],
                 "etc": {"board": [1, 1], "p12": [1, 2]}},
                {"id": 2, "name": "Bo", "rating": 0, "pairings": [1, 1], "scores": [],
                 "etc": {"board": [1, 1], "p12": [2, 1]}},
                {"id": 3, "name": "Dee, D.", "rating": 900, "pairings": [0, 0], "scores": [50],
                 "etc": {"board": [0, 0], "p12": [0, 0]}},
            ],
        }
    ]
}  # fmt: skip


def pairings_file(folder: Path, pairings: str | dict) -> Path:
    """A file with pairings: of a CSV's text, or of TSH's data."""
    if isinstance(pairings, str):
        path = folder / "pairings.csv"
        path.write_text(pairings, "utf-8")
    else:
        path = folder / "tourney.js"
        path.write_text(f"newt={json.dumps(pairings)};", "utf-8")
    return path


class Pages:
    """The hub's application, and somebody who looks at it."""

    def __init__(self, venue: Venue) -> None:
        self.venue = venue
        folder = venue.folder / "hub"
        self.app = create_app(venue.service.site, folder)
        register(self.app, venue.service)
        self.client = self.app.test_client(use_cookies=False)
        door = self.app.extensions["tilewatch.AuthContext"]
        assert isinstance(door, AuthContext)
        account = door.accounts.add("ann", "director", "correct horse battery staple")
        session = door.sessions.open(account)
        self.token = session.token
        self.form_token = door.sessions.form_token(session.token)

    def get(self, path: str, *, director: bool = False):
        return self.client.get(path, headers=self._headers(director))

    def post(self, path: str, body: dict, *, director: bool = True):
        return self.client.post(path, json=body, headers=self._headers(director))

    def _headers(self, director: bool) -> dict[str, str]:
        if not director:
            return {}
        return {"Cookie": f"{SESSION_COOKIE}={self.token}", TOKEN_HEADER: self.form_token}


def rows(pages: Pages, edition: str = "public") -> dict[str, dict]:
    """The tables of the hall as an audience has them, by id."""
    return {row["id"]: row for row in getattr(pages.venue.service.hall, edition).rows()}


def put_row(venue: Venue, number: int, left: str = "Ann Lee", right: str = "Bo", **more) -> None:
    """Let a table that is being played stand in the hall's public list."""
    players = {"left": {"name": left, "score": 300}, "right": {"name": right, "score": 345}}
    row = public_row(f"table-{number}", f"Table {number}", None) | {"status": "running"}
    row |= {"players": players, "on_turn": "left", "bag_count": 30}
    venue.service.hall.public.put(f"table-{number}", row | more)


def keep_results(venue: Venue, *results: Result) -> None:
    """Let the hub know the tables of these results, and keep the results."""
    for table in dict.fromkeys(one.table for one in results):
        venue.service.store.enrol(table, table.title(), "0" * 64, None)
    for one in results:
        venue.service.event.results.put(one)


@contextmanager
def served(
    driver, pages: Pages, width: int = 1366, height: int = 768, *, scheme: str = ""
) -> Iterator[str]:
    """The address at which the pages are served, for a director, in a window of that size."""
    server = Server(pages.app, "127.0.0.1", 0)
    server.start()
    mobile = min(width, height) < 500
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}] if scheme else []}
    if scheme:
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    driver.set_script_timeout(PATIENCE_S)
    try:
        driver.get(f"{server.url}/login")
        driver.add_cookie({"name": SESSION_COOKIE, "value": pages.token})
        yield server.url
    finally:
        driver.get("about:blank")
        driver.delete_all_cookies()
        server.stop()


def result(table, left, right, scores, **more) -> Result:
    given = {
        "winner": "left", "spread": scores[0] - scores[1], "outcome": "played", "settled": True,
        "signed": True, "digest": "K7QM-2D9F-XW3T", "seq": 9, "game_id": f"{left}-{right}", **more,
    }  # fmt: skip
    return Result(table, given.pop("game_id"), left, right, *scores, **given)  # type: ignore[arg-type]
