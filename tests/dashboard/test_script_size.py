"""How much script a browser has to take: all of a page, with whatever it imports."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import dashboard

STATIC = Path(dashboard.__file__).parent / "static"
MOST = 150_000
"""Bytes of script in all on one page, unpacked."""

IMPORT = re.compile(r"""(?:import|from)\s*\(?\s*["'](\.[^"']+)["']""")
TAG = re.compile(r"url_for\('static', filename='([^']+\.js)'\)")


def needed(script: Path, found: dict[Path, int]) -> None:
    """Add a script and whatever it imports to ``found``, with their sizes."""
    if script in found:
        return
    text = script.read_text("utf-8")
    found[script] = len(text.encode())
    for name in IMPORT.findall(text):
        needed((script.parent / name).resolve(), found)


def scripts(template: Path) -> dict[Path, int]:
    found: dict[Path, int] = {}
    for name in TAG.findall(template.read_text("utf-8")):
        needed((STATIC / name).resolve(), found)
    return found


@pytest.mark.parametrize(
    "template",
    sorted(
        (path for path in STATIC.parent.joinpath("templates").rglob("*.html")),
        key=lambda path: path.as_posix(),
    ),
    ids=lambda path: path.name,
)
def test_no_page_takes_more_script_than_a_phone_takes_well(template):
    assert sum(scripts(template).values()) <= MOST


def test_imports_are_followed():
    found = {path.name for path in scripts(STATIC.parent / "templates/overlay/page.html")}
    assert {"page.js", "stream.js", "board.js", "tiles.js", "rack.js"} <= found
