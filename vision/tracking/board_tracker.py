"""What is known of each square from one sighting to the next.

A tile is read again at every turn of the game, in another light, half in a shadow, under a passing
sleeve. Tiles do not change by themselves, so every reading of the same tile is evidence of what it
is. It is gathered square by square, by what can have happened and never by what the rules would
like. With ``b`` what is believed and ``p`` what the new reading says, a square either

* **holds what it held.** How well the two agree, the sum of ``b·p``, says how likely that is; then
  ``p`` is added to what is believed, tempered, because readings of one tile share their faults, and
  without what every reading takes for granted: that blanks are rare is said once.
  The same pixels tell nothing twice: of what looks as it did, the surer reading stands;
* **or was changed.** Then ``p`` alone counts, times how rarely that happens: often for an empty
  square that looks different (``vision.tracking.appearance``), now and then for a tile of the turn
  before, which may have been withdrawn, seldom for an older one, all but never for a square that
  looks exactly as it did. What was taken for a tile may also have been empty all along and be laid
  on only now. An empty square that does not read as a letter is compared with how it looked when it
  was last seen empty (``vision.change_detector``), which tells a blank as plain as its square from
  a shadow on it. One that looks otherwise while all around it looks as before was touched. That
  alone makes no tile, but should one be read there later, then it was laid when the square was
  touched.

What is shown for a square is its likeliest symbol. Should that turn out another one than was shown,
without the square having been changed, then the earlier reading was wrong: that is handed on as a
correction of the turn in which the square came to be as it is, not as a tile that somebody swapped.
Where a tile is kept although a square that looks different contradicts it, an
``uncertain_square`` finding says so. A square that is hidden now is shown as unreadable, and what
was believed of it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, FACE_DOWN, SIZE, UNDESIGNATED, UNREADABLE, Board, Square, is_blank
from game.events import Finding
from vision.change_detector import Patches
from vision.reader import UNCERTAIN
from vision.reading import Reading
from vision.tracking import belief
from vision.tracking.appearance import SAME_APPEARANCE, AppearanceMap, apart
from vision.tracking.belief import INDEX, NOTHING, SYMBOLS, Belief

PLACEMENT_RATE: Final = 0.5
"""How often an empty square that looks different has been given a tile."""

WITHDRAWN: Final = 0.05
"""How often, in a turn, a tile of the turn before is taken away: phoneys are withdrawn."""

REMOVED: Final = 0.002
"""How often an older one is."""

CLEARED: Final = 0.5
"""How often a tile was taken away whose square looks as it did before the tile was laid."""

REPLACED: Final = 0.005
"""How often another tile comes to lie in its place."""

TURNED_OVER: Final = 0.3
"""How often a tile that lies face down is turned over."""

UNSEEN_CHANGE: Final = 1e-4
"""How often a tile was changed although its square looks as it did."""

UNSEEN_PLACEMENT_RATE: Final = 1 - UNCERTAIN
"""The same of an empty square that reads as a tile now: a blank can be as plain as its square. Of
32,000 empty squares of simulated games that looked as before, four had been given a blank; those
read as one with 41% to 99%, and none of the others with more than 38%. So a reading counts that is
sure enough to be shown."""

ANOTHER_LOOK: Final = 0.7
"""What a further reading of the same tile counts, in another light."""

AMEND: Final = 0.85
"""What was shown for a square stands until another symbol is as likely as this."""

_RECALLED: Final = 0.98
"""What was known of a board before a restart counts like a reading as sure as this."""

_SUREST: Final = 0.9995
"""No number of readings makes surer than this: the tile may be read wrong for a reason."""

_UNLIKE: Final = 0.05
"""How likely a square that has been emptied looks as it did with its tile and not as without."""

_TELLING: Final = 0.02
_FURTHER: Final = 2.0
"""The looks with and without a tile tell when one is at least so far off, and so many times as far
as the other: looks at a square that nobody touched differ by 0.002 to 0.01."""

_IS_NOTHING: Final = np.arange(len(SYMBOLS)) == NOTHING

_STANDS_OUT: Final = 3.0
"""A touched square differs so many times as much as three in four around it do."""

_STRANGE: Final = 0.15
"""What differs more is no blank of nearly its square's colour: it would read as what it is."""

_AROUND: Final = 5
"""Squares along the side of what is around one."""

_SURELY: Final = 0.9
"""How sure it must be that a square is empty for its look to be remembered as that."""

_FAINT: Final = (1 - _SUREST) / len(SYMBOLS)
_HIDDEN: Final = 0.5
_AT_ODDS: Final = 0.1
"""A reading that agrees less than this with what is shown contradicts it."""

