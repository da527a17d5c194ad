"""The verifier as one file, which every bundle carries.

Its modules import nothing of tilewatch but each other. Joined below each other, with those imports
left out, they run anywhere; ``python -m record.verifier`` runs them in a checkout.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib import resources
from typing import Final

MODULES: Final = (
    "strict_json",
    "seals",
    "linked_pictures",
    "bundle/archive",
    "verifier/report",
    "verifier/forms",
    "verifier/folder",
    "verifier/chain",
    "verifier/statements",
    "verifier/checks",
    "verifier/__main__",
)
"""The modules in joining order: each imports only from earlier ones."""


@cache
def verifier_text() -> bytes:
    """The text of ``verify_bundle.py``."""
    folder = resources.files("record")
    imports: dict[str, set[str]] = {}
    sections = []
    usage = ""
    for module in MODULES:
        text = folder.joinpath(f"{module}.py").read_text("utf-8")
        docstring, *rest = ast.parse(text).body
        above = [one for one in rest if isinstance(one, (ast.Import, ast.ImportFrom))]
        for one in above:
            origin = one.module or "" if isinstance(one, ast.ImportFrom) else ""
            imports.setdefault(origin, set()).update(alias.name for alias in one.names)
        lines = text.splitlines(keepends=True)
        usage = "".join(lines[: docstring.end_lineno])  # the last module's heads the whole
        code = "".join(lines[max(one.end_lineno or 0 for one in above) :]).strip()
        sections.append(f"# {lines[0].strip(chr(34) + chr(10))}\n{code}\n")
    future = imports.pop("__future__")
    head = ["#!/usr/bin/env python3", usage, f"from __future__ import {', '.join(future)}", ""]
    head += [f"import {name}" for name in sorted(imports.pop(""))]
    head += [
        f"from {origin} import {', '.join(sorted(names))}"
        for origin, names in sorted(imports.items())
        if not origin.startswith("record")
    ]
    return "\n\n".join(["\n".join([*head, ""]), *sections]).encode()
