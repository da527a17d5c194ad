"""JSON bodies and numbers from browsers and programs are checked here, where they come in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeVar

from flask import abort, g, request
from pydantic import BaseModel, ValidationError

from game.errors import TilewatchError
from game.options import one_line
from record import strict_json

_Shape = TypeVar("_Shape", bound=BaseModel)

LONGEST_ID: Final = 64
"""The most characters of a name that a page gives to itself or to what it sends."""


class NotJsonError(TilewatchError):
    """The body is no JSON object, or an ambiguous one; ``status`` is the status of the answer."""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


def sent_object(longest: int | None = None) -> dict[str, Any]:
    """Return the current request's JSON object, of at most ``longest`` bytes.

    Anything else ends the request with 400, 413 or 415. No text in it holds half a surrogate pair,
    no whole number needs more than 64 bits, and every other number is finite.
    """
    try:
        return read_object(longest)
    except NotJsonError as error:
        abort(error.status, description=str(error))


def read_object(longest: int | None = None) -> dict[str, Any]:
    """Return the request's JSON object; raise ``NotJsonError`` instead of ending the request."""
    known: dict[str, Any] | None = g.get("sent_object")
    if known is not None:
        return known
    if longest is not None:
        request.max_content_length = longest
    if not request.is_json:
        raise NotJsonError("Send JSON, with the header Content-Type: application/json.", 415)
    try:
        sent = strict_json.loads(request.get_data())
    except ValueError as error:
        raise NotJsonError(f"This is no JSON that can be used: {str(error)[:120]}.") from error
    if not isinstance(sent, dict):
        raise NotJsonError("Send one JSON object.")
    g.sent_object = sent
    return sent


def sent_as(shape: type[_Shape], longest: int | None = None, *, status: int = 422) -> _Shape:
    """Return the current request's JSON object, of at most ``longest`` bytes, as ``shape``.

    If the body does not fit, the request ends with ``status`` and one line that names the field.
    """
    try:
        return shape.model_validate(sent_object(longest), strict=True)
    except ValidationError as error:
        abort(status, description=one_line(error))


def sent_text(sent: Mapping[str, Any], name: str, longest: int) -> str:
    """Return a text field of what was sent, in one line; empty if it is missing or null.

    Anything else ends the request with 400.
    """
    value = sent.get(name)
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if (value is not None and not isinstance(value, str)) or len(text) > longest:
        abort(400, description=f"{name}: a text of at most {longest} characters")
    if not text.isprintable():
        abort(400, description=f"{name}: only characters that can be printed")
    return text


def whole_number(text: str, least: int = 0, most: int = 2**63 - 1) -> int | None:
    """Return the number that a text of digits gives; None for other text or out of range."""
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(most))):
        return None
    number = int(text)
    return number if least <= number <= most else None


def whole_argument(name: str, default: int, most: int, least: int = 0) -> int:
    """Return a whole number from the query, else ``default``; a wrong one ends it with 400."""
    text = request.args.get(name)
    if text is None:
        return default
    number = whole_number(text, least, most)
    if number is None:
        abort(400, description=f"{name}: a whole number from {least} to {most}")
    return number
