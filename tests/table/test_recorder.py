"""The recorder's log and evidence, and what no scene of ``scenes/`` can show."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.board import Square
from game.errors import TilewatchError
from game.events import (
    BlankDesignated,
    PicturesLost,
    SquareCorrected,
    TurnParted,
    TurnSeen,
)
from game.state.fold import apply
from game.state.numbering import renumbering
from record.errors import LogError
from sensors.interfaces import Frame
from table.health.limits import GAP_NS
from table.health.lost_pictures import LostPictures
from table.turn_events import EarlierTurnCorrections
from table.views.views import view
from vision.tracking.board_tracker import ReadingCorrection
from vision.tracking.parameters import SquareModel

from .recorderkit import EMPTY, cover, opened


def test_the_camera_s_own_bytes_are_the_evidence(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.frame(1900, put("8G", "CATS"))
    bench.press("right", 2000)
    shas = [hashlib.sha256(b"jpeg %d" % n).hexdigest() for n in (0, 1)]
    assert [one.frames for one in bench.seen()] == [
        {"at": shas[0]},
        {"before": shas[0], "at": shas[1]},
    ]
    assert bench.evidence.load(shas[1]) == b"jpeg 1"


def test_an_event_that_cannot_be_changes_nothing(bench):
    before = bench.state
    with pytest.raises(TilewatchError):
        bench.recorder.record(bench.state.start)
    assert bench.state == before
    assert bench.logged() == ["GameStarted"]


def test_the_state_waits_for_the_log(bench, put, monkeypatch):
    bench.press("right", 0)
    before = bench.state

    def full(*args, **kwargs):
        raise LogError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(bench.log, "append", full)
        with pytest.raises(LogError):
            bench.press("left", 1000)
    assert bench.state == before


def test_a_press_and_its_turn_wake_readers_together(bench, put, monkeypatch):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    woken = []
    monkeypatch.setattr(bench.log, "wake", lambda: woken.append(bench.logged()[-1]))
    bench.press("left", 1000)
    assert woken[0] == "TurnSeen"


def test_a_press_without_a_turn_wakes_readers(bench, monkeypatch):
    woken = []
    monkeypatch.setattr(bench.log, "wake", lambda: woken.append(bench.logged()[-1]))
    bench.press("right", 0)
    assert woken == ["ButtonPressed"]


def test_the_evidence_of_a_board_at_rest_is_the_frame_that_was_read(live, put):
    first = put("8G", "CAT")
    live.video(0, 1000, EMPTY)
    live.press("right", 950)
    live.video(1000, 2000, cover(first))
    live.video(2000, 3000, first)
    live.press("left", 2950)
    shas = [hashlib.sha256(b"jpeg %d" % seq).hexdigest() for seq in range(live.seq)]
    assert 20 < shas.index(live.seen()[0].frames["at"]) < 29


def test_a_frame_that_is_no_picture_is_left_out(live, put):

    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1000, put("8G", "CAT"))
    for spoilt in (np.zeros((0, 0, 3), np.uint8), np.zeros((9, 9), np.uint8)):
        live.recorder.frame(Frame(spoilt, 1_000_000_000, live.seq))
    live.video(1000, 1500, put("8G", "CAT"))
    live.press("left", 1450)
    assert live.turns[0].word == "CAT"


def test_a_black_picture_takes_no_tile_off(live, put):
    first = put("8G", "CAT")
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 1500, first)
    black = np.full((480, 640, 3), 3, np.uint8)
    live.reader.teach(black, EMPTY)
    for t_ms in range(1500, 2500, 40):
        live.recorder.frame(Frame(black, t_ms * 1_000_000, live.seq))
        live.seq += 1
    live.press("left", 2450)
    live.recorder.finish()
    assert live.turns[0].word == "CAT"


def test_a_fingertip_that_reads_as_a_bare_square_hides_the_tile_under_it(live, put, monkeypatch):
    """At the press the last tile lies under a finger, beside the hand that covers the others."""
    monkeypatch.setattr("vision.tracking.appearance.SQUARE", SquareModel(another=10.0))
    first = put("8G", "CAT")
    hand = cover(first, cols=range(9))
    live.video(0, 500, EMPTY)
    live.press("right", 450)
    live.video(500, 900, EMPTY)
    live.video(900, 1400, put("8I", "~", hand), reads=hand.replace({Square.parse("8I"): "."}))
    live.press("left", 1350)
    live.video(1400, 4500, first)
    assert [(turn.word, turn.score) for turn in live.turns] == [("CAT", 10)]


def test_a_reading_that_goes_to_and_fro_ends_where_the_evidence_does(bench, put):
    """Corrections of corrections leave one word in all turns and nobody accused of a swap."""
    bench.press("right", 0)
    readings = ["~QQ", "QQQ", "QAA", "AAA", "AAA", "AAA", "QAA", "AAA"]
    boards = [put("8G", "CAT")]
    for number, tile in enumerate("SELFISH"):
        boards.append(put(f"{9 + number % 7}{'LMNO'[number % 4]}", tile, boards[-1]))
    for number, (board, seen) in enumerate(zip(boards, readings, strict=True), start=1):
        image = bench.frame(number * 1000 - 100, board, light=1.0 if number % 2 else 0.8)
        split = [("Q", 0.55), ("A", 0.42)] if "~" in seen else [("Q", 0.8), ("A", 0.18)]
        split = [("A", 0.97), ("Q", 0.02)] if seen == "AAA" else split
        symbol = "~" if "~" in seen else split[0][0]
        read = board.replace({Square.parse("8H"): symbol})
        bench.reader.teach(image, read, sure={"8H": split[0][1]}, guesses={"8H": split})
        bench.press("left" if number % 2 else "right", number * 1000)
    assert bench.turns[0].word == "CAT"
    assert bench.state.board == boards[-1]
    assert not {code for n in range(1, 9) for code in bench.codes(n)} & {
        "tile_replaced",
        "tile_removed",
    }


SQUARE = Square.parse("8I")


def make(bench, corrections, correction, t_ms):
    for event in corrections.events(correction, bench.state, t_ms * 10**6):
        bench.recorder.record(event)


def seen_with_a_blank(bench, put):
    """CA? at 8G, the blank said to be a T."""
    bench.press("right", 0)
    bench.frame(900, put("8G", "CA?"))
    bench.press("left", 1000)
    bench.recorder.record(BlankDesignated("8I", "T", "the player", "said", 1500 * 10**6))
    assert bench.turns[0].word == "CAt"


GONE = ReadingCorrection(1, SQUARE, ".", "read again as empty")


def test_a_blank_that_somebody_named_is_not_read_away(bench, put):
    seen_with_a_blank(bench, put)
    make(bench, EarlierTurnCorrections(), GONE, 2000)
    assert bench.turns[0].word == "CAt"


@pytest.mark.parametrize(("played", "left"), [("CA?", "CA"), ("C?T", "C?T"), ("CAT", "CA")])
def test_a_tile_without_which_the_others_make_no_play_is_not_read_away(bench, put, played, left):
    bench.press("right", 0)
    bench.frame(900, put("8G", played))
    bench.press("left", 1000)
    square = SQUARE if played[1] == "A" else Square.parse("8H")
    gone = ReadingCorrection(1, square, ".", "read again as empty")
    make(bench, EarlierTurnCorrections(), gone, 2000)
    assert bench.turns[0].word == left


def test_a_blank_that_looked_like_its_square_belongs_to_the_play_that_it_completes(bench, put):
    bench.press("right", 0)
    first = put("8G", "CAT")
    bench.frame(900, first)
    bench.press("left", 1000)
    bench.frame(1900, put("11G", "E", put("9G", "O", first)), sure=0.9995)
    bench.press("right", 2000)
    assert "gap" in {flag.code for flag in bench.turns[1].flags}
    again = ReadingCorrection(1, Square.parse("10G"), "?", "read again as a blank")
    make(bench, EarlierTurnCorrections(), again, 3000)
    assert [turn.tiles for turn in bench.turns] == [
        {"8G": "C", "8H": "A", "8I": "T"},
        {"9G": "O", "10G": "?", "11G": "E"},
    ]
    assert not {flag.code for flag in bench.turns[1].flags} & {"gap", "not_one_line"}


def taken_up(bench, put, by, why):
    """Corrections that recall the blank, which was then corrected to nothing."""
    seen_with_a_blank(bench, put)
    gone = SquareCorrected(1, "8I", ".", by, why, 1600 * 10**6)
    bench.recorder.record(gone)
    corrections = EarlierTurnCorrections()
    named = BlankDesignated("8I", "T", "the player", "said", 1500 * 10**6)
    corrections.recall([TurnSeen("left", 10**9, bench.turns[0].seen.rows, None), named, gone])
    return corrections


@pytest.mark.parametrize(
    ("by", "why", "turn", "symbol"),
    [
        ("camera", "read again as empty", 1, "t"),
        ("a director", "withdrawn", 2, "?"),  # another blank is laid there later
    ],
)
def test_so_it_is_after_a_restart(bench, put, by, why, turn, symbol):
    corrections = taken_up(bench, put, by, why)
    bench.frame(1900, put("9H", "T", put("8G", "CA")))
    bench.press("right", 2000)
    make(bench, corrections, ReadingCorrection(turn, SQUARE, "?", "read again as a blank"), 3000)
    assert bench.state.board[SQUARE] == symbol


def test_a_blank_that_nobody_named_stays_without_a_name(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CA"))
    bench.press("left", 1000)
    for turn in (0, 1):
        found = ReadingCorrection(turn, SQUARE, "?", "read again as a blank")
        make(bench, EarlierTurnCorrections(), found, 2000)
        assert bench.state.board[SQUARE] == "?"


def test_a_turn_that_was_parted_is_corrected_under_its_new_number(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CA"))
    bench.press("left", 1000)
    bench.frame(1900, put("9G", "TO", put("8G", "CA")))
    bench.press("right", 2000)
    first = TurnParted(1, ("8G",), "left", 500 * 10**6, "TD", "forgotten", 2100 * 10**6)
    corrections = EarlierTurnCorrections()
    found = ReadingCorrection(2, Square.parse("9H"), "Q", "read again as Q")
    make(bench, corrections, found, 2050)
    corrections.renumber(renumbering(bench.state, apply(bench.state, first)))
    bench.recorder.record(first)
    assert [len(turn.tiles) for turn in bench.turns] == [1, 1, 2]
    again = ReadingCorrection(3, Square.parse("9H"), "O", "read again as O")
    make(bench, corrections, again, 2200)
    assert bench.state.board[Square.parse("9H")] == "O"


def test_the_recorder_reads_on_under_the_new_numbers(bench, put):
    bench.press("right", 0)
    bench.frame(900, put("8G", "CAT"))
    bench.press("left", 1000)
    bench.recorder.record(
        TurnParted(1, ("8G", "8H"), "left", 500 * 10**6, "TD", "forgotten", 1100 * 10**6)
    )
    bench.frame(1900, put("9G", "ARS", put("8G", "CAT")))
    bench.press("left", 2000)
    bench.frame(2900, put("10G", "SO", put("9G", "ARS", put("8G", "CAT"))))
    bench.press("right", 3000)
    assert [turn.side for turn in bench.turns] == ["left", "right", "left", "right"]
    assert [len(turn.tiles) for turn in bench.turns] == [2, 1, 3, 2]


SECOND = 1_000_000_000


def looked(*times: tuple[int, int]) -> LostPictures:
    """Pictures that were looked at, as (time in ms, number of the camera's)."""
    lost = LostPictures()
    for t_ms, seq in times:
        lost.frame(Frame(np.zeros((1, 1, 3), np.uint8), t_ms * 1_000_000, seq))
    return lost


@pytest.mark.parametrize(
    ("at_ms", "seq", "lost"),
    [
        (GAP_NS // 1_000_000, 16, False),
        (GAP_NS // 1_000_000 + 1, 16, True),
        (GAP_NS // 1_000_000 + 1, 2, True),  # the camera gave no more
    ],
)
def test_a_stretch_is_lost_where_pictures_were_dropped_or_none_came(at_ms, seq, lost):
    assert bool(looked((0, 1), (at_ms, seq)).between(0, at_ms * 1_000_000)) is lost


@pytest.mark.parametrize("every", [1, 2])  # or each second one, as a busy computer does
def test_a_covered_lens_shows_nothing(every):
    """Its pictures came, and were looked at: that is no fault of this computer."""
    lost = LostPictures()
    for at in range(0, 60, every):
        picture = np.zeros((1, 1, 3), np.uint8)
        lost.frame(Frame(picture, at * SECOND // 10, at), dark=10 < at < 40)
    assert lost.between(0, 6 * SECOND) == (PicturesLost(SECOND, 4 * SECOND),)
    assert not lost.blind(0, 6 * SECOND)


@given(st.lists(st.tuples(st.integers(1, 3000), st.booleans()), min_size=1, max_size=40))
def test_every_gap_of_over_a_second_is_lost_and_no_other(pictures):
    """Each is so many milliseconds after the one before, and may be dark."""
    lost, at_ns, last_ns, gaps = LostPictures(), 0, None, []
    for seq, (after_ms, dark) in enumerate(pictures):
        at_ns += after_ms * 1_000_000
        lost.frame(Frame(np.zeros((1, 1, 3), np.uint8), at_ns, seq), dark=dark)
        if not dark:
            gaps += [(last_ns, at_ns)] if last_ns is not None and at_ns - last_ns > GAP_NS else []
            last_ns = at_ns
    if last_ns is not None and at_ns - last_ns > GAP_NS:
        gaps.append((last_ns, at_ns))
    found = [(one.from_ns, one.until_ns) for one in lost.between(0, at_ns)]
    assert all(any(a <= begin and end <= b for a, b in found) for begin, end in gaps)
    assert sum(b - a for a, b in found) == sum(end - begin for begin, end in gaps)


@pytest.mark.parametrize(
    ("pictures", "lost"),
    [
        # Stretches side by side are one, and their pictures are counted.
        (
            [(0, 0), (1500, 15), (3000, 30), (3100, 31), (5000, 50)],
            [PicturesLost(0, 3 * SECOND, 28), PicturesLost(3_100_000_000, 5 * SECOND, 18)],
        ),
        # One that is not over ends for the turn at its press.
        ([(0, 0)], [PicturesLost(0, 5 * SECOND)]),
        # A camera that is opened again counts anew.
        ([(0, 900), (2900, 0), (5000, 21)], [PicturesLost(0, 5 * SECOND, 20)]),
    ],
)
def test_the_pictures_that_a_turn_lost(pictures, lost):
    assert list(looked(*pictures).between(0, 5 * SECOND)) == lost


@pytest.mark.parametrize(("away_ns", "blind"), [(None, True), (2_400 * SECOND, True), (0, False)])
def test_a_sleep_in_which_the_table_s_time_stood_is_lost_for_as_long_as_it_was(away_ns, blind):
    lost = looked((0, 0), (100, 1))
    lost.unwatched(away_ns)
    lost.frame(Frame(np.zeros((1, 1, 3), np.uint8), 200_000_000, 2))
    assert lost.between(0, SECOND) == (PicturesLost(100_000_000, 200_000_000),)
    assert lost.blind(0, SECOND) is blind


@pytest.mark.parametrize("audience", ["director", "player", "public"])
def test_everybody_sees_when_pictures_were_lost_and_which_tiles_are_nobody_s_yet(
    live, put, audience
):
    first = opened(live, put)
    board = put("E10", "A.ORN", put("11E", "CLEA.", put("I8", ".VENS", first)))
    live.video(9000, 10000, board)
    live.press("right", 9950)
    seen = view(live.state, audience)
    turn = seen["turns"][1]
    lost = {"from_ns": 1_400_000_000, "until_ns": 9_000_000_000, "dropped": 0}
    assert turn["lost"] == [lost]
    assert set(turn["open_tiles"]) == {square.name for square in first.diff(board)}
    assert seen["squares"]["9I"]["turn"] is None
    assert (turn.get("checking") is True) == (audience != "director")
    assert "lost" not in seen["turns"][0]
