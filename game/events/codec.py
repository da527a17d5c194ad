"""The stored form of events, and the list of their kinds.

A kind is declared by its class alone: one reader of types, with the checks of
:mod:`game.events.values`, reads and checks all of them. The reader is our own because ``game``
needs the standard library alone, and a schema of msgspec or pydantic would repeat these classes.

Scores, turn kinds and the clock's readings are no events: ``game.state.fold`` derives them, so one
more event can amend an earlier one.
"""

from __future__ import annotations

import dataclasses
import functools
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, NoReturn, get_args, get_origin, get_type_hints

from game.errors import TilewatchError
from game.events.by_director import BY_DIRECTOR
from game.events.by_people import BY_PEOPLE
from game.events.declaring import declared_fields, given_type
from game.events.observed import FACTS
from game.events.values import (
    Check,
    check_any,
    check_float,
    check_int,
    check_size,
    check_text,
    short,
)

Event = FACTS | BY_PEOPLE | BY_DIRECTOR
"""Any event: the union of the kinds of all three modules."""

EVENT_TYPES: dict[str, type[Any]] = {cls.__name__: cls for cls in get_args(Event)}
"""Every kind of event by the name under which it is stored."""


def kind_of(event: object) -> str:
    """Return the name under which an event is stored; ``TilewatchError`` for other objects."""
    name = type(event).__name__
    if EVENT_TYPES.get(name) is not type(event):
        raise TilewatchError(f"not an event: {event!r}")
    return name


def to_payload(event: Event) -> dict[str, Any]:
    """Return an event as JSON-able data, with its kind under ``type``."""
    return {"type": kind_of(event), **_plain(event)}


def from_payload(payload: Mapping[str, Any]) -> Event:
    """Return the event of stored data.

    Raises:
        TilewatchError: the kind is unknown, or a field is missing, unknown or of the wrong form;
            the message names it.
    """
    if not isinstance(payload, Mapping):
        raise TilewatchError(f"an event is an object with a type, not {short(payload)}")
    name = payload.get("type")
    cls = EVENT_TYPES.get(name) if isinstance(name, str) else None
    if cls is None:
        raise TilewatchError(f"unknown event type {short(name)}")
    fields = {key: value for key, value in payload.items() if key != "type"}
    return typing.cast(Event, _record(cls, fields, cls.__name__))


def with_symbols(payload: Mapping[str, Any], rack: Callable[[str], str]) -> dict[str, Any]:
    """Return a payload with symbols for the tiles that people typed.

    Args:
        payload: an event's fields as somebody gave them, with its kind under ``type``.
        rack: returns the symbols of typed tiles (``TileSet.rack``).
    """

    def read(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: read(one) for key, one in value.items()}
        return rack(value) if isinstance(value, str) else value

    fields = declared_fields(typing.cast(Any, EVENT_TYPES[payload["type"]]))
    typed = {field.name for field in fields if field.typed}
    return {key: read(one) if key in typed else one for key, one in payload.items()}


def check_event(event: Event) -> None:
    """Refuse an event with an invalid value, square, symbol or position.

    Raises:
        TilewatchError: the event is invalid; the message names the field.
    """
    _check_record(event, kind_of(event))


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


_Reader = Callable[[Any, str], Any]
"""A function that takes a value and its place, and returns the event's value or raises."""


@functools.cache
def _reader(hint: Any) -> _Reader:
    """Return the reader of a type; events are made of the few types below."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return functools.partial(_checked, _reader(args[0]), tuple(filter(callable, args[1:])))
    if origin is Literal:
        return functools.partial(_word, args)
    if origin is tuple:
        return functools.partial(_array, _reader(args[0]))
    if origin is Mapping:
        return functools.partial(_object, _reader(args[0]), _reader(args[1]))
    if (given := given_type(hint)) is not hint:
        return functools.partial(_optional, _reader(given))
    return functools.partial(_record, hint)


@functools.cache
def _fields(cls: Any) -> tuple[tuple[str, _Reader, bool], ...]:
    """Return the fields of a class, as (name, reader, required)."""
    hints, nothing = get_type_hints(cls, include_extras=True), dataclasses.MISSING
    return tuple(
        (
            one.name,
            _reader(hints[one.name]),
            one.default is nothing and one.default_factory is nothing,
        )
        for one in dataclasses.fields(cls)
    )


def _wrong(value: Any, where: str, needed: str) -> NoReturn:
    raise TilewatchError(f"{where}: {short(value)} has the wrong form: give {needed}")


def _record(cls: Any, value: Any, where: str) -> Any:
    if isinstance(value, cls):
        _check_record(value, where)
        return value
    if not isinstance(value, Mapping):
        _wrong(value, where, "an object")
    values: dict[str, Any] = {}
    for name, read, required in _fields(cls):
        if name in value:
            values[name] = read(value[name], f"{where}.{name}")
        elif required:
            raise TilewatchError(f"{where}: {name} is missing")
    for name in value:
        if name not in values:
            raise TilewatchError(f"{where}: unknown field {short(name)}")
    return _without_fault(cls(**values), where)


def _check_record(made: Any, where: str) -> None:
    for name, read, _ in _fields(typing.cast(Any, type(made))):
        read(getattr(made, name), f"{where}.{name}")
    _without_fault(made, where)


def _without_fault(made: Any, where: str) -> Any:
    """Return an object whose fields do not contradict each other, else raise ``TilewatchError``."""
    fault = made.fault() if hasattr(made, "fault") else ""
    if fault:
        raise TilewatchError(f"{where}.{fault}")
    return made


def _checked(read: _Reader, checks: tuple[Check, ...], value: Any, where: str) -> Any:
    found = read(value, where)
    for check in checks:
        check(found, where)
    return found


def _optional(read: _Reader, value: Any, where: str) -> Any:
    return None if value is None else read(value, where)


def _array(read: _Reader, value: Any, where: str) -> Any:
    if not isinstance(value, list | tuple):
        _wrong(value, where, "a list")
    check_size(value, where)
    return tuple(read(one, f"{where}[{at}]") for at, one in enumerate(value))


def _object(key: _Reader, read: _Reader, value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        _wrong(value, where, "an object")
    check_size(value, where)
    return {key(str(k), where): read(v, f"{where}.{k}") for k, v in value.items()}


def _word(words: tuple[str, ...], value: Any, where: str) -> Any:
    if not isinstance(value, str) or value not in words:
        raise TilewatchError(f"{where}: {short(value)} is not one of {', '.join(words)}")
    return value


def _number(value: Any, where: str) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return check_float(value, where) if is_number else _wrong(value, where, "a number")


def _integer(value: Any, where: str) -> Any:
    is_integer = isinstance(value, int) and not isinstance(value, bool)
    return check_int(value, where) if is_integer else _wrong(value, where, "a whole number")


def _text(value: Any, where: str) -> Any:
    return check_text(value, where) if isinstance(value, str) else _wrong(value, where, "a text")


def _truth(value: Any, where: str) -> Any:
    return value if isinstance(value, bool) else _wrong(value, where, "true or false")


_PLAIN: dict[Any, _Reader] = {
    Any: check_any,
    float: _number,
    int: _integer,
    str: _text,
    bool: _truth,
}
