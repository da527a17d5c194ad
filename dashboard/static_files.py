"""Static files and public pages in gzip, and which scripts a page fetches at once.

A compressed file is another representation of the same file, and has an ETag of its own (RFC 9110,
8.8.3.3). Only public text is compressed: its length gives nothing away.
"""

from __future__ import annotations

import gzip
import posixpath
import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from flask import Flask, Response, request

_TYPES: Final = frozenset({"text/css", "text/javascript", "image/svg+xml", "text/html"})
_SUFFIX: Final = "-gzip"
_STATIC: Final = Path(__file__).parent / "static"
_IMPORT: Final = re.compile(r"""^import\b[^;"'(]*["'](\.{1,2}/[^"']+)["']""", re.MULTILINE)


def install(app: Flask) -> None:
    """Compress the static files of ``app``; its templates can name a script's imports."""
    app.add_template_global(imported)

    @app.after_request
    def _compressed(response: Response) -> Response:
        endpoint = request.endpoint or ""
        return compressed(response) if endpoint.rpartition(".")[2] == "static" else response


def compressed(response: Response) -> Response:
    """Return ``response`` in gzip if it is text and the browser accepts it. Not for secrets."""
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


@lru_cache(maxsize=64)
def imported(script: str) -> tuple[str, ...]:
    """Return the scripts that a script of ``static/`` imports before it runs, nearest first.

    A page names them, so that a browser need not read each script to learn of the next.
    """
    found, left = dict.fromkeys([script]), [script]
    for name in left:
        text = (_STATIC / name).read_text("utf-8")
        for path in _IMPORT.findall(text):
            other = posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
            if other not in found:
                found[other] = None
                left.append(other)
    return tuple(left[1:])
