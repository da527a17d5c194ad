"""How the belief about a board changes by a new sighting of it, square by square."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from game.board import UNDESIGNATED
from vision.tracking.belief import INDEX, NOTHING, PRIOR, Belief, BoardBelief, normalise
from vision.tracking.change_model import Evidence, change_rates, touched

TEMPERING: Final = 0.7
"""Exponent of a further reading of the same tile, in another light."""

_CONTRADICTED: Final = 0.1
"""A reading that agrees less than this with the symbol shown contradicts it."""


@dataclass(frozen=True)
class Update:
    """The belief after a sighting, and how it came about: arrays of (15, 15)."""

    posterior: Belief
    """float64 (15, 15, symbols)."""
    since_turn: NDArray[np.int_]
    changed: NDArray[np.bool_]
    late_placement: NDArray[np.bool_]
    """Squares taken for something else before that were empty till now."""
    contradicted: NDArray[np.bool_]
    """Squares whose reading disagrees with the belief."""


def updated(old: BoardBelief, evidence: Evidence, turn: int) -> Update:
    """Return the belief after a sighting in turn number ``turn``."""
    likelihood, same, occluded = evidence.likelihood, evidence.same, evidence.occluded
    best = old.best
    agreement = (old.posterior * likelihood).sum(axis=-1)
    # A blank that read as nothing when it was named does so ever after: that tells nothing.
    agreement = np.where(evidence.bare_blanks, likelihood[..., NOTHING], agreement)
    rate, late_placement = change_rates(old, evidence, turn)
    # A changed square holds another symbol than before.
    others = likelihood.copy()
    np.put_along_axis(others, best[..., None], 0.0, axis=-1)
    p_changed, p_kept = others.max(axis=-1) * rate, agreement * (1 - rate)
    changed = (p_changed > p_kept) & ~occluded
    # On an empty square that comes to show a tile, one was placed: `rate` accounts for the prior.
    ratio = np.where((best == NOTHING)[..., None], likelihood, likelihood / PRIOR)
    kept = normalise(old.posterior * ratio**TEMPERING)
    surer = (likelihood.max(axis=-1) > old.posterior.max(axis=-1))[..., None]
    again = (same | evidence.half_hidden)[..., None]  # nothing that was not seen before
    kept = np.where(again, np.where(surer, likelihood, old.posterior), kept)
    share = (p_changed / np.maximum(p_changed + p_kept, 1e-300))[..., None]
    mixed = (1 - share) * kept + share * normalise(others)
    mixed = np.where((occluded | evidence.bare_blanks)[..., None], old.posterior, mixed)
    # A blank that reads as empty, at odds that the rarity of blanks explains, is no contradiction.
    without_prior = (old.posterior * normalise(ratio)).sum(axis=-1)
    blank = best == INDEX[UNDESIGNATED]
    contradicted = np.where(blank, without_prior, agreement) < _CONTRADICTED
    contradicted &= ~evidence.bare_blanks
    return Update(
        np.where(changed[..., None], likelihood, mixed),
        # Should a touched square turn out to hold a tile, it was placed now.
        np.where(changed | touched(old, evidence), turn, old.since_turn),
        changed,
        late_placement,
        contradicted & ~same & ~occluded & ~changed,
    )
