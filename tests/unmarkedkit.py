"""Finds texts of public pages that nobody marked for translation."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

from jinja2 import Environment, nodes

_HOLE = "\x00"
_TAG = re.compile(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
_STATEMENT = re.compile(r"\{%.*?%\}", re.DOTALL)
_TRANS = re.compile(r"\{%-?\s*trans\b.*?\{%-?\s*endtrans\s*-?%\}", re.DOTALL)
_READ = {"aria-label", "alt", "placeholder", "title"}
_WORD = re.compile(r"[^\W\d_]{2,}")
_JS_HTML = re.compile(r"(?<![.\w])html`((?:[^`$]|\$(?!\{)|\$\{(?:[^{}`]|\{[^{}]*\})*\})*)`")
_JS_HOLE = re.compile(r"\$\{(?:[^{}]|\{[^{}]*\})*\}")
_JS_SET = re.compile(r"(?:textContent|ariaLabel|title|placeholder) = (\"[^\"]+\"|`[^`]+`)")
NAMES = {"tilewatch", "CSV", "TSH", "AGPL", "GCG", "Woogles", "OBS"}
"""Words that are the same in every language."""


class _Texts(HTMLParser):
    """Gathers what is read on a page: texts, and attributes that are read out or shown."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._quiet = 0

    def handle_starttag(self, tag, attrs):
        self._quiet += tag in ("script", "style")
        given = dict(attrs)
        for name, value in attrs:
            is_said = name in _READ or (name == "content" and "description" in str(given))
            if is_said and value:
                self.found.append(value)

    def handle_endtag(self, tag):
        self._quiet -= tag in ("script", "style")

    def handle_data(self, data):
        if not self._quiet:
            self.found.append(data)


def _words(text: str) -> list[str]:
    return [one for one in _WORD.findall(text.replace(_HOLE, " ")) if one not in NAMES]


def _read(markup: str) -> list[str]:
    parser = _Texts()
    parser.feed(markup)
    found = [" ".join(one.replace(_HOLE, "…").split()) for one in parser.found if _words(one)]
    # A block may stand inside of a tag, and then has attributes alone.
    return [one for one in found if not re.match(r"[\w-]+=", one)]


def in_template(path: Path) -> list[str]:
    """The unmarked texts of a template."""
    text = path.read_text("utf-8")
    bare = _TAG.sub(_HOLE, _STATEMENT.sub(" ", _TRANS.sub(_HOLE, text)))
    environment = Environment(extensions=["jinja2.ext.i18n", "jinja2.ext.do"])
    tree = environment.parse(text)
    shown = [one for output in tree.find_all(nodes.Output) for one in output.nodes]
    # A class or another attribute's value is written in small letters and has no blank inside.
    constants = [
        word for one in shown for word in _constants(one) if re.search(r"\w \w|^[A-Z]", word)
    ]
    return _read(bare) + [one for one in constants if _words(one)]


def _constants(node: nodes.Node) -> list[str]:
    """The texts that an expression may show."""
    if isinstance(node, nodes.Const):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, nodes.CondExpr):
        return [text for one in (node.expr1, node.expr2) if one for text in _constants(one)]
    if isinstance(node, nodes.Or | nodes.And | nodes.Add):
        return _constants(node.left) + _constants(node.right)
    if isinstance(node, nodes.Concat):
        return [text for one in node.nodes for text in _constants(one)]
    return []


def in_script(path: Path) -> list[str]:
    """The unmarked texts of a script: of its templates, and what it sets as a text."""
    text = re.sub(r"^\s*//.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
    markup = [one for found in _JS_HTML.findall(text) for one in _read(_JS_HOLE.sub(_HOLE, found))]
    return markup + [
        one for one in _JS_SET.findall(_JS_HOLE.sub(_HOLE, text)) if _words(one) and len(one) > 4
    ]
