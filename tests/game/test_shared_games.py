"""Real tournament games and real recordings, where they lie beside the checkout."""

from __future__ import annotations

import csv
import random
import re
from collections import Counter
from dataclasses import dataclass

import pytest

from game.board import EMPTY, Square, parse_position
from game.gcg import (
    check,
    events_from_record,
    parse,
    record_from_game,
    require_complete,
    write,
)
from game.gcg.check import check_with_set
from game.state.fold import fold
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


def test_every_game_is_right_and_comes_back_from_the_strict_form_and_from_events(files):
    kinds = Counter()
    for name, data in files.items():
        record = parse(data, name)
        require_complete(record)
        assert check(record) == [], name
        kinds.update(entry.kind for entry in record.entries)
        text = write(record)
        assert_strict(text)
        again = parse(text, name)
        assert write(again) == text
        assert entries(again) == entries(record), name
        events = events_from_record(again)
        text = write(record_from_game(fold(events)))
        assert_strict(text)
        back = parse(text.encode(), name)
        assert (check(back), entries(back)) == ([], entries(record)), name
        assert events_from_record(back) == events, name
    assert kinds["play"] > 24 * len(files)
    assert kinds["end_rack"] == len(files)


def entries(record) -> list[tuple]:
    return [
        (e.kind, e.player, e.score, e.total, (e.word or "").replace(".", ""))
        for e in record.entries
    ]


@dataclass(frozen=True)
class Figure:
    """A score or a running total in the text of a record."""

    line: int
    what: str
    due: int
    start: int
    end: int

    def named_with(self, step: int) -> tuple[int, str, int, int]:
        return self.line, self.what, self.due, self.due + step


def figures_in(text: str) -> list[Figure]:
    found = []
    start = 0
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith(">"):
            match = FIGURES.search(line)
            for group, what in ((1, "score"), (3, "total")):
                at, end = match.span(group)
                found.append(Figure(number, what, int(match[group]), start + at, start + end))
        start += len(line) + 1
    return found


def changed(text: str, wrong: list[Figure], step: int) -> bytes:
    """The record with ``step`` more points in each of those figures."""
    for figure in reversed(wrong):
        sign = "+" if figure.what == "score" else ""
        text = f"{text[: figure.start]}{figure.due + step:{sign}d}{text[figure.end :]}"
    return text.encode("latin-1")


def named(mismatches) -> list[tuple[int, str, int, int]]:
    return [(found.line, found.what, found.due, found.written) for found in mismatches]


@pytest.mark.parametrize("step", [1, -1])
def test_every_figure_changed_by_one_is_named_and_no_other(files, step):
    """A point more and a point less in every score and every running total of every game.

    In the round of a binary digit, the figures whose number has it are wrong: each figure is in a
    round, and of any two there is a round in which one is wrong and the other is not.
    """
    tried = 0
    for name, data in files.items():
        text = data.decode("latin-1")
        tiles, _ = check_with_set(parse(data, name))
        figures = figures_in(text)
        for digit in range(len(figures).bit_length()):
            wrong = [one for i, one in enumerate(figures, 1) if i >> digit & 1]
            record = parse(changed(text, wrong, step), name)
            assert named(check(record, tile_set=tiles)) == [one.named_with(step) for one in wrong]
        tried += len(figures)
    assert tried > 2 * 900


def test_a_single_wrong_figure_is_named_whatever_set_the_letters_fit(files):
    """One figure of each game, drawn by a seed: no other set agrees better with the record."""
    draw = random.Random(1)
    for name, data in files.items():
        text = data.decode("latin-1")
        wrong, step = draw.choice(figures_in(text)), draw.choice([1, -1])
        record = parse(changed(text, [wrong], step), name)
        assert named(check(record)) == [wrong.named_with(step)]


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
            found = (turn.number, turn.side, turn.kind, turn.score, turn.total)
            due = (int(row["turn"]), row["side"], row["kind"], int(row["score"]), int(row["total"]))
            assert found == due
            assert set(codes(turn)) <= {"blank_undesignated"}
            if len(turn.tiles) > 1:
                found = (turn.position, turn.word.replace("?", "_"))
                assert found == (row["position"], row["word"])
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
