"""The texts of public pages in the reader's language, by gettext. English is the source.

The translations are in ``locale/<language>/LC_MESSAGES/tilewatch.po``.
``python -m tools.catalogue`` takes the messages out of templates, scripts and code, and makes the
``.mo`` files read here.
Directors' pages are in English.
"""

from __future__ import annotations

import gettext as catalogues
import json
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Response, abort, current_app, g, redirect, request
from flask import has_request_context as is_asked
from flask.typing import ResponseReturnValue
from markupsafe import Markup

DOMAIN: Final = "tilewatch"
FOLDER: Final = Path(__file__).parent / "locale"
NAMES: Final = {"en": "English", "de": "Deutsch", "fr": "Français"}
"""The languages, each by its own name."""
GIVEN: Final = "tilewatch.language"
"""The key of a request's environment that gives its language, as for published files."""

_SOURCE: Final = "en"
_COOKIE: Final = "language"
_KEPT_S: Final = 365 * 24 * 3600
_PUBLIC: Final = (None, "analysis", "event", "hub", "languages", "privacy", "spectators")
"""The blueprints of public pages; None is that of an address without a page."""
_RULE: Final = 200
"""The numbers for which a page's scripts get the plural form; of higher ones, the last digits."""

blueprint = Blueprint("languages", __name__)


def prepare(app: Flask, default: str = _SOURCE) -> None:
    """Let the templates of ``app`` use gettext; ``default`` is for readers who ask for nothing."""
    app.extensions[f"{DOMAIN}.languages"] = default
    app.jinja_env.add_extension("jinja2.ext.i18n")
    app.jinja_env.policies["ext.i18n.trimmed"] = True
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda message: _catalogue(language()).gettext(message),
        lambda one, more, n: _catalogue(language()).ngettext(one, more, n),
        newstyle=True,
        pgettext=lambda context, message: _catalogue(language()).pgettext(context, message),
        npgettext=lambda context, one, more, n: _catalogue(language()).npgettext(
            context, one, more, n
        ),
    )
    app.jinja_env.globals.update(language=language, languages=choices, script_texts=script_texts)
    app.jinja_env.filters["decimal"] = decimal
    app.register_blueprint(blueprint)

    @app.after_request
    def _vary(response: Response) -> Response:
        if "language" in g and response.mimetype != "application/json":
            response.vary.update(("Accept-Language", "Cookie"))
        return response


def language() -> str:
    """Return the language of the present request's answer."""
    if not is_asked():
        return _SOURCE
    if "language" not in g:
        g.language = _wanted() if _is_public() else _SOURCE
    found: str = g.language
    return found


def _is_public() -> bool:
    return request.blueprint in _PUBLIC and not request.path.startswith("/director")


def _wanted() -> str:
    """Return the given language, else the chosen one, else the best that the browser names."""
    default: str = current_app.extensions[f"{DOMAIN}.languages"]
    for one in (request.environ.get(GIVEN), request.cookies.get(_COOKIE)):
        if one in NAMES:
            return str(one)
    return request.accept_languages.best_match(NAMES, default) or default


def choices() -> Iterable[tuple[str, str]]:
    """The languages that a reader may choose, with their names; none where it is given."""
    return () if GIVEN in request.environ else NAMES.items()


@blueprint.get("/language/<chosen>")
def choose(chosen: str) -> ResponseReturnValue:
    """Keep a reader's choice of language, and go back to the page that it was made on."""
    if chosen not in NAMES:
        abort(404)
    came_from = urlsplit(request.referrer or "")
    ours = came_from.netloc == request.host
    back = came_from._replace(scheme="", netloc="").geturl() if ours else ""
    answer = redirect(back if back.startswith("/") and not back.startswith("//") else "/")
    answer.set_cookie(_COOKIE, chosen, max_age=_KEPT_S, httponly=True, samesite="Lax")
    return answer


# --- messages ---


@cache
def _catalogue(name: str) -> catalogues.NullTranslations:
    return catalogues.translation(DOMAIN, FOLDER, [name], fallback=name == _SOURCE)


def gettext(message: str, **values: object) -> str:
    """Return a message in the reader's language, with ``values`` for its ``%(name)s``."""
    return _catalogue(language()).gettext(message) % values


def ngettext(one: str, more: str, number: int, **values: object) -> str:
    """Return the plural form of a message for a number, which its text may name ``%(num)s``."""
    return _catalogue(language()).ngettext(one, more, number) % {"num": number, **values}


def pgettext(context: str, message: str, **values: object) -> str:
    """Return a message whose translation depends on the context."""
    return _catalogue(language()).pgettext(context, message) % values


def marked(message: str) -> str:
    """Mark a constant as a message; it is translated where it is shown."""
    return message


def decimal(value: float, places: int = 1) -> str:
    """Return a number with its decimals, as the reader's language writes it."""
    return f"{value:.{places}f}".replace("-", "−").replace(".", pgettext("decimal mark", "."))


def day(moment: datetime) -> str:
    """Return a day: ``22 November 2026``."""
    months = (
        *(gettext("January"), gettext("February"), gettext("March"), gettext("April")),
        *(gettext("May"), gettext("June"), gettext("July"), gettext("August")),
        *(gettext("September"), gettext("October"), gettext("November"), gettext("December")),
    )
    return pgettext(
        "date",
        "%(day)s %(month)s %(year)s",
        day=moment.day,
        month=months[moment.month - 1],
        year=moment.year,
    )


def script_texts() -> Markup:
    """Return the messages of public pages' scripts as an element for the page; none in English.

    ``static/texts.js`` reads it.
    """
    return _script_texts(language())


@cache
def _script_texts(name: str) -> Markup:
    if name == _SOURCE:
        return Markup("")
    known = _catalogue(name)
    messages: dict[str, Any] = {}
    for one in json.loads((FOLDER / "scripts.json").read_text("utf-8")):
        if isinstance(one, str):
            messages[one] = known.gettext(one)
        else:
            first, more = one
            numbers = _one_of_each(known)
            messages[first] = [known.ngettext(first, more, number) for number in numbers]
    rule = "".join(str(_form(known, number)) for number in range(_RULE))
    text = json.dumps({"plural": rule, "messages": messages}, ensure_ascii=False)
    safe = text.replace("<", "\\u003c")
    return Markup(f'<script type="application/json" id="texts">{safe}</script>')  # noqa: S704


def _form(known: catalogues.NullTranslations, number: int) -> int:
    """Return the index of the plural form for a number, as the catalogue's header says."""
    form: int = known.plural(number)  # type: ignore[attr-defined]
    return int(form)


def _one_of_each(known: catalogues.NullTranslations) -> list[int]:
    """Return a number for each plural form, in the order of the forms."""
    first: dict[int, int] = {}
    for number in range(_RULE):
        first.setdefault(_form(known, number), number)
    return [first[form] for form in sorted(first)]
