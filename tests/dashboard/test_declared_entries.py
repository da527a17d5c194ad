"""Entries whose form, words and place in the record follow from their declaration alone."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import pytest

from dashboard.director.entry_forms import entry_forms
from game.events import EVENT_TYPES, Side
from game.events.declaring import Asked, Form, Remark
from game.state.fold import GameState
from record.bundle.export import export
from record.signing import KEY_FILE, TableKey
from record.verifier.replay import verify
from tests.dashboard.conftest import TURNS
from tests.dashboard.directorpages import GAME, TABLE, known_of
from tests.dashboard.test_director_actions import preview, rule
from tests.dashboard.test_rulings import fill
from tests.game.scriptkit import after
from tests.machine import until


@dataclass(frozen=True, slots=True)
class PlayerThirsty(Remark):
    """A player asked for a drink: no real entry, for its form alone."""

    side: Annotated[Side, Asked("Who")]
    matter: Annotated[Literal["tea", "water"], Asked("For", (("tea", "a tea"),))]
    by: str
    why: str
    t_ns: int
    turn: int = 0
    lasted_ns: int | None = None

    SAYS = "{side} was thirsty for {matter}"
    FORM = Form(button="Drink…", title="A player is thirsty")


DRINK = {"type": "PlayerThirsty", "side": "left", "matter": "tea", "turn": 1}


@pytest.fixture(autouse=True)
def _declared(monkeypatch) -> None:
    monkeypatch.setitem(EVENT_TYPES, "PlayerThirsty", PlayerThirsty)


def test_an_event_that_is_only_declared_goes_from_the_desk_to_the_bundle(
    desk, game, ann, log, tmp_path
):
    game.plays(TURNS[:2])
    shown = preview(ann, DRINK)
    assert shown["empty"]
    done = rule(ann, DRINK, "a call", effect=shown["effect"])
    assert done.status_code == 200
    record = ann.get(GAME).json
    says = "Ada <b>Byron</b> was thirsty for a tea"
    (stated,) = record["statements"]
    assert (stated["text"], stated["by"], stated["why"]) == (says, "Ann", "a call")
    assert record["view"]["scores"]["left"] == 24
    pages = [ann.get(f"{TABLE}/turns/{number}").text for number in (1, 2)]
    known = [any(f"{says} Why: a call." in line for line in known_of(page)) for page in pages]
    assert known == [True, False]
    path = tmp_path / "game.zip"
    export(log, None, TableKey.open(log.path.parent / KEY_FILE), "game-1", path)
    assert verify(path).ok
    with zipfile.ZipFile(path) as bundle:
        assert b"was thirsty for a tea" in bundle.read("index.html")
    rule(ann, {"type": "Retracted", "event": done.json["number"]}, "a slip")
    assert ann.get(GAME).json["statements"][-1]["text"] == f"taken back: {says}"


def forms_of(state: GameState) -> dict[str, dict[str, dict]]:
    """The forms of a game by event, each as its fields by name."""
    forms = entry_forms(state)
    return {form["type"]: {one["name"]: one for one in form["fields"]} for form in forms}


def test_a_form_asks_for_what_the_game_has_and_the_event_takes():
    ended = forms_of(after("8G CAT, end", "naspa-2017").state)
    assert "PlayAccepted" in ended
    assert "HoldCalled" not in ended
    state = after("8G CAT", "naspa-2017").state
    timed = forms_of(state)
    untimed = forms_of(replace(state, start=replace(state.start, hands={"left": "top"})))
    assert "HoldCalled" in timed
    assert timed["TilesFound"]["count"]["least"] == 1
    assert timed["TilesFound"]["racks"]["least"] == 0
    assert timed["DirectorNoted"]["score"]["least"] is None
    assert timed["DirectorNoted"].keys() - untimed["DirectorNoted"].keys() == {"added_ns"}


@pytest.mark.browser
def test_its_form_is_offered_under_more(at_desk, browser, desk):
    page = at_desk(1)
    fill(browser, page, "Drink…", "a call", side="left", matter="water", turn="1")
    (event,) = desk.events("PlayerThirsty")
    given = {**DRINK, "matter": "water", "lasted_ns": None}
    assert event.items() >= given.items()


@pytest.mark.browser
def test_the_page_says_what_the_public_sees_once_it_was_decided(at_desk, browser, desk):
    page = at_desk(1)
    assert not browser.find_element("css selector", "#public").is_displayed()
    fill(browser, page, "Public…", "Ada refused", shown="result", holds="table")
    (event,) = desk.events("PublicationDecided")
    assert (event["shown"], event["holds"], event["why"]) == ("result", "table", "Ada refused")
    note = browser.find_element("css selector", "#public")
    assert until(lambda: note.text.startswith("The public sees no more than the result"))
