"""The director's addresses, what is sent to them, and clicks on the pages."""

from __future__ import annotations

import html
import json
import re

import cv2
import numpy as np

from game.events import Finding, Picture, PicturesKept
from tests.dashboard.browsing import Page, keys
from tests.dashboard.desk_fixtures import Desked

GAME = "/director/api/tables/1/games/game-1"
PAGES = ("/director", "/director/tables/1", "/director/tables/1/turns/1")
EVENTS = "/director/api/tables/events"
READS = (
    EVENTS,
    "/director/api/tables/1/pulse",
    GAME,
    f"{GAME}/turns/1/boards",
    f"{GAME}/turns/1/play",
    "/director/tables/1/picture.jpg",
    f"/director/tables/1/evidence/{'a' * 64}.jpg",
)
COMMANDS = ("stop", "start/left", "start/right", "next", "attend")
WHY = {"why": "the hall is noisy", "game": "game-1", "turn": 1, "on_turn": None}
DOUBT = Finding("uncertain_square", "8E", "may be I 62%, L 31%, . 7%")


def plain_text(markup: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", markup)).split())


def listed(page: str, name: str) -> list[str]:
    """The text of each item of the list with this id."""
    part = page.split(f'id="{name}"', 1)[1].split("</ul>", 1)[0]
    return [plain_text(one) for one in re.findall("<li.*?</li>", part, re.DOTALL)]


def pressed_in(page: str) -> list[str]:
    """The words of each press on the time line of a turn."""
    return [plain_text(one) for one in re.findall('(<div class="edge.*?)</div>', page)]


def table_of(page: str, name: str) -> list[list[str]]:
    """The text of each cell of the table whose body has this id, by row."""
    part = page.split(f'id="{name}"', 1)[1].split("</tbody>", 1)[0]
    cells = re.compile(r"<t[dh]\b.*?</t[dh]>", re.DOTALL)
    return [[plain_text(one) for one in cells.findall(row)] for row in part.split("<tr")[1:]]


def known_of(page: str) -> list[str]:
    """The lines of what was known when, in order."""
    part = page.split('id="known"', 1)[1].split("</section>", 1)[0]
    found = re.findall(r"<li><details><summary>(.*?)</summary>", part, re.DOTALL)
    return [plain_text(one) for one in found]


def viewed(page: str) -> list[dict]:
    """The pictures that the page of a turn can show."""
    found = re.search(r'data-pictures="([^"]*)"', page)
    return json.loads(html.unescape(found[1]))


def post(client, path: str, body: object, **headers: str):
    return client.post(path, json=body, headers={"X-CSRF-Token": client.token, **headers})


def challenge(turn: int = 1) -> dict:
    return {"type": "TurnRuled", "turn": turn, "ruling": "challenge_upheld"}


TABLE = "/director/tables/1"


def pressed(page, deed: str) -> None:
    """Press a button of the bar."""
    page.click(f"#bar [data-deed='{deed}']:not(:disabled)")
    if deed == "more":  # loaded when it is asked for
        page.wait("document.querySelector('#menu').open")


def from_the_menu(page, deed: str) -> None:
    """Open what the bar has no button for."""
    pressed(page, "more")
    page.click(f"#menu [data-deed='{deed}']")
    page.wait("document.querySelector('#dialog').open")


def choice(key: str) -> str:
    """The selector of a choice whose effect is shown."""
    return f"#dialog [data-choice='{key}']:not(:disabled)"


def chosen(page, key: str) -> None:
    """Enter a choice, once its effect is shown."""
    page.click(choice(key))
    page.there("#dialog:not([open])")


def confirmed(page) -> None:
    """Enter a form, once its effect is shown."""
    page.click("#dialog .primary:not(:disabled)")
    page.there("#dialog:not([open])")


CONFIRM = "document.querySelector('#dialog .primary')"
OFF = choice("challenge_upheld")
FORM = "document.querySelector('#dialog form').elements"
FAULT = "document.querySelector('#dialog .fault')"


def ready(page: Page) -> None:
    """Until the effect of what is in the dialog is shown."""
    page.there("#dialog:has(.effect) .primary:enabled")


def foreseen(page: Page) -> None:
    """Until the effect of taking the play off the board is shown."""
    page.there(OFF)


def challenged(page: Page) -> None:
    """The dialog that takes the first turn off the board, with its effect."""
    page.click("[data-correct='1']")
    foreseen(page)


def held_back(page: Page, address: str = "") -> None:
    """Let nothing be answered that is asked at addresses ending so, before ``window.go()``."""
    page.driver.execute_script(
        "const asked = window.fetch, gate = new Promise((go) => (window.go = go));"
        "window.fetch = async (...what) => {"
        f"  if (String(what[0]).endsWith('{address}')) await gate; return asked(...what); }};"
    )


def because(page: Page, why: str) -> None:
    page.driver.execute_script(f"{FORM}.why.focus()")
    keys(page.driver, why)


class Clicks:
    """Clicks as a mouse makes them on a page, counted."""

    def __init__(self, page) -> None:
        self.page = page
        self.made = 0

    def on(self, selector: str) -> Clicks:
        """Click what can be seen there, once it is there."""
        self.page.click(selector)
        self.made += 1
        return self

    def reads(self, selector: str) -> str:
        """What stands there, once it does."""
        self.page.there(selector)
        return self.page.text(selector)

    def until_closed(self) -> None:
        self.page.there("#dialog:not([open])")


def doubtful(desk: Desked) -> None:
    """A turn with two squares that the camera could not tell."""
    desk.game.play(
        "8D",
        "F~R~S",
        [
            Finding("uncertain_square", "8E", "may be I 62%, L 31%, . 7%"),
            Finding("uncertain_square", "8G", "may be N 55%, M 40%"),
        ],
    )
    for square in ("8E", "8G"):
        shown(desk, "crop", desk.game.t_ns, square=square)


def shown(
    desk: Desked, role: str, t_ns: int, tile: int | None = None, square=None, turn: int = 1
) -> str:
    """Keep a picture of a turn: a board-like pattern, with one more tile where asked."""
    image = np.full((240, 320, 3), 90, np.uint8)
    image[::24] = image[:, ::24] = 160
    if tile is not None:
        cv2.rectangle(image, (tile, 96), (tile + 22, 118), (160, 220, 240), -1)
    jpeg = cv2.imencode(".jpg", image)[1].tobytes()
    sha = desk.table.evidence.store(jpeg)
    desk.game.put(PicturesKept(turn, (Picture(role, sha, t_ns, square),), t_ns))
    return sha
