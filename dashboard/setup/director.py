"""The set-up pages in the director's area."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import abort

from dashboard.accounts import current_account, director_only
from dashboard.director.actions import said
from dashboard.setup.interface import Bench
from dashboard.setup.pages import blueprint as pages
from dashboard.site import this_site
from table.desk import Said


def _bench_of(table_id: str) -> Bench:
    return this_site().table(table_id).bench or abort(
        404, description="This table can't be set up from here."
    )


def _said(body: Mapping[str, Any]) -> Said:
    account = current_account()
    assert account is not None  # director_only
    return said(body, account)


blueprint = pages(
    "setup",
    "/director/tables/<table_id>/setup",
    _bench_of,
    director_only,
    base="director/base.html",
    said=_said,
)
