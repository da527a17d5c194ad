"""A real browser for the tests, a page as they look at it, and axe-core over it.

axe-core finds what keeps people with some disability from using a page.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.machine import PATIENCE_S, free_port

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
DRIVER = shutil.which("chromedriver")
SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # Our pages come one after another from this machine: a process for each costs a quarter more.
    "--renderer-process-limit=1",
    "--disable-site-isolation-trials",
    "--disable-features=BackForwardCache,IsolateOrigins,site-per-process,SpareRendererForSitePerProcess",
)
WINDOW = (1366, 900)
PHONE = (390, 844)


def browser(profile: Path, more: Iterable[str] = ()) -> Iterator:
    """Debian's chromium with ``more`` switches, or a skip where it is not installed."""
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("Debian's chromium and chromium-driver are not installed")
    selenium = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = selenium.ChromeOptions()
    options.binary_location = CHROMIUM
    for switch in (*SWITCHES, *more, f"--user-data-dir={profile}"):
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    made = selenium.Chrome(options=options, service=Service(DRIVER, port=free_port()))
    made.set_window_size(*WINDOW)
    yield made
    made.quit()


def fresh_window(chromium) -> Iterator:
    """A window of a browser that has run before, as if it had not: no storage, no cookies."""
    first = chromium.current_window_handle
    chromium.switch_to.new_window("window")
    chromium.set_window_size(*WINDOW)
    chromium.get_log("browser")  # what pages of earlier tests complained of, their servers gone
    yield chromium
    for handle in chromium.window_handles:
        if handle != first:
            chromium.switch_to.window(handle)
            chromium.close()
    chromium.switch_to.window(first)
    everything = {"origin": "*", "storageTypes": "all"}
    chromium.execute_cdp_cmd("Storage.clearDataForOrigin", everything)
    chromium.execute_cdp_cmd("Network.clearBrowserCookies", {})


def as_screen(
    driver, width: int, height: int, scale: int = 1, *, mobile: bool | None = None
) -> None:
    """Let the window be a screen of so many pixels; a small one is a phone's, unless said."""
    is_phone = min(width, height) < 400 if mobile is None else mobile
    size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": is_phone}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def as_it_was(driver) -> None:
    """Take back whatever the window was made to be."""
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": False})
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    driver.execute_cdp_cmd("Emulation.setDefaultBackgroundColorOverride", {})


def troubles(driver) -> list[str]:
    """The complaints of the browser's console since it was last asked."""
    logged = driver.get_log("browser")
    return [one["message"] for one in logged if one["level"] in ("WARNING", "SEVERE")]


def hand(driver):
    """Whoever uses the mouse and the keyboard: moves to be chained, and performed."""
    from selenium.webdriver.common.action_chains import ActionChains

    return ActionChains(driver)


def keys(driver, *pressed: str) -> None:
    hand(driver).send_keys(*pressed).perform()


@contextmanager
def offline(driver) -> Iterator[None]:
    """Take the network away for a while."""
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    change = "Network.emulateNetworkConditions"
    driver.execute_cdp_cmd("Network.enable", {})
    driver.execute_cdp_cmd(change, {**network, "offline": True})
    try:
        yield
    finally:
        driver.execute_cdp_cmd(change, {**network, "offline": False})


