"""Rulebooks as data: the figures of one set of tournament rules, each with its rule number.

A rulebook is a TOML file in ``game/data/rulebooks/``. It gives each setting of
:class:`~game.rulebooks.rulebook.Rulebook` its value, the number of the rule that it comes from, and
a note if the text is silent or disagrees with itself::

    [overtime_limit]
    minutes = { is = 10, rule = "18.5", note = "4.4 says 15; 18.5 is the specific rule" }

A setting without a rule is one on which the text is silent: the note says what was chosen. A
setting that is left out has its default. A ``[flag.<code>]`` table says by which rule a fault is
raised, who may see it, and what the text lets whom do about it::

    [flag.off_centre]
    rule = "5.1.2"
    seen_by = "opponent"
    remedies = [{ who = "opponent", may = "challenge_off", until = "written" }]

``[choice]`` says what an event may announce in place of a setting's value, and by which rule; for
an unsuccessful challenge ``challenge.choices`` says so::

    [choice]
    "leaving.resigning" = { values = ["as_leaving", "current_score"], rule = "I.B" }
    "clock.minutes" = { from = 1, to = 60, rule = "5.3.5" }

An ``[event]`` table gives the rule on each fact that a director may enter and no camera sees
(:mod:`game.rulebooks.setting`), and each ``[[penalty]]`` is a kind of penalty that a director may
impose (:class:`~game.rulebooks.rulebook.Penalty`).

A national variant names the shipped rulebook that it is based on, and gives only what differs::

    name = "WESPA 2021 as played in Utopia"
    source = "Utopian Scrabble Association, 2026"
    based_on = "wespa-2021"

    [challenge]
    failed_points = { is = 4, rule = "X.7" }
    choices = { is = [], rule = "X.7" }

    [choice]
    "challenge.failed_goes" = { values = [], rule = "X.7" }

The last two lines withdraw what an event may announce under the base.
"""

from __future__ import annotations

import dataclasses
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib import resources
from types import MappingProxyType
from typing import Any, Literal, get_args, get_origin, get_type_hints

from game.errors import TilewatchError
from game.flags import CODES
from game.guidance import ACTIONS, LIMITS, OPENINGS, Guidance, Remedy, Visibility, Who
from game.rulebooks.challenge import BONUS, cost_settings, cost_words
from game.rulebooks.rulebook import On, Penalty, Rulebook, Shown, settings, shown, silent
from game.rulebooks.setting import DECLARABLE, FACTORS, SECOND, STOP, Choice

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

DEFAULT_RULEBOOK = "wespa-2021"

_HINTS = get_type_hints(Rulebook)
_OPTIONAL = {
    one.name for one in dataclasses.fields(Rulebook) if one.default is not dataclasses.MISSING
}


