"""A game's evidence bundle, made at the hub from its copy of the table's log.

The bundle holds the table's own records, signed by the table. The hub signs the bundle with its own
key, since it does not have the table's. Missing pictures are fetched from the table by the hub that
runs on the same data.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hub.errors import HubError
from hub.hub import KEY, MirroredLog
from hub.store import NONE_WANTED, WANTED, HubStore
from record.backup import kept_pictures
from record.bundle.export import ExportResult, export, game_named
from record.errors import BundleError
from record.evidence import EvidenceStore
from record.paths import EVIDENCE
from record.signing import TableKey

_TAKEN_UP_S: Final = 5.0
_PATIENCE_S: Final = 20.0
"""The seconds without any picture after which the missing ones are given up."""

_LOOK_S: Final = 0.1


def export_from_hub(
    folder: Path,
    name: str,
    target: Path,
    *,
    table: str | None = None,
    say: Callable[[str], None] = lambda _line: None,
) -> ExportResult:
    """Write the bundle of a game to ``target``, as :func:`record.bundle.export.export` does.

    ``name`` is a game's id, the beginning of one, or ``last``; without ``table`` only one table may
    have such a game. Raises ``TilewatchError``.
    """
    with HubStore(folder) as store:
        table_id, game_id = _named(store, name, table)
        last = MirroredLog(store, table_id).last_of(game_id)
        assert last is not None
        log = MirroredLog(store, table_id, last.seq)  # the game may go on while pictures come
        evidence = EvidenceStore(folder / EVIDENCE, readonly=True)
        missing = [sha for sha in kept_pictures(log.events(game_id)) if not evidence.has(sha)]
        _fetch(store, evidence, table_id, missing, say)
        return export(log, evidence, TableKey.open(folder / KEY), game_id, target)


def _named(store: HubStore, name: str, table: str | None) -> tuple[str, str]:
    """Return the table and the id of the only game that a name means. Raises ``HubError``."""
    known = list(store.enrolled())
    if table is not None:
        if table not in known:
            raise HubError(f"there is no table {table[:40]!r} here; there are {', '.join(known)}")
        return table, game_named(MirroredLog(store, table), name)
    found: list[tuple[str, str]] = []
    for table_id in known:
        try:
            found.append((table_id, game_named(MirroredLog(store, table_id), name)))
        except BundleError:
            continue
    whole = [one for one in found if one[1] == name]
    if len(whole or found) == 1:
        return (whole or found)[0]
    if not found:
        raise HubError(f"{store.path}: no table has a game {name[:80]!r}; name its table: --table")
    tables = ", ".join(table_id for table_id, _ in found[:5])
    raise HubError(f"{store.path}: {name[:80]!r} may be a game of {tables}; name one with --table")


def _fetch(
    store: HubStore,
    evidence: EvidenceStore,
    table_id: str,
    missing: list[str],
    say: Callable[[str], None],
) -> None:
    """Ask the running hub to fetch pictures, and wait as long as some of them come."""
    if not missing:
        return
    store.keep_setting(WANTED, json.dumps([[table_id, sha] for sha in missing]))
    say(f"{len(missing)} pictures are still at {table_id}; the hub is asked for them")
    begun = changed = time.monotonic()
    while missing:
        time.sleep(_LOOK_S)
        now = time.monotonic()
        left = [sha for sha in missing if not evidence.has(sha)]
        if len(left) < len(missing):
            missing, changed = left, now
        if now - begun > _TAKEN_UP_S and store.setting(WANTED) != NONE_WANTED:
            store.keep_setting(WANTED, NONE_WANTED)
            say("no hub is running on these data, so no pictures are fetched")
            return
        if now - changed > _PATIENCE_S:
            say(f"{len(missing)} pictures do not come; see that {table_id} is switched on")
            return
