"""Flags: findings in words with their rules, and that a flag goes once its cause is gone."""

from __future__ import annotations

import random
from collections import Counter
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.adjudication.preview import difference
from game.board import EMPTY, SQUARES, Square
from game.errors import TilewatchError
from game.events import ButtonPressed, Finding, SquareCorrected, TurnSeen
from game.flag_codes import Cause
from game.flags import CODES, POSES, make_flag
from game.state.fold import fold
from game.state.settled_flags import CAUSES

from .gamekit import SECOND, Table, random_game
from .scriptkit import after, follow, scripts
from .test_properties import mischief, seeds, taken

GAMES = """
a square that was misread is corrected on the turn where it is asked
    8G CAST, 9G ON, 8H=E, 8H=O -> open = 3 tile_replaced(8H), 4 tile_replaced(8H)
    correct 4 8H=A -> open = -; settled = 3 tile_replaced(8H) by 11; board = 8H=A
a correction answers whatever was found on the square
    8G CAST !misoriented_tile 8G !askew 8H !face_down 8H !uncertain_square 8I (may be S 60%, E 30%)
    correct 1 8G=C, correct 1 8H=A, correct 1 8I=S -> open = -
    -> settled = 1 misoriented_tile(8G) by 5, 1 askew(8H) by 6, 1 face_down(8H) by 6
a correction that raises a flag does not settle it
    8G CAST, 9G ON, correct 1 8H=? -> open = 1 blank_undesignated(8H)
    correct 1 8H=a -> open = -
    correct 2 9H=Q, correct 2 9G=Q -> open = 2 extra_tile(9G 9H)
    correct 2 9G=O -> open = -
a tile face down that was answered once it was read is not asked again | wespa-2021
    8G C#T !face_down 8H (a tile's back), 8H=A 9H=N 10H=E -> open = 2 uncertain_square(8H)
    correct 1 8H=A -> open = -
    correct 2 9H=R -> open = -
a correction that is taken back opens the flag again
    8G CAST, 9G ON, 8H=E, 8H=O, correct 4 8H=A, retract -1
    -> open = 3 tile_replaced(8H), 4 tile_replaced(8H)
    8H=A -> open = -
what was settled stays so when the end of the game is taken back
    8G CAST, 9G ON, 8H=E, 8H=A, end director -> settled = 3 tile_replaced(8H) by 10
    retract -1 -> settled = 3 tile_replaced(8H) by 10; status = running
a tile that was said to lie there after the press lies there, though the camera misses it
    8G CAST, 9G ON, changed 2 9H=., wait 1, correct 2 9H=N -> open = -; board = 9H=N
    - -> codes = -; board = 9H=N
flags of a play that is challenged off are settled with it | naspa-2017
    7G C?T !askew 7G -> codes = off_centre blank_undesignated askew
    rule 1 challenge_upheld -> open = -
    -> settled = 1 off_centre(7G 7H 7I) by 5, 1 blank_undesignated(7H) by 5, 1 askew(7G) by 5
a withdrawn play that is taken away at last
    8G CAT, rule 1 challenge_upheld, -, - -> open = 3 withdrawn_left(8G 8H 8I)
    8G=. 8H=. 8I=. -> open = -
a question about a challenge is settled by any answer
    8G CAST, 9G ON, changed 2 9G=. 9H=. -> codes = changed_after_press challenge_unclear
    rule 2 play -> open = 2 changed_after_press(9G 9H)
a question about an earlier tile outlasts the play with which it came
    8G CAT, 9G=O 10G=~ 11G=T, 10G=A 8J=S -> open = 3 uncertain_square(10G)
    rule 3 challenge_upheld -> open = 3 uncertain_square(10G)
    rule 3 taken_back -> open = 3 uncertain_square(10G)

overtime that is erased is settled, and stays so when the game is scored again | naspa-2017
    clock 1510, 8G CAT -> open = 1 overtime
    end broken_off, erase left -> open = -; settled = 1 overtime by 5
    correct 1 8H=O -> open = -; lines = -
    retract 6 -> open = -; lines = overtime left -10 after 1
    anew, clock 1510, 8G CAT, erase left -> open = 1 overtime
six scoreless turns are no end once somebody scores, or once the game is reopened | naspa-2017
    -, -, -, -, -, - -> open = 6 six_zeros
    8G CAT -> open = -; settled = 6 six_zeros by 16
    rule 7 challenge_upheld -> open = 6 six_zeros
    anew, -, -, -, -, -, -, 8G CAT, -, -, -, -, -, -, penalty left 5 -> open = 13 six_zeros
    anew, -, -, -, -, -, -, neutral, end six_zeros -> open = 6 six_zeros
    reopen other -> open = -

a tile that is moved and moved back leaves nothing open, and the way back is no other fault
    8G CAST, 9G ON, 8J=. 8K=T -> open = 3 tile_moved(8J 8K)
    8J=T 8K=. -> open = -; settled = 3 tile_moved(8J 8K) by 10; codes = -; kind = exchange_or_pass
    8J=. 8K=T -> open = 5 tile_moved(8J 8K)
a tile that goes astray in steps and comes back
    8G CAST, 9G ON, 8J=. 8K=T, 8K=. 8L=T -> open = 3 tile_moved(8J 8K), 4 tile_moved(8K 8L)
    8L=. 8J=T -> open = -
a tile that is swapped and swapped back leaves nothing open
    8G CAST, 9G ON, 8H=E -> open = 3 tile_replaced(8H)
    8H=A -> open = -; codes = -
tiles that are gone and lie there again
    8G CAST, 9G ON, 9G=. 8J=., 9G=O -> open = 3 tile_removed(8J 9G)
    8J=T -> open = -
a tile is played as the others are put back
    8G CAST, 9G ON, 8J=. 8K=T, 8J=T 8K=. 10G=E
    -> kind = play; tiles = 10G=E; codes = -; open = -
what changed after the press and was put right is settled
    8G CAST, 9G ON, keep, changed 2 9H=. -> open = 2 changed_after_press(9H)
    changed 2 9H=N -> open = -; board = 9H=N; bag = 80; racks = 7 7
    - -> codes = -
    anew, 8G CAST, 9G ON, changed 2 9H=., 9H=N -> codes = -; open = -
    anew, 8G CAST, 9G ON, changed 2 10G=E, 10G=. -> open = -

a square that was not read has one flag with the best guesses
    8D F~R~S !uncertain_square 8E (may be I 62%, L 31%) !uncertain_square 8H (may be S 62%, E 31%)
    -> flags = uncertain_square(8E 8G) uncertain_square(8H); says = may be I 62%
a square that stays unread is asked about once
    8G C~T, 3C=~, -, - -> open = 1 uncertain_square(8H), 2 uncertain_square(3C)
    3C=. 8H=A -> open = 5 uncertain_square(8H)
    anew, 8G C#T, 3C=~, -, - -> open = 1 face_down(8H), 2 uncertain_square(3C)
    3C=. 8H=A -> open = 5 uncertain_square(8H)
an earlier tile that was covered and is seen again
    8G CAST, 9G ON, 8G=~ !board_covered (1 square could not be seen)
    -> open = 3 board_covered(8G), 3 board_covered
    8G=C -> open = -
a turn that was covered is settled by a ruling
    8G CAST, 9G ON, - !board_covered (no picture of the board) -> open = 3 board_covered
    rule 3 pass -> open = -
a turn that could not be seen is settled by a person's correction
    8G CAST, 9G ON, - !uncertain_square (covered at the press) -> open = 3 uncertain_square
    correct 3 8K=S -> open = -
what the camera adds settles it once the next turn leaves nothing over
    8G CAST, 9G ON, - !uncertain_square (covered at the press), correct 3 8K=S camera
    -> open = 3 uncertain_square
    8K=S 7K=A -> open = -
a part of the play that the camera adds leaves the question open
    8G CAST, 9G ON, - !uncertain_square (covered at the press), correct 3 8K=S camera, 8K=S 3C=T
    -> open = 3 uncertain_square, 4 disconnected(3C)
a tile that was seen late goes with its challenged play, and is none of the next turn's
    8G C~T, 8H=A 7I=S, rule 1 challenge_upheld
    -> 1.kind = challenge_upheld; 1.score = 0; tiles = 7I=S; board = 8H=.
    8G=. 8H=. 8I=. -> open = 2 off_centre(7I), 2 single_tile_opening(7I)
    anew, 8G C#T, 8H=A 7I=S, rule 1 challenge_upheld
    -> 1.kind = challenge_upheld; 1.score = 0; tiles = 7I=S; board = 8H=.
an unread square that alone joins a play to the others is a tile of it
    8G CAT, 7J ~EE -> tiles = 7K=E 7L=E
    anew, 8G CAT, J8 ~EE -> tiles = 8J=~ 9J=E 10J=E; codes = uncertain_square
the next turn that shows it as unread leaves the question where it belongs
    8G CAT~ -> open = 1 uncertain_square(8J)
    H7 B.N -> open = 1 uncertain_square(8J)
    correct 1 8J=S -> open = -; 1.word = CATS
it is asked again where it may be a tile of the next play
    8G CAT~, J9 ON -> open = 2 uncertain_square(8J)
a square seen bare on the next turn is asked about no more
    8G CAT~, 8J=. 7H=B 9H=N -> open = -

findings become flags with rules: which way is up, WESPA is silent on
    8G CAT !misoriented_tile 8G,8H,8I !changed_after_press 8I (the I came late) !off_board
    -> flags = changed_after_press(8I) off_board misoriented_play(8G 8H 8I)
    -> rules = changed_after_press 4.1, off_board -, misoriented_play -; says = the I came late
one tile turned is no play turned
    8G CAT !misoriented_tile 8H -> flags = misoriented_tile(8H); rules = misoriented_tile 4.5
    7H A !misoriented_tile 7H -> codes = misoriented_tile
a turn out of order is kept and flagged
    8G CAT, turn left, 9G O -> side = left; kind = play; asks = changed_out_of_turn
    -> says = Bo's turn
what the camera found is told with its squares and details
    8G CAT !askew 8H (by 0.4) !askew 8G !off_board -> flags = askew(8G 8H) off_board
    -> says = A tile lies between squares: 8G, 8H (by 0.4).
    -> says = A tile lies beside the playing squares.
a question about a square goes when it is answered
    8G CAT !uncertain_square 8H !uncertain_square (glare) -> flags = uncertain_square(8H)
    correct 1 8H=A -> flags = uncertain_square; says = glare
no symbol of the program stands in what people read
    8G C~T !uncertain_square 8H (may be I 62%, . 7%, e 5%, # 2%, ~ 1%, ? 1%)
    -> says = may be I 62%, nothing 7%, blank E 5%, face down 2%, unreadable 1%, a blank 1%
    anew, 8G C#T, changed 1 8H=A
    -> says = Tiles changed after the clock was pressed: 8H A for a tile face down.
"""


