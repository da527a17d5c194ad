"""What clock, board and racks tell of a turn, and what is asked instead of guessed."""

from __future__ import annotations

import pytest

from .scriptkit import follow, scripts

GAMES = """
tiles gone while the clock stood were challenged off
    8G CAT, 9G ON, neutral, start left, 9G=. 9H=. 7G=A
    -> kinds = play challenge_upheld play; 2.inferred = yes; codes = -; scores = 15 0
    anew, 8G CAT, 9G ON, neutral, why 2 challenge, start left, 9G=. 9H=. 7G=A
    -> kinds = play challenge_upheld play; 2.inferred = yes; codes = -; scores = 15 0
a stop explained otherwise is no challenge
    8G CAT, 9G ON, neutral, why 2 score, start left, 9G=. 9H=. 7G=A
    -> kinds = play play play; asks = tile_removed
    anew, 8G CAT, 9G ON, neutral, why 2 director, start left, 9G=. 9H=. 7G=A
    -> kinds = play play play; asks = tile_removed
    anew, 8G CAT, 9G ON, neutral, why 2 overdraw, start left, 9G=. 9H=. 7G=A
    -> kinds = play play play; asks = tile_removed
explaining a stop later takes the turns again, and taking it back too
    8G CAT, 9G ON, neutral, start left, 9G=. 9H=. 7G=A, keep, why 2 score
    -> kinds = play play play
    retract -1 -> kept = yes
of two explanations the later holds in whatever order
    8G CAT, 9G ON, neutral, why 2 challenge, wait 1, why 2 score, start left, 9G=. 9H=. 7G=A
    -> kinds = play play play
    anew, 8G CAT, 9G ON, neutral, wait 1, why 2 score, wait -1, why 2 challenge, start left
    9G=. 9H=. 7G=A -> kinds = play play play
what was said between the turns outlives taking them again
    penalty left 3, 8G CAT, penalty right 5, 9G ON, penalty right 7, neutral, start left
    9G=. 9H=. 7G=A -> kinds = play challenge_upheld play; scores = 12 -12
tiles gone with the clock running are asked about, where they are all of the play and no others
    8G CAT, 9G ON, 9G=. 9H=.
    -> asks = challenge_unclear; says = The tiles of turn 2 are gone, and no challenge was seen
    anew, 8G CAT, 9G ON, 9G=. -> lacks = challenge_unclear
    anew, 8G CAT, 9G ON, 9G=. 9H=. 8I=. -> lacks = challenge_unclear; status = running
a stop by the director is no challenge in vain: who rules on one enters it at the desk
    8G CAT, 9G ON, neutral TD, start left, 10G A -> lacks = challenge_unclear
    anew, 8G CAT, 9G ON, neutral TD, start left, neutral TD, start left, 10G A
    -> lacks = challenge_unclear
    anew, 8G CAT, 9G ON, neutral TD, why 2 challenge, start left, 10G A -> asks = challenge_unclear
    anew, 8G CAT, 9G ON, neutral, start left, neutral TD, start left, 10G A
    -> asks = challenge_unclear
    anew, 8G CAT, 9G ON, neutral TD, start left, neutral, start left, 10G A
    -> asks = challenge_unclear
tiles gone after a stop by the director are asked about | challenge.failed=lose_turn
    8G CAT, 9G ON, neutral TD, start left, 9G=. 7G=A -> asks = challenge_unclear
some tiles gone while the clock stood are asked about | challenge.failed=lose_turn
    8G CAT, 9G ON, neutral, start left, 9G=. 7G=A
    -> asks = challenge_unclear; says = was it challenged off?
    rule 2 challenge_upheld -> lacks = challenge_unclear
under points the number of words is asked only where the same clock runs on
    8G CAT, 9G ON, neutral, start left, 10G A -> asks = challenge_unclear
    anew, 8G CAT, 9G ON, neutral, 10G A -> lacks = challenge_unclear
    anew, 8G CAT, 9G ON, 10G A -> codes = -
nothing is asked once points were given, or the turn was ruled, or the stop was explained
    8G CAT, 9G ON, neutral, start left, bonus right 5, 10G A -> codes = -
    anew, 8G CAT, 9G ON, neutral, start left, rule 2 challenge_withdrawn, 10G A -> codes = -
    anew, 8G CAT, 9G ON, neutral, why 2 score, start left, 10G A -> codes = -
under loss of turn the other clock started means a challenge lost | challenge.failed=lose_turn
    8G CAT, 9G ON, neutral, - -> 3.kind = challenge_failed
    anew, 8G CAT, 9G ON, neutral, why 2 challenge, - -> 3.kind = challenge_failed
    anew, 8G CAT, 9G ON, neutral, why 2 score, - -> 3.kind = exchange_or_pass
a rack that changed tells of an exchange
    rack left ABCDEFG, -, 8G CAT, rack left GFEDCBA, 9G ON -> 1.kind = pass
    anew, rack left ABCDEFG, -, 8G CAT, rack left ABCDEFH, 9G ON
    -> 1.kind = exchange; 1.inferred = yes
    anew, rack left ABCDEFG, -, 8G CAT, rack left AABCDEF, 9G ON
    -> 1.kind = exchange; 1.inferred = yes
a rack known in part tells nothing
    rack left ABC, -, 8G CAT, rack left ABD, 9G ON -> 1.kind = exchange_or_pass
a rack is known for the player's own next turn and no longer
    rack right ABCDEFG, 8G CAT, 9G ON, 10G TO, 11G ON -> all.rack = None / ABCDEFG / None / None
somebody's word on a turn without tiles stands against the racks
    rack left ABCDEFG, -, rule 1 play, 8G CAT, rack left ABCDEFH, 9G ON
    -> 1.kind = exchange_or_pass; 1.inferred = no
    anew, rack left ABCDEFG, -, rule 1 pass, 8G CAT, rack left ABCDEFH, 9G ON
    -> 1.kind = pass; 1.inferred = no
a stop for the score does not end the game after six zeros | naspa-2017
    -, -, -, -, -, -, neutral -> status = ended
    anew, -, -, -, -, -, -, neutral, why 6 score -> status = running
    anew, -, -, -, -, -, -, neutral, why 6 six_zeros -> status = ended
only a play can be challenged in vain | challenge.failed=lose_turn
    8G CAT, -, neutral, - -> kinds = play exchange_or_pass exchange_or_pass
nobody challenges the own play | challenge.failed=lose_turn
    8G CAT, neutral, turn left, - -> kinds = play exchange_or_pass; asks = changed_out_of_turn
tiles taken off by their own player are asked of nobody
    8G CAT, neutral, turn left, 8G=. 8H=. 8I=.
    -> kinds = play exchange_or_pass; lacks = challenge_unclear
tiles gone and no clock started is upheld only where something was played
    8G CAT, 9G ON, neutral, 9G=. 9H=. 7G=A -> kinds = play challenge_upheld play
    anew, 8G CAT, 9G ON, neutral, 9G=. 9H=.
    -> kinds = play play exchange_or_pass; asks = challenge_unclear
the same under loss of turn | challenge.failed=lose_turn
    8G CAT, 9G ON, neutral, 9G=. 9H=. 7G=A -> kinds = play challenge_upheld play
    anew, 8G CAT, 9G ON, neutral, 9G=. 9H=.
    -> kinds = play play exchange_or_pass; asks = challenge_unclear
a tile that only somebody said lies there, and the camera never read, is not taken for gone
    8G CAT, -, correct 2 9H=O, 7G A -> kinds = play play play; codes = -; board = 9H=O
    anew, 8G CAT, -, correct 2 9H=O, neutral, start right, 7G A
    -> kinds = play play play; codes = -; board = 9H=O
the first play of all is challenged off
    8G CAT, neutral, start right, 8G=. 8H=. 8I=. 8D=D 8E=O 8F=G 8H=S
    -> kinds = challenge_upheld play; scores = 0 9
a turn in which tiles were played was not lost by a challenge | challenge.failed=lose_turn
    8G CAT, 9G ON, neutral, 10G A -> kind = play; ruling = None; inferred = no
tiles misread as gone and corrected were not challenged off
    8G CAT, 9G ON, 9G=. 9H=. -> asks = challenge_unclear
    correct 3 9G=O, correct 3 9H=N -> kinds = play play exchange_or_pass; codes = -
    anew, 8G CAT, 9G ON, neutral, start left, 9G=. 9H=. 7G=A -> 2.kind = challenge_upheld
    correct 3 9G=O, correct 3 9H=N -> kinds = play play play
    anew, 8G CAT, 9G ON, neutral, start right, 9G=. 9H=. 7G=A -> 2.kind = challenge_upheld
    correct 3 9G=O, correct 3 9H=N -> kinds = play play play
more tiles gone than those of the play is no challenge
    8G CAT, 9G ON, neutral, start left, 9G=. 9H=. 8I=. 7G=A
    -> 1.kind = play; 2.kind = play; asks = challenge_unclear
"""


@pytest.mark.parametrize("script", scripts(GAMES))
def test_what_a_turn_was(script):
    follow(script)
