"""A game and its pictures as the director is given them, with all that was said of it."""

from __future__ import annotations

import json
import shlex
from typing import get_args

from game.events import (
    EVENT_TYPES,
    ActionTaken,
    ButtonPressed,
    ClockAdjusted,
    GameEnded,
    HoldCalled,
    PlayersNamed,
    Retracted,
    Ruling,
    TimePassed,
    TimeUnseen,
)
from record.story.event_wording import _WORDS, RULINGS
from table.cli import parser
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS
from tests.dashboard.directorkit import DOUBT, GAME


def test_a_game_with_everything_about_it(desk, game, ann):
    game.play("8D", "F~RNS", [DOUBT])
    sha = desk.picture(1, "crop", game.t_ns, "8E")
    found = ann.get(GAME).json
    assert found["view"]["audience"] == "director"
    assert found["crops"] == {"1": {"8E": sha}}
    assert [one["symbol"] for one in found["guesses"]["1:8E"]] == ["I", "L", "."]
    assert found["head"]["number"] == len(desk.game.log.events("game-1"))
    assert len(found["head"]["digest"]) == 14
    assert found["statements"] == []
    assert set(found["options"]["rulings"]) >= set(found["view"]["turns"][0]["rulings"])


def test_what_was_done_at_the_desk_stands_with_who_and_why(desk, game, ann):
    game.play(*TURNS[0])
    game.put(ButtonPressed("neutral", game.t_ns, "Ann", "a fire alarm"))
    game.put(ActionTaken("attended", "seen to: called", "Ann", "a question", game.t_ns))
    game.put(HoldCalled(1, "Ann", game.t_ns, "they hold it"))
    game.put(ClockAdjusted("left", SECOND, None, "Ann", "a slip", game.t_ns))
    output = ann.get(GAME).json["statements"]
    assert [(one["type"], one["by"], one["why"], one["may_go"]) for one in output] == [
        ("ButtonPressed", "Ann", "a fire alarm", False),
        ("ActionTaken", "Ann", "a question", False),
        ("HoldCalled", "Ann", "they hold it", True),
        ("ClockAdjusted", "Ann", "a slip", True),
    ]
    known = ann.get(f"{GAME}/turns/1").json["known"]
    assert [(one["text"], one["why"]) for one in known if one["by"]] == [
        (one["text"], one["why"]) for one in output
    ]


def test_a_limit_that_passed_with_no_press_is_told_at_once_with_its_rule(desk, game, ann):
    game.play(*TURNS[0])
    game.put(TimePassed(game.t_ns + 2100 * SECOND))
    reported = next(f for f in ann.get(GAME).json["view"]["flags"] if f["code"] == "overtime_limit")
    assert reported["rule"] == "8.3"
    assert [one["event"]["cause"] for one in reported["remedies"]] == ["overtime"]
    known = ann.get(f"{GAME}/turns/1").json["known"]
    assert "the clock passed the limit on overtime before anybody pressed" in [
        one["text"] for one in known
    ]


def test_the_command_that_exports_a_game_can_be_typed_as_it_stands(ann, tmp_path, monkeypatch):
    command = f"tilewatch export game-1 --data {tmp_path}"
    assert ann.get(GAME).json["export"] == command
    args = parser().parse_args(shlex.split(command)[1:])
    assert (args.game, args.data) == ("game-1", tmp_path)
    monkeypatch.setattr("record.paths.data_dir", lambda: tmp_path)
    assert ann.get(GAME).json["export"] == command, "a folder's table.toml may name another"


def test_what_nobody_at_a_desk_entered_names_its_source_in_words(desk, game, ann):
    names = {"left": "Ioana", "right": "Kamala"}
    game.put(PlayersNamed(names, "players", game.t_ns))
    (named,) = ann.get(GAME).json["statements"]
    assert named["text"] == "the players: Ioana on the left, Kamala on the right"
    assert named["by"] == "the players"


def test_every_event_has_its_words(game, desk):
    assert set(_WORDS) == set(EVENT_TYPES.values())
    assert set(RULINGS) == set(get_args(Ruling))


