"""Tables of cases as text; and the drawn board and its reader, shared with ``table/``."""

from __future__ import annotations

import pytest

from tests.table.conftest import bench, drawn, grid, live, put, sit  # noqa: F401 - fixtures


def cases(text: str) -> list:
    """Each name, and below it, indented, what happens ``->`` what comes of it; ``# `` is a note."""
    found: list[list[str]] = []
    for line in text.strip().splitlines():
        if line.startswith("    "):
            found[-1].append(line.strip())
        elif not line.startswith("# "):
            found.append([line])
    return [pytest.param(*" ".join(lines).split(" -> "), id=name) for name, *lines in found]
