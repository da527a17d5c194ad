"""Three real games through the whole pipeline, against what their owners wrote down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from table.cli import main

from .sharedkit import due, expected, gcg_position, read

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
