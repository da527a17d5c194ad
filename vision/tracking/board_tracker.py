"""Tracks the symbols on the board from one sighting to the next.

A tile is read again at every turn of the game, in another light, half in a shadow, under a passing
sleeve. Tiles do not change by themselves: every reading of one is evidence of what it is, gathered
square by square, by what can have happened and never by what the rules would like. With ``b`` the
belief and ``p`` the likelihood by the new reading, a square either

* **holds what it held**, with a likelihood of the sum of ``b·p``. Then ``p`` is multiplied into the
  belief, tempered, because readings of one tile share their faults, and divided by the prior, which
  counts only once. The same pixels add no evidence: where a square looks as it did, the surer
  reading stands;
* **or was changed.** Then ``p`` alone counts, times the prior probability of a change
  (``vision.tracking.change_model``): high for an empty square that looks different, low for a tile
  of the turn before, which may have been withdrawn, lower for an older one, next to nothing for a
  square that looks exactly as it did. What was taken for a tile may also have been empty until now.
  An empty square that does not read as a letter is compared with how it looked when it was last
  seen empty (``vision.change_detector``), which tells a blank as plain as its square from a shadow
  on it. One that looks different while all around it looks as before was touched. That alone makes
  no tile, but should one be read there later, then it was placed when the square was touched.

At a first sighting before the first turn on which no letter is read the board is empty: what passes
for blanks are dark squares in a dim light, and how they look empty is remembered. A blank that read
as nothing when somebody named it stays, however often it reads so.

A square shows its likeliest symbol, but for a tile that reads as a letter, or as nothing for sure,
and may as well lie face down: that is shown as a back, and asked about, as its mark may look like a
letter. Should it turn out another, with the square unchanged, then the earlier reading was wrong:
the tracker corrects the turn in which the square came to be as it is. Where a tile is kept although
its square reads as another, an ``uncertain_square`` finding says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

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
from vision.assembling import UNCERTAIN
from vision.reading import Reading
from vision.tracking.appearance import AppearanceMap, looks_other, rim_differs
from vision.tracking.belief import (
    INDEX,
    NAMED_BLANK,
    NOTHING,
    SYMBOLS,
    Belief,
    BoardBelief,
    likelihood_of,
    may_be_blank,
    normalise,
)
from vision.tracking.belief_update import Update, updated
from vision.tracking.change_model import (
    ChangeEvidence,
    Evidence,
    cut_off_tiles,
    gather_evidence,
)
from vision.tracking.occlusion import (
    UNREAD,
    beside_things,
    covered_squares,
    half_hidden,
    large_patches,
    with_hidden_parts,
)
from vision.tracking.reading_doubts import (
    back_or_letter,
    contradiction,
    may_be_back,
    symbol_name,
)

AMENDED: Final = 0.85
"""The symbol shown for a square stands until another is as likely as this."""

_RECALLED: Final = 0.98
"""The symbols known before a restart count like a reading with this probability."""

_EMPTY_AFTER_ALL: Final = 0.955
"""Probability of "empty" from which a square that could not be read is so: it is asked about, and
may hold a plain blank."""

_SURELY_EMPTY: Final = 0.9
"""Probability of "empty" from which a square's appearance is remembered as that."""

_LONE_BLANK: Final = 1e-4
"""How often a blank lies on a board on which no letter does."""

_IS_BLANK: Final = np.arange(len(SYMBOLS)) == INDEX[UNDESIGNATED]


@dataclass(frozen=True, slots=True)
class ReadingCorrection:
    """A square that an earlier turn's reading had wrong."""

    turn: int
    square: Square
    symbol: str
    why: str
    confirms: bool = False
    """True if it was right as far as it was read, and was asked about."""
    misoriented: str = ""
    """How the tile lies, where it is turned."""


@dataclass(frozen=True)
class TrackedBoard:
    """The board after a sighting, given all sightings before it.

    ``confidence``, float64 (15, 15), is of the symbols in ``rows``; ``same_appearance`` and
    ``covered``, bool (15, 15), are squares that look as they did and that something large covers.
    """

    rows: tuple[str, ...]
    confidence: NDArray[np.float64]
    corrections: tuple[ReadingCorrection, ...]
    doubts: tuple[Finding, ...]
    same_appearance: NDArray[np.bool_]
    covered: NDArray[np.bool_]
    belief: BoardBelief


