"""Pages and API without a network, and the files that they need."""

from __future__ import annotations

import gzip
import io
import posixpath
import re
import shutil
import subprocess
import tarfile
import tomllib
from pathlib import Path

import pytest
from werkzeug.http import parse_options_header

import dashboard
import hub
from dashboard import source_code
from dashboard.app import create_app
from dashboard.director.help import GUIDES
from dashboard.responses import disposition
from dashboard.site import Site
from dashboard.static_files import imported
from tests.dashboard.conftest import NAMES, TURNS

PAGES = ("/", "/tables/1", "/tables/1?hall", "/tables/1/clock", "/overlay/feature/scene", "/login")


@pytest.mark.parametrize("path", [*PAGES, "/tables/none"])
def test_pages_have_nothing_inline_and_nothing_from_elsewhere(client, path):
    page = client.get(path).text
    assert not re.search(r"<(script|style)\b[^>]*>\s*[^<\s]", page)
    assert not re.search(r"<[^>]*\s(style|on\w+)=", page)
    links = re.findall(r'<[^>]*?\s(?:src|href|action|srcset|poster|data)="([^"]*)"', page)
    assert len(links) > 3
    assert [link for link in links if not re.match(r"/(?!/)|#", link)] == []


def test_the_scripts_and_styles_name_no_host():
    static = Path(dashboard.__file__).parent / "static"
    found = [*static.rglob("*.js"), *static.rglob("*.css")]
    assert len(found) > 20
    for path in found:
        text = path.read_text("utf-8").replace("http://www.w3.org/", "")
        assert not re.search(r"https?://|//cdn|url\(//|@import", text), path


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
    page = client.get("/").text
    squares = dict(re.findall(r'data-name="(\w+)"[^>]*aria-label="([^"]+)"', page))
    assert len(squares) == page.count('role="gridcell"') == 225
    assert squares["1A"] == "1A, empty, triple word"
    assert squares["8H"] == "8H, empty, centre, double word"


def test_the_page_links_to_its_own_source(client):
    assert re.search(r'<a [^>]*href="/source.tar.gz"', client.get("/").text)
    with tarfile.open(fileobj=io.BytesIO(client.get("/source.tar.gz").data)) as tar:
        here = tar.extractfile("tilewatch/dashboard/source_code.py").read().decode()
        names = set(tar.getnames())
    assert "def archive() -> bytes:" in here
    for name in ("models/weights/tiles.onnx", "tools/train/__main__.py", "tools/train/tiles.yaml"):
        assert f"tilewatch/{name}" in names


def test_the_state_of_a_game(client, game):
    game.plays(TURNS)
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


@pytest.mark.parametrize("path", ["/tables/2", "/api/v1/tables/2", "/api/v1/tables/2/events"])
def test_an_unknown_table_is_a_404(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
    assert "no table" in (answer.json["error"] if path.startswith("/api") else answer.text)
    assert "<script>" not in client.get("/tables/%3Cscript%3Ealert(1)%3C/script%3E").text


def test_a_site_without_tables_says_so():
    app = create_app(Site(()))
    assert app.test_client().get("/").status_code == 404


def test_the_scripts_of_a_table_are_fetched_at_once(client, game):
    page = client.get("/").get_data(as_text=True)
    named = re.findall(r'<link rel="modulepreload" href="([^"]+)"', page)
    assert "/static/turns.js" in named
    assert {client.get(path, buffered=True).status_code for path in named} == {200}
    assert page.index("</main>") < page.index("modulepreload")  # after all that is painted first


STATIC = Path(dashboard.__file__).parent / "static"
TAKES = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture(scope="module")
def files():
    return create_app(Site(())).test_client()


def get(files, path, headers):
    return files.get(path, headers=headers, buffered=True)


@pytest.mark.parametrize("name", ["table.js", "table.css", "icon.svg", "overlay/page.js"])
def test_text_is_sent_in_gzip_to_whoever_takes_it(files, name):
    whole = (STATIC / name).read_bytes()
    plain = get(files, f"/static/{name}", headers={"Accept-Encoding": "identity"})
    assert plain.data == whole
    assert "Content-Encoding" not in plain.headers
    packed = get(files, f"/static/{name}", headers=TAKES)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == whole
    assert int(packed.headers["Content-Length"]) == len(packed.data) < len(whole)
    assert packed.content_type == plain.content_type
    for answer in (plain, packed):
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert answer.headers["Cache-Control"] == "no-cache"  # asked for again, seldom sent again


def test_each_representation_has_its_own_etag(files):
    plain = get(files, "/static/table.js", headers={"Accept-Encoding": "identity"}).headers["ETag"]
    packed = get(files, "/static/table.js", headers=TAKES).headers["ETag"]
    assert plain != packed
    known = get(files, "/static/table.js", headers=TAKES | {"If-None-Match": packed})
    assert (known.status_code, known.data) == (304, b"")
    assert known.headers["ETag"] == packed
    assert known.headers["Vary"] == "Accept-Encoding"
    assert "Content-Encoding" not in known.headers
    other = get(
        files, "/static/table.js", headers={"Accept-Encoding": "identity", "If-None-Match": packed}
    )
    assert (other.status_code, other.headers["ETag"]) == (200, plain)


def test_pictures_and_parts_of_files_are_sent_as_they_are(files):
    picture = get(files, "/static/touch-icon.png", headers=TAKES)
    assert picture.data == (STATIC / "touch-icon.png").read_bytes()
    assert "Content-Encoding" not in picture.headers
    part = get(files, "/static/table.js", headers=TAKES | {"Range": "bytes=0-9"})
    assert part.status_code == 206
    assert part.data == (STATIC / "table.js").read_bytes()[:10]
    assert "Content-Encoding" not in part.headers


def test_nothing_is_sent_twice_to_a_head_request(files):
    answer = files.head("/static/table.js", headers=TAKES, buffered=True)
    assert (answer.status_code, answer.data) == (200, b"")
    assert answer.headers["Content-Encoding"] == "gzip"


TOP = Path(__file__).resolve().parents[2]
NO_PACKAGES = {"tests", "benchmarks", "docs"}


@pytest.fixture(scope="module")
def names():
    with tarfile.open(fileobj=io.BytesIO(source_code.archive())) as tar:
        return {name.removeprefix("tilewatch/") for name in tar.getnames()}


def test_what_building_and_installing_take_is_in_it_and_nothing_that_was_made_by_running(names):
    packages = {path.parent.name for path in TOP.glob("*/__init__.py")} - NO_PACKAGES
    assert "hub" in packages
    assert packages == {name.split("/")[0] for name in names if name.endswith("/__init__.py")}
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))["project"]
    scripts = {"install.sh", "deploy/install-pi.sh", "deploy/hub/install.sh"}
    assert {"pyproject.toml", project["readme"], *project["license-files"], *scripts} <= names
    made = ("__pycache__", ".db", ".log", ".pt", ".key")
    assert not [name for name in names if any(part in name for part in made)]


