"""The documentation, as it comes with the program: for a director without any network."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from markupsafe import Markup
from mistune import HTMLRenderer, create_markdown
from mistune.toc import add_toc_hook

from dashboard.source_code import top

GUIDES: Final = {
    "director": "For the director",
    "clock": "The phone clock",
    "cameras": "Cameras",
    "hub": "A hub for a hall",
    "broadcaster": "For the broadcaster",
    "spectators": "For spectators",
    "evidence": "Evidence",
    "referee": "What is ruled, and by which rule",
    "live": "Running a table",
    "configuration": "Configuring a table",
}
"""The guides that the pages show, by the names of their files in ``docs/``."""

_GUIDE: Final = re.compile(r"(?P<name>[a-z_]*)(?:\.md)?(?P<anchor>#.*)?")
_IMAGE: Final = re.compile(r"<img\s[^>]*>")
_EMPTY_HEAD: Final = re.compile(r"<thead>\s*<tr>\s*(?:<th[^>]*></th>\s*)+</tr>\s*</thead>")


class _Renderer(HTMLRenderer):
    """Renders HTML without pictures, which are not installed, and without dead links.

    Args:
        address: returns the address of a guide's page, by the guide's name.
    """

    def __init__(self, address: Callable[[str], str]) -> None:
        super().__init__(escape=True)
        self._address = address

    def image(self, text: str, url: str, title: str | None = None) -> str:  # noqa: ARG002
        """Leave the picture out."""
        return ""

    def block_html(self, html: str) -> str:
        """Return HTML as text, without pictures."""
        rest = _IMAGE.sub("", html)
        return super().block_html(rest) if rest.strip() else ""

    def inline_html(self, html: str) -> str:
        """Return HTML as text, without pictures."""
        rest = _IMAGE.sub("", html)
        return super().inline_html(rest) if rest else ""

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Return a link to a guide that is shown, or to a page elsewhere; else the text alone."""
        if url.startswith(("https://", "http://")):
            return super().link(text, url, title)
        found = _GUIDE.fullmatch(url)
        if found is None or found["name"] not in ("", *GUIDES):
            return text
        page = self._address(found["name"]) if found["name"] else ""
        return super().link(text, page + (found["anchor"] or ""), title)


def guide(name: str, address: Callable[[str], str]) -> Markup:
    """Return a guide as HTML.

    Args:
        name: a key of :data:`GUIDES`.
        address: returns the address of a guide's page, by the guide's name.

    Raises:
        OSError: the program was installed without the guide.
    """
    text = (top() / "docs" / f"{name}.md").read_text("utf-8")
    markdown = create_markdown(renderer=_Renderer(address), plugins=["table"])
    add_toc_hook(markdown, max_level=6, heading_id=_anchor)
    html, _ = markdown.parse(text)
    return Markup(_EMPTY_HEAD.sub("", str(html)))  # noqa: S704 - escaped by the renderer


def _anchor(heading: dict[str, Any], _index: int) -> str:
    """Return the anchor that GitHub gives to a heading, which the guides' links use."""
    words = re.sub(r"[^\w\- ]", "", str(heading["text"]).lower())
    return words.replace(" ", "-")
