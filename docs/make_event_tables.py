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
from pathlib import Path
from typing import Any, get_type_hints

from game import events, terms
from game.events import EVENT_TYPES, Finding, Picture, PicturesLost, PlayMade, TurnReading

PAGE = Path(__file__).with_name("evidence.md")
BEGIN, END = "<!-- events: begin -->\n", "<!-- events: end -->\n"

_FORMS = {
    "int": "integer",
    "str": "string",
    "Side": '`"left"` or `"right"`',
    "Button": '`"left"`, `"right"` or `"neutral"`',
    "Side | None": '`"left"`, `"right"` or null',
    "str | None": "string or null",
    "int | None": "integer or null",
    "float | None": "number or null",
    "bool": "boolean",
    "bool | None": "boolean or null",
    "tuple[str, ...]": "array of strings",
    "tuple[str, ...] | None": "array of strings, or null",
    "tuple[Finding, ...]": "array of *Finding*",
    "tuple[PicturesLost, ...] | None": "array of *PicturesLost*, or null",
    "tuple[TurnReading, ...] | None": "array of *TurnReading*, or null",
    "tuple[PlayMade, ...]": "array of *PlayMade*",
    "tuple[Picture, ...]": "array of *Picture*",
    "tuple[tuple[float, ...], ...] | None": "array of four `[x, y]`, or null",
    "Mapping[str, str]": "object of strings",
    "Mapping[str, str] | None": "object of strings, or null",
    "Mapping[str, int]": "object of integers",
    "Mapping[str, float]": "object of numbers",
    "Mapping[str, float] | None": "object of numbers, or null",
    "Mapping[str, Any]": "object",
    "Mapping[str, Any] | None": "object or null",
    "Mapping[Side, Edge] | None": 'object of `"top"`, `"right"`, `"bottom"`, `"left"`, or null',
    "Counted": '`"score"` or `"spread"`',
    "ChallengeGround | None": '`"words"`, `"placement"` or null',
    "VerdictBy | None": (
        '`"conceded"`, `"resubmitted"`, `"second_opinion"`, `"third_opinion"` or null'
    ),
    "BoardEnding | None": (
        '`"opponent_placed"`, `"player_placed_again"`, `"played_out"`, `"watch_ended"` or null'
    ),
}


_COMMON_FORMS = {_FORMS["int"], _FORMS["str"], _FORMS["Side"], _FORMS["str | None"]}

COMMON = ("turn", "side", "rule", "by", "why", "t_ns")
"""Fields of many events. The page explains them once; words of their own give them a row."""


def tables() -> str:
    """One table: a row for each event in the order of definition, then a row for each field."""
    kinds = [*EVENT_TYPES.values(), Finding, Picture, PicturesLost, PlayMade, TurnReading]
    head = ["| event, field | form | |", "|---|---|---|"]
    return "\n".join([*head, *(row for cls in kinds for row in _rows(cls))]) + "\n"


def _rows(cls: type[Any]) -> list[str]:
    """The rows of one kind; neighbours of one form that nothing is said of share a row."""
    docs = _field_docs(cls)
    common, rows = [], []
    for field in dataclasses.fields(cls):
        form = _form(str(field.type))
        if "only_if_set" in field.metadata:
            form = re.sub(r",? or null$|, null$", "", form) + " or absent"
        about = _plain(docs.get(field.name, ""))
        if field.name in COMMON and form in _COMMON_FORMS and not about:
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


def _form(hint: str) -> str:
    if hint in _FORMS:
        return _FORMS[hint]
    alias = getattr(events, hint, None) or getattr(terms, hint, None)
    words = getattr(alias, "__args__", None)
    if words is not None:
        return ", ".join(f'`"{word}"`' for word in words)
    raise SystemExit(f"make_event_tables: no words for the form {hint!r}; add it to _FORMS")


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
    assert get_type_hints(Picture)  # the module's hints hold
    text = PAGE.read_text("utf-8")
    due = filled(text)
    if "--check" in sys.argv[1:]:
        return int(text != due)
    PAGE.write_text(due, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
