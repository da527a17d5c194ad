"""The documentation on the director's pages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from dashboard.director.help import GUIDES

TOP = Path(__file__).resolve().parent.parent.parent


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


def test_every_page_of_the_director_leads_to_it(ann, game):
    game.play("8D", "FIRNS")
    for path in (
        "/director",
        "/director/links",
        "/director/tables/1",
        "/director/tables/1/turns/1",
    ):
        assert 'href="/director/help"' in ann.get(path).text, path


def test_it_is_for_those_who_are_logged_in(desk):
    assert desk.client(None).get("/director/help").status_code == 302
    assert desk.client("Otto").get("/director/help").status_code == 200


def test_an_installation_without_it_says_so(ann, monkeypatch, tmp_path):
    monkeypatch.setattr("dashboard.director.help.top", lambda: tmp_path)
    answer = ann.get("/director/help")
    assert answer.status_code == 404
    assert "was not installed" in answer.text
