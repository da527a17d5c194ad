"""Rights that are timed, and what is said beside the turns, where no case of the corpora has it."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from game.board import Board, Square
from game.events import ButtonPressed, PlayAccepted, SetSeen, TurnSeen
from game.state.fold import fold
from game.state.timed_rights import challenge_gone, windows

from .gamekit import SECOND, Table
from .scriptkit import after, follow, scripts

GAMES = """
until when a play may be challenged, where the text speaks of drawing | naspa-2017
    8G CAT -> until = until the first new tile is drawn
where it speaks of either | psa sanspa-1999 sanspa-2001
    8G CAT -> until = until the first new tile is drawn or the whole score is written
where it speaks of writing
    8G CAT -> until = until Bo has written down the whole score
    anew, 8G CAT, rule 1 challenge_failed -> windows = -
the first hold counts and only plays can be held | sanspa-1999
    8G CAT, wait 9, hold 1, wait -4, hold 1 -> windows = challenge right 0 - 25 13.1
    hold 2 -> refused = there is no turn 2
    hold 0 -> refused = there is no turn 0
    -, hold 2 -> refused = no tiles were played
a challenge within the time of a hold is not late | sanspa-1999
    8G CAT, wait 1, hold 1, wait 20, called 1 challenge_failed -> rules = -
    anew, 8G CAT, wait 1, hold 1, wait 21, called 1 challenge_failed -> rules = challenge_late 13.1
one second is one second | sanspa-1999
    8G CAT, accept 1 score_written, wait 1, called 1 challenge_failed -> says = 1 second after
where a hold has no time it never is | sanspa-2001
    8G CAT, wait 1, hold 1, wait 21, called 1 challenge_failed -> rules = -
a challenge after the own turn is late | all
    8G CAT, 9G ON, 10G A, wait -30, called 1 challenge_failed -> 1.codes = -
    wait 1, called 1 challenge_failed -> 1.codes = challenge_late
an accepted play that is seen to be challenged off was challenged late | naspa-2017 psa sanspa-2001
    8G CAT, wait 10, accept 1 tiles_drawn, neutral, board 1 8G=. 8H=. 8I=., start right
    8G ON -> 1.kind = challenge_upheld; 1.codes = challenge_late
a stop that was for the press in error shows no challenge | naspa-2017 wespa-2021 psa
    8G CAT, clock 5, -, accept 1 tiles_drawn, neutral, rule 2 undone
    rule 1 challenge_upheld -> 1.codes = challenge_late
    why 2 director -> 1.codes = -
a press in error is no turn of the challenger's | naspa-2017 wespa-2021 psa
    8G CAT, clock 5, -, too_early 2 right, start right
    wait 3, called 1 challenge_upheld -> 1.codes = -
nor is one that a ruling makes none, entered after the challenge | all
    8G CAT, clock 5, -, wait 3, called 1 challenge_upheld -> 1.codes = challenge_late
    rule 2 undone -> 1.codes = -
nor is a clock given back for a blank | naspa-2017 wespa-2021
    clock 5, 8G C?T, -, letter 8H A, -, wait 3, called 1 challenge_upheld -> 1.codes = -
the turn after that is one | naspa-2017
    clock 5, 8G C?T, -, letter 8H A, -, 9G ON
    wait 3, called 1 challenge_upheld -> 1.codes = challenge_late
a clock given back stays so when the play is found illegal | naspa-2017
    8G CAT, clock 5, 9G ?N, -, letter 9G O, -
    rule 2 illegal_play -> 2.kind = illegal_play; 3.kind = undone; 4.kind = undone
where that is not certain the answer tells | psa sanspa-1999 sanspa-2001
    clock 5, 8G C?T, -, letter 8H A, -
    wait 3, called 1 challenge_upheld -> 1.codes = challenge_late
    rule 2 undone -> 1.codes = -
a blank that is declared only later lets its words be challenged then, and no other | wespa-2021
    8H CA?, 8H ...S, wait 3, letter 8J B, called 1 challenge_upheld -> 1.codes = -
    anew, 8H CAb, 8H ...S, wait 3, called 1 challenge_upheld -> 1.codes = challenge_late
the opponent has answered before the blank is declared | naspa-2017
    8H CA?, 8H ...S, wait 3, letter 8J B, called 1 challenge_upheld -> 1.codes = challenge_late
a hold of the last play within twenty seconds keeps the right to challenge it | naspa-2017 bag=0
    stop 8I RATIUES -> 1.kind = play; challenge = 0 5 20 V.E
    wait 20, hold 1 -> challenge = 0 5 - V.E
    wait 70, called 1 challenge_failed -> lacks = challenge_late
    anew, stop 8I RATIUES, wait 21, hold 1 -> challenge = 0 5 20 V.E
    wait 69, called 1 challenge_failed -> asks = challenge_late
    anew, stop 8I RATIUES, wait 90, called 1 challenge_failed -> asks = challenge_late
an illegal last play is announced within twenty seconds, whatever is agreed on | naspa-2017 bag=0
    stop 8I RATIUES, wait 15, end
    -> windows = announce_illegal either 0 - 20 III.G.5, recount either 15 - 75 V.I
    wait 6, rule 1 illegal_play -> refused = within 20 seconds
    wait -1, rule 1 illegal_play -> kind = illegal_play
