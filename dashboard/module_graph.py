"""The scripts that a page's script imports, so that a browser can fetch them all at once.

Without them a browser learns of an import only from the script that has it: one more round trip for
each step, and the first of them when the page has been read.
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from flask import Flask

_STATIC: Final = Path(__file__).parent / "static"
_IMPORT: Final = re.compile(r"""^import\b[^;"'(]*["'](\.{1,2}/[^"']+)["']""", re.MULTILINE)


def install(app: Flask) -> None:
    """Let templates of ``app`` name what a script imports."""
    app.add_template_global(imported)


@lru_cache(maxsize=64)
def imported(script: str) -> tuple[str, ...]:
    """Return whatever a script of ``static/`` imports before it runs, nearest first."""
    found, left = dict.fromkeys([script]), [script]
    for name in left:
        text = (_STATIC / name).read_text("utf-8")
        for path in _IMPORT.findall(text):
            other = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            if other not in found:
                found[other] = None
                left.append(other)
    return tuple(left[1:])
