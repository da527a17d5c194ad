"""``tilewatch export``, ``verify``, ``retention`` and ``erase``: the evidence of games."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from game.errors import TilewatchError
from table.commands.options import EITHER, PATH, TABLE, Given, as_json, given
from table.commands.terminal import answer, answer_each, answer_json, columns, say

if TYPE_CHECKING:
    from record.bundle.export import ExportResult
    from record.retention import RetainedGame, RetentionPlan
    from record.verifier.report import Report


def _as_json(done: ExportResult) -> dict[str, Any]:
    from record.seals import fingerprint

    return {
        "bundle": str(done.path),
        "game_id": done.game_id,
        "events": done.events,
        "pictures": done.pictures,
        "bytes": done.size,
        "key": done.key,
        "fingerprint": fingerprint(done.key),
        "signed_by": fingerprint(done.signed_by),
        "digest": done.digest,
        "closed": dict(done.closed),
        "lost": list(done.lost),
        "unreplayed": done.unreplayed,
        "discrepancy": done.discrepancy and done.discrepancy.as_json(),
    }


def _lines(done: ExportResult, *, at_hub: bool) -> Iterator[str]:
    """Yield the lines of the answer, with the keys and digests to compare."""
    from record.seals import fingerprint

    yield f"{done.path}: {done.events} events, {done.pictures} pictures, {_mb(done.size)}"
    yield f"key of the table              {fingerprint(done.key)}"
    if at_hub:
        yield f"signed with the hub's         {fingerprint(done.signed_by)}"
    for stage, digest in done.closed.items():
        what = "it ended" if stage == "ended" else "it was signed"
        yield f"{f'check code when {what}':<28}  {digest}"
    yield f"check code of the last event  {done.digest}"


@click.command()
@click.argument("game", help="a game's id or the start of it, or: last")
@click.option(
    "-o", "--out", metavar="FILE", type=PATH,
    help="the file to write, or a folder for it (default: here, GAME_86-events.tilewatch.zip)",
)  # fmt: skip
@given(*EITHER)
@click.option(
    "--as-it-stands", is_flag=True,
    help="export although the log's second copy has other events; the bundle records it",
)  # fmt: skip
@click.option("--table", metavar="ID", help="at a hub: the table, where several have such a game")
@as_json
def export(
    given: Given,
    game: str,
    out: Path | None,
    as_it_stands: bool,
    table: str | None,
    as_json: bool,
) -> int:
    """Put a game and its evidence into one file.

    Writes an evidence bundle: the signed events of a game, its pictures, the record in GCG, and a
    page that shows the game turn by turn in any browser. Works while the table is running, and at
    a hub, which fetches the pictures that are still at the table. Exit status 1 when pictures that
    belong to the game are lost.
    """
    from record.log.mirror import uncompared
    from record.paths import DATABASE, HUB_DATABASE

    data = given.folder()
    at_hub = (data / HUB_DATABASE).is_file()
    make = _from_hub if at_hub else _from_table
    done = make(data, game, out or Path(), table, as_it_stands=as_it_stands)
    if as_json:
        answer_json(_as_json(done))
    else:
        answer(*_lines(done, at_hub=at_hub))
    if not at_hub and (why := uncompared(data / DATABASE)) is not None:
        say(f"not compared: {why}")
    if done.discrepancy is not None:
        say(f"as it stands, which the bundle records: {done.discrepancy}")
    if done.unreplayed is not None:
        say(f"without turns and scores, since the game cannot be replayed: {done.unreplayed}")
    for sha in done.lost:
        say(f"lost: the picture {sha} belongs to the game and is not in the evidence folder")
    return 1 if done.lost else 0


def _from_table(
    data: Path, game: str, target: Path, table: str | None, *, as_it_stands: bool
) -> ExportResult:
    from record.bundle.export import export, game_named
    from record.evidence import EvidenceStore
    from record.log.event_log import EventLog
    from record.paths import DATABASE, EVIDENCE
    from record.raw_edges import EDGES
    from record.signing import KEY_FILE, TableKey

    if table is not None:
        raise TilewatchError(f"{data}: the data of one table; leave out --table")
    scratch = target if target.is_dir() else target.parent
    with EventLog(data / DATABASE, readonly=True, scratch=scratch) as log:
        game_id = game_named(log, game)
        key = TableKey.open(data / KEY_FILE)
        evidence = EvidenceStore(data / EVIDENCE, readonly=True)
        edges = data / EDGES
        return export(log, evidence, key, game_id, target, as_it_stands=as_it_stands, edges=edges)


def _from_hub(
    data: Path, game: str, target: Path, table: str | None, *, as_it_stands: bool
) -> ExportResult:
    from hub.exporting import export_from_hub

    if as_it_stands:
        raise TilewatchError("--as-it-stands is for a table; a hub's logs have no second copy")
    return export_from_hub(data, game, target, table=table, say=say)


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.0f} kB"


@click.command()
@click.argument("bundles", metavar="BUNDLE...", nargs=-1, required=True, type=PATH)
@click.option(
    "--key", "keys", metavar="KEY", multiple=True,
    help="public key or fingerprint of the table; may be given more than once",
)  # fmt: skip
@click.option(
    "--code", metavar="CODE", help="the check code on the result slip, like K7QM-2D9F-XW3T"
)
@as_json
def verify(
    bundles: tuple[Path, ...], keys: tuple[str, ...], code: str | None, as_json: bool
) -> int:
    """Check evidence bundles offline, and compare those of one game.

    Checks the archive, the hashes and signatures of every event, the pictures, and that replaying
    the events gives the stated scores. Says what that proves, what was compared and, of two
    bundles of one game, what was entered between them. Exit status 1 when anything is wrong. What
    such a check cannot show is in docs/evidence.md: compare the key's fingerprint and the check
    code with what was written down.
    """
    from record.verifier.comparison import compared
    from record.verifier.replay import verify as check
    from record.verifier.wording import lines

    reports = answer_each(
        bundles,
        lambda path: check(path, keys, code),
        lambda report: answer(*lines(report)),
        _document,
        as_json=as_json,
    )
    if not as_json:
        for one, other in combinations(reports, 2):
            answer(*compared(one, other))
    if len(reports) < len(bundles):
        return 2
    return 0 if all(report.ok for report in reports) else 1


def _document(report: Report) -> dict[str, Any]:
    """Return the JSON document of a report; facts are null if the records cannot be read."""
    from record.seals import fingerprint

    facts = report.facts
    game = None if facts is None else facts.game
    return {
        "bundle": str(report.path),
        "ok": report.ok,
        "faults": [{"place": one.place, "message": one.message} for one in report.faults],
        "compared": list(report.compared),
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


@click.command()
@click.option("--max-gb", metavar="GB", type=float, help="room for pictures, if not as configured")
@click.option("--apply", is_flag=True, help="announce, and delete what is due")
@given(TABLE)
def retention(given: Given, max_gb: float | None, apply: bool) -> int:
    """Show the evidence, and what of it is to be deleted, and when.

    Lists the games with their pictures. Pictures go when they are older than the configuration's
    [pictures] allows, or above the size set: then those of signed games, oldest first, never one
    that is unsigned or was disputed. With --apply it announces what is due, and deletes what was
    announced a day ago; the table must not be running then (a table does it whenever it starts).
    """
    from dataclasses import replace

    from record.evidence import EvidenceStore
    from record.log.event_log import EventLog
    from record.paths import DATABASE, EVIDENCE
    from record.retention import plan, sweep

    if max_gb is not None and not 0 <= max_gb < 1e6:
        raise TilewatchError(f"--max-gb {max_gb:g}: choose 0 or more")
    config = given.table()
    data, rule = config.folder, config.pictures.rule
    if max_gb is not None:
        rule = replace(rule, most_bytes=round(max_gb * 1e9))
    with EventLog(data / DATABASE, readonly=True) as log:
        store = EvidenceStore(data / EVIDENCE, readonly=not apply)
        found = plan(log, store, rule)
    rows = [["game", "pictures", "MB", ""]]
    rows += [
        [game.game_id, str(len(game.pictures)), f"{game.size / 1e6:.1f}", fate]
        for game, fate in _fates(found)
    ]
    for line in columns(rows, right=frozenset({1, 2})):
        answer(line)
    answer(f"{found.total / 1e6:.1f} MB of {rule.most_bytes / 1e6:,.0f} MB")
    if apply:
        with EventLog(data / DATABASE) as log:
            for line in sweep(log, store, rule):
                answer(line)
    return 0


def _fates(found: RetentionPlan) -> Iterator[tuple[RetainedGame, str]]:
    """Yield the games with pictures, each with what becomes of them."""
    from record.retention import days_left

    going = {one.game_id for one in found.going}
    for game in found.games:
        days = days_left(game)
        if game.game_id in going:
            yield game, "goes"
        elif days is not None:
            yield game, f"goes in {days} days"
        else:
            yield game, "" if game.settled else "kept: unsigned or disputed"


@click.command()
@click.argument("game", help="a game's id or the start of it, or: last")
@click.option("--by", required=True, help="who carries the request out")
@click.option("--why", required=True, help="who asked for it, when, and on what ground")
@click.option(
    "--picture", "pictures", metavar="HASH", multiple=True,
    help="only this picture: its name in a bundle, or the start of it (default: all of the game)",
)  # fmt: skip
@given(TABLE)
def erase(given: Given, game: str, by: str, why: str, pictures: tuple[str, ...]) -> int:
    """Delete pictures of a game at once, because somebody in them asks for it.

    The log gets an event that says which pictures, by whom and why, so it still verifies, and
    bundles made later say that they were deleted. A hub deletes its copies when it gets the event.
    The table must not be running. Bundles and backups that were made before still have the
    pictures: erase them there too (a backup drops them when it is made anew).
    """
    from record.bundle.export import game_named
    from record.evidence import EvidenceStore
    from record.log.event_log import EventLog
    from record.paths import DATABASE, EVIDENCE
    from record.retention import erase as erased

    data = given.folder()
    with EventLog(data / DATABASE, readonly=True) as log:
        name = game_named(log, game)
    with EventLog(data / DATABASE) as log:
        store = EvidenceStore(data / EVIDENCE)
        count = erased(log, store, name, by, why, pictures)
    answer(f"{name}: {count} {'picture was' if count == 1 else 'pictures were'} erased")
    return 0 if count else 1
