"""The spectators' page in chromium, as it notices turns: for ``live_table.py --chromium``."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.dashboard.browsing import CHROMIUM, DRIVER, SWITCHES

_NOTICE = """
window.noticed = [];
const body = document.querySelector("#turns");
let count = body.querySelectorAll("tr.turn").length;
new MutationObserver(() => {
  const now = body.querySelectorAll("tr.turn").length;
  if (now === count) return;
  count = now;
  const at = performance.now();
  // A frame with it has been handed on when the one after is begun.
  const out = () => window.noticed.push([now, at, performance.now()]);
  requestAnimationFrame(() => requestAnimationFrame(out));
}).observe(body, { childList: true });
"""

PINGS = 200


class ChromiumPage:
    """A table's page in a browser of its own; ``stop`` when done.

    Both clocks are this machine's monotonic one with another zero: what lies between them is found
    by asking the page for its time between two looks at ours, many times, and keeping the closest
    pair. ``doubt_ms`` is half the time between that pair: so far off a figure may be.
    """

    def __init__(self, url: str, profile: Path) -> None:
        if CHROMIUM is None or DRIVER is None:
            raise SystemExit("chromium and chromedriver are needed: apt install chromium-driver")
        from selenium import webdriver  # noqa: PLC0415
        from selenium.webdriver.chrome.service import Service  # noqa: PLC0415

        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for switch in (*SWITCHES, f"--user-data-dir={profile}"):
            options.add_argument(switch)
        self._driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self._driver.get(url)
        give_up = time.monotonic() + 30
        state = "return document.querySelector('#link').dataset.state"
        while self._driver.execute_script(state) in ("connecting", "lost"):
            if time.monotonic() > give_up:
                raise SystemExit(f"{url} did not come to life in chromium")
            time.sleep(0.05)
        self._driver.execute_script(_NOTICE)
        self._offset_ns, self.doubt_ms = self._clocks()
        self.frames_ms: list[float] = []
        """From the change of the page to a frame with it being out, of every turn."""

    def arrived(self, _game: str) -> dict[int, int]:
        """When the page first had so many turns, since this was last asked; one game at a time."""
        time.sleep(0.5)
        noticed = self._driver.execute_script("return window.noticed.splice(0)")
        found: dict[int, int] = {}
        for count, at_ms, frame_ms in noticed:
            found.setdefault(count, self._ours(at_ms))
            self.frames_ms.append(frame_ms - at_ms)
        return found

    def stop(self) -> None:
        """Close the browser."""
        self._driver.quit()

    def _ours(self, page_ms: float) -> int:
        return round(page_ms * 1e6) + self._offset_ns

    def _clocks(self) -> tuple[int, float]:
        """Our nanoseconds at the page's 0, and by how many milliseconds that may be off."""
        best, offset = 1 << 62, 0
        for _ in range(PINGS):
            before = time.monotonic_ns()
            page_ms = self._driver.execute_script("return performance.now()")
            after = time.monotonic_ns()
            if after - before < best:
                best = after - before
                offset = (before + after) // 2 - round(page_ms * 1e6)
        return offset, best / 2e6
