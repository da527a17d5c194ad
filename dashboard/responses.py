"""The two kinds of answer that every part gives: JSON, and a page that says what went wrong.

Answers that a browser saves as a file: the only place that writes ``Content-Disposition``.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from collections.abc import Mapping
from typing import ClassVar, Final
from urllib.parse import quote

from flask import Flask, Response, current_app, g, render_template, request
from flask.globals import request_ctx
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException, Unauthorized
from werkzeug.http import dump_options_header

from dashboard.feeds.feed import encode
from dashboard.languages import gettext, marked
from dashboard.on_air import note, nothing, shows_nothing
from dashboard.security import under_policy
from game.errors import TilewatchError

_LOG = logging.getLogger(__name__)

_TEXTS: Final[Mapping[int, tuple[str, str]]] = {
    400: (
        marked("That cannot be read"),
        marked("There is a fault in the address or in what was sent."),
    ),
    401: (marked("Log in first"), marked("This page is for people with an account here.")),
    403: (marked("Refused"), marked("This page needs rights that you do not have here.")),
    404: (
        marked("Not found"),
        marked("There is no page at this address. It may be mistyped, or the page is gone."),
    ),
    405: (marked("Not allowed"), marked("That cannot be done at this address.")),
    408: (marked("Too slow"), marked("What was sent did not arrive in time. Try again.")),
    409: (
        marked("Not possible now"),
        marked("Something has changed in the meantime. Load the page again."),
    ),
    410: (marked("Gone"), marked("What was at this address is no longer kept.")),
    413: (marked("Too large"), marked("What was sent is too large.")),
    414: (marked("Address too long"), marked("Shorten the address, and try again.")),
    415: (marked("Of the wrong kind"), marked("This address takes another kind of data.")),
    416: (marked("Not that part"), marked("The file is shorter than the part that was asked for.")),
    421: (
        marked("Another host"),
        marked("This host is not served here; use the machine's address."),
    ),
    422: (marked("That cannot be used"), marked("What was sent can be read, but not used.")),
    429: (
        marked("Too many requests"),
        marked("Too much came from your address. Wait a moment, then try again."),
    ),
    431: (
        marked("Header too long"),
        marked("Delete this site's cookies in the browser, then try again."),
    ),
    500: (
        marked("Something broke"),
        marked(
            "It is not your fault. The game goes on and nothing is lost; the reason is in the log"
            " of tilewatch."
        ),
    ),
    501: (marked("Not here"), marked("This machine does not do that.")),
    503: (
        marked("Every place is taken"),
        marked("Too many people are here at this moment. Try again soon."),
    ),
    504: (marked("No answer"), marked("The table did not answer in time. Try again.")),
}
"""The title of each status, and its text if the error has none."""

_AGAIN: Final = (408, 409, 429, 500, 503, 504)
"""The statuses after which another try at the same address may succeed."""


class TokenNeededError(Unauthorized):
    """An address that a token opens, and no account, was asked for without one."""

    title: ClassVar = marked("A token is needed")


def error_texts(status: int, name: str, description: str | None) -> tuple[str, str]:
    """Return the title and the text of an error's page.

    ``description`` is our text, or None if only the status is known; ``name`` is HTTP's name of
    a status that has no title here.
    """
    title, text = _TEXTS.get(status, (name, marked("This cannot be done here.")))
    return gettext(title), description or gettext(text)


def json_answer(value: object, status: int = 200) -> Response:
    """Return ``value`` as JSON that no cache keeps."""
    made = answer(encode(value), "application/json")
    made.status_code = status
    return made


def answer(body: str | bytes, kind: str = "text/html", cache: str = "no-store") -> Response:
    """Return ``body`` with the MIME type ``kind`` and the ``Cache-Control`` header ``cache``."""
    return Response(body, mimetype=kind, headers={"Cache-Control": cache})


def private_page(template: str, status: int = 200, **values: object) -> Response:
    """Return a page for one reader, in no cache, whose forms may be sent to this host."""
    page = answer(render_template(template, **values))
    page.status_code = status
    return under_policy(page, form_action="'self'")


def wants_json() -> bool:
    """True if the request comes from a program or a script and not from a reader."""
    return "/api/" in request.path or (
        request.accept_mimetypes.best_match(("text/html", "application/json")) == "application/json"
    )


def _may_log_in() -> bool:
    """True if there are accounts here, and nobody is logged in."""
    return "tilewatch.AuthContext" in current_app.extensions and g.get("session_of_request") is None


def _has_a_first_page() -> bool:
    """True if ``/`` shows something: a hub's tables, or the first one here."""
    site = current_app.extensions.get("tilewatch.Site")
    return site is None or bool(site.tables) or "hub_name" in current_app.jinja_env.globals


