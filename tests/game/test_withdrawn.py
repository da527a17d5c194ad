"""Plays taken back or challenged off, and what clock, board and racks tell of a turn."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from game.board import CENTRE, EMPTY, SQUARES, Board, Square
from game.errors import TilewatchError
from game.events import BoardSeen, PicturesLost, SquareCorrected, TurnRuled, TurnSeen
from game.plays.change import compare
from game.plays.play import find_play
from game.plays.score import score_play
from game.referee.turn import Turn
from game.state.fold import GameState, play_was_moved

from .gamekit import SECOND, Table, codes, random_play
from .scriptkit import after, follow, scripts

GAMES = """
the same play by the opponent may be challenged off too
    8G CAT, rule 1 challenge_upheld, changed 1 8G=. 8H=. 8I=. -> codes = -
    8G CAT -> word = CAT
    rule 2 challenge_upheld, changed 2 8G=. 8H=. 8I=.
    -> codes = -; kinds = challenge_upheld challenge_upheld; words = CAT CAT
a withdrawn play that was never seen gone is not played again
    8G CAT, rule 1 challenge_upheld, -
    -> kind = exchange_or_pass; word = None; codes = withdrawn_left
a play ruled off that lies on is not the opponent's once another has gone
    8G CAT, 9G ON, rule 2 challenge_upheld, 7G=A, rule 3 challenge_upheld, 7G=.
    -> kind = exchange_or_pass; word = None; codes = withdrawn_left
two plays ruled off at once of which one lies on are nobody's
    8G CAT, 9G ON, 7G=A, rule 2 challenge_upheld, rule 3 challenge_upheld, 7G=.
    -> kind = exchange_or_pass; word = None; codes = withdrawn_left
tiles that were seen to lie on are no part of a play beside them
    8G CAT, 9G ON, rule 2 challenge_upheld, -, 9I=E
    -> word = .E; tiles = 9I=E; codes = withdrawn_left
tiles that a play needs are played anew though they were seen to lie on
    8G CAT, 9G ON, rule 2 challenge_upheld, -, 9F=T 9I=E
    -> word = TONE; flags = withdrawn_left(9G 9H)
a tile that was knocked before its play was ruled off is nobody's
    8G CAT, 9G ON, 7G=A 9H=. 10H=N, rule 2 challenge_upheld
    -> kind = play; word = A.; flags = withdrawn_left(10H)
    - -> flags = withdrawn_left(9G 10H); sides = right
    9G=. 10H=. -> codes = -
a tile that was knocked in a turn without a play is nobody's
    8G CAT, 9G ON, 9H=. 9I=N, rule 2 challenge_upheld
    -> kind = exchange_or_pass; word = None; codes = withdrawn_left
the answer is a play though the ruling on the one before is entered late
    8G CAT, 9G ON, 9G=N 9H=O, rule 2 challenge_upheld -> kind = play; word = NO; codes = -
a tile that was knocked once its play was ruled off is no part of the next
    8G CAT, 9G ON, rule 2 challenge_upheld, 7G=A 9H=. 10H=N
    -> word = A.; flags = withdrawn_left(9G 10H)
a tile far from where one of the play ruled off lay is played
    8D CATER, 9D ON, 9E=. 8I=N, rule 2 challenge_upheld
    -> kind = play; word = .....N; codes = -
a single tile of a play ruled off that was never seen gone is worth a question
    8G CAT, 8F S, rule 2 challenge_upheld, 8J=S -> word = S...S; codes = withdrawn_left
a tile of the same letter is played though another of the play ruled off lies there
    8G CAT, 9G ON, rule 2 challenge_upheld, 9H=. 9I=N -> word = .N; codes = withdrawn_left
a correction goes with the play that was challenged off
    8G CAT, correct 1 8G=B, rule 1 challenge_upheld, 8G=C 8H=O 8I=T -> word = COT
a correction elsewhere outlives a play that was challenged off: the camera goes on reading B
    8G BAT, correct 1 8G=C, 9G ON, rule 2 challenge_upheld, 9G=. 9H=. 7G=A
    -> kind = play; codes = -; board = 8G=C
