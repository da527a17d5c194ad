"""The set-up pages in the director's area."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import abort, request, url_for

from dashboard.accounts import current_account, director_only
from dashboard.director.actions import attribution_of
from dashboard.setup.interface import SetupBackend
from dashboard.setup.pages import blueprint as pages
from dashboard.site import this_site
from table.desk import Attribution


def _bench_of(table_id: str) -> SetupBackend:
    return this_site().table(table_id).bench or abort(
        404, description="This table can't be set up from here."
    )


def _attribution(body: Mapping[str, Any]) -> Attribution:
    account = current_account()
    assert account is not None  # director_only
    return attribution_of(body, account)


def _beside(table_id: str) -> Mapping[str, str]:
    if this_site().table(table_id).phone is None:
        return {}
    return {"Camera": url_for("camera_director.page", table_id=table_id)}


blueprint = pages(
    "setup",
    "/director/tables/<table_id>/setup",
    _bench_of,
    director_only,
    base="director/base.html",
    attribution_of=_attribution,
    beside=_beside,
)


@blueprint.context_processor
def _named() -> dict[str, str]:
    """The table's name, for the way back to its page; none on the page that there is no table."""
    table_id = (request.view_args or {}).get("table_id")
    names = (one.name for one in this_site().tables if one.id == table_id)
    return {"table_name": next(names, "")}
