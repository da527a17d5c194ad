"""A phone as the camera: what comes from its page, and what becomes of it."""

from __future__ import annotations

import threading

import cv2
import numpy as np
import pytest

from game.jpeg import jpeg_size
from sensors.drivers import CAMERAS
from sensors.interfaces import PICTURE_LATE_NS, SensorError
from sensors.phone import (
    FIRST_S,
    MOST_BYTES,
    PhoneCamera,
    PhoneInbox,
    PhoneOptions,
)
from tests.sensors.phonekit import MS, HandClock, jpeg
from vision.images import decode_picture


@pytest.fixture
def clock():
    return HandClock()


@pytest.fixture
def inbox(clock):
    made = PhoneInbox(PhoneOptions(fps=10, delay_ms=80), clock)
    made.begin("page")
    return made


def put(inbox, t_ns, *, data=None, captured=True) -> bool:
    return inbox.put(data or jpeg(), t_ns, captured=captured, error_ns=7 * MS)


def test_frames_have_the_times_of_their_capture_and_the_bytes_that_came(inbox, clock):
    sent, times = [jpeg(shade=shade) for shade in (60, 120, 180)], []
    camera = CAMERAS["phone"].open(inbox.options, None, inbox, decode=decode_picture)
    frames = camera.frames()
    for data in sent:
        times.append(clock.pass_ms(100) - 30 * MS)
        assert put(inbox, times[-1], data=data)
        frame = next(frames)
        assert (frame.t_ns, frame.jpeg) == (times[-1], data)
        assert frame.image.shape == (48, 64, 3)
    camera.close()
    assert (inbox.state.taken, inbox.state.late, inbox.state.error_ns) == (3, 0, 7 * MS)


def test_the_newest_wins_and_nothing_piles_up(inbox, clock):
    for _ in range(5):
        put(inbox, clock.pass_ms(100))
    newest = clock.now_ns
    assert inbox.take(0).t_ns == newest
    assert inbox.take(0) is None


@pytest.mark.parametrize(
    ("late_ms", "taken"),
    [(0, True), (PICTURE_LATE_NS / MS - 1, True), (PICTURE_LATE_NS / MS + 1, False)],
)
def test_a_picture_that_comes_too_late_is_left_out(inbox, clock, late_ms, taken):
    assert put(inbox, clock.now_ns - round(late_ms * MS)) is taken
    assert inbox.state.late == (not taken)


def test_a_stamp_in_the_future_counts_as_now_and_none_goes_back(inbox, clock):
    assert put(inbox, clock.now_ns + 10**12)
    assert inbox.take(0).t_ns == clock.now_ns
    before = clock.now_ns
    clock.pass_ms(200)
    assert not put(inbox, before - MS)  # overtaken on its way
    assert put(inbox, clock.now_ns)


def test_more_pictures_than_were_asked_for_are_not_taken(inbox, clock):
    taken = sum(put(inbox, clock.pass_ms(10)) for _ in range(100))
    assert taken <= 12  # of a second, at ten a second


def test_the_delay_is_taken_off_where_the_browser_does_not_tell_the_capture(inbox, clock):
    put(inbox, clock.now_ns, captured=False)
    assert inbox.take(0).t_ns == clock.now_ns - 80 * MS


def huge(width: int, height: int) -> bytes:
    """A JPEG that says that it is so large."""
    data = bytearray(jpeg())
    at = data.index(b"\xff\xc0")
    data[at + 5 : at + 9] = height.to_bytes(2, "big") + width.to_bytes(2, "big")
    return bytes(data)


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"<html>", b"\xff\xd8\xff", jpeg() + bytes(MOST_BYTES), huge(20000, 20000)),
        *(huge(0, 9), jpeg()[:-40]),
    ],
)
def test_what_is_too_large_or_no_picture_is_left_out_undecoded(inbox, clock, data, monkeypatch):
    monkeypatch.setattr(cv2, "imdecode", None)
    assert not put(inbox, clock.now_ns, data=data or b"\0")
    assert inbox.state.spoilt == 1


def test_the_size_stands_in_the_header(inbox):
    assert jpeg_size(jpeg(640, 360)) == (640, 360)
    progressive = cv2.imencode(
        ".jpg", np.zeros((30, 50, 3), np.uint8), (cv2.IMWRITE_JPEG_PROGRESSIVE, 1)
    )[1].tobytes()
    assert jpeg_size(progressive) == (50, 30)
    for cut in range(0, len(progressive), 7):
        assert jpeg_size(progressive[:cut]) in (None, (50, 30))