a withdrawn play is laid at the door of whoever made it for as long as it lies there
    8G CAT, 9G ON, rule 2 challenge_upheld, - -> flags = withdrawn_left(9G 9H); sides = right
    - -> flags = withdrawn_left(9G 9H); sides = right
a tile only told of, which the camera never sees, goes with the play that is challenged off late
    8G CAT, 9G=O, correct 2 9H=N, -, rule 2 challenge_upheld, 9G=. 7G=A
    -> kinds = play challenge_upheld exchange_or_pass play; board = 9H=.
a turn that never was scores nothing
    8G CAT, rule 1 undone -> score = 0; total = 0; bingo = 0; tiles = -
a tile that may be anew is asked about though another tile is left
    8G CAT, 9G ON, rule 2 challenge_upheld, 7G=A 6G=B, rule 3 challenge_upheld, 6G=. 9G=.
    -> tiles = 7G=A; flags = withdrawn_left(9H) withdrawn_left(7G)
    -> says = do not count; 4.says = Were they left there?
a tile that passed for a knocked one counts once somebody says that it lay there
    8G CAT, 6H ON, 6I=. 7I=N, rule 2 challenge_upheld -> tiles = -; flags = withdrawn_left(7I)
    correct 3 7I=N -> tiles = 7I=N
what is laid where somebody said that nothing had lain is played
    8G CAT, 8J=S, correct 2 8J=., - -> tiles = -
    8J=. -> tiles = -
    8J=S -> tiles = 8J=S
a withdrawn play gives its tiles back
    8D ABCDEFG -> bag = 79; racks = 7 7
    rule 1 challenge_upheld -> bag = 86; racks = 7 7
a withdrawal that nobody ruled is seen for what it is
    8G CAT, 8G=. 8H=. 8I=.
    -> codes = tile_removed challenge_unclear; says = was it withdrawn after a challenge?
    rule 1 challenge_upheld -> codes = -
a missed tile does not come back after its play was withdrawn
    8G=C 8I=T, correct 1 8H=A, rule 1 challenge_upheld, 8G=. 8I=.
    -> kind = exchange_or_pass; board = 8G=. 8H=. 8I=.
nor where the withdrawal is ruled a turn later
    8G=C 8I=T, correct 1 8H=A, 9H ON, rule 1 challenge_upheld, 8G=. 8I=. 10H=T
    -> word = .T; tiles = 10H=T

a play on the squares of one that was seen taken off, whose first letter is the same
    8G CAT, 9G ONE, neutral, board 2 9G=. 9H=. 9I=. -> codes = challenge_unclear
    start left -> codes = challenge_unclear
    9G=O 9H=X -> kinds = play challenge_upheld play; 2.inferred = yes; tiles = 9G=O 9H=X
    -> all.codes = - / - / -; scores = 34 0
without having seen it taken off there is a question
    8G CAT, 9G ONE, neutral, start left, 9G=O 9H=X 9I=.
    -> kinds = play play exchange_or_pass; asks = tile_replaced challenge_unclear
some of the new letters may be those that lay there
    8G CAT, 9G ONE, neutral, board 2 9G=. 9H=. 9I=., start left, 9G=O 9H=N 9I=S
    -> kinds = play challenge_upheld play; tiles = 9G=O 9H=N 9I=S; codes = -
tiles that were seen put back were not challenged off
    8G CAT, 9G ONE, neutral, board 2 9G=. 9H=. 9I=., board 2 9G=O 9H=N 9I=E -> codes = -
    start left, 10G A -> kinds = play play play; tiles = 10G=A
tiles that were put back unseen are asked about | naspa-2017
    8G CAT, 9G ONE, neutral, board 2 9G=. 9H=. 9I=., start left, 9G=O 9H=N 9I=E 10G=A
    -> kinds = play play play; codes = challenge_unclear; says = was it challenged off?
