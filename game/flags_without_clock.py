"""The kinds of flags that only a game without a clock can have."""

from __future__ import annotations

from types import MappingProxyType

from game.flag_code import Code

WITHOUT_CLOCK: MappingProxyType[str, Code] = MappingProxyType(
    {
        "seats_unconfirmed": Code(
            "seats unconfirmed",
            "without a clock, nothing shows which player sits where, and who was to begin is not "
            "known",
            "director",
            "Did {player} make the first play?",
            asks="seats",
            question=True,
            judged=False,
        ),
    }
)
"""By code; :data:`game.flag_codes.CODES` has them too."""
