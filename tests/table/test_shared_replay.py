"""Three real games through the whole pipeline, against what their owners wrote down.

The recordings of ScrabScrap name positions its way: a play *across* is written with the row as a
letter and the column as a number (``H4``: row H, the eighth, from the fourth column), a play *down*
with the column as a number first (``5G``: fifth column, from row G). That is GCG's naming of the
board mirrored at its diagonal, so rows and columns change places here: ``H4`` is ``8D`` and ``5G``
is ``E7``. (In the pictures FIRNS, their ``H4``, lies in the eighth row.)
"""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from game.board import parse_position
from table.cli import main

pytestmark = pytest.mark.shared


def gcg_position(theirs: str) -> str:
    """ScrabScrap's name of a position as GCG's."""
    across = re.fullmatch(r"([A-O])(\d+)", theirs)
    if across:
        return f"{ord(across[1]) - 64}{chr(64 + int(across[2]))}"
    down = re.fullmatch(r"(\d+)([A-O])", theirs)
    assert down is not None
    return f"{chr(64 + int(down[1]))}{ord(down[2]) - 64}"


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


def expected(folder: Path) -> list[dict[str, str]]:
    with (folder / "expected.csv").open(encoding="utf-8", newline="") as handle:
        return list(csv.DictReader(handle))


def new_tiles(position: str, word: str) -> dict[str, str]:
    """The tiles that a play puts down, blanks as ``?``.

    Compared instead of the word: a single tile can lie in two words, and either names the play.
    """
    if not position:
        return {}
    start, across = parse_position(gcg_position(position))
    return {
        start.step(across, at).name: symbol.replace("_", "?")
        for at, symbol in enumerate(word)
        if symbol != "."
    }


@pytest.mark.parametrize(("name", "turns"), [("scrabscrap-game01", 27), ("scrabscrap-game02", 25)])
def test_every_turn_of_a_german_game_is_right(replayed, capsys, name, turns):
    document, folder, _ = replayed(name, capsys)
    due = [
        (
            int(row["turn"]),
            row["side"],
            row["kind"],
            new_tiles(row["position"], row["word"]),
            int(row["score"]),
            int(row["total"]),
        )
        for row in expected(folder)
    ]
    read = [
        (turn["number"], turn["side"], turn["kind"], turn["tiles"], turn["score"], turn["total"])
        for turn in document["turns"]
    ]
    assert len(due) == turns
    assert read == due


def test_the_new_tiles_of_every_turn_of_the_romanian_game_are_right(replayed, capsys):
    document, folder, _ = replayed("romanian-game1", capsys)
    due = [
        (int(row["turn"]), row["side"], dict(one.split("=") for one in row["position"].split()))
        for row in expected(folder)
    ]
    read = [(turn["number"], turn["side"], turn["tiles"]) for turn in document["turns"]]
    assert len(due) == 20
    assert read == due


@pytest.mark.parametrize("name", ["scrabscrap-game01", "scrabscrap-game02", "romanian-game1"])
def test_the_record_written_is_accepted(replayed, capsys, name):
    _, _, out = replayed(name, capsys)
    (gcg,) = out.glob("*.gcg")
    assert main(["score", str(gcg)]) == 0


@pytest.mark.parametrize("name", ["scrabscrap-game01", "scrabscrap-game02"])
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
