"""Turns told from the board alone, by scripted views.

A script is steps between semicolons. ``L 8G=C`` lays a tile at which a hand was seen, and shows the
board: L is the left player's, R the right one's, B both, N nobody's. ``L~ 8G=C`` shows it not yet.
``L@3 8G=C``: the square was last seen bare at second 3; ``L:3-9 8G=C`` came into sight at second 9,
and no time passes. ``see 4 -8G,8H`` shows the board 4 seconds later, but for what hides these
squares; ``at 12`` shows it at second 12. The other steps are methods of ``Script``. What comes out
is the turns, with ``?`` where one is asked about, and ``|`` behind those that had come by then.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game.board import Board, Square
from game.events import Side, other
from tests.vision.tracking.conftest import cases
from vision.tracking.board_turns import BoardTurns
from vision.tracking.new_tiles import PlacedTile, Position
from vision.tracking.open_tiles import BoardView

S = 1_000_000_000
HANDS = {
    "L": frozenset({"left"}),
    "R": frozenset({"right"}),
    "B": frozenset({"left", "right"}),
    "N": frozenset(),
}
CAT, OE = "8G=C 8H=A 8I=T", "9I=O 10I=E"
"""The first play, and an answer to it."""


def tiles_of(*words: str) -> dict[Square, str]:
    return {Square.parse(name): symbol for name, symbol in (word.split("=") for word in words)}


class Script:
    """Shows views, and takes the turns that end."""

    def __init__(self, steps: str = "") -> None:
        self.position, self.now = Position(Board.empty(), "left", 7), 0
        self.turns: list[tuple[Side, list[str], str, str | None]] = []
        self.marks: list[int] = []
        self.tiles: dict[Square, PlacedTile] = {}
        self.watch = BoardTurns()
        for step in steps.split(";") if steps else ():
            what, *words = step.split()
            if what[0] in HANDS:
                self.lay(what, tiles_of(*words))
            elif what == "|":
                self.marks.append(len(self.turns))
            else:
                getattr(self, what)(*words)

    def lay(self, how: str, tiles: dict[Square, str]) -> None:
        hands, when = HANDS[how[0]], how[1:].removeprefix("~")
        if when.startswith(":"):
            after, at = (int(float(second) * S) for second in when[1:].split("-"))
        else:
            self.now, at = self.now + S, self.now + S
            after = int(when[1:]) * S if when else self.now - S
        for square, symbol in tiles.items():
            self.tiles[square] = PlacedTile(symbol, hands, after, at)
        if how[1:2] not in ("~", ":"):
            self.see()

    def lift(self, *names: str) -> None:
        for name in names:
            del self.tiles[Square.parse(name)]
        self.see()

    def at(self, second: str) -> None:
        self.now = (int(second) - 1) * S
        self.see()

    def see(self, *words: str) -> None:
        hidden = [name for word in words if word[0] == "-" for name in word[1:].split(",")]
        self.now += int(float(next((word for word in words if word[0] != "-"), "1")) * S)
        unseen = frozenset(map(Square.parse, hidden))
        shown = {s: tile for s, tile in self.tiles.items() if s not in unseen}
        self._take(self.watch.see(BoardView(self.now, shown, unseen), self.position))
        late = self.watch.open.completed()
        if late is not None:
            self.board(*(f"{square.name}={symbol}" for square, symbol in late.tiles.items()))
            for square in late.tiles:
                assert self.tiles.pop(square).symbol == late.tiles[square]
            play = {square.name for square in late.play}
            (names,) = (names for _, names, *_ in self.turns if play & set(names))
            names[:] = sorted([*names, *(square.name for square in late.tiles)])

    def turn(self, side: str) -> None:
        """Whose turn it is at the start: a side's, or ``nobody``'s."""
        self.position = replace(self.position, on_turn=None if side == "nobody" else side)

    def last(self, count: str) -> None:
        """The bag is empty, and whoever is on turn has so many tiles."""
        self.position = replace(self.position, last=int(count))

    def board(self, *words: str) -> None:
        """Tiles of earlier turns lie there."""
        board = self.position.board.replace(tiles_of(*words))
        self.position = replace(self.position, board=board)

    def end(self) -> None:
        self._take(self.watch.finish(self.position))

    def _take(self, turns) -> None:
        for turn in turns:
            placed = {square: self.tiles.pop(square).symbol for square in turn.tiles}
            board = self.position.board.replace(placed)
            self.position = replace(self.position, board=board, on_turn=other(turn.side))
            names = sorted(square.name for square in turn.tiles)
            self.turns.append((turn.side, names, turn.how, turn.doubt))

    def outcome(self) -> str:
        lines = [
            " ".join([side + "?" * bool(doubt), *names])
            + (f" ({how})" if how != "opponent_placed" else "")
            for side, names, how, doubt in self.turns
        ]
        for mark in reversed(self.marks):
            lines.insert(mark, "|")
        return "; ".join(lines)


ANSWERED = f"L:0-2 {CAT}; at 3; R:8-9 {OE}; at 10; at 12"
FIRST = "left 8G 8H 8I"
SCENES = f"""
a play ends when the opponent's hand has laid a tile that is no finger: it was seen twice
    L {CAT}; see 120; |; R 9I=O; |; see -> |; |; {FIRST}
