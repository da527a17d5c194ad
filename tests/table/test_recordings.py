"""Real games, in stills and in motion, through the whole pipeline, against what is known."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest

from simulation.motion.make import film
from simulation.motion.stills import load_stills
from simulation.motion.variants import parse_variant
from table.cli import main

from .sharedkit import due, expected, gcg_position, live_video, read, shortened

pytestmark = pytest.mark.shared


def test_positions_are_converted_at_the_diagonal():
    assert gcg_position("H4") == "8D"
    assert gcg_position("5G") == "E7"


@pytest.fixture(scope="module")
def replayed(shared_dir: Path, tmp_path_factory):
    """Replays a recording once: its JSON document, its folder and where the game went."""
    done: dict[str, tuple[dict, Path, Path]] = {}

    def replay(name: str, capsys) -> tuple[dict, Path, Path]:
        if name not in done:
            folder = shared_dir / "recordings" / name
            out = tmp_path_factory.mktemp(name)
            assert main(["replay", str(folder), "--json", "--out", str(out)]) == 0
            done[name] = (json.loads(capsys.readouterr().out), folder, out)
        return done[name]

    return replay


SLOW = pytest.mark.slow  # as the others are, with other photographs


@pytest.mark.parametrize(
    ("name", "turns"),
    [
        ("scrabscrap-game01", 27),
        pytest.param("scrabscrap-game02", 25, marks=SLOW),
        ("romanian-game1", 20),
    ],
)
def test_every_turn_of_a_game_is_right(replayed, capsys, name, turns):
    document, folder, _ = replayed(name, capsys)
    rows = expected(folder)
    found = [read(turn, row) for turn, row in zip(document["turns"], rows, strict=True)]
    assert found == [due(row) for row in rows]
    assert len(found) == turns


@pytest.mark.parametrize(
    "name",
    ["scrabscrap-game01", pytest.param("scrabscrap-game02", marks=SLOW), "romanian-game1"],
)
def test_the_record_written_is_accepted(replayed, capsys, name):
    _, _, out = replayed(name, capsys)
    (gcg,) = out.glob("*.gcg")
    assert main(["score", str(gcg)]) == 0


@pytest.mark.parametrize(
    "name", ["scrabscrap-game01", pytest.param("scrabscrap-game02", marks=SLOW)]
)
def test_nothing_is_flagged_in_a_game_where_nothing_was_amiss(replayed, capsys, name):
    document, _, _ = replayed(name, capsys)
    found = [
        (turn["number"], flag["code"], flag["squares"])
        for turn in document["turns"]
        for flag in turn["flags"]
        # A blank's letter is not on the tile: that nobody named it is no fault of the reading.
        if flag["code"] != "blank_undesignated"
    ]
    assert found == []


@pytest.mark.slow
def test_every_turn_that_is_pressed_the_moment_the_hand_has_left(shared_dir, tmp_path, capsys):
    tool = shared_dir / "tools" / "live_video.py"
    if not tool.is_file():
        pytest.skip("nothing there to make a video with")
    stills = shortened(shared_dir / "recordings" / "romanian-game1", 8, tmp_path / "stills")
    video = live_video(tool, stills, tmp_path / "video", "--fast")
    assert main(["replay", str(video), "--json", "--out", str(tmp_path / "out")]) == 0
    document, rows = json.loads(capsys.readouterr().out), expected(stills)
    found = [read(turn, row) for turn, row in zip(document["turns"], rows, strict=True)]
    assert found == [due(row) for row in rows]


@pytest.fixture(scope="module")
def stills(shared_dir):
    """``stills("scrabscrap-game01")``: the first two pictures of a recording."""
    return cache(lambda name: load_stills(shared_dir / "recordings" / name, 2))


@pytest.mark.parametrize(
    ("game", "variant"),
    [
        ("scrabscrap-game01", "calm+two-hands+lossy"),
        ("scrabscrap-game01", "hurried+fps4"),
        ("scrabscrap-game02", "early+two-hands+exposure"),
        ("romanian-game1", "resting+flicker+clutter"),
    ],
)
@pytest.mark.slow
def test_turns_in_motion_are_right(stills, hands, tmp_path, capsys, game, variant):
    video = film(stills(game), tmp_path / "video", parse_variant(variant), seed=5, hands=hands)
    assert main(["replay", str(video), "--json", "--out", str(tmp_path / "out")]) == 0
    turns, rows = json.loads(capsys.readouterr().out)["turns"], expected(video)
    assert len(rows) == 2
    found = [read(turn, row) for turn, row in zip(turns, rows, strict=True)]
    assert found == [due(row) for row in rows]


@pytest.mark.parametrize("seed", [3, 4], ids=["pressed late", "not pressed"])
@pytest.mark.slow
def test_a_turn_that_nobody_pressed_for_is_seen(shared_dir, hands, tmp_path, capsys, seed):
    stills = load_stills(shared_dir / "recordings" / "scrabscrap-game01", 4)
    variant = parse_variant("forgotten-press")
    video = film(stills, tmp_path / "video", variant, seed=seed, hands=hands)
    truth = json.loads((video / "truth.json").read_text("utf-8"))
    forgot = [turn["number"] for turn in truth["turns"] if "forgot to press" in turn["notes"]]
    assert forgot
    assert main(["replay", str(video), "--json", "--out", str(tmp_path / "out")]) == 0
    turns, rows = json.loads(capsys.readouterr().out)["turns"], expected(video)
    assert [read(turn, row) for turn, row in zip(turns, rows, strict=True)] == [
        due(row) for row in rows
    ]
    noted = [t["number"] for t in turns if "not_pressed" in {flag["code"] for flag in t["flags"]}]
    assert noted == forgot
