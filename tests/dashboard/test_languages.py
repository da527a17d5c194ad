"""The public texts in the reader's language, and the catalogue that they are in."""

from __future__ import annotations

import json
import re
from datetime import datetime

import pytest

from dashboard.app import create_app
from dashboard.languages import GIVEN, NAMES, day, decimal, language, script_texts
from dashboard.site import Site

pytest.importorskip("babel", reason="sh install.sh --dev")
from babel.messages.pofile import read_po

from tests.unmarkedkit import in_script, in_template
from tools import catalogue


@pytest.fixture
def app():
    return create_app(Site(()), language="fr")


def asked(app, path: str = "/", **headers: str) -> str:
    with app.test_request_context(path, headers=headers):
        return language()


def test_the_browser_s_language_is_taken_and_the_event_s_where_it_names_none_of_ours(app):
    assert asked(app, **{"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}) == "de"
    assert asked(app, **{"Accept-Language": "ja"}) == "fr"
    assert asked(app) == "fr"


def test_a_choice_stays_and_leads_back_to_its_page(app):
    client = app.test_client()
    came_from = {"Referer": "http://localhost/event/standings?x=1"}
    answer = client.get("/language/de", headers=came_from)
    assert answer.status_code == 302
    assert answer.location == "/event/standings?x=1"
    page = client.get("/nowhere", headers={"Accept-Language": "en"})
    assert client.get_cookie("language").value == "de"
    assert "Cookie" in page.vary
    assert "Accept-Language" in page.vary
    assert client.get("/language/xx").status_code == 404


@pytest.mark.parametrize("referrer", ["http://other.example/x", "http://localhost//other.example"])
def test_a_choice_leads_to_no_other_host(app, referrer):
    answer = app.test_client().get("/language/de", headers={"Referer": referrer})
    assert answer.location == "/"


def test_a_language_that_is_given_stands_above_every_choice(app):
    environ = {GIVEN: "en", "HTTP_COOKIE": "language=de", "HTTP_ACCEPT_LANGUAGE": "de"}
    with app.test_request_context("/", environ_overrides=environ):
        assert language() == "en"


def test_directors_pages_are_in_english(app):
    assert asked(app, "/director", **{"Accept-Language": "de"}) == "en"


def test_numbers_and_days_follow_the_language(app):
    moment = datetime(2026, 3, 5, 14, 5)
    found = {}
    for name in NAMES:
        with app.test_request_context("/", headers={"Accept-Language": name}):
            found[name] = decimal(-34.56), day(moment)
    assert found == {
        "en": ("−34.6", "5 March 2026"),
        "de": ("−34,6", "5. März 2026"),
        "fr": ("−34,6", "5 mars 2026"),
    }


def test_scripts_get_their_messages_with_the_rule_of_plurals(app):
    def texts(name: str) -> dict | None:
        with app.test_request_context("/", headers={"Accept-Language": name}):
            found = re.search(r">(.*)</script>", script_texts())
            return json.loads(found[1]) if found else None

    assert texts("en") is None
    german, french = texts("de"), texts("fr")
    assert german is not None
    assert french is not None
    assert german["plural"][:3] == "101"
    assert french["plural"][:3] == "001"
    assert len(german["plural"]) == 200


DIRECTORS = ("won", "to play", "and … more", "Waits for the table: …", "Not signed:")
"""Texts of a director's lines in a script that the public's page has, too."""


def test_no_text_of_a_public_page_is_unmarked():
    found = {}
    for path in catalogue.sources():
        look = {".html": in_template, ".js": in_script}.get(path.suffix)
        texts = [one for one in look(path) if one not in DIRECTORS] if look else []
        if texts:
            found[str(path.relative_to(catalogue.ROOT))] = texts
    assert found == {}


def test_an_unmarked_text_is_found(tmp_path):
    template, script = tmp_path / "one.html", tmp_path / "one.js"
    template.write_text(
        '<p title="A title" class="plain">Won {{ _("by") }} {% trans %}many{% endtrans %}</p>'
        '{{ "Playing" if live else name }}<p class="{{ "now" if live }}">CSV</p>'
    )
    assert in_template(template) == ["A title", "Won … …", "Playing"]
    script.write_text('html`<b class=${one}>Won</b>${gettext("by")}`;\none.title = "Order";\n')
    assert in_script(script) == ["Won", '"Order"']


def test_every_message_is_translated_and_what_is_installed_is_that():
    made = catalogue.files()
    assert {path.parts[-3] for path in made if path.suffix == ".mo"} == set(NAMES) - {"en"}
    left = {}
    for path in made:
        if path.suffix == ".po":
            with path.open("rb") as file:
                known = read_po(file, locale=path.parts[-3])
            left |= {(path.parts[-3], one.id): one.string for one in known if not whole(one)}
    assert left == {}, "translate them in dashboard/locale, then: python -m tools.catalogue"
    old = [str(path) for path, data in made.items() if path.read_bytes() != data]
    assert old == [], "python -m tools.catalogue"


def whole(message) -> bool:
    """True if a message has every plural form, with the values that the English has."""
    texts = message.string if isinstance(message.string, tuple) else (message.string,)
    english = message.id if isinstance(message.id, tuple) else (message.id,)
    values = {name for text in english for name in re.findall(r"%\(\w+\)s", text)}
    return all(text and set(re.findall(r"%\(\w+\)s", text)) <= values for text in texts) and (
        values <= {name for text in texts for name in re.findall(r"%\(\w+\)s", text)}
    )
