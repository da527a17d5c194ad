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
from game.rulebooks.challenge import BONUS, cost_label, cost_settings, cost_words
from game.rulebooks.loading import adjusted
from game.rulebooks.rulebook import Rulebook, settings

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
    labels: tuple[str, ...]
    """Each of them in words."""
    least: int
    most: int
    rule: str | None


def options(book: Rulebook) -> tuple[Option, ...]:
    """Return everything that an event under this rulebook may announce."""
    found = []
    for field, one in settings().items():
        if (choice := book.choices.get(one.name)) is not None:
            default, values = one.in_file(getattr(book, field)), choice.values
            labels = tuple(str(value).replace("_", " ") for value in values)
            limits = (choice.least, choice.most)
            found.append(
                Option(one.name, one.meaning, default, values, labels, *limits, choice.rule)
            )
    if book.challenge_choices:
        own, rule = cost_words(book), book.rule("challenge.choices")
        costs = (own, *sorted(book.challenge_choices - {own}))
        labels = tuple(map(cost_label, costs))
        meaning = "what a challenge of a good play costs"
        found.append(Option(CHALLENGE, meaning, own, costs, labels, 0, 0, rule))
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


def chosen(book: Rulebook) -> dict[str, Any]:
    """Return what was announced, by the names of :func:`options`."""
    others = {name: value for name, value in book.adjusted.items() if name not in BONUS}
    return others if BONUS.isdisjoint(book.adjusted) else others | {CHALLENGE: cost_words(book)}


def in_words(book: Rulebook) -> str:
    """What was announced otherwise than the text has it, as people read it; empty for nothing."""
    if not book.adjusted:
        return ""
    words = [
        f"{one.meaning}: {str(book.adjusted[one.name]).replace('_', ' ')}"
        for one in settings().values()
        if one.name in book.adjusted.keys() - BONUS
    ]
    if not BONUS.isdisjoint(book.adjusted):
        words.append(f"a challenge in vain costs {cost_label(cost_words(book))}")
    return "; ".join(words)