another tile that is gone with the next turn is no challenge
    8G CAT, 9G ONE, neutral, board 2 9G=. 9H=. 9I=., start left, 9G=O 9H=X 8G=. -> 2.kind = play
a director may say otherwise of a stop and take that back
    8G CAT, 9G ONE, neutral, board 2 9G=. 9H=. 9I=., start left, 9G=O 9H=X, keep, why 2 score
    -> 2.kind = play
    retract -1 -> kept = yes; 2.kind = challenge_upheld
    rule 2 play -> 2.kind = play
    retract -1 -> kept = yes; 2.kind = challenge_upheld
a ruling before the next turn stands
    8G CAT, 9G ONE, neutral, board 2 9G=. 9H=. 9I=., rule 2 challenge_upheld, start left
    9G=O 9H=N 9I=E
    -> kinds = play challenge_upheld play; tiles = 9G=O 9H=N 9I=E; codes = -
an opening that is challenged off
    8D ZZXQJKV, neutral, board 1 8D=. 8E=. 8F=. 8G=. 8H=. 8I=. 8J=., start right, 8F HOUR
    -> kinds = challenge_upheld play; codes = -; score = 14; scores = 0 14
a stop that ended the turn is one too | sanspa-2001
    8G CAT, stop 9G ONE, board 2 9G=. 9H=. 9I=., start left, 9G=O 9H=X
    -> kinds = play challenge_upheld play
a play seen taken off is not asked about once somebody has said what the stop was for
    8G CAT, 9G ONE, neutral, rule 2 play, board 2 9G=. 9H=. 9I=. -> 2.codes = -
    anew, 8G CAT, 9G ONE, neutral, why 2 score, board 2 9G=. 9H=. 9I=. -> 2.codes = -
tiles that are put back swapped were not challenged off, lifted or not
    8G CAT, 9G ONE, neutral, start left, 9G=N 9H=E 9I=O 7G=A
    -> 1.kind = play; 2.kind = play; asks = challenge_unclear; tiles = 7G=A
    anew, 8G CAT, 9G ONE, neutral, board 2 9G=. 9H=. 9I=., board 2 9G=N 9H=E 9I=O, start left, 7G=A
    -> 1.kind = play; 2.kind = play; asks = challenge_unclear; tiles = 7G=A
swapped tiles are asked about where a challenge in vain costs the turn, too | naspa-2017
    8G CAT, neutral, start right, 8G=T 8I=C 9H=D
    -> kinds = play play; 2.codes = tile_moved tile_moved challenge_unclear; tiles = 9H=D
    anew, 8G CAT, neutral, why 1 score, start right, 8G=T 8I=C 9H=D
    -> kinds = play play; 2.codes = tile_moved tile_moved

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
def test_what_comes_of_a_play_that_came_off(script):
    follow(script)


PHONEY = "8G CAT, 9G ONE, neutral"
"""CAT stands; right's ONE under it is a phoney, and the clock is stopped."""
OFF = ("9G=.", "9H=.", "9I=.")


def board(table: Table, *changes: str) -> Board:
    pairs = [change.split("=") for change in changes]
    return table.board.replace({Square.parse(s): t for s, t in pairs})


@pytest.mark.parametrize(
    "changes", [("9G=.",), ("9G=.", "9H=."), (*OFF, "8I=."), (*OFF, "9J=X"), ("9G=~", *OFF[1:])]
)
def test_what_is_not_the_whole_play_and_no_more_tells_nothing(changes):
    table = after(PHONEY)
    assert not play_was_moved(table.state, board(table, *changes))
    table = after(f"{PHONEY}, board 2 {' '.join(changes)}, start left")
    table.see(board(after(PHONEY), "9G=O", "9H=X", "9I=."))
    assert table.state.turns[1].kind == "play"


def test_a_hand_over_some_of_the_tiles_afterwards_takes_nothing_back():
    assert after(f"{PHONEY}, board 2 9G=. 9H=. 9I=., board 2 9G=~").state.play_off


