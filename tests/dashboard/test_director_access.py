"""Who may see the director's pages and act on them."""

from __future__ import annotations

import json

import pytest
from werkzeug.routing import AnyConverter, BaseConverter, IntegerConverter

from tests.dashboard.conftest import TURNS
from tests.dashboard.directorkit import GAME, PAGES, READS, WRITES, challenge, post


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_for_who_is_logged_in(desk, game, path):
    game.play(*TURNS[0])
    assert desk.client(None).get(path).status_code == 302
    for name in ("Ann", "Otto"):
        answer = desk.client(name).get(path)
        assert answer.status_code == 200
        assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("path", READS)
def test_nothing_is_read_by_strangers(desk, game, path):
    game.play(*TURNS[0])
    assert desk.client(None).get(path).status_code in (302, 401)
    for name in ("Ann", "Otto"):
        assert desk.client(name).head(path).status_code in (200, 204, 404)


def test_who_only_watches_is_offered_nothing_to_do(desk, game):
    game.play(*TURNS[0])
    for path in PAGES:
        assert '<body class="observer">' in desk.client("Otto").get(path).text
        assert '<body class="director">' in desk.client("Ann").get(path).text
    assert "/director/links" not in desk.client("Otto").get("/director").text


def test_a_page_that_is_not_there_leads_back_to_the_directors_pages(desk, game):
    game.play(*TURNS[0])
    missing = "/director/tables/1/turns/999"
    assert 'href="/director"' in desk.client("Ann").get(missing).text
    assert 'href="/director"' not in desk.client("Ann").get("/tables/none").text


@pytest.mark.parametrize("path", WRITES)
def test_nothing_is_done_by_others(desk, game, path):
    game.play(*TURNS[0])
    before = desk.game.log.last_seq
    body = {"event": challenge(), "why": "it is no word", "left": "X", "code": "director_called"}
    assert post(desk.client(None), path, body).status_code == 401
    otto = desk.client("Otto")
    assert post(otto, path, body).status_code == 403
    ann = desk.client("Ann")
    assert ann.post(path, json=body).status_code == 403  # no token
    assert post(ann, path, body, Origin="http://evil.example").status_code == 403
    assert (
        ann.post(path, data=json.dumps(body), headers={"X-CSRF-Token": otto.token}).status_code
        == 403
    )
    assert desk.game.log.last_seq == before
    assert desk.loop.posted == []


VALUES = {"table_id": "1", "game_id": "game-1"}


def a_value(converter: BaseConverter) -> object:
    """Something that fits a part of an address."""
    if isinstance(converter, AnyConverter):
        return next(iter(converter.items))
    return 1 if isinstance(converter, IntegerConverter) else "a" * 64


def test_every_route_is_guarded(desk):
    """Whatever is added below /director is refused to strangers, and to do, to observers too."""
    known = 0
    for rule in desk.app.url_map.iter_rules():
        if not rule.rule.startswith("/director") or rule.rule == "/director/":
            continue
        known += 1
        known_values = {**VALUES, **(rule.defaults or {})}
        values = {
            arg: known_values.get(arg) or a_value(rule._converters[arg]) for arg in rule.arguments
        }
        path = desk.app.url_map.bind("localhost").build(rule.endpoint, values)
        for method in (rule.methods or set()) - {"OPTIONS", "HEAD"}:
            for name in (None, "Otto"):
                if name is not None and method == "GET":
                    continue  # who may only watch, may watch
                client = desk.client(name)
                answer = client.open(path, method=method, headers={"X-CSRF-Token": client.token})
                assert answer.status_code in (302, 401, 403), (path, method, name)
    assert known >= 15


def test_without_a_data_folder_there_is_no_desk(client, game):
    for path in (*PAGES, *READS):
        assert client.get(path).status_code == 404


@pytest.mark.parametrize(
    "path",
    ["/director/tables/2", "/director/tables/1/turns/9", "/director/tables/1/turns/0",
     "/director/api/tables/1/games/none", f"{GAME}/turns/9",
     "/director/tables/1/turns/1?game=none", "/director/tables/1/turns/-1"],
)  # fmt: skip
def test_what_is_not_there_is_a_404(desk, game, ann, path):
    game.play(*TURNS[0])
    assert ann.get(path).status_code == 404


def test_names_with_markup_are_text(desk, game, ann):
    game.play(*TURNS[0])
    for path in PAGES:
        page = ann.get(path).text
        assert "<b>Byron</b>" not in page
        assert "Table <1>" not in page
    assert "Ada &lt;b&gt;Byron&lt;/b&gt;" in ann.get(PAGES[2]).text


@pytest.mark.parametrize("path", PAGES)
def test_pages_run_no_script_but_ours(desk, game, ann, path):
    game.play(*TURNS[0])
    answer = ann.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert " onclick=" not in answer.text
    assert " style=" not in answer.text
    assert "<script>" not in answer.text
