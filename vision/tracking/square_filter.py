"""One step of the Bayes filter of each square: predict, then update by a sighting.

*Predict*: a square is bare or holds a tile with a symbol. By the next sighting it was kept, or a
tile was placed on it, withdrawn with its play, taken off, replaced or turned over.

*Update*: three likelihoods are evidence.

* The reading gives the likelihood of each symbol.
* The distance to the square's last appearance gives that of *kept* against *changed*.
* The distance to its last bare look gives that of *bare* against *tile*. Where these leave doubt, a
  network compares the two looks (``vision.change_detector``): it tells a blank as plain as its
  square from a shadow.

The joint posterior of the symbol before and after tells what lies there, whether it was changed,
and whether a square that was taken for a tile before was bare. An occluded square has no evidence:
its posterior is its prior.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import EMPTY, FACE_DOWN, SIZE, UNDESIGNATED, UNREADABLE, Square
from vision import labels
from vision.change_detector import Patches
from vision.decode import SYMBOL_ORDER
from vision.light import median_around
from vision.reading import Reading
from vision.tracking.appearance import AppearanceMap, appearance_distance
from vision.tracking.parameters import SQUARE

SYMBOLS: Final = SYMBOL_ORDER.replace(UNREADABLE, "")
"""The symbols that a square can show, in the order of the last axis of a belief."""

INDEX: Final = {symbol: at for at, symbol in enumerate(SYMBOLS)}
NOTHING: Final = INDEX[EMPTY]
BLANK: Final = INDEX[UNDESIGNATED]

_STATES: Final = {
    labels.SYMBOLS[state]: labels.PRIOR[state] for state in labels.PRIOR if state != "letter"
}
_LETTERS: Final = labels.PRIOR["letter"] / (len(SYMBOLS) - len(_STATES))
PRIOR: Final = np.array([_STATES.get(symbol, _LETTERS) for symbol in SYMBOLS])
"""Prior probability of each symbol. The classifier's posterior contains it."""

_FLOOR: Final = (1 - SQUARE.surest) / len(SYMBOLS)

NAMED_BLANK: Final = _FLOOR + SQUARE.surest * np.eye(len(SYMBOLS))[BLANK]
"""The posterior of a blank that somebody has named: float64 (symbols,)."""

Belief = NDArray[np.float64]
"""float64 (15, 15, symbols): probabilities in the order of ``SYMBOLS``, summing to 1."""

Squares = NDArray[np.bool_]
"""bool (15, 15)."""

AsRead = Mapping[Square, NDArray[np.float64]]
"""The posterior of each named blank before it was named: float64 (symbols,)."""


@dataclass(frozen=True)
class BoardBelief:
    """The posterior of the board after the sightings so far, with the looks of its squares."""

    posterior: Belief
    symbols: NDArray[np.str_]
    """(15, 15), the symbols shown."""
    since_turn: NDArray[np.int_]
    """int (15, 15), the number of the turn in which each square got its symbol."""
    appearance: AppearanceMap
    """The board's pixels at the last sighting."""
    empty_appearance: AppearanceMap
    """The pixels of each square when it was last seen empty."""
    seen_empty: Squares
    """The squares that have been seen empty."""
    replaced: NDArray[np.int_]
    """int (15, 15), the index of the tile that was replaced on each square, or ``NOTHING``."""

    @property
    def best(self) -> NDArray[np.int_]:
        """The index of each square's likeliest symbol: int (15, 15)."""
        return np.asarray(self.posterior.argmax(axis=-1))

    def with_blanks(
        self, named: Mapping[Square, int], as_read: AsRead
    ) -> tuple[BoardBelief, dict[Square, NDArray[np.float64]]]:
        """Return the posterior with named blanks, and each blank's posterior before it was named.

        ``named`` maps the square of each blank to the number of the turn that placed it; 0 if
        unknown. Squares that cannot hold a blank are ignored. Where a name was taken back, the
        posterior is that of ``as_read`` again.
        """
        posterior, symbols = self.posterior.copy(), self.symbols.copy()
        since_turn, kept = self.since_turn.copy(), dict(as_read)
        for square in as_read.keys() - named.keys():
            posterior[square] = kept.pop(square)
            symbols[square] = SYMBOLS[posterior[square].argmax()]
        for square in named.keys() - as_read.keys():
            if may_be_blank(posterior[square]):
                kept[square] = posterior[square].copy()
                posterior[square] = NAMED_BLANK
                symbols[square] = UNDESIGNATED
                since_turn[square] = named[square] or since_turn[square]
        new = replace(self, posterior=posterior, symbols=symbols, since_turn=since_turn)
        return new, kept

    def bare_blanks(self, as_read: AsRead, same: Squares) -> Squares:
        """Return the named blanks that may be there although their squares read as empty.

        They read so when they were named, by ``as_read``; or their squares look the ``same`` and no
        bare look of them is known, as in a game that was resumed.
        """
        found, untouched = np.zeros((SIZE, SIZE), np.bool_), same & ~self.seen_empty
        for square, symbols in as_read.items():
            found[square] = symbols.argmax() == NOTHING or untouched[square]
        return np.asarray(found & (self.best == BLANK))

    def turned(self, turns: int) -> BoardBelief:
        """Return the posterior with the first corner ``turns`` corners further clockwise."""
        return BoardBelief(
            np.rot90(self.posterior, turns),
            np.rot90(self.symbols, turns),
            np.rot90(self.since_turn, turns),
            self.appearance.turned(turns),
            self.empty_appearance.turned(turns),
            np.rot90(self.seen_empty, turns),
            np.rot90(self.replaced, turns),
        )

    def likeliest_turn(self, reads_empty: Squares, appearance: AppearanceMap) -> int:
        """Return the likeliest quarter turns clockwise from this board to the one in a picture.

        The appearance of the squares that read as empty there is the evidence.
        """
        unlike = []
        for turns in range(4):
            old = self.turned(turns)
            bare = old.seen_empty & reads_empty
            distance = appearance_distance(old.empty_appearance, appearance, bare)
            unlike.append(float(distance[bare].mean()) if bare.any() else np.inf)
        likeliest = int(np.argmin(unlike))
        return likeliest if unlike[likeliest] < SQUARE.stands * unlike[0] else 0


