"""Logging in and out."""

from __future__ import annotations

import math
import secrets
from typing import Final

from flask import Blueprint, Response, abort, redirect, request, url_for
from flask.typing import ResponseReturnValue

from dashboard.accounts.guard import (
    SESSION_COOKIE,
    VISIT_COOKIE,
    AuthContext,
    current_session,
)
from dashboard.accounts.sessions import LASTS_S, OLDEST_S
from dashboard.accounts.store import Account
from dashboard.accounts.throttle import trusted
from dashboard.parts import find
from dashboard.responses import private_page

_BUSY_S: Final = 2

blueprint = Blueprint("accounts", __name__)


@blueprint.get("/login")
def log_in_page() -> ResponseReturnValue:
    """The page with the log-in form."""
    auth = _auth()
    if current_session() is not None:
        return redirect(_next())
    visit = request.cookies.get(VISIT_COOKIE) or secrets.token_urlsafe(24)
    return _form(auth, visit)


@blueprint.post("/login")
def log_in() -> ResponseReturnValue:
    """Check the form. A new session has a new token."""
    auth = _auth()
    name, password = request.form.get("name", ""), request.form.get("password", "")
    visit = request.cookies.get(VISIT_COOKIE, "")
    address = request.remote_addr or ""
    device = auth.devices.known(name, request.cookies.get(auth.devices.cookie(name), ""))
    known = trusted(address, device)
    clean = auth.throttle.is_clean(name, address)
    places = auth.newcomers if clean else auth.strangers
    leave = (lambda: None) if known else places.enter()
    if leave is None:
        return _later(auth, visit, "Many people are logging in.", _BUSY_S)
    try:
        wait_s = auth.throttle.begin(name, address, device)
        if wait_s > 0:
            return _later(auth, visit, "Too many attempts.", math.ceil(wait_s))
        account = auth.accounts.log_in(name, password, trusted=known)
    finally:
        leave()
    if account is None:
        return _form(auth, visit, "Wrong name or password.", 403)
    auth.throttle.passed(name, address, device)
    return _logged_in(auth, account)


def _later(auth: AuthContext, visit: str, why: str, seconds: int) -> Response:
    """Return the form again, with the reason and the seconds until it may be sent."""
    answer = _form(auth, visit, f"{why} Try again in {seconds} seconds.", 429)
    answer.headers["Retry-After"] = str(seconds)
    return answer


def _logged_in(auth: AuthContext, account: Account) -> Response:
    """Return the answer that gives the browser a new session in place of its former one."""
    old = current_session()
    if old is not None:
        auth.sessions.close(old.token)
    session = auth.sessions.open(account)
    answer = Response(status=303, headers={"Location": _next()})
    answer.delete_cookie(VISIT_COOKIE, path="/login")
    _set_cookie(answer, SESSION_COOKIE, session.token, "/", OLDEST_S)
    cookie, value = auth.devices.cookie(account.name), auth.devices.issue(account.name)
    _set_cookie(answer, cookie, value, "/login", LASTS_S)
    return answer


@blueprint.get("/login/device")
def make_known() -> ResponseReturnValue:
    """Make this browser known to an account by a link from the table's own machine.

    The link logs nobody in: strangers' guesses just no longer delay this browser's log-in.
    """
    auth = _auth()
    account, code = request.args.get("account", ""), request.args.get("code", "")
    if not auth.devices.is_link_code(account, code):
        abort(
            403,
            "This link is invalid or has expired. Ask for another one: “tilewatch accounts link"
            " NAME” makes it, on the table’s machine.",
        )
    answer = Response(status=303, headers={"Location": url_for("accounts.log_in_page")})
    _set_cookie(
        answer, auth.devices.cookie(account), auth.devices.issue(account), "/login", LASTS_S
    )
    return answer


@blueprint.post("/logout")
def log_out() -> ResponseReturnValue:
    """End the session."""
    auth, session = _auth(), current_session()
    if session is not None:
        auth.sessions.close(session.token)
    answer = Response(status=303, headers={"Location": url_for("accounts.log_in_page")})
    answer.delete_cookie(SESSION_COOKIE, path="/")
    answer.headers["Clear-Site-Data"] = '"cache"'
    return answer


def local_path(path: str) -> str:
    """``path`` if it is on this site, else the director's desk."""
    ours = path.startswith("/") and not path.startswith(("//", "/\\")) and path.isprintable()
    return path if ours and "\\" not in path else "/director"


def _next() -> str:
    return local_path(request.args.get("next", ""))


def _auth() -> AuthContext:
    return find(AuthContext) or abort(404)


def _form(auth: AuthContext, visit: str, fault: str = "", status: int = 200) -> Response:
    answer = private_page(
        "accounts/login.html",
        status,
        fault=fault,
        name=request.form.get("name", "")[:80],
        token=auth.sessions.form_token(visit),
        accounts=bool(auth.accounts.all()),
        next=request.args.get("next", ""),
    )
    _set_cookie(answer, VISIT_COOKIE, visit, "/login", None)
    return answer


def _set_cookie(answer: Response, name: str, value: str, path: str, max_age: int | None) -> None:
    # Behind a proxy that speaks TLS the browser tells by the page's own origin.
    secure = request.is_secure or request.headers.get("Origin", "").startswith("https://")
    answer.set_cookie(
        name, value, max_age=max_age, path=path, httponly=True, samesite="Strict", secure=secure
    )