after the last play the clock may be started again | psa bag=0
    stop 8I RATIUES -> windows = challenge right 0 - - 3.1.2, restart left 5 - - 5.1.3
and by wespa's older text | bag=0
    stop 8I RATIUES
    -> windows = challenge right 0 - - 4.1, 4.6.3, restart left 5 - - 7.1, recount either 0 - - 4.4
with an empty bag some texts set no limit | naspa-2017 psa bag=0
    8I=R -> until = -
    9H=D -> until = -
    hold 2 -> lacks_right = draw
in one only the written score accepts a play then | sanspa-2001 bag=0
    8I=R -> until = until Bo has written down the whole score
    9H=D -> until = until Ann Lee has written down the whole score
    hold 2 -> lacks_right = draw
and some do | sanspa-1999 bag=0
    8I=R -> until = until the first new tile is drawn or the whole score is written
    9H=D -> until = until the first new tile is drawn or the whole score is written
or | bag=0
    8I=R -> until = until Bo has written down the whole score
    9H=D -> until = until Ann Lee has written down the whole score
    hold 2 -> lacks_right = draw

the clock that stands is asked about while it does
    8G CAT -> game = -
    neutral -> game = clock_stopped; audience = director
    start right -> game = -
a challenge that is ruled on says why the clock stands, whichever play it was of
    8G CAT, 9G ONE, neutral, wait 1, rule 1 challenge_upheld -> game = -
    start left, neutral -> game = clock_stopped
    anew, 8G CAT, 9G ONE, neutral, wait 1, rule 1 challenge_failed 1 -> game = -
    start left, neutral -> game = clock_stopped
    anew, 8G CAT, 9G ONE, neutral, wait 1, rule 2 challenge_upheld -> game = -
    start left, neutral -> game = clock_stopped
    anew, 8G CAT, 9G ONE, neutral, wait 1, rule 2 challenge_failed 1 -> game = -
    start left, neutral -> game = clock_stopped
a ruling that is no challenge of this stop leaves it asked
    8G CAT, neutral, wait 1, rule 1 no_score -> game = clock_stopped
    wait 1, rule 1 challenge_failed 1 -> game = -
    retract -1 -> game = clock_stopped
    anew, 8G CAT, neutral, wait 1, found 30, rule 1 challenge_failed 1 -> game = clock_stopped
    wait 1, rule 1 challenge_failed 1 -> game = -
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
def test_what_may_be_done_and_until_when(script):
    follow(script)


def window(state, right):
    """The one window of that right, or None."""
    found = [one for one in windows(state) if one.right == right]
    assert len(found) <= 1
    json.dumps([asdict(one) for one in found])
    return found[0] if found else None


def test_a_right_is_open_from_its_first_moment_to_its_last():
    table = after("8G CAT, wait 4, hold 1", "sanspa-1999")
    found, press = window(table.state, "challenge"), table.state.turns[0].press_ns
    assert (found.side, found.turn) == ("right", 1)
    moments = (press - 1, press, press + 24 * SECOND, press + 24 * SECOND + 1)
    assert [found.open_at(at) for at in moments] == [False, True, True, False]


@pytest.mark.parametrize(("book", "limit"), [("naspa-2017", 601), ("psa", 600)])
def test_the_moments_of_overtime_are_known_before(book, limit):
    table = after("8G CAT", book)
    end = table.now + 1500 * SECOND
    found = window(table.state, "overtime")
    assert (found.opens_ns, found.side, found.turn) == (end + SECOND, "right", 2)
    assert window(table.state, "overtime_limit").opens_ns == end + limit * SECOND
    table.put(ButtonPressed("neutral", table.now + SECOND))
    assert window(table.state, "overtime") is None


@pytest.mark.parametrize(("book", "least"), [("naspa-2017", 20), ("psa", None)])
def test_where_no_clock_was_started_there_is_more_time(book, least):
    table = Table(rulebook=book)
    table.now += 30 * SECOND
    table.put(ButtonPressed("neutral", table.now))
    cat = {Square(7, 6): "C", Square(7, 7): "A", Square(7, 8): "T"}
    table.put(TurnSeen("left", table.now, Board.empty().replace(cat).rows))
    for seconds in (least, 5 if least else None):
        due = None if seconds is None else table.now + seconds * SECOND
        assert window(table.state, "challenge").least_ns == due
        table.put(ButtonPressed("neutral", table.now + SECOND))


def test_the_right_to_challenge_goes_with_the_opponent_s_next_turn_or_an_acceptance():
    table = after("8G CAT")
    assert not challenge_gone(table.state, table.state.turns[0])
    table.play("H8", ".T")
    assert challenge_gone(table.state, table.state.turns[0])
    assert not challenge_gone(table.state, table.state.turns[1])
    table.put(PlayAccepted(2, "score_written", "TD", "", table.now))
    assert challenge_gone(table.state, table.state.turns[1])


def test_a_set_of_which_nearly_all_is_missing_is_told_of_in_few_words():
    (flag,) = after("8G CAT", "naspa-2017").put(SetSeen("A", "TD", 2)).flags
    for words in ("1 tiles of 100", "8 A missing", "and 21 more kinds"):
        assert words in flag.message


def test_a_set_that_is_checked_before_the_clock_was_started_was_checked_before_the_game():
    table = Table()
    table.state = fold(table.events[:1])
    (flag,) = table.put(SetSeen("A", "TD", 0)).flags
    assert "before the game" in flag.message
