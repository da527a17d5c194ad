"""The forms of entries that follow from the events' declarations (``game.events.declaring``)."""

from __future__ import annotations

from typing import Any, Final, Literal, cast, get_args, get_origin

from game.events import EVENT_TYPES, Side
from game.events.declaring import DeclaredField, Form, declared_fields
from game.state.fold import GameState

_GIVEN: Final = frozenset({"by", "why", "t_ns"})
"""Fields that each dialog of the page has, whatever is entered."""

_KINDS: Final = {int: "whole", str: "text"}


def entry_forms(state: GameState) -> list[dict[str, Any]]:
    """Return the forms that a game's rulebook allows, in the order of the events' declaration."""
    return [
        {
            "type": name,
            "button": form.button,
            "title": form.title,
            "about": form.about,
            "earlier": form.earlier,
            "fields": [
                _field(one) for one in declared_fields(cast(Any, kind)) if one.name not in _GIVEN
            ],
        }
        for name, kind in EVENT_TYPES.items()
        if (form := getattr(kind, "FORM", None)) is not None and _offered(form, state)
    ]


def _offered(form: Form, state: GameState) -> bool:
    """True if the rulebook has the form's rule, and the game has a clock if the form needs one."""
    if form.timed and not state.timed:
        return False
    book = state.rulebook
    return not form.rule or (book.event_rule(form.rule) or book.rule(form.rule)) is not None


def _field(field: DeclaredField) -> dict[str, Any]:
    words = dict(field.asked.words)
    return {
        "name": field.name,
        "kind": _kind(field),
        "label": field.asked.label,
        "value": field.asked.value,
        "hint": field.asked.hint,
        "options": [
            (value, words.get(value, value.replace("_", " "))) for value in get_args(field.type)
        ],
        "required": field.required and not field.may_be_none and not field.typed,
        "none": field.may_be_none,
    }


def _kind(field: DeclaredField) -> str:
    """Return the kind of a field's control on the page; ``KeyError`` if the page has none."""
    if field.typed:
        return "tiles"
    if field.type is Side:
        return "side"
    if get_origin(field.type) is Literal:
        return "pick"
    if field.name == "turn":
        return "turn"
    return "time" if field.name.endswith("_ns") else _KINDS[field.type]
