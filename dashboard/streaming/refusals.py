"""The answers that the server gives before the application sees a request.

The page is whole in itself: a server that has no place for a page has none for its style sheet.
"""

from __future__ import annotations

import base64
import hashlib
import html
from typing import Final

from dashboard.on_air import AGAIN_S, empty_page, goes_on_air
from dashboard.responses import error_texts
from dashboard.security import HEADERS
from dashboard.streaming.exchange import Message, Send
from dashboard.streaming.response import RETRY_AFTER_S

_STYLE: Final = (
    ":root{color-scheme:light dark}"
    "body{margin:0;min-height:100vh;display:grid;place-items:center;"
    "background:light-dark(#e9edf1,#0a0f16);color:light-dark(#10161d,#f2f5f8);"
    "font:400 1.1rem/1.45 Inter,system-ui,sans-serif}"
    "main{padding:2rem 1.25rem;max-width:34rem}h1{font-size:2.2rem;margin:.4rem 0}p{margin:.6rem 0}"
    "a{display:inline-block;margin-top:.6rem;padding:.7rem 1.2rem;border-radius:.7rem;"
    "background:#ffc53d;color:#1a1000;font-weight:650;text-decoration:none}"
)
_HASH: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY: Final = (
    f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'none'"
)


async def refuse(send: Send, scope: Message, status: int, text: str | None = None) -> None:
    """Answer a request with an error: a page for a browser, one line for a program."""
    reader = b"text/html" in dict(scope["headers"]).get(b"accept", b"")
    again = scope["method"] == "GET"
    on_air = goes_on_air(scope["path"])
    headers, body = refusal(status, text, reader=reader, again=again, on_air=on_air)
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def refusal(
    status: int,
    text: str | None = None,
    *,
    reader: bool,
    again: bool = False,
    on_air: bool = False,
) -> tuple[list[tuple[bytes, bytes]], bytes]:
    """Return the headers and the body of an error.

    Args:
        status: the status.
        text: the message; by default the usual one of the status.
        reader: True for a page, False for one line for a program.
        again: True if the page offers to try again.
        on_air: True if the page goes out on a stream, which shows nothing of it.
    """
    title, text = error_texts(status, "", text)
    kind, body, policy = "text/plain", text, {}
    if reader:
        whole = _page(status, title, text, again=again)
        kind, body = "text/html", empty_page(f"{title}: {text}") if on_air else whole
        policy = {"Content-Security-Policy": _POLICY}
    sent = {
        **HEADERS,
        **policy,
        "Content-Type": f"{kind}; charset=utf-8",
        "Content-Length": str(len(body.encode())),
        "Cache-Control": "no-store",
        "Retry-After": str(RETRY_AFTER_S),
        **({"Refresh": str(AGAIN_S)} if reader and on_air else {}),
        "Connection": "close",
    }
    headers = [(name.lower().encode(), value.encode()) for name, value in sent.items()]
    return headers, body.encode()


def _page(status: int, title: str, text: str, *, again: bool) -> str:
    link = '<a href="">Try again</a>' if again else ""
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html.escape(title)} – tilewatch</title><style>{_STYLE}</style>"
        f"<main><p>tilewatch · error {status}</p><h1>{html.escape(title)}</h1>"
        f"<p>{html.escape(text)}</p>{link}</main></html>\n"
    )
