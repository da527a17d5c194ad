"""Real tournament games and real recordings, where they lie beside the checkout."""

from __future__ import annotations

import csv
import re
from collections import Counter

import pytest

from game.board import EMPTY, Square, parse_position
from game.gcg import check, parse, record_from_game, require_complete, write
from game.tileset import load_tile_set
from tests.game.gcg.gcgkit import assert_strict

from .gamekit import Table, codes

pytestmark = pytest.mark.shared

FIGURES = re.compile(r"([+-]\d+)(\s+)(-?\d+)")


@pytest.fixture(scope="module")
def files(shared_dir):
    found = {path.name: path.read_bytes() for path in sorted((shared_dir / "gcg").glob("*.gcg"))}
    assert found
    return found


def test_every_game_is_right(files):
    kinds = Counter()
    for name, data in files.items():
        record = parse(data, name)
        require_complete(record)
        assert check(record) == [], name
        kinds.update(entry.kind for entry in record.entries)
    assert kinds["play"] > 24 * len(files)
    assert kinds["end_rack"] == len(files)


def test_every_game_comes_back_in_the_strict_form(files):
    for name, data in files.items():
        record = parse(data, name)
        text = write(record)
        assert_strict(text)
        again = parse(text, name)
        assert write(again) == text
        assert check(again) == []
        figures = [(e.kind, e.player, e.score, e.total, e.word) for e in record.entries]
        assert figures == [(e.kind, e.player, e.score, e.total, e.word) for e in again.entries]


@pytest.mark.parametrize("step", [1, -1])
def test_any_one_figure_changed_by_one_is_named(files, step):
    """Every score and every running total of every game, a point more and a point less."""
    tried = 0
    for name, data in files.items():
        lines = data.decode("latin-1").split("\n")
        for i, line in enumerate(lines):
            if not line.startswith(">"):
                continue
            match = FIGURES.search(line)
            for group, what in ((1, "score"), (3, "total")):
                due = int(match[group])
                wrong = due + step
                shown = str(wrong) if group == 3 else f"{wrong:+d}"
                broken = line[: match.start(group)] + shown + line[match.end(group) :]
                text = "\n".join([*lines[:i], broken, *lines[i + 1 :]])
                (found,) = check(parse(text.encode("latin-1"), name))
                assert (found.line, found.what) == (i + 1, what)
                assert (found.written, found.due) == (wrong, due)
                tried += 1
    assert tried > 2 * 900


@pytest.mark.parametrize("game", ["scrabscrap-game01", "scrabscrap-game02"])
def test_a_recorded_game_scores_as_its_players_scored(shared_dir, game):
    table = Table(tile_set="german", seconds=60)
    path = shared_dir / "recordings" / game / "expected.csv"
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            board = table.board
            if row["word"]:
                square, across = parse_position(row["position"])
                tiles = {
                    square.step(across, i): "?" if c == "_" else c
                    for i, c in enumerate(row["word"])
                    if c != EMPTY
                }
                board = board.replace(tiles)
            turn = table.see(board)
            assert (turn.number, turn.side, turn.kind) == (
                int(row["turn"]),
                row["side"],
                row["kind"],
            )
            assert (turn.score, turn.total) == (int(row["score"]), int(row["total"]))
            assert set(codes(turn)) <= {"blank_undesignated"}
            if len(turn.tiles) > 1:
                assert (turn.position, turn.word.replace("?", "_")) == (
                    row["position"],
                    row["word"],
                )
    text = write(record_from_game(table.state))
    assert_strict(text)
    assert check(parse(text)) == []
    require_complete(parse(text))


def test_the_romanian_set_holds_every_tile_of_a_recorded_game(shared_dir):
    path = shared_dir / "recordings" / "romanian-game1" / "expected.csv"
    seen = Counter()
    with path.open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for tile in row["position"].split():
                square, symbol = tile.split("=")
                Square.parse(square)
                seen[symbol] += 1
    counts = load_tile_set("romanian").counts
    assert all(count <= counts[symbol] for symbol, count in seen.items())
