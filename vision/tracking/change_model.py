"""How likely a square was changed between two sightings, given how it looks and reads now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from game.board import FACE_DOWN, SIZE, UNDESIGNATED
from vision.assembling import UNCERTAIN
from vision.change_detector import Patches
from vision.tracking.appearance import SAME_APPEARANCE, AppearanceMap, appearance_distance
from vision.tracking.belief import INDEX, NOTHING, SYMBOLS, Belief, BoardBelief, normalise

PLACEMENT_RATE: Final = 0.5
"""How often an empty square that looks different has been given a tile."""

WITHDRAWAL_RATE: Final = 0.05
"""How often, in a turn, a tile of the turn before is taken away: phoneys are withdrawn."""

REMOVAL_RATE: Final = 0.002
"""How often an older one is."""

CLEARED_RATE: Final = 0.5
"""How often a tile was taken away whose square looks as it did before the tile was placed."""

WITHDRAWN_RATE: Final = 0.9
"""How often a blank is gone whose square reads as empty when the letters of its play are gone."""

PUSHED_RATE: Final = 0.5
"""How often a blank whose square reads as empty is gone when a blank appears beside it."""

REPLACEMENT_RATE: Final = 0.001
"""How often a tile is replaced by another: hardly ever, other than in a turn that is not over."""

MISREAD_RATE: Final = REPLACEMENT_RATE / 10
"""The same of a tile that was not surely read: it lay there all along, more likely."""

TURN_OVER_RATE: Final = 0.3
"""How often a tile that is face down is turned over."""

UNSEEN_CHANGE_RATE: Final = 1e-4
"""How often a tile was changed although its square looks as it did."""

UNSEEN_PLACEMENT_RATE: Final = 1 - UNCERTAIN
"""The same of an empty square that reads as a tile now: a blank can be as plain as its square. Of
32,000 empty squares of simulated games that looked as before, four had been given a blank; those
read as one with 41% to 99%, and none of the others with more than 38%. So a reading counts that is
sure enough to be shown."""

_SURELY_READ: Final = 0.95
"""A tile that was read as surely as this is known, however it reads where the picture ends."""

_OTHER_LOOK: Final = 0.05
"""Likelihood of one look of a square, with its tile or without, where it has the other."""

_MARKED_LOOK: Final = 0.005
"""The same of a letter or a back on a square that looks as it did empty: of 7,800 letters read in
two simulated games, one on squares as light as its tiles, none came nearer to that than 0.06."""

_DISTINCT: Final = 0.02
_DISTINCT_RATIO: Final = 2.0
"""An appearance differs from another when its distance is at least ``_DISTINCT``, and that many
times the other's: appearances of a square that nobody touched differ by 0.002 to 0.01."""

_IS_NOTHING: Final = np.arange(len(SYMBOLS)) == NOTHING
_IS_BLANK: Final = np.arange(len(SYMBOLS)) == INDEX[UNDESIGNATED]

_BARE_LOOK: Final = np.where(_IS_NOTHING, 1.0, np.where(_IS_BLANK, _OTHER_LOOK, _MARKED_LOOK))
"""Likelihood of each symbol where the square looks as it did without its tile."""

_OUTLIER_RATIO: Final = 3.0
"""A touched square differs so many times as much as three in four around it do."""

_MAX_TOUCH: Final = 0.15
"""What differs more is no blank of nearly its square's colour: it would read as what it is."""

_NEIGHBOURHOOD: Final = 5
"""Squares along the side of a square's neighbourhood."""

_MAX_COMPARED: Final = 60
"""Empty squares given to the change detector, at most: those that may be a blank by their reading
or that were one, then those that differ most. Where the light has changed, most differ."""

_SURELY_NOTHING: Final = 2.0
"""Nats of the change detector against a tile, from which a square is remembered as bare."""

_MAY_BE_BLANK: Final = 0.02
"""A square may be a blank that reads as one with this probability, however it looks."""

