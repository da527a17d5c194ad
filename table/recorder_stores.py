"""The places on disk that a recorder writes to."""

from __future__ import annotations

from dataclasses import dataclass

from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.log.event_log import EventLog


@dataclass(frozen=True, slots=True)
class RecorderStores:
    """The places on disk that a recorder writes to."""

    log: EventLog
    evidence: EvidenceStore | None = None
    """Without it no pictures are kept."""
    snapshot: CrashSnapshot | None = None
    """The board at rest, left for the next recorder in case this one is killed."""
