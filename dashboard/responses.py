"""The two kinds of answer that every part gives: JSON, and a page that says what went wrong."""

from __future__ import annotations

import logging
from typing import Any, Final

from flask import Flask, Response, render_template, request
from flask.json.provider import DefaultJSONProvider
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, NotFound

from dashboard.feeds.feed import encode
from game.errors import TilewatchError

_LOG = logging.getLogger(__name__)

_NO_PAGE: Final = (
    "There is no page at this address. Perhaps it was mistyped, or the game is not on show."
)
_TEXTS: Final = {
    405: ("Not allowed", "That cannot be done at this address."),
    413: ("Too large", "What was sent is too large."),
    500: ("Something broke", "The reason stands in tilewatch's log."),
}
"""Our wording in place of werkzeug's words, where those help nobody."""


def json_answer(value: object, status: int = 200) -> Response:
    """``value`` as JSON that no cache keeps."""
    response = Response(encode(value), status=status, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def wants_json() -> bool:
    """True if the current request comes from a program or a script and not from a reader."""
    return "/api/" in request.path or (
        request.accept_mimetypes.best_match(("text/html", "application/json")) == "application/json"
    )


class BoundedJson(DefaultJSONProvider):
    """Flask's JSON, for which what is nested too deeply is no JSON."""

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """Read a text. Raises ``ValueError``."""
        try:
            return super().loads(s, **kwargs)
        except RecursionError as error:
            raise ValueError("nested too deeply") from error


def answer_errors(app: Flask) -> None:
    """Give every error one clear line: as JSON below ``/api/``, as a page elsewhere."""

    def answer(status: int, title: str, text: str) -> Response:
        if wants_json():
            made = json_answer({"error": text}, status)
            if status == 401:
                made.headers["WWW-Authenticate"] = 'Bearer realm="tilewatch"'
            return made
        return Response(render_template("error.html", title=title, text=text), status=status)

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> ResponseReturnValue:
        status = error.code or 500
        if error.response is not None or status < 400:
            return error  # a redirect, or an answer that somebody has made already
        title, text = _TEXTS.get(status, (error.name, ""))
        if status == 404:
            title = "Not found"
            text = _NO_PAGE if error.description == NotFound.description else ""
        made = answer(status, title, text or str(error.description or error.name))
        for name, value in error.get_headers():
            if name in ("Allow", "Retry-After", "Content-Range"):
                made.headers[name] = value
        return made

    @app.errorhandler(TilewatchError)
    def unusable(error: TilewatchError) -> ResponseReturnValue:
        _LOG.error("%s %s: %s", request.method, request.path, error)
        title, text = _TEXTS[500]
        return answer(500, title, text)
