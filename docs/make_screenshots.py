"""Make the screenshots in docs/ from the demo: ``python docs/make_screenshots.py [NAME...]``.

Plays the demo's default game through the real pipeline, and the same with mischief for the
director's pages, waits for enough turns, and photographs the pages with Debian's chromium
(``apt install chromium chromium-driver``, ``pip install selenium pillow``). The event is that of
``examples/pairings.csv``. With names, only those.
"""

from __future__ import annotations

import base64
import contextlib
import io
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from demo_browser import ROOT, browser, log_in, running_demo, show_as
from PIL import Image
from selenium.webdriver.support.ui import WebDriverWait

DOCS: Final = Path(__file__).resolve().parent
LARGEST: Final = 400_000
"""Bytes a picture may have."""

LIVE: Final = "document.querySelector('#link').dataset.state === 'live'"
PICTURED: Final = "document.querySelector('#no-picture').hidden"
SHOWN: Final = f"{LIVE} && document.querySelector('#bar button') && {PICTURED}"
FORESEEN: Final = (
    "document.querySelector('#dialog').open && !document.querySelector('#dialog [aria-busy=true]')"
)
PREVIEWED: Final = (
    "document.querySelector('#preview').contentDocument?.querySelector('#stage')?.dataset.state"
    " === 'shown'"
)
CHOSEN: Final = (
    "document.querySelector('#tables li') &&"
    " document.querySelector('#next-frame').contentDocument?.querySelector('iframe.on') != null"
)
STILL: Final = (
    "document.getAnimations().every((a) => a.playState !== 'running'"
    " || a.effect.getTiming().iterations === Infinity || a.timeline !== document.timeline)"
)
BACKDROP: Final = "44596b"
PARTS: Final = ("title", "bingo", "challenge", "next", "standings", "result")
"""The overlays of the picture ``overlays``, which come and go with the game."""
SHOWN_PART: Final = (
    "const panel = document.querySelector('#stage[data-state=shown] .panel:not([hidden])');"
    "if (!panel || panel.dataset.outcome === '' && panel.dataset.kind === 'challenge') return null;"
    f"if (!({STILL})) return null;"
    "const box = panel.getBoundingClientRect();"
    "return {x: box.left, y: box.top, width: box.width, height: box.height, scale: 1};"
)
PART_WIDTH: Final = 972
GAP: Final = 24
EVENT: Final = ("--speed", "4", "--pairings", str(ROOT / "examples" / "pairings.csv"))
GAME_S: Final = 1200
AFTER_GAME_S: Final = 5


@dataclass(frozen=True)
class Shot:
    """One picture: which page, when it is ready, on what screen."""

    name: str
    path: str
    """``{turn}`` is the newest turn with a flag, ``{token}`` a token, ``{key}`` the clock's."""
    ready: str
    width: int
    height: int
    scale: int = 1
    scheme: str = "light"
    backdrop: str = ""
    """The colour behind a page that is transparent, as ``rrggbb``."""
    press: str = ""
    """The selector of the button to press before the picture is taken; its dialog is waited for."""


SHOTS: Final = (
    Shot("dashboard", "/", LIVE, 1600, 900, scheme="dark"),
    Shot("dashboard-light", "/", LIVE, 1366, 768),
    Shot("dashboard-phone", "/", LIVE, 360, 740, 2),
    Shot("clock", "/tables/1/clock{key}", "document.querySelector('.half.running')", 390, 780),
    Shot(
        "overlay",
        "/overlay/feature/scene?token={token}",
        "document.querySelector('.last .rack .tile')",
        1920,
        1080,
        backdrop=BACKDROP,
    ),
)
DIRECTORS: Final = (
    Shot("director", "/director", LIVE, 1366, 500),
    Shot("director-table", "/director/tables/1", SHOWN, 1366, 768),
    Shot(
        "director-challenge",
        "/director/tables/1",
        SHOWN,
        1366,
        768,
        press="#bar [data-deed=challenge]",
    ),
    Shot("director-phone", "/director/tables/1", SHOWN, 390, 844, 2, "dark"),
    Shot(
        "dispute",
        "/director/tables/1/turns/{turn}",
        "document.querySelector('main img')",
        1440,
        960,
    ),
    Shot(
        "dispute-phone",
        "/director/tables/1/turns/{turn}",
        "document.querySelector('#no-picture').hidden",
        390,
        844,
        2,
    ),
    Shot("links", "/director/links", PREVIEWED, 1366, 900),
    Shot("show", "/director/show", CHOSEN, 1366, 900),
)
CALIBRATION: Final = Shot("calibration", "", "document.querySelector('#verdict li')", 1400, 1000)
TURNS: Final = 15


