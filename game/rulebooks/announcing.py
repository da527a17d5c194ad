"""The settings that an event announces in place of a rulebook's own, and which of them it may.

Whoever takes an announcement (a table's configuration, the page for a new game, pairings, a
recording, a hub) passes it to :func:`announced`; the start of a game stores the resulting settings
as ``adjust``, and so does its GCG. A rulebook's file says what an event may announce:
``challenge.choices`` for an unsuccessful challenge, ``[choice]`` for any other setting.
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
"""The name for the settings of an unsuccessful challenge, which an event announces together."""


@dataclass(frozen=True, slots=True)
class Option:
    """A setting that an event may announce, as a page offers it."""

    name: str
    """A setting's name, or :data:`CHALLENGE`."""
    meaning: str
    default: int | str
    """The rulebook's own value."""
    values: tuple[int | str, ...]
    """The values to choose from; empty if any whole number from ``least`` to ``most`` will do."""
    labels: tuple[str, ...]
    """Each of the values in words."""
    least: int
    most: int
    rule: str | None


def options(book: Rulebook) -> tuple[Option, ...]:
    """Return every setting that an event under this rulebook may announce."""
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
    """Return an announcement by full names such as ``clock.minutes``, from TOML's nested tables.

    Raises:
        TilewatchError: ``table`` is not a table.
    """
    if not isinstance(table, Mapping):
        raise TilewatchError(f"an announcement is {table!r:.40}: give a table of names and values")
    found: dict[str, Any] = {}
    for name, value in table.items():
        inner = by_name(value) if isinstance(value, Mapping) else None
        found |= {name: value} if inner is None else {f"{name}.{k}": v for k, v in inner.items()}
    return found


def announced(book: Rulebook, wishes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that an announcement changes, as the start of a game stores them.

    Args:
        book: the rulebook without announcements.
        wishes: values by the name of a setting or :data:`CHALLENGE`, in the unit of the file.

    Raises:
        TilewatchError: the rulebook does not let an event announce a value; the message says what
            it allows.
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
    """Return the values that were announced, by the names of :func:`options`."""
    others = {name: value for name, value in book.adjusted.items() if name not in BONUS}
    return others if BONUS.isdisjoint(book.adjusted) else others | {CHALLENGE: cost_words(book)}


def in_words(book: Rulebook) -> str:
    """Return the announced settings in words for people; empty if there are none."""
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