def test_the_picture_comes_with_what_was_read(desk, game, ann):
    assert ann.get("/director/tables/1/picture.jpg").status_code == 204
    import numpy as np

    from sensors.interfaces import Frame
    from table.table_picture import ShownFrame

    corners = ((1.0, 2.0), (90.0, 3.0), (91.0, 80.0), (0.0, 79.0))
    rows = ("A" + "." * 14,) + ("." * 15,) * 14
    image = np.zeros((90, 120, 3), np.uint8)
    desk.loop.desk.show(
        ShownFrame(Frame(image, NOW_NS - SECOND, 1, b"a jpeg"), corners, rows, 5, True)
    )
    answer = ann.get("/director/tables/1/picture.jpg")
    assert (answer.data, answer.mimetype) == (b"a jpeg", "image/jpeg")
    about = json.loads(answer.headers["X-Tilewatch-Read"])
    assert about["corners"] == [list(point) for point in corners]
    assert (about["rows"][0][0], about["width"], about["height"]) == ("A", 120, 90)
    assert (about["read_ns"], about["looked"]) == (5, True)


def test_pictures_are_fetched_by_hash_alone(desk, game, ann):
    game.play(*TURNS[0])
    sha = desk.picture(1, "at", game.t_ns)
    answer = ann.get(f"/director/tables/1/evidence/{sha}.jpg")
    assert answer.data == f"1 at {game.t_ns} None".encode()
    assert answer.headers["Cache-Control"].startswith("private")
    (desk.folder / "secret.jpg").write_bytes(b"secret")
    for name in ("../secret", "..%2fsecret", "%2e%2e/secret", "....//secret", sha[:-1], sha + "0",
                 sha.upper(), "../web.db%00", "a" * 64, "*"):  # fmt: skip
        answer = ann.get(f"/director/tables/1/evidence/{name}.jpg")
        assert answer.status_code == 404, name
        assert b"secret" not in answer.data


def test_a_picture_that_was_changed_is_not_shown(desk, game, ann):
    game.play(*TURNS[0])
    sha = desk.picture(1, "at", game.t_ns)
    desk.table.evidence.path(sha).write_bytes(b"another")
    assert ann.get(f"/director/tables/1/evidence/{sha}.jpg").status_code == 404


def test_a_game_ended_as_played_out_is_not_said_to_be_so_once_nobody_is_out(desk, game, ann):
    game.play(*TURNS[0])
    game.put(GameEnded("agreed", game.t_ns))
    out = ann.get(GAME).json["options"]["words"]["ends"]["out"]
    assert out == "a player has played all tiles"
    game.put(Retracted(len(game.log.events("game-1")), "Ann", "it goes on", game.t_ns))
    game.put(GameEnded("out", game.t_ns))
    out = ann.get(GAME).json["options"]["words"]["ends"]["out"]
    assert out == "ended as played out, though nobody is out"


def test_a_game_without_a_result_has_nothing_of_one(desk, game, ann):
    game.play(*TURNS[0])
    game.put(TimeUnseen(game.t_ns, game.t_ns, 60 * SECOND, True))
    game.put(GameEnded("director", game.t_ns))
    found = ann.get(GAME).json
    assert found["unsettled"].startswith("1 question is open and may change the result")
    assert found["slip"].keys() == {"ended"}
    game.put(GameEnded("broken off", game.t_ns, instead=len(game.log.events("game-1"))))
    found = ann.get(GAME).json
    assert (found["unsettled"], found["slip"]) == (None, None)


def test_from_a_turn_of_an_earlier_game_the_tab_leads_to_the_table_as_it_is(desk, game, ann):
    game.play(*TURNS[0])
    GameInLog(game.log, "game-2", t_ns=game.t_ns + 1).start()
    page = ann.get("/director/tables/1/turns/1?game=game-1").text
    tabs = page.split('<nav aria-label="Director">')[1].split("</nav>")[0]
    assert 'href="/director/tables/1"' in tabs
    assert 'href="/director/tables/1?game=game-1"' not in tabs
    assert 'href="/director/tables/1?game=game-1"' in page  # beside the players