a play that is taken back was none
    L {CAT}; lift 8G 8H 8I; L 8H=O 8I=X; R 9I=I; see -> left 8H 8I
tiles that cannot be seen stay
    L {CAT}; see -8G,8H,8I; R 9I=O; see -8G -> left 8G 8H 8I
a tile that fingers hid for a moment is still the player's
    L {CAT}; lift 8I; R:3-1 8I=T; see; R {OE}; see -> left 8G 8H 8I
a play whose hand was not seen between two of the opponent's is the player's
    L {CAT}; N 9I=O; N 10I=E; L 8J=S; R 9J=X; see; see -> {FIRST}; right 10I 9I; left 8J
a whole play at which only the opponent's hand was seen is asked about
    L {CAT}; L 7I=O 7J=E; N 8F=S; R 6J=X; see; end
    -> {FIRST}; right? 7I 7J; left? 8F; right 6J (watch_ended)
an exchange is asked about once also where one hand was not seen
    B 8G=C; L 8H=A 8I=T; L {OE}; R 10J=X; see
    -> {FIRST} (player_placed_again); right? (player_placed_again); left 10I 9I
hands part two plays of one line
    L {CAT}; R 8J=S; see; end -> {FIRST} (watch_ended); right 8J (watch_ended)
a second play of the same hand shows that the opponent passed
    L {CAT}; L {OE}; R 10J=X; see
    -> {FIRST} (player_placed_again); right? (player_placed_again); left 10I 9I
# By how they lie alone, it could be the play of the opponent, who has passed or exchanged.
the hand at a second play is believed where those before are parted by how they lie
    L {CAT}; R~ 7I=Z 9I=G; L~ 9H=E; L~ 9J=E; L~ 9K=E; L~ 9L=E; L~ 9M=E; L~ 9N=E; L~ 9O=E; L~ 2O=E;
    L~ 3O=E; L~ 4O=E; L~ 5O=E; L~ 6O=E; L~ 7O=E; L~ 8O=E; see; see; R 10L=O; see
    -> {FIRST}; right 7I 9I; left 9H 9J 9K 9L 9M 9N 9O; right? (player_placed_again);
    left 2O 3O 4O 5O 6O 7O 8O
a play out of turn shows a pass before it, and asks
    turn right; L {CAT}; R 9I=O; see -> right? (player_placed_again); {FIRST}
whoever lays first begins where nobody is known to
    turn nobody; R {CAT}; L 9I=O; see -> right 8G 8H 8I
plays of unseen hands are parted where that goes one way, and asked about
    N {CAT}; N 7J=O 8J=S 9J=O; see; see; |; end
    -> left? 8G 8H 8I; |; right? 7J 8J 9J (watch_ended)
an unseen hand is that of the player on turn if the opponent answers
    L {CAT}; R {OE}; B 10H=F 10J=D; see; R 11J=O 12J=G; see; see; see
    -> {FIRST}; right 10I 9I; left 10H 10J
the last play of a seen hand is not asked about if an unseen one was before it
    N {CAT}; R {OE}; end -> {FIRST} (watch_ended); right 10I 9I (watch_ended)
an unseen hand that the player on turn answers is asked about
    turn right; B {CAT}; R 7J=O 8J=S 9J=O; see; see; see -> right? 8G 8H 8I
