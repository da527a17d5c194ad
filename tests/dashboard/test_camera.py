"""A phone as the camera: who may send pictures, and the director's page of it."""

from __future__ import annotations

import re
import time
from dataclasses import replace

import pytest

from dashboard.app import create_app
from dashboard.camera import longest_body
from dashboard.link_keys import CODE_S, LinkKeys, Pairing, camera_address
from dashboard.site import Site, table_over
from sensors.phone import MOST_BYTES, PhoneInbox, PhoneOptions
from table.certificates import pages_certificate
from tests.dashboard.setup_fixtures import Bench
from tests.sensors.phonekit import jpeg

API = "/tables/1/camera/api"


class Phone:
    """A phone's page, without a browser."""

    def __init__(self, app, page: str = "page") -> None:
        self.app, self.page = app, page
        self.client = app.test_client()
        self.key = ""

    def pair(self, code: str) -> int:
        answer = self.client.post(f"{API}/pair", json={"code": code})
        if answer.status_code == 200:
            self.key = answer.json["key"]
        return answer.status_code

    @property
    def headers(self) -> dict[str, str]:
        return {"X-Camera-Key": self.key}

    def ask(self) -> None:
        """Measure the round trip."""
        path = f"{API}/time?page={self.page}"
        number = self.client.get(path, headers=self.headers).json["number"]
        self.client.get(f"{path}&echo={number}", headers=self.headers)

    def tell(self, **more):
        reported = {"page": self.page, "state": "starting", **more}
        return self.client.post(f"{API}/state", json=reported, headers=self.headers)

    def send(self, data: bytes | None = None, t_ns: object = None, **headers: str):
        given = {"X-Page": self.page, "X-Captured": str(t_ns or time.monotonic_ns())}
        return self.client.post(
            f"{API}/picture",
            data=jpeg() if data is None else data,
            headers={**self.headers, **given, **headers},
        )


@pytest.fixture
def inbox():
    return PhoneInbox(PhoneOptions(fps=60))


@pytest.fixture
def app(log, inbox):
    table = table_over(log, id="1", name="Table 1", clock=time.monotonic_ns, phone=inbox)
    plain = table_over(log, id="2", name="Table 2", clock=time.monotonic_ns)
    return create_app(Site((table, plain)))


def code(app) -> str:
    return camera_address(app, "1").partition("#")[2]


@pytest.fixture
def phone(app):
    made = Phone(app)
    assert made.pair(code(app)) == 200
    assert made.tell().status_code == 200
    made.ask()
    return made


def test_a_code_is_good_once_and_for_a_while(app):
    first = code(app)
    assert Phone(app).pair(first) == 200
    assert Phone(app).pair(first) == 403
    now = [0.0]
    pairing = Pairing(LinkKeys("camera"), lambda: now[0])
    late = pairing.code("1")
    now[0] = CODE_S
    assert pairing.redeem("1", late) is None
    older, newer = pairing.code("1"), pairing.code("1")
    assert pairing.redeem("1", older) is None
    assert pairing.redeem("2", newer) is None
    assert pairing.redeem("1", newer) is not None


@pytest.mark.parametrize("wrong", ["", "x", "é", None, 7, ["a"]])
def test_any_other_code_pairs_nothing(app, wrong):
    code(app)
    assert Phone(app).pair(wrong) == 403
    assert Phone(create_app(Site(app.extensions["tilewatch.Site"].tables))).pair("") == 403


def test_pictures_of_the_paired_phone_are_taken(phone, inbox):
    answer = phone.send(t_ns=time.monotonic_ns() - 50_000_000, **{"X-Stamp": "capture"})
    assert answer.json == {"taken": True, "slow": False, "corners": None}
    assert inbox.take(0).jpeg == jpeg()
    assert inbox.state.error_ns is not None


def test_nobody_else_sends_or_learns_anything(app, phone, inbox):
    stranger = Phone(app)
    for key, status in (("", 401), ("wrong", 403), ("ä", 403)):
        stranger.key = key
        assert stranger.send().status_code == status
        assert stranger.tell().status_code == status
        time_of = f"{API}/time?page=x"
        assert stranger.client.get(time_of, headers=stranger.headers).status_code == status
    assert inbox.take(0) is None
    assert stranger.client.get("/director/tables/1/camera/api/state").status_code in (401, 404)
    page = stranger.client.get("/tables/1/camera").text
    assert phone.key not in page


def test_another_phone_ends_the_one_before(app, phone):
    other = Phone(app, "other")
    assert other.pair(code(app)) == 200
    assert phone.send().status_code == 403
    assert "Another phone was paired" in phone.send().json["error"]
    other.tell()
    # No picture counts before the way there and back was measured.
    assert other.send().json == {"taken": False, "slow": True}
    other.ask()
    assert other.send().json["taken"]


def test_of_one_phone_the_page_that_was_opened_last_is_the_camera(app, phone):
    again = Phone(app, "again")
    again.key = phone.key
    again.tell()
    assert phone.send().status_code == 409
    assert phone.tell(state="sending").status_code == 409
    again.ask()
    assert again.send().json["taken"]


@pytest.mark.parametrize("t_ns", ["-1", "1.5", "x", "9" * 20, "²"])
def test_a_time_that_is_none_is_refused(phone, t_ns):
    answer = phone.client.post(
        f"{API}/picture",
        data=jpeg(),
        headers={**phone.headers, "X-Page": "page", "X-Captured": t_ns.encode().decode("latin-1")},
    )
    assert answer.status_code == 400
    assert "X-Captured" in answer.json["error"]


