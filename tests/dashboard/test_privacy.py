"""The notice about pictures of people."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from dashboard.app import create_app
from dashboard.site import Site
from table.config import TableConfig
from table.server_config import Privacy

CLUB = {"responsible": "Club <One>, 1 Main Street", "contact": "privacy@club.example"}


def client_of(**more):
    return create_app(Site(()), notice=Privacy(**(CLUB | more))).test_client()


def test_the_notice_says_who_why_how_long_and_whom_to_ask():
    page = client_of(signed_days=30, more="https://club.example/p").get("/privacy").text
    assert "Club &lt;One&gt;, 1 Main Street" in page
    assert "privacy@club.example" in page
    assert "signed are deleted 30 days after it" in page
    assert "may be disputed, are kept" in page
    assert "To keep the score" in page
    assert '<a href="https://club.example/p">' in page
    assert "<svg" in page
    one = client_of(unsigned_days=1, why="Only for fun.").get("/privacy").text
    assert "disputed, are deleted 1 day after it" in one
    assert "Only for fun." in one
    assert "To keep the score" not in one


def test_it_is_in_the_readers_language():
    german = client_of().get("/privacy", headers={"Accept-Language": "de"}).text
    assert '<html lang="de">' in german
    assert "Wer ist verantwortlich" in german


def test_without_settings_there_is_none_and_no_link_to_it():
    client = create_app(Site(())).test_client()
    assert client.get("/privacy").status_code == 404
    assert b"/privacy" not in client.get("/nowhere").data


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"responsible": "Club"}, "give both, or none"),
        ({"why": "fun"}, "says who is responsible"),
        (CLUB | {"more": "javascript:alert(1)"}, "more"),
    ],
)
def test_half_a_notice_is_refused(given, says):
    with pytest.raises(ValidationError, match=says):
        Privacy(**given)


def test_a_table_takes_the_days_from_its_own_pictures():
    config = TableConfig.model_validate({"privacy": CLUB, "pictures": {"signed_days": 7}})
    assert (config.notice.signed_days, config.notice.unsigned_days) == (7, None)
