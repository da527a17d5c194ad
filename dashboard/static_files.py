"""Public text in gzip: static files, each compressed once, and pages for everybody.

What is sent compressed is another representation of the same file, and has an ETag of its own
(RFC 9110, 8.8.3.3). Only what is public is compressed: its length gives nothing away.
"""

from __future__ import annotations

import gzip
from functools import lru_cache
from typing import Final

from flask import Flask, Response, request

_TYPES: Final = frozenset({"text/css", "text/javascript", "image/svg+xml", "text/html"})
_SUFFIX: Final = "-gzip"


def install(app: Flask) -> None:
    """Compress the static files of ``app`` and of its blueprints for whoever takes gzip."""

    @app.after_request
    def _compressed(response: Response) -> Response:
        endpoint = request.endpoint or ""
        return compressed(response) if endpoint.rpartition(".")[2] == "static" else response


def compressed(response: Response) -> Response:
    """``response`` in gzip, if it is text and the browser takes it so. Not for secrets."""
    if response.mimetype not in _TYPES and response.status_code != 304:
        return response
    response.vary.add("Accept-Encoding")
    if response.status_code != 200 or not request.accept_encodings["gzip"]:
        return response
    response.direct_passthrough = False
    response.set_data(_packed(response.get_data()))
    response.headers["Content-Encoding"] = "gzip"
    etag, _ = response.get_etag()
    if etag is not None:
        response.set_etag(etag + _SUFFIX)
        response.make_conditional(request)
    return response


@lru_cache(maxsize=256)
def _packed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)
