"""How soon a page shows something on a phone over slow Wi-Fi, and how much script it takes.

``python benchmarks/first_paint.py [--runs 5]`` starts the demo, opens each page in Debian's
chromium with an empty cache, and slows the network and the processor through the DevTools protocol:
1.6 Mbit/s down, 750 kbit/s up, 150 ms of latency, a quarter of this machine's speed. It prints the
first contentful paint (median and worst) and the bytes of script, as sent and unpacked.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.ui import WebDriverWait

ROOT: Final = Path(__file__).resolve().parent.parent
SLOW_WIFI: Final = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1_600_000 / 8,
    "uploadThroughput": 750_000 / 8,
}
SLOWER: Final = 4
PHONE: Final = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
PUBLIC: Final = (
    "/",
    "/tables/1/clock",
    "/login",
    "/nowhere",
    "/overlay/feature/scene",
)
"""What anybody may open; whoever has logged in sees no form to do so."""
LOGGED_IN: Final = (
    "/director",
    "/director/tables/1",
    "/director/links",
)
SEEN: Final = """
    const paint = performance.getEntriesByName('first-contentful-paint')[0];
    if (!paint || document.readyState !== 'complete') return null;
    const all = performance.getEntriesByType('resource');
    const scripts = all.filter((one) => one.name.includes('.js'));
    const sum = (what) => scripts.reduce((total, one) => total + one[what], 0);
    return [paint.startTime, sum('transferSize'), sum('decodedBodySize')];
"""


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=5)
    runs = parser.parse_args().runs
    with demo() as (url, password), browser() as driver:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", PHONE)
        driver.execute_cdp_cmd("Network.enable", {})
        driver.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        driver.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW_WIFI)
        driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        print(f"{'page':<26}{'median ms':>10}{'worst ms':>10}{'script, sent':>14}{'unpacked':>10}")
        for page in (*PUBLIC, *LOGGED_IN):
            if page == LOGGED_IN[0]:
                log_in(driver, url, password)
            found = [opened(driver, url + page) for _ in range(runs)]
            paints = [paint for paint, _, _ in found]
            sent, whole = found[-1][1:]
            median, worst = statistics.median(paints), max(paints)
            print(f"{page:<26}{median:>10.0f}{worst:>10.0f}{sent:>14.0f}{whole:>10.0f}", flush=True)
    return 0


def opened(driver: Any, address: str) -> tuple[float, float, float]:
    """Open a page: the first paint in ms, and the bytes of its scripts."""
    driver.get("about:blank")
    driver.get(address)
    found = WebDriverWait(driver, 60).until(lambda d: d.execute_script(SEEN))
    return float(found[0]), float(found[1]), float(found[2])


def log_in(driver: Any, url: str, password: str) -> None:
    """Log in as the demo's director."""
    driver.get(f"{url}/login")
    driver.find_element("css selector", "[name=name]").send_keys("director")
    driver.find_element("css selector", "[name=password]").send_keys(password, "\n")
    WebDriverWait(driver, 60).until(lambda d: d.current_url.endswith("/director"))


@contextlib.contextmanager
def demo() -> Iterator[tuple[str, str]]:
    """The demo: its address, and the director's password."""
    command = [sys.executable, "-m", "table.cli", "demo", "--port", "0", "--once"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as running:
        assert running.stdout is not None
        try:
            output = ""
            while "password" not in output:
                line = running.stdout.readline()
                if not line:
                    raise SystemExit("the demo did not start")
                output += line
            url = next(word for word in output.split() if word.startswith("http"))
            yield url, output.rsplit("password", 1)[1].split()[0]
        finally:
            running.terminate()
            running.stdout.read()


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Debian's chromium."""
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for switch in ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run"):
            options.add_argument(switch)
        options.add_argument(f"--user-data-dir={profile}")
        driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        try:
            yield driver
        finally:
            driver.quit()


if __name__ == "__main__":
    sys.exit(main())
