"""The director's links: what a slot shows, and the links of the clocks."""

from __future__ import annotations

import pytest

from dashboard.accounts.guard import SESSION_COOKIE
from dashboard.overlay.pages import PARTS
from dashboard.qr_code import qr_svg
from dashboard.server import Server
from tests.dashboard.browsing import Page
from tests.dashboard.desk_fixtures import desked


@pytest.fixture
def hall(log, game, tmp_path):
    yield from desked(log, game, tmp_path / "data")


@pytest.fixture
def server(driver, hall):
    """The hall's pages, for a browser that Ann has logged in with."""
    server = Server(hall.app, "127.0.0.1", 0)
    server.start()
    try:
        door = hall.app.extensions["tilewatch.door"]
        session = door.sessions.open(door.accounts.find("Ann"))
        driver.get(f"{server.url}/login")
        driver.add_cookie({"name": SESSION_COOKIE, "value": session.token})
        yield server
    finally:
        driver.delete_all_cookies()
        driver.get("about:blank")
        server.stop()


def tell(client, path, body, why="the%20final"):
    headers = {"X-CSRF-Token": client.token} | ({} if why is None else {"X-Why": why})
    return client.post(path, json=body, headers=headers)


def test_nothing_is_changed_without_a_reason_and_who_and_why_are_kept(hall):
    client = hall.client()
    deeds = (
        ("/director/api/slots", {"name": "stage", "table": "1"}),
        ("/director/api/clock-keys", {"table": "1"}),
        ("/api/v1/tokens", {"name": "OBS", "scope": "overlay"}),
        ("/api/v1/webhooks", {"url": "https://hooks.example/turns"}),
    )
    for path, body in deeds:
        for why in (None, "", "%20", "x" * 401, "a%00b"):
            answer = tell(client, path, body, why)
            assert (answer.status_code, "why" in answer.json["error"]) == (422, True), path
    listed = client.get("/director/api/journal")
    assert listed.json == {"done": []}
    assert client.get("/api/v1/tokens").json == {"tokens": []}
    for path, body in deeds:
        assert tell(client, path, body, "the%20f%C3%AAte").status_code in (200, 201)
    (token,) = client.get("/api/v1/tokens").json["tokens"]
    for why, status in ((None, 422), ("lost", 200)):
        headers = {"X-CSRF-Token": client.token} | ({} if why is None else {"X-Why": why})
        path = f"/api/v1/tokens/{token['id']}"
        assert client.delete(path, headers=headers).status_code == status
    done = client.get("/director/api/journal").json["done"]
    assert [(one["by"], one["why"]) for one in done] == [
        ("Ann", "lost"),
        *[("Ann", "the fête")] * 4,
    ]
    assert done[-1]["what"] == "slot stage shows table 1"
    assert done[0]["what"] == f"token OBS ({token['id']}) was withdrawn"
    for name in (None, "Otto"):
        assert hall.client(name).get("/director/api/journal").status_code in (401, 403)


def test_only_a_director_has_the_links(hall):
    for name, page, api in ((None, 302, 401), ("Otto", 403, 403), ("Ann", 200, 200)):
        client = hall.client(name)
        assert client.get("/director/links").status_code == page
        assert client.get("/director/api/links").status_code == api
        if name != "Ann":
            for path, body in (
                ("/director/api/slots", {"name": "x", "table": "1"}),
                ("/director/api/clock-keys", {"table": "1"}),
            ):
                assert tell(client, path, body).status_code == api
    answer = hall.client("Ann").post("/director/api/slots", json={"name": "x", "table": "1"})
    assert answer.status_code == 403  # without the page's token


def test_a_slot_is_given_a_table(hall):
    client = hall.client()
    answer = tell(client, "/director/api/slots", {"name": "stage", "table": "1"})
    (made,) = [slot for slot in answer.json["slots"] if slot["name"] == "stage"]
    assert (made["assigned"], made["shows"], made["own"]) == ("1", "1", False)
    assert made["overlays"]["scene"] == "/overlay/stage/scene"
    assert client.get(made["overlays"]["scene"]).status_code == 200
    answer = tell(client, "/director/api/slots", {"name": "stage", "table": None})
    assert "stage" not in [slot["name"] for slot in answer.json["slots"]]
    for name, table, status in (("a b", "1", 422), ("x", "9", 404), ("x", 1, 422)):
        sent = {"name": name, "table": table}
        assert tell(client, "/director/api/slots", sent).status_code == status


