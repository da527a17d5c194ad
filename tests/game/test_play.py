"""Which way a play runs, tiles that are not as they should be, and letters for blanks."""

from __future__ import annotations

import pytest

from game.adjudication.blank_letters import suggestions
from game.adjudication.preview import between
from game.adjudication.remedies import is_provisional, offers
from game.board import Board, Square, is_tile, line, neighbours, parse_position
from game.events import Retracted, TurnRuled
from game.plays.change import compare
from game.plays.play import find_play, misplaced
from game.rulebooks.loading import rulebook_ids
from game.state.fold import apply, fold

from .gamekit import Table
from .scriptkit import after


def on(*tiles: str) -> Board:
    return Board.empty().replace({Square.parse(t[:-2]): t[-1] for t in tiles})


@pytest.mark.parametrize(
    ("before", "placed_tiles", "position", "word"),
    [
        # One tile runs the way of its longer word, and across where both are as long.
        (["8G=A", "7H=B"], ["8H=C"], "8G", ".C"),
        (["8G=A", "7H=B", "6H=D"], ["8H=C"], "H6", "..C"),
        (["8G=A", "8F=B", "7H=D"], ["8H=C"], "8F", "..C"),
        ([], ["8H=C"], "8H", "C"),
        # As many tiles in a row as in a column: across.
        (["8G=A"], ["8H=C", "9G=B"], "8G", ".C"),
        ([], ["8H=C", "9I=B"], "8H", "C"),
        # More in a column than in a row.
        (["8G=A"], ["8H=C", "9G=B", "10G=D"], "G8", ".BD"),
        # Of two lines with as many tiles the one that touches more.
        (["10G=A", "10H=B"], ["3C=C", "3D=D", "9G=E", "9H=F"], "9G", "EF"),
        (["4C=A", "4D=B"], ["3C=C", "3D=D", "9G=E", "9H=F"], "3C", "CD"),
    ],
)
def test_which_way_a_play_runs(before, placed_tiles, position, word):
    board = on(*before)
    play = find_play(
        compare(board, board.replace({Square.parse(t[:-2]): t[-1] for t in placed_tiles}))
    )
    assert (play.position, play.word) == (position, word)
    assert play.line == line(play.start, play.across, len(word))
    assert len(play.line) == len(word)


def test_a_board_without_a_new_tile_has_no_play():
    assert find_play(compare(on("8H=A"), on())) is None
    assert find_play(compare(on("8H=A"), on("8H=B"))) is None


def test_the_squares_beside_one():
    assert set(neighbours(Square(0, 0))) == {Square(0, 1), Square(1, 0)}
    assert len(neighbours(Square(7, 7))) == 4
    assert on("8H=A").touches(Square.parse("8I"))
    assert not on("8H=A").touches(Square.parse("9I"))
    assert not on("8H=A").touches(Square.parse("8H"))


def test_unreadable_is_no_tile():
    assert not is_tile("~")
    assert is_tile("#")


@pytest.mark.parametrize(
    ("first", "then", "message"),
    [
        ("8H=A", "8H=.", "Tiles of an earlier turn are gone: A of 8H."),
        ("8H=a", "8H=.", "Tiles of an earlier turn are gone: a blank A of 8H."),
        ("8H=?", "8H=.", "Tiles of an earlier turn are gone: a blank of 8H."),
        ("8H=#", "8H=.", "Tiles of an earlier turn are gone: a tile face down of 8H."),
        ("8H=A", "8H=B", "8H showed A and now shows B."),
        ("8H=A", "8H=?", "8H showed A and now shows a blank."),
        ("8H=A", "8H=#", "Face down: 8H."),
        ("8H=A", "8H=~", "Could not be seen, taken as unchanged: 8H."),
        (
            "8H=~",
            "8H=B",
            "Laid earlier, could be read only now, and has not scored: 8H as B.",
        ),
        ("8H=A", "9J=~", "It could not be seen whether a tile lies on 9J."),
        ("8H=A", "10H=B", "10H not joined to the tiles played before."),
        ("8H=A", "9H=?", "Which letter is the blank at 9H?"),
        ("8H=A", "9H=#", "Face down: 9H."),
    ],
)
def test_what_is_said_of_a_tile(first, then, message):
    # 7H and 8G are there all the time: a game that has begun.
    table = Table(rows=on("8G=R", "7G=E", first).rows)
    turn = table.lay(then)
    assert message in [flag.message for flag in turn.flags]


