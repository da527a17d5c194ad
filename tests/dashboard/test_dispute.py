"""The dispute view tells what a bundle tells, by the same code."""

from __future__ import annotations

from types import SimpleNamespace

import cv2

from dashboard.director.dispute import Dispute
from game.events import TurnRuled
from record.story import tell
from record.story.entries import Entry, steps_of
from record.story_html.turn import decisions, facts, sum_of
from tests.dashboard.conftest import SECOND, TURNS
from tests.dashboard.directorpages import TABLE, shown


def test_the_view_has_the_parts_of_the_account(desk, game, ann, log):
    from game.events import from_payload

    game.play(*TURNS[0])
    game.put(TurnRuled(1, "challenge_upheld", "Ann", "not in the list", game.t_ns + SECOND))
    html = ann.get(f"{TABLE}/turns/1").text
    entries = [Entry(one, from_payload(one.payload)) for one in log.events()]
    story = tell(steps_of(entries))
    (turn,) = story.turns
    for part in (facts(story, turn), sum_of(turn), decisions(story, turn.decisions)):
        assert part and part in html
    assert "not in the list" in html


def test_the_style_of_the_account_is_served(desk, ann):
    answer = ann.get("/director/story.css")
    assert answer.status_code == 200
    assert ".story .board" in answer.text


def test_a_clip_of_the_turn_can_be_kept(desk, game, ann, tmp_path):
    game.play(*TURNS[0])
    assert ann.get(f"{TABLE}/turns/1/clip.webm").status_code == 404
    for at in range(3):
        shown(desk, "at", game.t_ns + at * SECOND // 2, tile=30 * at)
    answer = ann.get(f"{TABLE}/turns/1/clip.webm")
    assert answer.status_code == 200
    assert "attachment" in answer.headers["Content-Disposition"]
    path = tmp_path / "clip.webm"
    path.write_bytes(answer.data)
    video = cv2.VideoCapture(str(path))
    frames = 0
    while video.read()[0]:
        frames += 1
    # Two gaps of half a second and two seconds of the last, at ten frames a second.
    assert frames == 30
    assert ann.get(f"{TABLE}/turns/9/clip.webm").status_code == 404


def test_what_settled_a_flag_is_said_without_the_number_of_the_event():
    notes = [
        SimpleNamespace(flag=SimpleNamespace(settled=number), settled_by=by)
        for number, by in ((7, "8F is an R by Ann, event 7"), (9, "event 9"), (None, ""))
    ]
    turn = SimpleNamespace(flags=notes)
    assert Dispute(None, turn).settled == {"7": "8F is an R by Ann"}
