"""Makes an evidence bundle: one game with everything that is needed to check it without us."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

from game.files import replacing, require_replaceable
from game.state.fold import GameState
from record import statement
from record.bundle import archive
from record.bundle.derived_files import (
    HEADER_BYTES,
    page,
    picture_source,
    plain_page,
    readme,
    verifier_text,
)
from record.bundle.manifest import events_give
from record.chain import LoggedEvent, first_fault
from record.errors import BundleError, EvidenceError
from record.evidence import EvidenceStore
from record.linked_pictures import linked_pictures
from record.log.event_log import LogReader
from record.log.mirror import Discrepancy, discrepancy, repair_advice
from record.raw_edges import RawEdge, as_csv, edges_near
from record.result_slip import closing
from record.seals import GENESIS, bundle_message, digest, sha256
from record.signing import TableKey
from record.story.entries import real_presses

EXPORTS: Final = "exports.jsonl"
"""The file in a table's data folder with a line for each export, so that later bundles name it."""


@dataclass(frozen=True)
class ExportResult:
    """An exported bundle, as the command reports it."""

    game_id: str
    path: Path
    key: str
    """The public key that signed the game's last event."""
    signed_by: str
    """The public key that signed the bundle: the table's, or the hub's."""
    events: int
    pictures: int
    size: int
    digest: str
    lost: tuple[str, ...]
    """Hashes of pictures that events link, that are missing and were not deleted."""
    unreplayed: str | None = None
    """Why the events could not be replayed into a game, in one line; None if they could."""
    closed: Mapping[str, str] = field(default_factory=dict)
    """The digest of the event that ``ended`` the game, and of the one that ``signed`` it."""
    discrepancy: Discrepancy | None = None
    """The difference between the log and its second copy, which the bundle records; None if
    none."""


def export(
    log: LogReader,
    evidence: EvidenceStore | None,
    key: TableKey,
    game_id: str,
    target: Path,
    *,
    as_it_stands: bool = False,
    edges: Path | None = None,
) -> ExportResult:
    """Write the bundle of a game to ``target``, whole or not at all.

    If ``target`` is a folder, the bundle gets a name there (:func:`bundle_name`).
    If the log's second copy has other events than the log, ``BundleError`` is raised; with
    ``as_it_stands`` the game is exported, and the bundle's ``log_history`` records the difference.
    A game whose events cannot be replayed is exported without turns and scores, and the bundle
    says so. ``edges`` is the file with the raw edges of the clock's contacts, if the table has one.
    Raises ``BundleError`` too if there is no such game, the log's chain is broken, or the bundle
    cannot be written.
    """
    found = discrepancy(log.events, log.path)
    if found is not None and not as_it_stands:
        raise BundleError(
            f"{log.path}: {found}; {repair_advice(log.path.parent)}; or export what the log has "
            "with --as-it-stands, which the bundle then records"
        )
    events, span = _sound_events(log, game_id)
    if target.is_dir():
        target /= bundle_name(game_id, len(events))
    require_replaceable(target, BundleError)
    pictures = _pictures(evidence, events)
    records = [(event.seq, event.key, event.payload) for event in events]
    stated = events_give(records, key.public, pictures.__contains__)
    replayed = statement.replayed(events)
    raw = _edges(edges, replayed)
    folder, wall_ns = log.path.parent, time.time_ns()
    game = _Game(events, span, key.public, replayed, pictures, stated, raw, wall_ns)
    files = _files(game)
    history = [
        {"wall_ns": wall, "what": what, "detail": json.loads(detail)}
        for wall, what, detail in log.history()
    ]
    exports = _earlier_exports(folder, game_id)
    manifest = _manifest(game, files, history + _recorded(found), exports)
    size = _write(target, key, manifest, files, pictures)
    _note_export(folder, game_id, wall_ns, events[-1].seq, digest(events[-1].hash))
    return ExportResult(
        game_id,
        target,
        events[-1].key,
        key.public,
        len(events),
        len(pictures),
        size,
        digest(events[-1].hash),
        tuple(stated["lost"]),
        game.replayed.why,
        {stage: digest(event.hash) for stage, event in closing(replayed.steps).items()},
        found,
    )


