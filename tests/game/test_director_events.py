"""What is said beside the turns: why the clock stands, a set that was checked, a slip."""

from __future__ import annotations

import pytest

from game.events import SetSeen
from game.state.fold import fold

from .gamekit import Table
from .scriptkit import after, follow, scripts

GAMES = """
the clock that stands is asked about while it does
    8G CAT -> game = -
    neutral -> game = clock_stopped; audience = director
    start right -> game = -
a challenge that is ruled on says why the clock stands, whichever play it was of
    8G CAT, 9G ONE, neutral, wait 1, rule 1 challenge_upheld -> game = -
    start left, neutral -> game = clock_stopped
    anew, 8G CAT, 9G ONE, neutral, wait 1, rule 1 challenge_failed -> game = -
    start left, neutral -> game = clock_stopped
    anew, 8G CAT, 9G ONE, neutral, wait 1, rule 2 challenge_upheld -> game = -
    start left, neutral -> game = clock_stopped
    anew, 8G CAT, 9G ONE, neutral, wait 1, rule 2 challenge_failed -> game = -
    start left, neutral -> game = clock_stopped
a ruling that is no challenge of this stop leaves it asked
    8G CAT, neutral, wait 1, rule 1 no_score -> game = clock_stopped
    wait 1, rule 1 challenge_failed -> game = -
    retract -1 -> game = clock_stopped
    anew, 8G CAT, neutral, wait 1, found 30, rule 1 challenge_failed -> game = clock_stopped
    wait 1, rule 1 challenge_failed -> game = -
    retract -1 -> game = clock_stopped
what was never is refused
    why 1 score -> refused = there is no turn 1
    why -1 score -> refused = there is no turn -1
    slip left -> refused = does not count minor infractions
    set +Ä -> refused = has no tile 'Ä'
    why 0 director -> status = running
the set's faults are named | naspa-2017
    set -> game = -
    set -Q +Z -> game = set_wrong; says = 100 tiles of 100
    -> says = 1 Q missing
    -> says = 1 Z too many
    set -> game = -
when the set was checked is said
    set -Q -> says = in the game or after it
    anew, 8G CAT, set -Q -> says = in the game or after it
a penalty may be nothing and never less
    penalty left 0 -> scores = 0 0
    penalty left -1 -> refused = -1 is below 0
a player who comes at the last second still starts | naspa-2017
    late left 25 -> says = starts with 0:00
    anew, late left 26 -> says = the game is lost
"""


@pytest.mark.parametrize("script", scripts(GAMES))
def test_what_is_said_beside_the_turns(script):
    follow(script)


def test_a_set_of_which_nearly_all_is_missing_is_told_of_in_few_words():
    (flag,) = after("8G CAT", "naspa-2017").put(SetSeen("A", "TD", 2)).flags
    for words in ("1 tiles of 100", "8 A missing", "and 21 more kinds"):
        assert words in flag.message


def test_a_set_that_is_checked_before_the_clock_was_started_was_checked_before_the_game():
    table = Table()
    table.state = fold(table.events[:1])
    (flag,) = table.put(SetSeen("A", "TD", 0)).flags
    assert "before the game" in flag.message
