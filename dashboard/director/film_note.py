"""Why the pictures that a turn's page shows are not as many as the log says were kept."""

from __future__ import annotations

from collections.abc import Iterable

from dashboard.director.adjudication import FoldedPage
from game.events import PicturesKept


def film_note(page: FoldedPage, number: int, shown: Iterable[str]) -> str:
    """How the log's count of a turn's pictures differs from the page's; empty if they agree.

    ``shown`` has the SHA-256 of each picture on the turn's page.
    """
    kept = [
        picture
        for entry in page.entries
        if isinstance(entry.event, PicturesKept) and page.names_turn(entry, number)
        for picture in entry.event.pictures
    ]
    whole = [picture.sha256 for picture in kept if picture.square is None]
    known = set(whole)
    same, others = len(whole) - len(known), len(set(shown) - known)
    lines = []
    if same:
        is_, stands = ("is", "stands") if same == 1 else ("are", "stand")
        lines.append(
            f"The log names {len(whole)} pictures of this turn: {same} of them "
            f"{is_} the same as another and {stands} here once."
        )
    if others:
        lines.append(
            f"{others} of those above {'was' if others == 1 else 'were'} kept with another turn."
        )
    if len(whole) < len(kept):
        lines.append("The crops of squares are below, under Squares: the newest of each.")
    return " ".join(lines)
