"""``tilewatch verify``: evidence bundles, checked offline."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from table.terminal import answer, answer_json, fault

if TYPE_CHECKING:
    from table.verify_report import Report

NAME = "verify"
HELP = "check evidence bundles offline"
DESCRIPTION = (
    "Checks the archive, the hashes and signatures of every event, the pictures, and that "
    "replaying the events gives the stated scores. Exit status 1 when anything is wrong; the first "
    "line says what and where. What such a check cannot show is in docs/evidence.md: compare the "
    "key's fingerprint and the digest with what was written down."
)
PASSES = False


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
    from table.verify import verify

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
            _show(reports[-1])
    if args.json and reports:
        documents = [_document(report) for report in reports]
        answer_json(documents if len(args.bundles) > 1 else documents[0])
    if unusable:
        return 2
    return 0 if all(report.ok for report in reports) else 1


def _document(report: Report) -> dict[str, Any]:
    from table.signing import fingerprint

    manifest = report.manifest
    key = manifest.get("key")
    return {
        "bundle": str(report.path),
        "ok": report.ok,
        "faults": [{"place": one.place, "message": one.message} for one in report.faults],
        "notes": list(report.notes),
        "game_id": manifest.get("game_id"),
        "key": key,
        "fingerprint": fingerprint(key) if key else None,
        "digest": manifest.get("head", {}).get("digest"),
        "scores": (manifest.get("game") or {}).get("scores"),
    }


def _show(report: Report) -> None:
    from table.signing import fingerprint

    if not report.ok:
        count = len(report.faults)
        answer(f"{report.path}: NOT SOUND, {count} {'fault' if count == 1 else 'faults'}")
        for one in report.faults:
            answer(f"  {one}")
        for note in report.notes:
            answer(f"  note: {note}")
        return
    manifest = report.manifest
    game = manifest["game"]
    answer(f"{report.path}: sound")
    counts = f"{manifest['head']['number']} events, {len(manifest['pictures'])} pictures"
    if game is None:
        answer(f"  no turns and scores  ({counts})")
    else:
        score = "  ".join(
            f"{game['players'][side]} {game['scores'][side]}" for side in ("left", "right")
        )
        answer(f"  {score}  ({len(game['turns'])} turns, {counts})")
    answer(f"  key of the table          {fingerprint(manifest['key'])}")
    answer(f"  digest of the last event  {manifest['head']['digest']}")
    for note in report.notes:
        answer(f"  note: {note}")
