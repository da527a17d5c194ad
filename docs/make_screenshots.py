"""Make the screenshots in docs/ from the demo: ``python docs/make_screenshots.py [NAME...]``.

Plays the demo's default game through the real pipeline, and the same with mischief for the
director's pages, waits for enough turns, and photographs the pages with Debian's chromium
(``apt install chromium chromium-driver``, ``pip install selenium pillow``). With names, only those.
"""

from __future__ import annotations

import base64
import contextlib
import io
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
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
STILL: Final = (
    "document.getAnimations().every((a) => a.playState !== 'running'"
    " || a.effect.getTiming().iterations === Infinity)"
)
SWITCHES: Final = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)


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
    """What is pressed before the picture is taken, as a selector; its dialog is waited for."""


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
        backdrop="44596b",
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
    Shot("links", "/director/links", PREVIEWED, 1366, 900),
)
CALIBRATION: Final = Shot("calibration", "", "document.querySelector('#verdict li')", 1400, 1000)
TURNS: Final = 15


def main(names: list[str]) -> int:
    """Play, wait, photograph."""
    known = {shot.name for shot in (*SHOTS, *DIRECTORS, CALIBRATION)}
    if wrong := set(names) - known:
        sys.stderr.write(f"no such picture: {', '.join(sorted(wrong))}\n")
        return 2
    failed = 0
    for options, shots in (((), SHOTS), (("--mischief",), DIRECTORS)):
        wanted = [shot for shot in shots if not names or shot.name in names]
        if wanted:
            with _demo(options) as (url, password), _browser() as driver:
                failed += _photograph_all(driver, url, password, wanted)
    if not names or CALIBRATION.name in names:
        with _calibrating() as url, _browser() as driver:
            driver.get(url)
            failed += _kept(CALIBRATION, _photograph(driver, CALIBRATION, driver.current_url))
    return 1 if failed else 0


@contextlib.contextmanager
def _calibrating() -> Iterator[str]:
    """The calibration page of a simulated table, on its own: its address."""
    with tempfile.TemporaryDirectory() as data:
        command = [sys.executable, "-m", "table.cli", "calibrate", "--data", data]
        with subprocess.Popen(  # noqa: S603
            command, stderr=subprocess.PIPE, text=True, cwd=DOCS.parent
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


@contextlib.contextmanager
def _demo(options: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """A demo that plays: its address, and the director's password."""
    command = [sys.executable, "-m", "table.cli", "demo", "--port", "0", "--speed", "4", "--once"]
    with subprocess.Popen(  # noqa: S603
        [*command, *options], stdout=subprocess.PIPE, text=True, cwd=DOCS.parent
    ) as demo:
        assert demo.stdout is not None
        try:
            output = ""
            while "password" not in output:
                line = demo.stdout.readline()
                if not line:
                    raise SystemExit("the demo did not start")
                output += line
            url = next(word for word in output.split() if word.startswith("http"))
            yield url, output.rsplit("password", 1)[1].split()[0]
        finally:
            demo.terminate()
            demo.stdout.read()


@contextlib.contextmanager
def _browser() -> Iterator[Any]:
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium") or "chromium"
        for switch in (*SWITCHES, f"--user-data-dir={profile}"):
            options.add_argument(switch)
        driver = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
        try:
            yield driver
        finally:
            driver.quit()


def _photograph_all(driver: Any, url: str, password: str, shots: list[Shot]) -> int:
    """Photograph; how many pictures are too large."""
    driver.get(url)
    count = "return document.querySelectorAll('#turns tr.turn').length"
    WebDriverWait(driver, 500).until(lambda d: d.execute_script(count) >= TURNS)
    turn = driver.execute_script(
        "return document.querySelector('#turns tr.flag')?.previousElementSibling.dataset.number"
    )
    driver.get(f"{url}/login")
    driver.find_element("css selector", "[name=name]").send_keys("director")
    driver.find_element("css selector", "[name=password]").send_keys(password, "\n")
    WebDriverWait(driver, 30).until(lambda d: d.current_url.endswith("/director"))
    values = {
        "turn": turn or TURNS - 1,
        "token": _token(driver),
        "key": _links(driver)["tables"][0]["clock"].partition("#")[2],
    }
    failed = 0
    for shot in shots:
        path = re.sub(r"\{key\}", "#{key}", shot.path).format(**values)
        failed += _kept(shot, _photograph(driver, shot, url + path))
    return failed


def _kept(shot: Shot, picture: bytes) -> int:
    """Write a picture; 1 if it is too large."""
    if len(picture) > LARGEST:
        picture = _fewer_colours(picture)
    if len(picture) > LARGEST:
        sys.stderr.write(f"{shot.name}: {len(picture)} bytes, more than {LARGEST}\n")
        return 1
    (DOCS / f"{shot.name}.png").write_bytes(picture)
    sys.stdout.write(f"docs/{shot.name}.png: {len(picture)} bytes\n")
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


def _photograph(driver: Any, shot: Shot, address: str) -> bytes:
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": shot.width,
            "height": shot.height,
            "deviceScaleFactor": shot.scale,
            "mobile": shot.width < 500,
        },
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": shot.scheme}]},
    )
    behind = {}
    if shot.backdrop:
        red, green, blue = bytes.fromhex(shot.backdrop)
        behind = {"color": {"r": red, "g": green, "b": blue, "a": 1}}
    driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", behind)
    driver.get("about:blank")  # another place on the same page would not load it anew
    driver.get(address)
    for condition in (shot.ready, STILL, "[...document.images].every((i) => i.complete)"):
        WebDriverWait(driver, 60).until(lambda d, c=condition: d.execute_script(f"return {c}"))
    if shot.press:
        driver.find_element("css selector", shot.press).click()
        WebDriverWait(driver, 60).until(lambda d: d.execute_script(f"return {FORESEEN}"))
    picture = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    return base64.b64decode(picture["data"])


def _fewer_colours(png: bytes) -> bytes:
    """The same picture in 256 colours: what shows photographs is large otherwise."""
    smaller = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.convert("RGB").quantize(256).save(smaller, "PNG", optimize=True)
    return smaller.getvalue()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
