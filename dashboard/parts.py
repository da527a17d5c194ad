"""The parts of an application that its views share, each found by its class."""

from __future__ import annotations

import threading
from typing import TypeVar

from flask import Flask, current_app

_Part = TypeVar("_Part")
_making = threading.Lock()


def install(app: Flask, part: object) -> None:
    """Give ``app`` a part, in place of one of the same class."""
    app.extensions[_key(type(part))] = part


def find(kind: type[_Part], app: Flask | None = None) -> _Part | None:
    """Return the part of this class of ``app`` (by default the current one), or None."""
    found = (app or current_app).extensions.get(_key(kind))
    assert found is None or isinstance(found, kind)
    return found


def part(kind: type[_Part], app: Flask | None = None) -> _Part:
    """Return the part of this class of ``app`` (by default the current one), or an empty one."""
    with _making:
        found = find(kind, app)
        if found is None:
            found = kind()
            install(app or current_app, found)
    return found


def _key(kind: type[object]) -> str:
    return f"tilewatch.{kind.__name__}"
