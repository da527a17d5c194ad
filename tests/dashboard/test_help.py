"""The documentation on the director's pages."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from dashboard.director.help import GUIDES, guide

TOP = Path(__file__).resolve().parent.parent.parent


def test_every_guide_is_installed_and_shown(ann):
    project = tomllib.loads((TOP / "pyproject.toml").read_text("utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    for name, title in GUIDES.items():
        assert f"docs/{name}.md" in wheel["extra-metadata"]
        blocks = list(guide(name))
        assert blocks[0].kind == "heading"
        shown = [
            cell for block in blocks if block.kind != "code" for row in block.lines for cell in row
        ]
        assert not [text for text in shown if re.search(r"\]\(|!\[|\*\*|^#|^- |^\|", text)]
        page = ann.get(f"/director/help/{name}", follow_redirects=True)
        assert page.status_code == 200
        assert f">{title}</a>" in page.text
    assert ann.get("/director/help/architecture").status_code == 404


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
