"""The set-up pages and what they ask for: a table's in the director's area, or one alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeAlias

from flask import Blueprint, abort, render_template, request, url_for
from flask.typing import ResponseReturnValue
from pydantic import BaseModel, Field

from dashboard.accounts.guard import director_only, logged_in
from dashboard.director.actions import attribution_of
from dashboard.interfaces import Json, SetupBackend
from dashboard.responses import answer, json_answer
from dashboard.sent import sent_as, sent_object
from dashboard.site import this_site
from game.errors import TilewatchError
from table.desk import Attribution
from table.refusals import NOT_EMPTY

PAGES: Final = {
    "calibration": "Calibration",
    "tiles": "Tile check",
    "game": "New game",
    "doctor": "Doctor",
}
"""Pages by the end of their address."""

Answer: TypeAlias = Callable[[SetupBackend, Callable[[], Attribution]], Mapping[str, Any]]
"""Asks a table's back end for something; the function returns who sends the request, and why."""

_Coordinate = Annotated[float, Field(gt=-1e5, lt=1e5)]
_Point = Annotated[list[_Coordinate], Field(min_length=2, max_length=2)]


class _Moved(BaseModel):
    corners: list[_Point] = Field(min_length=4, max_length=4)


class _Saved(BaseModel):
    empty: bool | None = None
    board_only: bool = False


class _Counted(BaseModel):
    by_hand: bool = False


def _saved(table: SetupBackend, sent: _Saved, who: Attribution) -> Json:
    return table.accept(sent.empty, who, board_only=sent.board_only)


SHOWN: Final[dict[str, Answer]] = {
    "calibration": lambda table, _: table.state(),
    "game": lambda table, _: table.choices().get("now", {}),
}
"""Answers to a GET, by the end of the address."""

DONE: Final[dict[str, Answer]] = {
    "look": lambda table, _: table.look_again(),
    "nudge": lambda table, _: table.move(sent_as(_Moved, status=400).corners),
    "save": lambda table, who: _saved(table, sent_as(_Saved, status=400), who()),
    "tiles": lambda table, who: table.count_tiles(sent_as(_Counted, status=400).by_hand, who()),
    "doctor": lambda table, _: {"checks": table.examine()},
    "game": lambda table, who: table.new_game(sent_object(), who()),
}
"""Answers to a POST, by the end of the address."""


@dataclass(frozen=True)
class SetupPages:
    """The pages of the tables that ``backend_of`` knows."""

    name: str
    """The name of the blueprint."""
    base: str
    """The template that the pages extend."""
    backend_of: Callable[[str], SetupBackend]
    """Returns a table's back end by its id, or ends the request with a 404."""
    attribution_of: Callable[[Mapping[str, Any]], Attribution]
    """Returns who acts and why, from the JSON sent; raises ``TilewatchError``."""
    pages: tuple[str, ...] = tuple(PAGES)
    """The keys of :data:`PAGES` whose pages exist here."""
    beside: Callable[[str], Mapping[str, str]] = lambda _: {}
    """Returns titles and addresses of a table's further pages, by its id."""

    def blueprint(self, prefix: str, guard: Callable[[Any], Any]) -> Blueprint:
        """Return the pages below ``prefix`` (with ``<table_id>``); ``guard`` decorates views."""
        made = Blueprint(self.name, __name__, url_prefix=prefix)
        made.add_url_rule(f"/<any({', '.join(PAGES)}):what>", "page", guard(self._page))
        made.add_url_rule("/api/<any(judged, live):which>.jpg", "picture", guard(self._picture))
        for method, answers in (("GET", SHOWN), ("POST", DONE)):
            for end, ask in answers.items():
                view = guard(self._answering(ask))
                made.add_url_rule(f"/api/{end}", f"{method}_{end}", view, methods=[method])
        return made

    def _page(self, table_id: str, what: str) -> ResponseReturnValue:
        if what not in self.pages:
            abort(404, description="There is no such page.")
        backend = self.backend_of(table_id)
        page = render_template(
            f"setup/{what}.html",
            base=self.base,
            table_id=table_id,
            what=what,
            pages={one: PAGES[one] for one in self.pages},
            blueprint=self.name,
            beside=self.beside(table_id),
            choices=backend.choices() if what == "game" else None,
        )
        return answer(page, cache="no-cache")

    def _picture(self, table_id: str, which: str) -> ResponseReturnValue:
        backend = self.backend_of(table_id)
        jpeg = backend.live() if which == "live" else backend.judged()
        if jpeg is None:
            abort(404, description="There is no picture yet.")
        return answer(jpeg, "image/jpeg")

    def _answering(self, ask: Answer) -> Callable[[str], ResponseReturnValue]:
        """Return the view of an answer: JSON (202 if it is only in memory) or a refusal."""

        def view(table_id: str) -> ResponseReturnValue:
            try:
                found = ask(self.backend_of(table_id), lambda: self.attribution_of(sent_object()))
            except TilewatchError as error:
                despite = str(error).startswith(NOT_EMPTY)  # it may be done all the same
                return json_answer({"error": str(error), "despite": despite}, 409)
            return json_answer(found, 200 if found.get("on_disk", True) else 202)

        return view


def _backend_of(table_id: str) -> SetupBackend:
    return this_site().table(table_id).bench or abort(
        404, description="This table can't be set up from here."
    )


def _attribution(body: Mapping[str, Any]) -> Attribution:
    return attribution_of(body, logged_in())


def _beside(table_id: str) -> Mapping[str, str]:
    if this_site().table(table_id).phone is None:
        return {}
    return {"Camera": url_for("camera_director.page", table_id=table_id)}


blueprint = SetupPages(
    "setup", "director/base.html", _backend_of, _attribution, beside=_beside
).blueprint("/director/tables/<table_id>/setup", director_only)


@blueprint.context_processor
def _named() -> dict[str, str]:
    """Return the table's name for the link back to its page; empty if there is no such table."""
    table_id = (request.view_args or {}).get("table_id")
    names = (one.name for one in this_site().tables if one.id == table_id)
    return {"table_name": next(names, "")}
