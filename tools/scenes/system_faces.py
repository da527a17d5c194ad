"""The TrueType faces of this system that look like those on tiles, as ``faces.toml`` lists them."""

from __future__ import annotations

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Final

_LISTED: Final = tomllib.loads(Path(__file__).with_name("faces.toml").read_text("utf-8"))

HELD_OUT: Final = frozenset(_LISTED["held_out"])
"""File stems of the faces that no training scene uses: the validation scenes' letters."""

PACKAGES: Final = tuple(_LISTED["packages"])
"""Debian packages that have the faces."""

_FONT_FOLDERS: Final = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts")


@lru_cache(maxsize=2)
def system_faces(held_out: bool = False) -> dict[str, tuple[str, ...]]:
    """The TrueType files of ``faces.toml`` found on this system, by kind.

    ``held_out`` gives those of :data:`HELD_OUT`, and otherwise all the others.
    """
    found: dict[str, str] = {}
    for folder in _FONT_FOLDERS:
        root = Path(folder).expanduser()
        if root.is_dir():
            for file in sorted(root.rglob("*")):
                if file.suffix in {".ttf", ".otf"}:
                    found.setdefault(file.stem, str(file))
    return {
        kind: tuple(found[s] for s in stems if s in found and (s in HELD_OUT) == held_out)
        for kind, stems in _LISTED["families"].items()
    }