@cache
def rulebook_ids() -> tuple[str, ...]:
    """Return the ids of the shipped rulebooks."""
    folder = resources.files("game").joinpath("data", "rulebooks")
    names = (entry.name for entry in folder.iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@lru_cache(maxsize=32)
def load_rulebook(id: str = DEFAULT_RULEBOOK) -> Rulebook:  # noqa: A002 - the contract's word
    """Return the shipped rulebook of an id.

    Raises:
        TilewatchError: there is no such rulebook; the message lists all ids.
    """
    known = rulebook_ids()
    if id not in known:
        raise TilewatchError(f"unknown rulebook {id!r}: choose one of {', '.join(known)}")
    return parse_rulebook(id, _shipped_text(id))


def _shipped_text(id: str) -> str:  # noqa: A002
    return resources.files("game").joinpath("data", "rulebooks", f"{id}.toml").read_text("utf-8")


def parse_rulebook(id: str, text: str) -> Rulebook:  # noqa: A002
    """Return the rulebook that the text of a TOML file declares.

    Raises:
        TilewatchError: a setting is missing, unknown or of the wrong form.
    """
    where = f"rulebook {id!r}"
    data = _data(where, text)
    based_on = data.pop("based_on", "")
    if based_on:
        data = _over(_base(where, based_on), data)
    heads = {key: _text(f"{where}: {key}", data.pop(key, None)) for key in ("name", "source")}
    silent = data.pop("publisher", {}).get("rule")
    guidance = _guidance(where, data.pop("flag", {}))
    choices = _choices(where, data.pop("choice", {}))
    event_rules, notes = _event_rules(where, data.pop("event", {}))
    penalties = _penalties(where, data.pop("penalty", []))
    given = {
        f"{group}.{key}": line
        for group, lines in data.items()
        for key, line in (lines.items() if isinstance(lines, dict) else (("", lines),))
    }
    values: dict[str, Any] = {}
    rules: dict[str, str] = {}
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
                kept[name] = _text(f"{where}: {name}: its {key}", line[key])
    if given:
        raise TilewatchError(f"{where}: unknown setting {min(given)!r}")
    return Rulebook(
        id=id,
        name=heads["name"],
        source=heads["source"],
        silent_rule=silent,
        based_on=based_on,
        **values,
        event_rules=MappingProxyType(event_rules),
        penalties=penalties,
        rules=MappingProxyType(rules),
        notes=MappingProxyType(notes),
        guidance=MappingProxyType(guidance),
        choices=MappingProxyType(choices),
    )


def _data(where: str, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TilewatchError(f"{where}: not TOML: {error}") from error


def _base(where: str, id: object) -> dict[str, Any]:  # noqa: A002
    """Return the data of the shipped rulebook that a variant is based on.

    Raises:
        TilewatchError: there is no such rulebook, or it is a variant itself.
    """
    base = _data(f"rulebook {id!r}", _shipped_text(str(id))) if id in rulebook_ids() else None
    if base is None or "based_on" in base:
        known = ", ".join(one for one in rulebook_ids() if not load_rulebook(one).based_on)
        raise TilewatchError(f"{where}: based_on = {id!r}: give one of {known}")
    return base


def _over(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data of a base, with a variant's settings, flags and penalties in their place."""
    tables = {
        key: {**table, **own[key]}
        for key, table in base.items()
        if isinstance(table, dict) and isinstance(own.get(key), dict)
    }
    return {**base, **own, **tables}


def _text(where: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise TilewatchError(f"{where} is {'missing' if value is None else 'not a text'}")
    return value


def _require_costs(where: str, costs: Iterable[str]) -> None:
    try:
        for cost in costs:
            cost_settings(cost)
    except TilewatchError as error:
        raise TilewatchError(f"{where}: {error}") from error


def adjusted(book: Rulebook, changes: Mapping[str, Any]) -> Rulebook:
    """Return the rulebook with some settings, by name, as an event announced them.

    Raises:
        TilewatchError: a setting is unknown, its value has the wrong form, or the rulebook does
            not let an event announce it.
    """
    if not changes:
        return book
    known = {one.name: field for field, one in settings().items()}
    values = {}
    for name, value in changes.items():
        if name not in known:
            raise TilewatchError(f"rulebook {book.id!r}: unknown setting {name!r}")
        where = f"rulebook {book.id!r}: {name}"
        choice = book.choices.get(name)
        if choice is not None and not choice.allows(value):
            raise TilewatchError(
                f"{where} cannot be {value!r:.60}; an event may announce: {choice}"
                + _cited(choice.rule)
            )
        values[known[name]] = _value(where, known[name], value)
        if choice is None and name not in BONUS:
            own = settings()[known[name]].in_file(getattr(book, known[name]))
            raise TilewatchError(
                f"{where} is {own}{_cited(book.rule(name))}, and no event may announce another"
            )
    made = dataclasses.replace(book, **values, adjusted=MappingProxyType(dict(changes)))
    costs = {cost_words(book), *book.challenge_choices}
    if not BONUS.isdisjoint(changes) and cost_words(made) not in costs:
        raise TilewatchError(
            f"rulebook {book.id!r}: an event cannot announce that an unsuccessful challenge costs "
            f"{cost_words(made)!r}; it may announce: "
            f"{', '.join(sorted(book.challenge_choices)) or 'nothing else'}"
            + _cited(book.rule("challenge.choices"))
        )
    return made


def _cited(rule: str | None) -> str:
    return f" ({rule})" if rule else ""


def _choices(where: str, tables: Mapping[str, Any]) -> dict[str, Choice]:
    """Return the ``[choice]`` tables: what an event may announce, by the setting's name."""
    found = {one.name: one.choice for one in settings().values() if one.choice is not None}
    for name, table in tables.items():
        here = f"{where}: choice: {name}"
        if name not in {one.name for one in settings().values()}:
            raise TilewatchError(f"{here}: unknown setting")
        if not isinstance(table, dict) or set(table) - {"rule"} not in ({"values"}, {"from", "to"}):
            raise TilewatchError(f"{here}: it needs values, or from and to, and may have a rule")
        values = tuple(table.get("values", ()))
        if table.get("values") == []:
            found.pop(name, None)
            continue
        found[name] = Choice(values, table.get("from", 0), table.get("to", 0), table.get("rule"))
    return found


def _value(where: str, field: str, value: Any) -> Any:
    """Return a setting's value in the form that the code uses, times in nanoseconds."""
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
    elif isinstance(value, Mapping):
        good = hint == Mapping[str, str] and all(isinstance(one, str) for one in value.values())
        value = MappingProxyType(dict(value))
    elif isinstance(value, list | tuple | frozenset) and hint == frozenset[str]:
        good = all(isinstance(word, str) for word in value)
        value = frozenset(value) if good else value
        if good and field == "challenge_choices":
            _require_costs(where, value)
    if not good:
        raise TilewatchError(f"{where} = {value!r} has the wrong form")
    return value


def _penalties(where: str, tables: object) -> tuple[Penalty, ...]:
    """Return the ``[[penalty]]`` tables of a rulebook's file.

    Raises:
        TilewatchError: a table has the wrong form; the message begins with ``where``.
    """
    if not isinstance(tables, list):
        raise TilewatchError(f"{where}: penalty is not a list of tables: write [[penalty]]")
    return tuple(_penalty(where, table) for table in tables)


def _penalty(where: str, table: Any) -> Penalty:
    known = {"says", "on", "points", "rule"}
    if not isinstance(table, dict) or not known - {"points"} <= set(table) <= known:
        raise TilewatchError(
            f"{where}: a penalty needs says, on and rule, and may have points: {table!r}"
        )
    says, on, rule, points = table["says"], table["on"], table["rule"], table.get("points")
    texts = all(isinstance(text, str) and text.strip() for text in (says, rule))
    counted = points is None or (type(points) is int and 0 < points < 1000)
    if not texts or on not in get_args(On) or not counted:
        raise TilewatchError(f"{where}: a penalty has a value of the wrong form: {table!r}")
    return Penalty(says, on, points, rule)


def _event_rules(where: str, table: Any) -> tuple[dict[str, str], dict[str, str]]:
    """Return the ``[event]`` table: the rule on each fact that a director may enter, and notes."""
    rules, notes = dict(table), {}
    for name, line in table.items():
        if isinstance(line, dict) and set(line) == {"rule", "note"}:
            rules[name] = line["rule"]
            notes[f"event.{name}"] = _text(f"{where}: event.{name}: its note", line["note"])
    for name, rule in rules.items():
        if name not in DECLARABLE:
            known = ", ".join(DECLARABLE)
            raise TilewatchError(f"{where}: event.{name} is unknown; known: {known}")
        if not isinstance(rule, str) or not rule.strip():
            raise TilewatchError(f"{where}: event.{name}: its rule is not a text")
    return rules, notes


def _guidance(where: str, tables: Mapping[str, Any]) -> dict[str, Guidance]:
    """Return the ``[flag.<code>]`` tables; a code may be followed by ``_`` and a context.

    The table of a context takes what it leaves out from the table of its code, and that one from
    :mod:`game.flag_codes`: a table that only gives a rule's number keeps all remedies.
    """
    found: dict[str, Guidance] = {}
    for code, table in sorted(tables.items(), key=lambda one: one[0] not in CODES):
        here = f"{where}: flag.{code}"
        known = [one for one in CODES if code == one or code.startswith(f"{one}_")]
        if not known:
            raise TilewatchError(f"{here}: no flag has this code")
        plain = max(known, key=len)
        usual = found.get(plain) or silent(plain)
        keys = {"rule", "seen_by", "remedies", "warns_first"}
        if not isinstance(table, dict) or set(table) - keys:
            raise TilewatchError(f"{here}: it may have only {', '.join(sorted(keys))}")
        seen_by = table.get("seen_by", usual.visibility)
        if seen_by not in get_args(Visibility):
            raise TilewatchError(
                f"{here}: seen_by = {seen_by!r}; known: {', '.join(get_args(Visibility))}"
            )
        rule = table.get("rule", usual.rule)
        remedies = usual.remedies
        if "remedies" in table:
            remedies = tuple(_remedy(here, line, rule) for line in table["remedies"])
        warns_first = table.get("warns_first", usual.warns_first)
        if not isinstance(warns_first, bool):
            raise TilewatchError(f"{here}: warns_first is neither true nor false")
        found[code] = Guidance(rule, seen_by, remedies, warns_first)
    return found


def _remedy(where: str, line: Any, rule: str | None) -> Remedy:
    known = {"who", "may", "once", "until", "rule", "says", "points"}
    if not isinstance(line, dict) or set(line) - known:
        raise TilewatchError(
            f"{where}: a remedy may have only {', '.join(sorted(known))}: {line!r}"
        )
    points = line.get("points", 0)
    if type(points) is not int or not 0 <= points < 1000:
        raise TilewatchError(f"{where}: points are not from 1 to 999 in {line!r}")
    who: Any = line.get("who")
    action, once, until = str(line.get("may")), line.get("once", ""), line.get("until", "")
    known_words = action in ACTIONS and once in OPENINGS and until in LIMITS
    if who not in get_args(Who) or not known_words:
        raise TilewatchError(f"{where}: unknown who, may, once or until in {line!r}")
    says = line.get("says", "")
    return Remedy(who, action, until, line.get("rule", rule), says, points, once)