class BoardTracker:
    """The belief about one board. ``update`` it by a sighting, then ``commit`` the result."""

    def __init__(self, detector: ChangeEvidence | None = None) -> None:
        """``detector`` compares two appearances of empty squares, where there is one."""
        self._detector = detector
        self._belief: BoardBelief | None = None
        self._as_read: dict[Square, NDArray[np.float64]] = {}
        """The belief in the blanks that are known, from their readings alone."""

    def update(
        self,
        reading: Reading,
        appearance: AppearanceMap,
        turn: int,
        turned: int = 0,
        in_sight: NDArray[np.bool_] | None = None,
    ) -> TrackedBoard:
        """Return the board after a reading in turn number ``turn``; ``commit`` remembers it.

        ``turned`` is how many corners further clockwise it begins than was guessed until now;
        ``in_sight`` are squares, bool (15, 15), that are known not to be covered.
        """
        likelihood, occlusion = likelihood_of(reading)
        old = self._belief
        old = old.turned(turned) if old is not None and turned else old
        if old is None:
            return _first(reading, likelihood, occlusion > UNREAD, appearance, turn)
        cut_off, hidden = cut_off_tiles(old, likelihood, appearance), occlusion > UNREAD
        unread = (_shows(reading.rows, UNREADABLE) | hidden) & ~cut_off
        evidence = gather_evidence(old, likelihood, hidden | cut_off, appearance, self._detector)
        frame = rim_differs(old.appearance, appearance)
        frame &= rim_differs(old.empty_appearance, appearance)  # else a hand lay there before
        bare = (old.best == NOTHING) & old.seen_empty & evidence.reads_empty
        tiles = (old.best != NOTHING) | ~evidence.reads_empty  # a sleeve reads as empty
        unread |= looks_other(old.empty_appearance, appearance, bare, tiles)
        covered = covered_squares(evidence.likelihood, unread, ~evidence.same, old.best, frame)
        covered = covered if in_sight is None else covered & ~in_sight
        parts = half_hidden(evidence.likelihood, covered)
        evidence = replace(
            evidence,
            half_hidden=parts,
            bare_blanks=old.bare_blanks(self._as_read, evidence.same) & evidence.reads_empty,
            likelihood=with_hidden_parts(evidence.likelihood, parts),
            occluded=evidence.occluded | covered,
            difference=np.where(covered, np.float32(np.inf), evidence.difference),
            not_bare=evidence.not_bare | beside_things(covered, frame),
        )
        new = updated(old, evidence, turn)
        return _tracked(old, evidence, covered, cut_off & ~covered, new, turn)

    def likeliest_turn(self, reading: Reading, appearance: AppearanceMap) -> int:
        """Return how many corners further clockwise the board seems to begin now."""
        old = self._belief
        return 0 if old is None else old.likeliest_turn(_shows(reading.rows, EMPTY), appearance)

    def recall(
        self,
        reading: Reading,
        appearance: AppearanceMap,
        board: Board,
        placed_in: Mapping[str, int],
    ) -> None:
        """Believe in a board that is known, and in a reading of a picture of it.

        ``placed_in`` is the turn that placed each tile, by its square.
        """
        likelihood, occlusion = likelihood_of(reading)
        rows = tuple(
            "".join(UNDESIGNATED if is_blank(symbol) else symbol for symbol in row)
            for row in board.rows
        )
        known = np.full(likelihood.shape, (1 - _RECALLED) / len(SYMBOLS))
        since_turn = np.zeros((SIZE, SIZE), np.int_)
        for row, line in enumerate(rows):
            for col, symbol in enumerate(line):
                if symbol != UNREADABLE:
                    known[row, col, INDEX[symbol]] += _RECALLED
                else:
                    known[row, col] = 1.0
                since_turn[row, col] = placed_in.get(Square(row, col).name, 0)
        likelihood = np.where((occlusion > UNREAD)[..., None], 1.0, likelihood)
        posterior, read = normalise(likelihood * known), normalise(likelihood)
        blanks = [place for place, symbol in board.tiles().items() if is_named_blank(symbol)]
        self._as_read = {place: read[place] for place in blanks if may_be_blank(read[place])}
        for place in self._as_read:
            posterior[place] = NAMED_BLANK
        self._belief = BoardBelief(
            posterior, rows, since_turn, appearance, appearance, _shows(rows, EMPTY)
        )

    def commit(self, tracked: TrackedBoard) -> None:
        """Remember the result of ``update``."""
        self._belief = tracked.belief

    def know_blanks(self, named: Mapping[Square, int]) -> None:
        """Believe that blanks lie on these squares, and on others no more than readings say.

        ``named`` is the turn that placed each; 0 where that is not known.
        """
        if self._belief is not None:
            self._belief, self._as_read = self._belief.with_blanks(named, self._as_read)

    def renumber(self, numbers: Mapping[int, int], placed_in: Mapping[str, int]) -> None:
        """Give the turns other numbers: ``numbers`` by the old ones, ``placed_in`` by square."""
        if self._belief is None:
            return
        since_turn = self._belief.since_turn.copy()
        for old, new in numbers.items():
            since_turn[self._belief.since_turn == old] = new
        for name, turn in placed_in.items():
            square = Square.parse(name)
            since_turn[square.row, square.col] = turn
        self._belief = replace(self._belief, since_turn=since_turn)


