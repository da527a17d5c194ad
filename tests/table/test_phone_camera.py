"""A running table whose camera is a phone, from its https address to its loop."""

from __future__ import annotations

import http.client
import json
import ssl
import threading
import time
from collections import defaultdict
from urllib.parse import urlsplit

import pytest

from table.certificates import AUTHORITY, FOLDER
from table.config import Buttons, Camera, Serve, TableConfig
from table.live import opened
from table.real_devices import run_real
from table.serving import serve_pages
from tests.machine import PATIENCE_S, until
from tests.sensors.phonekit import jpeg
from tests.table.conftest import FakeReader

API = "/tables/1/camera/api"


class Phone:
    """What a phone's page does, over a real connection."""

    def __init__(self, link: str, authority) -> None:
        parts = urlsplit(link)
        context = ssl.create_default_context(cafile=authority)
        self.line = http.client.HTTPSConnection(parts.netloc, context=context, timeout=PATIENCE_S)
        self.key = ""
        self.key = self.ask("POST", "pair", {"code": parts.fragment})["key"]
        self.ask("POST", "state", {"page": "p", "state": "starting"})
        number = self.ask("GET", f"time?page=p&key={self.key}")["number"]
        self.now_ns = self.ask("GET", f"time?page=p&key={self.key}&echo={number}")["now_ns"]

    def ask(self, method: str, what: str, body: object = None, **headers: str):
        data = body if isinstance(body, bytes) else json.dumps(body)
        kind = {"Content-Type": "application/json", "X-Camera-Key": self.key}
        self.line.request(method, f"{API}/{what}", data, {**kind, **headers})
        with self.line.getresponse() as answer:
            return json.load(answer)

    def send(self, shade: int) -> bool:
        headers = {"X-Page": "p", "X-Captured": str(time.monotonic_ns()), "X-Stamp": "capture"}
        return self.ask("POST", "picture", jpeg(400, 400, shade), **headers)["taken"]


@pytest.fixture
def running(tmp_path):
    """The table at work, and the lines that it has said."""
    config = TableConfig(
        camera=Camera.model_validate({"kind": "phone", "fps": 30}),
        buttons=Buttons(kind="web"),
        serve=Serve(port=0, https=True),
    )
    output: list[str] = []
    reader = FakeReader(taught=defaultdict(lambda: None))  # sees no board anywhere
    with opened(config, tmp_path, output.append, reader=reader) as table:
        serve_pages(table)
        loop = threading.Thread(target=run_real, args=(table,))
        loop.start()
        yield table, output
        table.stop.set()
        loop.join(PATIENCE_S)


def test_a_phone_is_paired_by_the_link_that_is_printed_and_its_pictures_reach_the_loop(
    running, tmp_path
):
    table, output = running
    lost = ("camera_lost", "phone: none has been heard")
    until(lambda: any(one.code == lost[0] for one in table.desk.trouble()))
    (link,) = [line.split()[-1] for line in output if "pair the phone" in line]
    assert any("SHA-256 fingerprint" in line for line in output)
    phone = Phone(link, tmp_path / FOLDER / AUTHORITY)
    assert abs(phone.now_ns - time.monotonic_ns()) < PATIENCE_S * 1e9

    def back() -> bool:
        phone.send(60 + time.monotonic_ns() // 10_000_000 % 100)
        return not table.desk.trouble()

    until(back)
    newest = table.desk.picture()
    assert (newest.width, newest.height) == (400, 400)
    assert 0 <= table.now_ns() - newest.t_ns < PATIENCE_S * 1e9
    phone.ask("POST", "state", {"page": "p", "state": "refused"})
    until(lambda: any("was not allowed" in one.message for one in table.desk.trouble()))
    until(back)
    phone.line.close()