ChangeEvidence = Callable[[Patches, Patches, NDArray[np.intp]], NDArray[np.float64]]
"""Log-likelihood ratio, in nats, of "a tile was placed" against "nothing was", for some squares
before and after: ``vision.change_detector``."""


@dataclass(frozen=True)
class Evidence:
    """A new sighting of the board, compared with what is believed; arrays of (15, 15)."""

    likelihood: Belief
    """float64 (15, 15, symbols), from the reading."""
    occluded: NDArray[np.bool_]
    half_hidden: NDArray[np.bool_]
    """The squares that read as a letter of which a part may be hidden."""
    bare_blanks: NDArray[np.bool_]
    """Those that read as empty, as they did when somebody named the blank there."""
    appearance: AppearanceMap
    difference: NDArray[np.float32]
    """Distance of each square's appearance from that at the last sighting."""
    empty_difference: NDArray[np.float32]
    """Distance from its appearance when it was last seen empty."""
    not_bare: NDArray[np.bool_]
    """The squares that are not remembered as they look now, should they pass for empty: those that
    look otherwise than when they were last seen empty, and that may be blanks by their reading or
    by the change detector."""

    @property
    def same(self) -> NDArray[np.bool_]:
        """The squares that look the same."""
        return np.asarray(self.difference < SAME_APPEARANCE)

    @property
    def untouched(self) -> NDArray[np.bool_]:
        """The squares that look so much the same that nobody touched them."""
        return np.asarray(self.difference < _DISTINCT)

    @property
    def reads_empty(self) -> NDArray[np.bool_]:
        """The squares whose likeliest symbol is "empty"."""
        return np.asarray(self.likelihood.argmax(axis=-1) == NOTHING)


def gather_evidence(
    old: BoardBelief,
    likelihood: Belief,
    occluded: NDArray[np.bool_],
    appearance: AppearanceMap,
    detector: ChangeEvidence | None,
) -> Evidence:
    """Compare a sighting with the belief; ``detector`` weighs in where squares were empty."""
    # Amid tiles, most squares around one look otherwise than when they were empty.
    bare = (old.best == NOTHING) & (likelihood.argmax(axis=-1) == NOTHING)
    empty_difference = appearance_distance(old.empty_appearance, appearance, bare)
    evidence = Evidence(
        likelihood,
        occluded,
        np.zeros_like(occluded),
        np.zeros_like(occluded),
        appearance,
        appearance_distance(old.appearance, appearance),
        empty_difference,
        (empty_difference > _DISTINCT) & (likelihood[..., INDEX[UNDESIGNATED]] > _MAY_BE_BLANK),
    )
    if detector is not None:
        nats, asked = _detected_changes(old, evidence, detector)
        not_bare = evidence.not_bare | (asked & (nats > -_SURELY_NOTHING))
        likelihood = _with_changes(likelihood, nats) if asked.any() else likelihood
        evidence = replace(evidence, likelihood=likelihood, not_bare=not_bare)
    return replace(evidence, likelihood=_weigh_looks(old, evidence))


