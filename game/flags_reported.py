"""The kinds of flags for what somebody reports and no camera sees; a rulebook has its own of them.

A report (:class:`game.events.Reported`) raises the flag of that code with the rule and the remedies
that the rulebook in force has for it. A rulebook without a ``[flag.<code>]`` table refuses it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from game.flag_code import Code

_KINDS: Final = MappingProxyType(
    {
        # Tiles.
        "out_of_order": (
            "drawn out of order",
            "tiles drawn before the opponent had drawn",
            "{player} drew tiles before {opponent} had drawn.",
        ),
        "drawn_in_challenge": (
            "drawn during a challenge",
            "tiles drawn while a challenge was being decided",
            "{player} drew tiles while a challenge was being decided.",
        ),
        "drawn_while_away": (
            "drawn while the opponent was away",
            "tiles drawn while the opponent was away",
            "{player} drew tiles while {opponent} was away from the table.",
        ),
        "overdrawn": (
            "too many drawn",
            "too many tiles drawn",
            "{player} drew too many tiles.",
        ),
        "overdraw_miscorrected": (
            "overdraw corrected wrongly",
            "too many tiles shown while an overdraw was corrected",
            "{player} showed too many tiles while an overdraw was corrected.",
        ),
        "tiles_exposed": (
            "tiles of the bag shown",
            "tiles of the bag that were shown",
            "{player} showed tiles of the bag.",
        ),
        "tiles_spilled": (
            "tiles spilled",
            "tiles that fell out of the bag",
            "{player} spilled tiles of the bag.",
        ),
        "tiles_returned": (
            "tiles put back",
            "drawn tiles put back into the bag",
            "{player} put drawn tiles back into the bag.",
        ),
        "underdrawn_rack": (
            "too few drawn",
            "a rack with too few tiles",
            "{player} had drawn too few tiles: {missing}.",
        ),
        "exchange_overdrawn": (
            "exchange from too many tiles",
            "an exchange from a rack of more tiles than it may hold",
            "{player} exchanged from a rack that held too many tiles.",
        ),
        # The board.
        "board_upset": (
            "board upset",
            "the board was upset by accident",
            "The board was upset by accident.",
        ),
        "board_upset_on_purpose": (
            "board upset on purpose",
            "the board was upset on purpose",
            "{player} upset the board on purpose.",
        ),
        "tiles_knocked_off": (
            "tiles knocked off",
            "tiles knocked off the board in anger",
            "{player} knocked tiles off the board in anger.",
        ),
        # Scores and verdicts.
        "score_unrecorded": (
            "total not recorded",
            "a cumulative score that was not recorded",
            "{player} had not recorded the cumulative score.",
        ),
        "score_before_play": (
            "score before the play",
            "a score that was recorded before the play",
            "{player} recorded the score before the play was made.",
        ),
        "misadjudicated": (
            "wrong verdict",
            "a challenge that was decided wrongly",
            "The challenge of turn {turn} was decided wrongly, against {player}.",
        ),
        "recount_asked": (
            "recount asked for",
            "a recount that was asked for",
            "{player} asks for a recount.",
        ),
        "recount_halted": (
            "recount halted",
            "a recount that the director halted",
            "The director halted the recount of {player}.",
        ),
        "recount_refused": (
            "recount refused",
            "a recount that was refused",
            "The recount that {player} asked for was refused.",
        ),
        # The clock.
        "press_in_error": (
            "clock started in error",
            "a clock that was started in error",
            "{player} started the opponent's clock in error.",
        ),
        "draw_delayed": (
            "drawing delayed",
            "the opponent was kept from drawing",
            "{player} tracked tiles before drawing and kept {opponent} from it.",
        ),
        # Players.
        "returned": (
            "back at the table",
            "a play that the opponent came back to",
            "{player} was away when turn {turn} was made, and has seen it now.",
        ),
        "unethical": (
            "unethical behaviour",
            "unethical behaviour",
            "{player} behaved unethically, as was reported.",
        ),
        "cheating": (
            "cheating or abuse",
            "cheating or abusive behaviour",
            "{player} cheated or behaved abusively, as was reported.",
        ),
    }
)
"""The label, the meaning and the sentence of each code."""

REPORTED: Final = MappingProxyType(
    {
        code: Code(label, meaning, "director", entered=True)
        for code, (label, meaning, _) in _KINDS.items()
    }
)
"""What may be reported, by its code."""

SENTENCES: Final = MappingProxyType({code: sentence for code, (_, _, sentence) in _KINDS.items()})
"""The message of each, with ``{player}``, ``{opponent}``, ``{turn}`` and ``{missing}``."""

OF_EVENTS = frozenset({"press_in_error", "draw_delayed", "underdrawn_rack"})
"""Those that an event of their own raises."""
