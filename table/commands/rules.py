"""``tilewatch score`` and ``rulebooks``: commands about the rules, which need no other library."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from table.commands.options import PATH, as_json
from table.commands.terminal import answer, answer_each, answer_json

if TYPE_CHECKING:
    from game.rulebooks.loading import Rulebook


@click.command()
@click.argument("files", metavar="FILE.gcg...", nargs=-1, required=True, type=PATH)
@as_json
def score(files: tuple[Path, ...], as_json: bool) -> int:
    """Check every score in game records.

    Replays game records in GCG through the referee and checks every score, running total and tile
    in them, against the tile set that the record names or the one that fits it best. Exit status 1
    when a figure is not the one that is due, 2 when a file cannot be used.
    """
    checked = answer_each(files, _check, _show_check, dict, as_json=as_json)
    if len(checked) < len(files):
        return 2
    return 0 if all(one["ok"] for one in checked) else 1


@click.command()
@click.argument("files", metavar="FILE.gcg...", nargs=-1, required=True, type=PATH)
@as_json
def highlights(files: tuple[Path, ...], as_json: bool) -> int:
    """Print the highlights of a round.

    Takes the game records of a round, as a hub publishes them: the best plays, the closest game,
    the biggest comeback and the highest score. Games that were not played out have only plays.
    """
    from dataclasses import asdict

    from game.gcg.highlights import highlights as found_in
    from game.gcg.reader import read_gcg

    found = found_in(read_gcg(path) for path in files)
    if as_json:
        answer_json(asdict(found))
        return 0
    for play in found.plays:
        answer(f"{play.points}: {play.word} {play.position}, {play.player} against {play.opponent}")
    for what, one in (
        ("closest game", found.closest),
        ("biggest comeback", found.comeback),
        ("highest score", found.highest),
    ):
        if one is not None:
            behind = f", once {one.behind} behind" if one.behind else ""
            result = f"{one.winner} {one.scores[0]}, {one.loser} {one.scores[1]}"
            answer(f"{what}: {result}{behind}")
    return 0


def _check(path: Path) -> dict[str, Any]:
    from dataclasses import asdict

    from game.errors import TilewatchError
    from game.files import os_error_as, read_file
    from game.gcg import parse, require_complete
    from game.gcg.check import check_with_set, overfull_racks, surplus_tiles
    from game.gcg.encoding import MOST
    from game.gcg.record import TURN_KINDS

    with os_error_as(TilewatchError, f"{path}: cannot be read"):
        data = read_file(path, MOST)
    record = parse(data, str(path))
    require_complete(record)
    tiles, mismatches = check_with_set(record)
    mismatches += [*surplus_tiles(record, tiles), *overfull_racks(record, tiles)]
    totals = {}
    for entry in record.entries:
        totals[entry.player] = entry.total
    return {
        "file": str(path),
        "ok": not mismatches,
        "tile_set": tiles.id,
        "players": [player.name for player in record.players],
        "turns": sum(entry.kind in TURN_KINDS for entry in record.entries),
        "totals": [totals.get(number, 0) for number in (0, 1)],
        "mismatches": [asdict(one) | {"message": str(one)} for one in mismatches],
    }


def _show_check(one: dict[str, Any]) -> None:
    names = " : ".join(
        f"{name} {total}" for name, total in zip(one["players"], one["totals"], strict=True)
    )
    wrong = len(one["mismatches"])
    verdict = "ok" if one["ok"] else f"{wrong} {'figure is' if wrong == 1 else 'figures are'} wrong"
    answer(f"{one['file']}: {verdict} ({one['turns']} turns, {names}; {one['tile_set']} tiles)")
    for mismatch in one["mismatches"]:
        answer(f"  {mismatch['message']}")


def _complete_id(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    from game.rulebooks.loading import rulebook_ids

    return [one for one in rulebook_ids() if one.startswith(incomplete)]


@click.command()
@click.argument(
    "id_", metavar="[ID]", required=False, shell_complete=_complete_id, help="the rulebook to show"
)
@as_json
def rulebooks(id_: str | None, as_json: bool) -> int:
    """List the rulebooks, or show one with its rule numbers.

    With an ID, prints every setting with the rule that it comes from, the notes if the text is
    silent or disagrees with itself, and what it lets whom do about each fault.
    """
    from game.rulebooks.loading import load_rulebook, rulebook_ids

    if id_ is None:
        books = [load_rulebook(one) for one in rulebook_ids()]
        if as_json:
            answer_json([{"id": book.id, "name": book.name} for book in books])
        else:
            answer(*(f"{book.id:<12} {book.name}" for book in books))
        return 0
    book = load_rulebook(id_)
    if as_json:
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
        "based_on": book.based_on or None,
        "settings": [asdict(one) for one in shown(book)],
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
    from game.rulebooks.loading import shown
    from game.rulebooks.setting import DECLARABLE

    silent = f"silent, so {book.silent_rule}" if book.silent_rule else "silent"
    answer(f"{book.name} ({book.id})")
    answer(book.source)
    if book.based_on:
        answer(f"a variant of {book.based_on}")
    answer("")
    for one in shown(book):
        value = one.value
        if isinstance(value, dict):
            value = [f"{name} ({rule})" for name, rule in value.items()]
        if isinstance(value, list):
            value = ", ".join(value) or "none"
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
