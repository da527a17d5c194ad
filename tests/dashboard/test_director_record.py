"""A game, its turns and their pictures as the director is given them; its evidence as a file."""

from __future__ import annotations

import io
import json
import re
import shlex
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from dashboard.director import dispute
from dashboard.director.dispute import ArchiveError, Dispute, make_archive
from dashboard.director.game_record import guesses_in
from game.board import Square
from game.events import (
    ActionTaken,
    ButtonPressed,
    ClockAdjusted,
    GameEnded,
    HoldCalled,
    Picture,
    PicturesDeleted,
    PicturesKept,
    PicturesLost,
    Retracted,
    TilesChanged,
    TimePassed,
    TimeUnseen,
    TurnRuled,
    TurnSeen,
    from_payload,
    to_payload,
)
from record.story import tell
from record.story.entries import Entry, steps_of
from record.story_html.turn import facts, incident_list, sum_of
from record.story_html.words import role
from record.verifier.replay import verify
from sensors.interfaces import Frame
from table.desk import ShownFrame
from tests.commandkit import parsed
from tests.dashboard.browsing import Page
from tests.dashboard.conftest import SECOND, TURNS, GameInLog
from tests.dashboard.desk_fixtures import NOW_NS
from tests.dashboard.directorpages import (
    DOUBT,
    GAME,
    TABLE,
    known_of,
    listed,
    post,
    pressed_in,
    shown,
    table_of,
    viewed,
)
from vision import registration


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
    assert {one["by"] for one in output} == {"Ann"}
    assert [(one["type"], one["why"], one["may_go"]) for one in output] == [
        ("ButtonPressed", "a fire alarm", False),
        ("ActionTaken", "a question", False),
        ("HoldCalled", "they hold it", True),
        ("ClockAdjusted", "a slip", True),
    ]
    known = [one for one in known_of(ann.get(f"{TABLE}/turns/1").text) if " Ann, event" in one]
    for line, one in zip(known, output, strict=True):
        assert f"{one['text']} Why: {one['why']}. Ann, event" in line


def test_a_limit_that_passed_with_no_press_is_told_at_once_with_its_rule(desk, game, ann):
    game.play(*TURNS[0])
    game.put(TimePassed(game.t_ns + 2100 * SECOND))
    reported = next(f for f in ann.get(GAME).json["view"]["flags"] if f["code"] == "overtime_limit")
    assert reported["rule"] == "8.3"
    assert [one["event"]["cause"] for one in reported["remedies"]] == ["overtime"]
    known = known_of(ann.get(f"{TABLE}/turns/1").text)
    assert any("the clock passed the limit on overtime before anybody pressed" in k for k in known)


def test_the_command_that_exports_a_game_can_be_typed_as_it_stands(ann, tmp_path, monkeypatch):
    command = f"tilewatch export game-1 --data {tmp_path}"
    assert ann.get(GAME).json["export"] == command
    args = parsed(*shlex.split(command)[1:])
    assert (args["game"], args["data"]) == ("game-1", tmp_path)
    monkeypatch.setattr("record.paths.data_dir", lambda: tmp_path)
    assert ann.get(GAME).json["export"] == command, "a folder's table.toml may name another"


def test_the_picture_comes_with_what_was_read(desk, game, ann):
    assert ann.get("/director/tables/1/picture.jpg").status_code == 204
    corners = ((1.0, 2.0), (90.0, 3.0), (91.0, 80.0), (0.0, 79.0))
    rows = ("A" + "." * 14,) + ("." * 15,) * 14
    image = np.zeros((90, 120, 3), np.uint8)
    frame = Frame(image, NOW_NS - SECOND, 1, b"a jpeg")
    desk.loop.desk.show(ShownFrame(frame, corners, rows, 5, True))
    answer = ann.get("/director/tables/1/picture.jpg")
    assert (answer.data, answer.mimetype) == (b"a jpeg", "image/jpeg")
    about = json.loads(answer.headers["X-Tilewatch-Read"])
    expected = {"rows": list(rows), "width": 120, "height": 90, "read_ns": 5, "looked": True}
    assert about == about | expected | {"corners": [list(point) for point in corners]}


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
    desk.table.evidence.path(sha).write_bytes(b"another")  # nor what was changed
    assert ann.get(f"/director/tables/1/evidence/{sha}.jpg").status_code == 404