def test_a_clock_gets_a_new_link(hall):
    client = hall.client()
    before = client.get("/director/api/links").json["tables"][0]["clock"]
    path, key = before.split("#")
    state = f"{path}/api"
    assert client.get(state, headers={"X-Clock-Key": key}).status_code == 200
    after = tell(client, "/director/api/clock-keys", {"table": "1"}).json["tables"][0]["clock"]
    assert client.get(state, headers={"X-Clock-Key": key}).status_code == 403
    new = after.split("#")[1]
    assert client.get(state, headers={"X-Clock-Key": new}).status_code == 200
    assert tell(client, "/director/api/clock-keys", {"table": "9"}).status_code == 404


def test_a_clock_s_link_has_the_address_that_a_phone_reaches_and_a_qr_code(hall):
    hall.app.extensions["tilewatch.address"] = "http://192.168.1.20:8000"
    client = hall.client()
    link = client.get("/director/api/links").json["tables"][0]["clock"]
    assert link.startswith("http://192.168.1.20:8000/tables/1/clock#")
    code = client.get("/director/api/clock-codes/1")
    assert (code.mimetype, code.headers["Cache-Control"]) == ("image/svg+xml", "no-store")
    assert code.text == qr_svg(link, 6)
    assert client.get("/director/api/clock-codes/9").status_code == 404
    for name in (None, "Otto"):
        assert hall.client(name).get("/director/api/clock-codes/1").status_code in (401, 403)


@pytest.mark.browser
@pytest.mark.everyday
def test_the_page_of_links(driver, hall, server):
    page = Page(driver, f"{server.url}/director/links")
    page.wait("document.querySelectorAll('#slots tr').length === 2")
    driver.find_element("css selector", "#new-slot [name=name]").send_keys("stage", "\n")
    page.wait("document.querySelectorAll('#slots tr').length === 3")
    assert hall.app.extensions["tilewatch.slots"].assigned == {"stage": "1"}
    page.click("[aria-label='Remove stage']")
    page.wait("document.querySelectorAll('#slots tr').length === 2")
    driver.find_element("css selector", "#new-token [name=name]").send_keys("<b>OBS</b>", "\n")
    page.wait("!document.querySelector('#made').hidden")
    page.wait("document.querySelector('#tokens b')?.textContent === '<b>OBS</b>'")
    token = page.text("#made code")
    assert token.startswith("tw_")
    page.click("[data-part=unseen] .pick")
    part = f"{server.url}/overlay/feature/unseen?token={token}"
    assert page.text("#preview-address") == part
    driver.get(part)
    page.wait("document.querySelector('#unseen .title').textContent === '100 unseen tiles'")
    driver.get(f"{server.url}/director/links")
    page.wait("document.querySelector('#tokens .danger')")
    page.click("#tokens .danger")
    page.wait("document.querySelector('#tokens').textContent.includes('No token')")
    driver.find_element("css selector", "#new-hook [name=url]").send_keys(
        "https://hooks.example/turns?<b>", "\n"
    )
    page.wait("!document.querySelector('#hook-made').hidden")
    page.wait("document.querySelector('#hooks code')")
    assert page.text("#hooks code") == "https://hooks.example/turns?<b>"
    page.click("#hooks .danger")
    page.wait("document.querySelector('#hooks').textContent.includes('No addresses yet')")
    assert page.text("#clocks code") == f"{server.url}/tables/1/clock#" + (
        hall.app.extensions["tilewatch.clock_keys"].key("1")
    )
    page.click("#clocks [aria-expanded]")
    page.wait("document.querySelector('#clocks .qr').naturalWidth > 0")
    done = "[...document.querySelectorAll('#done-list li')].map((one) => one.textContent)"
    page.wait(f"{done}[0]?.startsWith('webhook https://hooks.example/turns?<b> was removed')")
    assert "Ann · the links are set up" in page.js(f"{done}[0]")
    assert page.troubles() == []


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (1366, 768)])
def test_long_names_and_addresses_leave_their_buttons_in_sight(driver, hall, server, width, height):
    page = Page(driver, f"{server.url}/director/links")
    name = "The stream of the feature table, second camera, spare computer"
    driver.find_element("css selector", "#new-token [name=name]").send_keys(name, "\n")
    page.wait("document.querySelector('#tokens .danger')")
    address = f"https://results.lakeside-open.example/{'turns/' * 12}?key={'0123456789' * 6}"
    driver.find_element("css selector", "#new-hook [name=url]").send_keys(address, "\n")
    page.wait("document.querySelector('#hooks .danger')")
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 900}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        wide = "[...document.querySelectorAll('.scroll')].map((e) => e.scrollWidth - e.clientWidth)"
        assert page.js(wide) == [0, 0, 0]
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.browser
def test_an_overlay_s_address_is_one_that_other_machines_reach(driver, hall, server):
    page = Page(driver, f"{server.url}/director/links")
    address = "document.querySelector('#preview-address').textContent"
    page.wait(f"{address} === '{server.url}/overlay/feature/scene'")
    assert not page.js("document.querySelector('#only-here').hidden")
    advice = page.text("#only-here")
    driver.get(f"{server.url}/tables/1")
    page.click("#share-open")
    page.wait("document.querySelector('#share').open")
    assert page.text("#share [role=status]") == advice  # the same wherever an address stands
    hall.app.extensions["tilewatch.address"] = "http://192.168.1.20:8000"
    page = Page(driver, f"{server.url}/director/links")
    page.wait(f"{address} === 'http://192.168.1.20:8000/overlay/feature/scene'")
    assert page.js("document.querySelector('#only-here').hidden")
    assert page.js("document.querySelector('#preview').src").startswith(server.url)
    assert page.troubles() == []


