"""How the belief about each square changes by a new sighting: one step of a Bayes filter.

A square is bare or holds a tile with a symbol, and by the next sighting it is as it was or was
changed: a tile was placed on a bare square, one of the last play was withdrawn, an older one was
taken off, one was replaced or turned over. Three things are evidence, each a likelihood:

* the reading, of each symbol;
* how the square looks beside its last look: the same if it was kept, another if it was changed;
* how it looks beside its last bare look: the same if it is bare. Where these leave doubt, a network
  compares the two (``vision.change_detector``), which tells a blank as plain as its square from a
  shadow on it.

The joint probability of what lay there and what lies there gives all that is asked: what lies
there, whether it was changed, and whether what passed for a tile before was a bare square. A square
out of sight has no evidence, and its belief stays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import FACE_DOWN, SIZE
from vision.change_detector import Patches
from vision.light import median_around
from vision.tracking.appearance import AppearanceMap
from vision.tracking.belief import (
    BLANK,
    INDEX,
    NOTHING,
    PRIOR,
    SYMBOLS,
    Belief,
    BoardBelief,
    Squares,
    normalise,
)
from vision.tracking.occlusion import grown
from vision.tracking.square_model import MODEL

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
    """A new sighting of the board, compared with what is believed: arrays of (15, 15)."""

    read: Belief
    """float64 (15, 15, symbols): probabilities by the reading alone."""
    seen: Squares
    """The squares in sight."""
    again: Squares
    """The squares that show nothing that was not seen before."""
    appearance: AppearanceMap
    as_last: Map
    """How much likelier the look is if the square was kept than if it was changed."""
    as_bare: Map
    """How much likelier it is if the square is bare than if a tile lies there, where it was seen
    bare."""
    other: Squares
    """The squares that look rather like another thing than as they did."""
    silent: Squares
    """The squares whose reading and looks tell nothing: what lies beside them may."""


@dataclass(frozen=True)
class Update:
    """The belief after a sighting, and how it came about: arrays of (15, 15)."""

    posterior: Belief
    since_turn: NDArray[np.int_]
    replaced: NDArray[np.int_]
    """The index of the tile that another replaced, or ``NOTHING``."""
    changed: Squares
    late: Squares
    """Changed squares that were bare till now, and passed for something else."""
    contradicted: Squares
    """Squares whose reading disagrees with what is kept."""


def same_look(distance: NDArray[np.float32], seen: Squares) -> Map:
    """Return how much likelier distances are between looks of the same than of two things.

    They are measured against those of the squares ``seen`` around, as light and pose change the
    looks of all. ``distance`` is float32 (15, 15), by ``appearance_distance``.
    """
    noise = np.maximum(median_around(distance, seen), MODEL.noise)
    tight = (MODEL.unlike * noise / np.maximum(distance, MODEL.noise)) ** 3
    same = (1 - MODEL.shadow) * tight + MODEL.shadow
    return np.asarray(same / ((1 - MODEL.plain) + MODEL.plain * tight), np.float64)


def surely_bare(belief: Belief) -> Squares:
    """Return the squares that are bare for sure, even if blanks were as usual as bare squares."""
    bare, blank = belief[..., NOTHING] / PRIOR[NOTHING], belief[..., BLANK] / PRIOR[BLANK]
    alike = bare >= MODEL.sure * (bare + blank)
    return np.asarray(alike & (belief[..., NOTHING] >= MODEL.stands * belief.sum(axis=-1)))


def with_detected(
    old: BoardBelief, evidence: Evidence, detector: ChangeEvidence | None
) -> Evidence:
    """Return the evidence with the detector's instead of the looks', where a blank may lie unseen.

    It is asked of squares that read as plain, that were bare or held a blank before, and of which
    reading or look leaves doubt. Without a detector, nothing is known of them.
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
    """Return patches in whole grey levels."""
    rounded = patches if patches.dtype == np.uint8 else np.rint(patches)
    return rounded.astype(np.uint8, copy=False)


def updated(old: BoardBelief, evidence: Evidence, turn: int) -> Update:
    """Return the belief after a sighting in turn number ``turn``."""
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
    other = (tile - was[..., _BACK]) * MODEL.altered + was[..., _BACK] * MODEL.turned_over
    other *= others.max(axis=-1) / _TILES
    put_back = np.take_along_axis(others / PRIOR, old.replaced[..., None], axis=-1)[..., 0]
    other = np.maximum(other, tile * MODEL.put_back * put_back)
    taken = tile * going * gone
    kept = np.where(_IS_TILE, kept * (1 - going)[..., None], kept)
    change = placed + other + taken
    share = change / np.maximum(change + kept.sum(axis=-1), _LEAST**9)
    new = normalise(others) * (placed + other)[..., None]
    new[..., NOTHING] = taken
    further = normalise(kept * np.maximum(likelihood, _LEAST) ** (MODEL.again - 1))
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
        seen & ~changed & ~evidence.again & (agreement < 1 - MODEL.stands),
    )


def _going(old: BoardBelief, evidence: Evidence, gone: Map, kept: Map, turn: int) -> Map:
    """Return how likely the tile on each square is to have been taken off: float64 (15, 15).

    The tiles of a play are withdrawn together: each tells of the others by its likelihoods of being
    ``gone`` and of being ``kept``. A blank that comes to lie beside its square was pushed there.
    """
    play = (old.best != NOTHING) & (old.since_turn == turn - 1) & evidence.seen
    odds = np.where(play, np.log(np.maximum(gone, _LEAST) / np.maximum(kept, _LEAST)), 0.0)
    prior, most = (np.log(p / (1 - p)) for p in (MODEL.withdrawn, MODEL.surest))
    withdrawn = 1 / (1 + np.exp(-np.clip(prior + odds.sum() - odds, -most, most)))
    alone = np.where(play, np.maximum(withdrawn, MODEL.altered), MODEL.altered)
    blanks = evidence.read.argmax(axis=-1) == BLANK
    pushed = grown(blanks & (old.best == NOTHING) & evidence.seen) & (old.best == BLANK)
    return np.where(pushed, MODEL.surest, alone)
