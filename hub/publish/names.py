"""The names of published files, and links between them.

``dashboard/static/site.js`` names files in the same way.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Callable
from typing import Final, Literal
from urllib.parse import quote, unquote, urlsplit

from werkzeug.exceptions import HTTPException
from werkzeug.routing import MapAdapter, RequestRedirect, Rule

from table.pairings.details import plain

Kind = Literal["page", "data", "file", "static", "stream"]

_STREAMS: Final = {
    "hub.hall_events": "hall/news.json",
    "spectators.live_events": "tables/{table_id}/live.json",
}
"""The streams of public pages, and the file that says the same."""
_SEARCH: Final = "event.search"
"""Nothing searches a site of files: the list of players shows who is wanted."""
_DATA: Final = ("spectators.live", "spectators.around", "spectators.game_view", "event.now")
_LEFT_OUT: Final = (
    *("spectators.embedded", "spectators.looked_up", "spectators.share_code"),
    *(_SEARCH, "hub.static", "static"),
)
_PUBLIC: Final = ("spectators", "event", "hub", "privacy")
"""The blueprints with public pages; what is not public in them refuses an anonymous reader."""
_PRIVATE: Final = ("/director", "/api/")

_UNFIT: Final = re.compile(r"[^\w.-]|_|^\.")
_LINK: Final = re.compile(r'(?<=\s)((?:href|src|action|content|data-[\w-]+)=")([^"#][^"]*)"')
_ROOT: Final = re.compile(r"<html\b")


def file_name(segment: str) -> str:
    """Return a part of an address as a file's name that every system and store can have."""
    fit = _UNFIT.sub(lambda one: "_" if one[0] == " " else f"~{ord(one[0]):x}~", segment)
    return fit or "~"


def kind_of(rule: Rule) -> Kind | None:
    """Return the kind of a rule's answers; None for those that are not published."""
    endpoint = rule.endpoint
    if endpoint in _STREAMS:
        return "stream"
    if endpoint.rpartition(".")[2] == "static":
        return "static"
    shown = endpoint.partition(".")[0] in _PUBLIC and "GET" in (rule.methods or ())
    if not shown or endpoint in _LEFT_OUT or rule.rule.startswith(_PRIVATE):
        return None
    if endpoint in _DATA:
        return "data"
    return "file" if re.search(r"\.\w+$", rule.rule) else "page"


class Names:
    """The published files of a site's addresses."""

    def __init__(self, adapter: MapAdapter, host: str, static: str, public: str = "") -> None:
        """``host`` begins the site's own full addresses, and ``public`` those of its files.

        ``static`` is the folder of static files.
        """
        self._adapter, self._host, self._static = adapter, host, static
        self._public = public.rstrip("/")

    def rule(self, address: str) -> tuple[Rule, Kind] | None:
        """Return the rule of an address and its kind; None if it is not published."""
        try:
            rule, _ = self._adapter.match(urlsplit(address).path, return_rule=True)
            if rule.endpoint == _SEARCH:
                return self.rule(self._adapter.build("event.players"))
        except RequestRedirect as moved:
            return self.rule(urlsplit(moved.new_url).path)
        except HTTPException:
            return None
        kind = kind_of(rule)
        return None if kind is None else (rule, kind)

    def file(self, address: str) -> str | None:
        """Return the file of an address; None if it is not published."""
        found = self.rule(address)
        if found is None:
            return None
        rule, kind = found
        if rule.endpoint == "event.players":
            address = self._adapter.build(rule.endpoint)
        url = urlsplit(address)
        segments = [unquote(one) for one in url.path.split("/") if one]
        if kind == "static":
            return posixpath.join(self._static, *segments[1:])
        if kind == "stream":
            _, given = self._adapter.match(url.path)
            named = {name: file_name(str(value)) for name, value in given.items()}
            return _STREAMS[rule.endpoint].format(**named)
        if rule.endpoint == "event.player":  # any spelling of a name leads there
            segments = [*segments[:2], *plain("/".join(segments[2:])).split("/")]
        segments += [unquote(url.query)] if url.query else []
        path = "/".join(map(file_name, segments))
        if kind == "page":
            return posixpath.join(path, "index.html")
        return f"{path}.json" if kind == "data" else path

    def relinked(self, page: str, path: str, found: Callable[[str], object]) -> str:
        """Return a page's HTML as that of the file ``path``: its links lead to files.

        ``found`` is called with each address of the site that it names.
        """
        up = "../" * path.count("/")

        def link(one: re.Match[str]) -> str:
            before, text = one[1], html.unescape(one[2])
            whole = text.startswith(self._host)
            address = text.removeprefix(self._host) if whole else text
            if not address.startswith("/") or address.startswith("//"):
                return one[0]
            bare, mark, fragment = address.partition("#")
            file = self.file(bare)
            if file is None:
                return one[0]
            found(bare)
            way = self._way(file, up, whole=whole)
            return f'{before}{html.escape(way + mark + fragment)}"'

        marked = f'<html data-files="{html.escape(up or "./")}"'
        return _LINK.sub(link, _ROOT.sub(marked, page, count=1))

    def readdressed(self, text: str, path: str) -> str:
        """Return a feed or a calendar as that of the file ``path``: its addresses are of files."""
        up = "../" * path.count("/")

        def address(one: re.Match[str]) -> str:
            file = self.file(one[1])
            return one[0] if file is None else self._way(file, up, whole=True)

        unfolded = text.replace("\r\n ", "")  # a calendar's long lines
        return re.sub(rf"{self._host}(/[^\s\"<#]*)", address, unfolded)

    def _way(self, file: str, up: str, *, whole: bool) -> str:
        """Return a file's address: the whole one if it is wanted and known, else the way there."""
        way = quote(file, safe="/~")
        return f"{self._public}/{way}" if whole and self._public else up + way
