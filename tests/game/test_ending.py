"""The end of a game: who is out, what is left on the racks, and what comes after."""

from __future__ import annotations

from game.board import SQUARES, Board, Square
from game.events import GameStarted, RackReported, SquareCorrected, TurnRuled, TurnSeen
from game.plays.change import compare
from game.state.fold import stop_ends_turn
from game.tileset import load_tile_set

from .gamekit import Table, codes

PLAYERS = {"left": "Ann", "right": "Bo"}


def almost_out() -> Table:
    """A game set up near its end: 95 tiles lie on the board, A, A, E, I and Q are left."""
    counts = load_tile_set("english").counts
    tiles = [t for t, n in counts.items() for _ in range(n) if t != "?"] + ["a", "b"]
    for tile in "AAEIQ":
        tiles.remove(tile)
    board = Board.empty().replace(dict(zip(SQUARES, tiles, strict=False)))
    table = Table()
    table.state, table.board = None, board
    table.put(GameStarted("g", PLAYERS, "wespa-2007", "english", "left", 0, board.rows))
    return table


def test_the_position_may_be_given_at_the_start():
    table = almost_out()
    assert table.state.bag_count == 0
    assert len(table.state.board.symbols) == 95
    assert sum(n for n in table.state.unseen.values() if n > 0) == 5


def out_table(turns: int = 14) -> Table:
    """Everything is played but a Y and a Z, seven at a time, whatever it joins.

    Left draws the last two after turn 13 and right goes out with turn 14.
    """
    table = Table()
    bag = [t for t, n in load_tile_set("english").counts.items() for _ in range(n) if t != "?"]
    bag = [*bag[:-2], "a", "b"]
    squares = [Square(7, 7), *(s for s in SQUARES if s != Square(7, 7))]
    for at in range(0, 7 * turns, 7):
        tiles = dict(zip(squares[at : at + 7], bag[at : at + 7], strict=True))
        table.see(table.board.replace(tiles))
    return table


def test_the_game_ends_when_a_player_is_out_and_the_bag_is_empty():
    table = out_table()
    state = table.state
    assert (state.status, state.end_reason, state.bag_count) == ("ended", "out", 0)
    (line,) = state.adjustments
    out = state.turns[-1].side
    loser = "left" if out == "right" else "right"
    assert (line.kind, line.side) == ("end_rack", out)
    unseen = "".join(t * n for t, n in sorted(state.unseen.items()))
    assert (line.tiles, line.points) == ("YZ", 28)
    assert unseen == "YZ"
    assert state.racks == {"left": 2, "right": 0}
    assert loser == "left"
    assert state.scores[out] == state.turns[-1].total + line.points
    assert state.clocks.running is None


def test_a_stop_ends_the_turn_of_whoever_may_have_played_out():
    table = out_table(turns=13)
    assert (table.state.bag_count, table.state.racks["right"]) == (0, 7)
    free = [square for square in SQUARES if table.board[square] == "."][:7]
    for shown, side in (("ABCDEFG", "right"), ("ABCDEF~", "right"), ("ABCDEF.", None)):
        seen = table.board.replace(dict(zip(free, shown, strict=True)))
        assert stop_ends_turn(table.state, seen) == side
    hidden = table.board.replace(dict.fromkeys(free, "~"))
    assert stop_ends_turn(table.state, hidden) is None  # no tile was seen at all


def test_a_last_tile_like_one_that_was_replaced_ends_the_turn():
    table = out_table(turns=13)
    free = [square for square in SQUARES if table.board[square] == "."]
    table.see(table.board.replace(dict(zip(free, "BCDEFG", strict=False))))
    table.see()
    assert (table.state.on_turn, table.state.racks["right"]) == ("right", 1)
    there, to = Square(7, 7), free[-1]
    placed = table.board.replace({to: table.board[there]})
    for symbol, side in (("J", "right"), (".", None)):
        seen = placed.replace({there: symbol})
        assert compare(table.board, seen).moved == ((there, to),)
        assert stop_ends_turn(table.state, seen) == side


def test_after_the_end_an_idle_press_is_no_turn_but_tiles_are_seen():
    table = out_table()
    before = len(table.state.turns)
    assert table.state.turns[-1].number == before
    table.see()
    assert len(table.state.turns) == before
    turn = table.lay("15O=Q")
    assert "changed_out_of_turn" in codes(turn)
    assert len(table.state.turns) == before + 1


def test_clearing_the_board_after_the_end_changes_nothing():
    table = out_table()
    state = table.state
    table.see(Board.empty())
    assert table.state.board == state.board
    assert (table.state.turns, table.state.scores) == (state.turns, state.scores)