_COMPARED: Final = 60
"""Empty squares that are compared with how they looked before, at most: those that differ most."""

_MAY_BE: Final = 0.02
"""Those that look as they did are, too, if they may be a blank as likely as this."""

ChangeEvidence = Callable[[Patches, Patches, NDArray[np.intp]], NDArray[np.float64]]
"""How much two looks, before and after, speak for something having been laid on some squares, in
nats: ``vision.change_detector``."""


@dataclass(frozen=True, slots=True)
class ReadingCorrection:
    """A square that an earlier turn's reading had wrong."""

    turn: int
    square: Square
    symbol: str
    why: str


@dataclass(frozen=True)
class BoardBelief:
    """What is known of the board. ``since`` is the turn in which a square came to be as it is."""

    belief: Belief
    shown: tuple[str, ...]
    since: NDArray[np.int_]
    looks: AppearanceMap
    bare: AppearanceMap
    """How each square looked when it was last seen empty."""
    was_bare: NDArray[np.bool_]
    """Which have been."""


@dataclass(frozen=True)
class TrackedBoard:
    """A sighting after all that was known was weighed in.

    ``confidence`` is float64 (15, 15), of what ``rows`` show; ``same_look`` bool (15, 15).
    """

    rows: tuple[str, ...]
    confidence: NDArray[np.float64]
    corrections: tuple[ReadingCorrection, ...]
    doubts: tuple[Finding, ...]
    same_look: NDArray[np.bool_]
    known: BoardBelief


class BoardTracker:
    """The squares as last known. ``update`` a sighting, then ``commit`` what came of it."""

    def __init__(self, change_evidence: ChangeEvidence | None = None) -> None:
        """``change_evidence`` compares two looks at empty squares, where anything can."""
        self._change_evidence = change_evidence
        self._known: BoardBelief | None = None

    def update(self, reading: Reading, looks: AppearanceMap, turn: int) -> TrackedBoard:
        """Weigh a new reading, seen in turn number ``turn``, against what is known.

        Changes nothing that is known; ``commit`` does.
        """
        said, hidden = belief.of(reading)
        if self._known is None:
            return _first(reading, said, looks, turn)
        away, bare = hidden > _HIDDEN, apart(self._known.bare, looks)
        if self._change_evidence is not None:
            said = _compared(self._known, said, away, looks, bare, self._change_evidence)
        return _updated_belief(self._known, said, away, looks, bare, turn)

    def recall(
        self, reading: Reading, looks: AppearanceMap, board: Board, laid: Mapping[str, int]
    ) -> None:
        """Remember a board from a reading of it and what it is known to show.

        ``laid`` is the turn that laid each tile, by its square.
        """
        said, hidden = belief.of(reading)
        rows = tuple(
            "".join(UNDESIGNATED if is_blank(symbol) else symbol for symbol in row)
            for row in board.rows
        )
        share = np.full(said.shape, (1 - _RECALLED) / len(SYMBOLS))
        since = np.zeros((SIZE, SIZE), np.int_)
        for row, line in enumerate(rows):
            for col, symbol in enumerate(line):
                if symbol != UNREADABLE:
                    share[row, col, INDEX[symbol]] += _RECALLED
                else:
                    share[row, col] = 1.0
                since[row, col] = laid.get(Square(row, col).name, 0)
        said = np.where((hidden > _HIDDEN)[..., None], 1.0, said)
        shown = np.array([[symbol == EMPTY for symbol in line] for line in rows])
        self._known = BoardBelief(_normalised(said * share), rows, since, looks, looks, shown)

    def commit(self, merged: TrackedBoard) -> None:
        """Remember what a sighting came to."""
        self._known = merged.known


def _first(reading: Reading, said: Belief, looks: AppearanceMap, turn: int) -> TrackedBoard:
    since = np.full((SIZE, SIZE), turn)
    same = np.zeros((SIZE, SIZE), np.bool_)
    empty = _surely_empty(reading.rows, said)
    known = BoardBelief(said, reading.rows, since, looks, looks, empty)
    return TrackedBoard(reading.rows, said.max(axis=-1), (), (), same, known)


