"""The desk: pictures for whoever asks, and what needs somebody's attention."""

from __future__ import annotations

import threading

import numpy as np

from game.errors import TilewatchError
from sensors.interfaces import Frame
from table.desk import UNSURE, WITHDRAWN, Answer, Desk, NoteAction
from table.health.alerts import Alert
from table.table_picture import ShownFrame

CORNERS = ((1.0, 2.0), (30.0, 2.0), (30.0, 20.0), (1.0, 20.0))


def frame(seq: int, jpeg: bytes | None = None) -> Frame:
    return Frame(np.zeros((24, 32, 3), np.uint8), seq * 1000, seq, jpeg)


def test_the_newest_picture_with_what_was_read_over_it():
    desk = Desk(lambda: 0)
    assert desk.picture() is None
    desk.show(ShownFrame(frame(1, b"one")))
    desk.show(ShownFrame(frame(2, b"two"), CORNERS, ("." * 15,) * 15, 1500))
    picture = desk.picture()
    assert picture is not None
    assert (picture.jpeg, picture.t_ns, picture.width, picture.height) == (b"two", 2000, 32, 24)
    assert (picture.corners, picture.read_ns) == (CORNERS, 1500)
    assert picture.rows == ("." * 15,) * 15


def test_a_frame_without_jpeg_is_encoded_once_and_only_when_asked_for():
    encoded = []

    def encode(one: Frame) -> bytes:
        encoded.append(one.seq)
        return b"made"

    desk = Desk(lambda: 0, encode=encode)
    for seq in range(3):
        desk.show(ShownFrame(frame(seq)))
    assert encoded == []
    assert [desk.picture().jpeg for _ in range(3)] == [b"made"] * 3
    assert encoded == [2]
    desk.show(ShownFrame(frame(3)))
    assert desk.picture().t_ns == 3000
    assert encoded == [2, 3]


def test_a_picture_that_cannot_be_encoded_is_none():
    def encode(_: Frame) -> bytes:
        raise TilewatchError("cannot be encoded")

    desk = Desk(lambda: 0, encode=encode)
    desk.show(ShownFrame(frame(1)))
    assert desk.picture() is None


def test_what_happened_stays_until_somebody_attends_to_it_and_what_stands_until_it_is_mended():
    desk = Desk(lambda: 0)
    desk.alerts.begin(Alert("director_called", "the director is called", 9, stands=False))
    desk.alerts.begin(Alert("button_stuck", "left is stuck", 5, "left"))
    assert [condition.code for condition in desk.trouble()] == ["button_stuck", "director_called"]

    def attend(code: str, what: str = "") -> Answer:
        asked = threading.Thread(target=log)
        asked.start()
        answer = desk.attend(code, what, "director: ann", by="Ann", why="they had a question")
        stop.set()
        asked.join()
        stop.clear()
        return answer

    done: list[NoteAction] = []
    stop = threading.Event()

    def log() -> None:
        while not stop.wait(0.001):
            for posted in desk.take():
                done.append(posted.post)
                posted.answer(Answer(7))

    assert not attend("button_stuck", "left").done
    assert not attend("no such code").done
    assert attend("director_called").seq == 7
    assert not attend("director_called").done
    output = "seen to: the director is called"
    assert done == [NoteAction("attended", output, "director: ann", "Ann", "they had a question")]
    assert [condition.code for condition in desk.trouble()] == ["button_stuck"]
    assert desk.alerts.end("button_stuck", "left") is not None
    assert desk.trouble() == ()


def test_what_happens_again_happened_now():
    desk = Desk(lambda: 0)
    for t_ns in (3, 8):
        assert desk.alerts.begin(
            Alert("button_double", "left pressed twice", t_ns, "left", stands=False)
        )
    assert [condition.since_ns for condition in desk.trouble()] == [8]


def test_what_the_loop_did_not_get_to_in_time_is_never_done():
    """The director was told that nothing was done, and may have asked again."""
    desk = Desk(lambda: 0)
    done = NoteAction("attended", "seen to", "director: ann")
    assert desk.post(done, timeout_s=0.01).refused == WITHDRAWN
    assert list(desk.take()) == []
    # A player's press stands: it has a time of its own.
    desk.press("left", timeout_s=0.01)
    assert [posted.post.button for posted in desk.take()] == ["left"]


def test_what_the_loop_has_begun_is_not_called_undone():
    desk = Desk(lambda: 0)
    begun = threading.Event()

    def begin() -> None:
        while not begun.is_set():
            if list(desk.take()):
                begun.set()

    loop = threading.Thread(target=begin)
    loop.start()
    answer = desk.post(NoteAction("attended", "seen to", "director: ann"), timeout_s=0.2)
    begun.set()
    loop.join()
    assert answer.refused == UNSURE