def test_a_game_that_goes_on_after_the_end_is_still_settled_where_it_ended():
    table = out_table()
    (line,) = table.state.adjustments
    table.lay("15O=Q")
    assert table.state.end_reason == "out"
    assert [(a.tiles, a.points) for a in table.state.adjustments] == [("YZ", line.points)]
    assert table.state.flags == ()
    state = table.put(SquareCorrected(15, "15O", ".", "TD", "a shadow", table.now))
    assert state.adjustments[0].points == line.points


def test_said_to_be_out_when_nobody_is():
    table = Table()
    assert [f.code for f in table.end("out").flags] == ["rack_unknown"]
    table = Table()
    table.play("8G", "CAT")
    state = table.end("out")
    assert (state.status, state.adjustments) == ("ended", ())
    assert [f.code for f in state.flags] == ["rack_unknown"]


def test_six_scoreless_turns_count_whoever_ends_the_game():
    table = Table()
    for _ in range(6):
        table.nothing()
    table.put(RackReported("left", "AEZ", table.now, counted=3))
    table.put(RackReported("right", "", table.now, counted=0))
    state = table.end("agreed")
    assert state.end_reason == "agreed"
    assert dict(state.scores) == {"left": -12, "right": 0}


def test_a_play_after_six_scoreless_turns_is_flagged_and_the_game_stays_over():
    table = Table()
    for _ in range(6):
        table.nothing()
    turn = table.play("8G", "CAT")
    assert codes(turn) == ["changed_out_of_turn"]
    assert (turn.kind, turn.score, turn.bag_count) == ("no_score", 0, 86)
    assert (table.state.status, table.state.end_reason) == ("ended", "six_zeros")


def test_a_challenge_of_the_out_play_goes_on_with_the_game():
    table = out_table()
    number = table.state.turns[-1].number
    state = table.put(TurnRuled(number, "challenge_upheld", "TD", "", table.now))
    assert (state.status, state.end_reason, state.adjustments) == ("running", None, ())


def test_a_reported_rack_wins_over_counting_and_is_doubted_aloud():
    table = out_table()
    side = "left" if table.state.turns[-1].side == "right" else "right"
    state = table.put(RackReported(side, "QZ", table.now))
    (line,) = state.adjustments
    assert (line.tiles, line.points) == ("QZ", 40)
    assert [flag.code for flag in state.flags] == ["rack_unknown"]
    assert state.flags[0].visibility == "director"


def test_a_reported_rack_that_agrees_with_counting_is_not_doubted():
    table = out_table()
    side = "left" if table.state.turns[-1].side == "right" else "right"
    (counted,) = table.state.adjustments
    state = table.put(RackReported(side, counted.tiles[::-1], table.now))
    (line,) = state.adjustments
    assert (line.tiles, line.points) == (counted.tiles[::-1], counted.points)
    assert state.flags == ()


def test_a_reported_rack_is_doubted_only_for_tiles_that_lie_on_the_board():
    """Where one of them is face down, counting does not tell which of the others is meant."""
    table = out_table()
    turn = table.state.turns[-1]
    side = "left" if turn.side == "right" else "right"
    table.put(SquareCorrected(turn.number, next(iter(turn.tiles)), "#", "TD", "", table.now))
    unseen = "".join(tile * count for tile, count in table.state.unseen.items())
    assert len(unseen) > table.state.racks[side]
    rack = unseen[: table.state.racks[side]]
    state = table.put(RackReported(side, rack, table.now))
    assert [line.tiles for line in state.adjustments] == [rack]
    assert state.flags == ()
    state = table.put(RackReported(side, "QZ", table.now))
    (line,) = state.adjustments
    assert (line.tiles, line.points) == ("QZ", 40)
    (flag,) = state.flags
    assert "reported as QZ; the tiles not seen on the board are" in flag.message


def test_an_unknown_rack_is_asked_for_not_guessed():
    table = out_table()
    square = table.state.turns[-1].tiles
    state = table.put(
        SquareCorrected(table.state.turns[-1].number, next(iter(square)), "#", "TD", "", table.now)
    )
    assert state.end_reason == "out"
    assert state.adjustments == ()
    assert [flag.code for flag in state.flags] == ["rack_unknown"]


def test_too_many_tiles_for_what_the_rack_can_hold():
    table = out_table()
    table.put(TurnRuled(table.state.turns[-1].number, "challenge_upheld", "TD", "", table.now))
    side = table.side
    rack = table.state.racks[side]
    board = table.state.board
    squares = [(14, c) for c in range(rack + 1)]
    turn = table.see(board.replace(dict.fromkeys(squares, "E")))
    assert "too_many_tiles" in codes(turn)


def test_an_exchange_with_too_few_in_the_bag():
    table = almost_out()
    table.put(TurnSeen("left", 5, table.state.board.rows))
    state = table.put(TurnRuled(1, "exchange", "TD", "", 6))
    (flag,) = state.turns[0].flags
    assert (flag.code, flag.rule) == ("exchange_too_late", "4.2")
