"""The parts of an event's declaration beside its fields: its sentence and its form.

A class may have ``SAYS``, the sentence for the record with its fields in braces, and ``FORM``, by
which a director's page asks for it. ``Asked`` labels a field of that form:
``side: Annotated[Side, Asked("Who delayed")]``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

ONLY_IF_SET: Final = {"only_if_set": True}
"""Metadata of a field that is stored only if it is not None: older events stay as they were."""


class Remark:
    """The base of entries that stand in the record and change nothing of the game."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """The form in which a director's page asks for an event: its fields but ``by`` and ``t_ns``."""

    button: str
    """The text of its button in the menu."""
    title: str
    about: str = ""
    why: str
    """The reason that it offers."""
    rule: str = ""
    """The setting or the key of ``[event]`` that the rulebook must have; empty if it needs none."""
    timed: bool = False
    """True if it needs a clock."""
    earlier: bool = True
    """True if it may be entered for an earlier moment."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A field of a form, as a person reads it; without one, it has the field's name."""

    label: str
    words: tuple[tuple[str, str], ...] = ()
    """The words for each value, if it has one of a few."""
    value: str = ""
    """The text that stands there at first."""
    hint: str = ""