@pytest.mark.parametrize("script", scripts(GAMES))
def test_what_is_open_and_what_is_settled(script):
    follow(script)


def opened(state) -> list[tuple[int, str, tuple[str, ...]]]:
    """Every open flag of a turn, as turn, code and squares."""
    return [
        (turn.number, flag.code, flag.squares)
        for turn in state.turns
        for flag in turn.flags
        if flag.settled is None
    ]


def replayed(events) -> Table:
    """A table that goes on from some events."""
    table = Table()
    table.events, table.state = [], None
    for event in events:
        table.put(event)
    last = [event for event in events if isinstance(event, TurnSeen)][-1]
    table.board, table.now = table.state.turns[-1].after, last.press_ns
    table.side = "right" if last.side == "left" else "left"
    return table


def test_what_a_correction_settles_is_shown_before_it_is_made():
    table = after("8G CAST, 9G ON, 8H=E, 8H=O")
    found = difference(table.state, SquareCorrected(4, "8H", "A", "TD", "", table.now))
    assert [flag.code for turn in found.turns for flag in turn.flags_gone] == ["tile_replaced"] * 2
    assert [flag for turn in found.turns for flag in turn.flags_new] == []


@given(seeds, st.sampled_from(["AEIOZ", "~", "#", "?", ".", "AEZ~#?."]))
def test_flagged_squares_that_are_corrected_to_what_lies_there_leave_nothing_open(seed, wrong):
    rng = random.Random(seed)
    right = random_game(seed, pass_rate=0.0)
    truth, seen = {}, []
    for event in right.events[: 2 + 2 * rng.randint(3, 10)]:
        if isinstance(event, TurnSeen):
            truth[len(truth) + 1] = event.rows
        seen.append(misread(event, rng, wrong) if isinstance(event, TurnSeen) else event)
    table = replayed(seen)

    def asked() -> set[tuple[int, str]]:
        return {
            (turn, square)
            for turn, code, squares in opened(table.state)
            for square in squares
            if CODES[code].asks in ("symbol", "letter")
        }

    for _ in range(8):  # a correction may show that another square was misread
        for turn, name in sorted(asked()):
            at = Square.parse(name)
            table.now += SECOND
            symbol = truth[turn][at.row][at.col]
            table.put(SquareCorrected(turn, name, symbol, "TD", "the picture shows it", table.now))
    assert asked() == set()
    assert fold(table.events) == table.state


