"""The numbers by which a game is remembered, and the course of its scores.

All of it follows from a view, so it says no more than the view does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from game.board import EMPTY, SIZE, Square
from game.terms import SIDES, Side
from game.tile_symbols import printed, spelled

View = Mapping[str, Any]

_WIDTH: Final = 360
_HEIGHT: Final = 230
_TOP: Final = 12
_BOTTOM: Final = 30
_LEFT: Final = 44
_RIGHT: Final = 12
_STEPS: Final = (10, 25, 50, 100, 200, 500, 1000, 5000)
_MOST_LINES: Final = 5
_MOST_LEAD: Final = 150
"""The points of lead of the highest bar: the same for all games, so that they compare."""
_LEAST_TURNS: Final = 24
"""A course of bars is drawn for so many turns at least."""


@dataclass(frozen=True, slots=True)
class Best:
    """The play of a player that scored most."""

    word: str
    position: str
    score: int
    turn: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """The totals of one player's game."""

    turns: int
    points: int
    """The points of the turns, without the adjustments at the end of the game."""
    bingos: int
    best: Best | None
    used_ns: int | None
    """The time used on the clock; None in a game without a clock."""

    @property
    def average(self) -> float:
        """The points per turn."""
        return self.points / self.turns if self.turns else 0.0


@dataclass(frozen=True, slots=True)
class Moment:
    """Both scores after a turn."""

    label: str
    scores: Mapping[Side, int]


@dataclass(frozen=True, slots=True)
class Chart:
    """The scores by turn as two lines of a drawing; coordinates in its own units."""

    width: int
    height: int
    lines: Mapping[Side, str]
    """The points of each line, as SVG has them."""
    ends: Mapping[Side, tuple[float, float]]
    grid: tuple[tuple[int, float], ...]
    """Scores with a line across the drawing, each with its y coordinate."""
    ticks: tuple[tuple[str, float], ...]
    """Labels of turns along the bottom, each with its x coordinate."""


def numbers(view: View) -> dict[Side, Numbers]:
    """Return the numbers of both players' games so far."""
    return {side: _numbers(view, side) for side in SIDES}


def _numbers(view: View, side: Side) -> Numbers:
    own = [turn for turn in view["turns"] if turn["side"] == side and turn["kind"] != "undone"]
    plays = [turn for turn in own if turn["kind"] == "play"]
    best = max(plays, key=lambda turn: turn["score"], default=None)
    return Numbers(
        turns=len(own),
        points=sum(turn["score"] for turn in own),
        bingos=sum(1 for turn in plays if turn["bingo"]),
        best=None
        if best is None
        else Best(play_text(best), best["position"] or "", best["score"], best["number"]),
        used_ns=view["clocks"] and view["clocks"]["used_ns"][side],
    )


def play_text(turn: View) -> str:
    """Return the word of a play as on the board; ▢ marks a tile that could not be read."""
    symbols = turn["words"][0]["symbols"] if turn["words"] else turn["word"] or ""
    return printed(spelled(symbols.upper()))


def board_after(turns: Iterable[View]) -> list[str]:
    """Return the board after some turns of a game in 15 strings, as ``rows.js`` does."""
    cells = [[EMPTY] * SIZE for _ in range(SIZE)]
    for turn in turns:
        if turn["kind"] == "challenge_upheld":  # its tiles came off again
            continue
        for name, symbol in {**turn["tiles"], **turn.get("open_tiles", {})}.items():
            square = Square.parse(name)
            cells[square.row][square.col] = symbol
    return ["".join(row) for row in cells]


def score_sum(turn: View) -> str:
    """Return how a play scores: ``(Q10×2 + I1)×2 = 42 · AB 4 · +50``; empty if it is no plain sum.

    The main word is shown tile by tile, the others with their points. ``words.js`` says the same.
    """
    words = turn["words"]
    if not words or "sum" not in words[0]:
        return ""
    others = [f"{word['text']} {word['points']}" for word in words[1:]]
    bonus = [f"+{turn['bingo']}"] if turn["bingo"] else []
    return " · ".join([f"{words[0]['sum']} = {words[0]['points']}", *others, *bonus])


def course(view: View) -> list[Moment]:
    """Return both scores at the start, after each turn, and at the end."""
    now: dict[Side, int] = dict.fromkeys(SIDES, 0)
    changes = list(view["adjustments"])
    moments = []
    for number in range(len(view["turns"]) + 1):
        if number:
            turn = view["turns"][number - 1]
            now[turn["side"]] = turn["total"]
        while changes and changes[0]["after_turn"] <= number < len(view["turns"]):
            change = changes.pop(0)
            now[change["side"]] = change["total"]
        moments.append(Moment(str(number), dict(now)))
    end: dict[Side, int] = {side: view["players"][side]["score"] for side in SIDES}
    if end != now:
        moments.append(Moment("end", end))
    return moments


def spread_bars(spreads: Sequence[int] | None, bingos: Iterable[int] = ()) -> dict[str, str]:
    """Return the spread after each turn as bars, in a drawing 100 wide and from −50 to 50 high.

    A lead of the left stands above the middle, one of the right below; a larger lead than 150
    points stands as high as one of 150. ``bingos`` are the numbers
    of turns with a mark. ``spread_bars.js`` draws the same.
    """
    turns = (spreads or [])[1:]
    wide = 100 / max(_LEAST_TURNS, len(turns))
    across = f"{wide * 0.86:.1f}"

    def bar(lead: int, at: int) -> str:
        high = -50 * max(-1, min(1, lead / _MOST_LEAD))
        return f"M{wide * at:.1f} 0h{across}v{high:.1f}h-{across}z"

    bars = [(lead, bar(lead, at)) for at, lead in enumerate(turns)]
    return {
        "left": "".join(bar for lead, bar in bars if lead > 0),
        "right": "".join(bar for lead, bar in bars if lead < 0),
        "bingos": "".join(f"M{wide * (number - 0.57):.1f} 0h0" for number in bingos),
    }


def chart(moments: list[Moment]) -> Chart:
    """Return the drawing of a game's course, which has at least one turn."""
    scores = [score for moment in moments for score in moment.scores.values()]
    top, bottom = max(*scores, 1), min(*scores, 0)
    step = next((one for one in _STEPS if (top - bottom) / one <= _MOST_LINES), _STEPS[-1])
    across = (_WIDTH - _LEFT - _RIGHT) / max(1, len(moments) - 1)
    high = (_HEIGHT - _TOP - _BOTTOM) / (top - bottom)

    def x(place: int) -> float:
        return round(_LEFT + across * place, 1)

    def y(score: int) -> float:
        return round(_TOP + high * (top - score), 1)

    every = max(1, round(len(moments) / 6))
    return Chart(
        _WIDTH,
        _HEIGHT,
        {
            side: " ".join(f"{x(at)},{y(one.scores[side])}" for at, one in enumerate(moments))
            for side in SIDES
        },
        {side: (x(len(moments) - 1), y(moments[-1].scores[side])) for side in SIDES},
        tuple((score, y(score)) for score in range(-(-bottom // step) * step, top + 1, step)),
        tuple((one.label, x(at)) for at, one in enumerate(moments) if at % every == 0),
    )
