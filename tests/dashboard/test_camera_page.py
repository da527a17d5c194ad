"""A phone as the camera, in a real browser whose camera plays a video of a drawn board."""

from __future__ import annotations

import time

import cv2
import numpy as np
import pytest

from game.tileset import load_tile_set
from models.scenes.render import Renderer
from simulation.appearance import look
from tests.dashboard.browsing import Page, offline
from tests.dashboard.phone_fixtures import PhoneTable, phone_browser, write_y4m
from tests.machine import until

pytestmark = pytest.mark.browser

ROWS = ("." * 15,) * 7 + ("...FIRNS.......",) + ("." * 15,) * 7


@pytest.fixture(scope="module")
def board():
    """A drawn board."""
    spec = look(3, load_tile_set("english"))
    noise, turns = np.random.default_rng(3), np.zeros((15, 15), np.int8)
    image = Renderer(spec).frame(ROWS, noise, turns).image
    return cv2.resize(image, (640, 480))


@pytest.fixture(scope="module")
def driver(tmp_path_factory, board):
    """A browser whose camera alternates between the board and a darker one, ten times a second."""
    folder = tmp_path_factory.mktemp("phone")
    write_y4m(folder / "board.y4m", [board, board // 2], 10)
    yield from phone_browser(folder / "profile", folder / "board.y4m")


@pytest.fixture
def table(log, driver):
    made = PhoneTable(log, fps=5, width=640, height=480)
    yield made
    driver.get("about:blank")
    made.close()


def sending(driver, table, link=None) -> Page:
    page = Page(driver, link or table.link())
    page.wait("document.documentElement.dataset.state === 'sending'")
    return page


@pytest.mark.everyday
def test_a_paired_phone_sends_the_board_with_the_times_of_its_capture(driver, table, board):
    before = time.monotonic_ns()
    page = sending(driver, table)
    until(lambda: len(table.frames) >= 5)
    stamps = [frame.t_ns for _, frame in table.frames]
    assert stamps == sorted(set(stamps))
    for arrived_ns, frame in table.frames:
        # Captured before it came, and not long before.
        assert before < frame.t_ns < arrived_ns
        assert arrived_ns - frame.t_ns < 1_500_000_000
        assert frame.image.shape == (480, 640, 3)
        assert frame.jpeg is not None
    bright = max((frame.image for _, frame in table.frames), key=lambda image: image.mean())
    assert np.abs(bright.astype(int) - board).mean() < 12
    page.gives("location.hash", "")  # the code is good once, and is not left in the address
    assert page.hosts() == {table.server.url.removeprefix("http://")}
    page.says("#facts", has="640×480")
    assert page.troubles() == []


def test_without_a_good_code_it_sends_nothing_and_says_so(driver, table):
    page = Page(driver, table.link().partition("#")[0])
    page.js("localStorage.clear()")
    driver.refresh()
    page.says("#word", has="scan the code")
    page = Page(driver, table.link() + "x")
    page.says("#word", has="not valid any more")
    page.gives("document.documentElement.dataset.state", "closed")
    assert table.frames == []
    # Another phone ends the one before.
    page = sending(driver, table)
    table.app.extensions["tilewatch.Pairing"].keys.renew("1")
    page.says("#word", has="Another phone was paired")
    page.gives("document.documentElement.dataset.state", "closed")


def test_a_lost_network_is_said_and_the_camera_comes_back_with_new_pictures(driver, table):
    page = sending(driver, table)
    until(lambda: table.frames)
    with offline(driver):
        page.says("#word", has="Connection lost")
        until(lambda: any("nothing has come from it" in one for one in table.errors))
    back_ns = time.monotonic_ns()
    count = len(table.frames)
    until(lambda: len(table.frames) > count + 2)
    # What was captured meanwhile is not sent afterwards.
    assert all(frame.t_ns > back_ns - 1_500_000_000 for _, frame in table.frames[count:])
    page.says("#word", "")


TAKEN_AWAY = (
    "const track = document.querySelector('#video').srcObject.getVideoTracks()[0];"
    "window.stopped = performance.now(); track.stop(); track.onended();"
)
"""A stop of one's own fires no event."""


def test_a_camera_that_the_phone_takes_away_is_said_and_taken_up_again(driver, table):
    page = sending(driver, table)
    until(lambda: table.frames)
    driver.execute_script(TAKEN_AWAY)
    page.wait("document.documentElement.dataset.state === 'ended'")
    until(lambda: any("taken its camera away" in one for one in table.errors))
    page.click("#again")
    page.wait("document.documentElement.dataset.state === 'sending'")


def test_the_answer_to_a_picture_from_before_does_not_hide_that_the_camera_is_gone(driver, table):
    page = sending(driver, table)
    until(lambda: table.frames)
    driver.execute_script(
        "const real = window.fetch;"
        "window.fetch = (path, what) => path.endsWith('/picture')"
        "  ? real(path, what).then((answer) =>"
        "      new Promise((done) => setTimeout(() => { window.answered = performance.now();"
        "                                               done(answer); }, 1500)))"
        "  : real(path, what);"
    )
    count = len(table.frames)
    until(lambda: len(table.frames) >= count + 2)  # one of them is still unanswered
    driver.execute_script(TAKEN_AWAY)
    page.wait("window.answered > window.stopped && performance.now() > window.stopped + 2000")
    page.gives("document.documentElement.dataset.state", "ended")


TURNING = """
const colours = ['#c00000', '#00c000', '#0000c0', '#c0c000'];
const canvas = document.createElement('canvas');
let angle = 0, follows = true;
window.turnScreen = (degrees) => { angle = degrees; };
window.standStill = () => { follows = false; };
Object.defineProperty(screen, 'orientation', {value: {get angle() { return angle; }}});
const draw = () => {
  const turned = follows ? angle : 0;
  [canvas.width, canvas.height] = turned % 180 ? [480, 640] : [640, 480];
  const pen = canvas.getContext('2d');
  pen.translate(canvas.width / 2, canvas.height / 2);
  pen.rotate(-turned * Math.PI / 180);
  colours.forEach((colour, at) => {
    pen.fillStyle = colour;
    pen.fillRect(at % 2 ? 0 : -320, at > 1 ? 0 : -240, 320, 240);
  });
};
draw();
setInterval(draw, 50);
navigator.mediaDevices.getUserMedia = async () => canvas.captureStream(20);
"""
"""A phone's camera that shows a fixed scene of four colours, and whose pictures are turned with the
screen, as those of phones are."""


@pytest.fixture
def turning(driver):
    """The browser with such a phone's camera."""
    what = "Page.addScriptToEvaluateOnNewDocument"
    added = driver.execute_cdp_cmd(what, {"source": TURNING})
    yield driver
    driver.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", added)


def colours(image):
    """Return the strongest of blue, green and red in each quarter, row by row."""
    height, width = image.shape[:2]
    middles = [(y, x) for y in (height // 4, height * 3 // 4) for x in (width // 4, width * 3 // 4)]
    return ["".join("bgr"[at] for at in range(3) if image[y, x, at] > 90) for y, x in middles]


def newest_after(table, ms=600):
    """Return a frame that was captured so much later."""
    due_ns = time.monotonic_ns() + ms * 1_000_000
    until(lambda: table.frames and table.frames[-1][1].t_ns > due_ns)
    return table.frames[-1][1]


@pytest.mark.parametrize(("angle", "follows"), [(90, True), (180, True), (270, True), (90, False)])
def test_a_screen_that_turns_turns_no_picture(turning, table, angle, follows):
    """Chromium turns its pictures with the screen (``follows``), other browsers do not."""
    page = sending(turning, table)
    assert colours(newest_after(table, 0).image) == ["r", "g", "b", "gr"]
    page.js(f"{'' if follows else 'standStill(), '}turnScreen({angle})")
    frame = newest_after(table)
    assert frame.image.shape == (480, 640, 3)
    assert colours(frame.image) == ["r", "g", "b", "gr"]
    if follows:
        turning.refresh()  # it needs no new code, and knows how it was turned when it was paired
        page.wait("document.documentElement.dataset.state === 'sending'")
        assert colours(newest_after(table).image) == ["r", "g", "b", "gr"]


@pytest.mark.parametrize(
    ("angle", "width", "outline"),
    [
        (0, 640, [[64, 48], [320, 48], [320, 240], [64, 240]]),
        (90, 480, [[48, 576], [48, 320], [240, 320], [240, 576]]),
    ],
)
def test_the_board_is_outlined_as_the_table_found_it(turning, table, angle, width, outline):
    """Also where the screen has turned."""
    page = sending(turning, table)
    page.js(f"turnScreen({angle})")
    newest_after(table)
    page.says("#seen", has="not see a whole board")
    table.show(((64.0, 48.0), (320.0, 48.0), (320.0, 240.0), (64.0, 240.0)))
    page.gives("document.querySelector('#sight').viewBox.baseVal.width", width)
    page.there("#seen[data-seen=true]")
    points = page.js("document.querySelector('#sight polygon').getAttribute('points')")
    near = [[float(one) for one in point.split(",")] for point in points.split()]
    assert np.allclose(near, outline, atol=0.1)


LOCK = """
const done = arguments[arguments.length - 1], drift = arguments[0];
import('/static/camera/lock.js').then(async ({lock}) => {
  const settings = {exposureMode: 'continuous', exposureTime: 312, focusMode: 'continuous',
                    focusDistance: 0.4, whiteBalanceMode: 'continuous'};
  const asked = [];
  let light = 100;
  const track = {
    getCapabilities: () => ({
      exposureMode: ['continuous', 'manual'], exposureTime: {min: 1, max: 900},
      focusMode: ['continuous', 'manual'], focusDistance: {min: 0, max: 1},
      whiteBalanceMode: ['continuous'],
    }),
    getSettings: () => ({...settings}),
    applyConstraints: async ({advanced: [one]}) => {
      asked.push(one);
      Object.assign(settings, one);
      if (one.exposureMode === 'manual') light *= drift;
    },
  };
  const locked = await lock(track, () => light, async () => {});
  done({locked, asked, settings});
});
"""


def test_what_the_browser_lets_it_lock_is_locked_to_what_it_has_reached(driver, table):
    """But not what changes the picture."""
    Page(driver, f"{table.server.url}/")
    reported = driver.execute_async_script(LOCK, 1.1)
    assert reported["locked"] == ["exposure", "focus"]
    assert reported["asked"] == [
        {"exposureMode": "manual", "exposureTime": 312},
        {"focusMode": "manual", "focusDistance": 0.4},
    ]
    reported = driver.execute_async_script(LOCK, 0.5)
    assert reported["locked"] == ["focus"]
    assert reported["settings"]["exposureMode"] == "continuous"


@pytest.mark.everyday
def test_a_refused_camera_is_one_clear_line_with_its_remedy(tmp_path, table, board):
    """In a browser of its own, whose user refuses."""
    write_y4m(tmp_path / "board.y4m", [board], 5)
    switches = ("--use-fake-device-for-media-stream", "--deny-permission-prompts")
    for driver in phone_browser(tmp_path / "profile", tmp_path / "board.y4m", switches):
        page = Page(driver, table.link())
        page.wait("document.documentElement.dataset.state === 'refused'")
        page.says("#word", has="Allow it in the browser’s settings")
        page.there("#again:not([hidden])")
        until(lambda: any("was not allowed to use the camera" in one for one in table.errors))
