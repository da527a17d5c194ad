"""Writes the tables of events into docs/evidence.md, from ``game.events`` itself.

python docs/make_event_tables.py          # writes them
python docs/make_event_tables.py --check  # exit status 1 when they are not up to date
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import itertools
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from game import terms
from game.events import (
    EVENT_TYPES,
    Finding,
    Picture,
    PicturesLost,
    PlayMade,
    SquareChange,
    TurnReading,
    given_type,
)

PAGE = Path(__file__).with_name("evidence.md")
BEGIN, END = "<!-- events: begin -->\n", "<!-- events: end -->\n"

_PLAIN: dict[Any, tuple[str, str]] = {
    int: ("integer", "integers"),
    float: ("number", "numbers"),
    str: ("string", "strings"),
    bool: ("boolean", "booleans"),
}
"""A type in words, as one and as several."""

COMMON = {
    "turn": int,
    "side": terms.Side,
    "rule": str | None,
    "by": str,
    "why": str,
    "t_ns": int,
}
"""Fields of many events. The page explains them once; words of their own give them a row."""


def tables() -> str:
    """One table: a row for each event in the order of definition, then a row for each field."""
    values = (Finding, Picture, PicturesLost, PlayMade, SquareChange, TurnReading)
    kinds = [*EVENT_TYPES.values(), *values]
    head = ["| event, field | form | |", "|---|---|---|"]
    return "\n".join([*head, *(row for cls in kinds for row in _rows(cls))]) + "\n"


def _rows(cls: type[Any]) -> list[str]:
    """The rows of one kind; neighbours of one form that nothing is said of share a row."""
    docs, hints = _field_docs(cls), get_type_hints(cls)
    common, rows = [], []
    for field in dataclasses.fields(cls):
        hint, about = hints[field.name], _plain(docs.get(field.name, ""))
        given = given_type(hint)
        none = "absent" if "only_if_set" in field.metadata else "null"
        form = _form(given) if given is hint else f"{_form(given)} or {none}"
        if COMMON.get(field.name) == hint and not about:
            common.append(f"`{field.name}`")
        else:
            rows.append((f"`{field.name}`", form, about))
    says = _plain(inspect.cleandoc(cls.__doc__ or ""))
    merged = [f"| **{cls.__name__}** | {', '.join(common)} | {says} |"]
    for (form, about), same in itertools.groupby(rows, key=lambda row: row[1:]):
        names = ", ".join(name for name, _, _ in same)
        merged.append(f"| {names} | {form} | {about} |")
    return merged


def _plain(text: str) -> str:
    """A docstring as Markdown on one line."""
    text = re.sub(r":\w+:`[\w.]*?(\w+)`", r"`\1`", " ".join(text.split()))
    return text.replace("``", "`").replace("|", "\\|")


def _form(hint: Any) -> str:
    """The form of a type in JSON."""
    args = get_args(hint)
    if get_origin(hint) is Literal:
        return ", ".join(f'`"{word}"`' for word in args)
    if get_origin(hint) is tuple:
        return f"array of {_forms(args[0])}"
    if get_origin(hint) is Mapping:
        return "object" if args[1] is Any else f"object of {_forms(args[1])}"
    return _PLAIN[hint][0]


def _forms(hint: Any) -> str:
    """The form of several values of a type."""
    if hint in _PLAIN:
        return _PLAIN[hint][1]
    if dataclasses.is_dataclass(hint):
        return f"*{hint.__name__}*"
    return _form(hint).replace("array", "arrays")


def _field_docs(cls: type[Any]) -> dict[str, str]:
    """The strings that stand below the fields."""
    tree = ast.parse(inspect.cleandoc(inspect.getsource(cls)))
    body = tree.body[0].body  # type: ignore[attr-defined]
    found = {}
    for before, after in itertools.pairwise(body):
        if (
            isinstance(before, ast.AnnAssign)
            and isinstance(before.target, ast.Name)
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            found[before.target.id] = str(after.value.value)
    return found


def filled(text: str) -> str:
    """The page with the tables as they should be."""
    head, rest = text.split(BEGIN)
    _, tail = rest.split(END)
    return f"{head}{BEGIN}{tables()}{END}{tail}"


def main() -> int:
    """Write or check."""
    text = PAGE.read_text("utf-8")
    due = filled(text)
    if "--check" in sys.argv[1:]:
        return int(text != due)
    PAGE.write_text(due, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
