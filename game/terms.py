"""The words that events are made of: sides, buttons, rulings, reasons."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Final, Literal

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
known or not; when, follows from the turns seen since. ``taken_back``: the play comes off for
another reason, and the turn is lost. ``no_score``: the tiles stay and score nothing.
``undone``: there was no such turn, as after a slip on the clock."""

ChallengeGround = Literal["words", "placement"]
"""On which ground a play was challenged. ``placement``: that it lay where it may not."""

VerdictBy = Literal["conceded", "resubmitted", "second_opinion", "third_opinion"]
"""How a challenge was decided, other than by one lookup. ``conceded``: a player gave in before it.
``resubmitted``: what had been looked up first was not what lay on the board. ``second_opinion``,
``third_opinion``: it was looked up again."""

Measure = Literal["note", "caution", "warning"]
"""The weight of a director's note for the player: none, a caution, or an official warning."""

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
    "absence",
    "other",
]
"""Why a clock may have been stopped; which of these a text allows is its ``stop.reasons``."""

STOP_REASONS: Final[Mapping[StopReason, str]] = {
    "blank": "the letter of a blank",
    "challenge": "a challenge",
    "director": "a call for the director",
    "extra_tiles": "too many tiles in the set",
    "family_emergency": "a family emergency",
    "foreign_tiles": "a tile of another set",
    "improper_procedure": "a breach of procedure",
    "late_arrival": "a player who came late",
    "medical": "a medical reason",
    "misoriented_tiles": "tiles turned the wrong way",
    "missing_tiles": "missing tiles",
    "out": "a player with no tiles left",
    "overdraw": "too many tiles drawn",
    "score": "a question about the score",
    "six_zeros": "scoreless turns in a row",
    "tile_bag": "something about the tile bag",
    "unforeseen": "something unforeseen",
    "absence": "a toilet break or another absence",
    "other": "another reason",
}
"""Why a clock was stopped, as it goes on after "stopped for"."""

ANY_STOP: Final[tuple[StopReason, ...]] = ("absence", "other")
"""Reasons that may be entered whatever the text lists."""

TurnEnding = Literal[
    "not_known",
    "clock_stopped",
    "clock_stopped_playing_out",
    "drawing",
    "hand_in_bag",
    "score_written",
]
"""How a turn ended that nobody pressed for: as a rulebook's ``turn.ends`` has it, or not known."""

BoardEnding = Literal["opponent_placed", "player_placed_again", "played_out", "watch_ended"]
"""The sign, if nobody pressed a clock, that a turn had ended. ``opponent_placed``: the
opponent's hand laid a tile. ``player_placed_again``: the same player made another play, so that the
opponent's turn lay between. ``played_out``: the player's last tiles lay there. ``watch_ended``: the
game was ended, or the pictures were."""

PictureEdge = Literal["top", "right", "bottom", "left"]
"""An edge of the camera's picture."""

Acceptance = Literal["score_written", "tiles_drawn", "play_accepted", "hold_released"]
"""How a play was accepted. ``score_written``: the opponent wrote its score in full.
``tiles_drawn``: the player drew, and nobody objected. ``play_accepted``: by word.
``hold_released``: a hold was ended by word."""

DrawnBy = Literal["nobody", "opponent"]
"""Where tiles are that a player failed to draw: still in the bag, or on the opponent's rack."""

FoundIn = Literal["bag", "table"]
"""Where tiles came to light: in the bag, or outside it."""


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
    POSTPONED = "postponed"
    """It is to be played, or played on, at another time."""
    SET_UP_ANEW = "set up anew"
    """Never played: another game was made ready in its place."""


ENDED_BY_WORD: Final = ("confirmed", "director")
"""Reasons that people give for the end, besides those of ``EndReason``: both players agree that it
is over, or the director decides."""

RECORD_WRONG: Final = "record_wrong"
"""The ground on which a signed result is opened because the record is not what was signed. It may
be entered under any rulebook, and is flagged if the text does not list it, which few do."""

OTHER_GROUND: Final = "other"
"""Any other ground: refused if a text lists what lets a signed result be changed."""

TroubleState = Literal["begins", "over", "happened"]
Cause = Literal["absent", "both_absent", "late", "left", "resigned", "overtime", "director"]
"""Why a game is forfeited; ``both_absent``: by both, whoever is named."""

Counted = Literal["score", "spread"]
"""Where points count: in the game's score, or only in the standings."""

SIDES: tuple[Side, Side] = ("left", "right")


def other(side: Side) -> Side:
    """The opponent's side."""
    return "right" if side == "left" else "left"


def nameless(side: str) -> str:
    """What a player is called whom nobody has named: the side."""
    return side.title()
