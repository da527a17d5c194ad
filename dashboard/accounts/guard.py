"""The checks that every request passes first: its host, its origin, and its sender."""

from __future__ import annotations

import functools
import hmac
import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, ParamSpec

from flask import Flask, Response, abort, g, redirect, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.accounts.sessions import Devices, Session, Sessions
from dashboard.accounts.store import Account, Accounts, Role
from dashboard.accounts.throttle import Throttle
from dashboard.parts import find
from dashboard.responses import wants_json
from dashboard.streaming.exchange import Voucher, vouch
from dashboard.streaming.streams import StreamLimiter
from dashboard.web_db import WebDb, secret_of

SESSION_COOKIE: Final = "tilewatch_session"
VISIT_COOKIE: Final = "tilewatch_visit"
"""The cookie to which the log-in form's token is bound; it identifies no account."""

TOKEN_HEADER: Final = "X-CSRF-Token"  # noqa: S105 (a header's name)
TOKEN_FIELD: Final = "csrf_token"  # noqa: S105

LONGEST_FORM: Final = 8_192
"""Bytes of a log-in form at most."""

LONGEST_BODY: Final = 256 * 1024
"""Bytes of any other request, unless a view allows more."""

MOST_CONNECTIONS: Final = 32
"""The most connections of one account, in all its browsers, that are exempt from the limits."""

MOST_STRANGERS: Final = 2
"""The most passwords that are checked at once for each kind of stranger: a check holds a thread."""

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_ENDINGS: Final = (".local", ".lan", ".home.arpa", ".internal", ".localhost")
"""Endings of host names that do not exist on the internet, so nobody can point one at us."""

P = ParamSpec("P")


@dataclass
class AuthContext:
    """The stores and limits behind a site's log-in; a site without a data folder has none."""

    db: WebDb
    accounts: Accounts
    sessions: Sessions
    devices: Devices
    throttle: Throttle = field(default_factory=Throttle)
    newcomers: StreamLimiter = field(default_factory=lambda: StreamLimiter(MOST_STRANGERS))
    """Limits strangers' log-ins at the same time: checking a password is slow on purpose."""
    strangers: StreamLimiter = field(default_factory=lambda: StreamLimiter(MOST_STRANGERS))
    """The same limit for strangers who have failed before."""

    @classmethod
    def of(cls, data: Path) -> AuthContext:
        """Return the stores of a data folder; missing files are created."""
        db = WebDb(data)
        accounts = Accounts(db)
        secret = secret_of(data)
        return cls(db, accounts, Sessions(db, accounts, secret), Devices(secret))


def current_session() -> Session | None:
    """Return the session of the request; None without a valid cookie."""
    if "session_of_request" not in g:
        auth, token = find(AuthContext), request.cookies.get(SESSION_COOKIE)
        g.session_of_request = auth.sessions.find(token) if auth and token else None
    found: Session | None = g.session_of_request
    return found


def current_account() -> Account | None:
    """Return the account that sends the request; None for everybody who has not logged in."""
    session = current_session()
    return session.account if session else None


def logged_in() -> Account:
    """Return the account that sends the request, where nobody else is let in."""
    account = current_account()
    assert account is not None
    return account


def session_over() -> Callable[[], bool]:
    """Return a function that is true once the session of the request has ended.

    For a stream, which outlasts its request. Without a session the function returns False.
    """
    auth, session = find(AuthContext), current_session()
    if auth is None or session is None:
        return lambda: False
    return lambda: auth.sessions.find(session.token) is None


def csrf_token() -> str:
    """Return the token that the current page's forms and scripts send back, or "" without one."""
    auth, session = find(AuthContext), current_session()
    token = session.token if session else request.cookies.get(VISIT_COOKIE)
    return auth.sessions.form_token(token) if auth and token else ""


def requires(
    *roles: Role,
) -> Callable[[Callable[P, ResponseReturnValue]], Callable[P, ResponseReturnValue]]:
    """Decorate a view that only accounts with one of these roles may use.

    Others are sent to log in; where JSON is wanted they get 401, and 403 with another role.
    """

    def guarded(view: Callable[P, ResponseReturnValue]) -> Callable[P, ResponseReturnValue]:
        @functools.wraps(view)
        def guard(*args: P.args, **kwargs: P.kwargs) -> ResponseReturnValue:
            if find(AuthContext) is None:
                abort(404)
            account = current_account()
            if account is None:
                if wants_json() or request.method not in _SAFE:
                    abort(401, description="Log in first.")
                return redirect(url_for("accounts.log_in", next=request.full_path.rstrip("?")))
            if account.role not in roles:
                abort(403, description=f"Only a {roles[0]} may do this.")
            return view(*args, **kwargs)

        return guard

    return guarded


director_only = requires("director")
"""Decorates views that only a director may use."""

may_watch = requires("director", "observer")
"""Decorates views that show a director's data and change nothing."""


def protect(app: Flask, hosts: Iterable[str] = ()) -> None:
    """Refuse requests for other hosts and from other sites before any view sees them.

    ``hosts`` are names under which the pages are reached besides the machine's own.
    """
    own = frozenset(name.lower().rstrip(".") for name in (*hosts, socket.gethostname()))
    app.config["MAX_CONTENT_LENGTH"] = LONGEST_BODY
    app.jinja_env.globals.update(csrf_token=csrf_token, current_account=current_account)

    @app.before_request
    def _check() -> None:
        if not is_own_host(request.headers.get("Host", ""), own):
            abort(421, description="This host is not served here; use the machine's address.")
        if request.endpoint == "accounts.log_in":
            request.max_content_length = LONGEST_FORM
        if request.method in _SAFE:
            return
        if not _same_origin():
            abort(403, description="This was sent from another site's page and is refused.")
        # A cookie is sent by the browser whoever made it send; only our own pages know the token.
        carries = SESSION_COOKIE in request.cookies or request.endpoint == "accounts.log_in"
        if carries and not _knows_the_token():
            abort(403, description="The page was open for too long. Go back and load it again.")

    @app.after_request
    def _private(response: Response) -> Response:
        # Nothing made for one account may be kept where another finds it.
        session: Session | None = g.get("session_of_request")
        if session is not None:
            response.headers.setdefault("Cache-Control", "no-store")
            vouch(Voucher("account", session.account.name, MOST_CONNECTIONS))
        return response


def is_own_host(header: str, own: frozenset[str]) -> bool:
    """True if a ``Host`` header names this machine: an address, a name of its own, or a local one.

    Any other name is refused: its owner may have pointed it here (DNS rebinding).
    """
    match = re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?", header)
    if match is None:
        return False
    name = match[1].lower().rstrip(".")
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return name == "localhost" or name in own or name.endswith(_OWN_ENDINGS)
    return True


def _same_origin() -> bool:
    """True unless the browser says that another site's page sends the request.

    A program that is no browser sends neither header, and has none of our cookies.
    """
    origin = request.headers.get("Origin")
    if origin is not None:
        scheme, _, host = origin.partition("://")
        return bool(scheme) and host.lower() == request.headers.get("Host", "").lower()
    return request.headers.get("Sec-Fetch-Site", "same-origin") in ("same-origin", "none")


def _knows_the_token() -> bool:
    sent = request.headers.get(TOKEN_HEADER)
    if sent is None and request.mimetype == "application/x-www-form-urlencoded":
        sent = request.form.get(TOKEN_FIELD)
    wanted = csrf_token()
    return bool(wanted) and hmac.compare_digest((sent or "").encode(), wanted.encode())