@pytest.mark.parametrize(
    ("placed_tiles", "message"),
    [
        ("8H=Z", "2 tiles Z lie on the board; the English set has 1."),
        ("8H=a", "3 blanks lie on the board; the English set has 2."),
        ("8H=?", "3 blanks lie on the board; the English set has 2."),
    ],
)
def test_a_tile_too_many_is_counted(placed_tiles, message):
    table = Table(rows=on("8G=Z", "7G=b", "6G=c").rows)
    turn = table.lay(placed_tiles)
    (flag,) = [flag for flag in turn.flags if flag.code == "extra_tile"]
    assert flag.message == message
    assert flag.squares == ("8H",)


def test_as_many_tiles_as_the_set_has_are_no_tile_too_many():
    table = Table(rows=on("8G=Y", "7G=b").rows)
    turn = table.lay("8H=Y", "8I=c")
    assert "extra_tile" not in [flag.code for flag in turn.flags]


@pytest.mark.parametrize(
    ("before", "placed_tiles", "wrong"),
    [
        (["8G=A"], ["8H=B"], False),
        (["8G=A"], ["8H=B", "8J=C"], True),  # a gap
        (["8G=A"], ["8H=B", "9G=C"], True),  # two lines
        (["8G=A"], ["10J=B"], True),  # joined to nothing
        (["8G=A", "8I=D"], ["8H=B", "8J=C"], False),
        ([], ["8H=B", "8I=C"], False),
        ([], ["8H=B", "8J=C"], True),
    ],
)
def test_what_is_no_one_joined_line(before, placed_tiles, wrong):
    board = on(*before)
    change = compare(board, board.replace({Square.parse(t[:-2]): t[-1] for t in placed_tiles}))
    assert misplaced(change, find_play(change)) is wrong


@pytest.mark.parametrize("origin", ["~", "."])
def test_an_eighth_tile_is_one_that_was_knocked_off_a_square_that_cannot_be_seen(origin):
    table = after("8H AT, I8 .SLE")
    before = table.state.board
    placed_tiles = {
        Square.parse(f"{7}{col}"): tile for col, tile in zip("BCDEFGH", "RETAINS", strict=True)
    }
    knocked = {Square.parse("7I"): "L", Square.parse("I10"): origin}
    turn = table.see(before.replace({**placed_tiles, **knocked}))
    assert turn.tiles == {square.name: tile for square, tile in placed_tiles.items()}
    assert "tile_moved" in [flag.code for flag in turn.flags]
    assert "too_many_tiles" not in [flag.code for flag in turn.flags]


def test_eight_tiles_of_which_two_may_have_been_knocked_there_stay_in_question():
    before = on("8D=A", "8E=T", "11B=R", "11C=R")
    placed_tiles = on(
        "7A=R", *(f"7{col}={tile}" for col, tile in zip("BCDEFGH", "EATTENR", strict=True))
    )
    seen = before.replace(placed_tiles.tiles()).replace({Square.parse("11B"): "~"})
    change = compare(before, seen, 7)
    assert (len(change.placed), change.moved) == (8, ())


def test_a_play_on_two_lines_is_previewed_under_the_name_of_its_main_line():
    table = after("8G OR, 3C=Z 3D=A 8F=N 8I=T")
    assert [word for word, _ in table.state.turns[-1].words] == ["ZA", "NORT"]
    found = between(fold(table.events[:-2]), table.state)
    assert [one.word for one in found.turns] == ["NORT"]


