"""A play that nobody saw, or pressed the clock for, is asked about, and never part of another."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.adjudication.remedies import is_provisional, offers
from game.board import UNREADABLE, Board, Square, parse_position
from game.errors import TilewatchError
from game.events import (
    ButtonPressed,
    Event,
    Finding,
    GameStarted,
    PicturesLost,
    SecondPlaySeen,
    Side,
    SquareCorrected,
    TurnInserted,
    TurnRuled,
    TurnSeen,
    TurnsJoined,
    from_payload,
    other,
)
from game.gcg import write
from game.gcg.from_game import record_from_game
from game.plays.change import compare, may_hold_play
from game.plays.play import is_play, plays_in_order
from game.rulebooks.loading import rulebook_ids
from game.state.fold import GameState, apply, fold

from .gamekit import SECOND, Table, codes, kinds
from .scriptkit import after

BLIND = (Finding("uncertain_square", None, "no picture of the board"),)
PLAYED = (("right", "9I 10I 11I 12I"), ("left", "11E 11F 11G 11H"), ("right", "10E 12E 13E 14E"))
"""The tiles that :func:`gap` lays."""
LOST = (PicturesLost(0, 60 * SECOND),)


def see(table: Table, board: Board | None = None, *, lost=(), findings=()):
    """The player on turn presses, at a table that notes what pictures it lost."""
    table.board = table.board if board is None else board
    table.now += 30 * SECOND
    table.put(ButtonPressed(table.side, table.now))
    turn = TurnSeen(table.side, table.now, table.board.rows, findings=findings, lost=lost)
    table.put(turn if findings else replace(turn, sighted_ns=table.now))
    table.side = other(table.side)
    return table.state.turns[-1]


def unseen(table: Table):
    """The player on turn presses, and nobody looked."""
    return see(table, lost=LOST, findings=BLIND)


def asked(table: Table, number: int) -> set[str]:
    return {flag.code for flag in table.state.turns[number - 1].flags if flag.settled is None}


def answered(table: Table, number: int, code: str, words: str) -> None:
    """Enter the answer to a flag of a turn in which these words stand."""
    turn = table.state.turns[number - 1]
    (flag,) = (one for one in turn.flags if one.code == code)
    (offer,) = (one for one in offers(table.state, turn, flag) if words in one.text)
    table.put(from_payload({**offer.event, "by": "TD", "t_ns": table.now}))


def with_plays(board: Board, *plays: tuple[str, str]) -> Board:
    for where, word in plays:
        square, across = parse_position(where)
        board = board.replace({square.step(across, i): c for i, c in enumerate(word) if c != "."})
    return board


def gap() -> tuple[Table, Board]:
    """CAT is on the board; and the board after the three plays that follow, none of them seen."""
    table = after("8G CAT", "wespa-2021")
    return table, with_plays(table.board, ("I8", ".VENS"), ("11E", "CLEA."), ("E10", "A.ORN"))


@pytest.mark.parametrize("book", rulebook_ids())
def test_turns_that_nobody_saw_are_no_scoreless_turns(book):
    table = after("8G CAT", book)
    for _ in range(8):
        unseen(table)
    assert kinds(table) == ["play"] + ["not_known"] * 8
    assert (table.state.status, table.state.end_reason) == ("running", None)
    for number in range(2, 8):
        assert "uncertain_square" in asked(table, number)
        table.put(TurnRuled(number, "pass", "TD", "both say so", table.now))
    assert "six_zeros" in codes(table.state.turns[6])


def test_a_run_of_scoreless_turns_is_broken_by_one_that_nobody_saw():
    table = after("8G CAT")
    for look in (see, see, see, unseen, see, see):
        look(table)
    assert table.state.status == "running"
    table.put(TurnRuled(5, "exchange", "TD", "he says so", table.now))
    assert table.state.end_reason == "six_zeros"


def test_a_turn_without_a_picture_is_no_pass_when_the_bag_is_empty():
    assert unseen(after("8I RATIU", "bag=0")).kind == "not_known"


def test_a_log_that_notes_no_lost_pictures_is_taken_as_it_was():
    """A result may have been signed by it."""
    table = after("8G CAT")
    for _ in range(6):
        table.see(findings=BLIND)
    assert kinds(table) == ["play"] + ["exchange_or_pass"] * 6
    assert table.state.end_reason == "six_zeros"


def test_tiles_that_came_while_nobody_looked_are_a_question_and_no_turn_s():
    table, board = gap()
    turn = see(table, board, lost=LOST)
    assert (turn.kind, turn.score, dict(turn.tiles)) == ("not_known", 0, {})
    assert len(turn.open_tiles) == 12
    assert asked(table, 2) == {"played_unseen"}
    (flag,) = turn.flags
    assert "12 tiles came while there was no picture" in flag.message
    assert set(flag.squares) == set(turn.open_tiles)
    assert table.state.board == board
    assert table.state.bag_count == 100 - 15 - 14
    # Later plays are scored through them.
    assert table.play("15E", "NO").words[0][0] == "NO"
    assert is_provisional(table.end())


def test_a_play_that_may_be_one_turn_s_is_its_turn_s_though_pictures_were_lost():
    table = after("8G CAT")
    turn = see(table, with_plays(table.board, ("9G", "ON")), lost=LOST)
    assert (turn.kind, codes(turn)) == ("play", [])


def test_what_was_played_in_the_gap_is_entered_and_the_rest_is_the_turn_s():
    table, board = gap()
    see(table, board, lost=LOST)
    at = table.now - 20 * SECOND
    vens = {"9I": "V", "10I": "E", "11I": "N", "12I": "S"}
    table.put(TurnInserted(2, "right", vens, at, "TD", "their sheets", table.now))
    assert "played_unseen" in asked(table, 3)
    clea = {"11E": "C", "11F": "L", "11G": "E", "11H": "A"}
    table.put(TurnInserted(3, "left", clea, at + 1, "TD", "their sheets", table.now))
    assert kinds(table) == ["play"] * 4
    assert set(table.state.turns[3].tiles) == {"10E", "12E", "13E", "14E"}
    assert not any("played_unseen" in asked(table, number) for number in (2, 3, 4))


def test_turns_that_nobody_saw_get_their_tiles_and_the_last_one_the_rest():
    table, board = gap()
    unseen(table)
    unseen(table)
    turn = see(table, board)  # its own time was watched
    assert (turn.kind, asked(table, 4)) == ("not_known", {"played_unseen"})
    (flag,) = turn.flags
    assert "turn 2, turn 3" in flag.message
    for number, letters in ((2, "9I=V 10I=E 11I=N 12I=S"), (3, "11E=C 11F=L 11G=E 11H=A")):
        for one in letters.split():
            square, symbol = one.split("=")
            table.put(SquareCorrected(number, square, symbol, "TD", "their sheets", table.now))
    assert kinds(table) == ["play"] * 4
    assert "played_unseen" not in codes(table.state.turns[3])


@pytest.mark.parametrize(
    ("gap_s", "findings", "kind"),
    [
        ((50, 80), (Finding("turn_inferred"),), "not_known"),
        ((50, 80), (), "exchange_or_pass"),  # it was sure whose the tiles were
        ((65, 80), (Finding("turn_inferred"),), "exchange_or_pass"),  # its end was seen
    ],
)
def test_a_turn_that_no_picture_parts_from_an_uncertain_one_is_no_pass(gap_s, findings, kind):
    table = after("8G CAT")
    lost = (PicturesLost(*(at * SECOND for at in gap_s)),)
    see(table, with_plays(table.board, ("9G", "ON")), lost=lost, findings=findings)
    turn = see(table, lost=lost)
    assert turn.kind == kind
    assert asked(table, 3) == ({"played_unseen"} if kind == "not_known" else set())


def test_a_turn_whose_play_may_be_among_the_tiles_of_the_one_before_is_no_pass():
    table, board = gap()
    see(table, board, lost=LOST)
    turn = see(table, board, lost=LOST)
    assert (turn.kind, asked(table, 3)) == ("not_known", {"played_unseen"})
    assert see(table, board).kind == "exchange_or_pass"  # it was watched all the while
    # All three plays are entered, and the two presses were none of them.
    at = table.now - 80 * SECOND
    for number, (side, squares) in enumerate(PLAYED, start=2):
        tiles = {square: board[Square.parse(square)] for square in squares.split()}
        table.put(TurnInserted(number, side, tiles, at + number, "TD", "sheets", table.now))
    for number in (5, 6):
        table.put(TurnRuled(number, "undone", "TD", "sheets", table.now))
    assert kinds(table) == ["play"] * 4 + ["undone"] * 2 + ["exchange_or_pass"]
    assert table.state.board == board


def test_two_plays_are_parted_by_one_answer_and_one_turn_is_another():
    table = after("8G CAT")
    board = with_plays(table.board, ("I8", ".VENS"), ("11E", "CLEA."))
    turn = see(table, board, lost=LOST)
    assert turn.kind == "not_known"
    before = table.state
    answered(table, 2, "played_unseen", "was a turn of")
    assert kinds(table) == ["play"] * 3
    assert [turn.side for turn in table.state.turns[1:]] == ["right", "left"]
    assert set(table.state.turns[1].tiles) == {"9I", "10I", "11I", "12I"}
    table.state = before
    answered(table, 2, "played_unseen", "are one turn of")
    assert table.state.turns[1].kind == "play"
    assert len(table.state.turns[1].tiles) == 8


def test_a_turn_of_which_only_the_tiles_are_not_known_can_be_ruled_a_pass_or_none():
    table, board = gap()
    see(table, board, lost=LOST)
    state = table.put(TurnRuled(2, "pass", "TD", "he passed", table.now))
    assert (state.turns[1].kind, state.board) == ("pass", board)
    assert asked(table, 2) == {"played_unseen"}
    table.put(TurnRuled(2, "undone", "TD", "pressed by mistake", table.now))
    assert see(table, board).kind == "not_known"
    assert "played_unseen" in asked(table, 3)


def test_tiles_that_came_unseen_after_the_end_are_asked_about():
    table = after("8G CAT")
    board = with_plays(table.board, ("I8", ".VENS"), ("11E", "CLEA."))
    for _ in range(6):
        see(table)
    assert table.state.end_reason == "six_zeros"
    see(table, board, lost=LOST)
    assert any(turn.open_tiles for turn in table.state.turns)


def test_a_record_says_what_is_not_known():
    table, board = gap()
    see(table, board, lost=LOST)
    text = write(record_from_game(table.state))
    assert "it is not known what was played in turn 2" in text


FIRST = {"8G": "C", "8H": "A", "8I": "T"}
BOTH = {**FIRST, "9I": "O"}


def rows(tiles: dict[str, str]) -> tuple[str, ...]:
    return Board.empty().replace({Square.parse(k): v for k, v in tiles.items()}).rows


def started(rulebook: str) -> list[Event]:
    players: dict[Side, str] = {"left": "Ann", "right": "Bob"}
    game = GameStarted("game", players, rulebook, "english", None, 0)
    return [game, ButtonPressed("right", SECOND)]


def noted() -> SecondPlaySeen:
    return SecondPlaySeen("left", FIRST, 5 * SECOND, 9 * SECOND)


def taken(state: GameState, payload: Any) -> GameState:
    """The state after an offered event, as a director enters it."""
    event = from_payload(payload)
    return apply(state, replace(event, by="Dir", t_ns=20 * SECOND))


@pytest.mark.parametrize(
    ("rulebook", "rule"),
    [
        ("naspa-2017", "IV.G.2.a"),
        ("psa", "3.4.3"),
        ("sanspa-2001", "7.2"),
        ("sanspa-1999", "7.2"),
        ("wespa-2021", "3.4.1"),
    ],
)
def test_a_second_play_is_asked_about_at_once_and_parted_by_one_answer(rulebook, rule):
    state = fold([*started(rulebook), noted()])
    (flag,) = [flag for flag in state.flags if flag.code == "press_forgotten"]
    assert flag.rule is not None
    assert rule in flag.rule
    (offer,) = offers(state, None, flag)
    assert not offer.asks
    state = taken(state, offer.event)
    assert [(t.side, t.word) for t in state.turns] == [("left", "CAT")]
    assert state.on_turn == "right"
    assert not state.flags
    seen = TurnSeen("right", 12 * SECOND, rows(BOTH))
    state = fold([ButtonPressed("right", 12 * SECOND), seen], state)
    assert [(t.side, t.word, t.score) for t in state.turns] == [
        ("left", "CAT", 10),
        ("right", ".O", 3),
    ]
    assert state.on_turn == "left"


def test_a_press_after_both_plays_leaves_the_question_on_its_turn():
    found = tuple(Finding("press_forgotten", name) for name in FIRST)
    seen = TurnSeen("left", 12 * SECOND, rows(BOTH), findings=found)
    state = fold([*started("wespa-2021"), noted(), ButtonPressed("left", 12 * SECOND), seen])
    assert not state.flags
    turn = state.turns[0]
    (flag,) = [flag for flag in turn.flags if flag.code == "press_forgotten"]
    assert flag.squares == tuple(FIRST)
    two, one = offers(state, turn, flag)
    parted = taken(state, two.event)
    assert [(t.side, t.word, t.press_ns) for t in parted.turns] == [
        ("left", "CAT", 5 * SECOND),
        ("right", ".O", 12 * SECOND),
    ]
    assert not [f for t in parted.turns for f in t.flags if f.code == "press_forgotten"]
    assert all(f.settled for f in taken(state, one.event).turns[0].flags if f.code == flag.code)


def test_a_turn_that_the_next_play_ended_says_so_and_can_be_joined_again():
    first = TurnSeen("left", 5 * SECOND, rows(FIRST), ended="opponent_placed")
    second = TurnSeen("right", 12 * SECOND, rows({**FIRST, "8J": "S"}))
    state = fold([*started("psa"), first, ButtonPressed("right", 12 * SECOND), second])
    assert [(t.side, t.word) for t in state.turns] == [("left", "CAT"), ("right", "...S")]
    assert (state.on_turn, state.clocks.running) == ("left", "left")
    (flag,) = state.turns[0].flags
    assert flag.code == "not_pressed"
    assert flag.rule is not None
    assert "3.4.3" in flag.rule
    (offer,) = offers(state, state.turns[0], flag)
    joined = taken(state, offer.event)
    assert isinstance(joined.progress.events[-1], TurnsJoined)
    assert [(t.side, len(t.tiles)) for t in joined.turns] == [("left", 4)]


def test_a_press_that_comes_late_starts_the_clock_and_ends_no_turn():
    first = TurnSeen("left", 5 * SECOND, rows(FIRST), ended="opponent_placed")
    state = fold([*started("psa"), first, ButtonPressed("left", 12 * SECOND)])
    assert (len(state.turns), state.on_turn, state.clocks.running) == (1, "right", "right")


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (SecondPlaySeen("right", FIRST, 5 * SECOND, 9 * SECOND), "not right's turn"),
        (SecondPlaySeen("left", {"8G": "C"}, 5 * SECOND, 9 * SECOND), "8G before"),
    ],
)
def test_a_second_play_that_cannot_be_is_refused(event, why):
    played = TurnSeen("left", 3 * SECOND, rows(FIRST))
    answered = TurnSeen("right", 4 * SECOND, rows(BOTH))
    state = fold([*started("psa"), played, answered])
    with pytest.raises(TilewatchError, match=why):
        apply(state, event)


def tiles(text: str) -> dict[Square, str]:
    """Tiles written as ``8G=C 8H=A``."""
    return {Square.parse(one[:-2]): one[-1] for one in text.split()}


def words(*plays: str) -> dict[Square, str]:
    """The tiles of plays written as ``8G CAT``."""
    found = {}
    for place, letters in (one.split() for one in plays):
        start, across = Square.parse(place), place[0].isdigit()
        found |= {start.step(across, n): one for n, one in enumerate(letters) if one != "."}
    return found


CAT = Board.empty().replace(words("8G CAT"))


@pytest.mark.parametrize(
    ("before", "placed", "hidden", "may"),
    [
        ("", "8G=C 8H=A", "8I", "8I"),
        ("", "8G=C 8H=A", "8J", ""),  # behind an empty square
        ("", "8G=C 8H=A", "8I 8J 9H", "8I"),
        ("", "8G=C 8I=T", "8H", "8H"),  # between two tiles
        ("", "8H=A", "8I 7H 7I", "7H 8I"),  # one tile runs either way
        ("", "H8=A H9=S", "8I 10H", "10H"),
        ("", "", "8H 8I 1A", "8H 8I"),  # the opening covers the centre
        ("", "", "1A 1B", ""),
        ("8G CAT", "8J=S", "8K 8F", "8F 8K"),  # at the ends of the earlier tiles
        ("8G CAT", "", "8J 8K 12A", "8J 8K"),
        ("8G CAT", "", "8K 12A", ""),  # no play joins there
    ],
)
def test_which_unread_squares_may_hold_a_part_of_a_play(before, placed, hidden, may):
    board = CAT if before else Board.empty()
    unread = dict.fromkeys(map(Square.parse, hidden.split()), UNREADABLE)
    found = may_hold_play(compare(board, board.replace(tiles(placed) | unread)))
    assert {square.name for square in found} == set(may.split())


VEN = ["10I", "11I", "9I"]
PLAC = ["10E", "10F", "10G", "10H"]


@pytest.mark.parametrize(
    ("plays", "count", "due"),
    [
        (["I9 VEN"], 1, [VEN]),
        ([], 1, None),
        ([], 2, None),
        # One play is not taken for two.
        (["I9 VEN"], 2, None),
        (["I9 VEN", "10E PLAC"], 2, [VEN, PLAC]),
        # Both touch the board, so either may have come first.
        (["I9 VEN", "G9 OT"], 2, None),
        # The N may be of VEN or of CLEAN.
        (["I9 VEN", "11E CLEA"], 2, None),
        # Nothing joins the second to the board.
        (["I9 VEN", "2B LOST"], 2, None),
        (["I9 VEN", "10E PLAC", "F9 O.T"], 3, [VEN, PLAC, ["11F", "9F"]]),
    ],
)
def test_plays_in_order(plays, count, due):
    found = plays_in_order(CAT, words(*plays), count, 7)
    names = None if found is None else [sorted(square.name for square in one) for one in found]
    assert names == due


SQUARES = st.sampled_from([Square(row, col) for row in range(5, 12) for col in range(5, 12)])


@given(st.sets(SQUARES, max_size=7), st.integers(1, 3))
def test_what_is_found_are_plays_of_all_tiles_one_after_another(squares, count):
    board = CAT
    left = {square: "E" for square in squares if board[square] == "."}
    plays = plays_in_order(board, left, count, 7)
    if plays is None:
        return
    assert len(plays) == count
    for squares_of_one in plays:
        placed = {square: left.pop(square) for square in squares_of_one}
        assert is_play(board, placed, 7)
        board = board.replace(placed)
    assert not left
