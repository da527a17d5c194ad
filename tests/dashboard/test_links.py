"""The director's links: what a slot shows, and the links of the clocks."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from dashboard.overlay.pages import PARTS
from dashboard.qr_code import qr_svg
from tests.dashboard.browsing import Page


@pytest.fixture
def server(browser, url) -> SimpleNamespace:
    """The pages, for a browser that Ann has logged in with."""
    return SimpleNamespace(url=url)


def tell(client, path, body, why="the%20final"):
    headers = {"X-CSRF-Token": client.token} | ({} if why is None else {"X-Why": why})
    return client.post(path, json=body, headers=headers)


def test_who_changed_what_is_kept_and_why_if_it_was_given(desk):
    client = desk.client()
    deeds = (
        ("/director/api/slots", {"name": "stage", "table": "1"}),
        ("/director/api/clock-keys", {"table": "1"}),
        ("/api/v1/tokens", {"name": "OBS", "scope": "overlay"}),
        ("/api/v1/webhooks", {"url": "https://hooks.example/turns"}),
    )
    for path, body in deeds:
        for why in ("x" * 401, "a%00b"):
            answer = tell(client, path, body, why)
            assert (answer.status_code, "why" in answer.json["error"]) == (422, True), path
    journal = desk.app.extensions["tilewatch.AdminLog"]
    assert journal.newest() == []
    assert client.get("/api/v1/tokens").json == {"tokens": []}
    for path, body in deeds:
        why = None if "slots" in path else "the%20f%C3%AAte"
        assert tell(client, path, body, why).status_code in (200, 201)
    (token,) = client.get("/api/v1/tokens").json["tokens"]
    headers = {"X-CSRF-Token": client.token, "X-Why": "lost"}
    assert client.delete(f"/api/v1/tokens/{token['id']}", headers=headers).status_code == 200
    done = journal.newest()
    assert [(one.by, one.why) for one in done] == [
        ("Ann", "lost"),
        *[("Ann", "the fête")] * 3,
        ("Ann", ""),
    ]
    assert done[-1].what == "slot stage shows table 1"
    assert done[0].what == f"token OBS ({token['id']}) was withdrawn"


@pytest.mark.parametrize("path", ["links", "api/links", "api/clock-codes/1"], ids=lambda path: path)
def test_only_a_director_has_the_links(desk, path):
    asked = [desk.client(name).get(f"/director/{path}") for name in (None, "Otto", "Ann")]
    assert [one.status_code for one in asked] == [302 if path == "links" else 401, 403, 200]


def test_a_slot_is_given_a_table(desk):
    client = desk.client()
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


def test_a_slot_that_follows_a_player_says_whom(desk):
    client = desk.client()
    sent = {"name": "star", "table": None, "player": "José & Søren"}
    answer = tell(client, "/director/api/slots", sent)
    (made,) = [slot for slot in answer.json["slots"] if slot["name"] == "star"]
    assert (made["player"], made["assigned"], made["shows"]) == ("José & Søren", None, "1")
    assert "follows José &amp; Søren" in client.get("/director/links").text
    desk.app.extensions["tilewatch.Slots"].assign("star", None, "Nobody")  # has left since
    shown = client.get("/director/show?slot=star").text
    assert "no table, following Nobody<" in shown
    assert "data-fresh>Nothing on air: nobody called Nobody" in shown
    assert client.get("/overlay/star/scene").status_code == 200  # nothing is on air


def test_a_slot_follows_nobody_who_is_not_there(desk):
    client = desk.client()
    sent = {"name": "star", "table": None, "player": "José & Søren"}
    tell(client, "/director/api/slots", sent)
    answer = tell(client, "/director/api/slots", sent | {"player": "Jose uzu"})
    assert answer.status_code == 422
    assert "nobody called Jose uzu" in answer.json["error"]
    assert ", following José &amp; Søren<" in client.get("/director/show?slot=star").text


def test_a_clock_gets_a_new_link(desk):
    client = desk.client()
    before = client.get("/director/api/links").json["tables"][0]["clock"]
    path, key = before.split("#")
    state = f"{path}/api"
    assert client.get(state, headers={"X-Clock-Key": key}).status_code == 200
    after = tell(client, "/director/api/clock-keys", {"table": "1"}).json["tables"][0]["clock"]
    assert client.get(state, headers={"X-Clock-Key": key}).status_code == 403
    new = after.split("#")[1]
    assert client.get(state, headers={"X-Clock-Key": new}).status_code == 200
    assert tell(client, "/director/api/clock-keys", {"table": "9"}).status_code == 404


def test_a_clock_s_link_has_the_address_that_a_phone_reaches_and_a_qr_code(desk):
    desk.app.extensions["tilewatch.address"] = "http://192.168.1.20:8000"
    client = desk.client()
    link = client.get("/director/api/links").json["tables"][0]["clock"]
    assert link.startswith("http://192.168.1.20:8000/tables/1/clock#")
    code = client.get("/director/api/clock-codes/1")
    assert (code.mimetype, code.headers["Cache-Control"]) == ("image/svg+xml", "no-store")
    assert code.text == qr_svg(link, 6)
    assert client.get("/director/api/clock-codes/9").status_code == 404


@pytest.mark.browser
@pytest.mark.everyday
def test_the_page_of_links(driver, desk, server):
    page = Page(driver, f"{server.url}/director/links")
    page.there("#slots tr", 2)
    driver.find_element("css selector", "#new-slot [name=name]").send_keys("stage", "\n")
    page.there("#slots tr", 3)
    assert desk.app.extensions["tilewatch.Slots"].assigned == {"stage": "1"}
    page.click("[aria-label='Remove stage']")
    page.there("#slots tr", 2)
    driver.find_element("css selector", "#new-token [name=name]").send_keys("<b>OBS</b>", "\n")
    page.there("#made:not([hidden])")
    page.says("#tokens b", "<b>OBS</b>")
    token = page.text("#made code")
    assert token.startswith("tw_")
    page.click("[data-part=unseen] .pick")
    page.says("#preview-address", f"{server.url}/overlay/feature/unseen?token={token}")
    page.click("#tokens .danger")
    page.says("#tokens", has="No token")
    driver.find_element("css selector", "#new-hook [name=url]").send_keys(
        "https://hooks.example/turns?<b>", "\n"
    )
    page.there("#hook-made:not([hidden])")
    page.says("#hooks code", "https://hooks.example/turns?<b>")
    page.click("#hooks .danger")
    page.says("#hooks", has="No addresses yet")
    page.says(
        "#clocks code",
        f"{server.url}/tables/1/clock#" + (desk.app.extensions["tilewatch.LinkKeys"].key("1")),
    )
    page.click("#clocks summary")
    page.wait("document.querySelector('#clocks .qr').naturalWidth > 0")
    done = "[...document.querySelectorAll('#done-list li')].map((one) => one.textContent)"
    page.wait(f"{done}[0]?.startsWith('webhook https://hooks.example/turns?<b> was removed')")
    page.reads(f"{done}[0]", has="Ann · ")


@pytest.mark.browser
@pytest.mark.parametrize(("width", "height"), [(390, 844), (844, 390), (1366, 768)])
def test_long_names_and_addresses_leave_their_buttons_in_sight(
    driver, desk, server, width, height, screen
):
    page = Page(driver, f"{server.url}/director/links")
    name = "The stream of the feature table, second camera, spare computer"
    driver.find_element("css selector", "#new-token [name=name]").send_keys(name, "\n")
    page.there("#tokens .danger")
    address = f"https://results.lakeside-open.example/{'turns/' * 12}?key={'0123456789' * 6}"
    driver.find_element("css selector", "#new-hook [name=url]").send_keys(address, "\n")
    page.there("#hooks .danger")
    screen(width, height, mobile=width < 900)
    wide = "[...document.querySelectorAll('.scroll')].map((e) => e.scrollWidth - e.clientWidth)"
    page.gives(wide, [0, 0, 0])


@pytest.mark.browser
def test_an_overlay_s_address_is_one_that_other_machines_reach(driver, desk, server):
    page = Page(driver, f"{server.url}/director/links")
    address = "document.querySelector('#preview-address').textContent"
    page.wait(f"{address} === '{server.url}/overlay/feature/scene'")
    page.there("#only-here:not([hidden])")
    advice = page.text("#only-here")
    driver.get(f"{server.url}/tables/1")
    page.click("#share-open")
    page.there("#share[open]")
    page.says("#share [role=status]", advice)  # the same wherever an address stands
    desk.app.extensions["tilewatch.address"] = "http://192.168.1.20:8000"
    page = Page(driver, f"{server.url}/director/links")
    page.wait(f"{address} === 'http://192.168.1.20:8000/overlay/feature/scene'")
    page.there("#only-here[hidden]")
    page.reads("document.querySelector('#preview').src", starts=server.url)


NOTES = {
    "bingo": "An example. ",
    "challenge": "An example. ",
    "result": "An example. ",
    "unseen": "With a token. ",
    "next": "Empty without ",
    "standings": "Empty without ",
    "title": "Empty without ",
    "clip": "With a token",
    "show": "Empty until ",
    "speech": "Silent until ",
}
"""What a preview says of what it shows."""


@pytest.mark.browser
def test_each_overlay_has_one_button_for_its_whole_address_and_a_preview(
    driver, desk, server, screen
):
    try:
        driver.execute_cdp_cmd("Network.enable", {})
        for width, height in ((390, 844), (1366, 768), (1920, 1080)):
            # How large a preview is does not depend on what it shows: that is loaded once.
            blocked = {"urls": [] if width == 1920 else ["*/overlay/*"]}
            driver.execute_cdp_cmd("Network.setBlockedURLs", blocked)
            screen(width, height, mobile=False)
            page = Page(driver, f"{server.url}/director/links")
            page.there("#overlay-parts li")
            for part in PARTS if width == 1920 else tuple(PARTS)[:2]:
                page.click(f"[data-part={part}] .pick")
                more = "?sample=yes" if part in ("bingo", "challenge", "result") else ""
                page.wait(f"document.querySelector('#preview').src.endsWith('/{part}{more}')")
                page.says("#preview-note", starts=NOTES.get(part, ""))
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
        page.click("[data-part=title] .pick")
        page.wait("document.querySelector('#preview').contentDocument?.title.startsWith('Title')")
        page.click("#overlay-form [name=token]")
        page.there("#token-note:not([hidden])")
        page.says("#tokens b", starts="overlays, ")
        driver.execute_script(
            "Object.defineProperty(navigator, 'clipboard', {configurable: true, value:"
            " {writeText: async (text) => { window.copied = text; }}});"
        )
        page.click("[aria-label='Copy the address of unseen']")
        page.wait("window.copied?.includes('/overlay/feature/unseen?token=tw_')")
        driver.get(page.js("window.copied"))
        page.says("#unseen .title", "100 unseen tiles")
    finally:
        driver.execute_cdp_cmd("Network.disable", {})
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@pytest.mark.browser
def test_no_address_is_offered_that_would_be_refused(driver, desk, server):
    page = Page(driver, f"{server.url}/director/links")
    page.there("#refused[hidden]")
    set_delay = (
        "(() => { const field = document.querySelector('#overlay-form [name=delay]');"
        " field.value = '%s'; field.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )
    page.js(set_delay % 31)
    page.says("#refused", starts="Without a token choose a delay of 5, 10")
    page.there("[data-copy][aria-label^='Copy the address of']:enabled", 0)
    page.there("#preview-stage[hidden]")
    page.js(set_delay % 30)
    page.there("#refused[hidden]")
    page.there("[data-copy][aria-label='Copy the address of scene']:enabled")