def test_a_game_ended_as_played_out_is_not_said_to_be_so_once_nobody_is_out(desk, game, ann):
    game.play(*TURNS[0])
    game.put(GameEnded("agreed", game.t_ns))
    words = [ann.get(GAME).json["options"]["words"]["ends"]["out"]]
    game.put(Retracted(len(game.log.events("game-1")), "Ann", "it goes on", game.t_ns))
    game.put(GameEnded("out", game.t_ns))
    words.append(ann.get(GAME).json["options"]["words"]["ends"]["out"])
    ended = "ended as played out, though nobody is out"
    assert words == ["a player has played all tiles", ended]


@pytest.mark.parametrize("rulebook", ["wespa-2021"])  # no rack is asked for
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


def test_the_page_of_a_turn_has_the_parts_of_the_account_and_on_paper_the_game(game, ann, log):
    game.play(*TURNS[0])
    game.put(TurnRuled(1, "challenge_upheld", "Ann", "not in the list", game.t_ns + SECOND))
    html = ann.get(f"{TABLE}/turns/1").text
    entries = [Entry(one, from_payload(one.payload)) for one in log.events()]
    story = tell(steps_of(entries))
    (turn,) = story.turns
    for part in (facts(story, turn), sum_of(turn), incident_list(story, turn.decisions, turn)):
        assert part and part in html
    assert "not in the list" in html
    assert ".story .board" in ann.get("/director/story.css").text
    on_paper = html.partition('<div class="on-paper">')[2].partition("</div>")[0]
    for line in (" against José", "WESPA Game Rules, 2007", "There is no result yet."):
        assert line in on_paper


