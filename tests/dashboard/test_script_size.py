"""How much script a browser has to take: all of a page, with whatever that imports.

A script that a page loads only once it is asked for (``import(...)``) comes on top, and has a bound
of its own.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

import dashboard
import hub
from dashboard.module_graph import imported

ROOMS = {"static": Path(dashboard.__file__).parent, "hub.static": Path(hub.__file__).parent}
PLACES = {"static": ROOMS["static"] / "static", "hub.static": ROOMS["hub.static"] / "static"}
SERVED = {"/static/hub": PLACES["hub.static"], "/static": PLACES["static"]}
MOST = 152_000
"""Bytes of script in all on one page, unpacked."""

ON_DEMAND = 45_000
"""Bytes of script that a page loads later, unpacked."""

IMPORT = re.compile(r"""(?:import|from)\s*["'](\.[^"']+)["']""")
LATER = re.compile(r"""import\(["'](\.[^"']+)["']\)""")
TAG = re.compile(r"url_for\('((?:hub\.)?static)', filename='([^']+\.js)'\)")
PART = re.compile(r"""\{% (?:extends|include|import) "([^"]+)\"""")
TEMPLATES = sorted(path for room in ROOMS.values() for path in room.glob("templates/**/*.html"))


def address(script: Path) -> str:
    """Where a script is served."""
    for prefix, folder in SERVED.items():
        if script.is_relative_to(folder):
            return f"{prefix}/{script.relative_to(folder).as_posix()}"
    raise AssertionError(script)


def served(path: str) -> Path:
    """The script that is served there."""
    prefix = next(prefix for prefix in SERVED if path.startswith(f"{prefix}/"))
    return SERVED[prefix] / path.removeprefix(f"{prefix}/")


def needed(script: Path, found: dict[Path, int]) -> None:
    """Add a script and whatever it imports to ``found``, with their sizes."""
    if script in found:
        return
    text = script.read_text("utf-8")
    found[script] = len(text.encode())
    for name in IMPORT.findall(text):
        needed(served(posixpath.normpath(posixpath.join(address(script), "..", name))), found)


def scripts(template: Path) -> dict[Path, int]:
    """The scripts of a page: its own, and those of the templates that it is made of."""
    found: dict[Path, int] = {}
    text = template.read_text("utf-8")
    for place, name in TAG.findall(text):
        needed(PLACES[place] / name, found)
    for name in PART.findall(text):
        part = next(p for room in ROOMS.values() if (p := room / "templates" / name).exists())
        found |= scripts(part)
    return found


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_no_page_takes_more_script_than_a_phone_takes_well(template):
    assert sum(scripts(template).values()) <= MOST


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_what_is_loaded_on_demand_is_little(template):
    at_once = scripts(template)
    later: dict[Path, int] = {}
    for script in at_once:
        for name in LATER.findall(script.read_text("utf-8")):
            needed(served(posixpath.normpath(posixpath.join(address(script), "..", name))), later)
    assert sum(size for script, size in later.items() if script not in at_once) <= ON_DEMAND
    if template.match("director/table.html"):
        assert {"game_deeds.js", "record_deeds.js"} <= {script.name for script in later}


def test_imports_are_followed():
    def names(page):
        return {path.name for path in scripts(next(p for p in TEMPLATES if p.match(page)))}

    assert {"page.js", "stream.js", "board.js", "tiles.js", "rack.js"} <= names("overlay/page.html")
    assert {"theme.js", "hall.js", "clock.js", "dom.js"} <= names("hub/hall.html")
    assert {"theme.js", "hall.js", "director.js"} <= names("hub/director.html")


@pytest.mark.parametrize("script", ["table.js", "director/table.js"])
def test_a_page_names_whatever_its_script_imports(script):
    """Else a browser asks for each step of the imports only once it has read the one before."""
    found: dict[Path, int] = {}
    needed(PLACES["static"] / script, found)
    assert {PLACES["static"] / name for name in (script, *imported(script))} == set(found)
