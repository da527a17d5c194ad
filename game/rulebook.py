"""Rulebooks as data: the figures of one set of tournament rules, each with its rule number.

A rulebook is a TOML file in ``game/data/rulebooks/``. What differs between them by a figure
is a setting here; what differs by behaviour is a word (``failed = "points"``) that the fold
looks up, so that another rulebook is another file and, at most, another word.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Literal, TypeVar, get_args

from game.errors import TilewatchError

DEFAULT_RULEBOOK = "wespa-2007"

SECOND = 1_000_000_000
"""Nanoseconds in a second."""

ChallengeFailed = Literal["points", "none"]
"""What a challenge of a good play costs: points for the player challenged, or nothing. The
loss of the challenger's turn needs no setting: that turn is seen and ruled
``challenge_failed``."""

Placement = Literal["score"]
"""What an unchallenged play that breaks the rules of placement scores. ``score``: all that
its tiles form. Other rulebooks bring their own words."""

_T = TypeVar("_T")


@dataclass(frozen=True)
class Rulebook:
    """One set of rules. Every ``*_rule`` is the number to show, None where it is silent."""

    id: str
    name: str
    source: str
    silent_rule: str | None
    """The rule that refers to the publisher's rules for all that is not in the text."""
    rack_tiles: int
    bingo_tiles: int
    bingo_points: int
    clock_ns: int
    overtime_from_ns: int
    """How far past 0:00 a clock must be to be in overtime."""
    overtime_points: int
    overtime_per_ns: int
    overtime_rule: str | None
    overtime_starts_rule: str | None
    overtime_limit_ns: int
    overtime_limit_margin: int
    overtime_limit_rule: str | None
    exchange_bag: int
    exchange_rule: str | None
    scoreless_turns: int
    scoreless_kinds: frozenset[str]
    scoreless_factor: int
    """How many times a player's own tiles are taken off when such a run ends the game."""
    scoreless_rule: str | None
    out_factor: int
    """How many times the opponent's tiles are added for the player who is out."""
    out_rule: str | None
    challenge_upheld_rule: str | None
    challenge_failed: ChallengeFailed
    challenge_failed_step: int
    """Bonuses come in multiples of this."""
    challenge_failed_rule: str | None
    off_centre: Placement
    illegal_placement: Placement
    after_press_rule: str | None
    """No change to a play after its turn ended."""
    straighten_rule: str | None
    """A turned tile may be straightened."""
    placement_rule: str | None
    """Tiles apart, off the centre or in more than one line."""

    def overtime_penalty(self, remaining_ns: int) -> int:
        """Points off for a clock that shows ``remaining_ns`` (negative past 0:00)."""
        over = -remaining_ns
        if over < self.overtime_from_ns:
            return 0
        shown = over // SECOND * SECOND  # a display counts whole seconds
        return -(-shown // self.overtime_per_ns) * self.overtime_points


def rulebook_ids() -> tuple[str, ...]:
    """The ids of the shipped rulebooks."""
    folder = resources.files("game").joinpath("data", "rulebooks")
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@lru_cache(maxsize=32)
def load_rulebook(id: str = DEFAULT_RULEBOOK) -> Rulebook:  # noqa: A002 - the contract's word
    """The shipped rulebook of that id.

    Raises:
        TilewatchError: there is no such rulebook; the line names those there are.
    """
    known = rulebook_ids()
    if id not in known:
        raise TilewatchError(f"unknown rulebook {id!r}: choose one of {', '.join(known)}")
    text = resources.files("game").joinpath("data", "rulebooks", f"{id}.toml").read_text("utf-8")
    return parse_rulebook(id, text)


def parse_rulebook(id: str, text: str) -> Rulebook:  # noqa: A002
    """A rulebook from the text of its TOML file.

    Raises:
        TilewatchError: a setting is missing, unknown or of the wrong form.
    """
    try:
        reader = _Reader(id, tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise TilewatchError(f"rulebook {id!r}: not TOML: {error}") from error
    book = Rulebook(
        id=id,
        name=reader.get("name", str),
        source=reader.get("source", str),
        silent_rule=reader.rule("publisher.rule"),
        rack_tiles=reader.get("rack.tiles", int),
        bingo_tiles=reader.get("bingo.tiles", int),
        bingo_points=reader.get("bingo.points", int),
        clock_ns=reader.get("clock.seconds", int) * SECOND,
        overtime_from_ns=reader.get("overtime.from_seconds", int) * SECOND,
        overtime_points=reader.get("overtime.points", int),
        overtime_per_ns=reader.get("overtime.per_seconds", int) * SECOND,
        overtime_rule=reader.rule("overtime.rule"),
        overtime_starts_rule=reader.rule("overtime.starts_rule"),
        overtime_limit_ns=reader.get("overtime_limit.seconds", int) * SECOND,
        overtime_limit_margin=reader.get("overtime_limit.margin", int),
        overtime_limit_rule=reader.rule("overtime_limit.rule"),
        exchange_bag=reader.get("exchange.bag_at_least", int),
        exchange_rule=reader.rule("exchange.rule"),
        scoreless_turns=reader.get("scoreless.turns", int),
        scoreless_kinds=frozenset(reader.get("scoreless.kinds", list)),
        scoreless_factor=reader.get("scoreless.rack_factor", int),
        scoreless_rule=reader.rule("scoreless.rule"),
        out_factor=reader.get("out.rack_factor", int),
        out_rule=reader.rule("out.rule"),
        challenge_upheld_rule=reader.rule("challenge.upheld_rule"),
        challenge_failed=reader.word("challenge.failed", ChallengeFailed),
        challenge_failed_step=reader.get("challenge.failed_step", int),
        challenge_failed_rule=reader.rule("challenge.failed_rule"),
        off_centre=reader.word("placement.off_centre", Placement),
        illegal_placement=reader.word("placement.illegal", Placement),
        after_press_rule=reader.rule("turn.after_press_rule"),
        straighten_rule=reader.rule("turn.straighten_rule"),
        placement_rule=reader.rule("placement.rule"),
    )
    reader.finish()
    return book


class _Reader:
    """Takes settings out of the parsed file by dotted name and knows what was left unread."""

    def __init__(self, id: str, data: dict[str, Any]) -> None:  # noqa: A002
        self._where = f"rulebook {id!r}"
        self._left: dict[str, Any] = {}
        for key, value in data.items():
            if isinstance(value, dict):
                self._left.update({f"{key}.{name}": v for name, v in value.items()})
            else:
                self._left[key] = value

    def get(self, name: str, kind: type[_T]) -> _T:
        """A setting that must be there."""
        if name not in self._left:
            raise TilewatchError(f"{self._where}: {name} is missing")
        value = self._left.pop(name)
        if not isinstance(value, kind) or isinstance(value, bool):
            raise TilewatchError(f"{self._where}: {name} = {value!r} has the wrong form")
        if isinstance(value, int) and value < 0:
            raise TilewatchError(f"{self._where}: {name} = {value!r} is below 0")
        return value

    def rule(self, name: str) -> str | None:
        """A rule number, or None where the rulebook is silent."""
        return self.get(name, str) if name in self._left else None

    def word(self, name: str, words: Any) -> Any:
        """One of the words that the code knows a behaviour for."""
        value = self.get(name, str)
        if value not in get_args(words):
            known = ", ".join(get_args(words))
            raise TilewatchError(f"{self._where}: {name} = {value!r}; known: {known}")
        return value

    def finish(self) -> None:
        """Refuse settings that nothing read: most likely a slip of the pen."""
        if self._left:
            raise TilewatchError(f"{self._where}: unknown setting {min(self._left)!r}")
