"""Headers that every answer carries."""

from __future__ import annotations

from typing import Final

from flask import Flask, Response

_POLICY: Final = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self'",
    "font-src": "'self'",
    "connect-src": "'self'",
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
"""The content security policy: nothing inline, nothing from another host, and no frame around
us."""

_FRAMES: Final = {"'none'": "DENY", "'self'": "SAMEORIGIN"}
"""The older header for who may frame a page. It cannot name several sites, and is then left out."""

HEADERS: Final = {
    "Content-Security-Policy": "; ".join(" ".join(one) for one in _POLICY.items()),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # with none, a browser hides where our own forms come from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


def camera_allowed(response: Response) -> Response:
    """Return ``response`` as a page that may ask for the camera; no other site in it may."""
    response.headers["Permissions-Policy"] = HEADERS["Permissions-Policy"].replace(
        "camera=()", "camera=(self)"
    )
    return response


def under_policy(response: Response, **directives: str) -> Response:
    """Return ``response`` with directives such as ``form_action="'self'"`` added to its policy."""
    policy = _policy_of(response)
    policy |= {name.replace("_", "-"): sources for name, sources in directives.items()}
    response.headers["Content-Security-Policy"] = "; ".join(map(" ".join, policy.items()))
    return response


def _policy_of(response: Response) -> dict[str, str]:
    header = response.headers.get("Content-Security-Policy", HEADERS["Content-Security-Policy"])
    name_and_sources = (one.partition(" ")[::2] for one in header.split("; "))
    return dict(name_and_sources)


def harden(app: Flask) -> None:
    """Make ``app`` send :data:`HEADERS` with every answer, errors included."""

    @app.after_request
    def _add(response: Response) -> Response:
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        frames = _FRAMES.get(_policy_of(response)["frame-ancestors"])
        response.headers.pop("X-Frame-Options")
        if frames is not None:
            response.headers["X-Frame-Options"] = frames
        return response