def may_be_blank(symbols: NDArray[np.float64]) -> bool:
    """True if a square may hold a blank that somebody has named: its posterior allows one.

    ``symbols`` is the posterior of the square, float64 (symbols,).
    """
    others = np.delete(symbols, [NOTHING, BLANK])
    return bool(symbols[BLANK] > max(1 - SQUARE.surest, others.max()))


def normalise(weights: Belief) -> Belief:
    """Scale to a sum of 1 over the symbols, each at least a small floor."""
    share = weights / np.maximum(weights.sum(axis=-1, keepdims=True), 1e-300)
    share = np.maximum(share, _FLOOR)
    return np.asarray(share / share.sum(axis=-1, keepdims=True), dtype=np.float64)


def read_probabilities(reading: Reading) -> tuple[Belief, NDArray[np.float64]]:
    """Return each square's likelihoods by a reading, and its probability of being occluded.

    float64 (15, 15, symbols) and (15, 15). The likelihoods of an occluded square are its prior.
    """
    posterior = posterior_of(reading)
    occluded = posterior[..., SYMBOL_ORDER.index(UNREADABLE)]
    seen = posterior[..., [SYMBOL_ORDER.index(symbol) for symbol in SYMBOLS]]
    return seen + occluded[..., None] * PRIOR / PRIOR.sum(), occluded


def posterior_of(reading: Reading) -> NDArray[np.float64]:
    """Return float64 (15, 15, symbols) in the order of ``SYMBOL_ORDER``, summing to 1."""
    if reading.posterior is not None:
        share = reading.posterior.astype(np.float64)
    else:
        share = np.zeros((SIZE, SIZE, len(SYMBOL_ORDER)))
        for row, line in enumerate(reading.rows):
            for col, symbol in enumerate(line):
                guesses = reading.guesses.get(Square(row, col))
                if guesses is None:
                    guesses = ((symbol, float(reading.confidence[row, col])),)
                if guesses[0][0] == UNREADABLE:
                    guesses = ((UNREADABLE, 1.0),)
                for guess, p in guesses:
                    share[row, col, SYMBOL_ORDER.index(guess)] = p
        # The rest may be anything.
        share += np.maximum(1 - share.sum(axis=-1, keepdims=True), 0) / len(SYMBOL_ORDER)
    share += 1e-6
    return np.asarray(share / share.sum(axis=-1, keepdims=True), dtype=np.float64)


