"""Who does what when: hands, tiles, presses and mishaps of a game before the camera."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

import numpy as np

from game.board import EMPTY, SIZE, Board, Square
from game.plays.play import is_play
from tools.film.hands import Hand
from tools.film.stage import Placed, Point, Stage, base_of
from tools.film.stills import Still, Stills, moved_on, relit
from vision.rectify import Image

_OUT_Y: Final = {"left": 21.0, "right": -6.0}
"""The place of fingertips, in squares from the top, while a hand is out of the picture."""
_OTHER: Final = {"left": "right", "right": "left"}
_EXCHANGEABLE: Final = 78
"""With so many tiles on the board the bag still holds enough for an exchange."""

Inserted = Literal["challenge_upheld", "exchange_or_pass"]


@dataclass
class TurnRecord:
    """The truth of one turn."""

    still: int
    side: str
    kind: Inserted | None = None
    """Its kind, if it is none of the source's own turns."""
    press_ms: int | None = None
    placed_ms: dict[str, int] = field(default_factory=dict)
    removed_ms: dict[str, int] = field(default_factory=dict)
    elsewhere: dict[str, list[int]] = field(default_factory=dict)
    """Squares on which a tile lay for a while, and was taken back: when it came and went."""
    covered_at_press: list[str] = field(default_factory=list)
    after_press_ms: dict[str, int] = field(default_factory=dict)
    """The squares whose tile was laid only after the press, and when."""
    at_press: dict[str, str] = field(default_factory=dict)
    """The tiles of its play at the press, if not all of them lay there then; else empty."""
    notes: list[str] = field(default_factory=list)