def _updated_belief(
    old: BoardBelief,
    said: Belief,
    hidden: NDArray[np.bool_],
    looks: AppearanceMap,
    bare: NDArray[np.float32],
    turn: int,
) -> TrackedBoard:
    """``bare`` is how far each square looks from how it looked empty."""
    differs = apart(old.looks, looks)
    same, alike = differs < SAME_APPEARANCE, differs < _TELLING
    held = old.belief.argmax(axis=-1)
    empty = (held == NOTHING) & old.was_bare & ~hidden
    touched = _touched(differs, empty & (said.argmax(axis=-1) == NOTHING))
    gone = (held != NOTHING) & (said.argmax(axis=-1) == NOTHING) & old.was_bare
    cleared = gone & (bare < SAME_APPEARANCE) & (_FURTHER * bare < differs)
    # A square that looks as it did with its tile, and not as it did without, is not empty.
    there = gone & same & (bare > _TELLING) & (bare > _FURTHER * differs)
    said = np.where((there[..., None] & _IS_NOTHING), _UNLIKE * said, said)
    said = said / said.sum(axis=-1, keepdims=True)
    agree = (old.belief * said).sum(axis=-1)
    rate, laid_late = _rates(old, held, said, (same, alike), turn)
    rate = np.where(cleared, CLEARED, rate)
    # What is new must be new: the likeliest symbol apart from the one that lay there.
    others = said.copy()
    np.put_along_axis(others, held[..., None], 0.0, axis=-1)
    new, stays = others.max(axis=-1) * rate, agree * (1 - rate)
    changed = (new > stays) & ~hidden
    # An empty square that comes to show a tile was given one; that is weighed above.
    news = np.where((held == NOTHING)[..., None], said, said / belief.USUAL)
    gathered = _normalised(old.belief * news**ANOTHER_LOOK)
    surer = np.where((said.max(axis=-1) > old.belief.max(axis=-1))[..., None], said, old.belief)
    gathered = np.where(same[..., None], surer, gathered)
    # As likely as it was changed, as likely does it show what is new.
    share = (new / np.maximum(new + stays, 1e-300))[..., None]
    gathered = (1 - share) * gathered + share * _normalised(others)
    gathered = np.where(hidden[..., None], old.belief, gathered)
    after = np.where(changed[..., None], said, gathered)
    # Should a square that was touched turn out to hold a tile, it was laid now.
    since = np.where(changed | touched, turn, old.since)

    # That a blank reads as empty at odds that blanks are rare accounts for contradicts nothing.
    faint = (old.belief * _normalised(news)).sum(axis=-1)
    at_odds = np.where(held == INDEX[UNDESIGNATED], faint, agree) < _AT_ODDS
    best, sure = after.argmax(axis=-1), after.max(axis=-1)
    shown = [list(row) for row in old.shown]
    rows = [list(row) for row in old.shown]
    corrections: list[ReadingCorrection] = []
    doubts: list[Finding] = []
    for row in range(SIZE):
        for col in range(SIZE):
            square = Square(row, col)
            symbol = SYMBOLS[best[square]] if sure[square] >= UNCERTAIN else UNREADABLE
            was = old.shown[row][col]
            if not changed[square]:
                unsure = was not in (UNREADABLE, symbol) and sure[square] < AMEND
                if unsure and (was != EMPTY or alike[square] or symbol != UNREADABLE):
                    symbol = was  # nothing surely better to show
                if symbol != was and since[square] < turn:
                    why = (
                        f"read again as {_symbol_name(symbol)} ({sure[square]:.0%}), "
                        f"first as {_symbol_name(was)}"
                    )
                    corrections.append(ReadingCorrection(int(since[square]), square, symbol, why))
            elif laid_late[square] and was not in (EMPTY, UNREADABLE):
                why = f"taken for {_symbol_name(was)}, and laid on only at turn {turn}"
                corrections.append(ReadingCorrection(int(old.since[square]), square, EMPTY, why))
            shown[row][col] = symbol
            rows[row][col] = UNREADABLE if hidden[square] and not same[square] else symbol
            odd = at_odds[square] and not same[square]
            if odd and not hidden[square] and not changed[square] and symbol == was:
                doubt = _doubt(square, symbol, said)
                doubts += [] if doubt is None else [doubt]
    confidence = np.take_along_axis(after, _indices(shown)[..., None], axis=-1)[..., 0]
    empty = _surely_empty(_joined(rows), after)
    seen_bare = old.bare.but(empty, looks)
    known = BoardBelief(after, _joined(shown), since, looks, seen_bare, old.was_bare | empty)
    return TrackedBoard(_joined(rows), confidence, tuple(corrections), tuple(doubts), same, known)