NOTES = {
    "bingo": "An example. ",
    "challenge": "An example. ",
    "result": "An example. ",
    "unseen": "With a token. ",
    "next": "Empty without ",
    "standings": "Empty without ",
    "title": "Empty without ",
}
"""What a preview says of what it shows."""


@pytest.mark.browser
@pytest.mark.everyday
def test_each_overlay_has_one_button_for_its_whole_address_and_a_preview(driver, hall, server):
    try:
        driver.execute_cdp_cmd("Network.enable", {})
        for width, height in ((390, 844), (844, 390), (1366, 768), (1920, 1080)):
            # How large a preview is does not depend on what it shows: that is loaded once.
            blocked = {"urls": [] if width == 1920 else ["*/overlay/*"]}
            driver.execute_cdp_cmd("Network.setBlockedURLs", blocked)
            size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            page = Page(driver, f"{server.url}/director/links")
            page.wait("document.querySelectorAll('#overlay-parts li').length > 0")
            for part in PARTS:
                page.click(f"[data-part={part}] .pick")
                more = "?sample=yes" if part in ("bingo", "challenge", "result") else ""
                page.wait(f"document.querySelector('#preview').src.endsWith('/{part}{more}')")
                assert page.text("#preview-note").startswith(NOTES.get(part, "")), part
                wide, high, room = page.js(
                    "(() => { const frame = document.querySelector('#preview')"
                    ".getBoundingClientRect();"
                    " const stage = document.querySelector('#preview-stage')"
                    ".getBoundingClientRect();"
                    " return [frame.width - stage.width, frame.height - stage.height,"
                    " document.documentElement.clientWidth - stage.right]; })()"
                )
                assert abs(wide) < 1
                assert abs(high) < 1
                assert room >= 0
        page.wait("document.querySelector('#preview').contentDocument?.title.startsWith('Title')")
        page.click("#overlay-form [name=token]")
        page.wait("!document.querySelector('#token-note').hidden")
        page.wait("document.querySelector('#tokens b')?.textContent.startsWith('overlays, ')")
        driver.execute_script(
            "Object.defineProperty(navigator, 'clipboard', {configurable: true, value:"
            " {writeText: async (text) => { window.copied = text; }}});"
        )
        page.click("[aria-label='Copy the address of unseen']")
        page.wait("window.copied?.includes('/overlay/feature/unseen?token=tw_')")
        driver.get(page.js("window.copied"))
        page.wait("document.querySelector('#unseen .title').textContent === '100 unseen tiles'")
        assert page.troubles() == []
    finally:
        driver.execute_cdp_cmd("Network.disable", {})
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_only_our_own_pages_may_frame_an_overlay(hall):
    for path, allowed in (("/overlay/1/scene", "'self'"), ("/director/links", "'none'")):
        policy = hall.client("Ann").get(path).headers["Content-Security-Policy"]
        assert f"frame-ancestors {allowed}" in policy
    assert "frame-src 'self'" in policy
