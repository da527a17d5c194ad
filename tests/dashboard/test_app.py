"""Pages and API, without a network."""

from __future__ import annotations

import io
import re
import tarfile
from html.parser import HTMLParser
from pathlib import Path

import pytest

import dashboard
from dashboard.app import create_app
from dashboard.site import Site
from game.events import Finding
from game.flags import CODES
from tests.dashboard.conftest import NAMES, TURNS, GameInLog


class Tags(HTMLParser):
    """Every start tag with its attributes, and the text inside script and style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.inline = ""
        self._inside: str | None = None
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self._inside = tag if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside:
            self.inline += data.strip()


PAGES = ("/", "/tables/1", "/tables/1?hall", "/tables/1/clock", "/overlay/feature/scene", "/login")


@pytest.mark.parametrize("path", [*PAGES, "/tables/none"])
def test_pages_have_nothing_inline_and_nothing_from_elsewhere(client, path):
    page = Tags(client.get(path).text)
    assert page.inline == ""
    for tag, attributes in page.tags:
        assert not [name for name in attributes if name == "style" or name.startswith("on")], tag
        for name in ("src", "href", "action", "srcset", "poster", "data"):
            value = attributes.get(name)
            assert value is None or re.match(r"^(/(?!/)|#)", value), (tag, value)


def test_the_scripts_and_styles_name_no_host():
    static = Path(dashboard.__file__).parent / "static"
    found = sorted(static.rglob("*.js")) + sorted(static.rglob("*.css"))
    assert len(found) > 20
    for path in found:
        text = path.read_text("utf-8").replace("http://www.w3.org/", "")
        for other in ("http://", "https://", "//cdn", "url(//", "@import"):
            assert other not in text, (path, other)


@pytest.mark.parametrize(
    "path", [*PAGES, "/api/v1/tables", "/api/v1/tables/1", "/static/table.js", "/missing"]
)
def test_every_answer_carries_the_security_headers(client, path):
    with client.get(path) as answer:
        headers = answer.headers
    policy = dict(part.split(" ", 1) for part in headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["base-uri"] == policy["form-action"] == "'none'"
    framed = "/overlay/" in path  # by the links' page, which has a preview
    assert policy["frame-ancestors"] == ("'self'" if framed else "'none'")
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == ("SAMEORIGIN" if framed else "DENY")


def test_the_board_is_drawn_with_every_square_named(client):
    squares = [a for t, a in Tags(client.get("/").text).tags if a.get("role") == "gridcell"]
    assert len(squares) == 225
    assert squares[0]["aria-label"] == "1A, empty, triple word"
    assert squares[112]["aria-label"] == "8H, empty, centre, double word"
    assert len({square["data-name"] for square in squares}) == 225


def test_the_page_links_to_its_own_source(client):
    links = [a.get("href") for t, a in Tags(client.get("/").text).tags if t == "a"]
    assert "/source.tar.gz" in links
    with tarfile.open(fileobj=io.BytesIO(client.get("/source.tar.gz").data)) as tar:
        names = tar.getnames()
        here = tar.extractfile("tilewatch/dashboard/source_code.py").read().decode()
    assert "def archive() -> bytes:" in here
    for name in (
        "game/board.py",
        "record/log/event_log.py",
        "dashboard/static/table.js",
        "LICENSE",
    ):
        assert f"tilewatch/{name}" in names
    assert not [name for name in names if "__pycache__" in name or name.endswith((".db", ".log"))]


def test_tables_before_any_game(client):
    answer = client.get("/api/v1/tables").json
    assert answer["tables"][0]["status"] == "waiting"
    assert client.get("/api/v1/tables/1").json["view"] is None
    assert client.get("/").status_code == 200


def test_the_state_of_a_game(client, game):
    for place, word in TURNS:
        game.play(place, word)
    answer = client.get("/api/v1/tables/1").json
    view = answer["view"]
    assert view["players"]["left"]["name"] == NAMES["left"]
    assert [turn["kind"] for turn in view["turns"]] == [
        "play", "play", "exchange_or_pass", "play", "play", "play",
    ]  # fmt: skip
    assert view["rows"][7] == "...FIRNS......."
    assert view["turns"][0]["score"] == 24
    assert view["clocks"]["running"] == "left"
    assert answer["now_ns"] == 2000 * 10**9
    assert answer["id"].split("-")[0] == str(game.log.last_seq)
    listed = client.get("/api/v1/tables").json["tables"][0]
    assert (listed["id"], listed["status"]) == ("1", "running")
    assert client.get(listed["href"]).json["view"] == view


def test_the_public_is_not_told_what_only_the_director_may_know(client, game, site):
    director_only = {code for code, known in CODES.items() if known.visibility == "director"}
    game.play("8D", "ZOOZZ")
    view = client.get("/api/v1/tables/1").json["view"]
    assert view["audience"] == "public"
    assert not director_only & {flag["code"] for turn in view["turns"] for flag in turn["flags"]}
    assert "unseen" not in view


def test_flags_come_with_their_rule(client, game):
    game.play("8D", "FIRNS", [Finding("misoriented_tile", "8F", "upside down")])
    flag = client.get("/api/v1/tables/1").json["view"]["turns"][0]["flags"][0]
    assert (flag["code"], flag["squares"], flag["rule"]) == ("misoriented_tile", ["8F"], "4.5")


def test_a_new_game_takes_the_table_over(client, game, log):
    game.play("8D", "FIRNS")
    GameInLog(log, "game-2").start({"left": "C", "right": "D"})
    view = client.get("/api/v1/tables/1").json["view"]
    assert (view["game_id"], view["turns"]) == ("game-2", [])


@pytest.mark.parametrize("path", ["/tables/2", "/api/v1/tables/2", "/api/v1/tables/2/events"])
def test_an_unknown_table_is_a_404(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "no table" in (answer.json["error"] if path.startswith("/api") else answer.text)


def test_an_unknown_table_named_with_markup_stays_text(client):
    assert "<script>" not in client.get("/tables/%3Cscript%3Ealert(1)%3C/script%3E").text


def test_nothing_can_be_written(client):
    for method in ("post", "put", "delete", "patch"):
        assert getattr(client, method)("/api/v1/tables/1").status_code == 405


def test_a_site_without_tables_says_so():
    app = create_app(Site(()))
    assert app.test_client().get("/").status_code == 404


def test_the_scripts_of_a_table_are_fetched_at_once(client, game):
    page = client.get("/").get_data(as_text=True)
    named = re.findall(r'<link rel="modulepreload" href="([^"]+)"', page)
    assert "/static/turns.js" in named
    assert {client.get(path, buffered=True).status_code for path in named} == {200}
    assert page.index("</main>") < page.index("modulepreload")  # after all that is painted first
