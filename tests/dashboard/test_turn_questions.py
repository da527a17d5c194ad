"""Questions which turns there were: readings in words, with pictures, and one press takes one."""

from __future__ import annotations

import pytest

from game.board import Square
from game.events import (
    Finding,
    Picture,
    PicturesKept,
    PlayersNamed,
    PlayMade,
    TurnReading,
    TurnSeen,
    from_payload,
)
from tests.dashboard.conftest import NAMES, SECOND
from tests.dashboard.directorpages import GAME, TABLE, Page, held_back, post

CAT = {"8G": "C", "8H": "A", "8I": "T"}
SO = {"8J": "S", "8K": "O"}
CORNERS = ((10.0, 10.0), (310.0, 10.0), (310.0, 230.0), (10.0, 230.0))


def asked(desk) -> tuple[str, str]:
    """A turn that may be one play or two; return the pictures before and after it."""
    game = desk.game
    game.t_ns += 30 * SECOND
    t_ns = game.t_ns
    store = desk.table.evidence
    before, after = (store.store(text) for text in (b"the board before", b"the board after"))
    tiles = {Square.parse(name): tile for name, tile in (CAT | SO).items()}
    game.board = game.board.replace(tiles)
    ways = (
        TurnReading((PlayMade("left", CAT | SO, t_ns),)),
        TurnReading((PlayMade("left", CAT, t_ns - 10 * SECOND), PlayMade("right", SO, t_ns))),
    )
    game.put(
        TurnSeen(
            *("left", t_ns, game.board.rows, t_ns),
            frames={"before": before, "at": after},
            findings=(Finding("turn_inferred"),),
            readings=ways,
        )
    )
    game.put(PicturesKept(1, (Picture("read", after, t_ns, corners=CORNERS),), t_ns))
    return before, after


def flag_of(record) -> dict:
    (flag,) = [one for one in record["view"]["turns"][0]["flags"] if one["code"] == "turn_inferred"]
    return flag


def offered(record) -> dict[str, dict]:
    return {one["id"].rpartition(":")[2]: one for one in flag_of(record)["remedies"]}


def test_the_record_has_both_readings_and_the_pictures(desk, ann):
    before, after = asked(desk)
    record = ann.get(GAME).json
    left, right = NAMES["left"], NAMES["right"]
    assert [one["text"] for one in offered(record).values()] == [
        f"CATSO at 8G by {left}, in one play (as it counts now)",
        f"CAT at 8G by {left}, then CATSO at 8G by {right}",
    ]
    pictures = record["pictures"]["1"]
    assert [(one["sha256"], one["caption"]) for one in pictures["shown"]] == [
        (before, "Before turn 1"),
        (after, "At the end of turn 1"),
    ]
    assert pictures["squares"] == [[col, 7] for col in range(6, 11)]
    left, top, width, height = pictures["frame"]
    assert left <= 5
    assert left + width >= 12
    assert top <= 6
    assert top + height >= 9
    a, b, c, d, e, f = pictures["shown"][1]["matrix"]
    for (x, y), corner in zip(CORNERS, ((0, 0), (15, 0), (15, 15), (0, 15)), strict=True):
        assert (a * x + c * y + e, b * x + d * y + f) == pytest.approx(corner)
    (concern,) = [one for one in record["concerns"] if one["code"] == "turn_inferred"]
    assert concern["level"] == "question"
    assert record["unsettled"] is not None


@pytest.mark.parametrize(("name", "turns"), [("stands", 1), ("reading2", 2)])
def test_either_answer_closes_it_and_is_undone(desk, ann, name, turns):
    asked(desk)
    record = ann.get(GAME).json
    flag = {"turn": 1, "code": "turn_inferred", "message": flag_of(record)["message"]}
    body = {"event": offered(record)[name]["event"], "flag": flag, "why": "seen in the pictures"}
    answer = post(ann, f"{GAME}/rule", body)
    assert answer.status_code == 200, answer.json
    now = ann.get(GAME).json
    assert len(now["view"]["turns"]) == turns
    assert not [c for c in now["concerns"] if c["code"] == "turn_inferred"]
    assert now["pictures"] == {}
    (statement,) = [one for one in now["statements"] if one["type"] == "PlaysAssigned"]
    assert statement["text"].startswith("turn 1 was: ")
    back = {"event": {"type": "Retracted", "event": answer.json["number"]}, "why": "a slip"}
    assert post(ann, f"{GAME}/rule", back).status_code == 200
    assert flag_of(ann.get(GAME).json)["message"] == flag["message"]


@pytest.mark.parametrize("sooner", ["stands", "reading2"])
def test_who_answers_second_is_told_that_the_question_was_settled(desk, ann, monkeypatch, sooner):
    """Two directors answer at once, each otherwise."""
    asked(desk)
    record = ann.get(GAME).json
    flag = {"turn": 1, "code": "turn_inferred", "message": flag_of(record)["message"]}
    events = {name: one["event"] for name, one in offered(record).items()}
    first = events.pop(sooner)
    (second,) = events.values()
    taken = desk.loop.desk.post

    def late(*what, **more):
        desk.game.put(from_payload({**first, "by": "Otto", "t_ns": desk.game.t_ns}))
        return taken(*what, **more)

    monkeypatch.setattr(desk.loop.desk, "post", late)
    answer = post(ann, f"{GAME}/rule", {"event": second, "flag": flag, "why": "seen"})
    assert answer.status_code == 409
    assert answer.json == {
        "error": "This question has been settled or has changed; look at it again."
    }


@pytest.mark.browser
def test_an_answer_is_as_high_while_its_effect_is_worked_out_anew(browser, desk, url):
    asked(desk)
    page = Page(browser, f"{url}{TABLE}")
    page.there("#attention .brief", 2)
    heights = "[...document.querySelectorAll('#attention .offer')].map((one) => one.offsetHeight)"
    before = page.js(heights)
    held_back(page, "/preview")
    desk.game.put(PlayersNamed({"left": "Ada <b>Byran</b>"}, "Bea", desk.game.t_ns))
    page.there("#attention .awaited", 2)
    page.gives(heights, before)
    page.js("window.go()")
    page.there("#attention .brief", 2)
    page.there("#attention .awaited", 0)


@pytest.mark.browser
def test_a_key_takes_the_other_reading(browser, desk, url, screen):
    asked(desk)
    screen(390, 844)
    page = Page(browser, f"{url}{TABLE}")
    page.there("#attention .evidences a", 2)
    page.there("#attention .evidences svg rect", 5)
    page.there("#attention .brief", 2)
    page.wait("document.documentElement.scrollWidth <= 390")
    assert page.text("#attention h3") == "Which is right?"
    other = "#attention [data-offer$=reading2]"
    browser.execute_script(f"document.querySelector('{other}').focus()")
    browser.switch_to.active_element.send_keys("\ue007")
    page.there("#turns [data-correct]", 2)
    page.there("#attention .evidences", 0)
    page.click("#undo")
    page.there("#turns [data-correct]", 1)
    page.there("#attention .evidences a", 2)
