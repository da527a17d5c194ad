"""The parameters of the tracker: how likely things are on a square, and at a table."""

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


SQUARE: Final = SquareModel()


@dataclass(frozen=True, slots=True)
class TurnModel:
    """The parameters: probabilities unless a unit is given.

    They are set by hand, and ``benchmarks/fit_turns.py`` holds them against films whose truth is
    known: seeds 901 to 903 and 1101 to 1120 of scrabscrap-game01, scrabscrap-game02 and
    romanian-game1. What those films do not show stays as it was set.
    """

    forgotten: float = 0.02
    """A turn ends without a press, where every turn so far was pressed for, ..."""
    forgotten_again: float = 0.2
    """... and the same once one was forgotten."""
    stray: float = 0.002
    """A press that did not pass the clock on ends no turn: it is of the wrong button, ..."""
    double: float = 0.1
    """... or, half a second or less from another, of the same blow."""
    taken_back: float = 1e-5
    """A press that passed the clock on ends no turn: it was taken back."""
    overtaken: float = 0.02
    """A press comes only when the opponent has begun the answer."""
    overtaken_s: float = 3.0
    """Seconds by which it comes after the first tile of the answer, on average."""
    reminded: float = 0.5
    """A press that was forgotten is made up for later, however late."""
    nothing: float = 0.04
    """A turn lays no tile: of 1,012 in forty tournament records 38 are passes or exchanges, and
    challenges are lost."""
    lengths: tuple[float, ...] = (0.2, 0.7, 1.0, 0.8, 0.5, 0.2, 0.7)
    """How often a play lays one tile, two, and so on, beside three: of 974 plays in those records.
    """
    continued: float = 0.01
    """A play makes one play together with the opponent's before it, as letters added to its word
    do: in those records 2 of 195 plays of one or two tiles did, and none of 690 longer ones."""
    hooked: float = 0.06
    """The same of the first tile of a play: of 907 plays 5.6% have a tile that would, and 2.6% of
    all their tiles would."""
    unnoticed: float = 0.003
    """Such a turn is not pressed for, or only when the opponent has begun, beside how often that
    is so of others: the press is the pass."""
    misplaced: float = 0.0003
    """The tiles of a turn, as they are seen, are not one line that joins earlier tiles."""
    restless: float = 0.0003
    """The same of a turn that has not ended: somebody tries tiles out."""
    unfinished: float = 0.1
    """They are in one line, and no play yet: more tiles follow, ..."""
    laying_s: float = 1.0
    """... each after so many seconds on average. What lies there for longer has been misplaced."""
    too_many: float = 1e-5
    """A player lays more tiles than a rack holds."""
    mistimed: float = 1e-3
    """A tile was laid outside the interval that its square's looks tell."""
    misseen: float = 0.02
    """The hands seen at a play tell nothing: the other player's hovered there."""
    visit_s: float = 20.0
    """Tiles that came into sight together, after so many seconds out of sight, may as well be from
    two players' hands as from one."""
    parted: float = 0.6
    """Without buttons: a turn has ended, of tiles that may be one."""
    pace_s: float = 3.0
    """Seconds from the end of a turn to the first tile of the next: the time constant of two steps,
    since a player has to think and to reach out."""
    prepared: float = 0.2
    """The next player had the answer ready, and begins at once: ..."""
    reach_s: float = 0.5
    """... with this time constant."""
    latency_s: float = 0.3
    """Seconds by which a tile may come into sight after the press for it, without a doubt."""
    certain: float = 0.998
    """A tile, or a bare square, that is as sure as this is taken as it was read."""
    unread: float = 0.5
    """A square in plain sight that cannot be read holds a tile."""
    beside_arm: float = 0.99
    """A thing beside an arm that reads as a tile is one, not a ring, a watch or a sleeve."""
    unlikely: float = 1e-4
    """Hypotheses that are so much less likely than the best one are not followed."""


TURN: Final = TurnModel()

LOOK_AHEAD_NS: Final = 2_500_000_000
"""So long after a press it is waited for what makes a turn clear: the opponent has hardly begun to
lay tiles."""
