"""The games that simulated players play, and those of records."""

from __future__ import annotations

import sys
from collections import Counter

import pytest

from game.board import Board, Square, is_blank
from game.errors import TilewatchError
from game.gcg import check, parse
from game.plays.change import compare
from game.plays.faults import faults
from game.plays.play import find_play
from game.plays.score import score_play
from game.rulebooks.loading import load_rulebook
from game.tileset import load_tile_set
from simulation import Script, ScriptTurn, generate, script_of
from simulation.game_generator import vocabulary
from tests.simulation.conftest import generated

ENGLISH = load_tile_set("english")
WORDS = vocabulary()
SEEDS = (8, 17)
"""Seeds of games that are found at one of the first attempts."""


def test_the_words_are_words_in_form():
    assert 3000 < len(WORDS) < 10_000
    assert all(word.isascii() and word.isalpha() and word.isupper() for word in WORDS)
    assert {2, 3, 4, 5, 6, 7, 8} <= {len(word) for word in WORDS}
    for slip in ("CUREING", "ACTER", "PERMITING", "INSTALING"):
        assert slip not in WORDS


@pytest.mark.parametrize("seed", SEEDS)
def test_a_generated_game_is_a_whole_game(seed):
    script = generated(seed)
    kinds = Counter(turn.kind for turn in script.turns)
    assert kinds["exchange"] == 1
    assert kinds["play"] > 15
    assert [turn.out for turn in script.turns] == [False] * (len(script.turns) - 1) + [True]
    assert any(len(turn.tiles) == 7 for turn in script.turns)
    assert any(is_blank(symbol) for turn in script.turns for symbol in turn.tiles.values())
    assert [turn.side for turn in script.turns] == [
        "left" if number % 2 == 0 else "right" for number in range(len(script.turns))
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_play_is_legal_in_words_scored_right_and_from_one_bag(seed):
    script = generated(seed)
    book = load_rulebook()
    before = Board.empty()
    totals = {"left": 0, "right": 0}
    for turn, after in zip(script.turns, script.boards(), strict=True):
        if turn.kind == "play":
            change = compare(before, after)
            play = find_play(change)
            assert play is not None
            assert play.tiles == turn.tiles
            assert faults(change, play, ENGLISH, book) == ()
            for squares in play.words:
                assert "".join(after[square] for square in squares).upper() in WORDS
            assert score_play(after, play, ENGLISH, book).total == turn.score
        totals[turn.side] += turn.score
        assert turn.total == totals[turn.side]
        before = after
    assert all(count >= 0 for count in ENGLISH.unseen(before.symbols).values())
    out = script.turns[-1].side
    left = ENGLISH.unseen(before.symbols)
    bonus = 2 * sum(ENGLISH.value(tile) * count for tile, count in left.items())
    totals[out] += bonus
    assert script.finals == totals


def test_the_same_seed_is_the_same_game():
    assert generate(8) == generated(8) != generated(17)


GCG = """#character-encoding UTF-8
#player1 a Ann
#player2 b Bob
>Ann: AB H8 AB +8 8
>Bob: XYZ 8H .X +9 9
>Bob: XYZ -- -9 0
>Ann: CD -CD +0 8
>Bob: ?T 9H .aT +4 4
>Bob: (challenge) +5 9
>Bob: (E) +2 11
""".replace(">Ann:", ">a:").replace(">Bob:", ">b:")


def test_a_record_becomes_a_script():
    script = script_of(parse(GCG, "x.gcg"))
    assert script.players == {"left": "Ann", "right": "Bob"}
    assert [turn.kind for turn in script.turns] == ["play", "withdrawn", "exchange", "play"]
    assert [turn.total for turn in script.turns] == [8, 0, 8, 4]
    assert script.turns[3].tiles == {Square.parse("9I"): "a", Square.parse("9J"): "T"}
    assert script.turns[3].out
    assert script.turns[3].afterwards[0].points == 5
    assert script.finals == {"left": 8, "right": 11}
    assert script.boards()[-1][Square.parse("8I")] == "."


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (">b: XYZ 8H XY +9 9", "8H"),
        (">b: XYZ 8N XYZ +9 9", "off the board"),
        (">b: XYZ -- -9 0", "takes back"),
    ],
)
def test_a_record_that_nobody_could_play_is_refused_in_one_line(line, says):
    text = "#character-encoding UTF-8\n#player1 a Ann\n#player2 b Bob\n>a: AB H8 AB +8 8\n" + line
    with pytest.raises(TilewatchError, match=says) as caught:
        script_of(parse(text, "x.gcg"))
    assert "\n" not in str(caught.value)


def test_a_script_that_lays_a_tile_on_a_tile_is_refused():
    square = Square.parse("8H")
    turn = ScriptTurn("left", "play", {square: "A"})
    with pytest.raises(TilewatchError, match=r"turn 2 .* 8H"):
        Script({"left": "A", "right": "B"}, "english", (turn, turn)).boards()


@pytest.mark.shared
def test_every_shared_record_can_be_played(shared_dir):
    records = sorted((shared_dir / "gcg").glob("*.gcg"))
    assert records
    for path in records:
        record = parse(path.read_bytes(), path.name)
        script = script_of(record)
        script.boards()
        plays = [entry for entry in record.entries if entry.kind == "play"]
        assert len(plays) == sum(turn.kind in ("play", "withdrawn") for turn in script.turns)
        assert not check(record)


@pytest.mark.slow
def test_a_seed_without_a_game_that_has_everything_gives_one_that_ends(monkeypatch):
    monkeypatch.setattr(sys.modules[generate.__module__], "_ATTEMPTS", 0)
    script = generate(12)  # none of its first sixty games has everything
    assert script.turns[-1].out
    assert script == generate(12)
