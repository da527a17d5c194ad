"""``tilewatch rulebooks``: the rules that a game can be played under, setting by setting."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from table.commands.terminal import answer, answer_json

if TYPE_CHECKING:
    from game.rulebooks.loading import Rulebook

NAME = "rulebooks"
HELP = "list the rulebooks, or show one with the rule that each setting comes from"
DESCRIPTION = (
    "Lists the rulebooks; with an ID, prints every setting of one with its rule number, the notes "
    "where its text is silent or disagrees with itself, and what it lets whom do about each fault."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("id", metavar="ID", nargs="?", help="the rulebook to show")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Show the list, or one rulebook."""
    from game.rulebooks.loading import load_rulebook, rulebook_ids

    if args.id is None:
        books = [load_rulebook(one) for one in rulebook_ids()]
        if args.json:
            answer_json([{"id": book.id, "name": book.name} for book in books])
        else:
            for book in books:
                answer(f"{book.id:<12} {book.name}")
        return 0
    book = load_rulebook(args.id)
    if args.json:
        answer_json(_document(book))
    else:
        _show(book)
    return 0


def _document(book: Rulebook) -> dict[str, Any]:
    from dataclasses import asdict

    from game.rulebooks.announcing import options
    from game.rulebooks.loading import shown

    return {
        "id": book.id,
        "name": book.name,
        "source": book.source,
        "settings": [
            {
                "name": one.name,
                "value": one.value,
                "rule": one.rule,
                "note": one.note,
                "meaning": one.meaning,
            }
            for one in shown(book)
        ],
        "choices": [asdict(one) for one in options(book)],
        "events": dict(book.event_rules),
        "penalties": [asdict(one) for one in book.penalties],
        "flags": {
            code: {"rule": guide.rule, "remedies": [str(remedy) for remedy in guide.remedies]}
            for code, guide in book.guidance.items()
        },
    }


def _show(book: Rulebook) -> None:
    from game.rulebooks.announcing import options
    from game.rulebooks.declarable import DECLARABLE
    from game.rulebooks.loading import shown

    silent = f"silent, so {book.silent_rule}" if book.silent_rule else "silent"
    answer(f"{book.name} ({book.id})")
    answer(book.source)
    answer("")
    for one in shown(book):
        value = ", ".join(one.value) or "none" if isinstance(one.value, list) else one.value
        value = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
        answer(f"{one.name} = {value}  [{one.rule or silent}]  {one.meaning}")
        if one.note:
            answer(f"    note: {one.note}")
    answer("")
    for option in options(book):
        values = ", ".join(map(repr, option.values)) or f"{option.least} to {option.most}"
        answer(f"an event may announce {option.name} = {values}  [{option.rule or silent}]")
    for name, rule in book.event_rules.items():
        answer(f"event.{name}  [{rule}]  {DECLARABLE[name]}")
    for penalty in book.penalties:
        points = "points" if penalty.points is None else f"{penalty.points} points"
        answer(f"penalty: {points} off the {penalty.on}  [{penalty.rule}]  {penalty.says}")
    answer("")
    for code, guide in book.guidance.items():
        answer(f"{code}  [{guide.rule or silent}]")
        for remedy in guide.remedies:
            answer(f"    {remedy}")
