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
"""A ruling on the kind of a turn. ``illegal_play``: announced as an illegal play (NASPA
III.G.5); ``illegal_play_unknown``: the same, if nobody knows whose it was; the turns seen since
show when. ``taken_back``: the play comes off for another reason, and the turn is lost.
``no_score``: the tiles stay and score nothing. ``undone``: there was no such turn, as after a slip
on the clock."""

ChallengeGround = Literal["words", "placement"]
"""The ground of a challenge. ``placement``: the tiles were placed illegally."""

VerdictBy = Literal["conceded", "refused", "resubmitted", "second_opinion", "third_opinion"]
"""How a challenge was decided, other than by one lookup. ``conceded``: a player gave in before it.
``refused``: the challenge came too late, and nothing was looked up.
``resubmitted``: the first lookup was of other words than those on the board. ``second_opinion``,
``third_opinion``: the words were looked up again."""

Measure = Literal["note", "caution", "warning"]
"""The weight of a director's note for the player: no weight, a caution, or an official warning."""

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
"""Why a clock may have been stopped; a rulebook's ``stop.reasons`` are those that it allows."""

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
"""Each reason for a stop, in words that follow "stopped for"."""

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
"""How a turn ended without a press: one of a rulebook's ``turn.ends``, or not known."""

BoardEnding = Literal["opponent_placed", "player_placed_again", "played_out", "watch_ended"]
"""The sign that a turn without a press had ended. ``opponent_placed``: the opponent's hand placed a
tile. ``player_placed_again``: the same player made another play, so the opponent's turn lay
between. ``played_out``: the player's last tiles lay there. ``watch_ended``: the game was ended, or
no more pictures came."""

PictureEdge = Literal["top", "right", "bottom", "left"]
"""An edge of the camera's picture."""

Acceptance = Literal["score_written", "tiles_drawn", "play_accepted", "hold_released"]
"""How a play was accepted. ``score_written``: the opponent wrote its score in full.
``tiles_drawn``: the player drew, and nobody objected. ``play_accepted``: by word.
``hold_released``: a hold was ended by word."""

DrawnBy = Literal["nobody", "opponent"]
"""Who has the tiles that a player failed to draw: nobody, as they are still in the bag, or the
opponent."""

Shown = Literal["all", "result", "nothing"]
"""How much of a game the public may see. ``result``: who plays, and the result once it is final."""

ShownFor = Literal["game", "table"]
"""The games that a decision on what the public may see holds for: one, or all later ones of the
table as well."""

FoundIn = Literal["bag", "table"]
"""The place where lost tiles were found: in the bag, or outside it."""


class EndReason(StrEnum):
    """Why a game is over. A log stores the text; older logs may have other texts."""

    OUT = "out"
    """A player has played all tiles."""
    SIX_ZEROS = "six_zeros"
    """The number of scoreless turns in a row that ends the game was reached."""
    SHORTENED = "shortened"
    """Ended before either player was out: each player loses the value of their own tiles."""
    OVERTIME_LIMIT = "overtime_limit"
    AGREED = "agreed"
    BROKEN_OFF = "broken off"
    POSTPONED = "postponed"
    """The game is to be played, or continued, at another time."""
    SET_UP_ANEW = "set up anew"
    """The game was never played: another game was set up in its place."""


ENDED_BY_WORD: Final = ("confirmed", "director")
"""Reasons that people give for the end, besides those of ``EndReason``: both players agree that it
is over, or the director decides."""

RECORD_WRONG: Final = "record_wrong"
"""The ground for changing a signed result because the record is not what was signed. It may be
entered under any rulebook, and is flagged if the rulebook does not list it; few do."""

OTHER_GROUND: Final = "other"
"""Any other ground; refused if the rulebook lists the grounds for changing a signed result."""

TroubleState = Literal["begins", "over", "happened"]
Cause = Literal["absent", "both_absent", "late", "left", "resigned", "overtime", "director"]
"""Why a game is forfeited; with ``both_absent`` both players forfeit, whichever the event names."""

Counted = Literal["score", "spread"]
"""The sum in which points count: in the game's score, or only in the standings."""

SIDES: tuple[Side, Side] = ("left", "right")


def other(side: Side) -> Side:
    """Return the opponent's side."""
    return "right" if side == "left" else "left"


def nameless(side: str) -> str:
    """Return what to call a player without a name: the side."""
    return side.title()
