"""Rulebooks as data: the figures of one set of tournament rules, each with its rule number.

A rulebook is a TOML file in ``game/data/rulebooks/``. It gives each setting of
:class:`~game.rulebooks.rulebook.Rulebook` its value, the number of the rule that it comes from,
and a note where the text is silent or disagrees with itself::

    [overtime_limit]
    minutes = { is = 10, rule = "18.5", note = "4.4 says 15; 18.5 is the specific rule" }

A setting without a rule is one on which the text is silent: the note says what was chosen. One that
is left out has its default. A ``[flag.<code>]`` table says by which rule a fault is raised,
who may see it, and what the text lets whom do about it::

    [flag.off_centre]
    rule = "5.1.2"
    seen_by = "opponent"
    remedies = [{ who = "opponent", may = "challenge_off", until = "written" }]
An ``[event]`` table gives the rule on what a director may say that no camera sees
(:mod:`game.rulebooks.declarable`).
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from game.errors import TilewatchError
from game.flags import CODES
from game.guidance import ACTIONS, LIMITS, Guidance, Remedy, Visibility, Who
from game.rulebooks.challenge import require_choice
from game.rulebooks.declarable import DECLARABLE
from game.rulebooks.listing import FACTORS, Shown, settings, shown
from game.rulebooks.rulebook import SECOND, STOP, Rulebook, silent

__all__ = [
    "DEFAULT_RULEBOOK",
    "SECOND",
    "STOP",
    "Rulebook",
    "Shown",
    "adjusted",
    "load_rulebook",
    "parse_rulebook",
    "rulebook_ids",
    "settings",
    "shown",
]

DEFAULT_RULEBOOK = "wespa-2007"

_HINTS = get_type_hints(Rulebook)
_OPTIONAL = {
    one.name for one in dataclasses.fields(Rulebook) if one.default is not dataclasses.MISSING
}


def rulebook_ids() -> tuple[str, ...]:
    """The ids of the shipped rulebooks."""
    folder = resources.files("game").joinpath("data", "rulebooks")
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@lru_cache(maxsize=32)
def load_rulebook(id: str = DEFAULT_RULEBOOK) -> Rulebook:  # noqa: A002 - the contract's word
    """The shipped rulebook of that id.

    Raises:
        TilewatchError: there is no such rulebook; the line names those there are.
    """
    known = rulebook_ids()
    if id not in known:
        raise TilewatchError(f"unknown rulebook {id!r}: choose one of {', '.join(known)}")
    text = resources.files("game").joinpath("data", "rulebooks", f"{id}.toml").read_text("utf-8")
    return parse_rulebook(id, text)


def parse_rulebook(id: str, text: str) -> Rulebook:  # noqa: A002
    """A rulebook from the text of its TOML file.

    Raises:
        TilewatchError: a setting is missing, unknown or of the wrong form.
    """
    where = f"rulebook {id!r}"
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TilewatchError(f"{where}: not TOML: {error}") from error
    heads = {}
    for key in ("name", "source"):
        heads[key] = data.pop(key, None)
        if not isinstance(heads[key], str) or not heads[key].strip():
            raise TilewatchError(f"{where}: {key} is missing")
    silent = data.pop("publisher", {}).get("rule")
    guidance = _guidance(where, data.pop("flag", {}))
    event_rules = _event_rules(where, data.pop("event", {}))
    given = {
        f"{group}.{key}": line
        for group, lines in data.items()
        for key, line in (lines.items() if isinstance(lines, dict) else (("", lines),))
    }
    values: dict[str, Any] = {}
    rules: dict[str, str] = {}
    notes: dict[str, str] = {}
    for field, one in settings().items():
        name = one.name
        if name not in given and field in _OPTIONAL:
            continue
        if name not in given:
            raise TilewatchError(f"{where}: {name} is missing")
        line = given.pop(name)
        if not isinstance(line, dict) or "is" not in line or set(line) - {"is", "rule", "note"}:
            raise TilewatchError(f"{where}: {name} = {line!r}: give it as {{ is, rule, note }}")
        if not {"rule", "note"} & set(line):
            raise TilewatchError(
                f"{where}: {name}: name its rule, or say why it has none in a note"
            )
        values[field] = _value(f"{where}: {name}", field, line["is"])
        for kept, key in ((rules, "rule"), (notes, "note")):
            if key in line:
                if not isinstance(line[key], str) or not line[key].strip():
                    raise TilewatchError(f"{where}: {name}: its {key} is not a text")
                kept[name] = line[key]
    if given:
        raise TilewatchError(f"{where}: unknown setting {min(given)!r}")
    return Rulebook(
        id=id,
        name=heads["name"],
        source=heads["source"],
        silent_rule=silent,
        **values,
        event_rules=MappingProxyType(event_rules),
        rules=MappingProxyType(rules),
        notes=MappingProxyType(notes),
        guidance=MappingProxyType(guidance),
    )


def adjusted(book: Rulebook, changes: Mapping[str, Any]) -> Rulebook:
    """The rulebook as an event announced it: some settings by name with other values.

    Raises:
        TilewatchError: a setting is unknown or its value of the wrong form, or the text does not
            leave it to the event.
    """
    if not changes:
        return book
    known = {one.name: field for field, one in settings().items()}
    values = {}
    for name, value in changes.items():
        if name not in known:
            raise TilewatchError(f"rulebook {book.id!r}: unknown setting {name!r}")
        where = f"rulebook {book.id!r}: {name}"
        values[known[name]] = _value(where, known[name], value)
    announced = dataclasses.replace(book, **values, adjusted=MappingProxyType(dict(changes)))
    require_choice(book, announced, changes)
    return announced


def _value(where: str, field: str, value: Any) -> Any:
    """A setting's value in the form that the code has it."""
    hint = _HINTS[field]
    good = False
    if get_origin(hint) is Literal:
        good = value in get_args(hint)
        if not good:
            known = ", ".join(get_args(hint))
            raise TilewatchError(f"{where} = {value!r}; known: {known}")
    elif hint is bool:
        good = isinstance(value, bool)
    elif hint is int:
        good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        value = value * FACTORS[settings()[field].unit] if good else value
    elif hint is str:
        good = isinstance(value, str)
    elif isinstance(value, list | tuple | frozenset):
        good = all(isinstance(word, str) for word in value)
        value = frozenset(value) if good else value
    if not good:
        raise TilewatchError(f"{where} = {value!r} has the wrong form")
    return value


