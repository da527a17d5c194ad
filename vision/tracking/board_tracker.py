"""Tracks the symbols on the board: the prior, a sighting, the posterior.

A tile is read again in every turn, in another light, half in a shadow, under a passing sleeve. Each
sighting is evidence of what every square holds. The transition model is what can happen to a tile
on a table, never what the rules would like (``vision.tracking.square_filter``). Before the first
turn, a board on which no letter is read is empty: dark squares in a dim light pass for blanks.

The symbol shown has hysteresis: it stands until the posterior of another is high enough. A tile
whose face may as well be its back is shown as a back, and asked about. If the posterior changes
while the square looks the same, the earlier reading was wrong: the turn since which the square
looks so is corrected. A tile that is kept although it reads as another gets an ``uncertain_square``
finding.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from game.board import (
    EMPTY,
    FACE_DOWN,
    SIZE,
    UNDESIGNATED,
    UNREADABLE,
    Board,
    Square,
    is_blank,
    is_named_blank,
)
from game.events import Finding
from vision.reading import UNCERTAIN, Reading, rows_of, symbols_of
from vision.tracking.appearance import (
    AppearanceMap,
    appearance_distance,
    looks_other,
    rim_differs,
    turned_tiles,
)
from vision.tracking.occlusion import (
    LETTERS,
    beside_things,
    covered_squares,
    large_patches,
    with_hidden_parts,
)
from vision.tracking.parameters import SQUARE
from vision.tracking.square_filter import (
    BLANK,
    INDEX,
    NAMED_BLANK,
    NOTHING,
    SYMBOLS,
    BoardBelief,
    ChangeEvidence,
    Evidence,
    Squares,
    Update,
    may_be_blank,
    normalise,
    read_probabilities,
    same_look,
    surely_bare,
    updated,
    with_detected,
)

_NAMES = {EMPTY: "empty", UNREADABLE: "unreadable", UNDESIGNATED: "a blank", FACE_DOWN: "face down"}


@dataclass(frozen=True, slots=True)
class ReadingCorrection:
    """The correction of a square that the reading of an earlier turn had wrong."""

    turn: int
    square: Square
    symbol: str
    why: str
    confirms: bool = False
    """True if the earlier reading was right after all: only its question is answered."""
    misoriented: str = ""
    """How the tile is turned, in words; empty if it is upright."""


@dataclass(frozen=True)
class TrackedBoard:
    """The board after a sighting, given all sightings before it.

    ``confidence``, float64 (15, 15), is the posterior of the symbols in ``rows``;
    ``same_appearance`` and ``covered``, bool (15, 15), are the squares that look as they did, and
    those occluded by something large.
    """

    rows: tuple[str, ...]
    confidence: NDArray[np.float64]
    corrections: tuple[ReadingCorrection, ...]
    doubts: tuple[Finding, ...]
    same_appearance: Squares
    covered: Squares
    belief: BoardBelief

    def symbol(self, square: Square) -> str:
        """Return the symbol on a square."""
        return self.rows[square.row][square.col]


class BoardTracker:
    """The posterior of one board: ``update`` it by a sighting, then ``commit`` the result."""

    def __init__(self, detector: ChangeEvidence | None = None) -> None:
        """``detector`` compares two appearances of an empty square; None to do without."""
        self._detector = detector
        self._belief: BoardBelief | None = None
        self._as_read: dict[Square, NDArray[np.float64]] = {}
        """The posterior of the square of each named blank, by its readings alone."""

    def update(
        self,
        reading: Reading,
        appearance: AppearanceMap,
        turn: int,
        turned: int = 0,
        in_sight: Squares | None = None,
    ) -> TrackedBoard:
        """Return the board after a reading in turn number ``turn``; ``commit`` makes it the prior.

        ``turned`` counts the quarter turns clockwise from the orientation guessed until now to this
        one; ``in_sight``, bool (15, 15), is True for squares that are known not to be occluded.
        """
        old = self._belief
        if old is None:
            return _first(reading, appearance, turn)
        old = old.turned(turned) if turned else old
        read, occluded = read_probabilities(reading)
        hidden = occluded > 0.5
        reads_bare = (read.argmax(axis=-1) == NOTHING) & ~hidden
        bare = (old.best == NOTHING) & reads_bare
        last = appearance_distance(old.appearance, appearance)
        same = last < SQUARE.same
        cut_off = _cut_off(old, appearance) & ~reads_bare
        seen = ~(hidden | cut_off)
        tiles = (old.best != NOTHING) & seen & ~same
        turned_round = turned_tiles(old.appearance, appearance, tiles)
        as_last = same_look(np.where(np.isnan(turned_round), last, np.float32(0)), seen)
        # Amid tiles, most squares around one look otherwise than when they were bare.
        as_bare = same_look(appearance_distance(old.empty_appearance, appearance, bare), seen)
        silent = old.bare_blanks(self._as_read, same) & reads_bare
        evidence = Evidence(read, seen, same, appearance, as_last, as_bare, as_last < 1, silent)
        evidence = with_detected(old, evidence, self._detector)
        # What comes in over the frame; where a hand lay before, the bare board tells.
        frame = rim_differs(old.appearance, appearance)
        frame &= rim_differs(old.empty_appearance, appearance)
        # A sleeve may read as bare.
        other = looks_other(old.empty_appearance, appearance, bare & old.seen_empty, ~bare)
        unread = ((symbols_of(reading.rows) == UNREADABLE) | hidden) & ~cut_off | other
        covered = covered_squares(evidence.read, unread, ~same, old.best, frame)
        covered = covered if in_sight is None else covered & ~in_sight
        near = beside_things(covered, frame)
        parts = near & ~covered & LETTERS[evidence.read.argmax(axis=-1)]
        read = with_hidden_parts(evidence.read, parts)
        evidence = replace(evidence, read=read, seen=seen & ~covered, again=same | parts)
        new = updated(old, evidence, turn)
        symbols, corrections, doubts = _shown(old, evidence, new, turn)
        index = np.vectorize(lambda symbol: INDEX.get(symbol, NOTHING))(symbols)
        confidence = np.take_along_axis(new.posterior, index[..., None], axis=-1)[..., 0]
        unseen = covered | (hidden & ~same & ~cut_off)
        rows = np.where(unseen, UNREADABLE, symbols)
        empty = (rows == EMPTY) & surely_bare(new.posterior) & ~near
        belief = _remembered(old, new, symbols, appearance, unseen, empty)
        return TrackedBoard(rows_of(rows), confidence, corrections, doubts, same, covered, belief)

    def likeliest_turn(self, reading: Reading, appearance: AppearanceMap) -> int:
        """Return the likeliest quarter turns clockwise from the known orientation to this one."""
        old = self._belief
        if old is None:
            return 0
        return old.likeliest_turn(symbols_of(reading.rows) == EMPTY, appearance)

    def recall(
        self,
        reading: Reading,
        appearance: AppearanceMap,
        board: Board,
        placed_in: Mapping[str, int],
    ) -> None:
        """Take a board that is known, and a reading of a picture of it, as the prior.

        ``placed_in`` maps the name of each tile's square to the number of the turn that placed it.
        """
        read, _ = read_probabilities(reading)
        symbols = symbols_of(board.rows)
        symbols = np.where(np.vectorize(is_blank)(symbols), UNDESIGNATED, symbols)
        known = np.array([[_known(symbol) for symbol in row] for row in symbols])
        posterior = normalise(read * known)
        blanks = [place for place, symbol in board.tiles().items() if is_named_blank(symbol)]
        self._as_read = {place: read[place] for place in blanks if may_be_blank(read[place])}
        for place in self._as_read:
            posterior[place] = NAMED_BLANK
        since = np.zeros((SIZE, SIZE), np.int_)
        bare = symbols == EMPTY
        none = np.full((SIZE, SIZE), NOTHING)
        looks = appearance, appearance
        self._belief = BoardBelief(posterior, symbols, since, *looks, bare, none)
        self.renumber({}, placed_in)

    def commit(self, tracked: TrackedBoard) -> None:
        """Make a result of ``update`` the prior of the next sighting."""
        self._belief = tracked.belief

    def know_blanks(self, named: Mapping[Square, int]) -> None:
        """Take named blanks as certain, and those that are no longer named as they were read.

        ``named`` maps the square of each named blank to the number of the turn that placed it; 0 if
        unknown.
        """
        if self._belief is not None:
            self._belief, self._as_read = self._belief.with_blanks(named, self._as_read)

    def renumber(self, numbers: Mapping[int, int], placed_in: Mapping[str, int]) -> None:
        """Give the turns new numbers.

        ``numbers`` maps each old number to the new one; ``placed_in`` maps the names of squares to
        the new number of the turn that laid their tile.
        """
        if self._belief is None:
            return
        since_turn = self._belief.since_turn.copy()
        for old, new in numbers.items():
            since_turn[self._belief.since_turn == old] = new
        for name, turn in placed_in.items():
            since_turn[Square.parse(name)] = turn
        self._belief = replace(self._belief, since_turn=since_turn)


def _known(symbol: str) -> NDArray[np.float64]:
    """Return the prior of a square known to hold this symbol: float64 (symbols,)."""
    if symbol == UNREADABLE:
        return np.ones(len(SYMBOLS))
    others = (1 - SQUARE.sure) / len(SYMBOLS)
    return np.where(np.arange(len(SYMBOLS)) == INDEX[symbol], others + SQUARE.sure, others)


def _first(reading: Reading, appearance: AppearanceMap, turn: int) -> TrackedBoard:
    read, occluded = read_probabilities(reading)
    hidden, rows = occluded > 0.5, symbols_of(reading.rows)
    if turn == 0 and not any(one.isalpha() or one == FACE_DOWN for row in rows for one in row):
        read[..., BLANK] = 0.0
        read = normalise(read)
        rows = np.where(~hidden & (read.argmax(axis=-1) == NOTHING), EMPTY, rows)
    empty, nowhere = (rows == EMPTY) & (read[..., NOTHING] >= SQUARE.stands), np.zeros_like(hidden)
    since = np.full(rows.shape, turn)
    none = np.full(rows.shape, NOTHING)
    belief = BoardBelief(read, rows, since, appearance, appearance, empty, none)
    covered = large_patches((rows == UNREADABLE) | hidden)
    return TrackedBoard(rows_of(rows), read.max(axis=-1), (), (), nowhere, covered, belief)


def _cut_off(old: BoardBelief, appearance: AppearanceMap) -> Squares:
    """Return the squares of known tiles that the picture's edge cuts: bool (15, 15).

    Half a tile may read as another; only its absence is evidence.
    """
    tile = (old.best != NOTHING) & (old.posterior.max(axis=-1) >= SQUARE.sure)
    return np.asarray(tile & ~appearance.in_picture[1:-1, 1:-1])


def _remembered(
    old: BoardBelief,
    new: Update,
    symbols: NDArray[np.str_],
    now: AppearanceMap,
    unseen: Squares,
    empty: Squares,
) -> BoardBelief:
    """Return the prior of the next sighting.

    The remembered appearances are adapted to the light of this sighting.
    """
    last = now
    if unseen.any():
        last = now.replaced(unseen, old.appearance.relit(now, unseen, ~unseen))
    bare = old.empty_appearance.relit(now, ~empty, empty & old.seen_empty).replaced(empty, now)
    seen_empty = old.seen_empty | empty
    return BoardBelief(new.posterior, symbols, new.since_turn, last, bare, seen_empty, new.replaced)


def _shown(
    old: BoardBelief, evidence: Evidence, new: Update, turn: int
) -> tuple[NDArray[np.str_], tuple[ReadingCorrection, ...], tuple[Finding, ...]]:
    """Return the symbols to show, (15, 15), the corrections, and the findings of doubt."""
    symbols = old.symbols.copy()
    corrections: list[ReadingCorrection | None] = []
    doubts: list[Finding | None] = []
    for row, line in enumerate(old.symbols.tolist()):
        for col, was in enumerate(line):
            square = Square(row, col)
            symbols[square] = symbol = _symbol(square, was, evidence, new)
            corrections.append(_correction(square, was, symbol, old, new, turn))
            doubts.append(_doubt(square, was, symbol, evidence, new))
    return symbols, tuple(filter(None, corrections)), tuple(filter(None, doubts))


def _symbol(square: Square, was: str, evidence: Evidence, new: Update) -> str:
    """Return the symbol to show: the likeliest, unless ``was`` stands by hysteresis."""
    p = new.posterior[square]
    best = int(p.argmax())
    symbol = SYMBOLS[best] if p[best] >= UNCERTAIN else UNREADABLE
    if not evidence.seen[square]:
        return was if was == FACE_DOWN else symbol
    if was in (EMPTY, UNREADABLE, FACE_DOWN) and _may_be_back(evidence.read[square], symbol):
        return FACE_DOWN
    if was == UNREADABLE and symbol == EMPTY:
        return symbol if p[best] >= SQUARE.sure else was  # a plain blank may lie there
    if was == EMPTY and symbol == UNREADABLE:
        return symbol if evidence.other[square] else was
    settled = new.changed[square] or was == UNREADABLE or p[best] >= SQUARE.stands
    return symbol if settled else was


def _may_be_back(read: NDArray[np.float64], symbol: str) -> bool:
    """True if the square, shown as ``symbol``, may hold a tile that lies face down."""
    back, unsure = read[INDEX[FACE_DOWN]], 1 - SQUARE.stands
    if symbol.isalpha():
        return bool(back > 1 - SQUARE.sure and read.max() < SQUARE.stands)
    return symbol in (UNREADABLE, UNDESIGNATED) and bool(back > unsure > read[NOTHING])


def _correction(
    square: Square, was: str, symbol: str, old: BoardBelief, new: Update, turn: int
) -> ReadingCorrection | None:
    """Return the correction of an earlier turn that a new symbol implies; None if none."""
    since, name = int(new.since_turn[square]), _NAMES.get(was, was)
    if new.late[square] and was not in (EMPTY, UNREADABLE):
        why = f"taken for {name}, and laid on only at turn {turn}"
        return ReadingCorrection(int(old.since_turn[square]), square, EMPTY, why)
    if new.changed[square] or symbol in (was, UNREADABLE) or since >= turn:
        return None  # what cannot be read now does not tell what was there
    sure = new.posterior[square].max()
    why = f"read again as {_NAMES.get(symbol, symbol)} ({sure:.0%}), first as {name}"
    return ReadingCorrection(since, square, symbol, why)


def _doubt(
    square: Square, was: str, symbol: str, evidence: Evidence, new: Update
) -> Finding | None:
    """Return a finding on a tile that may be a back, or is kept but reads as another; else None."""
    p = (new.posterior if symbol == FACE_DOWN else evidence.read)[square]
    best = SYMBOLS[int(p.argmax())]
    seems = f"{_NAMES.get(best, best)} ({p.max():.0%})"
    if symbol == FACE_DOWN != was and best != FACE_DOWN:
        return Finding("face_down", square.name, f"a tile's back, or {seems}")
    kept = symbol == was and symbol not in (EMPTY, UNREADABLE)
    if not (kept and new.contradicted[square] and p.max() >= UNCERTAIN):
        return None
    text = f"looks like {seems} now, was taken for {_NAMES.get(was, was)}"
    return Finding("uncertain_square", square.name, text)
