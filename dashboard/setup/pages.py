"""The set-up pages and what they ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, ParamSpec

from flask import Blueprint, Response, abort, render_template
from flask.typing import ResponseReturnValue

from dashboard.responses import json_answer
from dashboard.sent import sent_object
from dashboard.setup.interface import SetupBackend
from game.errors import TilewatchError
from table.desk import Attribution
from table.refusals import NOT_EMPTY

P = ParamSpec("P")
Guard = Callable[[Callable[P, ResponseReturnValue]], Callable[P, ResponseReturnValue]]

PAGES: Final = {
    "calibration": "Calibration",
    "tiles": "Tile check",
    "game": "New game",
    "doctor": "Doctor",
}
"""Pages by the end of their address."""


def blueprint(
    name: str,
    prefix: str,
    bench_of: Callable[[str], SetupBackend],
    guard: Any,
    *,
    base: str,
    attribution_of: Callable[[Mapping[str, Any]], Attribution],
    pages: tuple[str, ...] = tuple(PAGES),
    beside: Callable[[str], Mapping[str, str]] = lambda _: {},
) -> Blueprint:
    """The pages below ``prefix``, which has ``<table_id>`` in it.

    Args:
        name: of the blueprint.
        prefix: of every address.
        bench_of: the bench of a table's id, or a 404.
        guard: decorates every view: who may.
        base: the template that the pages extend.
        attribution_of: who does it and why, from what was sent; raises ``TilewatchError``.
        pages: which of :data:`PAGES` there are.
        beside: titles and addresses of a table's further pages.
    """
    made = Blueprint(name, __name__, url_prefix=prefix)

    def page(table_id: str, what: str) -> ResponseReturnValue:
        if what not in pages:
            abort(404, description="There is no such page.")
        bench = bench_of(table_id)
        answer = Response(
            render_template(
                f"setup/{what}.html",
                base=base,
                table_id=table_id,
                what=what,
                pages={one: PAGES[one] for one in pages},
                blueprint=name,
                beside=beside(table_id),
                choices=bench.choices() if what == "game" else None,
            )
        )
        answer.headers["Cache-Control"] = "no-cache"
        return answer

    def picture(table_id: str, which: str) -> ResponseReturnValue:
        bench = bench_of(table_id)
        jpeg = bench.live() if which == "live" else bench.judged()
        if jpeg is None:
            abort(404, description="There is no picture yet.")
        answer = Response(jpeg, mimetype="image/jpeg")
        answer.headers["Cache-Control"] = "no-store"
        return answer

    def state(table_id: str) -> ResponseReturnValue:
        return _answered(bench_of(table_id).state)

    def look(table_id: str) -> ResponseReturnValue:
        return _answered(bench_of(table_id).look_again)

    def nudge(table_id: str) -> ResponseReturnValue:
        corners = _corners(sent_object().get("corners"))
        return _answered(lambda: bench_of(table_id).move(corners))

    def save(table_id: str) -> ResponseReturnValue:
        empty = sent_object().get("empty")
        if empty is not None and not isinstance(empty, bool):
            abort(400, description="empty is true, false or null.")
        return _answered(lambda: bench_of(table_id).accept(empty, attribution_of(sent_object())))

    def tiles(table_id: str) -> ResponseReturnValue:
        by_hand = sent_object().get("by_hand", False)
        if not isinstance(by_hand, bool):
            abort(400, description="by_hand is true or false.")
        return _answered(
            lambda: bench_of(table_id).count_tiles(by_hand, attribution_of(sent_object()))
        )

    def doctor(table_id: str) -> ResponseReturnValue:
        return _answered(lambda: {"checks": bench_of(table_id).examine()})

    def game_now(table_id: str) -> ResponseReturnValue:
        return _answered(lambda: bench_of(table_id).choices().get("now", {}))

    def game(table_id: str) -> ResponseReturnValue:
        wishes = sent_object()
        return _answered(lambda: bench_of(table_id).new_game(wishes, attribution_of(wishes)))

    made.add_url_rule("/<any(" + ", ".join(PAGES) + "):what>", "page", guard(page))
    made.add_url_rule("/api/<any(judged, live):which>.jpg", "picture", guard(picture))
    made.add_url_rule("/api/calibration", "state", guard(state))
    made.add_url_rule("/api/game", "game_now", guard(game_now))
    for rule, view in (
        ("look", look),
        ("nudge", nudge),
        ("save", save),
        ("tiles", tiles),
        ("doctor", doctor),
        ("game", game),
    ):
        made.add_url_rule(f"/api/{rule}", rule, guard(view), methods=["POST"])
    return made


def _answered(what: Callable[[], Mapping[str, Any]]) -> Response:
    """The answer as JSON, or a refusal in one line; 202 while it is only in memory."""
    try:
        found = what()
        kept = found.get("on_disk", True)
        return json_answer(found, 200 if kept else 202)
    except TilewatchError as error:
        despite = str(error).startswith(NOT_EMPTY)  # it may be done all the same
        return json_answer({"error": str(error), "despite": despite}, 409)


def _corners(value: Any) -> list[list[float]]:
    """Four points of two numbers each, or a 400."""
    good = (
        isinstance(value, list)
        and len(value) == 4
        and all(
            isinstance(point, list)
            and len(point) == 2
            and all(
                isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e5
                for x in point
            )
            for point in value
        )
    )
    if not good:
        abort(400, description="corners are four pairs of numbers.")
    return [[float(x) for x in point] for point in value]
