"""Headers that every answer carries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from flask import Flask, Response

CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
"""Nothing inline, nothing from another host, nobody frames us; overlays our own pages alone."""

HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none, a browser hides where our own forms come from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def camera_allowed(response: Response) -> Response:
    """``response`` as a page that may ask the browser for the camera, itself and nobody in it."""
    response.headers["Permissions-Policy"] = HEADERS["Permissions-Policy"].replace(
        "camera=()", "camera=(self)"
    )
    return response


def forms_allowed(response: Response) -> Response:
    """``response`` as a page whose forms may be sent, to this host alone."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.replace(
        "form-action 'none'", "form-action 'self'"
    )
    return response


def framed_elsewhere(response: Response, origins: Iterable[str]) -> Response:
    """``response`` as a page that sites of these origins may frame."""
    allowed = " ".join(("'self'", *origins))
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.replace(
        "frame-ancestors 'none'", f"frame-ancestors {allowed}"
    )
    # The older header cannot name several; the policy goes before it wherever it is known.
    response.headers["X-Frame-Options"] = ""
    return response


def frames_allowed(response: Response) -> Response:
    """``response`` as a page that may show this host's own pages in frames."""
    policy = response.headers.get("Content-Security-Policy", CONTENT_SECURITY_POLICY)
    response.headers["Content-Security-Policy"] = f"{policy}; frame-src 'self'"
    return response


def framed_here(response: Response) -> Response:
    """``response`` as a page that this host's own pages may show in a frame, and no others."""
    response.headers["Content-Security-Policy"] = CONTENT_SECURITY_POLICY.replace(
        "frame-ancestors 'none'", "frame-ancestors 'self'"
    )
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


def harden(app: Flask) -> None:
    """Make ``app`` send :data:`HEADERS` with every answer, errors included."""

    @app.after_request
    def _add(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if not response.headers["X-Frame-Options"]:
            del response.headers["X-Frame-Options"]
        return response
