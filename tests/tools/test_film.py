"""Recordings in motion that are made of recordings of stills."""

from __future__ import annotations

import json
import random

import cv2
import numpy as np
import pytest

from sensors.recording import Recording
from tools.film.__main__ import main
from tools.film.choreography import TurnRecord
from tools.film.hands import cut_hands, drawn_hand
from tools.film.make import write_expected
from tools.film.variants import ALL, MotionError, Variant, parse_variant


def test_variants_are_combined_by_name():
    assert parse_variant("calm") == Variant()
    assert parse_variant("resting+fps12") == Variant(fps=12, resting=True)
    for name in ALL:
        parse_variant(name)


def test_an_unknown_variant_is_refused_with_those_that_are_known(capsys, tmp_path):
    assert main([str(tmp_path), str(tmp_path / "out"), "--variant", "resting+slow"]) == 2
    line = capsys.readouterr().err
    assert "'slow'" in line
    assert "resting" in line


def test_a_folder_that_is_something_else_is_not_overwritten(capsys, shared_dir, tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    source = shared_dir / "recordings" / "romanian-game1"
    assert main([str(source), str(tmp_path), "--turns", "1"]) == 2
    assert "no recording in motion" in capsys.readouterr().err
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_photographs_without_a_hand_are_refused(tmp_path):
    plain = np.full((300, 400, 3), 120, np.uint8)
    for at in range(3):
        cv2.imwrite(str(tmp_path / f"{at}.jpg"), plain)
    with pytest.raises(MotionError, match="no whole hand"):
        cut_hands(tmp_path)


def test_a_hand_is_cut_from_photographs_of_a_table_with_and_without_it(tmp_path):
    """A drawn hand that is pasted into one of several photographs is found again."""
    generator = np.random.default_rng(1)
    grain = cv2.GaussianBlur(generator.normal(0, 60, (540, 960, 3)), (0, 0), 3)
    table = np.clip(150 + grain, 0, 255).astype(np.uint8)
    with_hand = table.copy()
    palm = np.array([150, 170, 215], np.uint8)
    cv2.rectangle(with_hand, (440, 300), (520, 540), (35, 35, 35), -1)
    cv2.ellipse(with_hand, (480, 230), (60, 90), 0, 0, 360, palm.tolist(), -1)
    for at, picture in enumerate((table, table, table, with_hand)):
        cv2.imwrite(str(tmp_path / f"{at}.png"), picture)
    (hand,) = cut_hands(tmp_path)
    x, y = (round(value) for value in hand.tip)
    below = hand.alpha[y + 90, x]
    assert below == 255
    assert np.abs(hand.image[y + 90, x].astype(int) - palm).max() < 12
    assert hand.alpha[-1, x] > 200  # the arm goes on to the cut's edge
    assert not hand.alpha[:, :100].any()


def test_a_drawn_hand_has_an_arm_that_leaves_the_picture():
    hand = drawn_hand(random.Random(3))
    assert hand.alpha[-1].any()
    assert not hand.alpha[0].any()


@pytest.mark.shared
@pytest.mark.slow
def test_the_truth_says_when_each_tile_was_placed_and_what_was_covered(shared_dir, tmp_path):
    source = shared_dir / "recordings" / "scrabscrap-game02"
    out = tmp_path / "out"
    options = ["--variant", "resting+hurried", "--turns", "2", "--hands", str(shared_dir / "hands")]
    assert main([str(source), str(out), *options]) == 0
    truth = json.loads((out / "truth.json").read_text())
    first, second = truth["turns"]
    assert len(first["placed_ms"]) == 3
    assert all(ms < first["press_ms"] for ms in first["placed_ms"].values())
    assert all(ms > first["press_ms"] for ms in second["placed_ms"].values())
    assert any(turn["covered_at_press"] for turn in truth["turns"])
    recording = Recording.open(out)
    assert not recording.meta.stills
    assert [press.button for press in recording.button_presses] == ["right", "left", "right"]
    shown = [frame for frame in truth["frames"] if not frame.get("lost")]
    assert len(recording.frame_paths) == len(shown)


@pytest.mark.shared
@pytest.mark.slow
def test_of_a_play_whose_last_tile_came_after_the_press_the_rest_is_due(shared_dir, tmp_path):
    source, out = shared_dir / "recordings" / "scrabscrap-game02", tmp_path / "out"
    assert (
        main([str(source), str(out), "--variant", "late-tile", "--turns", "2", "--seed", "3"]) == 0
    )
    turns = json.loads((out / "truth.json").read_text())["turns"]
    late = [turn for turn in turns if turn["after_press_ms"]]
    assert late
    rows = (out / "expected.csv").read_text().splitlines()[1:]
    for turn in late:
        ((_, came_ms),) = turn["after_press_ms"].items()
        assert came_ms > turn["press_ms"]
        due = rows[turn["number"] - 1].split(",")[3]
        assert {one.split("=")[0] for one in due.split()} == set(turn["placed_ms"])


@pytest.mark.parametrize(
    ("play", "phoney", "nothing"),
    [
        ("3I,K.DER,38,58", "3I,R.KDE,0,20", "exchange_or_pass,,,0,0"),
        ("4K=H 4M=O 4N=S,,13,", "4K=S 4M=H 4N=O,,0,", "exchange_or_pass,,,0,"),
    ],
)
def test_turns_that_are_put_in_are_expected_too(tmp_path, play, phoney, nothing):
    head, first = "turn,side,kind,position,word,score,total", f"1,left,play,{play}"
    before = first.replace("38,58", "20,20")
    (tmp_path / "in.csv").write_text("\n".join((head, before, first, "")))
    turns = [
        TurnRecord(0, "left"),
        TurnRecord(1, "left", "challenge_upheld"),
        TurnRecord(1, "right", "exchange_or_pass"),
        TurnRecord(1, "left"),
    ]
    write_expected(tmp_path / "in.csv", tmp_path / "out.csv", turns)
    assert (tmp_path / "out.csv").read_text().splitlines() == [
        head,
        before,
        f"2,left,challenge_upheld,{phoney}",
        f"3,right,{nothing}",
        f"4,left,play,{play}",
    ]
