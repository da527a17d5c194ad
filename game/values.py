"""Frozen values that are made by the thousand: copies with changes, and sequences that only grow.

Folding a game makes thousands of them, and the library's own ``replace`` looks at every field of a
class and calls its ``__init__`` each time: half of the time that a fold took. Ours copies the
fields as they are. So a class that it is used on has no ``__post_init__`` and no cached properties;
a class with slots is left to the library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar, final, overload

__all__ = ["Grown", "replace"]

if TYPE_CHECKING:
    from dataclasses import replace  # as which the type checker knows every field
else:

    def replace(value: Any, /, **changes: Any) -> Any:
        """Return a copy of a frozen value with some fields changed."""
        try:
            fields = value.__dict__
        except AttributeError:
            return dataclasses.replace(value, **changes)
        copied = fields | changes
        if len(copied) != len(fields):
            return dataclasses.replace(value, **changes)  # which refuses what is no field
        made = object.__new__(type(value))
        object.__setattr__(made, "__dict__", copied)
        return made


T_co = TypeVar("T_co", covariant=True)

_GROWING = Lock()


@final
class Grown(Sequence[T_co], Generic[T_co]):
    """A sequence that never changes; a longer one made from it shares its items.

    Each state of a game has all events so far. With tuples, the memory of all the states of a game
    would grow with the square of its events.
    """

    __slots__ = ("_items", "_length")

    def __init__(self, items: Iterable[T_co] = ()) -> None:
        self._items = list(items)
        self._length = len(self._items)

    def plus(self, item: T_co) -> Grown[T_co]:  # type: ignore[misc]  # it is put into another
        """Return this sequence with one more item."""
        with _GROWING:
            items = self._items
            if len(items) > self._length:  # it was grown otherwise before
                items = items[: self._length]
            items.append(item)
            return self._first(items, self._length + 1)

    @overload
    def __getitem__(self, at: int) -> T_co: ...
    @overload
    def __getitem__(self, at: slice) -> Grown[T_co]: ...
    def __getitem__(self, at: int | slice) -> T_co | Grown[T_co]:
        if isinstance(at, slice):
            begin, end, step = at.indices(self._length)
            if (begin, step) == (0, 1):
                return self._first(self._items, end)
            return Grown(self._items[begin:end:step])
        if not -self._length <= at < self._length:
            raise IndexError(at)
        return self._items[at % self._length]

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T_co]:
        return islice(self._items, self._length)

    def __repr__(self) -> str:
        return f"Grown({self._items[: self._length]!r})"

    @classmethod
    def _first(cls, items: list[T_co], length: int) -> Grown[T_co]:
        made: Grown[T_co] = object.__new__(cls)
        made._items, made._length = items, length
        return made
