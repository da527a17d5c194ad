"""The declaration of a rulebook's setting, and the words by which a setting chooses behaviour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

SECOND = 1_000_000_000
"""Nanoseconds in a second."""

FACTORS = {"": 1, "seconds": SECOND, "minutes": 60 * SECOND}
"""Nanoseconds in each unit of a file."""

MOST_MINUTES = 600
"""The most minutes for a player that an event may announce if the text sets no limit."""

STOP = "clock_stopped"
"""In ``turn.ends``: stopping the clock ends a play, whatever it was stopped for."""

ChallengeFailed = Literal["lose_turn", "points", "none"]
"""The cost of an unsuccessful challenge: the challenger's turn, points for the player challenged,
or nothing."""

Placement = Literal["score", "void", "illegal_play"]
"""The score of an unchallenged play that is not one line of tiles joined to the others.
``score``: all that its tiles form. ``void``: nothing for words off the one main line or not
joined, now or when a later play touches them. ``illegal_play``: nothing once it is announced,
and tiles come off the board (NASPA III.G.5)."""

LimitThen = Literal["forfeit", "lose_by_one", "lose_by_margin"]
"""The consequence of passing the limit on overtime. ``forfeit``: the game is lost by a margin.
``lose_by_one``: points off, and the opponent's score rises to win by at least a point (NASPA
V.G.3). ``lose_by_margin``: points off, and more until the opponent wins by the margin (WESPA 2021,
5.3.3)."""

Leaving = Literal["director", "fifty_behind", "spread_plus"]
"""The cost of leaving a game in progress. ``fifty_behind``: if the leaver leads, the opponent's
score rises above the leaver's; if not, points come off (NASPA V.K.2). ``spread_plus``: the opponent
wins by the points, or by their own lead and the points. ``director``: the text is silent."""

Scoreless = Literal["by_itself", "clock_stopped"]
"""How a game ends after the last scoreless turn: by itself, or when a player stops the clock."""

OutRacks = Literal["added", "split"]
"""How the opponent's rack counts for the player who is out. ``added``: to that player's score,
times ``out.rack_factor``. ``split``: once to that score, and once off the opponent's (WESPA
5.1.4(a)(ii), 2021)."""

OutStops = Literal["player", "opponent"]
"""Who stops the clock after the last play: the player who played out, or the opponent by
accepting."""

Reached = Literal["at", "past"]
"""When a limit counts. ``at``: when it is reached; ``past``: only when it is exceeded."""


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
        "spread_after_signing": "points on the spread for a wrong verdict, once a result is signed",
        "score_agreed": "a score that both players agree on",
    }
)
"""The facts on which a rulebook may have a rule in its ``[event]`` table, by name, in words."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The values that an event may announce for one setting, in the unit of the file."""

    values: tuple[int | str, ...] = ()
    """The allowed values; empty if any whole number from ``least`` to ``most`` is allowed."""
    least: int = 0
    most: int = 0
    rule: str | None = None

    def allows(self, value: object) -> bool:
        """True if an event may announce this value."""
        if self.values:
            return any(type(value) is type(one) and value == one for one in self.values)
        return type(value) is int and self.least <= value <= self.most

    def __str__(self) -> str:
        """The allowed values in words."""
        return ", ".join(map(str, self.values)) or f"{self.least} to {self.most}"


@dataclass(frozen=True, slots=True)
class Setting:
    """The declaration of a setting, except its type."""

    name: str
    """As in the files, ``group.key``."""
    meaning: str
    unit: str = ""
    """``seconds`` or ``minutes`` in the files; nanoseconds in the code."""
    choice: Choice | None = None
    """The values that an event may announce under a rulebook whose file does not say."""

    def in_file(self, value: Any) -> Any:
        """Return a setting's value, as the code has it, in the unit of the file."""
        if isinstance(value, Mapping):
            return dict(value)
        if not self.unit:
            return sorted(value) if isinstance(value, frozenset) else value
        value = value / FACTORS[self.unit]
        return int(value) if value == int(value) else value
