"""What the command prints: answers on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO

_LONGEST = 600
"""Characters of a line that says why not. A word of the input that it quotes may be any length."""


def answer(text: str) -> None:
    """One or more lines of the answer. Raises ``BrokenPipeError`` where there is nobody to tell."""
    _stdout().write(text + "\n")


def answer_json(document: Any) -> None:
    """The answer as one JSON document."""
    stdout = _stdout()
    json.dump(document, stdout, ensure_ascii=False, allow_nan=False)
    stdout.write("\n")


def _stdout() -> TextIO:
    stdout: TextIO | None = sys.stdout  # None when it was closed before we were started
    if stdout is None:
        raise BrokenPipeError
    return stdout


def say(text: str) -> None:
    """One line beside the answer: a fault, or where something was written."""
    stderr: TextIO | None = sys.stderr
    if stderr is not None:
        stderr.write(" ".join(text.split()) + "\n")


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
