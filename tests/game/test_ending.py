"""The end of a game: who is out, what is left on the racks, and what comes after."""

from __future__ import annotations

import pytest

from game.board import SQUARES, Board, Square
from game.plays.change import compare
from game.state.fold import stop_ends_turn

from .scriptkit import after, follow, scripts

GAMES = """
the game ends when a player is out and the bag is empty | bag=0
    8I RATIUES -> status = ended; end = out; bag = 0; racks = 0 7; running = None
    -> total = 77; lines = end_rack left 46 after 1; scores = 123 0
an idle press after the end is no turn, but tiles are seen, and it is settled where it ended | bag=0
    8I RATIUES, - -> kinds = play
    12H=Q -> kinds = play no_score; asks = changed_out_of_turn; end = out; game = -
    -> lines = end_rack left 46 after 2
    correct 2 12H=. -> lines = end_rack left 46 after 2
a challenge of the last play goes on with the game | bag=0
    8I RATIUES, rule 1 challenge_upheld -> status = running; end = None; lines = -
nobody is out who is only said to be
    end out -> game = rack_unknown
    anew, 8G CAT, end out -> status = ended; lines = -; game = rack_unknown
six scoreless turns count whoever ends the game
    -, -, -, -, -, -, rack left AEZ counted, rack right - counted, end agreed
    -> end = agreed; scores = -12 0
a play after six scoreless turns is flagged and the game stays over
    -, -, -, -, -, -, 8G CAT -> codes = changed_out_of_turn; kind = no_score; score = 0
    -> bag_count = 86; status = ended; end = six_zeros
a reported rack wins over counting and is doubted aloud | bag=0
    8I RATIUES, rack right DNLGBVE -> lines = end_rack left 28 after 1; game = rack_unknown
    -> audience = director
a reported rack that agrees with counting is not doubted | bag=0
    8I RATIUES, rack right QVBGLND -> lines = end_rack left 46 after 1; game = -
a rack is doubted only for tiles that lie on the board: one face down may be any other | bag=0
    8I RATIUES, correct 1 8I=# -> end = out; lines = -; game = rack_unknown
    rack right DNLGBVR -> lines = end_rack left 28 after 1; game = -
    rack right DNLGBVE -> lines = end_rack left 28 after 1; game = rack_unknown
    -> says = reported as DNLGBVE; the tiles not seen on the board are
more tiles than the rack can hold | bag=0
    8I RATIUE, -, 9H AB -> racks = 0 7; asks = too_many_tiles
"""


@pytest.mark.parametrize("script", scripts(GAMES))
def test_how_a_game_ends(script):
    follow(script)


def test_a_stop_ends_the_turn_of_whoever_may_have_played_out():
    table = after("8I RATIUES, rule 1 undone", "bag=0")
    table.board = table.state.board
    free = [square for square in SQUARES if table.board[square] == "."][:7]
    for shown, side in (("ABCDEFG", "left"), ("ABCDEF~", "left"), ("ABCDEF.", None)):
        seen = table.board.replace(dict(zip(free, shown, strict=True)))
        assert stop_ends_turn(table.state, seen) == side
    hidden = table.board.replace(dict.fromkeys(free, "~"))
    assert stop_ends_turn(table.state, hidden) is None  # no tile was seen at all


def test_a_last_tile_like_one_that_was_replaced_ends_the_turn():
    table = after("8I RATIUE, -", "bag=0")
    there, to = Square.parse("8H"), Square.parse("8O")
    placed = table.board.replace({to: table.board[there]})
    for symbol, side in (("J", "left"), (".", None)):
        seen = placed.replace({there: symbol})
        assert compare(table.board, seen).moved == ((there, to),)
        assert stop_ends_turn(table.state, seen) == side


def test_clearing_the_board_after_the_end_changes_nothing():
    table = after("8I RATIUES", "bag=0")
    state = table.state
    table.see(Board.empty())
    assert table.state.board == state.board
    assert (table.state.turns, table.state.scores) == (state.turns, state.scores)
