"""The ``[public]`` section (``docs/broadcaster.md``): what everybody may see, and how late.

Players must learn nothing from the machine that they are not entitled to know, and they can open
the public page on a phone. So unseen tiles are shown live only to a public that sees everything
later, and no setting reveals a word's validity before the right to challenge it has expired. The
views of a broadcaster with a token (the audience ``broadcast``) do not depend on this section.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final, Literal, TypeAlias, get_args

from pydantic import Field, field_validator, model_validator

from game.board import FACE_DOWN, UNDESIGNATED, UNREADABLE
from game.options import StrictOptions
from game.referee.turn import Turn
from game.state.fold import GameState
from game.state.settlement import Adjustment
from game.terms import Shown
from table.views.player_list import (
    LEVELS,
    NAMED,
    Named,
    PlayerWord,
    name_key,
    single_words,
    stricter_list,
    strictest,
)

Wide: TypeAlias = Literal["public", "broadcast"]
"""The audiences that are not at the table."""

WIDE: Final[tuple[Wide, ...]] = get_args(Wide)

MAX_DELAY_MIN: Final = 60.0
MAX_DELAY_TURNS: Final = 10
"""The longest delay in turns: with a much longer one nothing would be shown during a game."""

OVERLAY_DELAYS_S: Final = (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600)
MAX_OVERLAY_DELAYS: Final = 32
MAX_OVERLAY_DELAY_S: Final = 600

SECOND: Final = 1_000_000_000

_WORDS: Final[tuple[PlayerWord, ...]] = (*LEVELS, *NAMED)

_UNKNOWN: Final = (UNDESIGNATED, FACE_DOWN, UNREADABLE)


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


class PublicPolicy(StrictOptions):
    """``[public]``."""

    delay_min: float = Field(default=0.0, ge=0, le=MAX_DELAY_MIN)
    delay_turns: int = Field(default=0, ge=0, le=MAX_DELAY_TURNS)
    unseen: Literal["never", "after", "live"] = "after"
    racks: Literal["never", "after"] = "after"
    words: Literal["never", "after", "late"] = "never"
    games: Shown = "all"
    names: Named = "full"
    players: Mapping[str, tuple[PlayerWord, ...]] = Field(default_factory=dict)
    overlay_delays: tuple[int, ...] = OVERLAY_DELAYS_S
    """The delays in seconds that an overlay may ask for without a token; with one, any."""

    @field_validator("overlay_delays", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return _tuple(value)

    @field_validator("overlay_delays")
    @classmethod
    def _delays(cls, value: tuple[int, ...]) -> tuple[int, ...]:
        most, longest = MAX_OVERLAY_DELAYS, MAX_OVERLAY_DELAY_S
        if len(value) > most or not all(0 < one <= longest for one in value):
            raise ValueError(f"up to {most} whole numbers of seconds from 1 to {longest}")
        return value

    @field_validator("players", mode="before")
    @classmethod
    def _words(cls, value: object) -> object:
        if not isinstance(value, Mapping):
            return value
        return {
            name: (one,) if isinstance(one, str) else _tuple(one) for name, one in value.items()
        }

    @field_validator("players")
    @classmethod
    def _single(cls, value: Mapping[str, tuple[PlayerWord, ...]]) -> object:
        for name, words in value.items():
            if not name_key(name):
                raise ValueError(f"{name!r} is no name")
            if single_words(words) != tuple(sorted(words, key=_WORDS.index)) or not words:
                raise ValueError(f"{name!r}: one of {', '.join(LEVELS)}, one of {', '.join(NAMED)}")
        return value

    @model_validator(mode="after")
    def _fair(self) -> PublicPolicy:
        if self.unseen == "live" and not self.delay_ns and not self.delay_turns:
            raise ValueError(
                'unseen = "live" needs a delay_min or delay_turns: players can open the page too'
            )
        return self

    def stricter(self, other: PublicPolicy) -> PublicPolicy:
        """Return the policy that shows only what both show, and no sooner than either."""
        pair = (self, other)
        return PublicPolicy(
            delay_min=max(one.delay_min for one in pair),
            delay_turns=max(one.delay_turns for one in pair),
            unseen=min((one.unseen for one in pair), key=("never", "after", "live").index),
            racks=min((one.racks for one in pair), key=("never", "after").index),
            words=min((one.words for one in pair), key=("never", "after", "late").index),
            games=strictest(one.games for one in pair),
            names=max((one.names for one in pair), key=NAMED.index),
            players=stricter_list(self.players, other.players),
            overlay_delays=self.overlay_delays,
        )

    @property
    def delay_ns(self) -> int:
        """The delay in minutes, as nanoseconds."""
        return round(self.delay_min * 60 * SECOND)

    @property
    def behind(self) -> str:
        """The delay of the public in plain words; empty if there is none."""
        parts = []
        if self.delay_min:
            parts.append(f"{self.delay_min:g} min")
        if self.delay_turns:
            parts.append(f"{self.delay_turns} turn{'s' if self.delay_turns > 1 else ''}")
        return " and ".join(parts)


FULLY_OPEN: Final = PublicPolicy()
"""The policy without a ``[public]`` section."""

# Not validated: it is no page that players could open.
BROADCAST: Final = PublicPolicy.model_construct(unseen="live", racks="after", words="late")
"""The policy for a broadcaster with a token, who chooses a delay."""


def unseen_of(state: GameState, rules: PublicPolicy) -> dict[str, dict[str, int]]:
    """Return ``{"unseen": {"A": 3, …}}``; an empty dictionary if it may not be shown."""
    if not (rules.unseen == "live" or (rules.unseen == "after" and state.settled)):
        return {}
    return {"unseen": {tile: count for tile, count in state.unseen.items() if count > 0}}


def rack_of(line: Adjustment, state: GameState, rules: PublicPolicy) -> dict[str, str]:
    """Return ``{"tiles": "…"}`` for a line about a rack; else an empty dictionary."""
    may = rules.racks == "after" and state.settled and line.tiles
    return {"tiles": line.tiles} if may else {}


def verdict_of(
    turn: Turn, state: GameState, rules: PublicPolicy, words: Container[str] | None
) -> Mapping[str, Any]:
    """Return ``{"phoney": True or False}`` for a play that stands, without naming the word.

    An empty dictionary if it may not be shown.
    """
    if words is None or rules.words == "never" or turn.kind != "play":
        return {}
    gone = any(later.side != turn.side for later in state.turns[turn.number :])
    if not (state.settled or (rules.words == "late" and gone)):
        return {}
    texts = [text.upper() for text, _ in turn.words]
    if not texts or any(unknown in text for text in texts for unknown in _UNKNOWN):
        return {}
    return {"phoney": any(text not in words for text in texts)}