@dataclass(frozen=True)
class _Game:
    """A game to be exported."""

    events: list[LoggedEvent]
    span: list[LoggedEvent]
    """The log from the game's first event to its last, other games' events included."""
    key: str
    replayed: statement.ReplayResult
    pictures: dict[str, Path]
    """Files of the pictures that the events link, by hash."""
    stated: Mapping[str, Any]
    """The manifest's statements that a check can compute from the events."""
    edges: list[RawEdge]
    """Raw edges of the clock's contacts, on the table's base."""
    made_ns: int
    """The time of this export, in ns since 1970."""


def _sound_events(log: LogReader, game_id: str) -> tuple[list[LoggedEvent], list[LoggedEvent]]:
    """Return a game's events, and the whole log between its first and its last.

    Raises ``BundleError`` if there is no such game or the chain is broken.
    """
    events = log.events(game_id)
    if not events:
        known = ", ".join(log.game_ids()[-5:]) or "none yet"
        raise BundleError(f"{log.path}: no game {game_id!r}; the newest are: {known}")
    span = log.events(after=events[0].seq - 1)[: events[-1].seq - events[0].seq + 1]
    seq = events[0].seq - 1
    before = log.events(after=seq - 1, limit=1)[0].hash if seq else GENESIS
    fault = first_fault(span, (seq, before))
    if fault is not None:
        raise BundleError(f"{log.path}: {fault}; a damaged or changed log proves nothing")
    return events, span


def _files(game: _Game) -> list[tuple[str, bytes]]:
    """Return the names and contents of the files, without manifest, signature and pictures."""
    events, replayed = game.events, game.replayed
    if replayed.state is not None:
        heads = {sha: partial(_head, path) for sha, path in game.pictures.items()}
        shown = page(
            replayed.steps, game.key, picture_source(heads), game.edges, made_ns=game.made_ns
        )
    else:
        shown = plain_page(events, game.pictures, replayed.why or "", (game.key, game.made_ns))
    return [
        (archive.README, readme(game.key, events[-1], game.made_ns)),
        (archive.PAGE, shown),
        (archive.EVENTS, b"".join(event.body.encode() + b"\n" for event in events)),
        (archive.CHAIN, _chain(game.span, events[0].game_id)),
        (archive.VERIFIER, verifier_text()),
        *([(archive.EDGES, as_csv(game.edges))] if game.edges else []),
        *_rules(replayed.state),
    ]


def _head(path: Path) -> bytes:
    """Return the first bytes of a picture, which give its width and height."""
    with path.open("rb") as handle:
        return handle.read(HEADER_BYTES)


def _edges(path: Path | None, replayed: statement.ReplayResult) -> list[RawEdge]:
    """Return the raw edges near the presses of real buttons."""
    if path is None:
        return []
    presses = real_presses(replayed.steps)
    return edges_near(path, presses, range(len(presses)))


def _manifest(
    game: _Game,
    files: Sequence[tuple[str, bytes]],
    history: list[dict[str, Any]],
    exports: list[dict[str, Any]],
) -> bytes:
    """Return the manifest; ``exports`` are the earlier exports of the game."""
    events, replayed = game.events, game.replayed
    hashed = [
        {"name": name, "size": len(content), "sha256": sha256(content)} for name, content in files
    ]
    hashed += [
        {"name": archive.picture_name(sha), "size": path.stat().st_size, "sha256": sha}
        for sha, path in sorted(game.pictures.items())
    ]
    manifest = {
        "format": archive.FORMAT,
        "version": archive.VERSION,
        "software": statement.software(),
        "exported_wall_ns": game.made_ns,
        "game_id": events[0].game_id,
        "key": game.key,
        "first": {"seq": events[0].seq, "prev_hash": events[0].prev_hash},
        "head": {
            "seq": events[-1].seq,
            "number": events[-1].number,
            "hash": events[-1].hash,
            "digest": digest(events[-1].hash),
        },
        "exported_with": {"models": statement.model_hashes(), "program": statement.program()},
        "log_history": history,
        "exports": exports,
        "game": None if replayed.state is None else statement.statement_of(replayed.state),
        "unreplayed": replayed.why,
        "files": hashed,
        **game.stated,
    }
    return (json.dumps(manifest, ensure_ascii=False, sort_keys=True, indent=1) + "\n").encode()


