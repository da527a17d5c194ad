"""The stored form of events, and the list of their kinds.

Scores, turn kinds and the clock's readings are no events: ``game.state.fold`` derives them, so that
one more event can amend an earlier one.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from game.errors import TilewatchError
from game.events.by_director import BY_DIRECTOR
from game.events.by_people import BY_PEOPLE
from game.events.checks import check_values
from game.events.limits import check_any, check_float, check_int, check_size, check_text, short
from game.events.observed import FACTS

Event = FACTS | BY_PEOPLE | BY_DIRECTOR
"""Each kind is declared by its class and by the union at the end of its module."""

EVENT_TYPES: dict[str, type[Any]] = {cls.__name__: cls for cls in get_args(Event)}
"""Every kind of event by the name under which it is stored."""

_KINDS = tuple(EVENT_TYPES.values())


def to_payload(event: Event) -> dict[str, Any]:
    """The event as JSON-able data with its kind under ``type``."""
    name = type(event).__name__
    if EVENT_TYPES.get(name) is not type(event):
        raise TilewatchError(f"not an event: {event!r}")
    return {"type": name, **_plain(event)}


def from_payload(payload: Mapping[str, Any]) -> Event:
    """The event of stored data.

    Raises:
        TilewatchError: an unknown kind, or a field that is missing, unknown or of the wrong
            form; the line names it.
    """
    if not isinstance(payload, Mapping):
        raise TilewatchError(f"an event is an object with a type, not {short(payload)}")
    name = payload.get("type")
    cls = EVENT_TYPES.get(name) if isinstance(name, str) else None
    if cls is None:
        raise TilewatchError(f"unknown event type {short(name)}")
    event: Event = _build(cls, {k: v for k, v in payload.items() if k != "type"}, str(name))
    check_values(event)
    return event


@functools.cache
def _hints(cls: Any) -> dict[str, Any]:
    return get_type_hints(typing.cast("type[Any]", cls))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {
            f.name: _plain(one)
            for f in dataclasses.fields(value)
            if (one := getattr(value, f.name)) is not None or "only_if_set" not in f.metadata
        }
    if isinstance(value, Mapping):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(v) for v in value]
    return value


def _build(cls: type[Any], data: Mapping[str, Any], where: str) -> Any:
    as_any: Any = cls
    hints = _hints(as_any)
    fields = {f.name: f for f in dataclasses.fields(cls)}
    for key in data:
        if key not in fields:
            raise TilewatchError(f"{where}: unknown field {short(key)}")
    values: dict[str, Any] = {}
    for key, spec in fields.items():
        if key in data:
            values[key] = _read(hints[key], data[key], f"{where}.{key}")
        elif spec.default is dataclasses.MISSING and spec.default_factory is dataclasses.MISSING:
            raise TilewatchError(f"{where}: {key} is missing")
    return cls(**values)


def _read(hint: Any, value: Any, where: str) -> Any:
    """``value`` as the type hint has it: the handful of shapes that events are made of."""
    origin, args = get_origin(hint), get_args(hint)
    if hint is Any:
        return check_any(value, where)
    if origin in (typing.Union, types.UnionType):
        if value is None:
            return None
        return _read(next(a for a in args if a is not type(None)), value, where)
    if origin is Literal:
        if isinstance(value, str) and value in args:
            return value
        known = ", ".join(map(str, args))
        raise TilewatchError(f"{where}: {short(value)} is not one of {known}")
    if origin is tuple:
        if isinstance(value, list | tuple):
            check_size(value, where)
            return tuple(_read(args[0], v, f"{where}[{i}]") for i, v in enumerate(value))
    elif origin is Mapping:
        if isinstance(value, Mapping):
            check_size(value, where)
            return {
                check_text(str(k), where): _read(args[1], v, f"{where}.{k}")
                for k, v in value.items()
            }
    elif dataclasses.is_dataclass(hint):
        if dataclasses.is_dataclass(value):
            return value
        if isinstance(value, Mapping):
            return _build(typing.cast("type[Any]", hint), value, where)
    elif hint is float:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return check_float(value, where)
    elif hint is str and isinstance(value, str):
        return check_text(value, where)
    elif hint is int and isinstance(value, int) and not isinstance(value, bool):
        return check_int(value, where)
    elif hint is bool and isinstance(value, bool):
        return value
    raise TilewatchError(f"{where}: {short(value)} has the wrong form")


@functools.cache
def _simple(cls: Any) -> tuple[tuple[str, tuple[Any, ...], tuple[Any, ...]], ...]:
    """The fields that are plain values, as (name, types, words)."""
    found: list[tuple[str, tuple[Any, ...], tuple[Any, ...]]] = []
    for name, hint in _hints(cls).items():
        if get_origin(hint) is Literal:
            found.append((name, (str,), get_args(hint)))
        elif hint in (int, str):
            found.append((name, (hint,), ()))
        elif hint in (int | None, str | None, bool | None):
            found.append((name, (get_args(hint)[0], type(None)), ()))
    return tuple(found)


def check_event(event: Event) -> None:
    """Refuse an event with a value, square, symbol or position that cannot be.

    Raises:
        TilewatchError: the line names the field.
    """
    if not isinstance(event, _KINDS):
        raise TilewatchError(f"not an event: {event!r}")
    for name, kinds, words in _simple(typing.cast(Any, type(event))):
        value = getattr(event, name)
        of_kind = type(value) in kinds or (isinstance(value, kinds) and not isinstance(value, bool))
        if not of_kind or (words and value not in words):
            known = f"; known: {', '.join(words)}" if words else ""
            raise TilewatchError(f"{type(event).__name__}.{name}: {value!r} cannot be{known}")
    check_values(event)
