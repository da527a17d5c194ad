"""The director's page of a phone camera: a code to pair one, and how it does."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from sensors.phone import PhoneInbox, PhoneOptions
from table.certificates import pages_certificate
from tests.dashboard.setup_fixtures import Bench
from tests.sensors.phonekit import jpeg

PAGE = "/director/tables/1/camera"


@pytest.fixture
def inbox(desk):
    made = PhoneInbox(PhoneOptions())
    desk.site.add(replace(desk.table, phone=made, bench=Bench()))
    return made


def shown(client) -> str:
    """The page with a new code."""
    answer = client.post(PAGE, data={"csrf_token": client.token})
    assert answer.status_code == 200
    return answer.text


def test_a_code_is_shown_to_the_director_and_pairs_one_phone(desk, inbox, ann):
    desk.app.extensions["tilewatch.address"] = "https://192.168.1.20:8000"
    page = shown(ann)
    assert "<svg" in page
    link = re.search(r"https://192\.168\.1\.20:8000/tables/1/camera#([\w-]+)", page)
    pair = "/tables/1/camera/api/pair"
    assert desk.client(None).post(pair, json={"code": link[1]}).status_code == 200
    assert desk.client(None).post(pair, json={"code": link[1]}).status_code == 403
    done = ann.get("/director/api/journal").json["done"]
    assert (done[0]["by"], link[1] in str(done)) == ("Ann", False)
    assert "pair a phone as the camera" in done[0]["what"]


@pytest.mark.parametrize(("name", "status"), [(None, (302, 401)), ("Otto", (403,))])
def test_nobody_else_is_shown_one(desk, inbox, name, status):
    client = desk.client(name)
    assert client.get(PAGE).status_code in status
    assert client.post(PAGE, data={"csrf_token": client.token}).status_code in status
    assert client.get(f"{PAGE}/api/state").status_code in (401, 403)
    assert ann_of(desk).post(PAGE).status_code == 403  # without the form's token


def ann_of(desk):
    return desk.client("Ann")


def test_it_says_how_the_phone_does(inbox, ann):
    output = ann.get(f"{PAGE}/api/state").json
    assert "pair one on the director's page" in output["says"]
    inbox.begin("page")
    inbox.tell("sending", 0.5, False, ("focus",))
    assert inbox.put(jpeg(), inbox.clock(), captured=True, error_ns=4_000_000)
    output = ann.get(f"{PAGE}/api/state").json
    assert (output["battery"], output["locked"], output["error_ms"]) == (0.5, ["focus"], 4)
    assert (output["size"], output["taken"]) == ([64, 48], 1)
    inbox.tell("refused", 0.5, False, ())
    assert "not allowed to use the camera" in ann.get(f"{PAGE}/api/state").json["says"]


def test_without_tls_it_says_what_to_do(desk, inbox, ann):
    desk.app.extensions["tilewatch.address"] = "http://192.168.1.20:8000"
    assert "tilewatch run --https" in ann.get(PAGE).text


def test_with_its_own_certificate_it_shows_what_a_phone_will_say(desk, inbox, ann, tmp_path):
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


def test_the_set_up_pages_lead_to_it(desk, inbox, ann):
    assert f'href="{PAGE}"' in ann.get("/director/tables/1/setup/calibration").text
    desk.site.add(replace(desk.table, bench=Bench()))
    assert f'href="{PAGE}"' not in ann.get("/director/tables/1/setup/calibration").text
    assert ann.get(PAGE).status_code == 404