a last play at which both hands were is that of the player on turn
    L {CAT}; B {OE}; end -> {FIRST} (watch_ended); right 10I 9I (watch_ended)
a last play at which no hand was seen is asked about
    L {CAT}; N {OE}; end -> {FIRST} (watch_ended); right? 10I 9I (watch_ended)
plays of unseen hands that came at once are one turn that is asked about
    N {CAT} {OE}; see; see; see; |; end -> |; left? 10I 8G 8H 8I 9I (watch_ended)
a tile of either hand goes where it makes two plays
    L 8G=C 8H=A; B@0 8I=T; R 9G=O 10G=W; see -> left 8G 8H 8I
# It fits the answer as well, of which nothing was there then.
a tile of an unseen hand that came with the player's own is the player's
    N~ 8J=S; L@0 {CAT}; see 4; R 9J=O 10J=W; see -> {FIRST} 8J
the last tiles need no answer
    last 3; L {CAT}; |; see 4 -> |; {FIRST} (played_out)
# A blank that could not be read before the opponent had answered.
a tile that is read late starts no turn of its own
    L {CAT}; R {OE}; see; L:0-2 8J=?; see; see; L 10J=X; see -> {FIRST} 8J; right 10I 9I
a tile that is read late and completes no play is asked about once
    L {CAT}; R {OE}; see; L:0-2 13M=?; see; L 10J=X; see 4; R 11J=I; see; see 10
    -> {FIRST}; right? 10I 9I; left 10J
# Else the play would be two, with a pass between them, and all turns after it shifted.
a hand that hovers beside the player on turn is not believed but asked about
    R 8G=C 8H=A; L 8I=T; see; R {OE}; see; |; L 10J=X; see -> left? 8G 8H 8I; |; right 10I 9I
a hovering hand at the next play is not believed where only plays by turns fit
    L {CAT}; R {OE}; R 10J=X 10G=A; L 10H=P; see; R 11G=B; see
    -> {FIRST}; right 10I 9I; left? 10G 10H 10J
# Else the play would be none, and the tile a turn of its own that shifts all the others.
a tile laid in the midst of a play is of that play, whoever's hand was seen
    L~ 8H=A 8K=S; R~ 8G=C; L 8I=T 8J=E; see; R {OE}; see; end
    -> {FIRST} 8J 8K; right 10I 9I (watch_ended)
# The opponent's arm was still over a part of it: else all turns after it would be shifted.
hands over two tiles of a long play show no turn without a play
    board 14H=H 14I=E 14J=U 14K=E 14L=N 14M=D 14N=E; L 12O=C 13O=E 14O=N 15O=T; see 4;
    R:6-12 7L=S 8L=T 9L=R 10L=E; B:6-12 11L=U; L:6-12 12L=N 13L=E; at 13;
    see 4 -9L,10L,11L,12L,13L; L@13 8M=A 8N=X 8O=I; see; see; end
    -> left 12O 13O 14O 15O; right? 10L 11L 12L 13L 7L 8L 9L; left 8M 8N 8O (watch_ended)
# Its square was hidden since before the opponent's play, and that hand was over it, too.
a tile that was hidden for long may be the last of a play
    board {CAT}; turn right; R:0-2 9I=E; R:6-8 10I=E; L:9-10 10K=E; L:11-11 10L=E; R:0-12 10J=E;
    at 13; see; end
    -> right? 10I 9I; left? 10J 10K 10L (watch_ended)
# Else it would be of the opponent's next play, which it fits as well.
a tile beside a resting hand is of the play that it came with
    L {CAT}; R 8J=S; see 1.25; see 1.25; see 1.25; see 1.25; R 9J=O 10J=E; see; see 10; end
    -> left? 8G 8H 8I 8J; right 10J 9J (watch_ended)
so it is after a minute's thought
    L {CAT}; R 8J=S; see 15; see 15; see 15; see 15; R 9J=O 10J=E; see; see 10; end
    -> left? 8G 8H 8I 8J; right 10J 9J (watch_ended)
# A resting hand covers a tile of a play; the opponent's covers one of the answer.
a tile under a hand until its answer has come makes none of the answer late
    L~ 8G=C 8I=T; see -8H; R~ 9I=O; R~ 11I=L; see -8H,9I,10I,11I; see -8H,9I,10I,11I;
    see -8H,9I,10I,11I; L:2-7 8H=A; see -10I; see -10I; |; R:3-4 10I=I; see; see; end
    -> {FIRST}; |; right 10I 11I 9I (watch_ended)
