"""Draws docs/architecture.svg: the rooms, and which imports which, from the code's own imports.

python docs/make_architecture.py          # writes it
python docs/make_architecture.py --check  # exit status 1 when it is not up to date
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "docs" / "architecture.svg"

FLOORS = (
    ("hub", "tools"),
    ("dashboard", "table"),
    ("simulation", "record", "calibration"),
    ("models", "vision", "sensors", "analysis"),
    ("game",),
)
"""The rooms from top to bottom: most arrows point down."""

JOBS = {
    "hub": "many tables, over MQTT",
    "tools": "training and films, not installed",
    "dashboard": "pages, API, overlays",
    "table": "one live table, commands, doctor",
    "simulation": "a table that is drawn",
    "record": "log, evidence, bundles",
    "calibration": "place, light, tiles",
    "models": "weights and the renderer",
    "vision": "picture and video to reading",
    "sensors": "cameras and clock buttons",
    "analysis": "what could be played",
    "game": "the rules, for every room",
}

WIDTH, HEIGHT, BOX_W, BOX_H, GAP = 1040, 600, 226, 58, 118


def arrows() -> Counter[tuple[str, str]]:
    """Return the number of imports from each room to each other room."""
    found: Counter[tuple[str, str]] = Counter()
    for room in JOBS:
        for file in (ROOT / room).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text("utf-8"))):
                names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
                names += [one.name for one in node.names] if isinstance(node, ast.Import) else []
                for name in names:
                    target = name.split(".")[0]
                    if target in JOBS and target != room:
                        found[room, target] += 1
    return found


def places() -> dict[str, tuple[float, float]]:
    """The middle of each room's box, in pixels."""
    return {
        room: (WIDTH * (at + 1) / (len(floor) + 1), 30 + GAP * row + BOX_H / 2)
        for row, floor in enumerate(FLOORS)
        for at, room in enumerate(floor)
    }


def drawing() -> str:
    """The SVG."""
    at = places()
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        'font-family="sans-serif" role="img" aria-label="The rooms and their imports">',
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="10" '
        'markerHeight="10" markerUnits="userSpaceOnUse" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="#888"/></marker></defs>',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
    ]
    for (source, target), count in sorted(arrows().items()):
        if target == "game":
            continue  # every room imports the rules
        (x0, y0), (x1, y1) = at[source], at[target]
        down = y1 > y0
        begin, end = (y0 + BOX_H / 2, y1 - BOX_H / 2) if down else (y0, y1)
        if y1 == y0:
            side = 1 if x1 > x0 else -1
            x0, x1 = x0 + side * BOX_W / 2, x1 - side * BOX_W / 2
            begin, end = y0 + side * 8, y1 + side * 8
        elif not down:  # the few that lead up: along the right-hand side of the box
            begin, end = y0 - BOX_H / 2, y1 + BOX_H / 2
        thick = min(5.0, 0.8 + count / 25)
        lines.append(
            f'<path d="M{x0:.0f} {begin:.0f} L{x1:.0f} {end:.0f}" stroke="#888" fill="none" '
            f'stroke-width="{thick:.1f}" opacity="0.55" marker-end="url(#head)">'
            f"<title>{source} imports {target}: {count}</title></path>"
        )
    for room, (x, y) in at.items():
        left, top = x - BOX_W / 2, y - BOX_H / 2
        lines += [
            f'<rect x="{left:.0f}" y="{top:.0f}" width="{BOX_W}" height="{BOX_H}" rx="8" '
            'fill="#f4efe2" stroke="#20402f" stroke-width="1.5"/>',
            f'<text x="{x:.0f}" y="{y - 4:.0f}" text-anchor="middle" font-size="17" '
            f'font-weight="bold" fill="#20402f">{room}</text>',
            f'<text x="{x:.0f}" y="{y + 16:.0f}" text-anchor="middle" font-size="12.5" '
            f'fill="#333">{JOBS[room]}</text>',
        ]
    return "\n".join([*lines, "</svg>", ""])


def main() -> int:
    """Write the drawing, or check it."""
    if "--check" in sys.argv[1:]:
        return 0 if TARGET.read_text("utf-8") == drawing() else 1
    TARGET.write_text(drawing(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
