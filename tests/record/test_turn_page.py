"""A turn of the account: its times, the pictures that answer what is asked, and the seats."""

from __future__ import annotations

import re

import pytest

from game.board import Board
from game.events import (
    ButtonPressed,
    Event,
    GameStarted,
    HoldCalled,
    PenaltyAdded,
    Picture,
    PicturesKept,
    PicturesLost,
    PlayAccepted,
    TilesChanged,
    TurnRuled,
    TurnSeen,
)
from game.terms import PictureEdge
from record.story import steps_of, tell
from record.story.event_wording import from_press
from record.story.turns import TurnStory
from record.story_html.drawings import PictureSource, picture
from record.story_html.pictures import answering, corners_of, gaps, seats, shown_first
from record.story_html.turn import facts, turn_section
from record.story_html.words import offset
from tests.record.bundlekit import entries_of, word

SECOND = 1_000_000_000
PRESS = 30 * SECOND
START = (
    GameStarted("g", {"left": "Ann", "right": "Bob"}, "wespa-2021", "english", "left", 0),
    ButtonPressed("right", 0),
)
CAT = word("8G", "CAT", Board.empty())
SOURCE = PictureSource(lambda sha: f"{sha[:4]}.jpg", lambda _: (400, 300))
CORNERS = ((100, 50), (300, 50), (300, 250), (100, 250))


def sha(number: int) -> str:
    return f"{number:064x}"


def kept(*pictures: tuple[str, float]) -> PicturesKept:
    """Pictures of turn 1, each with its role and its seconds from the press."""
    found = (
        Picture(role, sha(at), PRESS + round(s * SECOND)) for at, (role, s) in enumerate(pictures)
    )
    return PicturesKept(1, tuple(found), PRESS)


def reported(*events: Event, **seen: object) -> TurnStory:
    pressed = [] if seen.get("ended") else [ButtonPressed("left", PRESS)]
    turn = TurnSeen("left", PRESS, CAT.rows, PRESS, **seen)
    return tell(steps_of(entries_of((*START, *pressed, turn, *events)))).turns[0]


@pytest.mark.parametrize(
    ("ns", "short", "words"),
    [
        (2_040_000_000, "+2.0 s", "2.0 s after the press"),
        (-1_230_000_000, "−1.2 s", "1.2 s before the press"),
        (20_000_000, "0.0 s", "at the press"),
        (125_600_000_000, "+2:05.6", "2:05.6 after the press"),
        (-3_725_000_000_000, "−1:02:05.0", "1:02:05.0 before the press"),
    ],
)
def test_a_time_from_the_press_is_told_to_the_tenth(ns, short, words):
    assert (offset(ns), from_press(ns)) == (short, words)


def test_of_a_forgotten_press_the_first_play_alone_comes_first():
    """The reading shows the opponent's play, too."""
    pictures = kept(("at", 0.5), ("read", 8.8), ("after", 10))
    one = reported(pictures, ended="opponent_placed")
    assert one.shots[shown_first(one)].roles == ("at",)
    pressed = reported(pictures)
    assert pressed.shots[shown_first(pressed)].roles == ("read",)


def test_of_tiles_that_are_lifted_the_hand_is_printed():
    stop = [("stopped", 2 + at / 2) for at in range(20)]
    pictures = kept(("before", -1), ("read", -0.5), ("at", 0), ("after", 1), *stop)
    lifted = TilesChanged(
        1, Board.empty().rows, PRESS + 11 * SECOND, {"after": sha(22)}, PRESS + 11 * SECOND
    )
    off = TurnRuled(1, "challenge_upheld", "Dee", "no word", PRESS + 12 * SECOND)
    one = reported(pictures, ButtonPressed("neutral", PRESS + 2 * SECOND), lifted, off)
    shown = [one.shots[at].from_press_ns / 1e9 for at in sorted(answering(one))]
    assert len(shown) == 9
    hand = [at for at in shown if 8 <= at < 11]
    assert len(hand) >= 2, "two pictures of the seconds before the tiles were seen gone"
    assert {-0.5, 0, 11} <= set(shown)


