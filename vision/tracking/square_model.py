"""How likely things are on a square: the parameters of what is believed of it, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class SquareModel:
    """The parameters: probabilities, unless something else is said."""

    withdrawn: float = 0.1
    """A tile of the play before is taken off by the next sighting: phoneys are."""
    altered: float = 0.02
    """An older tile is; or another comes to lie in a tile's place."""
    put_back: float = 0.3
    """The tile comes back that another had replaced."""
    turned_over: float = 0.3
    """A tile that is face down is turned over."""
    again: float = 0.7
    """Exponent of a further reading of the same tile, in another light: they share their faults."""
    surest: float = 0.9995
    """No evidence makes surer than this: a tile may be read wrong for a reason."""
    sure: float = 0.95
    """A symbol that is as likely as this is taken for known."""
    stands: float = 0.85
    """A symbol that is shown stands until another is as likely as this."""
    in_full: float = 0.999
    """A letter beside a hand is in full view if it is read as surely: an R whose leg a fingertip
    hid has passed for a P with 99.8%."""
    noise: float = 0.005
    """Distance between two looks of the same, at least; as a share of the level around, ..."""
    unlike: float = 4.0
    """... and how many times the distances around it makes the same and another as likely."""
    same: float = 0.05
    """A smaller distance is of the same for sure: above what a pose half a pixel off does to the
    edges of letters, below what tells an O from a Q."""
    another: float = 0.2
    """A square that differs by more, its own light taken out, holds another thing; same unit."""
    shadow: float = 0.2
    """The same looks as different as another does, ..."""
    plain: float = 0.02
    """... and another as alike as the same."""
    large: int = 4
    """So many adjacent unreadable squares are something large: a hand, a sleeve, a bag."""


MODEL: Final = SquareModel()
