"""The kinds of flags about the time that is used and the end of a game."""

from __future__ import annotations

from types import MappingProxyType

from game.flag_code import Code

AT_THE_END: MappingProxyType[str, Code] = MappingProxyType(
    {
        "overtime": Code(
            "overtime",
            "a player's time has run out",
            "public",
            "{player} is {over} over time: {points} points.",
            settled_by=("said_again",),
            costs="points",
            announced=True,
        ),
        "overtime_limit": Code(
            "overtime limit",
            "a player has exceeded the overtime limit",
            "public",
            {
                "at": "{player} has used up {limit} of overtime, which loses the game.",
                "past": "{player} has exceeded {limit} of overtime, which loses the game.",
            },
            costs="points",
            announced=True,
        ),
        "six_zeros": Code(
            "six zeros",
            "as many scoreless turns in a row as end the game",
            "public",
            "{count} scoreless turns in a row end the game: {turns}.",
            announced=True,
        ),
        "rack_unknown": Code(
            "rack unknown",
            "a rack is needed to settle the score and is not known",
            "public",
            {
                "nobody_out": "The game was ended as played out; by counting, nobody is out.",
                "own": "{player}'s rack is needed: its tiles are deducted.",
                "differs": "{player}'s rack was reported as {reported}; the tiles not seen on the "
                "board are {counted}.",
                "impossible": "{player}'s rack was reported as {reported}: that is {count} {tile}, "
                "and the set has {has}.",
                "count": "{player}'s rack was reported as {reported}, which is {count} tiles; by "
                "counting {due} are due.",
                "needed": "{player}'s rack is needed. Tiles not seen on the board: {unseen}; due "
                "on the rack: {due}.",
            },
            asks="rack",
            question=True,
            judged=False,
            rule_of="out.stops",
            checked=True,
        ),
        "reopened_unlisted": Code(
            "reopened for another reason",
            "a signed result was opened for what the rules do not list",
            "director",
            "{by} opened the signed result because the record is not what was signed, which the "
            "rules do not list: {why}",
            judged=False,
            entered=True,
            rule_of="signed.grounds",
        ),
        "not_scoreless": Code(
            "too few scoreless turns",
            "the game was ended for scoreless turns of which there were not enough",
            "director",
            "The game was ended for scoreless turns: {count} in a row are counted, {needed} are "
            "needed.",
            asks="ending",
            question=True,
            judged=False,
            rule_of="scoreless.turns",
        ),
    }
)
"""By code; :data:`game.flag_codes.CODES` has them too."""
