"""``tilewatch export``: one game with all its evidence in one file."""

from __future__ import annotations

import argparse
from pathlib import Path

from table.commands import uses
from table.commands.terminal import answer, answer_json, say

NAME = "export"
HELP = "put a game and its evidence into one file"
DESCRIPTION = (
    "Writes an evidence bundle: the signed events of a game, its pictures, the record in GCG, and "
    "a page that shows the game turn by turn in any browser. Works while the table is running. "
    "Exit status 1 when pictures that belong to the game are lost."
)
PASSES = False


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add its options."""
    parser.add_argument(
        "game", metavar="GAME", help="a game's id or the start of it, or: last"
    )  # fmt: skip
    parser.add_argument(
        "-o",
        "--out",
        metavar="FILE",
        type=Path,
        help="the file to write, or a folder for it (default: here, GAME.tilewatch.zip)",
    )
    uses.add_config(parser, *uses.EITHER)
    uses.add_data(parser, *uses.EITHER)
    parser.add_argument(
        "--as-it-stands",
        action="store_true",
        help="export although the log's second copy has other events; the bundle records it",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(args: argparse.Namespace) -> int:
    """Export, and say what to compare."""
    from record.bundle.export import export, game_named
    from record.evidence import EvidenceStore
    from record.log.compare import uncompared
    from record.log.event_log import open_to_read
    from record.paths import DATABASE, EVIDENCE
    from record.raw_edges import EDGES
    from record.signing import KEY_FILE, TableKey

    data = uses.data_of(args, *uses.EITHER)
    out = args.out or Path.cwd()
    scratch = out if out.is_dir() else out.parent
    with open_to_read(data / DATABASE, scratch) as log:
        game_id = game_named(log, args.game)
        name = f"{game_id}.tilewatch.zip"
        target = args.out or Path(name)
        if target.is_dir():
            target = target / name
        key = TableKey.open(data / KEY_FILE)
        evidence = EvidenceStore(data / EVIDENCE, readonly=True)
        stands, edges = args.as_it_stands, data / EDGES
        done = export(log, evidence, key, game_id, target, as_it_stands=stands, edges=edges)
    if args.json:
        answer_json(
            {
                "bundle": str(done.path),
                "game_id": game_id,
                "events": done.events,
                "pictures": done.pictures,
                "bytes": done.size,
                "key": key.public,
                "fingerprint": key.fingerprint,
                "digest": done.digest,
                "closed": dict(done.closed),
                "lost": list(done.lost),
                "unreplayed": done.unreplayed,
                "discrepancy": done.discrepancy and done.discrepancy.as_json(),
            }
        )
    else:
        answer(f"{done.path}: {done.events} events, {done.pictures} pictures, {_mb(done.size)}")
        answer(f"key of the table          {key.fingerprint}")
        for stage, digest in done.closed.items():
            what = "it ended" if stage == "ended" else "it was signed"
            answer(f"{f'digest when {what}':<24}  {digest}")
        answer(f"digest of the last event  {done.digest}")
    if (why := uncompared(data / DATABASE)) is not None:
        say(f"not compared: {why}")
    if done.discrepancy is not None:
        say(f"as it stands, which the bundle records: {done.discrepancy}")
    if done.unreplayed is not None:
        say(f"without turns and scores, since the game cannot be replayed: {done.unreplayed}")
    for sha in done.lost:
        say(f"lost: the picture {sha} belongs to the game and is not in the evidence folder")
    return 1 if done.lost else 0


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"
