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
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from game.errors import TilewatchError
from game.events.by_director import BY_DIRECTOR
from game.events.by_people import BY_PEOPLE
from game.events.declaring import declared_fields, given_type
from game.events.observed import FACTS
from game.events.values import (
    MAX_NS,
    MAX_NUMBER,
    Check,
    MisfitError,
    check_any,
    check_float,
    check_int,
    check_size,
    check_text,
    misfit,
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
    try:
        return typing.cast(Event, _record(cls, fields))
    except MisfitError as error:
        raise TilewatchError(f"{cls.__name__}{error}") from None


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
    kind = kind_of(event)
    try:
        _check_record(event)
    except MisfitError as error:
        raise TilewatchError(f"{kind}{error}") from None


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


_Reader = Callable[[Any], Any]
"""A function that takes a value and returns the event's, or raises ``MisfitError``."""


@functools.cache
def _fields(cls: Any) -> tuple[tuple[str, _Reader, bool], ...]:
    """Return the fields of a class, as (name, reader, required)."""
    hints, nothing = get_type_hints(cls, include_extras=True), dataclasses.MISSING
    return tuple(
        (
            one.name,
            _reader(hints[one.name], MAX_NS if one.name.endswith("_ns") else MAX_NUMBER),
            one.default is nothing and one.default_factory is nothing,
        )
        for one in dataclasses.fields(cls)
    )


def _reader(hint: Any, most: int) -> _Reader:
    """Return the reader of a type, with ``most`` as the largest whole number in it.

    Events are made of the few types below.
    """
    if hint is int:
        return _integer(most)
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _checked(_reader(args[0], most), tuple(filter(callable, args[1:])))
    if origin is Literal:
        return _word(args)
    if origin is tuple:
        return _array(_reader(args[0], most))
    if origin is Mapping:
        return _object(_reader(args[0], most), _reader(args[1], most))
    if (given := given_type(hint)) is not hint:
        return _optional(_reader(given, most))
    return functools.partial(_record, hint)


def _record(cls: Any, value: Any) -> Any:
    if isinstance(value, cls):
        _check_record(value)
        return value
    if not isinstance(value, Mapping):
        raise misfit(value, "an object")
    values: dict[str, Any] = {}
    for name, read, required in _fields(cls):
        if name in value:
            try:
                values[name] = read(value[name])
            except MisfitError as error:
                raise error.within(f".{name}") from None
        elif required:
            raise MisfitError(f": {name} is missing")
    for name in value:
        if name not in values:
            raise MisfitError(f": unknown field {short(name)}")
    return _without_fault(cls(**values))


def _check_record(made: Any) -> None:
    for name, read, _ in _fields(typing.cast(Any, type(made))):
        try:
            read(getattr(made, name))
        except MisfitError as error:
            raise error.within(f".{name}") from None
    _without_fault(made)


def _without_fault(made: Any) -> Any:
    """Return an object whose fields do not contradict each other, else raise ``MisfitError``."""
    fault = made.fault() if hasattr(made, "fault") else ""
    if fault:
        raise MisfitError(f".{fault}")
    return made


def _checked(read: _Reader, checks: tuple[Check, ...]) -> _Reader:
    def checked(value: Any) -> Any:
        found = read(value)
        for check in checks:
            check(found)
        return found

    return checked


def _optional(read: _Reader) -> _Reader:
    return lambda value: None if value is None else read(value)


def _array(read: _Reader) -> _Reader:
    def array(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, _LISTS):
            raise misfit(value, "a list")
        check_size(value)
        made: list[Any] = []
        try:
            for one in value:
                made.append(read(one))  # noqa: PERF401 - so that it is known which could not be
        except MisfitError as error:
            raise error.within(f"[{len(made)}]") from None
        return tuple(made)

    return array


def _object(read_key: _Reader, read: _Reader) -> _Reader:
    def object_(value: Any) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise misfit(value, "an object")
        check_size(value)
        made: dict[str, Any] = {}
        for name, one in value.items():
            key = read_key(str(name))
            try:
                made[key] = read(one)
            except MisfitError as error:
                raise error.within(f".{name}") from None
        return made

    return object_


def _word(words: tuple[str, ...]) -> _Reader:
    def word(value: Any) -> str:
        if not isinstance(value, str) or value not in words:
            raise MisfitError(f": {short(value)} is not one of {', '.join(words)}")
        return value

    return word


def _integer(most: int) -> _Reader:
    def integer(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise misfit(value, "a whole number")
        return check_int(value, most)

    return integer


def _number(value: Any) -> float:
    if not isinstance(value, _NUMBERS) or isinstance(value, bool):
        raise misfit(value, "a number")
    return check_float(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise misfit(value, "true or false")
    return value


_LISTS, _NUMBERS = (list, tuple), (int, float)
_PLAIN: dict[Any, _Reader] = {Any: check_any, float: _number, str: check_text, bool: _truth}
