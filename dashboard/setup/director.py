"""The set-up pages in the director's area."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import abort

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


blueprint = pages(
    "setup",
    "/director/tables/<table_id>/setup",
    _bench_of,
    director_only,
    base="director/base.html",
    attribution_of=_attribution,
)
