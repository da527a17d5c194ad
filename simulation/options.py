"""The options of a simulated table."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from game.options import OptionPath, StrictOptions


class SimulatedOptions(StrictOptions):
    """``[simulated]``: the table that a simulated camera looks at."""

    seed: int = 8
    gcg: OptionPath | None = None
    mischief: bool = False
    pace: Literal["real", "brisk"] = "real"
    speed: float = Field(default=1.0, ge=0, le=100)
    """The speed in multiples of real time; 0: as fast as it goes."""
    games: int | None = Field(default=None, ge=1)
    """End after so many."""
    between_s: float = Field(default=3.0, ge=0)
    """From the end of one to the beginning of the next."""
    away_s: float = Field(default=0.0, ge=0)
    """With speed 0, for how long nobody looked when the table is started again."""
