"""The kinds of flags for what somebody reports and no camera sees; a rulebook has its own of them.

A report (:class:`game.events.Reported`) raises the flag of that code with the rule and the remedies
that the rulebook in force has for it. A rulebook without a ``[flag.<code>]`` table refuses it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from game.flag_code import Code, Reporting


def _reported(label: str, meaning: str, sentence: str, how: Reporting = "freely") -> Code:
    """Return a kind; its sentence may have a player, an opponent, a turn and what is missing."""
    return Code(label, meaning, "director", sentence, entered=True, reported=how)


REPORTED: Final = MappingProxyType(
    {
        # Tiles.
        "out_of_order": _reported(
            "drawn out of order",
            "tiles drawn before the opponent had drawn",
            "{player} drew tiles before {opponent} had drawn.",
        ),
        "drawn_in_challenge": _reported(
            "drawn during a challenge",
            "tiles drawn while a challenge was being decided",
            "{player} drew tiles while a challenge was being decided.",
        ),
        "drawn_while_away": _reported(
            "drawn while the opponent was away",
            "tiles drawn while the opponent was away",
            "{player} drew tiles while {opponent} was away from the table.",
        ),
        "overdrawn": _reported(
            "too many drawn",
            "too many tiles drawn",
            "{player} drew too many tiles.",
        ),
        "overdraw_miscorrected": _reported(
            "overdraw corrected wrongly",
            "too many tiles shown while an overdraw was corrected",
            "{player} showed too many tiles while an overdraw was corrected.",
        ),
        "tiles_exposed": _reported(
            "tiles of the bag shown",
            "tiles of the bag that were shown",
            "{player} showed tiles of the bag.",
        ),
        "tiles_spilled": _reported(
            "tiles spilled",
            "tiles that fell out of the bag",
            "{player} spilled tiles of the bag.",
        ),
        "tiles_returned": _reported(
            "tiles put back",
            "drawn tiles put back into the bag",
            "{player} put drawn tiles back into the bag.",
        ),
        "underdrawn_rack": _reported(
            "too few drawn",
            "a rack with too few tiles",
            "{player} had drawn too few tiles: {missing}.",
            "by_event",
        ),
        "exchange_overdrawn": _reported(
            "exchange from too many tiles",
            "an exchange from a rack of more tiles than it may hold",
            "{player} exchanged from a rack that held too many tiles.",
            "of_a_turn",
        ),
        # The board.
        "board_upset": _reported(
            "board upset",
            "the board was upset by accident",
            "The board was upset by accident.",
        ),
        "board_upset_on_purpose": _reported(
            "board upset on purpose",
            "the board was upset on purpose",
            "{player} upset the board on purpose.",
        ),
        "tiles_knocked_off": _reported(
            "tiles knocked off",
            "tiles knocked off the board in anger",
            "{player} knocked tiles off the board in anger.",
        ),
        # Scores and verdicts.
        "score_unrecorded": _reported(
            "total not recorded",
            "a cumulative score that was not recorded",
            "{player} had not recorded the cumulative score.",
        ),
        "score_before_play": _reported(
            "score before the play",
            "a score that was recorded before the play",
            "{player} recorded the score before the play was made.",
        ),
        "misadjudicated": _reported(
            "wrong verdict",
            "a challenge that was decided wrongly",
            "The challenge of turn {turn} was decided wrongly, against {player}.",
            "of_a_turn",
        ),
        "recount_asked": _reported(
            "recount asked for",
            "a recount that was asked for",
            "{player} asks for a recount.",
        ),
        "recount_halted": _reported(
            "recount halted",
            "a recount that the director halted",
            "The director halted the recount of {player}.",
        ),
        "recount_refused": _reported(
            "recount refused",
            "a recount that was refused",
            "The recount that {player} asked for was refused.",
        ),
        # The clock.
        "press_in_error": _reported(
            "clock started in error",
            "a clock that was started in error",
            "{player} started the opponent's clock in error.",
            "by_event",
        ),
        "draw_delayed": _reported(
            "drawing delayed",
            "the opponent was kept from drawing",
            "{player} tracked tiles before drawing and kept {opponent} from it.",
            "by_event",
        ),
        # Players.
        "returned": _reported(
            "back at the table",
            "a play that the opponent came back to",
            "{player} was away when turn {turn} was made, and has seen it now.",
            "of_a_turn",
        ),
        "unethical": _reported(
            "unethical behaviour",
            "unethical behaviour",
            "{player} behaved unethically, as was reported.",
        ),
        "cheating": _reported(
            "cheating or abuse",
            "cheating or abusive behaviour",
            "{player} cheated or behaved abusively, as was reported.",
        ),
    }
)
"""Reports by their codes."""

REPORTABLE: Final = frozenset(
    code for code, kind in REPORTED.items() if kind.reported != "by_event"
)
"""Codes that a report may have; an event of its own says the others."""
