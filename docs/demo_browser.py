"""The demo and Debian's chromium, for programs that look at the pages.

``apt install chromium chromium-driver``, ``pip install selenium``.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

ROOT: Final = Path(__file__).resolve().parent.parent
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


@contextlib.contextmanager
def running_demo(options: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
    """A demo that plays: its address, and the director's password."""
    command = [sys.executable, "-m", "table.cli", "demo", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as demo:  # noqa: S603
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
def browser() -> Iterator[Any]:
    """Debian's chromium, without a window, with a profile of its own."""
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


def log_in(driver: Any, url: str, password: str) -> None:
    """Log in as the demo's director."""
    driver.get(f"{url}/login")
    driver.find_element("css selector", "[name=name]").send_keys("director")
    driver.find_element("css selector", "[name=password]").send_keys(password, "\n")
    WebDriverWait(driver, 60).until(lambda d: d.current_url.endswith("/director"))


def show_as(driver: Any, width: int, height: int, scale: float = 1, scheme: str = "light") -> None:
    """Let the browser be a screen of so many pixels; a phone where one side is below 500."""
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {
            "width": width,
            "height": height,
            "deviceScaleFactor": scale,
            "mobile": min(width, height) < 500,
        },
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
