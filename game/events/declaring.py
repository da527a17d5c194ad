"""The parts of an event's declaration besides its fields: its sentence and its form.

A class may have ``SAYS``, its sentence in the record with fields in braces, and ``FORM``, the form
in which a director's page asks for it. ``Asked`` labels a field of that form:
``side: Annotated[Side, Asked("Who delayed")]``. Log, desk, record, bundle and the docs' tables
follow from these.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, get_args, get_origin, get_type_hints

from game.events.values import Least

ONLY_IF_SET: Final = {"only_if_set": True}
"""Metadata of a field that is stored only if it is not None, so that older events stay as they
were."""

TYPED: Final = "typed"
"""Mark of a field with tiles that people type: in either case, several letters in brackets."""


class Remark:
    """The base of entries that are in the record but change nothing in the game."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The form in which a director's page asks for an event: its fields but ``by`` and ``t_ns``."""

    button: str
    """The text of its button in the menu."""
    title: str
    about: str = ""
    rule: str = ""
    """The setting or the ``[event]`` key that the rulebook must have; empty if it needs none."""
    timed: bool = False
    """True if the event needs a game with a clock."""
    earlier: bool = True
    """True if the event may be entered for an earlier moment."""
    of_play: bool = False
    """True if the newest turn must have a play that stands."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A field of a form, as a person reads it; a field without one is labelled with its name."""

    label: str
    words: tuple[tuple[str, str], ...] = ()
    """Each value and its words, if the field has one of a few values; the empty value is for none.
    """
    value: str = ""
    """The text in the field at first."""
    hint: str = ""
    more: bool = False
    """True if the field is folded away at first."""
    by_rule: bool = False
    """True if only those values are offered that the rulebook has a rule on."""
    timed: bool = False
    """True if the field needs a game with a clock."""


@dataclass(frozen=True, slots=True)
class DeclaredField:
    """A field of an event, without the checks of its value."""

    name: str
    type: Any
    """The type of the field's value, None left out."""
    may_be_none: bool
    required: bool
    asked: Asked
    typed: bool
    """True if the field has tiles that people type."""
    least: int | None
    """The least number that the field, or its value for a side, may have; None if any."""


@functools.cache
def declared_fields(cls: Any) -> tuple[DeclaredField, ...]:
    """Return the fields of an event's class with their types and labels, in order."""
    hints, nothing = get_type_hints(cls, include_extras=True), dataclasses.MISSING
    found = []
    for one in dataclasses.fields(cls):
        hint = hints[one.name]
        given = given_type(hint)
        bare, *marks = get_args(given) if get_origin(given) is Annotated else (given,)
        label = one.name.replace("_", " ").capitalize()
        asked = next((mark for mark in marks if isinstance(mark, Asked)), Asked(label))
        required = one.default is nothing and one.default_factory is nothing
        numbers = get_args(get_args(bare)[1]) if get_origin(bare) is Mapping else marks
        least = next((mark.least for mark in numbers if isinstance(mark, Least)), None)
        none, typed = given is not hint, TYPED in marks
        found.append(DeclaredField(one.name, bare, none, required, asked, typed, least))
    return tuple(found)


def given_type(hint: Any) -> Any:
    """Return a type without None."""
    if get_origin(hint) not in (typing.Union, types.UnionType):
        return hint
    return next(one for one in get_args(hint) if one is not types.NoneType)