def _compared(
    old: BoardBelief,
    said: Belief,
    hidden: NDArray[np.bool_],
    looks: AppearanceMap,
    bare: NDArray[np.float32],
    change_evidence: ChangeEvidence,
) -> Belief:
    """The reading, once squares that were empty are compared with how they looked.

    What reads as a letter, or by its moulding as a back, needs no comparison; a blank may be as
    plain as its square.
    """
    plain = said[..., NOTHING] + said[..., INDEX[UNDESIGNATED]]
    asked = (old.belief.argmax(axis=-1) == NOTHING) & old.was_bare & ~hidden & (plain > 0.5)
    asked &= (bare > _TELLING / 2) | (plain - said[..., NOTHING] > _MAY_BE)
    squares = np.flatnonzero(asked)
    squares = squares[np.argsort(-bare.ravel()[squares])][:_COMPARED]
    if len(squares) == 0:
        return said
    nats = np.zeros(SIZE * SIZE)
    nats[squares] = change_evidence(old.bare.patches, looks.patches, squares)
    log_likelihood_ratio = nats.reshape(SIZE, SIZE, 1)
    return _normalised(
        said * np.exp(np.where(_IS_NOTHING, -log_likelihood_ratio, log_likelihood_ratio) / 2)
    )


def _touched(differs: NDArray[np.float32], quiet: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which squares that still read as empty something was laid on, or was done to: bool (15, 15).

    They differ from how they looked before, and those around them do not: a shadow's edge, or light
    that changed, is no touch.
    """
    reach = _AROUND // 2
    known = np.pad(np.where(quiet, differs, np.nan), reach, constant_values=np.nan)
    around = np.lib.stride_tricks.sliding_window_view(known, (_AROUND, _AROUND))
    sorted_ = np.sort(around.reshape(SIZE, SIZE, -1), axis=-1)  # what is not known comes last
    count = np.isfinite(sorted_).sum(axis=-1)
    at = np.maximum(3 * count // 4 - 1, 0)
    usual = np.take_along_axis(sorted_, at[..., None], axis=-1)[..., 0]
    stands_out = differs > _STANDS_OUT * np.nan_to_num(usual, nan=np.inf)
    return np.asarray(quiet & stands_out & (differs > _TELLING) & (differs < _STRANGE))


def _rates(
    old: BoardBelief,
    held: NDArray[np.int_],
    said: Belief,
    looks: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    turn: int,
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How often squares such as these are changed in a turn.

    And whether the likeliest change of each would be a first tile, on a square that was taken for
    something else and was empty: float64 and bool (15, 15). ``looks`` says which squares look the
    same, and which of them so alike that nobody touched them.
    """
    same, alike = looks
    taken = said.argmax(axis=-1) == NOTHING
    gone = np.where(old.since == turn - 1, WITHDRAWN, REMOVED)
    first = old.belief[..., NOTHING] * PLACEMENT_RATE
    other = np.where(held == INDEX[FACE_DOWN], TURNED_OVER, REPLACED)
    laid_late = (held != NOTHING) & ~taken & (first > other)
    rate = np.where(taken, gone, np.where(laid_late, first, other))
    rate = np.where(held == NOTHING, PLACEMENT_RATE, rate)
    laid = np.where(alike, UNSEEN_PLACEMENT_RATE, PLACEMENT_RATE)
    unseen = np.where(held == NOTHING, laid, UNSEEN_CHANGE)
    return np.where(same, unseen, rate), laid_late


def _surely_empty(rows: Sequence[str], belief: Belief) -> NDArray[np.bool_]:
    shown = np.array([[symbol == EMPTY for symbol in row] for row in rows])
    return np.asarray(shown & (belief[..., NOTHING] >= _SURELY))


def _normalised(gathered: Belief) -> Belief:
    """Summing to 1, and nowhere quite sure or quite impossible."""
    share = gathered / np.maximum(gathered.sum(axis=-1, keepdims=True), 1e-300)
    share = np.maximum(share, _FAINT)
    return np.asarray(share / share.sum(axis=-1, keepdims=True), dtype=np.float64)


def _doubt(square: Square, symbol: str, said: Belief) -> Finding | None:
    """What to say of a tile that is kept although it now reads as another one."""
    now = int(said[square].argmax())
    if symbol in (EMPTY, UNREADABLE) or said[square][now] < UNCERTAIN:
        return None
    return Finding(
        "uncertain_square",
        square.name,
        f"looks like {_symbol_name(SYMBOLS[now])} ({said[square][now]:.0%}) now, "
        f"was taken for {_symbol_name(symbol)}",
    )


def _indices(shown: list[list[str]]) -> NDArray[np.int_]:
    return np.array([[INDEX.get(symbol, NOTHING) for symbol in row] for row in shown])


def _joined(rows: list[list[str]]) -> tuple[str, ...]:
    return tuple("".join(row) for row in rows)


def _symbol_name(symbol: str) -> str:
    return {EMPTY: "empty", UNREADABLE: "unreadable", "?": "a blank", "#": "face down"}.get(
        symbol, symbol
    )