def grown(squares: Squares) -> Squares:
    """Return the squares and all their neighbours, diagonal ones too: bool, as ``squares``."""
    return cv2.dilate(squares.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0


_BACK: Final = INDEX[FACE_DOWN]
_IS_TILE: Final = np.arange(len(SYMBOLS)) != NOTHING
_TILES: Final = PRIOR[_IS_TILE].sum()
_RARITY: Final = np.where(np.arange(len(SYMBOLS)) == BLANK, PRIOR / _TILES, 1.0)
_LEAST: Final = 1e-9

Map = NDArray[np.float64]

ChangeEvidence = Callable[[Patches, Patches, NDArray[np.intp]], Map]
"""Log-likelihood ratio, in nats, of "a tile was placed" against "nothing was", for some squares
before and after: ``vision.change_detector``."""


@dataclass(frozen=True)
class Evidence:
    """The evidence of a sighting, given the prior: arrays of (15, 15)."""

    read: Belief
    """float64 (15, 15, symbols): probabilities by the reading alone."""
    seen: Squares
    """The squares in sight."""
    again: Squares
    """The squares whose reading is no new evidence: they look the same, or are partly occluded."""
    appearance: AppearanceMap
    as_last: Map
    """Likelihood ratio of the distance to the last appearance: *kept* over *changed*."""
    as_bare: Map
    """Likelihood ratio of the distance to the last bare appearance: *bare* over *tile*."""
    other: Squares
    """The squares that probably show another thing than before, by their appearance."""
    silent: Squares
    """The squares whose reading and appearance are not used as evidence."""


@dataclass(frozen=True)
class Update:
    """The posterior after a sighting, and how it came about: arrays of (15, 15)."""

    posterior: Belief
    since_turn: NDArray[np.int_]
    replaced: NDArray[np.int_]
    """The index of the symbol whose tile another one replaced; ``NOTHING`` if none did."""
    changed: Squares
    late: Squares
    """Changed squares that were bare until this sighting, although read as something else."""
    contradicted: Squares
    """Squares whose reading contradicts the symbol that is kept."""


def same_look(distance: NDArray[np.float32], seen: Squares) -> Map:
    """Return the likelihood ratio of distances in appearance: the same thing over another thing.

    The scale is the median distance of the squares ``seen`` around, as light and pose change all
    looks. ``distance`` is float32 (15, 15), by ``appearance_distance``.
    """
    noise = np.maximum(median_around(distance, seen), SQUARE.noise)
    tight = (SQUARE.unlike * noise / np.maximum(distance, SQUARE.noise)) ** 3
    same = (1 - SQUARE.shadow) * tight + SQUARE.shadow
    return np.asarray(same / ((1 - SQUARE.plain) + SQUARE.plain * tight), np.float64)


def surely_bare(belief: Belief) -> Squares:
    """Return the squares that are surely bare, even if blanks were as frequent as bare squares."""
    bare, blank = belief[..., NOTHING] / PRIOR[NOTHING], belief[..., BLANK] / PRIOR[BLANK]
    alike = bare >= SQUARE.sure * (bare + blank)
    return np.asarray(alike & (belief[..., NOTHING] >= SQUARE.stands * belief.sum(axis=-1)))


def with_detected(
    old: BoardBelief, evidence: Evidence, detector: ChangeEvidence | None
) -> Evidence:
    """Return the evidence; where a blank may be unseen, the detector's replaces the appearance's.

    The detector is used for squares that read as plain, that were empty or held a blank before, and
    that reading or appearance leave in doubt. Without a detector these squares get no evidence from
    their appearance.
    """
    read = evidence.read
    nothing, blank = read[..., NOTHING], read[..., BLANK]
    missed = (old.best == BLANK) & (nothing > blank)
    doubtful = ~surely_bare(read) | (evidence.as_bare < 1)
    asked = missed | ((old.best == NOTHING) & doubtful)
    asked &= evidence.seen & old.seen_empty & (nothing + blank > read.sum(axis=-1) / 2)
    squares = np.flatnonzero(asked)
    if not len(squares):
        return evidence
    # Tiles that lie there already are compared with themselves: so the light's change is told.
    tiles = ((old.best != NOTHING) & ~asked).reshape(-1, 1, 1, 1)
    before = np.where(tiles, old.appearance.patches, old.empty_appearance.patches)
    nats = np.zeros(SIZE * SIZE)
    if detector is not None:
        nats[squares] = detector(_whole(before), _whole(evidence.appearance.patches), squares)
    ratio = np.exp(nats.reshape(SIZE, SIZE))
    read = normalise(np.where(_IS_TILE, read * ratio[..., None], read))
    as_last, as_bare = (
        np.where(asked & ~missed, 1.0, each) for each in (evidence.as_last, evidence.as_bare)
    )
    return replace(evidence, read=read, as_last=as_last, as_bare=as_bare)


def _whole(patches: Patches | NDArray[np.float32]) -> Patches:
    """Return patches rounded to whole grey levels: uint8."""
    rounded = patches if patches.dtype == np.uint8 else np.rint(patches)
    return rounded.astype(np.uint8, copy=False)


def updated(old: BoardBelief, evidence: Evidence, turn: int) -> Update:
    """Return the posterior after a sighting in turn number ``turn``."""
    was, seen, silent = old.posterior, evidence.seen, evidence.silent[..., None]
    read = np.where(silent, PRIOR, evidence.read)
    bare_before = old.best == NOTHING
    # What passes for a tile on a bare square passes for it again: its rarity counts each time.
    likelihood = np.where(bare_before[..., None], read, read / PRIOR)
    as_bare = np.where(old.seen_empty, evidence.as_bare, evidence.as_last)
    # A reading of a bare square tells by itself what it means that it looks otherwise.
    as_bare = np.where(bare_before, np.maximum(as_bare, 1.0), as_bare)
    looks = np.where(_IS_TILE, evidence.as_last[..., None], as_bare[..., None])
    kept = was * likelihood * np.where(silent, 1.0, looks)
    tile = np.maximum(1 - was[..., NOTHING], _LEAST)
    known = old.seen_empty & ~evidence.silent
    gone = likelihood[..., NOTHING] * np.where(known, as_bare, 1.0)
    going = _going(old, evidence, gone, kept[..., _IS_TILE].sum(axis=-1) / tile, turn)
    others = read * _IS_TILE
    np.put_along_axis(others, old.best[..., None], 0.0, axis=-1)
    # What reads as many symbols reads as none: the likeliest one counts. A reading contains the
    # prior of a tile's having been placed on a bare square.
    placed = was[..., NOTHING] * others.max(axis=-1)
    other = (tile - was[..., _BACK]) * SQUARE.altered + was[..., _BACK] * SQUARE.put_right
    other *= others.max(axis=-1) / _TILES
    put_back = np.take_along_axis(others / PRIOR, old.replaced[..., None], axis=-1)[..., 0]
    put_back = np.maximum(put_back, _exchanged(old, evidence, others / PRIOR))
    other = np.maximum(other, tile * SQUARE.put_right * put_back)
    taken = tile * going * gone
    kept = np.where(_IS_TILE, kept * (1 - going)[..., None], kept)
    change = placed + other + taken
    share = change / np.maximum(change + kept.sum(axis=-1), _LEAST**9)
    new = normalise(others) * (placed + other)[..., None]
    new[..., NOTHING] = taken
    further = normalise(kept * np.maximum(likelihood, _LEAST) ** (SQUARE.again - 1))
    alone = normalise(read * looks)
    surer = (alone.max(axis=-1) > was.max(axis=-1))[..., None]
    further = np.where(evidence.again[..., None], np.where(surer, alone, was), further)
    posterior = normalise((1 - share)[..., None] * further + share[..., None] * normalise(new))
    changed = seen & (share > 0.5)
    # A tile that was replaced is reported: that nothing was is no explanation of later views.
    replaced = changed & ~bare_before & (other > taken)
    posterior = np.where(replaced[..., None], normalise(new), posterior)
    touched = seen & bare_before & old.seen_empty & evidence.other
    # A blank that reads as bare, at odds that the rarity of blanks explains, is no contradiction.
    agreement = (was * normalise(read / _RARITY)).sum(axis=-1)
    return Update(
        np.where((seen & (changed | ~evidence.silent))[..., None], posterior, was),
        # Should a touched square turn out to hold a tile, it was placed now.
        np.where(changed | touched, turn, old.since_turn),
        np.where(replaced, old.best, np.where(changed, NOTHING, old.replaced)),
        changed,
        changed & ~bare_before & (placed > other + taken),
        seen & ~changed & ~evidence.again & (agreement < 1 - SQUARE.stands),
    )


def _exchanged(old: BoardBelief, evidence: Evidence, others: Belief) -> Map:
    """Return the likelihood that each square holds a tile that another one has lost: (15, 15).

    ``others`` has the likelihoods of each symbol but the likeliest so far. Exchanged tiles both
    look otherwise.
    """
    other = evidence.other & evidence.seen & (old.best != NOTHING)
    now = np.take_along_axis(evidence.read, old.best[..., None], axis=-1)[..., 0]
    lost = np.unique(old.best[other & (now < 1 - SQUARE.sure)])
    return np.where(other & ~evidence.again, others[..., lost].max(axis=-1, initial=0.0), 0.0)


def _going(old: BoardBelief, evidence: Evidence, gone: Map, kept: Map, turn: int) -> Map:
    """Return the prior probability that the tile on each square was taken off: float64 (15, 15).

    The tiles of a play are withdrawn together: each is evidence for the others, by its likelihoods
    of being ``gone`` and of being ``kept``. A blank that comes to lie beside its square was pushed
    there.
    """
    play = (old.best != NOTHING) & (old.since_turn == turn - 1) & evidence.seen
    odds = np.where(play, np.log(np.maximum(gone, _LEAST) / np.maximum(kept, _LEAST)), 0.0)
    prior, most = (np.log(p / (1 - p)) for p in (SQUARE.withdrawn, SQUARE.surest))
    withdrawn = 1 / (1 + np.exp(-np.clip(prior + odds.sum() - odds, -most, most)))
    alone = np.where(play, np.maximum(withdrawn, SQUARE.altered), SQUARE.altered)
    blanks = evidence.read.argmax(axis=-1) == BLANK
    pushed = grown(blanks & (old.best == NOTHING) & evidence.seen) & (old.best == BLANK)
    return np.where(pushed, SQUARE.surest, alone)
