"""Reads JavaScript literals as data, in the form in which TSH writes ``tourney.js``.

TSH's Perl (``JavaScript::Serializable``) writes ``undefined`` for every value that is missing, in
objects as well as in lists. In a string it escapes quotes, backslashes and line breaks only, each
with a backslash before it. Other programs rewrite such files with comments, names without quotes,
trailing commas and holes in lists. All of that is read, and nothing is run.

No maintained library accepts ``undefined`` and holes in lists: json5 and pyjson5
refuse both, chompjs makes the text ``"undefined"`` of one, and demjson3, the only one that knows
both, was last released in 2022, reads half a megabyte in three seconds, and writes out ``1e400``.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from game.errors import TilewatchError

DEEPEST: Final = 64
"""The deepest nesting of lists and objects that is read. TSH's own files have six levels."""

_NUMBER: Final = r"[-+]?(?:[0-9]{1,20}(?:\.[0-9]{0,30})?|\.[0-9]{1,30})(?:[eE][-+]?[0-9]{1,5})?"
_PLAIN: Final = r"-?[0-9]{1,15}"
_TOKEN: Final = re.compile(
    rf"""
    (?P<space>[\s\ufeff]+ | //[^\n\r]* | /\*.*?\*/)
    | (?P<string>"(?:[^"\\\n]++|\\\r\n|\\.)*+" | '(?:[^'\\\n]++|\\\r\n|\\.)*+')
    | (?P<numbers>\[\s*{_PLAIN}(?:\s*,\s*{_PLAIN})*\s*\])   # most of the file: read at once
    | (?P<number>{_NUMBER})(?![\w.$])
    | (?P<word>[-+]?[A-Za-z_$][\w$]*)
    | (?P<mark>[\[\]{{}}:,;])
    """,
    re.VERBOSE | re.DOTALL,
)
_BEGINNING: Final = re.compile(
    r"(?:[\s\ufeff]++|//[^\n\r]*+|/\*.*?\*/)*+(?:(?:(?:var|let|const)\s+|(?:window|self|globalThis)\s*\.\s*)?newt\s*=(?!=)|(?=\{))",
    re.S,
)
_ESCAPE: Final = re.compile(
    r"\\(?:x(?P<byte>[0-9A-Fa-f]{2})|u(?P<unit>[0-9A-Fa-f]{4})|u\{(?P<point>[0-9A-Fa-f]{1,6})\}"
    r"|(?P<one>\r\n|.))",
    re.DOTALL,
)
_ESCAPED: Final = {
    "\r\n": "\n",
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
    "v": "\v",
    "0": "\0",
}
_WORDS: Final = {
    "undefined": None,
    "null": None,
    "NaN": None,
    "true": True,
    "false": False,
    "Infinity": math.inf,
    "+Infinity": math.inf,
    "-Infinity": -math.inf,
}


class NotDataError(TilewatchError):
    """A text that is no JavaScript literal; the message names the line of the fault."""


def is_javascript(text: str) -> bool:
    """Return True if a text begins as ``tourney.js`` does: with ``newt =`` or an object."""
    return _BEGINNING.match(text) is not None


def read_javascript(text: str) -> Any:
    """Return the value of ``newt`` in a text as lists, dicts, texts, numbers, booleans and None.

    ``undefined``, ``NaN`` and a hole in a list are None. A number beyond 10^308 is infinite.
    Raises ``NotDataError``.
    """
    begins = _BEGINNING.match(text)
    if begins is None:
        raise NotDataError("line 1: it does not begin with newt=")
    return _Reader(text, begins.end()).read()


class _Reader:
    """Reads one value, piece by piece."""

    def __init__(self, text: str, at: int) -> None:
        self._text, self._at = text, at
        self._kind = self._piece = ""
        self._next()

    def read(self) -> Any:
        """Return the value; only a semicolon may follow it. Raises ``NotDataError``."""
        value = self._value(0)
        if self._piece == ";":
            self._next()
        if self._piece:
            raise self._wrong("there is text after the end of the data")
        return value

    def _value(self, depth: int) -> Any:
        kind, piece = self._kind, self._piece
        if depth > DEEPEST:
            raise self._wrong(f"more than {DEEPEST} lists and objects are nested")
        if piece == "[":
            return self._list(depth)
        if piece == "{":
            return self._object(depth)
        if kind == "string":
            value: Any = self._string()
        elif kind == "number":
            whole = piece.lstrip("+-").isdigit()
            value = int(piece) if whole else float(piece)
        elif kind == "numbers":
            value = [int(one) for one in piece[1:-1].split(",")]
        elif piece in _WORDS:
            value = _WORDS[piece]
        else:
            raise self._wrong("a value is missing" if piece else "the file ends in mid-data")
        self._next()
        return value

    def _list(self, depth: int) -> list[Any]:
        found: list[Any] = []
        self._next()
        while self._piece != "]":
            found.append(None if self._piece == "," else self._value(depth + 1))
            self._separator("]")
        self._next()
        return found

    def _object(self, depth: int) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self._next()
        while self._piece != "}":
            if self._kind not in ("string", "word", "number"):
                raise self._wrong(
                    "a name is missing" if self._piece else "the file ends in mid-data"
                )
            name = self._string() if self._kind == "string" else self._piece
            self._next()
            if self._piece != ":":
                raise self._wrong(f"a colon is missing behind {name[:40]!r}")
            self._next()
            found[name] = self._value(depth + 1)
            self._separator("}")
        self._next()
        return found

    def _separator(self, end: str) -> None:
        """Move past a comma; accept the end of the list or object in its place."""
        if self._piece == ",":
            self._next()
        elif self._piece != end:
            missing = f"a comma or {end} is missing"
            raise self._wrong(missing if self._piece else "the file ends in mid-data")

    def _next(self) -> None:
        """Move to the next piece of the text; ``""`` is its end."""
        while True:
            if self._at >= len(self._text):
                self._kind = self._piece = ""
                return
            found = _TOKEN.match(self._text, self._at)
            if found is None:
                raise self._wrong(f"{self._text[self._at : self._at + 20]!r} is no data")
            self._kind, self._piece, self._at = found.lastgroup or "", found[0], found.end()
            if self._kind != "space":
                return

    def _string(self) -> str:
        body = self._piece[1:-1]
        if "\\" not in body:
            return body
        text = _ESCAPE.sub(_unescaped, body)
        try:  # pairs of units that make up one character
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError as error:
            raise self._wrong("a text has half a character (a lone surrogate)") from error

    def _wrong(self, what: str) -> NotDataError:
        return NotDataError(f"line {self._text.count(chr(10), 0, self._at) + 1}: {what}")


def _unescaped(found: re.Match[str]) -> str:
    if found["one"] is not None:
        return _ESCAPED.get(found["one"], found["one"])
    code = int(found["byte"] or found["unit"] or found["point"], 16)
    return chr(code) if code <= 0x10FFFF else "\ufffd"