def _detected_changes(
    old: BoardBelief, evidence: Evidence, detector: ChangeEvidence
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the change detector's ratio in nats where squares were empty, and where it was asked.

    float64 and bool (15, 15). What reads as a letter, or by its moulding as a back, needs no
    comparison; a blank may be as plain as its square. One that reads as empty now is compared with
    its bare square, too.
    """
    likelihood, difference = evidence.likelihood, evidence.empty_difference
    plain = likelihood[..., NOTHING] + likelihood[..., INDEX[UNDESIGNATED]]
    may_be_blank = plain - likelihood[..., NOTHING] > _MAY_BE_BLANK
    missed = (old.best == INDEX[UNDESIGNATED]) & evidence.reads_empty
    asked = (old.best == NOTHING) & ((difference > _DISTINCT / 2) | may_be_blank)
    asked = (asked | missed) & old.seen_empty & ~evidence.occluded & (plain > 0.5)
    urgency = np.where(may_be_blank | missed, np.inf, difference).ravel()
    squares = np.flatnonzero(asked)
    squares = squares[np.argsort(-urgency[squares])][:_MAX_COMPARED]
    nats, compared = np.zeros(SIZE * SIZE), np.zeros(SIZE * SIZE, np.bool_)
    if len(squares):
        # Tiles that lie there already are compared with themselves: so the light's change is told.
        tiles = ((old.best != NOTHING) & ~asked).reshape(-1, 1, 1, 1)
        before = np.where(tiles, old.appearance.patches, old.empty_appearance.patches)
        nats[squares] = detector(before, evidence.appearance.patches, squares)
        compared[squares] = True
    return nats.reshape(SIZE, SIZE), compared.reshape(SIZE, SIZE)


def _with_changes(likelihood: Belief, nats: NDArray[np.float64]) -> Belief:
    """Return the likelihood, multiplied by the change detector's ratio."""
    log_likelihood_ratio = nats[..., None]
    return normalise(
        likelihood * np.exp(np.where(_IS_NOTHING, -log_likelihood_ratio, log_likelihood_ratio) / 2)
    )


def _weigh_looks(old: BoardBelief, evidence: Evidence) -> Belief:
    """Return the likelihood of squares that held a tile, weighed by how they looked.

    One that reads as empty, looks as it did with its tile, and not as it did without, is not empty;
    one that looks as it did without, and not as it did with its tile, holds none, though a print
    on the board may read as a letter.
    """
    likelihood, difference = evidence.likelihood, evidence.difference
    empty_difference = evidence.empty_difference
    there = _seems_gone(old, evidence) & evidence.same & (empty_difference > _DISTINCT)
    there &= empty_difference > _DISTINCT_RATIO * difference
    likelihood = np.where(there[..., None] & _IS_NOTHING, _OTHER_LOOK * likelihood, likelihood)
    bare = _looks_bare(old, evidence)
    likelihood = np.where(bare[..., None], _BARE_LOOK * likelihood, likelihood)
    return np.asarray(likelihood / likelihood.sum(axis=-1, keepdims=True))


def touched(old: BoardBelief, evidence: Evidence) -> NDArray[np.bool_]:
    """Return the squares that read as empty still, but that somebody touched: bool (15, 15).

    They differ from how they looked before, and those around them do not: a shadow's edge, or light
    that changed, is no touch.
    """
    empty = (old.best == NOTHING) & old.seen_empty & ~evidence.occluded & evidence.reads_empty
    difference, reach = evidence.difference, _NEIGHBOURHOOD // 2
    known = np.pad(np.where(empty, difference, np.nan), reach, constant_values=np.nan)
    around = np.lib.stride_tricks.sliding_window_view(known, (_NEIGHBOURHOOD, _NEIGHBOURHOOD))
    sorted_ = np.sort(around.reshape(SIZE, SIZE, -1), axis=-1)  # NaN comes last
    count = np.isfinite(sorted_).sum(axis=-1)
    at = np.maximum(3 * count // 4 - 1, 0)
    usual = np.take_along_axis(sorted_, at[..., None], axis=-1)[..., 0]
    outlier = difference > _OUTLIER_RATIO * np.nan_to_num(usual, nan=np.inf)
    return np.asarray(empty & outlier & (difference > _DISTINCT) & (difference < _MAX_TOUCH))


def change_rates(
    old: BoardBelief, evidence: Evidence, turn: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the prior probability that each square was changed, and which were empty till now.

    float64 and bool (15, 15). Of the latter squares, the likeliest change is a first tile: they
    were taken for something else by mistake.
    """
    best, reads_empty = old.best, evidence.reads_empty
    removal = np.where(old.since_turn == turn - 1, WITHDRAWAL_RATE, REMOVAL_RATE)
    first = old.posterior[..., NOTHING] * PLACEMENT_RATE
    back = old.posterior[..., INDEX[FACE_DOWN]]
    surely_read = old.posterior.max(axis=-1) >= _SURELY_READ
    replaced = np.where(surely_read, REPLACEMENT_RATE, MISREAD_RATE)
    other = back * TURN_OVER_RATE + (1 - back) * replaced
    late_placement = (best != NOTHING) & ~reads_empty & (first > other)
    rate = np.where(reads_empty, removal, np.where(late_placement, first, other))
    rate = np.where(best == NOTHING, PLACEMENT_RATE, rate)
    placement = np.where(evidence.untouched, UNSEEN_PLACEMENT_RATE, PLACEMENT_RATE)
    # Some letters differ so little that a tile replaced by another looks almost the same.
    alike = ~reads_empty & ~evidence.untouched
    unseen = np.where(alike, np.maximum(other, UNSEEN_CHANGE_RATE), UNSEEN_CHANGE_RATE)
    unseen = np.where(best == NOTHING, placement, unseen)
    # A blank differs from its square by less than the pose does to the edges of letters.
    lifted = (best == INDEX[UNDESIGNATED]) & reads_empty & ~evidence.untouched
    rate = np.where(evidence.same & ~lifted, unseen, rate)
    rate = np.where(lifted & _beside_new_blanks(old, evidence), PUSHED_RATE, rate)
    rate = np.where(lifted & _of_withdrawn_play(old, evidence, turn), WITHDRAWN_RATE, rate)
    cleared = _cleared(old, evidence) & ~evidence.bare_blanks
    return np.where(cleared, CLEARED_RATE, rate), late_placement


def _of_withdrawn_play(old: BoardBelief, evidence: Evidence, turn: int) -> NDArray[np.bool_]:
    """Return the tiles of the turn before, if all its letters that can be seen are gone."""
    play = (old.best != NOTHING) & (old.since_turn == turn - 1)
    letters = play & (old.best != INDEX[UNDESIGNATED]) & ~evidence.occluded
    gone = evidence.reads_empty & ~evidence.same
    return np.asarray(play & bool(letters.any() and gone[letters].all()))


def _beside_new_blanks(old: BoardBelief, evidence: Evidence) -> NDArray[np.bool_]:
    """Return the squares with a neighbour, or its corner, that has come to show a blank."""
    reads_blank = evidence.likelihood.argmax(axis=-1) == INDEX[UNDESIGNATED]
    new = (old.best == NOTHING) & reads_blank & ~evidence.occluded
    return np.asarray(cv2.dilate(new.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0)


def cut_off_tiles(
    old: BoardBelief, likelihood: Belief, appearance: AppearanceMap
) -> NDArray[np.bool_]:
    """Return the squares of known tiles that the picture shows a part of: bool (15, 15).

    Half a tile that was read in full before may read as another; only that it is gone is certain.
    """
    if appearance.in_picture is None:
        return np.zeros((SIZE, SIZE), np.bool_)
    tile = (old.best != NOTHING) & (old.posterior.max(axis=-1) >= _SURELY_READ)
    tile &= likelihood.argmax(axis=-1) != NOTHING
    return np.asarray(tile & ~appearance.in_picture)


def _seems_gone(old: BoardBelief, evidence: Evidence) -> NDArray[np.bool_]:
    """Return the squares that held a tile and read as empty now."""
    return np.asarray((old.best != NOTHING) & evidence.reads_empty & old.seen_empty)


def _cleared(old: BoardBelief, evidence: Evidence) -> NDArray[np.bool_]:
    """Return the squares that held a tile, and read and look as they did empty."""
    return np.asarray(evidence.reads_empty & _looks_bare(old, evidence))


def _looks_bare(old: BoardBelief, evidence: Evidence) -> NDArray[np.bool_]:
    """Return the squares that held a tile and look again as they did empty.

    Those that read as a blank are left out: one may be as plain as its square.
    """
    held = (old.best != NOTHING) & old.seen_empty
    reads_blank = evidence.likelihood.argmax(axis=-1) == INDEX[UNDESIGNATED]
    back = evidence.empty_difference < SAME_APPEARANCE
    nearer = _DISTINCT_RATIO * evidence.empty_difference < evidence.difference
    return np.asarray(held & ~reads_blank & back & nearer)
