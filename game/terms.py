"""The words that events are made of: sides, buttons, rulings, reasons."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

Side = Literal["left", "right"]
Button = Literal["left", "right", "neutral"]
Ruling = Literal[
    "play",
    "pass",
    "exchange",
    "challenge_upheld",
    "challenge_failed",
    "challenge_withdrawn",
    "illegal_play",
    "illegal_play_unknown",
    "taken_back",
    "no_score",
    "undone",
]
"""What somebody says of a turn. ``illegal_play``: announced as one (NASPA III.G.5), by a player
known or not; when, is told by the turns seen since. ``taken_back``: the play comes off for
another reason, and the turn is lost. ``no_score``: the tiles stay and score nothing.
``undone``: there was no such turn, as after a slip on the clock."""

StopReason = Literal[
    "blank",
    "challenge",
    "director",
    "extra_tiles",
    "family_emergency",
    "foreign_tiles",
    "improper_procedure",
    "late_arrival",
    "medical",
    "misoriented_tiles",
    "missing_tiles",
    "out",
    "overdraw",
    "score",
    "six_zeros",
    "tile_bag",
    "unforeseen",
    "other",
]
"""Why a clock may have been stopped; which of these a text allows is its ``stop.reasons``."""


class EndReason(StrEnum):
    """Why a game is over. A log keeps the text, and older ones may have others."""

    OUT = "out"
    """A player has played all tiles."""
    SIX_ZEROS = "six_zeros"
    """As many scoreless turns in a row as end the game."""
    SHORTENED = "shortened"
    """Ended before either player was out: each loses the value of the own tiles."""
    OVERTIME_LIMIT = "overtime_limit"
    AGREED = "agreed"
    BROKEN_OFF = "broken off"
    SET_UP_ANEW = "set up anew"
    """Never played: another game was made ready in its place."""


TroubleState = Literal["begins", "over", "happened"]
Cause = Literal["absent", "both_absent", "late", "left", "resigned", "overtime", "director"]
"""Why a game is forfeited; ``both_absent``: by both, whoever is named."""

Counted = Literal["score", "spread"]
"""Where points count: in the game's score, or only in the standings."""

SIDES: tuple[Side, Side] = ("left", "right")


def other(side: Side) -> Side:
    """The opponent's side."""
    return "right" if side == "left" else "left"