@dataclass
class Parts:
    """The windows in which overlays wait for their moment, and the pictures of those that came."""

    driver: Any
    windows: dict[str, str] = field(default_factory=dict)
    found: dict[str, Image.Image] = field(default_factory=dict)

    def open(self, url: str, token: str) -> None:
        """Open a window for each part that has not come yet."""
        main = self.driver.current_window_handle
        self.windows.clear()
        for part in PARTS:
            if part not in self.found:
                self.driver.switch_to.new_window("window")
                show_as(self.driver, PART_WIDTH, 800)
                _stand_on(self.driver, BACKDROP)
                self.driver.get(f"{url}/overlay/feature/{part}?seconds=60&rows=6&token={token}")
                self.windows[part] = self.driver.current_window_handle
        self.driver.switch_to.window(main)

    def look(self) -> bool:
        """Photograph whatever is shown now; True if nothing is missing any more."""
        main = self.driver.current_window_handle
        for part in [part for part in self.windows if part not in self.found]:
            self.driver.switch_to.window(self.windows[part])
            if (clip := self.driver.execute_script(SHOWN_PART)) is not None:
                self.found[part] = Image.open(io.BytesIO(_captured(self.driver, clip=clip)))
        self.driver.switch_to.window(main)
        return len(self.found) == len(PARTS)

    def together(self) -> bytes:
        """All of them in one picture, in two columns."""
        columns: list[list[Image.Image]] = [[], []]
        for part in PARTS:
            if part in self.found:
                shorter = min(columns, key=lambda column: sum(one.height + GAP for one in column))
                shorter.append(self.found[part])
        height = max(sum(one.height + GAP for one in column) for column in columns) + GAP
        picture = Image.new("RGB", (2 * PART_WIDTH + 3 * GAP, height), f"#{BACKDROP}")
        for place, column in enumerate(columns):
            y = GAP
            for one in column:
                picture.paste(one, (GAP + place * (PART_WIDTH + GAP), y))
                y += one.height + GAP
        smaller = io.BytesIO()
        picture.resize((picture.width * 2 // 3, picture.height * 2 // 3)).save(smaller, "PNG")
        return smaller.getvalue()


def main(names: list[str]) -> int:
    """Play, wait, photograph."""
    known = {shot.name for shot in (*SHOTS, *DIRECTORS, CALIBRATION)} | {"overlays"}
    if wrong := set(names) - known:
        sys.stderr.write(f"no such picture: {', '.join(sorted(wrong))}\n")
        return 2
    failed = 0
    overlays = not names or "overlays" in names
    parts: dict[str, Image.Image] = {}
    for options, shots in (((), SHOTS), (("--mischief",), DIRECTORS)):
        wanted = [shot for shot in shots if not names or shot.name in names]
        if wanted or (overlays and len(parts) < len(PARTS)):
            with running_demo((*EVENT, *options)) as (url, password), browser() as driver:
                waiting = Parts(driver, found=parts) if overlays else None
                failed += _photograph_all(driver, url, password, wanted, waiting)
    if overlays:
        if missing := set(PARTS) - set(parts):
            sys.stderr.write(f"overlays: {', '.join(sorted(missing))} never came\n")
            failed += 1
        failed += _kept("overlays", Parts(None, found=parts).together())
    if not names or CALIBRATION.name in names:
        with _calibrating() as url, browser() as driver:
            driver.get(url)
            picture = _photograph(driver, CALIBRATION, driver.current_url)
            failed += _kept(CALIBRATION.name, picture)
    return 1 if failed else 0


@contextlib.contextmanager
def _calibrating() -> Iterator[str]:
    """The calibration page of a simulated table, on its own: its address."""
    with tempfile.TemporaryDirectory() as data:
        config = Path(data, "table.toml")
        config.write_text('camera = "simulated"\n')
        command = [sys.executable, "-m", "table.cli", "calibrate"]
        command += ["--config", str(config), "--data", data]
        with subprocess.Popen(  # noqa: S603
            command, stderr=subprocess.PIPE, text=True, cwd=ROOT
        ) as running:
            assert running.stderr is not None
            try:
                for line in running.stderr:
                    if "http://" in line:
                        yield next(word for word in line.split() if word.startswith("http"))
                        break
            finally:
                running.terminate()
                running.stderr.read()


def _photograph_all(
    driver: Any, url: str, password: str, shots: list[Shot], parts: Parts | None
) -> int:
    """Photograph; how many pictures are too large."""
    log_in(driver, url, password)
    token = _token(driver)
    driver.get(url)
    if parts is not None:
        parts.open(url, token)
    count = "return document.querySelectorAll('#turns tr.turn').length"

    def played(d: Any) -> bool:
        if parts is not None:
            parts.look()
        return d.execute_script(count) >= TURNS or not shots

    WebDriverWait(driver, GAME_S).until(played)
    turn = driver.execute_script(
        "return document.querySelector('#turns tr.flag')?.previousElementSibling.dataset.number"
    )
    values = {"turn": turn or TURNS - 1, "token": token}
    if shots:
        driver.get(f"{url}/director")
        values["key"] = _links(driver)["tables"][0]["clock"].partition("#")[2]
    failed = 0
    for shot in shots:
        path = re.sub(r"\{key\}", "#{key}", shot.path).format(**values)
        failed += _kept(shot.name, _photograph(driver, shot, url + path))
    if parts is not None:
        driver.get(url)
        state = "return document.querySelector('#link').dataset.state"
        until = time.monotonic() + GAME_S
        while not parts.look() and time.monotonic() < until:
            if driver.execute_script(state) in ("over", "final"):
                until = min(until, time.monotonic() + AFTER_GAME_S)
    return failed


def _kept(name: str, picture: bytes) -> int:
    """Write a picture; 1 if it is too large."""
    if len(picture) > LARGEST:
        picture = _fewer_colours(picture)
    if len(picture) > LARGEST:
        sys.stderr.write(f"{name}: {len(picture)} bytes, more than {LARGEST}\n")
        return 1
    (DOCS / f"{name}.png").write_bytes(picture)
    sys.stdout.write(f"docs/{name}.png: {len(picture)} bytes\n")
    sys.stdout.flush()
    return 0


def _token(driver: Any) -> str:
    """A token for overlays, made as the director's page makes it."""
    made = driver.execute_async_script(
        "const done = arguments[0];"
        "const token = document.querySelector('meta[name=csrf-token]').content;"
        "fetch('/api/v1/tokens', {method: 'POST', headers: {'Content-Type': 'application/json',"
        " 'X-CSRF-Token': token, 'X-Why': 'screenshots'},"
        " body: JSON.stringify({name: 'stream', scope: 'overlay'})})"
        ".then((answer) => answer.json()).then(done);"
    )
    return str(made["text"])


def _links(driver: Any) -> Any:
    return driver.execute_async_script(
        "const done = arguments[0];"
        "fetch('/director/api/links').then((answer) => answer.json()).then(done);"
    )


def _stand_on(driver: Any, backdrop: str) -> None:
    """Put a colour behind what is transparent; none with an empty one."""
    behind = {}
    if backdrop:
        red, green, blue = bytes.fromhex(backdrop)
        behind = {"color": {"r": red, "g": green, "b": blue, "a": 1}}
    driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", behind)


def _captured(driver: Any, **options: Any) -> bytes:
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png", **options})
    return base64.b64decode(picture["data"])


def _photograph(driver: Any, shot: Shot, address: str) -> bytes:
    show_as(driver, shot.width, shot.height, shot.scale, shot.scheme)
    _stand_on(driver, shot.backdrop)
    driver.get("about:blank")  # another place on the same page would not load it anew
    driver.get(address)
    for condition in (shot.ready, STILL, "[...document.images].every((i) => i.complete)"):
        WebDriverWait(driver, 60).until(lambda d, c=condition: d.execute_script(f"return {c}"))
    if shot.press:
        driver.find_element("css selector", shot.press).click()
        WebDriverWait(driver, 60).until(lambda d: d.execute_script(f"return {FORESEEN}"))
    return _captured(driver)


def _fewer_colours(png: bytes) -> bytes:
    """The same picture in 256 colours: what shows photographs is large otherwise."""
    smaller = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.convert("RGB").quantize(256).save(smaller, "PNG", optimize=True)
    return smaller.getvalue()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