def _event_rules(where: str, table: Any) -> dict[str, str]:
    """The ``[event]`` table: the rule on each thing that a director may say."""
    for name, rule in table.items():
        if name not in DECLARABLE:
            known = ", ".join(DECLARABLE)
            raise TilewatchError(f"{where}: event.{name} is unknown; known: {known}")
        if not isinstance(rule, str) or not rule.strip():
            raise TilewatchError(f"{where}: event.{name}: its rule is not a text")
    return dict(table)


def _guidance(where: str, tables: Mapping[str, Any]) -> dict[str, Guidance]:
    """The ``[flag.<code>]`` tables; a code may be followed by ``_`` and a context.

    What the table of a context leaves out is as in that of the code, and what that leaves out is as
    :mod:`game.flag_codes` has it: a table that only gives a rule's number takes no remedy away.
    """
    found: dict[str, Guidance] = {}
    for code, table in sorted(tables.items(), key=lambda one: one[0] not in CODES):
        here = f"{where}: flag.{code}"
        known = [one for one in CODES if code == one or code.startswith(f"{one}_")]
        if not known:
            raise TilewatchError(f"{here}: no such flag")
        plain = max(known, key=len)
        usual = found.get(plain) or silent(plain)
        if not isinstance(table, dict) or set(table) - {"rule", "seen_by", "remedies"}:
            raise TilewatchError(f"{here}: it has rule, seen_by and remedies")
        seen_by = table.get("seen_by", usual.visibility)
        if seen_by not in get_args(Visibility):
            raise TilewatchError(f"{here}: seen_by = {seen_by!r}")
        rule = table.get("rule", usual.rule)
        remedies = usual.remedies
        if "remedies" in table:
            remedies = tuple(_remedy(here, line, rule) for line in table["remedies"])
        found[code] = Guidance(rule, seen_by, remedies)
    return found


def _remedy(where: str, line: Any, rule: str | None) -> Remedy:
    if not isinstance(line, dict) or set(line) - {"who", "may", "until", "rule", "says"}:
        raise TilewatchError(f"{where}: a remedy has who, may, until, rule and says: {line!r}")
    who: Any = line.get("who")
    action, until = str(line.get("may")), line.get("until", "")
    if who not in get_args(Who) or action not in ACTIONS or until not in LIMITS:
        raise TilewatchError(f"{where}: unknown word in {line!r}")
    return Remedy(who, action, until, line.get("rule", rule), line.get("says", ""))
