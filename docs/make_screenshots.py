"""Make the README's screenshots from the demo: ``python docs/make_screenshots.py``.

Plays the demo's default game through the real pipeline, waits for enough turns, and photographs the
page with Debian's chromium (``apt install chromium chromium-driver``, ``pip install selenium``).
"""

from __future__ import annotations

import base64
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

DOCS: Final = Path(__file__).resolve().parent
TURNS: Final = 15
LARGEST: Final = 400_000
"""Bytes a picture may have."""

SHOTS: Final = (
    ("dashboard.png", 1600, 900, 1, "dark"),
    ("dashboard-light.png", 1366, 768, 1, "light"),
    ("dashboard-phone.png", 360, 740, 2, "light"),
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


def main() -> int:
    """Play, wait, photograph."""
    command = [sys.executable, "-m", "table.cli", "demo", "--port", "0", "--speed", "4", "--once"]
    with (
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=DOCS.parent) as demo,  # noqa: S603
        tempfile.TemporaryDirectory() as profile,
    ):
        assert demo.stdout is not None
        url = next(word for word in demo.stdout.readline().split() if word.startswith("http"))
        driver = _browser(profile)
        try:
            driver.get(url)
            count = "return document.querySelectorAll('#turns tr.turn').length"
            WebDriverWait(driver, 300).until(lambda d: d.execute_script(count) >= TURNS)
            for name, width, height, scale, scheme in SHOTS:
                picture = _photograph(driver, (width, height, scale), scheme, url)
                if len(picture) > LARGEST:
                    sys.stderr.write(f"{name}: {len(picture)} bytes, more than {LARGEST}\n")
                    return 1
                (DOCS / name).write_bytes(picture)
                sys.stdout.write(f"docs/{name}: {len(picture)} bytes\n")
        finally:
            driver.quit()
            demo.terminate()
    return 0


def _browser(profile: str) -> Any:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or "chromium"
    for switch in (*SWITCHES, f"--user-data-dir={profile}"):
        options.add_argument(switch)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def _photograph(driver: Any, size: tuple[int, int, int], scheme: str, url: str) -> bytes:
    width, height, scale = size
    driver.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 500},
    )
    driver.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    driver.get(url)
    live = "return document.querySelector('#link').dataset.state === 'live'"
    WebDriverWait(driver, 30).until(lambda d: d.execute_script(live))
    moving = "return document.getAnimations().some((a) => a.animationName === 'laid')"
    WebDriverWait(driver, 30).until(lambda d: not d.execute_script(moving))
    shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    return base64.b64decode(shot["data"])


if __name__ == "__main__":
    sys.exit(main())
