"""The camera's findings on a turn, as flags with their rules and in words for people."""

from __future__ import annotations

import pytest

from game.errors import TilewatchError
from game.flags import CODES, make_flag

from .scriptkit import follow, scripts

GAMES = """
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
def test_what_is_said_of_a_turn(script):
    follow(script)


def test_every_code_has_a_meaning_and_only_those_can_be_raised():
    assert all(code.meaning and code.meaning[0].islower() for code in CODES.values())
    with pytest.raises(TilewatchError, match="unknown flag code"):
        make_flag("nonsense")
