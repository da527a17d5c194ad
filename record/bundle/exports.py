"""The exports made at a table, so that each bundle can name those before it."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any, Final

EXPORTS: Final = "exports.jsonl"
"""The file in a table's data folder; a line for each export."""

_FIELDS: Final = ("wall_ns", "seq", "digest")


def earlier_exports(folder: Path, game_id: str) -> list[dict[str, Any]]:
    """Earlier exports of a game: when, up to which event of the log, and its digest."""
    found = []
    with contextlib.suppress(OSError), (folder / EXPORTS).open(encoding="utf-8") as lines:
        for line in lines:
            with contextlib.suppress(ValueError, KeyError, TypeError):
                one = json.loads(line)
                if one["game_id"] == game_id:
                    wall_ns, seq, digest = (one[name] for name in _FIELDS)
                    found.append({"wall_ns": int(wall_ns), "seq": int(seq), "digest": str(digest)})
    return found


def note_export(folder: Path, game_id: str, wall_ns: int, seq: int, digest: str) -> bool:
    """Note an export for those that follow; False where the folder cannot be written to."""
    one = {"game_id": game_id, "wall_ns": wall_ns, "seq": seq, "digest": digest}
    try:
        with (folder / EXPORTS).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(one, ensure_ascii=False) + "\n")
    except OSError:
        return False
    return True
