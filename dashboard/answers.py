"""The two kinds of answer that every part gives: JSON, and a page that says what went wrong."""

from __future__ import annotations

from flask import Flask, Response, render_template, request
from flask.typing import ResponseReturnValue

from dashboard.feed import encode


def json_answer(value: object, status: int = 200) -> Response:
    """``value`` as JSON that no cache keeps."""
    response = Response(encode(value), status=status, mimetype="application/json")
    response.headers["Cache-Control"] = "no-store"
    return response


def answer_errors(app: Flask) -> None:
    """Give every error one clear line: as JSON below ``/api/``, as a page elsewhere."""

    def answer(status: int, title: str, text: str) -> Response:
        if request.path.startswith("/api/"):
            return json_answer({"error": text}, status)
        return Response(render_template("error.html", title=title, text=text), status=status)

    @app.errorhandler(404)
    def missing(error: Exception) -> ResponseReturnValue:
        text = str(getattr(error, "description", "")) or "There is nothing here."
        return answer(404, "Not found", text)

    @app.errorhandler(405)
    def not_allowed(_: Exception) -> ResponseReturnValue:
        return answer(405, "Not allowed", "This address can only be read.")

    @app.errorhandler(500)
    def broken(_: Exception) -> ResponseReturnValue:
        return answer(500, "Something broke", "The reason stands in tilewatch's log.")
