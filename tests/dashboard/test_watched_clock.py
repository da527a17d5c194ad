"""The clocks of a page that watches, at any speed and over any network: they never step back."""

from __future__ import annotations

import pytest

from dashboard.app import create_app
from dashboard.server import Server
from game.clock import passed, shown
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import GameInLog, site_over

pytestmark = pytest.mark.browser

GAME = """
const [rate, seed, done] = arguments;
import('/static/clock.js').then(({ Clocks, WATCHING_MS }) => {
  let state = seed, real = 1000;
  const chance = (most) => (state = (state * 1103515245 + 12345) % 2147483648) / 2147483648 * most;
  const card = () => {
    const made = document.createElement('div');
    made.innerHTML = '<p class="clock"><time></time></p>';
    return made;
  };
  const cards = { left: card(), right: card() };
  Object.defineProperty(performance, 'now', { value: () => real, configurable: true });
  const clocks = new Clocks(cards, WATCHING_MS);
  clearInterval(clocks.timer);
  const seconds = (side) => {
    const text = cards[side].querySelector('time').textContent;
    const [, sign, m, s] = /^(−?)(\\d+):(\\d+)$/.exec(text);
    return (sign ? -1 : 1) * (Number(m) * 60 + Number(s));
  };
  const left = { left: 1500e9, right: 1500e9 };
  let running = 'left', since = 0, at = 0; // the table's time
  const wrong = [], shown = { left: 1501, right: 1501 };
  let before = -Infinity;
  const look = (what) => {
    clocks.tick();
    if (clocks.now() < before) wrong.push(`${what}: time ${clocks.now() - before}`);
    before = clocks.now();
    for (const side of ['left', 'right']) {
      const now = seconds(side);
      if (now > shown[side]) wrong.push(`${what}: ${side} ${shown[side]} to ${now}`);
      shown[side] = now;
    }
  };
  // What is heard was said up to a quarter of a second ago; at times the table waits.
  const tell = () => clocks.sync({ now_ns: at - chance(250) * 1e6 * rate, rate });
  const pass = (ms) => { real += ms; at += ms * 1e6 * rate; };
  tell();
  clocks.set({ running, since_ns: since, remaining_ns: { ...left } }, 'game');
  for (let turn = 0; turn < 40; turn += 1) {
    for (let step = 0; step < 12; step += 1) {
      pass(chance(300));
      look('running');
      if (chance(1) < 0.3) { tell(); look('told'); }
      if (chance(1) < 0.1) { real += chance(150); look('waiting'); tell(); look('waited'); }
    }
    left[running] -= at - since; // a press, which is heard of a moment later
    running = running === 'left' ? 'right' : 'left';
    since = at;
    pass(chance(300));
    look('pressed');
    tell();
    clocks.set({ running, since_ns: since, remaining_ns: { ...left } }, 'game');
    look('heard');
  }
  done({ wrong: wrong.slice(0, 5), many: wrong.length, shown, left });
});
"""


@pytest.fixture
def page(log, game: GameInLog, driver):
    server = Server(create_app(site_over(log)), "127.0.0.1", 0)
    server.start()
    yield Page(driver, server.url)
    server.stop()


@pytest.mark.parametrize("rate", [1, 5, 20])
def test_a_clock_that_is_watched_never_gains_time(driver, page, rate):
    for seed in range(1, 6):
        found = driver.execute_async_script(GAME, rate, seed)
        assert found["wrong"] == [], (seed, found["many"])


def test_another_game_has_a_time_of_its_own(driver, page):
    """Another table's may be a little earlier, and is not waited for."""
    now = driver.execute_async_script(
        "const done = arguments[0];"
        "import('/static/clock.js').then(({ Clocks }) => {"
        "  const clocks = new Clocks({});"
        "  const still = { running: null, since_ns: null, remaining_ns: { left: 1, right: 1 } };"
        "  clocks.sync({ now_ns: 100e9, rate: 1 }); clocks.set(still, 'a');"
        "  clocks.sync({ now_ns: 90e9, rate: 1 }); const held = clocks.now();"
        "  clocks.set(still, 'b'); const fresh = clocks.now();"
        "  clocks.sync({ now_ns: 100e9, rate: 1 }); clocks.sync({ now_ns: 1e9, rate: 1 });"
        "  done([held, fresh, clocks.now()].map((ns) => Math.round(ns / 1e9)));"
        "});"
    )
    assert now == [100, 90, 1]


@pytest.mark.everyday
def test_pages_and_server_show_a_time_alike(driver, page):
    """A clock shows what is left rounded up, and past 0:00 the whole seconds over."""
    second = 1_000_000_000
    parts = (0, 1, second // 2, second - 1)
    times = [at * second + part for at in (0, 1, 59, 60, 1395, 1499) for part in parts]
    times += [-ns for ns in times]
    found = driver.execute_async_script(
        "const [times, done] = arguments;"
        "import('/static/clock.js').then(({ format, passed }) => {"
        "  done([times.map((ns) => format(ns)), times.map((ns) => passed(Math.abs(ns)))]);"
        "});",
        times,
    )
    assert found == [[shown(ns) for ns in times], [passed(abs(ns)) for ns in times]]
