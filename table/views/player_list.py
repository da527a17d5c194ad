"""The event's list of players (``docs/configuration.md``): who is not shown, who by initials."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias, get_args

from game.terms import SIDES, Shown, nameless
from table.pairings.details import folded, given_first, is_nobody

Named: TypeAlias = Literal["full", "initials"]
"""How players are named in public."""

PlayerWord: TypeAlias = Shown | Named
"""A word of a player's entry: how much of the player's games is shown, or how the player is
named."""

PlayerList: TypeAlias = Mapping[str, tuple[PlayerWord, ...]]
"""The words of each listed player, by name as typed."""

LEVELS: Final[tuple[Shown, ...]] = get_args(Shown)
"""In order: each shows less than the one before."""

NAMED: Final[tuple[Named, ...]] = get_args(Named)

_PARTS: Final = 3
"""The most words of a name that initials are made of."""


@lru_cache(maxsize=4096)
def name_key(name: str) -> str:
    """Return a name for comparison: its words in any order, without case, accents and marks."""
    return " ".join(sorted(re.findall(r"\w+", folded(name))))


def initials(name: str) -> str:
    """Return a name as initials: ``A. B.`` for ``Ann Bee`` and for ``Bee, Ann``."""
    words = re.findall(r"\w+", given_first(name))
    return " ".join(f"{word[0].upper()}." for word in words[:_PARTS])


def is_named(name: str) -> bool:
    """Return True if a name is that of a person, and no word in place of one."""
    return bool(name) and not is_nobody(name) and name not in map(nameless, SIDES)


def words_of(players: PlayerList, name: str) -> tuple[PlayerWord, ...]:
    """Return the words of a player's entry; none if the player is not in the list."""
    key = name_key(name)
    return next((words for known, words in players.items() if name_key(known) == key), ())


def strictest(levels: Iterable[Shown]) -> Shown:
    """Return the one of the levels that shows least."""
    return max(levels, key=LEVELS.index)


def stricter_list(*lists: PlayerList) -> dict[str, tuple[PlayerWord, ...]]:
    """Return the players of all lists; one who is in several is shown only as all allow."""
    found: dict[str, tuple[str, tuple[PlayerWord, ...]]] = {}
    for name, words in (entry for one in lists for entry in one.items()):
        known, before = found.get(name_key(name), (name, ()))
        found[name_key(name)] = known, single_words((*before, *words))
    return dict(found.values())


def single_words(words: Iterable[PlayerWord]) -> tuple[PlayerWord, ...]:
    """Return the strictest word on the games and that on the name, where there is one."""
    given = set(words)
    levels: list[PlayerWord] = [word for word in LEVELS if word in given]
    names: list[PlayerWord] = [word for word in NAMED if word in given]
    return (*levels[-1:], *names[-1:])