def error_answer(
    status: int, text: str | None = None, name: str = "", *, needed: str | None = None
) -> Response:
    """Return an error: as a page for a reader, as JSON otherwise.

    ``text`` is our message, if any; ``name`` is the title of a status that has none here.
    ``needed`` is a title that says what opens the address, where no account does.
    """
    title, text = error_texts(status, name, text)
    title = gettext(needed) if needed else title
    note(text)
    if shows_nothing():
        return nothing(status, f"{title}: {text}")
    if wants_json():
        made = json_answer({"error": text}, status)
        if status == 401:
            made.headers["WWW-Authenticate"] = 'Bearer realm="tilewatch"'
        return made
    if request_ctx.url_adapter is None:  # the host is none, so that no page here has an address
        return Response(f"{title}: {text}\n", status=status, mimetype="text/plain")
    page = render_template(
        "error.html",
        status=status,
        title=title,
        text=text,
        home=_has_a_first_page(),
        desk=request.path.startswith("/director") and g.get("session_of_request") is not None,
        again=request.method == "GET" and status in _AGAIN,
        log_in=status in (401, 403) and not needed and _may_log_in(),
    )
    made = answer(page)
    made.status_code = status
    return made


def answer_errors(app: Flask) -> None:
    """Give every error one clear line: as JSON below ``/api/``, as a page elsewhere."""

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> ResponseReturnValue:
        status = error.code or 500
        if error.response is not None or status < 400:
            return error  # a redirect, or an answer that somebody has made already
        # Werkzeug's own descriptions speak to programmers; where it fills one in, it is no news.
        ours = error.description not in (type(error).description, None) and status != 413
        needed = error.title if isinstance(error, TokenNeededError) else None
        made = error_answer(status, error.description if ours else None, error.name, needed=needed)
        for name, value in error.get_headers():
            if name in ("Allow", "Retry-After", "Content-Range"):
                made.headers[name] = value
        return made

    @app.errorhandler(TilewatchError)
    def unusable(error: TilewatchError) -> ResponseReturnValue:
        _LOG.error("%s %s: %s", request.method, request.path, error)
        return error_answer(500)


_LONGEST: Final = 120
"""Characters of a file's name; file systems take 255 bytes."""

_UNFIT: Final = re.compile(r'[\x00-\x1f"*/:<>?\\|\x7f]+')
"""Characters that some file systems do not allow."""


def as_download(answer: Response, name: str) -> Response:
    """``answer`` as a file to be saved under ``name``, whatever letters that has (RFC 6266)."""
    answer.headers["Content-Disposition"] = disposition(name)
    return answer


def disposition(name: str) -> str:
    """Return the header's value: the name in ASCII and, if that differs, the full name too."""
    fit = file_name(name)
    plain = "".join(
        one if one.isascii() else "-"
        for one in unicodedata.normalize("NFKD", fit)
        if not unicodedata.combining(one)
    )
    names: dict[str, str | None] = {"filename": plain}
    if plain != fit:
        names["filename*"] = f"UTF-8''{quote(fit, safe='')}"
    return dump_options_header("attachment", names)


def file_name(name: str) -> str:
    """Return ``name``, not too long, with a hyphen for each character unfit for a file name."""
    shown = "".join(one if one.isprintable() else "-" for one in name)
    stem, dot, ending = _UNFIT.sub("-", shown).rpartition(".")
    stem = stem[: _LONGEST - len(ending)].strip(". ")
    return f"{stem or 'file'}{dot}{ending}"