def test_it_is_news_once_the_clock_was_stopped_and_only_once():
    off = board(after("8G CAT, 9G ONE"), *OFF)
    there = after(PHONEY).board
    for steps, (seen, moved) in (
        ("8G CAT, 9G ONE", (off, False)),
        (PHONEY, (off, True)),
        (PHONEY, (there, False)),
        (f"{PHONEY}, board 2 9G=. 9H=. 9I=.", (off, False)),
        (f"{PHONEY}, board 2 9G=. 9H=. 9I=.", (there, True)),
        (f"{PHONEY}, board 2 9G=. 9H=. 9I=., start left", (there, True)),
        (f"{PHONEY}, start left, 10G A", (there, False)),
    ):
        assert play_was_moved(after(steps).state, seen) == moved, steps


def test_a_board_is_seen_after_the_last_turn_of_a_game_that_goes_on():
    table = after(PHONEY)
    for turn in (1, 3):
        with pytest.raises(TilewatchError, match="is not the last one seen"):
            table.put(BoardSeen(turn, Board.empty().rows, 0, {}, 0))
    with pytest.raises(TilewatchError, match="a board has 15 rows"):
        table.put(BoardSeen(2, (EMPTY * 15,), 0, {}, 0))
    table.end()
    with pytest.raises(TilewatchError, match="the game was ended"):
        table.put(BoardSeen(2, Board.empty().rows, 0, {}, 0))


LETTERS = "AEIONRT"
"""Few, so that tiles are often of the same letter."""


@dataclass
class Truth:
    """A game as it is played, beside what the table makes of it."""

    rng: random.Random
    table: Table = field(default_factory=Table)
    board: Board = field(default_factory=Board.empty)
    """The board as it counts."""
    lying: dict[Square, int] = field(default_factory=dict)
    """The tiles of plays that are no good, and the turn in which each is taken off."""
    rulings: list[tuple[int, int]] = field(default_factory=list)
    """After which turn it is ruled that which turn was no good."""
    turns: list[tuple[str, int, dict[str, str]]] = field(default_factory=list)
    """The kind, the score and the tiles of each turn."""

    def turn(self, number: int) -> None:
        """Tidy up, play, and press; then enter what is due."""
        seen = self._tidied(number, self.table.board)
        tiles = self._play(seen)
        no_good = bool(tiles) and bool(self.board.symbols) and self.rng.random() < 0.4
        score = 0
        if no_good:
            due = number + self.rng.choice((0, 0, 0, 1, 2))
            self.rulings.append((max([due, *(after for after, _ in self.rulings)]), number))
            off = number + 1 + self.rng.choice((0, 0, 0, 1, 2, 3))
            self.lying |= {square: off + self.rng.choice((0, 0, 0, 0, 2)) for square in tiles}
        elif tiles:
            after = self.board.replace(tiles)
            play = find_play(compare(self.board, after))
            rulebook = self.table.state.rulebook
            score = score_play(after, play, self.table.state.tile_set, rulebook).total
            self.board = after
        kind = "challenge_upheld" if no_good else "play" if tiles else "exchange_or_pass"
        self.turns.append((kind, score, {square.name: tile for square, tile in tiles.items()}))
        self.table.see(seen.replace(tiles))
        self.enter(number)

    def enter(self, number: int) -> None:
        """Enter the rulings that are due after a turn."""
        for due in [one for one in self.rulings if one[0] <= number]:
            self.rulings.remove(due)
            self.answer(due[1])
            ruling = TurnRuled(due[1], "challenge_upheld", "TD", "", self.table.now)
            self.table.put(ruling)

    def answer(self, last: int) -> None:
        """Say what lay on each square that the turns so far are flagged for and do not have so.

        A camera cannot tell a tile that was put down anew from one of the same letter that was
        left, or knocked there.
        """
        for number, (_, _, tiles) in enumerate(self.turns[:last], start=1):
            turn = self.table.state.turns[number - 1]
            for square in sorted(name for name, _ in turn.tiles.items() ^ tiles.items()):
                assert square in flagged(turn)
                symbol = tiles.get(square, EMPTY)
                self.table.put(SquareCorrected(number, square, symbol, "TD", "", self.table.now))

    def _tidied(self, number: int, seen: Board) -> Board:
        """Take off what is to go by this turn, and knock some of the rest to a free place near."""
        for square, off in list(self.lying.items()):
            if off <= number:
                seen = seen.replace({square: EMPTY})
                del self.lying[square]
            elif self.rng.random() < 0.06:
                others = seen.replace({square: EMPTY})
                free = [s for s in SQUARES if not any(others[t] != EMPTY for t in around(s))]
                near = sorted(free, key=lambda s: abs(s.row - square.row) + abs(s.col - square.col))
                target = self.rng.choice(near[:4])
                seen = others.replace({target: seen[square]})
                self.lying[target] = self.lying.pop(square)
        return seen

    def _play(self, seen: Board) -> dict[Square, str]:
        """A play by the rules, apart from tiles that are no good; none now and then."""
        for _ in range(50 if self.rng.random() < 0.9 else 0):
            squares = random_play(self.rng, seen, self.rng.randint(1, 4)) or []
            tiles = {square: self.rng.choice(LETTERS) for square in squares}
            joined = any(map(self.board.touches, tiles)) if self.board.symbols else CENTRE in tiles
            apart = not any(other in self.lying for square in tiles for other in around(square))
            other = all(self.table.board[square] != tile for square, tile in tiles.items())
            if tiles and joined and apart and other:
                return tiles
        return {}


