"""A published site in a browser: its pages stay up to date from files alone."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from hub.publish.names import file_name
from hub.publish.targets import Folder
from tests.dashboard.browsing import Page
from tests.hub.hubkit import until
from tests.hub.publishkit import Published
from tests.hub.servicekit import play

pytestmark = pytest.mark.browser

_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css",
          ".json": "application/json", ".svg": "image/svg+xml"}  # fmt: skip


class Host:
    """A web server that knows nothing but files, with ETags as nginx has them."""

    def __init__(self, folder: Path) -> None:
        host = self
        self.asked: list[tuple[str, int]] = []

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                path = folder / unquote(urlsplit(self.path).path).lstrip("/")
                data = path.read_bytes() if path.is_file() else None
                tag = f'"{hashlib.md5(data or b"", usedforsecurity=False).hexdigest()}"'
                same = data is not None and self.headers["If-None-Match"] == tag
                status = 404 if data is None else 304 if same else 200
                host.asked.append((self.path, status))
                self.send_response(status)
                body = data if status == 200 else b""
                self.send_header("Content-Type", _KINDS.get(path.suffix, "image/png"))
                self.send_header("Content-Length", str(len(body or b"")))
                self.send_header("ETag", tag)
                self.send_header("Cache-Control", "no-cache")
                if data is not None:
                    written = path.stat().st_mtime
                    self.send_header("Last-Modified", formatdate(written, usegmt=True))
                self.end_headers()
                self.wfile.write(body or b"")

            def log_message(self, *_args) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def site(opened, tmp_path, driver) -> Iterator[tuple[Published, Host]]:
    """A table in mid-game, published below a folder of a host."""
    venue = opened(publish={"every_s": 1})
    play(venue.table("table-1"), 3, turns=3)
    assert until(lambda: venue.same(venue.tables[0]))
    published = Published(venue, Folder(tmp_path / "www/event", plain=True))
    published.step()
    host = Host(tmp_path / "www")
    yield published, host
    driver.get("about:blank")
    host.close()


def more(published: Published, turns: int) -> None:
    """A few more turns are played, and published."""
    table = published.venue.tables[0]
    play(table, 3, turns=turns)
    assert until(lambda: published.venue.same(table))
    published.step()


@pytest.mark.everyday
def test_a_published_page_shows_a_new_turn_without_being_loaded_again(site, driver):
    published, host = site
    page = Page(driver, f"{host.url}/event/tables/table-1/index.html")
    state = "document.querySelector('#link').dataset.state"
    assert until(lambda: page.js(state) in ("live", "stopped"))
    before = page.js("document.querySelectorAll('tr.turn').length")
    page.js("window.mine = 1")
    more(published, 6)
    assert until(lambda: page.js("document.querySelectorAll('tr.turn').length") > 0)
    title = json.loads((published.target._folder / "tables/table-1/live.json").read_text())["view"][
        "players"
    ]["left"]["name"]
    assert until(lambda: page.js("document.title").startswith(title))
    assert page.js("window.mine") == 1
    assert before >= 0
    assert until(lambda: ("/event/tables/table-1/live.json", 304) in host.asked)
    assert [one for one in host.asked if one[1] == 404] == []


def test_an_older_file_of_a_cache_is_passed_over(site, driver):
    published, host = site
    folder = published.target._folder
    old = (folder / "tables/table-1/live.json").read_bytes()
    more(published, 6)
    page = Page(driver, f"{host.url}/event/tables/table-1/index.html")
    count = "document.querySelectorAll('tr.turn').length"
    assert until(lambda: page.js(count) > 0)
    turns = page.js(count)
    host.asked.clear()
    (folder / "tables/table-1/live.json").write_bytes(old)
    assert until(lambda: len([one for one in host.asked if "live.json" in one[0]]) > 2)
    assert page.js(count) == turns


def test_the_hall_is_kept_up_to_date(site, driver):
    published, host = site
    page = Page(driver, f"{host.url}/event/index.html")
    assert until(lambda: page.js("document.querySelector('#link').dataset.state") == "live")
    link = "document.querySelector('#rows a').getAttribute('href')"
    assert until(lambda: page.js(link) == "./tables/table-1/index.html")
    more(published, 6)
    name = published.venue.service.hall.public.rows()[0]["players"]["left"]["name"]
    assert until(lambda: name in page.js("document.querySelector('#rows').textContent"))
    assert [one for one in host.asked if one[1] == 404] == []


def test_scripts_name_files_as_the_publisher_does(site, driver):
    _, host = site
    page = Page(driver, f"{host.url}/event/index.html")
    names = ["table-12", "zoë quill", "a_b", "..", 'x\\y:*?"<>|', "ŁÓDŹ", "ß", "日本", "𝒜 1", "Ⅷ"]
    page.js("window.site = null")
    static = published_static(host, page)
    page.js(f"import('{static}').then((site) => (window.site = site))")
    assert until(lambda: page.js("window.site !== null"))
    for name in names:
        found = page.js(f"window.site.file('/a/' + encodeURIComponent({json.dumps(name)}))")
        assert unquote(found) == f"./a/{file_name(name)}"


def published_static(host: Host, page: Page) -> str:
    """The address of the script that names files."""
    return page.js("new URL('site.js', document.querySelector('script[src]').src).href")
