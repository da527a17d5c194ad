"""The commands, grouped in modules by subject. Large libraries are imported only when one runs.

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
        "evaluate": "evaluate",
        "replay": "replay",
        "score": "rules",
        "rulebooks": "rules",
        "highlights": "rules",
        "woogles": "woogles",
    },
    "Evidence and data": {
        "export": "evidence",
        "verify": "evidence",
        "retention": "evidence",
        "erase": "evidence",
        "backup": "backup",
        "restore": "backup",
        "repair": "backup",
        "accounts": "accounts",
        "rack-key": "accounts",
    },
    "A hall of tables": {"hub": "hall", "enrol": "hall", "join": "hall"},
}
"""For each section its commands, and for each command its module in this package.

The function has the name of the command, with ``_`` for ``-``."""
