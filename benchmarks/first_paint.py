"""How soon a page shows something on a phone over slow Wi-Fi, and how much script it takes.

``python benchmarks/first_paint.py [--runs 5]`` starts the demo, opens each page in Debian's
chromium with an empty cache, and slows the network and the processor through the DevTools protocol:
1.6 Mbit/s down, 750 kbit/s up, 150 ms of latency, a quarter of this machine's speed. It prints the
first contentful paint (median and worst), the median time until the page's script has run, and the
bytes of script, as sent. Every second opening is
by a browser that takes nothing compressed, so that both are measured in one run.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from pathlib import Path
from typing import Any, Final

from selenium.webdriver.support.ui import WebDriverWait

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs"))

from demo_browser import browser, log_in, running_demo, show_as

SLOW_WIFI: Final = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
SLOWER: Final = 4
PAGES: Final = (
    "/",
    "/tables/1/clock",
    "/login",
    "/nowhere",
    "/overlay/feature/scene",
    "/director",
    "/director/tables/1",
    "/director/links",
)
FIRST_BEHIND_LOGIN: Final = "/director"
SEEN: Final = """
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    if (!paint || document.readyState !== 'complete') return null;
    const all = performance.getEntriesByType('resource');
    const scripts = all.filter((one) => one.name.includes('.js'));
    const sum = (what) => scripts.reduce((total, one) => total + one[what], 0);
    const [page] = performance.getEntriesByType('navigation');
    return [paint.startTime, page.domContentLoadedEventEnd, sum('transferSize')];
"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    with running_demo() as (url, password), browser() as driver:
        show_as(driver, 390, 844, 2)
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW_WIFI)
        driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        print(
            f"{'page':<26}{'takes':<9}{'median ms':>10}{'worst ms':>10}"
            f"{'script ran':>12}{'sent':>10}"
        )
        for page in PAGES:
            if page == FIRST_BEHIND_LOGIN:
                driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": {}})
                log_in(driver, url, password)
            found: dict[str, list[tuple[float, float, float]]] = {"gzip": [], "nothing": []}
            for _ in range(runs):
                for takes, seen in found.items():
                    headers = {} if takes == "gzip" else {"Accept-Encoding": "identity"}
                    driver.execute_cdp_cmd("Network.setExtraHTTPHeaders", {"headers": headers})
                    seen.append(opened(driver, url + page))
            for takes, seen in found.items():
                paints = [paint for paint, _, _ in seen]
                median, worst = statistics.median(paints), max(paints)
                ran = statistics.median(ran for _, ran, _ in seen)
                print(
                    f"{page:<26}{takes:<9}{median:>10.0f}{worst:>10.0f}{ran:>12.0f}"
                    f"{seen[-1][2]:>10.0f}",
                    flush=True,
                )
    return 0


def opened(driver: Any, address: str) -> tuple[float, float, float]:
    """Open a page: when it was first painted and its script had run, in ms; the script's bytes."""
    driver.get("about:blank")
    driver.get(address)
    found = WebDriverWait(driver, 60).until(lambda d: d.execute_script(SEEN))
    paint, ran, size = map(float, found)
    return paint, ran, size


if __name__ == "__main__":
    sys.exit(main())
