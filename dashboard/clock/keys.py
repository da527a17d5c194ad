"""Who may press a clock on a page: whoever was given its link.

Each table has one key, a random text that stands in its link after the ``#`` and so in no server's
log. The director hands the link out (on the table's card, in a message) and can make another, which
ends the old one at once. A key opens the clock of its table and nothing else.
"""

from __future__ import annotations

from urllib.parse import quote

from flask import Flask, current_app, url_for

from dashboard.link_keys import LinkKeys


def clock_keys() -> LinkKeys:
    """The clock links of the current application."""
    return _keys_of(current_app)


def clock_path(table_id: str) -> str:
    """The link to a table's clock, key included: for the director's eyes. Raises ``WebError``."""
    return f"{url_for('clock.page', table_id=table_id)}#{clock_keys().key(table_id)}"


def clock_address(app: Flask, table_id: str) -> str:
    """The clock's link outside a request, for the start of the table. Raises ``WebError``."""
    return f"/tables/{quote(table_id, safe='')}/clock#{_keys_of(app).key(table_id)}"


def _keys_of(app: Flask) -> LinkKeys:
    keys = app.extensions["tilewatch.clock_keys"]
    assert isinstance(keys, LinkKeys)
    return keys
