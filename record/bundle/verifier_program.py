"""The independent verifier as one file, which every bundle carries.

``record.verify_bundle`` has it in modules that import nothing of tilewatch but each other. Joined
below each other, with those imports left out, they run anywhere.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib import resources
from typing import Final

MODULES: Final = (
    "problems",
    "strict_json",
    "forms",
    "seals",
    "entries",
    "folder",
    "chain",
    "statements",
    "checks",
    "__main__",
)
"""In the order in which they are joined: each imports only from those before it."""


@cache
def verifier_text() -> bytes:
    """The text of ``verify_bundle.py``."""
    folder = resources.files("record.verify_bundle")
    imports: set[str] = set()
    sections = []
    for name in MODULES:
        text = folder.joinpath(f"{name}.py").read_text("utf-8")
        docstring, *rest = ast.parse(text).body
        above = [one for one in rest if isinstance(one, (ast.Import, ast.ImportFrom))]
        imports.update(ast.unparse(one) for one in above if not getattr(one, "level", 0))
        end = max(one.end_lineno or 0 for one in [docstring, *above])
        code = "".join(text.splitlines(keepends=True)[end:]).strip()
        sections.append(f"# {text.splitlines()[0].strip(chr(34))}\n{code}\n")
    usage = folder.joinpath("__init__.py").read_text("utf-8")
    top = sorted(imports, key=lambda line: ("cryptography" in line, line.startswith("from"), line))
    head = "\n".join(["#!/usr/bin/env python3", usage, *top, ""])
    return "\n\n".join([head, *sections]).encode()