def _first(
    reading: Reading,
    likelihood: Belief,
    occluded: NDArray[np.bool_],
    appearance: AppearanceMap,
    turn: int,
) -> TrackedBoard:
    since_turn = np.full((SIZE, SIZE), turn)
    same = np.zeros((SIZE, SIZE), np.bool_)
    rows = reading.rows
    tiles = any(symbol.isalpha() or symbol == FACE_DOWN for row in rows for symbol in row)
    if turn == 0 and not tiles:
        likelihood = normalise(np.where(_IS_BLANK, _LONE_BLANK * likelihood, likelihood))
        empty = ~occluded & (likelihood.argmax(axis=-1) == NOTHING)
        rows = _joined(np.where(empty, EMPTY, [list(row) for row in rows]).tolist())
    else:
        empty = _surely_empty(rows, likelihood)
    belief = BoardBelief(likelihood, rows, since_turn, appearance, appearance, empty)
    covered = large_patches(_shows(rows, UNREADABLE) | occluded)
    return TrackedBoard(rows, likelihood.max(axis=-1), (), (), same, covered, belief)


def _tracked(
    old: BoardBelief,
    evidence: Evidence,
    covered: NDArray[np.bool_],
    cut_off: NDArray[np.bool_],
    new: Update,
    turn: int,
) -> TrackedBoard:
    hidden = evidence.occluded & ~evidence.same & ~cut_off
    symbols: list[list[str]] = []
    corrections: list[ReadingCorrection] = []
    doubts: list[Finding] = []
    for row, previous in enumerate(old.symbols):
        symbols.append([])
        for col, was in enumerate(previous):
            square = Square(row, col)
            symbol = _symbol(square, was, evidence, new)
            symbols[row].append(symbol)
            correction = _correction(square, was, symbol, old, new, turn)
            corrections += [] if correction is None else [correction]
            doubt = None
            if new.contradicted[square] and symbol == was:
                doubt = contradiction(square, symbol, evidence.likelihood)
            elif symbol == FACE_DOWN != was:
                doubt = back_or_letter(square, new.posterior)
            doubts += [] if doubt is None else [doubt]
    shown = np.array([[INDEX.get(symbol, NOTHING) for symbol in row] for row in symbols])
    confidence = np.take_along_axis(new.posterior, shown[..., None], axis=-1)[..., 0]
    rows = _joined(np.where(hidden, UNREADABLE, np.array(symbols)).tolist())
    empty = _surely_empty(rows, new.posterior) & ~evidence.not_bare
    now = evidence.appearance
    belief = BoardBelief(
        new.posterior,
        _joined(symbols),
        new.since_turn,
        now.replaced(hidden, old.appearance.relit(now, hidden, ~hidden)),
        old.empty_appearance.relit(now, ~empty, empty & old.seen_empty).replaced(empty, now),
        old.seen_empty | empty,
    )
    found = tuple(corrections), tuple(doubts)
    return TrackedBoard(rows, confidence, *found, evidence.same, covered, belief)


def _symbol(square: Square, was: str, evidence: Evidence, new: Update) -> str:
    """Return the symbol to show: the likeliest, unless that is too unsure to replace ``was``."""
    p = new.posterior[square]
    best = int(p.argmax())
    symbol = SYMBOLS[best] if p[best] >= UNCERTAIN else UNREADABLE
    if was == FACE_DOWN and evidence.occluded[square]:
        return was
    if was in (EMPTY, UNREADABLE, FACE_DOWN) and may_be_back(
        evidence.likelihood[square], symbol, occluded=bool(evidence.occluded[square])
    ):
        return FACE_DOWN
    if was == UNREADABLE and symbol == EMPTY and p[best] < _EMPTY_AFTER_ALL:
        return was
    if new.changed[square] or was in (UNREADABLE, symbol) or p[best] >= AMENDED:
        return symbol
    appears = was == EMPTY and symbol == UNREADABLE and not evidence.untouched[square]
    return symbol if appears else was


def _correction(
    square: Square, was: str, symbol: str, old: BoardBelief, new: Update, turn: int
) -> ReadingCorrection | None:
    """Return the correction of an earlier reading that a square's new symbol amounts to."""
    if not new.changed[square]:
        if symbol in (was, UNREADABLE) or new.since_turn[square] >= turn:
            return None  # what cannot be read now does not tell what was there
        sure = new.posterior[square].max()
        why = f"read again as {symbol_name(symbol)} ({sure:.0%}), first as {symbol_name(was)}"
        return ReadingCorrection(int(new.since_turn[square]), square, symbol, why)
    if new.late_placement[square] and was not in (EMPTY, UNREADABLE):
        why = f"taken for {symbol_name(was)}, and laid on only at turn {turn}"
        return ReadingCorrection(int(old.since_turn[square]), square, EMPTY, why)
    return None


def _shows(rows: Sequence[str], symbol: str) -> NDArray[np.bool_]:
    return np.array([[one == symbol for one in row] for row in rows])


def _surely_empty(rows: Sequence[str], posterior: Belief) -> NDArray[np.bool_]:
    return np.asarray(_shows(rows, EMPTY) & (posterior[..., NOTHING] >= _SURELY_EMPTY))


def _joined(rows: list[list[str]]) -> tuple[str, ...]:
    return tuple("".join(row) for row in rows)