# It is no turn of the opponent's, who exchanged before the player's next play.
a tile whose hand was not seen is of the play that it came with
    L~@0 {CAT}; N:0-1 8J=S; see; see; L 7J=O 9J=E; see; R 9K=X; see; see
    -> {FIRST} 8J (player_placed_again); right? (player_placed_again); left 7J 9J
# Those that it was seen at lie in one line with the second, which has a whole rack. The answer
# shows that at once: nothing more is waited for.
two plays are parted although the hand was seen at few tiles of the first
    N~@0 {CAT} 8J=T 8K=L 8L=E; L:0-1 8M=S; see 4; L 9M=T 10M=A 11M=N 12M=D 13M=A 14M=R 15M=D;
    see 4; R 15L=A 15N=O; see
    -> left? 8G 8H 8I 8J 8K 8L 8M (player_placed_again); right? (player_placed_again);
    left? 10M 11M 12M 13M 14M 15M 9M
a play that came into sight amid its answer is one turn, and so is the answer
    L:0-2 {CAT}; at 3; B:10-11 9I=O; B:10-12 10I=E; at 12; L:13-14 11I=N; R:6-15.5 9G=G;
    R:5-16 7G=Z; at 17; at 19
    -> {FIRST}; right 7G 9G
a tile that was hidden when its play ended is added to it
    {ANSWERED}; L:1-14 8J=S; at 15; at 17; |; end -> {FIRST} 8J; |; right 10I 9I (watch_ended)
# The opponent's tile came to lie at any time of eight seconds, most of them before the play.
a play that may have come after the opponent's is asked about
    {ANSWERED}; L:17-18 10H=F; L:17.5-19.5 10J=D; R:11-20 8J=S; at 21; at 23; at 25
    -> {FIRST}; right 10I 9I; left? 10H 10J
# The opponent's tile came to lie at any time of ten seconds, most of them before the play.
the play on turn may have come after the opponent's
    board {CAT}; L:8-9 9I=O; L:9-10 10I=E; R:1-11.5 8J=S; at 12; at 14; at 16 -> left? 10I 9I
a tile that fits the answer too is not added to the play before
    L:0-2 {CAT}; at 3; R:8-9 9J=O 10J=E; at 10; at 12; N:1-14 8J=S; at 15; |; end
    -> {FIRST}; |; right 10J 8J 9J (watch_ended)
a late tile whose addition was taken back is not added again
    L {CAT}; R {OE}; see; L:0-2 8J=S; see; see; board 8J=.; N:0-7 8J=S; see; see; see; end
    -> {FIRST} 8J; right 10I 9I (watch_ended)
whoever may have begun is asked about where nobody was on turn
    turn nobody; L:0-9 {CAT}; R:3-9 6J=A 7J=X 8J=S; at 10; at 12; end
    -> left? 8G 8H 8I; right 6J 7J 8J (watch_ended)
whoever must have begun is not asked about
    turn nobody; L:0-9 {CAT}; R:3-9 7H=F 9H=R; at 10; at 12; end
    -> {FIRST}; right 7H 9H (watch_ended)
the end of the last play may be its answer
    B:0-2 {CAT}; B:0-5 8J=S; at 6; at 8; end -> left? 8G 8H 8I 8J (watch_ended)
