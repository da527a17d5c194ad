"""A phone as a table's camera: its page, what it sends, and the director's page that pairs it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final, cast
from urllib.parse import quote, unquote

from flask import Flask

from dashboard.accounts.guard import LONGEST_BODY
from dashboard.camera.pairing import Pairing, pairing_of
from dashboard.link_keys import LinkKeys
from dashboard.web_db import WebDb

__all__ = ["camera_address", "install", "longest_body"]

_PICTURE: Final = re.compile(r"/tables/([^/]+)/camera/api/picture")


def install(app: Flask, db: WebDb | None) -> None:
    """Serve it with ``app``. Without ``db`` a phone is paired as long as the application lasts."""
    from dashboard.camera.director import blueprint as director  # noqa: PLC0415
    from dashboard.camera.pages import blueprint  # noqa: PLC0415

    app.extensions["tilewatch.camera_pairing"] = Pairing(LinkKeys("camera", db))
    app.register_blueprint(blueprint)
    app.register_blueprint(director)


def camera_address(app: Flask, table_id: str) -> str:
    """The link that pairs a phone with a table's camera, once; to be added to the site's address.

    Raises ``WebError``.
    """
    return f"/tables/{quote(table_id, safe='')}/camera#{pairing_of(app).code(table_id)}"


def longest_body(app: Flask) -> Callable[[str, Mapping[bytes, bytes]], int]:
    """Tells how long the body of a request may be: longer for pictures of a paired phone."""
    from dashboard.camera.pages import KEY_HEADER  # noqa: PLC0415
    from dashboard.site import Site  # noqa: PLC0415

    site = cast("Site", app.extensions["tilewatch"])
    keys, header = pairing_of(app).keys, KEY_HEADER.lower().encode()

    def longest(path: str, headers: Mapping[bytes, bytes]) -> int:
        found = _PICTURE.fullmatch(path)
        if found is None:
            return LONGEST_BODY
        table_id = unquote(found[1])
        phone = next((one.phone for one in site.tables if one.id == table_id), None)
        key = headers.get(header, b"").decode("latin-1")
        return phone.most_bytes if phone and keys.opens(table_id, key) else LONGEST_BODY

    return longest