def misread(event: TurnSeen, rng: random.Random, wrong: str) -> TurnSeen:
    """The turn as a camera saw it that took up to two tiles for something else, or doubted them."""
    if rng.random() < 0.5:
        return event
    rows = [list(row) for row in event.rows]
    there = [s for s in SQUARES if event.rows[s.row][s.col] != EMPTY]
    found = []
    for square in rng.sample(there, min(2, len(there))):
        rows[square.row][square.col] = rng.choice(wrong)
        code = rng.choice(["uncertain_square", "askew", "misoriented_tile", ""])
        if code:
            found.append(Finding(code, square.name, "may be A 50%, E 40%"))
    return TurnSeen(event.side, event.press_ns, tuple(map("".join, rows)), findings=tuple(found))


UNREAD = ("uncertain_square", "board_covered")


@given(seeds)
def test_no_square_has_two_flags_for_one_cause_and_what_is_settled_says_by_which_event(seed):
    state, events = taken(random_game(seed).events + mischief(seed))
    for turn in state.turns:
        counted = Counter(
            ("unread" if flag.code in UNREAD else flag.code, square)
            for flag in turn.flags
            for square in flag.squares
            if flag.code not in ("tile_moved", "extra_tile")
        )
        assert [key for key, count in counted.items() if count > 1] == []
        for flag in turn.flags:
            if flag.settled is not None:
                assert 1 <= flag.settled <= len(events)
                # A press that ends the game takes the points of overtime off.
                pressed = isinstance(events[flag.settled - 1], ButtonPressed)
                assert not pressed or flag.code == "overtime"


