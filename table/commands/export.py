"""``tilewatch export``: one game with all its evidence in one file."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import TilewatchError
from table.commands import uses
from table.commands.terminal import answer, answer_json, say

if TYPE_CHECKING:
    from record.bundle.export import ExportResult

NAME = "export"
HELP = "put a game and its evidence into one file"
DESCRIPTION = (
    "Writes an evidence bundle: the signed events of a game, its pictures, the record in GCG, and "
    "a page that shows the game turn by turn in any browser. Works while the table is running, and "
    "at a hub, which fetches the pictures that are still at the table. Exit status 1 when "
    "pictures that belong to the game are lost."
)


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
    parser.add_argument(
        "--table", metavar="ID", help="at a hub: the table, where several have such a game"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


@dataclass(frozen=True)
class _Made:
    """A bundle, and the public keys that signed the game's records and the bundle."""

    game_id: str
    result: ExportResult
    key: str
    signed_by: str


def run(args: argparse.Namespace) -> int:
    """Export, and say what to compare."""
    from record.log.compare import uncompared
    from record.paths import DATABASE, HUB_DATABASE
    from record.seals import fingerprint

    data = uses.data_of(args, *uses.EITHER)
    at_hub = (data / HUB_DATABASE).is_file()
    made = _from_hub(args, data) if at_hub else _from_table(args, data)
    done = made.result
    if args.json:
        answer_json(
            {
                "bundle": str(done.path),
                "game_id": made.game_id,
                "events": done.events,
                "pictures": done.pictures,
                "bytes": done.size,
                "key": made.key,
                "fingerprint": fingerprint(made.key),
                "signed_by": fingerprint(made.signed_by),
                "digest": done.digest,
                "closed": dict(done.closed),
                "lost": list(done.lost),
                "unreplayed": done.unreplayed,
                "discrepancy": done.discrepancy and done.discrepancy.as_json(),
            }
        )
    else:
        answer(f"{done.path}: {done.events} events, {done.pictures} pictures, {_mb(done.size)}")
        answer(f"key of the table          {fingerprint(made.key)}")
        if at_hub:
            answer(f"signed with the hub's     {fingerprint(made.signed_by)}")
        for stage, digest in done.closed.items():
            what = "it ended" if stage == "ended" else "it was signed"
            answer(f"{f'digest when {what}':<24}  {digest}")
        answer(f"digest of the last event  {done.digest}")
    if not at_hub and (why := uncompared(data / DATABASE)) is not None:
        say(f"not compared: {why}")
    if done.discrepancy is not None:
        say(f"as it stands, which the bundle records: {done.discrepancy}")
    if done.unreplayed is not None:
        say(f"without turns and scores, since the game cannot be replayed: {done.unreplayed}")
    for sha in done.lost:
        say(f"lost: the picture {sha} belongs to the game and is not in the evidence folder")
    return 1 if done.lost else 0


def _from_table(args: argparse.Namespace, data: Path) -> _Made:
    from record.bundle.export import export, game_named
    from record.evidence import EvidenceStore
    from record.log.event_log import EventLog
    from record.paths import DATABASE, EVIDENCE
    from record.raw_edges import EDGES
    from record.signing import KEY_FILE, TableKey

    if args.table is not None:
        raise TilewatchError(f"{data}: the data of one table; leave out --table")
    out = args.out or Path.cwd()
    scratch = out if out.is_dir() else out.parent
    with EventLog(data / DATABASE, readonly=True, scratch=scratch) as log:
        game_id = game_named(log, args.game)
        key = TableKey.open(data / KEY_FILE)
        evidence = EvidenceStore(data / EVIDENCE, readonly=True)
        stands, edges = args.as_it_stands, data / EDGES
        target = _target(args, game_id)
        done = export(log, evidence, key, game_id, target, as_it_stands=stands, edges=edges)
    return _Made(game_id, done, key.public, key.public)


def _from_hub(args: argparse.Namespace, data: Path) -> _Made:
    from hub.exporting import export_from_hub

    if args.as_it_stands:
        raise TilewatchError("--as-it-stands is for a table; a hub's logs have no second copy")
    made = export_from_hub(
        data, args.game, lambda game_id: _target(args, game_id), table=args.table, say=say
    )
    return _Made(made.game_id, made.result, made.table_key, made.hub_key)


def _target(args: argparse.Namespace, game_id: str) -> Path:
    name = f"{game_id}.tilewatch.zip"
    target: Path = args.out or Path(name)
    return target / name if target.is_dir() else target


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"
