"""The commands, each in the module of its subject. A module imports what is heavy only as it runs.

``SECTIONS`` is the order of ``tilewatch --help``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SECTIONS: Final[Mapping[str, Mapping[str, str]]] = {
    "A table": {
        "demo": "live",
        "setup": "live",
        "run": "live",
        "calibrate": "calibrate",
        "check-tiles": "calibrate",
        "cameras": "machine",
        "doctor": "machine",
    },
    "Pictures, recordings and records": {
        "read": "read",
        "evaluate": "read",
        "replay": "replay",
        "score": "rules",
        "rulebooks": "rules",
    },
    "Evidence and data": {
        "export": "evidence",
        "verify": "evidence",
        "retention": "evidence",
        "backup": "backup",
        "restore": "backup",
        "repair": "backup",
        "accounts": "accounts",
    },
    "A hall of tables": {"hub": "hall", "enrol": "hall", "join": "hall"},
}
"""Section, command, and the module of this package that has it under its name (``-`` as ``_``)."""
