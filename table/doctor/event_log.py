"""Checks the event log: every hash and every signature."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from game.errors import TilewatchError
from record.log.compare import discrepancy
from record.log.event_log import EventLog
from record.paths import DATABASE
from record.seals import fingerprint
from table.doctor.check import Check, fine, wrong


def records(data: Path) -> Iterator[Check]:
    """Check the log from its first event to its last."""
    path = data / DATABASE
    if not path.exists():
        yield fine("log", "none yet; it begins with the first game", events=0)
        return
    remedy = (
        "keep a copy of the folder as it is, then tilewatch repair, which puts back lost and "
        "torn pages from the second copy beside it and says so; what stays damaged costs its own "
        "game alone, which a backup or a bundle has"
    )
    try:
        with EventLog(path, readonly=True) as log:
            fault = log.verify()
            last = log.events(after=max(0, log.last_seq - 1))
            games = len(log.game_ids())
            found = discrepancy(log, path)
    except TilewatchError as error:
        yield wrong("log", str(error), remedy)
        return
    if fault is not None or found is not None:
        yield wrong("log", f"{path}: {fault or found}", remedy)
        return
    key = f", key {fingerprint(last[-1].key)}" if last else ""
    count = last[-1].seq if last else 0
    yield fine("log", f"{count} events of {games} games hold{key}", events=count, games=games)
