"""Output of the commands: answers on stdout, everything else on stderr.

Names, files and messages come from outside, so every line is escaped here: no control character,
line break or change of direction reaches the terminal, and no text can pass for a line of ours.
"""

from __future__ import annotations

import json
import re
import sys
from typing import Any, TextIO

_LONGEST = 600
"""Characters of a line that says why not. A word of the input that it quotes may be any length."""


_UNCHANGED = frozenset("\u00a0\u3000")
"""Spaces that belong to names, though Python does not count them as printable."""


def printable(text: str) -> str:
    r"""``text`` with everything that a terminal would act on, or could not show, escaped.

    Control characters, line and paragraph separators, marks that change the direction of writing,
    other invisible ones, and lone surrogates become ``\x1b``, ``\u202e`` and the like.
    """
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one in _UNCHANGED else _escape(ord(one)) for one in text
    )


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _line(text: str, stream: TextIO) -> str:
    """One printable line in what the stream can encode."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return printable(text).encode(encoding, "backslashreplace").decode(encoding) + "\n"


def answer(*lines: str) -> None:
    """Lines of the answer. Raises ``BrokenPipeError`` where there is nobody to tell."""
    stdout = _stdout()
    for text in lines:
        stdout.write(_line(text, stdout))


def answer_json(document: Any) -> None:
    """The answer as one JSON document, in which strings are escaped as on other lines."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    if not text.isprintable():
        text = re.sub(r"[^ -~]", lambda found: _json_escape(found[0]), text)
    stdout = _stdout()
    try:
        text.encode(getattr(stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(document, allow_nan=False)
    stdout.write(text + "\n")


def _json_escape(one: str) -> str:
    return one if one.isprintable() or one in _UNCHANGED else json.dumps(one)[1:-1]


def _stdout() -> TextIO:
    stdout: TextIO | None = sys.stdout  # None when it was closed before we were started
    if stdout is None:
        raise BrokenPipeError
    return stdout


def say(text: str) -> None:
    """Print one line on stderr: a fault, or where something was written."""
    stderr: TextIO | None = sys.stderr
    if stderr is not None:
        stderr.write(_line(" ".join(text.split()), stderr))


def fault(text: str) -> None:
    """One line that says why something could not be done: its beginning and end, if it is long."""
    half = _LONGEST // 2
    if len(text) > _LONGEST:
        text = f"{text[:half]} … {text[-half:]}"
    say(f"tilewatch: {text}")


def columns(rows: list[list[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Rows as aligned lines; the columns in ``right`` are flush right."""
    if not rows:
        return []
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