def test_the_hand_that_was_kept_for_it_is_the_one_that_is_printed():
    pictures = kept(("read", -0.5), ("at", 0), ("changing", 3.4), *[("around", 2.0)] * 5)
    changed = TilesChanged(
        1, Board.empty().rows, PRESS + 5 * SECOND, {"after": sha(9)}, PRESS + 5 * SECOND
    )
    one = reported(pictures, changed)
    assert {"changing", "changed"} <= {
        role for at in answering(one) for role in one.shots[at].roles
    }


def test_pictures_in_which_everything_changed_are_printed_last():
    """The lens was covered, say."""
    dark = [("bumped", 1 + at) for at in range(6)]
    one = reported(kept(("read", -1), ("at", 0), *dark, *[("around", 8 + at) for at in range(4)]))
    assert not [at for at in answering(one) if "bumped" in one.shots[at].roles]


def test_what_is_disputed_is_printed_and_what_is_left_out_is_counted():
    """The last picture before the next press, and those about an entry, are never left out."""
    early = [("before", -4 + at / 10) for at in range(30)]
    late = [("ruled", 20 + at) for at in range(8)]
    pictures = kept(*early, ("read", -0.4), ("at", 0), ("after", 2.1), *late)
    accepted = PlayAccepted(1, "play_accepted", "Dee", "", PRESS + 20 * SECOND)
    pressed = ButtonPressed("right", PRESS + 27 * SECOND + 500_000_000)
    events = (*START, ButtonPressed("left", PRESS), TurnSeen("left", PRESS, CAT.rows, PRESS))
    story = tell(steps_of(entries_of((*events, pictures, accepted, pressed))))
    one = story.turns[0]
    shown = {one.shots[at].from_press_ns / 1e9 for at in answering(one)}
    assert {-0.4, 0, 2.1, 20, 21, 27} <= shown
    assert f"{len(shown)} of 41 pictures are printed." in turn_section(story, one, SOURCE)


EDGES: tuple[PictureEdge, ...] = ("top", "right", "bottom", "left")


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("quarters", range(4))
def test_a_name_stands_at_the_edge_of_the_upright_picture_that_is_the_players(edge, quarters):
    """The corners are clockwise from the board's top left, wherever that is in the picture."""
    corners = CORNERS[quarters:] + CORNERS[:quarters]
    svg = picture(SOURCE, sha(1), corners, "at the press", seats={edge: "Ann"})
    x, y, w, h = map(float, re.search(r'viewBox="([^"]+)"', svg)[1].split())
    at_x, at_y = (float(re.search(rf'<text[^>]* {axis}="([^"]+)"', svg)[1]) for axis in "xy")
    where = {"top": at_y - y, "bottom": y + h - at_y, "left": at_x - x, "right": x + w - at_x}
    shown = EDGES[(EDGES.index(edge) - quarters) % 4]
    assert min(where, key=lambda side: where[side]) == shown


def test_a_small_picture_is_turned_upright_as_its_neighbour():
    """Its corners are the neighbour's on its own scale; squares are not marked by them."""
    read = Picture("read", sha(1), PRESS, corners=CORNERS)
    small = Picture("thinking", sha(2), PRESS - 9 * SECOND)
    one = reported(PicturesKept(1, (read, small), PRESS))
    sizes = {sha(1): (400, 300), sha(2): (200, 150)}
    source = PictureSource(SOURCE.address, sizes.__getitem__)
    found = [corners_of(one, shot, source) for shot in one.shots]
    assert found == [[(x / 2, y / 2) for x, y in CORNERS], CORNERS]


def test_seats_that_are_learned_later_are_told_of_the_turns_before():
    board = word("H7", "A.E", CAT)
    hands = {"left": "bottom", "right": "top"}
    later = PRESS + 20 * SECOND
    events = (
        *START, ButtonPressed("left", PRESS), TurnSeen("left", PRESS, CAT.rows, PRESS),
        ButtonPressed("right", later), TurnSeen("right", later, board.rows, later, hands=hands),
    )  # fmt: skip
    story = tell(steps_of(entries_of(events)))
    assert seats(story, story.turns[0]) == {"bottom": "Ann", "top": "Bob"}
    plain = tell(steps_of(entries_of(events[:4])))
    assert seats(plain, plain.turns[0]) == {}


