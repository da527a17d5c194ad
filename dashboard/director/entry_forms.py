"""The forms of entries that follow from the events' declarations (``game.events.declaring``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, cast, get_args, get_origin

from game.events import EVENT_TYPES, Side
from game.events.declaring import DeclaredField, Form, declared_fields
from game.state.fold import GameState

_GIVEN: Final = frozenset({"by", "why", "t_ns", "at_ns"})
"""Fields that each dialog of the page has, whatever is entered."""

_KINDS: Final = {int: "whole", str: "text", bool: "yes_no"}

_STANDS: Final = frozenset({"play", "no_score"})
"""Kinds of turns whose play stands."""


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
                _field(one, state)
                for one in declared_fields(cast(Any, kind))
                if one.name not in _GIVEN and (state.timed or not one.asked.timed)
            ],
            "of_play": form.of_play,
        }
        for name, kind in EVENT_TYPES.items()
        if (form := getattr(kind, "FORM", None)) is not None and _offered(form, state)
    ]


def _offered(form: Form, state: GameState) -> bool:
    """True if the rulebook has the form's rule, and the game a clock or a play that it needs.

    What cannot be entered for an earlier moment is not said of a play once the game is over.
    """
    if form.timed and not state.timed:
        return False
    if form.of_play and not (state.turns and state.turns[-1].kind in _STANDS):
        return False
    if form.of_play and not form.earlier and state.status == "ended":
        return False
    book = state.rulebook
    return not form.rule or (book.event_rule(form.rule) or book.rule(form.rule)) is not None


def _field(field: DeclaredField, state: GameState) -> dict[str, Any]:
    words, by_side = dict(field.asked.words), get_origin(field.type) is Mapping
    values = get_args(field.type) if get_origin(field.type) is Literal else ()
    if field.asked.by_rule:
        values = tuple(one for one in values if state.rulebook.event_rule(one) is not None)
    return {
        "name": field.name,
        "kind": _kind(
            field.name, get_args(field.type)[1] if by_side else field.type, typed=field.typed
        ),
        "by_side": by_side,
        "more": field.asked.more,
        "label": field.asked.label,
        "value": field.asked.value,
        "hint": field.asked.hint,
        "words": words,
        "options": [(value, words.get(value, value.replace("_", " "))) for value in values],
        "required": field.required and not field.may_be_none and not field.typed,
        "none": field.may_be_none,
        "stated": field.required,
        "least": field.least,
    }


def _kind(name: str, kind: Any, *, typed: bool) -> str:
    """Return the kind of a field's control on the page; ``KeyError`` if the page has none."""
    if typed:
        return "tiles"
    if kind is Side:
        return "side"
    if get_origin(kind) is Literal:
        return "pick"
    if name == "turn":
        return "turn"
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    return "time" if name.endswith("_ns") else _KINDS[bare]
