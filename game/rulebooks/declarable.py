"""What a director may say of a game that no camera sees, where a rulebook has a rule on it."""

from __future__ import annotations

from types import MappingProxyType

DECLARABLE = MappingProxyType(
    {
        "tiles_drawn": "a play that is accepted by letting its player draw",
        "score_written": "a play that is accepted by writing its score",
        "score_written_in_hold": "writing the score while a play is held",
        "score_written_when_empty": "writing the score once the bag is empty",
        "play_accepted": "a play that is accepted by word",
        "hold_released": "a hold that is released by word",
        "tiles_found_in_bag": "tiles found in the bag",
        "tiles_found_on_table": "tiles found outside the bag",
        "tiles_found_after_end": "tiles found outside the bag after the end",
        "underdrawn": "a rack with too few tiles",
        "clock_started_in_error": "a clock started in error",
        "draw_delayed": "tracking tiles before drawing",
        "overtime_erased": "erasing a penalty for overtime",
        "position_restored": "going back to an earlier position",
        "second_opinion": "looking a challenge up again",
        "challenge_resubmitted": "resubmitting a challenge",
        "exchange_announced": "an exchange of another number of tiles than was announced",
        "starting_score": "a game that begins again with a score",
        "score_agreed": "a score that both players agree on",
    }
)
"""What a rulebook may know, by its name in the ``[event]`` table, in words."""
