"""A signed result is opened again at the desk, or it is said which rule forbids it."""

from __future__ import annotations

import pytest

from game.events import GameEnded, GameReopened, ResultSigned
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.dashboard.directorpages import choice, chosen, from_the_menu, post

GAME = "/director/api/tables/1/games/game-2"
WRONG = {"type": "GameReopened", "ground": "record_wrong"}


@pytest.fixture
def signed(game, log):
    game = GameInLog(log, "game-2", t_ns=game.t_ns + SECOND)
    game.start(rulebook="wespa-2021")
    game.play(*TURNS[0])
    game.put(GameEnded("confirmed", game.t_ns))
    game.put(ResultSigned("both", game.t_ns))
    return game


def test_a_wrong_record_is_opened_for_a_reason_of_ones_own(desk, signed, ann):
    options = ann.get(GAME).json["options"]
    assert options["grounds"] == [
        *("both_agree", "proven_misconduct", "scores_reversed", "record_wrong", "other")
    ]
    asked = [{**WRONG, "ground": ground} for ground in options["grounds"]]
    answers = post(ann, f"{GAME}/preview", {"events": asked}).json["answers"]
    assert [one.get("refused", "") for one in answers][:4] == ["", "", "", ""]
    assert answers[4]["refused"].endswith("there is no other (5.4.1, 6.2.4(a)(ii))")
    body = {"event": WRONG, "effect": answers[3]["effect"]}
    refused = post(ann, f"{GAME}/rule", body)
    assert (refused.status_code, refused.json["error"][:24]) == (409, "First write under Reason")
    done = post(ann, f"{GAME}/rule", {**body, "why": "signed at the wrong table"})
    assert done.status_code == 200
    found = ann.get(GAME).json
    assert found["signed"] is None
    (note,) = [one for one in found["concerns"] if one["code"] == "reopened_unlisted"]
    assert (note["level"], note["rule"]) == ("note", "5.4.1, 6.2.4(a)(ii)")
    assert "Ann opened the signed result" in note["text"]
    assert "signed at the wrong table" in note["text"]


@pytest.mark.parametrize("ground", ["both_agree", "scores_reversed"])
def test_a_ground_of_the_text_leaves_no_note(signed, ann, ground):
    signed.put(GameReopened(ground, "Ann", "", signed.t_ns))
    assert "reopened_unlisted" not in [one["code"] for one in ann.get(GAME).json["concerns"]]


@pytest.mark.browser
@pytest.mark.everyday
def test_the_desk_offers_it_and_says_what_forbids_anything_else(at_desk, browser, desk, signed):
    page = at_desk()
    from_the_menu(page, "Reopen…")
    wrong = "#dialog [data-choice=record_wrong]"
    page.there(f"{wrong} .brief")
    page.says(f"{wrong} b", "The record is not what was signed")
    page.says(f"{wrong} .says", "write under Reason what is wrong in it")
    forbidden = "there is no other (5.4.1, 6.2.4(a)(ii))"
    page.says("#dialog .shut li", starts="Another reason: ", ends=forbidden)
    page.click(wrong)
    page.says("#dialog .fault:not([hidden])", starts="First write under Reason")
    page.there(choice("record_wrong"))  # the refusal has been answered
    browser.execute_script("document.querySelector('#dialog [name=why]').value = 'not this table'")
    chosen(page, "record_wrong")
    (opened,) = desk.events("GameReopened")
    assert (opened["ground"], opened["why"]) == ("record_wrong", "not this table")