def test_a_turn_opens_with_its_pictures_and_what_happened_on_one_line():
    ruled = TurnRuled(
        1, "challenge_failed", "Dee", "a word", PRESS + 6 * SECOND, 1, PRESS + 2 * SECOND
    )
    events = (
        *START, ButtonPressed("left", PRESS), TurnSeen("left", PRESS, CAT.rows, PRESS),
        kept(("at", 0), ("after", 1)), ButtonPressed("neutral", PRESS + 3 * SECOND), ruled,
    )  # fmt: skip
    story = tell(steps_of(entries_of(events)))
    html = turn_section(story, story.turns[0], SOURCE)
    order = ('class="film', 'class="board"', "The sum", "Ruled and entered")
    assert [html.index(one) for one in order] == sorted(html.index(one) for one in order)
    line = re.findall(r'<p class="moment"><b>([^<]+)</b> ([^<]+)</p>', html)
    assert line[:3] == [
        ("0.0 s", "Ann pressed the clock"),
        (
            "+2.0 s",
            "turn 1: challenged unsuccessfully, called 2.0 s after the press "
            "(entered by Dee, 4.0 s later), the call on Dee&#x27;s word: no picture shows it",
        ),
        ("+3.0 s", "the clock was stopped"),
    ]


def test_what_was_of_one_moment_is_printed_in_the_order_in_which_it_was_entered():
    taken = (PenaltyAdded("left", n, None, "Dee", "", PRESS + SECOND) for n in (20, 10, 15))
    events = (*START, ButtonPressed("left", PRESS), TurnSeen("left", PRESS, CAT.rows, PRESS))
    story = tell(steps_of(entries_of((*events, *taken))))
    html = turn_section(story, story.turns[0], SOURCE)
    for part in ('class="film', 'class="moments'):
        assert re.findall(r"(\d+) points off", html[html.index(part) :])[:3] == ["20", "10", "15"]


def test_a_time_without_pictures_is_told_once():
    lost = PicturesLost(PRESS - 4 * SECOND, PRESS - SECOND, 7)
    events = (
        *START, ButtonPressed("left", PRESS),
        TurnSeen("left", PRESS, CAT.rows, PRESS, lost=(lost,)), kept(("at", 0)),
    )  # fmt: skip
    story = tell(steps_of(entries_of(events)))
    html = facts(story, story.turns[0]) + gaps(story, story.turns[0])
    assert html.count("No picture of the board for 3.0 s, from −4.0 s to −1.0 s") == 1
    assert html.count("pictures came for which this computer had no time.") == 1
    assert "pictures were lost" not in html


def test_what_was_entered_later_stands_at_the_moment_when_it_happened():
    def at(s: int) -> int:
        return PRESS + s * SECOND

    events = (
        *START, ButtonPressed("left", PRESS), TurnSeen("left", PRESS, CAT.rows, PRESS),
        HoldCalled(1, "Dee", at(4)), ButtonPressed("neutral", at(5)),
        PlayAccepted(1, "tiles_drawn", "Dee", "", at(7), at(2)),
    )  # fmt: skip
    story = tell(steps_of(entries_of(events)))
    html = turn_section(story, story.turns[0], SOURCE)
    drawn = "turn 1 was accepted: tiles were drawn (entered by Dee, 5.0 s later)"
    held = "is held"
    for part in ('class="film', 'class="moments', "Ruled and entered"):
        rest = html[html.index(part) :]
        rest = rest[: rest.index("</ul>" if "moments" in part else "</div>")]
        assert 0 <= rest.find("tiles were drawn") < rest.index(held)
    assert f"<b>+2.0 s</b> {drawn}" in html


def test_a_dark_picture_stands_there_brightened_too():
    """Its caption names the dark, and no picture's says that the board had moved."""
    seen = TurnSeen(
        "left", PRESS, CAT.rows, PRESS, lost=(PicturesLost(PRESS + SECOND, PRESS + 3 * SECOND, 0),)
    )
    pictures = kept(("at", 0), ("bumped", 2), ("bumped", 3))
    story = tell(steps_of(entries_of((*START, ButtonPressed("left", PRESS), seen, pictures))))
    html = turn_section(story, story.turns[0], SOURCE)
    assert html.count("brightened</p>") == 1
    assert "when the whole picture had changed, dark or covered, +2.0 s" in html
    assert "after the press, when the whole picture had changed, +3.0 s" in html
