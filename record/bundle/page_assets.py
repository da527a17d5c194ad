"""Style and script of the pages in bundles, and the security policy that fits both."""

from __future__ import annotations

import base64
import hashlib
from importlib import resources


def asset(name: str) -> str:
    """A file of ``page_assets``."""
    return resources.files("record.bundle").joinpath("assets", name).read_text("utf-8")


def policy(style: str, script: str) -> str:
    """A content security policy that lets the page have these two and its pictures, no more."""
    scripts = f"script-src {_source(script)}; " if script else ""
    return (
        "default-src 'none'; img-src 'self' file:; "
        f"style-src {_source(style)}; {scripts}base-uri 'none'; form-action 'none'"
    )


def _source(text: str) -> str:
    sha = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"'sha256-{sha}'"
