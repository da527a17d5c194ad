"""``tilewatch verify``: evidence bundles, checked offline."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from table.commands.terminal import answer, answer_json, fault

if TYPE_CHECKING:
    from record.verifier.report import Facts, Report

NAME = "verify"
HELP = "check evidence bundles offline"
DESCRIPTION = (
    "Checks the archive, the hashes and signatures of every event, the pictures, and that "
    "replaying the events gives the stated scores. Exit status 1 when anything is wrong; the first "
    "line says what and where. What such a check cannot show is in docs/evidence.md: compare the "
    "key's fingerprint and the digest with what was written down."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument("bundles", metavar="BUNDLE", nargs="+", type=Path)
    parser.add_argument(
        "--key",
        metavar="KEY",
        action="append",
        default=[],
        help="public key or fingerprint of the table; may be given more than once",
    )
    parser.add_argument(
        "--digest", metavar="DIGEST", help="the digest on the result slip, like K7QM-2D9F-XW3T"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Check each; 2 when one is no bundle, else 1 when one is broken."""
    from game.errors import TilewatchError
    from record.verifier.replay import verify

    reports: list[Report] = []
    unusable = False
    for path in args.bundles:
        try:
            reports.append(verify(path, args.key, args.digest))
        except TilewatchError as error:
            fault(str(error))
            unusable = True
            continue
        if not args.json:
            _show(reports[-1], keyed=bool(args.key))
    if args.json and reports:
        documents = [_document(report) for report in reports]
        answer_json(documents if len(args.bundles) > 1 else documents[0])
    if not args.json:
        for line in _compared(reports):
            answer(line)
    if unusable:
        return 2
    return 0 if all(report.ok for report in reports) else 1


def _compared(reports: list[Report]) -> Iterator[str]:
    """What two bundles of one game have to do with each other."""
    for at, one in enumerate(reports):
        for other in reports[at + 1 :]:
            if one.facts is None or other.facts is None:
                continue
            if one.facts.game_id != other.facts.game_id:
                continue
            short, long = sorted((one.facts, other.facts), key=lambda facts: facts.events)
            name = {id(one.facts): one.path, id(other.facts): other.path}
            if long.digests[short.events - 1] != short.digest:
                yield f"{name[id(one.facts)]} and {name[id(other.facts)]}: NOT one log of this game"
            elif short.events == long.events:
                yield f"{one.path} and {other.path}: the same events"
            else:
                more = long.events - short.events
                yield f"{name[id(long)]} has all events of {name[id(short)]}, and {more} more"


def _document(report: Report) -> dict[str, Any]:
    """Everything but faults and notes is computed from the records, or null where they fail."""
    from record.seals import fingerprint

    facts = report.facts
    game = None if facts is None else facts.game
    return {
        "bundle": str(report.path),
        "ok": report.ok,
        "faults": [{"place": one.place, "message": one.message} for one in report.faults],
        "notes": list(report.notes),
        "unchecked": list(report.unchecked),
        "game_id": facts and facts.game_id,
        "key": facts and facts.key,
        "fingerprint": facts and fingerprint(facts.key),
        "table_key": facts and facts.table_key,
        "events": facts and facts.events,
        "pictures": facts and facts.pictures,
        "digest": facts and facts.digest,
        "closed": game and dict(game.closed),
        "players": game and dict(game.players),
        "scores": game and dict(game.scores),
    }


_SHOWN = 50
"""Faults of one bundle; who wants more of a broken one asks for JSON."""


def _show(report: Report, *, keyed: bool) -> None:
    facts = report.facts
    if report.ok and facts is not None:
        compared = "" if keyed else " in itself, but no key was compared"
        answer(f"{report.path}: sound{compared}")
        _show_facts(facts)
    else:
        count = len(report.faults)
        answer(f"{report.path}: NOT SOUND, {count} {'fault' if count == 1 else 'faults'}")
        for one in report.faults[:_SHOWN]:
            answer(f"  {one}")
        if count > _SHOWN:
            answer(f"  and {count - _SHOWN} more")
    if report.ok and not keyed:
        answer(
            "  note: anybody can make a bundle that is sound in itself; compare the key above with "
            "the table's, as it was noted, or give it with --key"
        )
    for note in report.notes:
        answer(f"  note: {note}")
    for text in report.unchecked:
        answer(f"  not checked: {text}")


def _show_facts(facts: Facts) -> None:
    from record.seals import fingerprint

    game = facts.game
    counts = f"{facts.events} events, {facts.pictures} pictures"
    if game is None:
        answer(f"  no turns and scores  ({counts})")
    else:
        score = "  ".join(f"{game.players[side]} {game.scores[side]}" for side in ("left", "right"))
        answer(f"  {score}  ({game.turns} turns, {counts})")
    answer(f"  game                      {facts.game_id}")
    answer(f"  key of the table          {fingerprint(facts.table_key)}")
    if facts.key != facts.table_key:
        answer(f"  signed with the hub's     {fingerprint(facts.key)}")
    for stage, digest in ({} if game is None else game.closed).items():
        what = "it ended" if stage == "ended" else "it was signed"
        answer(f"  {f'digest when {what}':<25} {digest}")
    answer(f"  digest of the last event  {facts.digest}")
