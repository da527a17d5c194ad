"""A turn's file: pictures, presses, squares, and where the board lies."""

from __future__ import annotations

from dataclasses import replace

import pytest

from dashboard.director.evidence_file import guesses_in
from game.events import (
    ButtonPressed,
    Picture,
    PicturesDeleted,
    PicturesKept,
    TilesChanged,
    TurnSeen,
    to_payload,
)
from record.story_html.words import role
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.dashboard.directorkit import DOUBT, GAME, post


def test_the_file_of_a_turn(desk, game, ann):
    game.play(*TURNS[0])
    press = game.t_ns
    at = desk.picture(1, "at", press - SECOND // 50)
    before = desk.picture(1, "before", press - SECOND)
    crop = desk.picture(1, "crop", press, "8D")
    rows = ["." * 15] * 7 + ["...FIRN........"] + ["." * 15] * 7
    after = desk.table.evidence.store(b"after")
    game.put(TilesChanged(1, tuple(rows), press + SECOND, {"after": after}, press + SECOND))
    file = ann.get(f"{GAME}/turns/1").json
    assert [(one["roles"], one["sha256"]) for one in file["pictures"]] == [
        (["before"], before),
        (["at"], at),
        (["after"], after),
    ]
    assert [one["from_press_ns"] for one in file["pictures"]] == [-SECOND, -SECOND // 50, SECOND]
    assert [one["caption"] for one in file["pictures"]] == [
        "before the press",
        "at the press",
        "after the press",
    ]
    assert all(one["there"] for one in file["pictures"])
    assert [edge["button"] for edge in file["edges"]] == ["right", "left"]
    squares = {one["name"]: one for one in file["squares"]}
    assert list(squares) == ["8D", "8E", "8F", "8G", "8H"]
    assert squares["8D"]["crop"] == crop
    assert squares["8D"]["words"] == {"before": "nothing", "read": "F", "now": "F"}
    assert "changed_after_press" in [flag["code"] for flag in file["turn"]["flags"]]
    assert file["turn"]["flags"][0]["remedies"]
    kinds = [one["type"] for one in file["known"]]
    assert kinds == ["ButtonPressed", "ButtonPressed", "TurnSeen", *["PicturesKept"] * 3,
                     "TilesChanged"]  # fmt: skip
    assert file["read"][7] == "...FIRNS......."


@pytest.mark.parametrize("marked", [("8E",), (), None])
def test_a_square_that_is_less_sure_than_the_promise_asks_for_is_marked(
    game, ann, monkeypatch, marked
):
    def put(event):
        if isinstance(event, TurnSeen):
            event = replace(event, confidence={"8D": 0.995, "8E": 0.97}, marked=marked)
        as_it_is(event)

    as_it_is = game.put
    monkeypatch.setattr(game, "put", put)
    game.play(*TURNS[0])
    squares = ann.get(f"{GAME}/turns/1").json["squares"]
    assert [square["name"] for square in squares if square["marked"]] == list(marked or ())


def test_the_edges_of_the_contacts_stand_beside_the_press(desk, game, ann, log):
    for place, word in TURNS[:3]:
        game.play(place, word)
    assert ann.get(f"{GAME}/turns/2").json["raw"] == []
    presses = [e for e in log.events() if e.type == "ButtonPressed"]
    lines = []
    for press in presses:
        begun = press.payload["t_ns"] - 5_000_000_321
        button = press.payload["button"]
        lines += [f"{begun},{button},1\n", f"{begun + 70_000_000},{button},0\n"]
    (desk.folder / "edges.csv").write_text("".join(lines), "ascii")
    # A page's presses have no edges; these were logged by what the tests call themselves.
    assert ann.get(f"{GAME}/turns/2").json["raw"] == []
    other = GameInLog(log, "game-2", t_ns=game.t_ns)
    other.put = lambda event: log.append(  # type: ignore[method-assign]
        "game-2", to_payload(event), mono_ns=other.t_ns, source="buttons"
    )
    other.start()
    for place, word in TURNS[:3]:
        other.play(place, word)
    lines = []
    for press in (e for e in log.events("game-2") if e.type == "ButtonPressed"):
        begun, button = press.payload["t_ns"] - 5_000_000_321, press.payload["button"]
        lines += [f"{begun},{button},1\n", f"{begun + 70_000_000},{button},0\n"]
    (desk.folder / "edges.csv").write_text("".join(lines), "ascii")
    raw = ann.get("/director/api/tables/1/games/game-2/turns/2").json["raw"]
    assert [(one["from_press_ns"], one["button"], one["closed"]) for one in raw] == [
        (0, "right", True),
        (70_000_000, "right", False),
    ]


def test_what_a_phone_claimed_is_told_beside_what_was_accepted(desk, game, ann):
    game.play(*TURNS[0])
    heard = game.t_ns + 8 * SECOND
    early = ButtonPressed(
        "right", heard - SECOND // 10, claimed_ns=heard - 4 * SECOND, heard_ns=heard
    )
    game.put(early)
    file = ann.get(f"{GAME}/turns/1").json
    edge = file["edges"][-1]
    assert (edge["t_ns"], edge["claimed_ns"], edge["heard_ns"]) == (
        early.t_ns,
        early.claimed_ns,
        early.heard_ns,
    )
    record = ann.get(GAME).json
    text = "the phone claimed 4.0 s before it was heard, 0.1 s were accepted"
    assert record["statements"][-1]["text"].endswith(text)
    (concern,) = [one for one in record["concerns"] if one["code"] == "early_press"]
    assert "claimed an earlier time than was accepted, by 3.9 s in all" in concern["text"]


def test_the_file_keeps_the_old_reading_beside_the_correction(desk, game, ann):
    game.play("8D", "F~RNS", [DOUBT])
    event = {"type": "SquareCorrected", "turn": 1, "square": "8E", "symbol": "I"}
    post(ann, f"{GAME}/rule", {"event": event, "why": "seen on the picture"})
    file = ann.get(f"{GAME}/turns/1").json
    square = next(one for one in file["squares"] if one["name"] == "8E")
    assert (square["read"], square["now"]) == ("~", "I")
    assert [one["symbol"] for one in square["guesses"]] == ["I", "L", "."]
    output = file["known"][-1]
    assert (output["type"], output["by"], output["why"]) == (
        "SquareCorrected",
        "Ann",
        "seen on the picture",
    )


def test_boards_that_the_log_knows_are_told_and_others_looked_for(desk, game, ann, monkeypatch):
    import numpy as np

    from vision import registration

    game.play(*TURNS[0])
    corners = ((1.0, 2.0), (90.0, 3.0), (91.0, 80.0), (0.0, 79.0))
    before = desk.picture(1, "before", game.t_ns - SECOND)
    read = desk.table.evidence.store(b"read")
    game.put(PicturesKept(1, (Picture("at", read, game.t_ns, corners=corners),), game.t_ns))
    lost = desk.picture(1, "after", game.t_ns + SECOND)
    desk.table.evidence.path(lost).unlink()
    asked = []

    def found(known: bytes, at: np.ndarray, other: bytes) -> np.ndarray:
        asked.append((known, other))
        return at + 1

    monkeypatch.setattr(registration, "register_board", found)
    for _ in range(2):
        reported = ann.get(f"{GAME}/turns/1/boards").json["corners"]
        assert reported == {
            read: [list(corner) for corner in corners],
            before: [[x + 1, y + 1] for x, y in corners],
        }
    assert asked == [(b"read", f"1 before {game.t_ns - SECOND} None".encode())]
    assert ann.get(f"{GAME}/turns/2/boards").status_code == 404


def test_boards_of_a_game_without_known_corners_are_not_guessed(desk, game, ann):
    game.play(*TURNS[0])
    sha = desk.picture(1, "before", game.t_ns - SECOND)
    assert ann.get(f"{GAME}/turns/1/boards").json["corners"] == {sha: None}


def test_pictures_that_are_gone_are_told(desk, game, ann):
    game.play(*TURNS[0])
    lost = desk.picture(1, "at", game.t_ns)
    gone = desk.picture(1, "after", game.t_ns + SECOND)
    desk.table.evidence.path(lost).unlink()
    game.put(PicturesDeleted((gone,), "too many", game.t_ns))
    found = {one["sha256"]: one for one in ann.get(f"{GAME}/turns/1").json["pictures"]}
    assert (found[lost]["there"], found[lost]["deleted"]) == (False, False)
    assert (found[gone]["there"], found[gone]["deleted"]) == (False, True)


def test_why_the_log_counts_other_pictures_than_are_shown_is_said(desk, game, ann):
    def note(turn: int = 1) -> str:
        return ann.get(f"{GAME}/turns/{turn}").json["film_note"]

    game.play(*TURNS[0])
    sha = desk.picture(1, "at", game.t_ns)
    assert note() == ""
    again = Picture("after", sha, game.t_ns)
    crop = Picture("crop", desk.table.evidence.store(b"crop"), game.t_ns, "8D", sha)
    game.put(PicturesKept(1, (again, crop), game.t_ns))
    assert note() == (
        "The log names 2 pictures of this turn: 1 of them is the same as another and stands here "
        "once. The crops of squares are below, under Squares: the newest of each."
    )
    press, frames = game.t_ns + SECOND, {"before": sha}
    game.put(ButtonPressed(game.side, press))
    game.put(TurnSeen(game.side, press, game.board.rows, press, frames=frames))
    assert note(2) == "1 of those above was kept with another turn."


@pytest.mark.parametrize(
    ("detail", "symbols"),
    [
        ("may be I 62%, L 31%, . 7%", ["I", "L", "."]),
        ("may be ? 50%, q 40%", ["?", "q"]),
        ("a tile's back", []),
        ("", []),
    ],
)
def test_guesses_are_taken_from_what_the_camera_said(detail, symbols):
    assert [one["symbol"] for one in guesses_in(detail)] == symbols


def test_the_picture_that_the_turn_before_was_read_from_is_called_so(desk, game, ann):
    """It may be from after this turn's press, where that came at once."""
    game.play(*TURNS[0])
    frames = {"before": desk.table.evidence.store(b"read for turn 1")}
    press, late = game.t_ns + SECOND, game.t_ns + 2 * SECOND
    game.put(ButtonPressed(game.side, press))
    game.put(TurnSeen(game.side, press, game.board.rows, late, frames=frames))
    (shown,) = ann.get(f"{GAME}/turns/2").json["pictures"]
    assert shown["roles"] == ["previous"]
    assert shown["caption"] == "what the turn before was read from"


@pytest.mark.parametrize(
    ("roles", "from_press_ns", "caption"),
    [
        (("before", "around"), -SECOND, "before the press"),
        (("at",), -SECOND, "the last before the press"),
        (("at", "read"), SECOND, "the first after the press, read from this one"),
        (("around", "stopped"), SECOND, "after the press, while the clock stood"),
        (("setup",), -SECOND, "before the first turn"),
        (("previous", "at"), 0, "what the turn before was read from, at the press"),
        (("new_kind",), -SECOND, "before the press, new kind"),
    ],
)
def test_a_picture_has_one_caption_wherever_it_is_shown(roles, from_press_ns, caption):
    assert role(roles, from_press_ns) == caption
