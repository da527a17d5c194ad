"""The picture of a turn that the board alone has shown to end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from game.board import EMPTY, UNREADABLE, Board, Square, is_tile
from game.events import GameStarted, TurnSeen
from game.state.fold import fold
from sensors.interfaces import Frame
from vision.tracking.board_watch import BoardWatch, _Seen
from vision.tracking.new_tiles import PlacedTile, Position
from vision.tracking.observer import BoardObserver
from vision.tracking.open_tiles import EndedPlay, OpenTiles
from vision.tracking.stillness import StillnessTracker
from vision.tracking.turn_ends import BoardTurn

HANDS = {"left": "bottom", "right": "top"}
PLAYERS = {"left": "Ann", "right": "Bob"}
START = GameStarted("game", PLAYERS, "wespa-2021", "english", None, 0, hands=HANDS)
S = 1_000_000_000

PLAY = {Square.parse(f"{row}I"): symbol for row, symbol in zip(range(9, 15), "OEDSAB", strict=True)}
ANSWER = Square.parse("10J")


def under_hand(first: int, last: int) -> dict[Square, str]:
    rows = range(first, last + 1)
    return {Square.parse(f"{row}{column}"): UNREADABLE for row in rows for column in "GHI"}


def test_a_tile_under_a_hand_is_taken_from_a_view_that_shows_other_turns_too(bench, drawn, put):
    """No view shows the whole play; one is older than the turn before and shows the answer."""
    cat = put("8G", "CAT")
    answered = cat.replace(PLAY).replace({ANSWER: "X"})
    last, first = under_hand(14, 15), under_hand(8, 10)  # each hides a square beside it, too
    observer = BoardObserver(bench.reader)
    looks = []
    for at, board in enumerate((cat, answered.replace(last), answered.replace(first))):
        image = drawn(board, seed=at)
        bench.reader.teach(image, board)
        looks.append(observer.observe([Frame(image, at * S, at)]))
    before, older, newest = looks
    observer.commit(observer.update(before, 1))

    watch = BoardWatch(HANDS, observer, StillnessTracker(observer))
    for look, turns in ((older, 0), (newest, 1)):
        seen = Board.from_rows(observer.update(look, 2).merged.rows)
        watch._seen.append(
            _Seen(look, frozenset(s for s in seen.tiles() if is_tile(seen[s])), 12, turns)
        )
    state = fold([START, TurnSeen("left", 1, cat.rows, ended="opponent_placed")])
    others = frozenset({ANSWER})
    turn = BoardTurn("right", frozenset(PLAY), 1, "opponent_placed", others=others)
    seen = watch._seen_turn(state, turn)
    shown = {
        square: seen.sighting.merged.rows[square.row][square.col] for square in (*PLAY, ANSWER)
    }
    assert shown == {**PLAY, ANSWER: EMPTY}
    assert not seen.doubt
    assert seen.question is None


def test_what_came_around_the_board_with_a_push_is_known_once_it_is_sure_to_be_no_hand(
    bench, drawn, put, grid
):
    board = put("8G", "CAT")
    observer = BoardObserver(bench.reader)
    tracker = StillnessTracker(observer)
    watch = BoardWatch(HANDS, observer, tracker)
    state = fold([START, TurnSeen("left", 1, board.rows, ended="opponent_placed")])

    def show(at: int, right: int) -> None:
        image = np.roll(drawn(board, seed=at), right, axis=1)
        if right:
            image[:, :right] = (30, 40, 200)  # the side of the box that the board lies on
        bench.reader.teach(image, board)
        key = bench.reader._key(image)
        corners = grid + np.float32([right, 0])
        bench.reader.taught[key] = replace(bench.reader.taught[key], corners=corners)
        frame = Frame(image, at * S // 10, at)
        tracker.add(frame, None)
        watch.add(frame)
        tracker.observe_ahead(frame.t_ns)
        watch.look(state)

    lay = []
    for at in range(20):
        show(at, 0 if at < 6 else 16)
        plain = watch._hands._plain
        lay.append(None if plain is None else int(plain[1][0, 0] - grid[0, 0]))
    assert (lay[5], lay[19]) == (0, 16)
    assert lay[9] == 0  # the board has been read there, and a hand may have come in


def test_a_tile_that_a_turn_lost_is_added_to_it_as_soon_as_it_is_seen():
    late = Square.parse("8J")
    position = Position(Board.empty(), "left", 7)
    for counted in (True, False):
        open_tiles = OpenTiles()
        cat = {
            Square.parse(f"8{column}"): symbol for column, symbol in zip("GHI", "CAT", strict=True)
        }
        play = {**cat, late: "S"} if counted else cat
        open_tiles.ended.appendleft(EndedPlay(position, "left", play, 1))
        open_tiles.late[late] = PlacedTile("S", frozenset(), 0, 1)
        found = open_tiles.completed()
        assert (found is not None and dict(found.tiles) == {late: "S"}) == counted