class Page:
    """The page as the tests look at it."""

    def __init__(self, driver, url: str) -> None:
        self.driver = driver
        self.url = url
        driver.get("about:blank")  # a page of an earlier test may still be looking for its server
        # After fifty pages chromium drops those first that a script has left, which Back leads to.
        driver.execute_cdp_cmd("Page.resetNavigationHistory", {})
        self.forget()
        driver.get(url)

    def forget(self) -> None:
        self.driver.get_log("browser")

    def js(self, expression: str):
        return self.driver.execute_script(f"return {expression}")

    def in_cards(self, selector: str) -> None:
        """Wait until no such part of a player's card reaches over its right edge."""
        self.wait(
            f"[...document.querySelectorAll('{selector}')].every((e) =>"
            " e.getBoundingClientRect().right <= e.closest('.player')"
            ".getBoundingClientRect().right)"
        )

    def wait(self, expression: str) -> None:
        """Wait until it is true."""
        self._until(lambda: self.js(expression), lambda: f"never came true: {expression}")

    def wait_not(self, expression: str) -> None:
        self._until(lambda: not self.js(expression), lambda: f"stayed true: {expression}")

    def gives(self, expression: str, value: object) -> None:
        """Wait until it has this value."""
        found: list[object] = [None]

        def is_so() -> bool:
            found[0] = self.js(expression)
            return found[0] == value

        self._until(is_so, lambda: f"{expression} is {found[0]!r} and not {value!r}")

    def there(self, selector: str, count: int | None = None) -> None:
        """Wait until something matches a selector, or just so many things do."""
        found = f"document.querySelectorAll({json.dumps(selector)}).length"
        if count is None:
            self.wait(f"{found} > 0")
        else:
            self.gives(found, count)

    def reads(self, expression: str, *, has: str = "", starts: str = "", ends: str = "") -> None:
        """Wait until it is a text, or a list, with this in it."""
        found: list[Any] = [None]

        def is_so() -> bool:
            text = found[0] = self.js(expression)
            if text is None or has not in text:
                return False
            return not (starts or ends) or (text.startswith(starts) and text.endswith(ends))

        wanted = f"{starts}…{has}…{ends}"
        self._until(is_so, lambda: f"{expression} is {found[0]!r} and not {wanted!r}")

    def says(self, selector: str, text: str | None = None, **part: str) -> None:
        """Wait until this text stands there, or one that ``has``, ``starts`` or ``ends`` so."""
        there = f"document.querySelector({json.dumps(selector)})?.textContent"
        if text is not None:
            self.gives(there, text)
        else:
            self.reads(there, **part)

    def label(self, square: str, text: str) -> None:
        """Wait until this is said of a square of the board."""
        self.gives(f"document.querySelector('[data-name=\"{square}\"]').ariaLabel", text)

    def _until(self, true: Callable[[], object], otherwise: Callable[[], str]) -> None:
        from selenium.common.exceptions import JavascriptException, TimeoutException
        from selenium.webdriver.support.ui import WebDriverWait

        # What an expression takes part of may not be on the page yet.
        not_there = (JavascriptException,)
        try:
            WebDriverWait(self.driver, PATIENCE_S, 0.05, not_there).until(lambda _: true())
        except TimeoutException:
            shown = self.js("document.body.innerText.slice(0, 1500)")
            pytest.fail(f"{otherwise()}; the page shows {shown}")

    def click(self, selector: str) -> None:
        """Scroll to it and click it; anew where it was just drawn once more, or still moves."""
        from selenium.common.exceptions import (
            ElementClickInterceptedException,
            ElementNotInteractableException,
            StaleElementReferenceException,
        )
        from selenium.webdriver.support.ui import WebDriverWait

        def clicked(driver) -> bool:
            found = driver.find_element("css selector", selector)
            # A bar that stands above the page may cover what is in the window already.
            driver.execute_script("arguments[0].scrollIntoView({block: 'nearest'})", found)
            found.click()
            return True

        passing = (
            ElementClickInterceptedException,
            ElementNotInteractableException,
            StaleElementReferenceException,
        )
        WebDriverWait(self.driver, PATIENCE_S, 0.05, passing).until(clicked)

    def wait_for_turns(self, count: int) -> None:
        # Rows that the page itself has drawn: those of the server have no button.
        self.there("#turns tr.turn button", count)

    def turns(self) -> list[list[str]]:
        """Number, play, score and total of each turn on the page, oldest first."""
        return self.driver.execute_script(
            """
            const cells = ['.number', '.play', '.gained', '.total'];
            return [...document.querySelectorAll('#turns tr.turn')].reverse().map((row) =>
              cells.map((cell) => row.querySelector(cell).textContent));
            """
        )

    def text(self, selector: str) -> str:
        return self.js(f"document.querySelector({json.dumps(selector)}).textContent")

    def announced(self) -> list[str]:
        return self.js("[...document.querySelectorAll('#say > *')].map((e) => e.textContent)")

    def troubles(self) -> list[str]:
        """What the browser's console has to complain of."""
        return troubles(self.driver)

    def hosts(self) -> set[str]:
        """Every host that the page has asked for anything, with or without an answer."""
        asked = self.js(
            "['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))"
            ".map((entry) => entry.name)"
        )
        urls = map(urlsplit, asked)
        return {url.netloc for url in urls if url.scheme not in ("data", "blob")}


@cache
def _source() -> str:
    newer = os.environ.get("AXE_CORE")  # axe.min.js of a newer axe-core than pip has
    if newer:
        return Path(newer).read_text("utf-8")
    return files("axe_core_python").joinpath("axe.min.js").read_text("utf-8")


def violations(driver: Any) -> list[str]:
    """What axe-core finds on the page shown, one line for each element; empty when all is well.

    The script is put in by the driver, from beside the page's own content security policy.
    """
    driver.execute_script(_source())
    found = driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run(document, {resultTypes: ['violations'], iframes: false})"
        ".then((found) => done(found.violations), (error) => done(String(error)));"
    )
    assert isinstance(found, list), found
    return [
        f"{each['impact']}: {each['id']}: {node['target']}: {node.get('failureSummary', '')}"
        for each in found
        for node in each["nodes"]
    ]
