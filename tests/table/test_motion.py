"""Short clips of real boards and hands in motion through the whole pipeline.

The quick choice of what ``benchmarks/motion.py`` runs whole.
"""

from __future__ import annotations

import json
from functools import cache

import pytest

from simulation.motion.make import film
from simulation.motion.stills import load_stills
from simulation.motion.variants import parse_variant
from table.cli import main

from .sharedkit import due, expected, read

pytestmark = pytest.mark.shared


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
