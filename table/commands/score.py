"""``tilewatch score``: game records through the referee."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from table.commands.terminal import answer, answer_json, fault

NAME = "score"
HELP = "check every score in game records"
DESCRIPTION = (
    "Replays game records in GCG through the referee and checks every score, running total and "
    "tile in them, against the tile set that the record names or the one that fits it best. Exit "
    "status 1 when a figure is not the one that is due."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("files", metavar="FILE.gcg", nargs="+", type=Path)
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Check each file; 2 when one cannot be used, else 1 when a figure is wrong."""
    from game.errors import TilewatchError

    checked: list[dict[str, Any]] = []
    unusable = False
    for path in args.files:
        try:
            checked.append(_check(path))
        except TilewatchError as error:
            fault(str(error))
            unusable = True
        if not args.json and checked and checked[-1]["file"] == str(path):
            _show(checked[-1])
    if args.json and checked:
        answer_json(checked if len(args.files) > 1 else checked[0])
    if unusable:
        return 2
    return 1 if any(not one["ok"] for one in checked) else 0


def _check(path: Path) -> dict[str, Any]:
    from game.errors import TilewatchError
    from game.files import read_file
    from game.gcg import parse, require_complete
    from game.gcg.check import check_with_set, overfull_racks, surplus_tiles
    from game.gcg.encoding import MOST
    from game.gcg.record import TURN_KINDS

    try:
        data = read_file(path, MOST)
    except OSError as error:
        raise TilewatchError(f"{path}: cannot be read ({error.strerror})") from error
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
        "mismatches": [
            {
                "line": one.line,
                "player": one.player,
                "what": one.what,
                "written": one.written,
                "due": one.due,
                "message": str(one),
            }
            for one in mismatches
        ],
    }


def _show(one: dict[str, Any]) -> None:
    names = " : ".join(
        f"{name} {total}" for name, total in zip(one["players"], one["totals"], strict=True)
    )
    wrong = len(one["mismatches"])
    verdict = "ok" if one["ok"] else f"{wrong} {'figure is' if wrong == 1 else 'figures are'} wrong"
    answer(f"{one['file']}: {verdict} ({one['turns']} turns, {names}; {one['tile_set']} tiles)")
    for mismatch in one["mismatches"]:
        answer(f"  {mismatch['message']}")
