"""The turns of a replay beside those that are due: right, wrong and asked about, or silently wrong.

Found and due turns are aligned by their tiles and sides, so that a turn whose number an earlier
split or merge has put off is compared with its own row. ``benchmarks/motion.py`` says what is
counted.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.table.sharedkit import due, expected

NOT_ASKED = {"blank_undesignated", "board_covered", "not_pressed"}
OFF = {"challenge_upheld", "taken_back", "undone"}
"""The kinds of turns whose tiles are off the board again."""
COLUMNS = (
    *("turns", "right", "scores", "wrong", "silent", "matched", "split", "missed", "spurious"),
    *("unaccounted", "asked", "settled"),
)
_FIELDS = ("number", "side", "tiles", "kind", "score", "total")
_COMPARED = ("side", "tiles", "kind", "score")

Turn = dict[str, Any]
"""A turn as ``replay --json`` has it, or with the same fields as it is due."""
Pair = tuple[int | None, int | None]
"""The indices of a due turn and of the found one that is compared with it."""


@dataclass
class Outcome:
    """The results of one game in one variant, or of several."""

    game: str
    variant: str
    seed: int
    buttons: bool = True
    film: str = ""
    """The folder of the film."""
    commit: str = ""
    """The commit of the code that replayed it."""
    turns: int = 0
    right: int = 0
    scores: int = 0
    wrong: int = 0
    silent: int = 0
    matched: int = 0
    split: int = 0
    missed: int = 0
    spurious: int = 0
    unaccounted: int = 0
    """Tiles in sight at the end that belong to no turn and to no open question."""
    asked: int = 0
    """Turns with a flag that is open at the end, and open questions about the game."""
    settled: int = 0
    """Turns all of whose flags were settled by what was seen later."""
    reasons: Counter[str] = field(default_factory=Counter)
    """The flags that are open at the end."""
    settled_reasons: Counter[str] = field(default_factory=Counter)
    """The flags that were settled."""
    first: int | None = None
    board_right: int = 0
    board_tiles: int = 0
    each: list[dict[str, Any]] = field(default_factory=list)
    """Each due turn, and each found one that is wrong by itself, with its verdict."""
    unaccounted_tiles: list[str] = field(default_factory=list)
    ms: dict[str, Any] = field(default_factory=dict)
    cpu_s: float = 0.0
    """The processor time of the replay."""

    def add(self, other: Outcome) -> None:
        for name in (*COLUMNS, "board_right", "board_tiles"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.reasons += other.reasons
        self.settled_reasons += other.settled_reasons

    @classmethod
    def read(cls, kept: dict[str, Any]) -> Outcome:
        """Return an outcome from its fields in JSON."""
        counted = {name: Counter(kept[name]) for name in ("reasons", "settled_reasons")}
        return cls(**kept | counted)


def measured(outcome: Outcome, film: Path, document: dict[str, Any]) -> Outcome:
    """Compare the turns of a replay with those that are expected of a film."""
    rows, truth = expected(film), json.loads((film / "truth.json").read_text("utf-8"))
    turns: list[Turn] = document["turns"]
    dues = [_due(row) for row in rows]
    lying = _lying_at_end(dues, rows)
    while not outcome.buttons and dues and not dues[-1]["tiles"]:
        dues.pop()  # no picture shows it: the record has its player on turn, as before it
    outcome.turns, outcome.ms = len(dues), document["ms"]
    outcome.each = Comparison(dues, turns, document.get("flags", [])).verdicts()
    acted_ms = [_acted_ms(turn) for turn in truth["turns"]]
    for one in outcome.each:
        number = one["turn"]
        verdict = one["verdict"]
        if number is not None:
            one["t_ms"] = acted_ms[number - 1] if number <= len(acted_ms) else None
            if verdict != "right":
                outcome.first = outcome.first or number
        outcome.right += verdict == "right"
        outcome.scores += verdict == "score"
        outcome.wrong += verdict in ("asked", "silent")
        outcome.silent += verdict == "silent"
    for turn in turns:
        asks, settled = _codes(turn["flags"], settled=False), _codes(turn["flags"], settled=True)
        outcome.asked += bool(asks)
        outcome.reasons.update(asks)
        outcome.settled += bool(settled) and not asks
        outcome.settled_reasons.update(settled)
    about_game = _codes(document.get("flags", []), settled=False)
    outcome.asked += len(about_game)
    outcome.reasons.update(about_game)
    _match(outcome, [one["tiles"] for one in dues], [turn["tiles"] for turn in turns])
    on_board = _on_board(document["rows"])
    outcome.board_tiles = len(lying)
    outcome.board_right = sum(on_board.get(at) == symbol for at, symbol in lying.items())
    outcome.unaccounted_tiles = _unaccounted(
        (lying.keys() - _covered_at_end(truth)) | on_board.keys(), document
    )
    outcome.unaccounted = len(outcome.unaccounted_tiles)
    return outcome


def _due(row: dict[str, str]) -> Turn:
    """Return what is due of a turn; without kind and score where the recording has no points."""
    return dict(zip(_FIELDS, due(row), strict=False))


def _acted_ms(turn: dict[str, Any]) -> int | None:
    """Return when a turn ended in a film: its press or, without one, its last tile."""
    press: int | None = turn["press_ms"]
    return press if press is not None else max(turn["placed_ms"].values(), default=None)


def _lying_at_end(dues: Sequence[Turn], rows: Iterable[dict[str, str]]) -> dict[str, str]:
    return {
        at: symbol
        for turn, row in zip(dues, rows, strict=True)
        if row["kind"] not in OFF
        for at, symbol in turn["tiles"].items()
    }


def _on_board(rows: Sequence[str]) -> dict[str, str]:
    """Return the symbols on a board, by the names of their squares."""
    return {
        f"{line}{chr(65 + column)}": symbol
        for line, row in enumerate(rows, start=1)
        for column, symbol in enumerate(row)
        if symbol != "."
    }


def _covered_at_end(truth: dict[str, Any]) -> set[str]:
    """Return the squares that something hides in the last frame of a film."""
    known = (frame["covered"] for frame in reversed(truth["frames"]) if "covered" in frame)
    covered: list[int] = next(known, [])
    return {f"{at // 15 + 1}{chr(65 + at % 15)}" for at in covered}


def _unaccounted(in_sight: set[str], document: dict[str, Any]) -> list[str]:
    """Return the squares in sight whose tiles belong to no turn and to no open question."""
    turns = document["turns"]
    flags = [flag for turn in turns for flag in turn["flags"]] + document.get("flags", [])
    played = {at for turn in turns if turn["kind"] not in OFF for at in turn["tiles"]}
    asked = {at for flag in open_flags(flags) for at in flag["squares"]}
    return sorted(in_sight - played - asked)


def open_flags(flags: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the flags that ask somebody and that nothing has settled."""
    return [f for f in flags if f["code"] not in NOT_ASKED and f.get("settled") is None]


