"""The parameters of the tracker: times, thresholds on probabilities, and two probabilistic models.

``SQUARE`` is the model of one square (``vision.tracking.square_filter``), ``TURN`` that of a game
at a table (``vision.tracking.turn_decoder``). Parameters are probabilities unless a unit is given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

SETTLE_NS: Final = 150_000_000
"""The board is at rest when nothing has moved for this long. Frames that are closer in time share
their noise and their flicker: only one of them is kept and read."""

AGAIN_NS: Final = 1_000_000_000
"""Time after which a board at rest is observed again, if it was not found, not clear or occluded;
and for which plays without a press must have rested. After a gap in the frames of this length the
last frame says nothing about now."""

LOOK_AHEAD_NS: Final = 2_500_000_000
"""Within this time after a press a clear view still shows the turn that it ended: the opponent has
hardly begun to lay tiles. Nobody makes a play in a shorter gap between two frames."""

SURE: Final = 0.99
"""A turn with this posterior is recorded without a question."""

LIKELY: Final = 0.8
"""If a turn must be recorded now, this posterior suffices; people are asked a question."""

PUSHED: Final = 0.15
"""A tile that has moved this far, in squares, was pushed aside: two readings of an untouched tile
differ by less."""


@dataclass(frozen=True, slots=True)
class SquareModel:
    """The model of a square: what it can hold, what can happen to it, how it then looks.

    ``noise``, ``same`` and ``another`` are distances between two looks of a square, as a share of
    the level around it.
    """

    withdrawn: float = 0.1
    """Probability that a tile of the last play is taken off before the next sighting: a phoney."""
    altered: float = 0.02
    """Probability that an older tile is taken off, or replaced by another."""
    put_right: float = 0.3
    """Probability that a replaced tile comes back, or one that lies face down is turned over."""
    again: float = 0.7
    """Exponent of the likelihood of a further reading of the same tile in another light: readings
    share their errors."""
    surest: float = 0.9995
    """Upper bound of every posterior: a reading may be wrong for a reason that the next one shares.
    """
    sure: float = 0.95
    """A symbol with this posterior counts as known."""
    stands: float = 0.85
    """Hysteresis: a symbol that is shown is replaced when another has this posterior."""
    in_full: float = 0.999
    """Posterior from which a letter beside a hand counts as in full view: an R whose leg was hidden
    by a fingertip has been read as a P with 0.998."""
    noise: float = 0.005
    """Least distance between two appearances of the same thing."""
    unlike: float = 4.0
    """Ratio to the median distance around at which *same* and *another* are equally likely."""
    same: float = 0.05
    """A smaller distance is surely of the same thing: more than the edges of letters give when the
    pose is off by half a pixel, less than the difference of an O and a Q."""
    another: float = 0.2
    """A larger distance, with the square's own light taken out, is of another thing."""
    shadow: float = 0.2
    """Probability that the same thing looks as different as another thing."""
    plain: float = 0.02
    """Probability that another thing looks as alike as the same thing."""
    large: int = 4
    """Adjacent unreadable squares from which they count as one occluding object: a hand, a bag."""


SQUARE: Final = SquareModel()


@dataclass(frozen=True, slots=True)
class TurnModel:
    """The model of a game at a table: how turns end, how tiles are laid, how presses come.

    The values are set by hand; ``benchmarks/fit_turns.py`` checks them against films whose truth is
    known: seeds 901 to 903 and 1101 to 1120 of scrabscrap-game01, scrabscrap-game02 and
    romanian-game1. Values that those films do not determine stay as they were set.
    """

    forgotten: float = 0.02
    """Probability that a turn ends without a press, if every turn so far had one."""
    forgotten_again: float = 0.2
    """Probability that a turn ends without a press, after an earlier one did."""
    stray: float = 0.002
    """Probability that a press that did not pass the clock on was of the wrong button."""
    double: float = 0.1
    """Probability that such a press ends no turn if another came within half a second: one blow."""
    taken_back: float = 1e-5
    """Probability that a press that passed the clock on was taken back, and ends no turn."""
    overtaken: float = 0.02
    """Probability that a press comes only after the opponent has begun the answer."""
    overtaken_s: float = 3.0
    """Mean seconds from the first tile of the answer to such a press."""
    reminded: float = 0.5
    """Probability that a forgotten press is made up for later, however late, and one that came too
    early is made again."""
    added: float = 0.002
    """Probability that a player presses before all tiles of the play, or any of them, are laid."""
    added_s: float = 2.0
    """Mean seconds from such a press to the first tile after it."""
    nothing: float = 0.04
    """Probability that a turn lays no tile. In forty tournament records 38 of 1,012 turns are
    passes or exchanges, and challenges are lost."""
    lengths: tuple[float, ...] = (0.2, 0.7, 1.0, 0.8, 0.5, 0.2, 0.7)
    """Frequency of plays of 1 to 7 tiles, relative to plays of three: of 974 plays in those
    records."""
    continued: float = 0.01
    """The tiles of a play make one play together with the opponent's last play, as letters added to
    its word do. In those records 2 of 195 plays of one or two tiles did, and no longer play of 690
    did."""
    hooked: float = 0.06
    """The first tile of a play does the same. Of 907 plays 5.6% have a tile that would, and 2.6% of
    all tiles would."""
    unnoticed: float = 0.003
    """Factor on a missing or late press for a turn without tiles: the press is the pass."""
    misplaced: float = 0.0003
    """The tiles of a turn, as they are seen, are not in one line joined to earlier tiles; or
    somebody tries tiles out before the turn has ended."""
    unfinished: float = 0.1
    """Probability that tiles in one line that form no play are followed by more tiles."""
    laying_s: float = 1.0
    """Mean seconds from one tile of a play to the next. Tiles that rest for longer are misplaced.
    """
    too_many: float = 1e-5
    """Probability that a player lays more tiles than a rack holds."""
    mistimed: float = 1e-3
    """Probability that a tile was laid outside the interval that the pictures give."""
    misseen: float = 0.02
    """Probability that the hand seen at a play was the other player's, hovering there."""
    visit_s: float = 20.0
    """Time constant, in seconds out of sight, after which tiles that came into sight together may
    as well be of two players as of one."""
    parted: float = 0.6
    """Without buttons: probability that a turn ends between tiles that could be one play."""
    pace_s: float = 3.0
    """Seconds from the end of a turn to the first tile of the next: the time constant of each of
    two steps, to think and to reach out."""
    prepared: float = 0.2
    """Probability that the next player has the answer ready and begins at once."""
    reach_s: float = 0.5
    """Seconds: the time constant of both steps for a player whose answer is ready."""
    latency_s: float = 0.3
    """Seconds for which the hand that lays a tile hides it: a tile may come into sight so long
    after its press, and its square was bare so long before."""
    certain: float = 0.998
    """With this posterior a square is taken for a tile, or for bare, without trying the other."""
    unread: float = 0.5
    """Probability that a square in plain sight that cannot be read holds a tile."""
    beside_arm: float = 0.99
    """Probability that what reads as a tile beside an arm is one: no ring, watch or sleeve."""
    unlikely: float = 1e-4
    """Likelihood ratio to the best hypothesis below which a hypothesis is not followed."""


TURN: Final = TurnModel()
