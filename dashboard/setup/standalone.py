"""The calibration page on its own, while ``tilewatch calibrate`` runs.

It is for whoever started the command: its address carries a key that is printed once, which the
first visit turns into a cookie.
"""

from __future__ import annotations

import hmac
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any, Final

from flask import Flask, abort, redirect, request
from flask.typing import ResponseReturnValue

from dashboard.app import create_app
from dashboard.interfaces import SetupBackend
from dashboard.server import Server
from dashboard.setup.pages import SetupPages
from dashboard.site import Site
from table.address import in_the_network
from table.desk import Attribution

COOKIE: Final = "tilewatch_setup"
TABLE: Final = "this"
_LINGER_S: Final = 1.0
"""Seconds in which the answer can reach the page before the server stops."""


def serve_alone(
    bench: SetupBackend, saved: threading.Event, host: str, port: int, say: Callable[[str], None]
) -> bool:
    """Serve the page until ``saved`` is set or Ctrl-C is pressed; return True if it was set.

    Raises ``TilewatchError`` if the port cannot be taken.
    """
    app, key = alone(bench)
    server = Server(app, host, port)
    server.start()
    url = in_the_network(server.url, host)
    say(f"open {url}/setup?key={key} in a browser (Ctrl-C ends without saving)")
    try:
        saved.wait()
        time.sleep(_LINGER_S)
    except KeyboardInterrupt:
        return False
    finally:
        server.stop()
    return True


def alone(bench: SetupBackend) -> tuple[Flask, str]:
    """Return the application and the key that its address carries."""
    key = secrets.token_urlsafe(18)
    app = create_app(Site(()))

    def knows(sent: str | None) -> bool:
        return hmac.compare_digest((sent or "").encode(), key.encode())

    def guard(
        view: Callable[..., ResponseReturnValue],
    ) -> Callable[..., ResponseReturnValue]:
        def guarded(**kwargs: Any) -> ResponseReturnValue:
            if not knows(request.cookies.get(COOKIE)):
                abort(403, description="Open the address that tilewatch calibrate printed.")
            return view(**kwargs)

        return guarded

    @app.get("/setup")
    def enter() -> ResponseReturnValue:
        if not knows(request.args.get("key")):
            abort(403, description="Open the address that tilewatch calibrate printed.")
        answer = redirect(f"/setup/{TABLE}/calibration")
        answer.set_cookie(COOKIE, key, httponly=True, samesite="Strict", path="/setup")
        return answer

    def bench_of(table_id: str) -> SetupBackend:
        return bench if table_id == TABLE else abort(404)

    app.register_blueprint(
        SetupPages(
            "setup_alone",
            "setup/alone.html",
            bench_of,
            attribution_of=lambda _body: Attribution("calibrate"),
            pages=("calibration", "tiles"),
        ).blueprint("/setup/<table_id>", guard)
    )
    return app, key