@given(seeds)
def test_tiles_moved_in_a_game_and_moved_back_leave_nothing_open(seed):
    rng = random.Random(seed)
    game = replayed(random_game(seed).events[: 2 + 2 * rng.randint(4, 14)])
    if game.state.status != "running":
        return
    before = game.board
    tiles = list(before.tiles())
    free = [square for square in SQUARES if before[square] == EMPTY]
    act = rng.choice(["move", "remove", "replace"])
    moved = before
    for origin in rng.sample(tiles, min(len(tiles), rng.randint(1, 3))):
        other = rng.choice([c for c in "AEZ" if c != before[origin]])
        moved = moved.replace({origin: other if act == "replace" else EMPTY})
        if act == "move":
            moved = moved.replace({free.pop(rng.randrange(len(free))): before[origin]})
    turn = game.see(moved)
    if turn.kind == "play" or not turn.flags:
        return  # tiles that were moved so may be a play for all that anybody can see
    again = game.see(before)
    left = [one for one in opened(game.state) if one[1] not in ("six_zeros", "overtime")]
    # The last play may have been taken back, and played again: then somebody is asked.
    assert bool(left) == (again.kind == "play")
    assert game.state.board == before


@pytest.mark.parametrize("code", [code for code, known in CODES.items() if known.asks == "symbol"])
def test_a_flag_about_what_lies_on_a_square_is_settled_some_day(code):
    assert CODES[code].settled_by, f"say in game/flag_codes.py what settles {code}"


def test_each_cause_is_looked_for():
    assert CAUSES.keys() == set(get_args(Cause))


@pytest.mark.parametrize("code", sorted(POSES))
def test_how_a_tile_lies_is_settled_when_it_is_told_of_anew_or_the_tile_is_gone(code):
    table = after(f"8G CAST !{code} 8G,8H, 9G ON !{code} 8G,8H")
    assert opened(table.state) == [(2, code, ("8G", "8H"))]
    table.lay("8G=.", "8H=.")
    assert code not in [code for _, code, _ in opened(table.state)]


def test_every_code_has_a_meaning_and_only_those_can_be_raised():
    assert all(code.meaning and code.meaning[0].islower() for code in CODES.values())
    with pytest.raises(TilewatchError, match="unknown flag code"):
        make_flag("nonsense")