def test_a_clip_of_the_turn_can_be_kept(desk, game, ann, tmp_path):
    game.play(*TURNS[0])
    assert ann.get(f"{TABLE}/turns/1/clip.webm").status_code == 404
    for at in range(3):
        shown(desk, "at", game.t_ns + at * SECOND // 2, tile=30 * at)
    answer = ann.get(f"{TABLE}/turns/1/clip.webm")
    assert "attachment" in answer.headers["Content-Disposition"]
    path = tmp_path / "clip.webm"
    path.write_bytes(answer.data)
    video = cv2.VideoCapture(str(path))
    # Two gaps of half a second and two seconds of the last, at ten frames a second.
    assert [video.read()[0] for _ in range(31)] == [True] * 30 + [False]
    assert ann.get(f"{TABLE}/turns/9/clip.webm").status_code == 404


def test_what_settled_a_flag_is_said_without_the_number_of_the_event():
    ends = {7: "settled: 8F is an R by Ann, event 7", 8: "it was no longer so", None: "still open"}
    flags = [
        SimpleNamespace(flag=SimpleNamespace(settled=number), outcome=outcome)
        for number, outcome in ends.items()
    ]
    assert Dispute(None, None, SimpleNamespace(flags=flags), (), None).settled == {
        "7": "settled: 8F is an R by Ann",
        "8": "it was no longer so",
    }


def test_the_file_of_a_turn(desk, game, ann):
    game.play(*TURNS[0])
    press = game.t_ns
    at = desk.picture(1, "at", press - SECOND // 50)
    before = desk.picture(1, "before", press - SECOND)
    crop = desk.picture(1, "crop", press, "8D")
    rows = ["." * 15] * 7 + ["...FIRN........"] + ["." * 15] * 7
    after = desk.table.evidence.store(b"after")
    game.put(TilesChanged(1, tuple(rows), press + SECOND, {"after": after}, press + SECOND))
    page = ann.get(f"{TABLE}/turns/1").text
    parts = ("roles", "sha256", "words")
    assert [tuple(one[part] for part in parts) for one in viewed(page)] == [
        (["before"], before, "before the press, −1.0 s from the press"),
        (["at"], at, "at the press, 0.0 s from the press"),
        (["changed"], after, "after the press, when tiles had changed, +1.0 s from the press"),
    ]
    assert pressed_in(page)[-1] == "Ada <b>Byron</b> pressed the clock"
    squares = table_of(page, "squares")
    assert [name for name, *_ in squares] == ["8D", "8E", "8F", "8G", "8H"]
    assert squares[0][2:4] + squares[0][5:6] == ["nothing", "F", "F"]
    assert f"/evidence/{crop}.jpg" in page
    turn = ann.get(GAME).json["view"]["turns"][0]
    assert "changed_after_press" in [flag["code"] for flag in turn["flags"]]
    assert turn["flags"][0]["remedies"]
    kinds = re.findall(r"</summary>(\w+), by", page)
    kept = ["PicturesKept"] * 3
    assert kinds[-7:] == ["ButtonPressed", "ButtonPressed", "TurnSeen", *kept, "TilesChanged"]


@pytest.mark.parametrize("marked", [("8E",), (), None])
def test_a_square_that_is_less_sure_than_the_promise_asks_for_may_be_misread(
    game, ann, monkeypatch, marked
):
    def put(event):
        if isinstance(event, TurnSeen):
            event = replace(event, confidence={"8D": 0.995, "8E": 0.97}, marked=marked)
        as_it_is(event)

    as_it_is = game.put
    monkeypatch.setattr(game, "put", put)
    game.play(*TURNS[0])
    squares = table_of(ann.get(f"{TABLE}/turns/1").text, "squares")
    assert [name for name, *_, sure, _, _ in squares if ", may be misread" in sure] == list(
        marked or ()
    )


def test_the_edges_of_the_contacts_stand_beside_the_press(desk, game, ann, log):
    def raw_of(game_id: str) -> tuple[list[tuple[int, bool]], str | None]:
        lines = []
        for press in (e for e in log.events(game_id) if e.type == "ButtonPressed"):
            begun, button = press.payload["t_ns"] - 5_000_000_321, press.payload["button"]
            lines += [f"{begun},{button},1\n", f"{begun + 70_000_000},{button},0\n"]
        (desk.folder / "edges.csv").write_text("".join(lines), "ascii")
        page = ann.get(f"{TABLE}/turns/2?game={game_id}").text
        found = re.search("Raw edges of the contacts, bounces and all: (.*?)[.] The", page)
        marks = re.findall(r'class="contact( closed)?" data-ns="(\d+)"', page)
        return [(int(ns), bool(closed)) for closed, ns in marks], found and found[1]

    game.plays(TURNS[:3])
    # A page's presses have no edges; these were logged by what the tests call themselves.
    assert raw_of("game-1") == ([], None)
    other = GameInLog(log, "game-2", t_ns=game.t_ns)
    other.put = lambda event: log.append(  # type: ignore[method-assign]
        "game-2", to_payload(event), mono_ns=other.t_ns, source="buttons"
    )
    other.start().plays(TURNS[:3])
    words = "right closed +0.000 ms, right opened +70.000 ms"
    assert raw_of("game-2") == ([(0, True), (70_000_000, False)], words)


def test_what_a_phone_claimed_is_told_beside_what_was_accepted(desk, game, ann):
    game.play(*TURNS[0])
    heard = game.t_ns + 8 * SECOND
    at = heard - SECOND // 10
    early = ButtonPressed("right", at, claimed_ns=heard - 4 * SECOND, heard_ns=heard)
    game.put(early)
    words = "the phone claimed 4.0 s before it was heard, 0.1 s were accepted"
    pressed = f"José & Søren pressed the clock: {words}"
    assert pressed_in(ann.get(f"{TABLE}/turns/1").text)[-1] == pressed
    record = ann.get(GAME).json
    assert record["statements"][-1]["text"].endswith(words)
    (concern,) = [one for one in record["concerns"] if one["code"] == "early_press"]
    assert "claimed an earlier time than was accepted, by 3.9 s in all" in concern["text"]


def test_the_file_keeps_the_old_reading_beside_the_correction(desk, game, ann):
    game.play("8D", "F~RNS", [DOUBT])
    event = {"type": "SquareCorrected", "turn": 1, "square": "8E", "symbol": "I"}
    post(ann, f"{GAME}/rule", {"event": event, "why": "seen on the picture"})
    page = ann.get(f"{TABLE}/turns/1").text
    square = next(one for one in table_of(page, "squares") if one[0] == "8E")
    assert (square[3], square[5]) == ("something unreadable", "I")
    assert 'class="other">I<' in page
    assert "turn 1: on 8E lay I Why: seen on the picture. Ann, event" in known_of(page)[-1]


def test_boards_that_the_log_knows_are_told_and_others_looked_for(desk, game, ann, monkeypatch):
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


def test_pictures_that_are_gone_are_told(desk, game, ann):
    game.play(*TURNS[0])
    lost = desk.picture(1, "at", game.t_ns)
    gone = desk.picture(1, "after", game.t_ns + SECOND)
    desk.table.evidence.path(lost).unlink()
    game.put(PicturesDeleted((gone,), "too many", game.t_ns))
    page = ann.get(f"{TABLE}/turns/1").text
    assert viewed(page) == []
    assert listed(page, "film") == [
        "at the press, 0.0 s: not on the disk",
        "after the press, +1.0 s: deleted, as the log says",
    ]
    assert "No picture is kept of this turn." in page


def test_pictures_of_the_set_up_stand_with_the_first_turn(desk, game, ann):
    desk.picture(0, "setup", game.t_ns)
    game.plays(TURNS[:2])
    found = [listed(ann.get(f"{TABLE}/turns/{number}").text, "film") for number in (1, 2)]
    assert [one[0].partition(",")[0] for one in found] == [
        "before the first turn",
        "No picture of this turn was kept.",
    ]


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
    (shown,) = viewed(ann.get(f"{TABLE}/turns/2").text)
    words = "what the turn before was read from, −1.0 s from the press"
    assert (shown["roles"], shown["words"]) == (["previous"], words)


def test_a_time_without_pictures_leads_to_those_around_it(desk, game, ann):
    """As in a bundle, and here a picture of this turn is shown where all of them are."""
    game.play(*TURNS[0])
    ended = game.t_ns
    kept = [
        Picture("stopped", desk.table.evidence.store(b"%d" % s), ended + s * SECOND) for s in (1, 9)
    ]
    game.put(PicturesKept(1, tuple(kept[:1]), ended))
    press = ended + 12 * SECOND
    lost = (PicturesLost(ended + SECOND, ended + 9 * SECOND, 0),)
    game.put(ButtonPressed(game.side, press))
    game.put(TurnSeen(game.side, press, game.board.rows, press, lost=lost))
    game.put(PicturesKept(2, tuple(kept[1:]), press))
    page = ann.get(f"{TABLE}/turns/2").text.partition('<div class="on-paper story">')[0]
    (gap,) = re.findall(r'<p class="facts gap">(.*?)</p>', page)
    assert gap.startswith("No picture of the board for 8.0 s, from −11.0 s to −3.0 s: ")
    assert '<a href="1?game=game-1">turn 1, +1.0 s</a>' in gap
    (place,) = re.findall(r'<button type="button" data-at="(\d+)">−3.0 s</button>', gap)
    assert (
        viewed(page)[int(place)]["words"]
        == "before the press, while the clock stood, −3.0 s from the press"
    )


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


ARCHIVE = f"{GAME}/archive"


def test_a_director_gets_the_archive_that_the_command_makes(desk, game, ann, log, tmp_path):
    game.play(*TURNS[0])
    answer = post(ann, ARCHIVE, {})
    assert (answer.status_code, answer.mimetype) == (200, "application/zip")
    name = f"game-1_{len(log.events('game-1'))}-events.tilewatch.zip"
    assert answer.headers["Content-Disposition"] == f"attachment; filename={name}"
    assert answer.headers["Cache-Control"] == "no-store"
    assert int(answer.headers["Content-Length"]) == len(answer.data)
    assert "manifest.json" in zipfile.ZipFile(io.BytesIO(answer.data)).namelist()
    path = tmp_path / name
    path.write_bytes(answer.data)
    answer.close()
    assert verify(path).ok
    assert post(ann, ARCHIVE.replace("game-1", "game-9"), {}).status_code == 404


def test_a_refusal_of_the_command_is_told_in_its_words_and_one_is_made_at_a_time(game, log):
    with pytest.raises(ArchiveError, match="no game 'game-9'"):
        make_archive(log, "game-9")
    with dispute._AT_ONCE, pytest.raises(ArchiveError, match="another archive is being made"):
        make_archive(log, "game-1")


@pytest.mark.browser
@pytest.mark.everyday
def test_the_pages_save_it_and_say_where_the_game_still_goes_on(
    at_desk, browser, url, game, log, tmp_path
):
    folder = {"behavior": "allow", "downloadPath": str(tmp_path)}
    browser.execute_cdp_cmd("Browser.setDownloadBehavior", folder)
    game.play(*TURNS[0])
    page = Page(browser, f"{url}{TABLE}/turns/1")
    page.there(".archive button")
    partial = "The game goes on: the file has what there is so far."
    page.says(".archive [role=status]", partial)
    game.put(GameEnded("agreed", game.t_ns))
    page = at_desk()
    page.click("#result .archive button")
    saved = f"Saved as game-1_{len(log.events('game-1'))}-events.tilewatch.zip."
    page.wait(f"document.querySelector('.archive [role=status]').textContent === '{saved}'")
    with dispute._AT_ONCE:
        page.click("#result .archive button")
        busy = "The file could not be made: another archive is being made; try again in a moment."
        page.wait(f"document.querySelector('.archive [role=status]').textContent === '{busy}'")


def test_a_play_that_is_ruled_on_is_shown_with_its_picture_its_words_and_how_late_it_is(
    desk, game, ann
):
    game.play(*TURNS[0])
    corners = ((0.0, 0.0), (150.0, 0.0), (150.0, 150.0), (0.0, 150.0))
    sha = desk.table.evidence.store(b"the press")
    game.t_ns += 30 * SECOND
    board = game.board.replace({Square.parse(name): "O" for name in ("9H", "10H")})
    game.put(ButtonPressed("right", game.t_ns))
    game.put(TurnSeen("right", game.t_ns, board.rows, game.t_ns, frames={"at": sha}))
    game.put(PicturesKept(2, (Picture("at", sha, game.t_ns, corners=corners),), game.t_ns))
    html = ann.get(f"{GAME}/turns/2/play").json["html"]
    assert html.count('class="tile lit"') == 2
    assert html.count('class="tile"') == 4  # of the play that it crosses, as far as is shown
    assert f"evidence/{sha}.jpg" in html
    assert 'transform="matrix(0.1 ' in html
    assert "At the end of turn 2" in html
    assert "Its word: <span><b>SOO</b> 3</span>" in html
    assert "It may be challenged until Ada &lt;b&gt;Byron&lt;/b&gt; has written down" in html
    early = ann.get(f"{GAME}/turns/1/play").json["html"]
    assert "No picture of it is kept." in early
    assert "A challenge is late: a play may be challenged until" in early
    assert "and a turn has followed. You can rule on it all the same." in early
    game.press()
    assert not ann.get(f"{GAME}/turns/3/play").json["html"].strip()