BOOKS = rulebook_ids()


def open_questions(table: Table) -> list[int]:
    return [
        turn.number
        for turn in table.state.turns
        for flag in turn.flags
        if flag.code == "too_many_tiles" and flag.settled is None
    ]


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize(("word", "bonus"), [("ABCDEF", 0), ("ABCDEFG", 50), ("ABCDEFGH", 0)])
def test_the_bonus_is_for_a_full_rack_and_not_for_more(book, word, bonus):
    turn = Table(rulebook=book).play("8D", word)
    assert turn.bingo == bonus
    assert turn.score == sum(points for _, points in turn.words) + bonus


@pytest.mark.parametrize("book", BOOKS)
def test_a_turn_of_more_than_a_rack_is_asked_about_until_it_is_ruled_on(book):
    steps = "8D ABCDEFGH, 9D ON, end, rack left EEEEEEE, rack right IIIIIII"
    table = after(steps, book)
    state = table.state
    assert (open_questions(table), is_provisional(state)) == ([1], True)
    turn = state.turns[0]
    (flag,) = (one for one in turn.flags if one.code == "too_many_tiles")
    found = [one.event for one in offers(state, turn, flag) if one.open and one.event is not None]
    ruled = {event["ruling"] for event in found if event["type"] == "TurnRuled"}
    assert {"play", "no_score"} <= ruled
    table.put(TurnRuled(1, "play", "TD", "seen on video", table.now))
    assert open_questions(table) == []
    assert not is_provisional(table.state)
    assert table.state.turns[0].bingo == 0
    withdrawn = apply(table.state, Retracted(len(table.events), "TD", "", table.now))
    assert is_provisional(withdrawn)


def test_most_of_a_game_that_went_on_unseen_is_one_question_and_no_bonus():
    rows = ("10A REINSTATED", "11A OUTLINER", "12A AERATION", "13A NOISE", "14A LE")
    table = after("8D CAT")
    board = table.board
    for row in rows:
        board = board.replace(after(row).board.tiles())
    turn = table.see(board)
    assert len(turn.tiles) == 33
    assert turn.bingo == 0
    assert open_questions(table) == [2]


LETTERS = tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
WORDS = frozenset({"CAT", "COT", "CUT", "AS", "OS", "US", "TO", "TOE", "TOT", "AA", "I"})


def with_words(*plays: str) -> Board:
    out = Board.empty()
    for play in plays:
        where, word = play.split("=")
        square, across = parse_position(where)
        out = out.replace({square.step(across, i): c for i, c in enumerate(word) if c != "."})
    return out


@pytest.mark.parametrize(
    ("plays", "square", "letters"),
    [
        (["8G=C?T"], "8H", "AOU"),
        # both words through the blank have to be on the list
        (["8G=C?T", "H8=.S"], "8H", "AOU"),
        (["8G=C?T", "H7=T.E"], "8H", "O"),
        # a designated blank counts as its letter
        (["8G=c?T"], "8H", "AOU"),
        (["8G=X?T"], "8H", ""),
        (["8G=C?#"], "8H", ""),
        (["8G=C?~"], "8H", ""),
        # alone it may still be a word of one letter
        (["8H=?"], "8H", "I"),
    ],
)
def test_the_letters_that_make_words_of_all(plays, square, letters):
    found = suggestions(with_words(*plays), WORDS, LETTERS)
    assert found == {Square.parse(square): tuple(letters)}


def test_two_blanks_in_a_word_are_filled_together():
    found = suggestions(with_words("8G=?O?"), WORDS, LETTERS)
    assert found == {Square(7, 6): ("C", "T"), Square(7, 8): ("E", "T")}


def test_a_blank_with_a_letter_needs_none():
    assert suggestions(with_words("8G=CaT"), WORDS, LETTERS) == {}
