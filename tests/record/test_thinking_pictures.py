"""Small pictures of a turn while it is being made."""

from __future__ import annotations

from itertools import pairwise

import cv2
import numpy as np
import pytest

from game.events import ButtonPressed, GameEnded, PicturesKept, from_payload
from record.evidence import EvidenceStore
from record.picture_change import shrunk
from record.picture_keeper import PictureKeeper
from record.thinking_pictures import EVERY_NS, STILL_NS, ThinkingPictures
from sensors.interfaces import Frame
from tests.game.gamekit import SECOND, Table

LOOK = SECOND // 5
HAND = ((150, 100), (260, 240))


class Watch:
    """A table in front of a camera with noise."""

    def __init__(self, store: EvidenceStore | None) -> None:
        self.thinking = ThinkingPictures(PictureKeeper(store))
        self.noise = np.random.default_rng(1).normal(0, 4, (16, 240, 320, 3))
        self.table = Table()
        self.table.play("8D", "PLATE")
        self.begun = self.table.now

    def until(self, to: float, hands: range | tuple[int, ...] = ()) -> list[PicturesKept]:
        """Frames to a second after the turn's beginning; of those numbered, a hand lies there."""
        found = []
        while self.table.now < self.begun + round(to * SECOND):
            self.table.now += LOOK
            at = (self.table.now - self.begun) // LOOK
            image = np.full((960, 1280, 3), 120, np.uint8)
            image[::4, ::4] = np.clip(120 + self.noise[at % 16], 0, 255)
            if at in hands:
                (x, y), (right, bottom) = HAND
                image[4 * y : 4 * bottom, 4 * x : 4 * (x + (right - x) * (at % 3 + 1) // 3)] = 30
            frame = Frame(image, self.table.now, at)
            found += self.thinking.frame(frame, shrunk(image), self.table.state)
        return found

    def made(self) -> list[float]:
        """The seconds of the pictures of the turn, which ends now."""
        pictures = self.thinking.of(self.table.now)
        assert all(one.role == "thinking" for one in pictures)
        return [(one.exposed_ns - self.begun) / SECOND for one in pictures]


@pytest.fixture
def store(tmp_path):
    return EvidenceStore(tmp_path)


@pytest.fixture
def watch(store):
    return Watch(store)


def test_a_long_thought_in_which_nothing_moves_is_kept_every_ten_seconds(watch):
    watch.until(60)
    times = watch.made()
    assert times[0] <= EVERY_NS / SECOND + 0.2
    assert all(abs((b - a) * SECOND - STILL_NS) <= EVERY_NS + LOOK for a, b in pairwise(times))


def test_a_hand_is_kept_where_it_covers_most_however_short_it_was_there(watch):
    watch.until(40, hands=(100, 101))
    assert 20.2 in watch.made(), "the frame of two in which it covers more"


def test_what_moves_all_the_time_is_kept_every_two_seconds_and_later_less_often(watch):
    watch.until(300, hands=range(0, 1500, 2))
    times = watch.made()
    assert len(times) < 110
    assert max(b - a for a, b in pairwise(times[:60])) <= 4
    assert max(b - a for a, b in pairwise(times)) <= 8


def test_a_picture_is_small_and_shows_the_whole_table(watch, store):
    watch.until(5)
    jpeg = store.load(watch.thinking.of(watch.table.now)[0].sha256)
    image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR)
    assert image.shape == (480, 640, 3)


def test_what_was_taken_after_a_press_is_of_the_next_turn(watch):
    watch.until(10, hands=range(50))
    pressed = watch.begun + 5 * SECOND
    first, second = watch.thinking.of(pressed), watch.thinking.of(watch.table.now)
    assert max(one.exposed_ns for one in first) <= pressed < min(one.exposed_ns for one in second)


def test_a_stopped_clock_has_pictures_of_its_own(watch):
    watch.until(5)
    watch.table.put(ButtonPressed("neutral", watch.table.now))
    stopped = watch.table.now
    watch.until(30, hands=range(150))
    assert all(watch.begun + s * SECOND <= stopped for s in watch.made())


def test_the_pictures_of_a_turn_that_never_ended_are_linked_at_the_end(watch):
    watch.until(5)
    watch.table.put(GameEnded("agreed", watch.table.now))
    (event,) = watch.until(6)
    assert (event.turn, event.t_ns) == (1, watch.begun + 5 * SECOND + LOOK)
    assert watch.until(20) == []


def test_a_process_that_is_killed_leaves_no_picture_of_a_turn_behind(watch, tmp_path):
    """Nothing in the log would ever name them, so nobody could delete them."""
    watch.until(30)
    for _, done in watch.thinking._waiting:
        assert done.result() is not None
    assert not [*tmp_path.glob("*.jpg")]
    for at, file in enumerate(tmp_path.iterdir()):
        file.rename(tmp_path / f".a.{at}.999999999.tmp")
    EvidenceStore(tmp_path)
    assert [*tmp_path.iterdir()] == []


def test_without_a_place_to_keep_them_none_is_linked():
    watch = Watch(None)
    watch.until(10)
    assert watch.made() == []


def test_the_recorder_links_them_to_the_turn_that_was_made(live, put):
    live.press("right", 0)
    live.video(100, 15_000, put("8G", "CAT"))
    live.press("left", 15_000)
    live.video(15_000, 17_000, put("8G", "CAT"))
    events = [from_payload(event.payload) for event in live.log.events()]
    kept = [one for one in events if isinstance(one, PicturesKept)]
    roles = {(one.turn, picture.role) for one in kept for picture in one.pictures}
    assert (1, "thinking") in roles
