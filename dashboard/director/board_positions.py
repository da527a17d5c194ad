"""Finds the board in each kept picture of a turn when somebody compares them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any, Final

from flask import current_app

from dashboard.director.adjudication import FoldedPage
from game.errors import TilewatchError
from game.events import PicturesKept
from record.evidence import EvidenceStore

Points = tuple[tuple[float, ...], ...]

_KEPT: Final = 500


class Boards:
    """Corners that were found, by picture. One is looked for at a time: a table has other work."""

    def __init__(self) -> None:
        self._found: OrderedDict[tuple[str, str], Points | None] = OrderedDict()
        self._looking = threading.Lock()

    def find(self, store: EvidenceStore, known: str, corners: Points, other: str) -> Points | None:
        """The board's corners in a picture, by another in which they are known; None if not found.

        Both are named by their SHA-256.
        """
        key = (known, other)
        with self._looking:
            if key not in self._found:
                self._found[key] = _look(store, known, corners, other)
                while len(self._found) > _KEPT:
                    self._found.popitem(last=False)
            return self._found[key]


def the_boards() -> Boards:
    """The positions of the current application."""
    boards = current_app.extensions.setdefault("tilewatch.boards", Boards())
    assert isinstance(boards, Boards)
    return boards


def boards_of(
    page: FoldedPage, turn: dict[str, Any], store: EvidenceStore | None
) -> dict[str, Any]:
    """Corners of every picture in a turn's file (:func:`evidence_file`), or None, by SHA-256."""
    known = _known(page)
    wanted = [one["sha256"] for one in turn["pictures"] if one["there"]]
    base = _base(page, turn["turn"]["number"], known, store)
    found: dict[str, Any] = {}
    for sha in wanted:
        if sha in known:
            found[sha] = known[sha]
        elif base is None or store is None:
            found[sha] = None
        else:
            found[sha] = the_boards().find(store, base, known[base], sha)
    return found


def _known(page: FoldedPage) -> dict[str, Points]:
    """The corners that the log has, by picture."""
    return {
        picture.sha256: picture.corners
        for entry in page.entries
        if isinstance(entry.event, PicturesKept)
        for picture in entry.event.pictures
        if picture.corners is not None
    }


def _base(
    page: FoldedPage, number: int, known: dict[str, Points], store: EvidenceStore | None
) -> str | None:
    """The picture with known corners that is there, of this turn or else of the nearest one."""
    if store is None:
        return None
    turns = [
        (min(abs(turn - number) for turn in turns), picture.sha256)
        for entry in page.entries
        if isinstance(entry.event, PicturesKept) and (turns := page.turns_of(entry))
        for picture in entry.event.pictures
        if picture.sha256 in known and store.path(picture.sha256).is_file()
    ]
    return min(turns)[1] if turns else None


def _look(store: EvidenceStore, known: str, corners: Points, other: str) -> Points | None:
    import numpy as np  # noqa: PLC0415 (pages without pictures need none of it)

    from vision.registration import register_board  # noqa: PLC0415

    try:
        found = register_board(
            store.load(known), np.asarray(corners, np.float32), store.load(other)
        )
    except TilewatchError:
        return None
    if found is None:
        return None
    return tuple((round(float(x), 2), round(float(y), 2)) for x, y in found)