"""


@pytest.mark.parametrize(("steps", "turns"), cases(SCENES))
def test_turns_are_told(steps, turns):
    assert Script(steps).outcome() == turns


@pytest.mark.parametrize(
    "steps",
    [
        f"L 8G=C 8H=A 8I=T; B@0 8J=S; R 9J=O 10J=W{'; see' * 12}",
        f"L:0-2 {CAT}; at 3; B:1-9 8J=S; R:5-9 9J=O 10J=W; at 10; at 12; at 14; at 24",
    ],
)
def test_a_tile_that_fits_both_plays_is_asked_about_and_goes_to_either(steps):
    ((side, names, how, doubt),) = Script(steps).turns
    assert (side, how, doubt is not None) == ("left", "opponent_placed", True)
    assert names in (["8G", "8H", "8I"], ["8G", "8H", "8I", "8J"])


def test_players_who_sit_the_other_way_round_are_asked_about_once_at_the_opening():
    passed, played = Script(f"R {CAT}; end").turns
    assert (passed[0], played[0], played[3]) == ("left", "right", None)
    assert "sit the other way round" in (passed[3] or "")


FULL = " ".join(f"{Square(row, col).name}=A" for row in range(3, 11) for col in range(3, 11))


@pytest.mark.parametrize(
    "steps", [*(f"{hands} 1A=X 8H=Y 15O=Z; end" for hands in "LNB"), f"N:0-60 {FULL}; at 61; end"]
)
def test_finishing_takes_every_tile_once_however_many_there_are(steps):
    """Also where a table is started amid a game: the ways to part so many tiles have no end."""
    script = Script(steps)
    assert not script.watch.open
    assert not script.tiles
    assert any(doubt for *_, doubt in script.turns)


PLAYS = ["8G=C 8H=A 8I=T", "9I=O 10I=E", "10H=F 10J=D", "11J=O 12J=G", "12I=A 12K=E", "12L=S"]
"""No play with its answer can be one play, but for the last two."""


@given(
    st.integers(2, len(PLAYS)),
    st.booleans(),
    st.lists(st.tuples(st.integers(0, 1), st.booleans(), st.integers(0, 2)), min_size=40),
)
def test_turns_come_out_however_they_are_seen(count, left_first, noise):
    """Each play by its own hand, tile by tile, some in no view of their own, some taken back.

    A tile may be hidden from before it is placed until the opponent has played. What then comes out
    otherwise is asked about, and no tile is lost.
    """
    side: Side = "left" if left_first else "right"
    script, due, dice = Script("turn nobody"), [], iter(noise)
    for play in PLAYS[:count]:
        for square, symbol in tiles_of(*play.split()).items():
            doubled, seen, hidden = next(dice)
            hand = side[0].upper()
            if doubled:
                script.lay(hand, {square: "Z"})
                if square in script.tiles:
                    script.lift(square.name)
            script.lay(hand if seen else f"{hand}~", {square: symbol})
            if hidden:
                script.see("-" + ",".join(one.name for one in list(script.tiles)[:hidden]))
        due.append((side, sorted(word.split("=")[0] for word in play.split())))
        side = other(side)
    script.see()
    script.end()
    came = [(who, names) for who, names, *_ in script.turns]
    asked = any(doubt for *_, doubt in script.turns)
    assert came == due or (asked and any(hidden for _, _, hidden in noise))
    assert came != due or not asked or any(hidden for _, _, hidden in noise)
    tiles, expected = ([name for _, names in turns for name in names] for turns in (came, due))
    assert sorted(tiles) == sorted(expected)


@given(
    st.lists(st.floats(0, 5), min_size=5, max_size=5),
    st.lists(st.booleans(), min_size=5, max_size=5),
    st.sampled_from(["left", "nobody"]),
)
def test_no_turn_is_wrong_without_a_question_however_long_hands_rest(rests, seen, on_turn):
    """Each play takes as many seconds as it has tiles, and its answer starts two seconds later.

    The hand rests over the play for a while, at most until the answer has been laid, and the
    other's may come over it, too.
    """
    script, due, now, side = Script(f"turn {on_turn}"), [], 1.0, "left"
    moves = []
    for play, rest, clear in zip(PLAYS[:5], rests, seen, strict=True):
        tiles = tiles_of(*play.split())
        began, ended = now, now + len(tiles)
        until = ended + 0.2 if clear else ended + rest
        moves.append((until, "B" if until > ended + 2 else side[0].upper(), began, tiles))
        due.append((side, sorted(square.name for square in tiles)))
        now, side = ended + 2, other(side)
    at = 1.0
    while at < now + 12:
        at += 1.5
        placed = {name for _, names, *_ in script.turns for name in names}
        for until, hands, began, tiles in moves:
            if began < at and until <= at:
                new = {square: s for square, s in tiles.items() if square.name not in placed}
                script.lay(f"{hands}:{began:.9f}-{until:.9f}", new)
        script.now = int((at - 1) * S)
        script.see()
    script.end()
    came = [(who, sorted(names)) for who, names, *_ in script.turns]
    assert came == due or any(doubt for *_, doubt in script.turns)
    assert sorted(n for _, names in came for n in names) == sorted(n for _, p in due for n in p)