def _codes(flags: Iterable[dict[str, Any]], *, settled: bool) -> list[str]:
    """Return the codes of the flags that ask somebody, or asked and were settled."""
    if not settled:
        return [flag["code"] for flag in open_flags(flags)]
    return [
        flag["code"]
        for flag in flags
        if flag["code"] not in NOT_ASKED and flag.get("settled") is not None
    ]


def align(dues: Sequence[Turn], founds: Sequence[Turn]) -> list[Pair]:
    """Pair due and found turns in order, so that the pairs are as alike as can be.

    Returns:
        The pairs in order; a turn with no partner has None beside it.
    """
    many, more = len(dues), len(founds)
    best = [[0.0] * (more + 1) for _ in range(many + 1)]
    alike = [[_alike(due, found) for found in founds] for due in dues]
    for i in range(many - 1, -1, -1):
        for j in range(more - 1, -1, -1):
            paired = alike[i][j] + best[i + 1][j + 1] if alike[i][j] else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    pairs: list[Pair] = []
    i = j = 0
    while i < many or j < more:
        if i == many or j == more:
            pairs.append((None, j) if i == many else (i, None))
        elif alike[i][j] and best[i][j] == alike[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
        else:
            pairs.append((i, None) if best[i][j] == best[i + 1][j] else (None, j))
        i, j = i + (pairs[-1][0] is not None), j + (pairs[-1][1] is not None)
    return pairs


def _alike(due: Turn, found: Turn) -> float:
    """Return how alike two turns are, from 0 (never to be paired) to 1."""
    here, there, same_side = due["tiles"], found["tiles"], due["side"] == found["side"]
    if bool(here) != bool(there):
        return 0.05 * same_side  # a play that was not seen, so that its turn looks empty
    if not here:
        return 0.5 if same_side else 0.1
    shared, both = here.keys() & there.keys(), len(here.keys() | there.keys())
    if not shared:
        return 0.0
    equal = len(here.items() & there.items())
    return 0.1 + 0.1 * same_side + 0.5 * len(shared) / both + 0.3 * equal / both


@dataclass(frozen=True)
class Comparison:
    """The due turns of a game beside the found ones, with the flags about the game."""

    dues: Sequence[Turn]
    founds: Sequence[Turn]
    game_flags: Sequence[dict[str, Any]] = ()

    @cached_property
    def pairs(self) -> list[Pair]:
        return align(self.dues, self.founds)

    @cached_property
    def _runs(self) -> list[int]:
        """The misalignment to which each pair belongs: pairs in a row that are not as due."""
        runs, run = [], 0
        for pair in self.pairs:
            as_due = self._differences(pair) <= {"kind", "score"}
            run += as_due
            runs.append(-1 if as_due else run)
        return runs

    def _differences(self, pair: Pair) -> set[str]:
        """Return the fields in which a pair differs; what has no partner lacks everything."""
        if pair[0] is None or pair[1] is None:
            return {"missing" if pair[1] is None else "extra"}
        due, found = self.dues[pair[0]], self.founds[pair[1]]
        return {name for name in _COMPARED if name in due and due[name] != found.get(name)}

    def verdicts(self) -> list[dict[str, Any]]:
        """Return what became of each due turn, and the found ones that are wrong by themselves."""
        verdicts = []
        for pair, run in zip(self.pairs, self._runs, strict=True):
            if pair[0] is None and self._belongs_to_a_due_turn(pair[1], run):
                continue
            due = None if pair[0] is None else self.dues[pair[0]]
            found = None if pair[1] is None else self.founds[pair[1]]
            beside = self._beside(due or found or {}, pair, run)
            differs = self._differences(pair)
            if any(differs == {"missing"} and self._same(due, other) for other in beside):
                differs = {"order"}
            flags = [] if found is None else open_flags(found["flags"])
            if not differs:
                verdict = "right"
            elif differs <= {"kind", "score"}:
                verdict = "score"
            else:
                asked = flags or self._asked(due or found or {}, found, beside)
                verdict = "asked" if asked else "silent"
            verdicts.append(
                {
                    "turn": due and due["number"],
                    "verdict": verdict,
                    "differs": sorted(differs),
                    "due": due and _short(due),
                    "found": found and _short(found),
                    "beside": self._shown(due, beside) if differs else [],
                    "flags": [flag["code"] for flag in flags],
                }
            )
        return verdicts

    def _same(self, due: Turn | None, found: Turn) -> bool:
        return due is not None and all(due[name] == found[name] for name in ("side", "tiles"))

    def _belongs_to_a_due_turn(self, at: int | None, run: int) -> bool:
        """True if a found turn with no partner is a part of what became of a wrong due turn."""
        tiles = self.founds[at]["tiles"] if at is not None else {}
        wrong = [
            (self.dues[pair[0]], other)
            for pair, other in zip(self.pairs, self._runs, strict=True)
            if pair[0] is not None and other >= 0
        ]
        if tiles:
            return any(tiles.keys() & due["tiles"].keys() for due, _ in wrong)
        return any(other == run for _, other in wrong)

    def _beside(self, turn: Turn, pair: Pair, run: int) -> list[Turn]:
        """Return the found turns that may ask about a wrong turn.

        The others of its misalignment, unpaired ones on the same squares, and the first turn after
        it: it is asked there whether there was a turn before.
        """
        near = [
            other[1]
            for other, its_run in zip(self.pairs, self._runs, strict=True)
            if other[1] is not None and other is not pair and its_run >= 0
            if its_run == run
            or (other[0] is None and self.founds[other[1]]["tiles"].keys() & turn["tiles"].keys())
        ]
        last = max((at for at, its_run in enumerate(self._runs) if its_run == run >= 0), default=-1)
        after = self.pairs[last + 1 : last + 2] if last >= 0 else []
        near += [other[1] for other in after if other[1] is not None]
        return [self.founds[at] for at in near]

    def _shown(self, due: Turn | None, beside: Iterable[Turn]) -> list[Turn]:
        """Return those on the squares of a due turn, and those that no due turn is paired with."""
        paired = {other[1] for other in self.pairs if other[0] is not None}
        squares = set(due["tiles"]) if due else set()
        return [
            _short(other)
            for other in beside
            if squares & other["tiles"].keys() or self.founds.index(other) not in paired
        ]

    def _asked(self, turn: Turn, found: Turn | None, beside: Iterable[Turn]) -> bool:
        """True if an open flag of another turn, or about the game, names a wrong turn."""
        flags = [flag for other in self.founds for flag in open_flags(other["flags"])]
        if found is not None and any(flag.get("turn") == found["number"] for flag in flags):
            return True
        squares = turn["tiles"].keys()
        for other in beside:
            for flag in open_flags(other["flags"]):
                # A flag on a turn that has some of the tiles is about them, whichever it names.
                if squares & (set(flag["squares"]) | other["tiles"].keys()):
                    return True
                if not flag["squares"] and not (squares and other["tiles"]):
                    return True
        return any(squares & set(flag["squares"]) for flag in open_flags(self.game_flags))


def _short(turn: Turn) -> Turn:
    return {name: turn[name] for name in _FIELDS if name in turn}


def _match(outcome: Outcome, plays: list[dict[str, str]], turns: list[dict[str, str]]) -> None:
    """Count matched, split and missed plays, and spurious turns."""
    left = [tiles for tiles in turns if tiles]
    others = []
    for play in plays:
        if play in left:
            left.remove(play)
            outcome.matched += 1
        elif play:
            others.append(play)
    for play in others:
        found = {square for tiles in left for square in tiles} & play.keys()
        if 2 * len(found) >= len(play):
            outcome.split += 1
        else:
            outcome.missed += 1
    squares = {square for play in others for square in play}
    outcome.spurious += sum(2 * len(tiles.keys() & squares) < len(tiles) for tiles in left)
