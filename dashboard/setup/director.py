"""The set-up pages in the director's area."""

from __future__ import annotations

from flask import abort

from dashboard.accounts import director_only
from dashboard.setup.bench import Bench
from dashboard.setup.pages import blueprint as pages
from dashboard.site import this_site


def _bench_of(table_id: str) -> Bench:
    return this_site().table(table_id).bench or abort(
        404, description="This table can't be set up from here."
    )


blueprint = pages(
    "setup",
    "/director/tables/<table_id>/setup",
    _bench_of,
    director_only,
    base="director/base.html",
)