def around(square: Square) -> list[Square]:
    """The squares of which a tile would touch one there, or nearly, and the square itself."""
    steps = [(down, right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    steps += [(-2, 0), (2, 0), (0, -2), (0, 2)]
    near = [Square(square.row + down, square.col + right) for down, right in steps]
    return [one for one in near if one.on_board]


def flagged(turn: Turn) -> set[str]:
    """The squares that the flags of a turn are about."""
    return {square for flag in turn.flags for square in flag.squares}


def wrong(truth: Truth, state: GameState) -> list[tuple[Turn, set[str]]]:
    """The turns that are not as they were played, and the squares of which that is so."""
    return [
        (turn, {square for square, _ in turn.tiles.items() ^ tiles.items()})
        for turn, (kind, score, tiles) in zip(state.turns, truth.turns, strict=True)
        if (turn.kind, turn.score, turn.tiles) != (kind, score, tiles)
    ]


@given(st.integers(0, 10**9))
@example(765)  # a tile of one withdrawn play is left, and one of the play before it lies there, too
@example(1956)  # a tile is laid where somebody said that none had lain
@example(4317)  # a tile is laid near where one of the same letter was taken off
def test_tiles_of_plays_ruled_off_are_nobody_s_or_are_flagged(seed):
    truth = Truth(random.Random(seed))
    for number in range(1, 9):
        truth.turn(number)
        if truth.table.state.status != "running":
            break
    truth.enter(99)
    state = truth.table.state
    for turn, squares in wrong(truth, state)[:1]:  # what follows a wrong turn follows from it
        assert squares & flagged(turn) if squares else turn.flags


def test_the_taking_off_of_an_illegal_play_holds_if_the_next_turn_was_made_unseen() -> None:
    """Nobody pressed after the next turn, nor saw it end: it may have ended after the ruling."""
    table = after("8G CAT, 1A DOG, 9H S", "naspa-2017")
    ended_ns, ruled_ns = table.now, table.now + 3 * SECOND
    table.put(TurnRuled(2, "illegal_play", "TD", "test", ruled_ns))
    off = dict.fromkeys(map(Square.parse, ("1A", "1B", "1C")), EMPTY)
    board = table.board.replace({**off, Square.parse("9I"): "O"})
    gap = PicturesLost(ruled_ns + SECOND, ruled_ns + 31 * SECOND)
    seen = TurnSeen("right", ended_ns, board.rows, ended="opponent_placed", lost=(gap,))
    table.put(seen)
    assert table.state.turns[1].kind == "illegal_play"
    assert "tile_removed" not in codes(table.state.turns[-1])
    assert table.state.position.withdrawn == {}
