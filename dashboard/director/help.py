"""The documentation, as it comes with the program: for a director without any network.

The guides keep to few forms of Markdown: paragraphs, lists, tables and indented code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from dashboard.source_code import top

GUIDES: Final = {
    "director": "For the director",
    "clock": "The phone clock",
    "cameras": "Cameras",
    "hub": "A hub for a hall",
    "broadcaster": "For the broadcaster",
    "spectators": "For spectators",
    "evidence": "Evidence",
    "referee": "What is ruled, and by which rule",
    "live": "Running a table",
}
"""The guides that the pages show, by the names of their files in ``docs/``."""

_PICTURE: Final = re.compile(r"^!\[.*\]\(.*\)$\n?", re.MULTILINE)
_LINK: Final = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_MARKS: Final = re.compile(r"\*\*|`")
_ITEM: Final = re.compile(r"^(?:-|\d+\.) ", re.MULTILINE)
_RULE: Final = re.compile(r"[|:\- ]+")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of a guide."""

    kind: Literal["heading", "text", "list", "table", "code"]
    lines: tuple[tuple[str, ...], ...]
    """The lines or items, each of one cell; of a table, the cells of its rows."""


def guide(name: str) -> Iterator[Block]:
    """Yield the blocks of a guide, without pictures, links and marks.

    Raises:
        OSError: the program was installed without it.
    """
    text = (top() / "docs" / f"{name}.md").read_text("utf-8")
    text = re.sub(r"^(#.*)$", r"\n\1\n", _LINK.sub(r"\1", _PICTURE.sub("", text)), flags=re.M)
    for piece in re.split(r"\n\s*\n", text):
        if piece.strip():
            yield _block(piece.strip("\n"))


def _block(piece: str) -> Block:
    if piece.startswith("    "):
        return Block("code", ((re.sub(r"^ {4}", "", piece, flags=re.MULTILINE),),))
    piece = _MARKS.sub("", piece)
    if piece.startswith("#"):
        return Block("heading", ((piece.lstrip("# "),),))
    if piece.startswith("|"):
        rows = [row for row in piece.splitlines() if not _RULE.fullmatch(row)]
        return Block(
            "table",
            tuple(tuple(cell.strip() for cell in row.strip()[1:-1].split("|")) for row in rows),
        )
    if _ITEM.match(piece):
        items = _ITEM.split(piece)[1:]
        return Block("list", tuple((" ".join(item.split()),) for item in items))
    return Block("text", ((" ".join(piece.split()),),))