def test_every_tracked_file_of_a_package_is_in_it(names):
    if shutil.which("git") is None or not (TOP / ".git").exists():
        pytest.skip("not a git checkout")
    packages = sorted({name.split("/")[0] for name in names if "/" in name} - {"docs"})
    listed = subprocess.run(
        ["git", "-C", str(TOP), "-c", f"safe.directory={TOP}", "ls-files", "-z", "--", *packages],
        capture_output=True,
        check=True,
        text=True,
    )
    tracked = {name for name in listed.stdout.split("\0") if name and (TOP / name).is_file()}
    assert tracked
    assert tracked <= names


def test_an_installed_wheel_has_the_files_in_its_metadata(tmp_path, monkeypatch):
    """Without a checkout beside the packages, what building takes comes from the metadata."""
    metadata = tmp_path / "tilewatch-1.dist-info" / "extra_metadata"
    metadata.mkdir(parents=True)
    shutil.copy(TOP / "pyproject.toml", metadata)
    (tmp_path / "tilewatch-1.dist-info" / "METADATA").write_text("Name: tilewatch\nVersion: 1\n")
    (tmp_path / "tilewatch-1.dist-info" / "RECORD").write_text(
        "tilewatch-1.dist-info/METADATA,,\ntilewatch-1.dist-info/extra_metadata/pyproject.toml,,\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(source_code, "__file__", str(tmp_path / "dashboard" / "source_code.py"))
    found = dict(source_code._files())
    assert found["pyproject.toml"] == metadata / "pyproject.toml"
    assert "hub/service.py" in found


ROOMS = {"static": Path(dashboard.__file__).parent, "hub.static": Path(hub.__file__).parent}
PLACES = {"static": ROOMS["static"] / "static", "hub.static": ROOMS["hub.static"] / "static"}
SERVED = {"/static/hub": PLACES["hub.static"], "/static": PLACES["static"]}
MOST = 152_500
"""Bytes of script in all on one page, unpacked, without the formatter's indentation."""

MOST_OF_SPECTATORS = 72_000
"""The same on the page of a table, which phones in the hall load."""

ON_DEMAND = 44_000
"""The same of the script that a page loads later; 4,700 of them are for published files alone."""

IMPORT = re.compile(r"""(?:import|from)\s*["'](\.[^"']+)["']""")
LATER = re.compile(r"""import\(["'](\.[^"']+)["']\)""")
TAG = re.compile(r"url_for\('((?:hub\.)?static)', filename='([^']+\.js)'\)")
PART = re.compile(r"""\{% (?:extends|include|import) "([^"]+)\"""")
TEMPLATES = sorted(path for room in ROOMS.values() for path in room.glob("templates/**/*.html"))


def address(script: Path) -> str:
    """The path at which a script is served."""
    for prefix, folder in SERVED.items():
        if script.is_relative_to(folder):
            return f"{prefix}/{script.relative_to(folder).as_posix()}"
    raise AssertionError(script)


def served(path: str) -> Path:
    """The script that is served there."""
    prefix = next(prefix for prefix in SERVED if path.startswith(f"{prefix}/"))
    return SERVED[prefix] / path.removeprefix(f"{prefix}/")


def needed(script: Path, found: dict[Path, int]) -> None:
    """Add a script and whatever it imports to ``found``, with their sizes."""
    if script in found:
        return
    text = script.read_text("utf-8")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    found[script] = len("\n".join(lines).encode())
    for name in IMPORT.findall(text):
        needed(served(posixpath.normpath(posixpath.join(address(script), "..", name))), found)


def scripts(template: Path) -> dict[Path, int]:
    """The scripts of a page: its own, and those of the templates that it is made of."""
    found: dict[Path, int] = {}
    text = template.read_text("utf-8")
    for place, name in TAG.findall(text):
        needed(PLACES[place] / name, found)
    for name in PART.findall(text):
        part = next(p for room in ROOMS.values() if (p := room / "templates" / name).exists())
        found |= scripts(part)
    return found


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_page_takes_more_script_than_a_phone_takes_well(template):
    at_once = scripts(template)
    spectators = template == ROOMS["static"] / "templates/table.html"
    assert sum(at_once.values()) <= (MOST_OF_SPECTATORS if spectators else MOST)
    later: dict[Path, int] = {}
    for script in at_once:
        for name in LATER.findall(script.read_text("utf-8")):
            needed(served(posixpath.normpath(posixpath.join(address(script), "..", name))), later)
    assert sum(size for script, size in later.items() if script not in at_once) <= ON_DEMAND
    if template.match("director/table.html"):
        assert {"game_deeds.js", "record_deeds.js"} <= {script.name for script in later}


@pytest.mark.parametrize("script", ["table.js", "director/table.js"])
def test_a_page_names_whatever_its_script_imports(script):
    """Else a browser asks for each step of the imports only once it has read the one before."""
    found: dict[Path, int] = {}
    needed(PLACES["static"] / script, found)
    assert {PLACES["static"] / name for name in (script, *imported(script))} == set(found)


ODD = {
    "A.t": "A.t",
    "Ligue élite.t": "Ligue élite.t",
    "Žáci ŠKOLY.t": "Žáci ŠKOLY.t",
    "日本.t": "日本.t",
    "😀.t": "😀.t",
    'a"; filename=evil.exe;.t': "a-; filename=evil.exe;.t",
    "a\r\nSet-Cookie: x=1.t": "a--Set-Cookie- x=1.t",
    "../../etc/passwd": "-.-etc-passwd",
    "a\\b:c*d?.t": "a-b-c-d-.t",
    "a\u202eb\u2028c\x85\ud800.t": "a-b-c--.t",
    "100%.t": "100%.t",
    " .t": "file.t",
    "": "file",
    "x" * 500 + ".t": "x" * 119 + ".t",
}


@pytest.mark.parametrize("name", sorted(ODD))
def test_a_browser_reads_the_name_that_was_meant(name):
    header = disposition(name)
    header.encode("ascii")
    assert header.isprintable()
    kind, found = parse_options_header(header)
    assert kind == "attachment"
    assert found == {"filename": ODD[name]}


def test_an_old_program_gets_a_name_in_ascii():
    assert disposition("Žáci.t").startswith("attachment; filename=Zaci.t;")
    assert disposition("A B;.t") == 'attachment; filename="A B;.t"'


def test_every_guide_is_installed_and_shown(ann):
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    for name, title in GUIDES.items():
        assert f"docs/{name}.md" in wheel["extra-metadata"]
        page = ann.get(f"/director/help/{name}", follow_redirects=True)
        assert page.status_code == 200
        assert f">{title}</a>" in page.text
        body = re.sub(r"(?s)<(pre|code)>.*?</\1>", "", page.text)
        assert not re.search(r"\]\(|!\[|\*\*\w|<img|&lt;img", body)
    assert ann.get("/director/help/architecture").status_code == 404


def test_the_guides_links_lead_to_what_is_there(ann):
    pages = {name: ann.get(f"/director/help/{name}", follow_redirects=True).text for name in GUIDES}
    ids = {name: set(re.findall(r'<h\d id="([^"]+)"', text)) for name, text in pages.items()}
    links = 0
    for name, text in pages.items():
        guide = text[text.index('class="guide"') :]
        for href in re.findall(r'<a href="([^"]+)"', guide):
            page, _, anchor = href.partition("#")
            if href.startswith("https://"):
                continue
            to = page.removeprefix("/director/help").removeprefix("/") if page else name
            to = to or "director"  # the first guide has the address of the help itself
            assert to in GUIDES, (name, href)
            assert not anchor or anchor in ids[to], (name, href)
            links += 1
    assert links > 20


def test_marks_tables_and_code_are_shown_as_such(ann):
    text = ann.get("/director/help").text
    assert "<strong>Trouble</strong>" in text
    assert "<code>/director</code>" in text
    assert re.search(r"<pre><code>tilewatch accounts add &quot;Ann Ruler&quot;", text)
    assert "<td>" in text
    assert "<th></th>" not in text


def test_an_installation_without_it_says_so(ann, monkeypatch, tmp_path):
    monkeypatch.setattr("dashboard.director.help.top", lambda: tmp_path)
    answer = ann.get("/director/help")
    assert answer.status_code == 404
    assert "was not installed" in answer.text
