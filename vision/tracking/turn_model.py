"""How likely things are at a table: the parameters of the turn decoder, in one place."""

from __future__ import annotations

from dataclasses import dataclass


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