class Choreography:
    """Plays the stills of one game on a stage."""

    def __init__(self, stills: Stills, stage: Stage, hands: list[Hand], rng: random.Random) -> None:
        self._stage, self._grid, self._rng = stage, stills.grid, rng
        self._stills = stills
        self._variant = stage.variant
        order = [hand if rng.random() < 0.5 else hand.mirrored() for hand in hands]
        rng.shuffle(order)
        self._hands = {
            side: [_toned(hand, rng) for hand in order[at::2] or order]
            for at, side in enumerate(("left", "right"))
        }
        self.presses: list[tuple[int, str]] = []
        self.turns: list[TurnRecord] = []
        self._leaving: str | None = None
        """The hand that still rests on the board from the turn before."""

    def play(self) -> None:
        """Play the whole game."""
        stage = self._stage
        stage.board = self._stills.empty
        stage.run(3000)
        self.presses.append((round(stage.t_ms - 400), self._stills.start.button))
        for number, still in enumerate(self._stills.stills):
            self._turn(number, still)
        self._leave()
        stage.run(3500)

    # --- one turn ---

    def _turn(self, number: int, still: Still) -> None:
        stage, variant, rng = self._stage, self._variant, self._rng
        sides = [press.button for press in still.presses if press.button != "neutral"]
        side = sides[0] if sides else _OTHER[self.turns[-1].side] if self.turns else "left"
        if variant.challenged_off and rng.random() < 0.35:
            self._challenge_off(number, still, side)
        turn = TurnRecord(number, side)
        self.turns.append(turn)
        calm = not (variant.hurried or variant.early)
        stage.run(rng.uniform(1200, 2600) if calm else rng.uniform(150, 500))
        if variant.capped and rng.random() < 0.35:
            self._cap()
            turn.notes.append("capped before the play")
        squares = list(still.placed)
        if still.placed or still.removed:
            self._enter(side, squares[0] if squares else still.removed[0])
            if variant.two_hands:
                self._hover(_OTHER[side], squares)
            self._relight(still, squares)
            new = relit(still.image, stage.board, squares, self._grid)
            for square in still.removed:
                self._reach(side, square)
                turn.removed_ms[square.name] = self._set(square, still.image)
            if variant.withdrawn and squares and rng.random() < 0.6:
                self._withdraw(side, turn, squares, new)
            late = self._late_tile(still)
            self._place(side, turn, [one for one in squares if one != late], new)
            if variant.two_hands:
                self._retreat(_OTHER[side], 350)
            self._end(turn, still, number)
            if late is not None:
                self._lay_late(turn, still, late, new)
            return
        self._end(turn, still, number)

    def _end(self, turn: TurnRecord, still: Still, number: int) -> None:
        """Take the hand away and press, in the order that the variant has it."""
        stage, variant, rng, side = self._stage, self._variant, self._rng, turn.side
        busy = side in stage.hands
        if self._leaving is not None:
            self._leave()
        if variant.early and busy:
            out = self._out(side, stage.hands[side].tip)
            way = stage.hands[side].tip + (out - stage.hands[side].tip) * 0.3
            stage.move(side, way, 150)
            self._press_all(turn, still)
            stage.run(rng.uniform(150, 700))
            self._retreat(side, 400)
        elif variant.resting and busy:
            self._rest(turn, number)
            stage.run(rng.uniform(700, 1500))
            self._press_all(turn, still)
            self._leaving = side
        elif variant.hurried:
            if busy:
                self._retreat(side, 350)
            self._press_all(turn, still)
        else:
            if busy:
                self._retreat(side, 450)
            stage.run(rng.uniform(500, 1700))
            self._press_all(turn, still)
        if variant.challenged and still.placed and rng.random() < 0.35:
            self._challenge(turn, still)
        if variant.turning:
            self._turn_board()

    def _press_all(self, turn: TurnRecord, still: Still) -> None:
        stage = self._stage
        if self._forgets(turn, still):
            turn.notes.append("forgot to press")
            return
        late = self.turns[-2] if len(self.turns) > 1 else None
        if late is not None and late.press_ms is None and self._rng.random() < 0.4:
            late.press_ms = round(stage.t_ms)
            late.notes.append("pressed after the next play")
            self.presses.append((late.press_ms, late.side))
            stage.run(900)
        for at, press in enumerate(still.presses):
            if at:
                stage.run(1400)
            t_ms = round(stage.t_ms)
            self.presses.append((t_ms, press.button))
            if turn.press_ms is None and press.button == turn.side:
                turn.press_ms = t_ms
                turn.covered_at_press = self._covered()
        if turn.press_ms is None:
            turn.press_ms = round(stage.t_ms)

    def _forgets(self, turn: TurnRecord, still: Still) -> bool:
        """True if nobody presses for this turn, and the game goes on all the same."""
        number, stills = turn.still, self._stills.stills
        if not self._variant.forgotten or number + 1 >= len(stills):
            return False
        following = stills[number + 1]
        plays = still.placed and following.placed and not still.removed and not following.removed
        pressed = [press.button for press in still.presses]
        before = self.turns[-2].press_ms is not None if len(self.turns) > 1 else True
        return bool(plays) and pressed == [turn.side] and before and self._rng.random() < 0.4

    # --- tiles ---

    def _place(self, side: str, turn: TurnRecord, squares: list[Square], new: Image) -> None:
        rng, variant = self._rng, self._variant
        order = rng.sample(squares, len(squares)) if rng.random() < 0.5 else sorted(squares)
        if variant.shuffled and len(order) > 1:
            wrong = dict(zip(order, order[1:] + order[:1], strict=True))
            for square, target in wrong.items():
                self._reach(side, target)
                came = self._set(target, self._grid.moved(new, square, target))
                turn.elsewhere[target.name] = [came, came]
            self._stage.run(rng.uniform(200, 900))
        for at, square in enumerate(order):
            self._reach(side, square)
            now = self._set(square, new)
            if square.name in turn.elsewhere:
                turn.elsewhere[square.name][1] = now
            turn.placed_ms[square.name] = now
            if variant.nudged and at == len(order) // 2 and rng.random() < 0.7:
                self._nudge(turn)
            if rng.random() < 0.2:
                self._stage.run(rng.choice((300, 600)))
        self._stage.run(150)

    def _late_tile(self, still: Still) -> Square | None:
        """Return the tile that comes only after the press; None if all come before it."""
        plain = len(still.presses) == 1 and not still.removed
        if not (self._variant.late_tile and plain and self._rng.random() < 0.4):
            return None
        board, last = self._before(still), max(still.placed)
        rest = {square: symbol for square, symbol in still.placed.items() if square != last}
        whole = is_play(board, still.placed, len(still.placed))
        return last if whole and is_play(board, rest, len(still.placed)) else None

    def _before(self, still: Still) -> Board:
        """Return the board on which a still's play is laid."""
        tiles: dict[Square, str] = {}
        for one in self._stills.stills:
            if one is still:
                break
            tiles |= one.placed
            tiles |= dict.fromkeys(one.removed, EMPTY)
        return Board.empty().replace(tiles)

    def _lay_late(self, turn: TurnRecord, still: Still, late: Square, new: Image) -> None:
        """Lay the last tile of a turn whose press has come."""
        self._stage.run(self._rng.uniform(300, 1600))
        self._enter(turn.side, late)
        self._reach(turn.side, late)
        turn.after_press_ms[late.name] = self._set(late, new)
        turn.at_press = {one.name: symbol for one, symbol in still.placed.items() if one != late}
        turn.notes.append("laid a tile after the press")
        self._retreat(turn.side, 400)

    def _withdraw(self, side: str, turn: TurnRecord, squares: list[Square], new: Image) -> None:
        """Place the tiles elsewhere, leave them a while in plain sight, and take them back."""
        stage, rng = self._stage, self._rng
        before = stage.board
        free = self._free_line(len(squares))
        if free is None:
            return
        for square, target in zip(sorted(squares), free, strict=True):
            self._reach(side, target)
            came = self._set(target, self._grid.moved(new, square, target))
            turn.elsewhere[target.name] = [came, came]
        self._retreat(side, 400)
        stage.run(rng.uniform(900, 2500))
        self._enter(side, free[0])
        for target in free:
            self._reach(side, target)
            turn.elsewhere[target.name][1] = self._set(target, before)
        turn.notes.append("withdrew a play before the press")

    def _challenge(self, turn: TurnRecord, still: Still) -> None:
        """Stop the clock, lift the play, put it back, and start the clock again."""
        stage, squares = self._stage, list(still.placed)
        after = stage.board
        self._stop()
        before = self._stills.stills[turn.still - 1].image if turn.still else self._stills.empty
        for picture in (relit(before, after, squares, self._grid), after):
            self._show(turn.side, dict.fromkeys(squares, picture))
        self.presses.append((round(stage.t_ms), turn.side))
        turn.notes.append("challenged: lifted and put back while the clock stood")

    def _challenge_off(self, number: int, still: Still, side: str) -> None:
        """Play a phoney that is challenged off, and have the opponent play nothing after it."""
        stage, before = self._stage, self._stage.board
        swapped = moved_on(still.placed)
        on_board = sum(len(one.placed) for one in self._stills.stills[: number + 1])
        if not swapped or on_board > _EXCHANGEABLE:
            return
        tiles = relit(still.image, before, list(still.placed), self._grid)
        stage.run(self._rng.uniform(1200, 2600))
        self._show(side, {to: self._grid.moved(tiles, at, to) for at, to in swapped.items()})
        self._press(number, side, "challenge_upheld")
        self._stop()
        self._show(side, dict.fromkeys(swapped, before))
        self.presses.append((round(stage.t_ms), side))
        stage.run(self._rng.uniform(2000, 3500))
        self._press(number, _OTHER[side], "exchange_or_pass")

    def _press(self, number: int, side: str, kind: Inserted) -> None:
        """End a turn that is none of the source's."""
        t_ms = round(self._stage.t_ms)
        self.presses.append((t_ms, side))
        self.turns.append(TurnRecord(number, side, kind, t_ms))

    def _stop(self) -> None:
        """Stop the clock a moment after a press."""
        self._stage.run(self._rng.uniform(800, 1600))
        self.presses.append((round(self._stage.t_ms), "neutral"))

    def _show(self, side: str, pictures: Mapping[Square, Image]) -> None:
        """Have a hand make the squares look as in these pictures, and leave."""
        self._enter(side, next(iter(pictures)))
        for square, picture in pictures.items():
            self._reach(side, square)
            self._set(square, picture)
        self._retreat(side, 400)
        self._stage.run(self._rng.uniform(1500, 2500))

    def _set(self, square: Square, picture: Image) -> int:
        """Show a square as in ``picture`` from now on; return the time."""
        mask = self._grid.mask([square])
        board = self._stage.board
        self._stage.board = np.asarray(board * (1 - mask) + picture * mask + 0.5, np.uint8)
        return round(self._stage.t_ms)

    def _relight(self, still: Still, squares: list[Square]) -> None:
        """Pass over to the light of the next picture while the hand comes in."""
        stage = self._stage
        old = stage.board
        mask = self._grid.mask([*squares, *still.removed])
        target = still.image * (1 - mask) + relit(old, still.image, squares, self._grid) * mask

        def update(share: float) -> None:
            stage.board = np.asarray(old * (1 - share) + target * share + 0.5, np.uint8)

        stage.run(400, update)

    def _free_line(self, length: int) -> list[Square] | None:
        """Return free squares in a row or column that are empty in every picture so far."""
        taken = {square for turn in self.turns for square in map(Square.parse, turn.placed_ms)}
        lines = []
        for row in range(SIZE):
            for col in range(SIZE - length + 1):
                lines.append([Square(row, col + at) for at in range(length)])
                lines.append([Square(col + at, row) for at in range(length)])
        free = [one for one in lines if not taken & set(one)]
        return self._rng.choice(free) if free else None

    # --- hands ---

    def _enter(self, side: str, square: Square) -> None:
        if side in self._stage.hands:
            return
        x = float(self._stage.seen_at(square.col + 0.5, 7.5)[0]) + self._rng.gauss(0, 70)
        base = base_of(side, self._grid, x)
        out = self._out(side, base)
        hand = self._rng.choice(self._hands[side])
        self._stage.hands[side] = Placed(hand, out, base)
        self._stage.move(side, self._near(side, square), self._rng.uniform(300, 500))

    def _near(self, side: str, square: Square) -> Point:
        """Return where fingertips are that hold a tile on a square."""
        y = square.row + (0.75 if side == "left" else 0.25)
        spread = self._rng.uniform(-0.25, 0.25)
        return self._stage.seen_at(square.col + 0.5 + spread, y)

    def _reach(self, side: str, square: Square) -> None:
        low, high = (120, 260) if self._variant.hurried or self._variant.early else (220, 480)
        self._stage.move(side, self._near(side, square), self._rng.uniform(low, high))
        self._stage.run(self._rng.uniform(60, 200))

    def _retreat(self, side: str, ms: float) -> None:
        placed = self._stage.hands.get(side)
        if placed is None:
            return
        self._stage.move(side, self._out(side, placed.tip), ms)
        del self._stage.hands[side]

    def _out(self, side: str, near: Point) -> Point:
        height, square = self._grid.size[1], self._grid.square
        y = height + square if side == "left" else -square
        return np.array([float(near[0]), y])

    def _hover(self, side: str, squares: list[Square]) -> None:
        """Hold a hand over the board's own half, beside the squares of the play."""
        row = 12 if side == "left" else 2
        columns = [square.col for square in squares] or [7]
        col = 2 if np.mean(columns) > 7 else 12
        self._enter(side, Square(row, col))

    def _rest(self, turn: TurnRecord, number: int) -> None:
        """Lay the hand down where it hides neither this play nor, if possible, the next."""
        side = turn.side
        own = {Square.parse(name) for name in turn.placed_ms}
        later = self._stills.stills[number + 1 : number + 2]
        following = {square for still in later for square in still.placed}
        placed = self._stage.hands[side]
        best, cost = placed.tip, float("inf")
        for col in range(0, SIZE, 2):
            for row in (10, 12, 13) if side == "left" else (1, 2, 4):
                hidden = {
                    square
                    for square in own | following
                    if abs(square.col - col) < 3
                    and (square.row > row - 2 if side == "left" else square.row < row + 2)
                }
                here = 10 * len(hidden & own) + len(hidden) + self._rng.random()
                if here < cost:
                    best, cost = self._stage.seen_at(col + 0.5, row + 0.5), here
                    base = base_of(side, self._grid, float(best[0]))
        placed.base = base
        self._stage.move(side, best, 350)

    def _leave(self) -> None:
        """Take away the hand that still rests from the turn before."""
        if self._leaving is not None:
            self._retreat(self._leaving, 400)
            self._leaving = None

    # --- the camera and the board ---

    def _cap(self) -> None:
        self._stage.capped = True
        self._stage.run(2000)
        self._stage.capped = False
        self._stage.run(400)

    def _nudge(self, turn: TurnRecord) -> None:
        stage, size = self._stage, self._grid.square
        start, angle = stage.shift, stage.turn
        target = np.array([self._rng.uniform(-0.5, 0.5), self._rng.uniform(-0.5, 0.5)]) * size
        twist = self._rng.uniform(-3, 3) - (angle if abs(angle) < 20 else 0)

        def update(share: float) -> None:
            stage.shift = start + (target - start) * share
            stage.turn = angle + twist * share

        stage.run(350, update)
        turn.notes.append("the board was nudged")

    def _turn_board(self) -> None:
        stage, start = self._stage, self._stage.turn
        far = 180 + self._rng.uniform(-6, 6)

        def update(share: float) -> None:
            stage.turn = start + far * share

        stage.run(1100, update)
        stage.turn = (start + far) % 360

    def _covered(self) -> list[str]:
        rows, cols = np.nonzero(self._stage.covered > 0.08)
        return [Square(int(row), int(col)).name for row, col in zip(rows, cols, strict=True)]


def _toned(hand: Hand, rng: random.Random) -> Hand:
    light, warm = rng.uniform(0.75, 1.15), rng.uniform(-0.06, 0.06)
    return hand.toned((light * (1 - warm), light, light * (1 + warm)))