def test_what_is_too_large_is_refused(app, phone, inbox):
    assert phone.send(jpeg() + bytes(MOST_BYTES)).status_code == 413
    allowed = longest_body(app)
    own = {b"x-camera-key": phone.key.encode()}
    path = f"{API}/picture"
    assert allowed(path, own) == MOST_BYTES
    # So much is read from nobody else, of no other table and for nothing else.
    others = [(path, {}), (path, {b"x-camera-key": b"wrong"}), (f"{API}/state", own)]
    others.append((path.replace("1", "2"), own))
    assert {allowed(*one) for one in others} == {256 * 1024}


def test_what_a_page_says_of_itself_is_held_to_what_can_be(phone, inbox):
    impossible = [{"state": "dancing"}, {"state": 7}, {"page": ""}, {"page": "x" * 65}, {"page": 3}]
    assert {phone.tell(**one).status_code in (400, 409) for one in impossible} == {True}
    phone.tell(battery=7, charging="yes", locked=["focus", 3, "x" * 99, *["a"] * 20])
    state = inbox.state
    assert (state.battery, state.charging) == (1.0, None)
    assert state.locked[0] == "focus"
    assert len(state.locked) <= 8
    assert all(len(one) <= 20 for one in state.locked)
    phone.tell(battery=True, locked="focus")
    assert (inbox.state.battery, inbox.state.locked) == (None, ())


def test_a_table_with_another_camera_has_no_such_page(app):
    client = app.test_client()
    assert client.get("/tables/2/camera").status_code == 404
    assert client.post("/tables/2/camera/api/pair", json={"code": ""}).status_code == 404
    assert client.get("/camera").headers["Location"] == "/tables/1/camera"
    assert client.get("/authority.crt").status_code == 404  # these pages have no certificate
    # The page alone may ask for the camera.
    assert "camera=(self)" in client.get("/tables/1/camera").headers["Permissions-Policy"]
    assert "camera=()" in client.get("/").headers["Permissions-Policy"]


def test_another_sites_page_pairs_nothing(app):
    good = code(app)
    answer = app.test_client().post(
        f"{API}/pair", json={"code": good}, headers={"Origin": "https://evil.example"}
    )
    assert answer.status_code == 403
    assert Phone(app).pair(good) == 200


PAGE = "/director/tables/1/camera"


@pytest.fixture
def paired(desk):
    made = PhoneInbox(PhoneOptions())
    desk.site.add(replace(desk.table, phone=made, bench=Bench()))
    return made


def test_a_code_is_shown_to_the_director_and_pairs_one_phone(desk, paired, ann):
    desk.app.extensions["tilewatch.address"] = "https://192.168.1.20:8000"
    page = ann.post(PAGE, data={"csrf_token": ann.token}).text
    assert "<svg" in page
    link = re.search(r"https://192\.168\.1\.20:8000/tables/1/camera#([\w-]+)", page)
    pair = "/tables/1/camera/api/pair"
    assert desk.client(None).post(pair, json={"code": link[1]}).status_code == 200
    assert desk.client(None).post(pair, json={"code": link[1]}).status_code == 403
    done = desk.app.extensions["tilewatch.AdminLog"].newest()
    assert (done[0].by, link[1] in str(done)) == ("Ann", False)
    assert "pair a phone as the camera" in done[0].what


def test_it_says_how_the_phone_does(paired, ann):
    output = ann.get(f"{PAGE}/api/state").json
    assert "pair one on the director's page" in output["says"]
    paired.begin("page")
    paired.tell("sending", 0.5, False, ("focus",))
    assert paired.put(jpeg(), paired.clock(), captured=True, error_ns=4_000_000)
    output = ann.get(f"{PAGE}/api/state").json
    expected = {"battery": 0.5, "locked": ["focus"], "error_ms": 4, "size": [64, 48], "taken": 1}
    assert output == output | expected
    paired.tell("refused", 0.5, False, ())
    assert "not allowed to use the camera" in ann.get(f"{PAGE}/api/state").json["says"]


def test_it_says_what_a_phone_will_say_of_its_certificate_or_of_none(desk, paired, ann, tmp_path):
    desk.app.extensions["tilewatch.address"] = "http://192.168.1.20:8000"
    assert "tilewatch run --https" in ann.get(PAGE).text
    made = pages_certificate(tmp_path, [])
    desk.app.extensions["tilewatch.tls"] = made
    page = ann.get(PAGE).text
    assert made.fingerprint in page
    pictures = re.findall(r'<img src="([^"]+)"', page)
    assert len(pictures) == 3
    for picture in pictures:
        with ann.get(picture) as got:
            assert got.mimetype == "image/svg+xml"
    desk.app.extensions["tilewatch.tls"] = replace(made, authority=None)  # one that was brought
    assert made.fingerprint not in ann.get(PAGE).text


def test_the_set_up_pages_lead_to_it(desk, paired, ann):
    assert f'href="{PAGE}"' in ann.get("/director/tables/1/setup/calibration").text
    desk.site.add(replace(desk.table, bench=Bench()))
    assert f'href="{PAGE}"' not in ann.get("/director/tables/1/setup/calibration").text
    assert ann.get(PAGE).status_code == 404
