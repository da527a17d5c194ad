"""The settings of a rulebook as people read them: by name, in minutes and seconds, with rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, get_type_hints

from game.rulebooks.rulebook import Rulebook
from game.rulebooks.setting import Setting


@dataclass(frozen=True, slots=True)
class Shown:
    """A setting as people read it."""

    name: str
    value: Any
    """As in the file: minutes and seconds, not nanoseconds."""
    rule: str | None
    note: str
    meaning: str


@lru_cache(maxsize=1)
def settings() -> Mapping[str, Setting]:
    """Return the declaration of each setting, by field, in their order."""
    hints = get_type_hints(Rulebook, include_extras=True)
    found = {}
    for one in dataclasses.fields(Rulebook):
        for setting in getattr(hints[one.name], "__metadata__", ()):
            found[one.name] = setting
    return MappingProxyType(found)


def shown(book: Rulebook) -> tuple[Shown, ...]:
    """Every setting of a rulebook in the order of the declaration."""
    lines = []
    for field_name, one in settings().items():
        value = one.in_file(getattr(book, field_name))
        note = book.notes.get(one.name, "")
        lines.append(Shown(one.name, value, book.rule(one.name), note, one.meaning))
    return tuple(lines)
