"""What an event announces in place of a rulebook's own settings, and what a text leaves to it.

Everybody who takes an announcement (a table's configuration, the page for a new game, pairings, a
recording, a hub) passes it to :func:`announced`; a game's start has the settings that come out,
``adjust``, and so has its GCG. What a text leaves to an event is data: ``challenge.choices`` for a
challenge in vain, ``[choice]`` for any other setting.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from game.errors import TilewatchError
from game.rulebooks.challenge import cost_settings, cost_words
from game.rulebooks.listing import settings
from game.rulebooks.loading import adjusted
from game.rulebooks.rulebook import Rulebook

CHALLENGE = "challenge"
"""The name under which an event announces the settings of a challenge in vain together."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that an event may announce, as a page offers it."""

    name: str
    """A setting's name, or :data:`CHALLENGE`."""
    meaning: str
    default: int | str
    """The rulebook's own."""
    values: tuple[int | str, ...]
    """What may be chosen; empty for a whole number from ``least`` to ``most``."""
    least: int
    most: int
    rule: str | None


def options(book: Rulebook) -> tuple[Option, ...]:
    """Return everything that an event under this rulebook may announce."""
    found = []
    for field, one in settings().items():
        if (choice := book.choices.get(one.name)) is not None:
            default = one.in_file(getattr(book, field))
            found.append(
                Option(one.name, one.meaning, default, choice.values, choice.least, choice.most,
                      choice.rule)
            )  # fmt: skip
    if book.challenge_choices:
        own = cost_words(book)
        values = (own, *sorted(book.challenge_choices - {own}))
        meaning = "what a challenge of a good play costs"
        rule = book.rule("challenge.choices")
        found.append(Option(CHALLENGE, meaning, own, values, 0, 0, rule))
    return tuple(found)


def by_name(table: object) -> dict[str, Any]:
    """Return an announcement as TOML has it, where ``clock.minutes`` is a table in a table.

    Raises:
        TilewatchError: it is no table.
    """
    if not isinstance(table, Mapping):
        raise TilewatchError(f"an announcement is a table of names and values, not {table!r:.40}")
    found: dict[str, Any] = {}
    for name, value in table.items():
        inner = by_name(value) if isinstance(value, Mapping) else None
        found |= {name: value} if inner is None else {f"{name}.{k}": v for k, v in inner.items()}
    return found


def announced(book: Rulebook, wishes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that an announcement changes, as a game's start has them.

    Args:
        book: the rulebook as its text has it.
        wishes: values by the name of a setting or :data:`CHALLENGE`, in the unit of the file.

    Raises:
        TilewatchError: the text does not leave it to the event; the line says what it does.
    """
    changes: dict[str, Any] = {}
    for name, value in wishes.items():
        changes |= cost_settings(value) if name == CHALLENGE else {name: value}
    made = adjusted(book, changes)
    fields = {one.name: field for field, one in settings().items()}
    return {
        name: value
        for name, value in changes.items()
        if getattr(made, fields[name]) != getattr(book, fields[name])
    }


def in_words(book: Rulebook) -> str:
    """What was announced otherwise than the text has it, as people read it; empty for nothing."""
    words = [
        f"{one.meaning}: {book.adjusted[one.name]}"
        for one in settings().values()
        if one.name in book.adjusted and not one.name.startswith("challenge.failed")
    ]
    if any(name.startswith("challenge.failed") for name in book.adjusted):
        words.append(f"a challenge in vain: {cost_words(book)}")
    return "; ".join(words)