def _write(
    target: Path,
    key: TableKey,
    manifest: bytes,
    files: Sequence[tuple[str, bytes]],
    pictures: Mapping[str, Path],
) -> int:
    """Write the archive and return its size in bytes. Raises ``BundleError``."""
    message = bundle_message(key.public, sha256(manifest))
    try:
        with replacing(target) as temporary, temporary.open("wb") as handle:
            writer = archive.Writer(handle)
            writer.add(archive.MANIFEST, manifest)
            writer.add(archive.SIGNATURE, f"{key.sign(message)}\n".encode())
            for name, content in files:
                writer.add(name, content)
            for sha in sorted(pictures):
                writer.add(archive.picture_name(sha), pictures[sha].read_bytes())
            writer.finish()
            return handle.tell()
    except OSError as error:
        raise BundleError(f"{target}: cannot be written ({error.strerror})") from error
    except ValueError as error:
        raise BundleError(f"{target}: {error}") from error


def _recorded(found: Discrepancy | None) -> list[dict[str, Any]]:
    """Return a discrepancy as ``log_history`` has it; empty if there is none."""
    if found is None:
        return []
    return [{"wall_ns": time.time_ns(), "what": "exported_as_it_stands", "detail": found.as_json()}]


def _rules(state: GameState | None) -> list[tuple[str, bytes]]:
    """Return the files of the rulebook and the tile set that scored the game, and its record."""
    if state is None:
        return []
    rules = statement.rules_files(state.rulebook.id, state.tile_set.id)
    files = [(one.name, one.content) for one in rules]
    record = statement.record_text(state)
    return files if record is None else [*files, (archive.RECORD, record)]


def _chain(span: Sequence[LoggedEvent], game_id: str) -> bytes:
    """Return a line for each record of ``span``; records of other games only by their hashes."""
    lines = []
    for event in span:
        mine = event.game_id == game_id
        seal = f"{event.key} {event.signature}" if mine else "- -"
        lines.append(f"{event.seq} {event.body_hash} {event.hash} {seal}\n")
    return "".join(lines).encode()


def _pictures(evidence: EvidenceStore | None, events: Sequence[LoggedEvent]) -> dict[str, Path]:
    """Return the files of the linked pictures that are present and undamaged, by hash."""
    if evidence is None:
        return {}
    there: dict[str, Path] = {}
    for sha in {sha for _, _, sha in linked_pictures(event.payload for event in events)}:
        with contextlib.suppress(EvidenceError):
            evidence.load(sha)
            there[sha] = evidence.path(sha)
    return there


def _earlier_exports(folder: Path, game_id: str) -> list[dict[str, Any]]:
    """Return a game's earlier exports: when, up to which event, and the digest of this event."""
    found = []
    with contextlib.suppress(OSError), (folder / EXPORTS).open(encoding="utf-8") as lines:
        for line in lines:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                one = json.loads(line)
                if one["game_id"] == game_id:
                    wall_ns, seq, digest = (one[name] for name in ("wall_ns", "seq", "digest"))
                    found.append({"wall_ns": int(wall_ns), "seq": int(seq), "digest": str(digest)})
    return found


def _note_export(folder: Path, game_id: str, wall_ns: int, seq: int, digest: str) -> None:
    """Note an export, so that later bundles can name it; skip this if the folder is read-only."""
    one = {"game_id": game_id, "wall_ns": wall_ns, "seq": seq, "digest": digest}
    with contextlib.suppress(OSError), (folder / EXPORTS).open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(one, ensure_ascii=False) + "\n")


def bundle_name(game_id: str, events: int) -> str:
    """Return the name of a bundle's file, which tells two exports of one game apart."""
    return f"{game_id}_{events}-events.tilewatch.zip"


def game_named(log: LogReader, name: str) -> str:
    """Return the id of the game that ``name`` means: an id, the start of one id, or ``last``.

    Raises ``BundleError``.
    """
    ids = log.game_ids()
    if name in ids:
        return name
    if name == "last" and ids:
        return ids[-1]
    meant = [one for one in ids if one.startswith(name)]
    if len(meant) == 1:
        return meant[0]
    known = ", ".join(meant[:5] or ids[-5:]) or "none yet"
    what = "several games begin with" if meant else "no game"
    raise BundleError(f"{log.path}: {what} {name!r}; there are: {known}")
