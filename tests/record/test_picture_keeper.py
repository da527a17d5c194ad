"""The pictures of a turn: before, at and after its press, crops, and those that a crash leaves."""

from __future__ import annotations

import errno
import json
import weakref

import cv2
import numpy as np
import pytest

from game.board import Square
from game.events import PicturesKept, from_payload
from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.picture_keeper import PictureKeeper
from sensors.interfaces import Frame

MS = 1_000_000
CORNERS = np.array([[10, 10], [390, 10], [390, 390], [10, 390]], np.float32)


NOISE = np.random.default_rng(1).integers(0, 255, (400, 400, 3), dtype=np.uint8)


def frame(t_ms: int, jpeg: bool = True) -> Frame:
    return Frame(NOISE, t_ms * MS, t_ms // 10, b"jpeg %d" % t_ms if jpeg else None)


@pytest.fixture
def store(tmp_path):
    return EvidenceStore(tmp_path / "evidence")


@pytest.fixture
def keeper(store):
    return PictureKeeper(store)


def kept(store, event: PicturesKept) -> list[tuple[str, int, bytes]]:
    return [(one.role, one.exposed_ns // MS, store.load(one.sha256)) for one in event.pictures]


def stream(keeper: PictureKeeper, t_ms: int, until_ms: int, step: int = 100) -> list[PicturesKept]:
    return [event for t in range(t_ms, until_ms, step) for event in keeper.frame(frame(t))]


def turn(keeper: PictureKeeper, press_ms: int, flagged: bool = False) -> PicturesKept | None:
    """The pictures of turn 1, which ended with a press after some seconds of frames."""
    assert stream(keeper, 0, press_ms + 50) == []
    keeper.press(press_ms * MS)
    return keeper.turn(1, press_ms * MS, None, None, [], flagged=flagged)


def test_before_at_and_after_the_press(store, keeper):
    event = turn(keeper, 4950)
    found = kept(store, event)
    assert [role for role, _, _ in found] == ["before", "at"]
    assert found[1] == ("at", 4900, b"jpeg 4900")
    assert 3500 <= found[0][1] <= 3950
    later = stream(keeper, 5000, 7000)
    assert [kept(store, one) for one in later] == [[("after", 6000, b"jpeg 6000")]]
    assert later[0].turn == 1


def test_a_turn_that_is_settled_late_keeps_the_frames_of_its_press(store, keeper):
    stream(keeper, 0, 5000)
    keeper.press(4950 * MS)
    stream(keeper, 5000, 12000)
    read = frame(7000)
    event = keeper.turn(3, 4950 * MS, read, CORNERS, [], flagged=False)
    assert [(role, t) for role, t, _ in kept(store, event)][1:] == [("at", 4900), ("read", 7000)]
    # Where the board is, is known of the one that was read.
    corners = tuple(map(tuple, CORNERS.tolist()))
    assert [one.corners for one in event.pictures] == [None, None, corners]


def test_a_flagged_turn_keeps_more_around_it(store, keeper):
    event = turn(keeper, 4950, flagged=True)
    roles = [role for role, _, _ in kept(store, event)]
    assert roles == ["before", "at", "around", "around"]
    later = stream(keeper, 5000, 9000)
    assert [kept(store, one)[0][:2] for one in later] == [("after", 6000), ("around", 7000)]


def test_crops_of_the_changed_squares_come_from_the_frame_that_was_read(store, keeper):
    stream(keeper, 0, 3000)
    keeper.press(3000 * MS)
    squares = [Square.parse("8H"), Square.parse("8I")]
    read = frame(2900)
    event = keeper.turn(1, 3000 * MS, read, CORNERS, squares, flagged=False)
    crops = [one for one in event.pictures if one.role == "crop"]
    assert [one.square for one in crops] == ["8H", "8I"]
    whole = next(one for one in event.pictures if one.role == "at")
    for one in crops:
        assert (one.of, one.exposed_ns) == (whole.sha256, 2900 * MS)
        image = cv2.imdecode(np.frombuffer(store.load(one.sha256), np.uint8), cv2.IMREAD_COLOR)
        assert image.shape[0] == image.shape[1] >= 32
    assert len({one.sha256 for one in crops}) == 2


def test_a_camera_without_jpeg_is_encoded_once(store, keeper):
    one = frame(100, jpeg=False)
    sha = keeper.store(one)
    image = cv2.imdecode(np.frombuffer(store.load(sha), np.uint8), cv2.IMREAD_COLOR)
    assert image.shape == one.image.shape
    assert keeper.store(one) == sha


@pytest.mark.parametrize("full", [True, False])
def test_a_full_disk_costs_pictures_and_nothing_else_and_without_a_store_none_is_kept(
    tmp_path, full
):
    store = EvidenceStore(tmp_path / "evidence", keep_free=1 << 60) if full else None
    keeper = PictureKeeper(store)
    assert stream(keeper, 0, 3000) == []
    keeper.press(3000 * MS)
    assert keeper.turn(1, 3000 * MS, frame(2900), CORNERS, [Square(7, 7)], flagged=True) is None
    assert stream(keeper, 3000, 6000) == []
    assert ("pictures are no longer kept" in (keeper.trouble or "")) is full


def test_a_frame_that_comes_far_too_late_shows_another_turn(keeper):
    turn(keeper, 2000)
    assert keeper.frame(frame(60_000)) == []


def test_memory_is_bounded(keeper):
    """After a minute's frames hardly more of them are held than belong to one press."""
    held: list[weakref.ref] = []
    for t_ms in range(0, 60_000, 40):
        image = NOISE[:]
        held.append(weakref.ref(image))
        keeper.frame(Frame(image, t_ms * MS, t_ms // 40, b"jpeg %d" % t_ms))
    assert sum(one() is not None for one in held) < 30


def test_the_recorder_links_the_pictures_to_their_turns(live, put):
    board = put("8G", "CAT")
    live.press("right", 0)
    live.video(100, 2000, board)
    live.press("left", 2000)
    live.video(2000, 4000, board)
    events = [from_payload(event.payload) for event in live.log.events()]
    pictures = [one for one in events if isinstance(one, PicturesKept)]
    roles = [
        (one.turn, picture.role, picture.square) for one in pictures for picture in one.pictures
    ]
    whole = {(1, role, None) for role in ("before", "at", "after")}
    assert set(roles) >= whole | {(1, "crop", square) for square in ("8G", "8H", "8I")}
    for one in pictures:
        for picture in one.pictures:
            live.evidence.load(picture.sha256)


def test_pictures_still_to_come_go_to_their_turn_however_it_is_numbered_since(keeper):
    turn(keeper, 4950)
    keeper.renumber({1: 2})
    assert [event.turn for event in stream(keeper, 5000, 7000)] == [2]


@pytest.mark.parametrize("pressed", [False, True])
def test_a_prepared_frame_is_stored_without_encoding_it_again(store, monkeypatch, pressed, keeper):
    """The one that a turn likely rests on is stored from the press on."""
    rest = frame(4000, jpeg=False)
    keeper.prepare(rest, b"encoded before")
    if pressed:
        keeper.press(4950 * MS, rest)
    monkeypatch.setattr("record.picture_keeper.cv2.imencode", None)
    sha = keeper.store(rest)
    assert store.load(sha) == b"encoded before"
    assert keeper.store(rest) == sha
    assert keeper.trouble is None


def test_without_a_press_the_first_play_is_kept_alone(store, keeper):
    """By the time the turn is logged the opponent's play lies on the board, too."""
    stream(keeper, 0, 9000)
    for t_ms in (2000, 3000, 8000):
        keeper.prepare(frame(t_ms), b"at rest %d" % t_ms)
    event = keeper.turn(1, 2500 * MS, frame(8000), None, [], flagged=False)
    assert ("at", 3000, b"at rest 3000") in kept(store, event)
    assert [role for role, _, _ in kept(store, event)].count("at") == 1


@pytest.mark.parametrize("pressed", [True, False])
def test_the_picture_in_which_the_tiles_first_lay_is_kept(store, keeper, pressed):
    """They were tried and taken back before, and a hand was over them later."""
    squares = [Square.parse("1A"), Square.parse("1B")]
    for t_ms, row in ((1000, "A."), (2000, "AB"), (3000, ".."), (4000, "AC"), (6000, "AB")):
        keeper.prepare(frame(t_ms), b"at rest %d" % t_ms, (row,))
    stream(keeper, 6000, 8000)
    if pressed:
        keeper.press(8000 * MS)
    event = keeper.turn(1, 8000 * MS, frame(6000), None, squares, flagged=False)
    assert ("placed", 4000, b"at rest 4000") in kept(store, event)


def test_the_hand_that_changed_tiles_is_kept(store, keeper):
    stream(keeper, 0, 3000)
    hand = Frame(255 - NOISE, 3000 * MS, 300, b"a hand")
    keeper.frame(hand)
    stream(keeper, 3300, 5000, 300)
    assert kept(store, keeper.changed(1, frame(5000))) == [("changing", 3000, b"a hand")]


def test_a_frame_that_its_turn_did_not_rest_on_hinders_no_other(store, keeper):
    likely, other = frame(4000), frame(4100)
    keeper.prepare(likely, b"likely")
    keeper.press(4950 * MS, likely)
    assert store.load(keeper.store(other)) == b"jpeg 4100"
    keeper.prepare(other, b"prepared next")
    keeper.press(6950 * MS, other)
    keeper.prepare(likely, b"prepared after the press")
    assert store.load(keeper.store(likely)) == b"prepared after the press"
    assert keeper.trouble is None


def test_a_disk_that_fails_while_the_press_is_logged_is_told(monkeypatch, keeper):
    rest = frame(4000)
    keeper.prepare(rest, b"encoded before")

    def broken(folder) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("record.evidence.sync", broken)
    keeper.press(4950 * MS, rest)
    assert keeper.store(rest) is None
    assert "cannot be kept" in keeper.trouble


@pytest.fixture
def snapshot(tmp_path):
    made = CrashSnapshot(tmp_path)
    made.save(b"the board at rest", 5_000_000_000)
    return made


def test_the_picture_of_the_board_at_a_press(snapshot, tmp_path):
    snapshot.pressed(6_000_000_000, 5_000_000_000)
    assert CrashSnapshot(tmp_path).at_press(6_000_000_000) == b"the board at rest"
    assert CrashSnapshot(tmp_path).at_press(6_000_000_001) is None


def test_a_press_that_found_another_board_has_no_picture(snapshot):
    snapshot.pressed(6_000_000_000, 4_000_000_000)
    assert snapshot.at_press(6_000_000_000) is None


@pytest.mark.parametrize("times", [(10**18, 1), (1, 10**18), (10**18, 10**9)])
def test_the_newest_press_replaces_the_one_before_it_whole(snapshot, tmp_path, times):
    for press_ns in times:
        snapshot.pressed(press_ns, 5_000_000_000)
    assert snapshot.at_press(times[0]) is None
    assert snapshot.at_press(times[1]) == b"the board at rest"
    found = json.loads((tmp_path / "press.json").read_bytes())
    assert found == {"press_ns": times[1], "rest_ns": 5_000_000_000}


def test_a_press_that_an_earlier_version_wrote_is_replaced(snapshot, tmp_path):
    (tmp_path / "press.json").write_text(json.dumps({"press_ns": 1, "rest_ns": 2}), "utf-8")
    snapshot.pressed(6_000_000_000, 5_000_000_000)
    assert snapshot.at_press(6_000_000_000) == b"the board at rest"
