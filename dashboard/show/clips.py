"""The clip of a slot's last play or challenge: the pictures kept of it, in sequence.

A picture is shown only to token holders, and only once the slot's delay has passed since it was
taken.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from flask import Blueprint, abort, url_for
from flask.typing import ResponseReturnValue

from dashboard.access import granted
from dashboard.director.folded_page import FoldedPage, folded_page
from dashboard.director.turn_pictures import KeptPictures
from dashboard.overlay.pages import whereabouts
from dashboard.responses import answer, json_answer
from dashboard.site import Table
from game.errors import TilewatchError
from game.events import PicturesKept

MOST: Final = 48
"""Pictures of a clip: of more, as many at even distances."""
AFTER_NS: Final = 3_000_000_000
"""The time after a press for which pictures belong to its clip: the hand leaves the board."""
BEFORE_NS: Final = 45_000_000_000
"""The longest time before a press."""

blueprint = Blueprint("clips", __name__, url_prefix="/overlay/<slot>/clip")


@dataclass(frozen=True, slots=True)
class Shown:
    """A picture of a clip."""

    sha256: str
    t_ns: int
    """When it was taken, on the table's time."""


@blueprint.get("/pictures")
def pictures(slot: str) -> ResponseReturnValue:
    """The pictures of the slot's clip, each with its milliseconds from the first."""
    found = clip_of(*_seen(slot))
    first_ns = found[0].t_ns if found else 0
    return json_answer(
        {
            "pictures": [
                {
                    "src": url_for("clips.picture", slot=slot, sha256=one.sha256),
                    "ms": (one.t_ns - first_ns) // 1_000_000,
                }
                for one in found
            ]
        }
    )


@blueprint.get("/<sha256>")
def picture(slot: str, sha256: str) -> ResponseReturnValue:
    """One picture of the slot's clip."""
    table, view, now_ns = _seen(slot)
    if all(one.sha256 != sha256 for one in clip_of(table, view, now_ns)):
        abort(404, description="That picture is not of the clip.")
    assert table.evidence is not None
    try:
        return answer(table.evidence.load(sha256), "image/jpeg", cache="private, max-age=600")
    except TilewatchError as error:
        abort(404, description=str(error))


def _seen(slot: str) -> tuple[Table, dict[str, Any], int]:
    """Return a slot's table, its view and its time, as late as the request sees them."""
    there = whereabouts(slot)()
    if there is not None and not granted("broadcast", there[0]):
        abort(403, description="The clip needs a token: people are in its pictures.")
    latest = there[1].latest() if there is not None else None
    if there is None or latest is None:
        abort(404, description="There is no game in this slot.")
    return there[0], latest.view, there[1].now_ns()


def clip_of(table: Table, view: dict[str, Any], now_ns: int) -> list[Shown]:
    """Return the pictures of the last turn of a view, oldest first, none taken after ``now_ns``.

    After a play they end some seconds after the press; after a challenge they go on.
    """
    if not view["turns"] or table.evidence is None or "withheld" in view:
        return []
    page = folded_page(table, view["game_id"])
    number = min(len(view["turns"]), len(page.state.turns))
    turn = page.state.turns[number - 1]
    before = page.state.turns[number - 2].press_ns if number > 1 else 0
    goes_on = view["turns"][-1]["kind"] != "play"
    until = now_ns if goes_on else min(now_ns, turn.press_ns + AFTER_NS)
    since = max(before, turn.press_ns - BEFORE_NS)
    kept = KeptPictures.of(page, table.evidence)
    found = {one.sha256: one for one in _whole(page) if since <= one.t_ns <= until}
    there = sorted((one for one in found.values() if kept.there(one.sha256)), key=_time)
    step = max(1, -(-len(there) // MOST))
    return there[::-1][::step][::-1]


def _time(one: Shown) -> int:
    return one.t_ns


def _whole(page: FoldedPage) -> Iterator[Shown]:
    for entry in page.entries:
        if isinstance(entry.event, PicturesKept):
            for one in entry.event.pictures:
                if one.square is None:
                    yield Shown(one.sha256, one.exposed_ns)