def test_a_damaged_picture_is_left_out(inbox, clock):
    spoilt = bytearray(jpeg(320, 240))
    at = len(spoilt) // 2
    spoilt[at : at + 9] = b"\xff\xd9" * 4 + b"\x00"
    camera = PhoneCamera(inbox.options, inbox, decode=decode_picture)
    put(inbox, clock.now_ns, data=bytes(spoilt))
    wait = inbox.take

    def take(*_):
        found = wait(0)
        put(inbox, clock.pass_ms(100), data=jpeg(320, 240, 200))
        return found

    inbox.take = take
    assert abs(float(next(camera.frames()).image[0, 0].mean()) - 200) < 3


def silent(inbox, clock, *, passes_ms: float = 0, after: int = 0) -> str:
    """The line of a camera that gets no picture after so many."""
    camera = PhoneCamera(inbox.options, inbox, decode=decode_picture)
    wait, gone = inbox.take, iter(range(after))

    def take(*_):
        if next(gone, None) is None:
            clock.pass_ms(passes_ms)
        return wait(0)

    inbox.take = take
    with pytest.raises(SensorError) as caught:
        list(camera.frames())
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("hidden", "its page is not in view (a call, another app, a dark screen); open the page"),
        ("refused", "was not allowed to use the camera; allow it for this page"),
        ("busy", "another app uses its camera"),
        ("ended", "taken its camera away"),
        ("insecure", "start the table with --https"),
        ("slow", "the network is too slow"),
    ],
)
def test_the_page_says_why_it_sends_nothing(inbox, clock, state, says):
    assert inbox.tell(state, None, None, ())
    assert says in silent(inbox, clock)
    assert not inbox.tell("dancing", None, None, ())
    assert inbox.state.state == state
    # Nothing says it where no phone was ever paired.
    assert "pair one on the director's page" in silent(PhoneInbox(PhoneOptions(), clock), clock)


def test_a_phone_that_has_gone_is_said_with_its_battery(inbox, clock):
    inbox.tell("sending", 0.04, False, ())
    line = silent(inbox, clock, passes_ms=9000)
    assert "nothing has come from it for 9 s" in line
    assert "its battery was at 4%" in line


def test_a_page_that_stops_is_said_at_once(inbox, clock):
    """Not after the time that a camera has for its first picture."""
    caught: list[BaseException] = []

    def look() -> None:
        try:
            list(PhoneCamera(inbox.options, inbox, decode=decode_picture).frames())
        except SensorError as error:
            caught.append(error)

    thread = threading.Thread(target=look)
    thread.start()
    while thread.is_alive() and not caught:
        inbox.tell("sending", None, None, ())
        inbox.tell("refused", None, None, ())
        thread.join(0.01)
    thread.join(FIRST_S)
    assert "was not allowed" in str(caught[0])


def test_closing_ends_the_wait_at_once(inbox):
    camera = PhoneCamera(inbox.options, inbox, decode=decode_picture)
    waiting = threading.Thread(target=lambda: list(camera.frames()))
    waiting.start()
    camera.close()
    waiting.join(FIRST_S - 1)
    assert not waiting.is_alive()


def test_a_low_battery_is_reported_until_it_is_charged(inbox, clock):
    reports = []
    camera = PhoneCamera(inbox.options, inbox, reports.append, decode=decode_picture)
    frames = camera.frames()
    for battery, charging in ((0.5, False), (0.14, False), (0.13, False), (0.13, True)):
        inbox.tell("sending", battery, charging, ())
        put(inbox, clock.pass_ms(100))
        next(frames)
    assert [(one.code, one.state) for one in reports] == [
        ("camera_battery", "over"),
        ("camera_battery", "begins"),
        ("camera_battery", "over"),
    ]
    assert "14%" in reports[1].message


def test_only_the_newest_page_is_the_camera(inbox):
    assert inbox.serves("page")
    assert not inbox.serves("other")
    inbox.begin("other")
    assert not inbox.serves("page")
    inbox.forget()
    assert inbox.serves("third")  # the table was started again: whoever is there goes on
    assert not inbox.serves("other")
