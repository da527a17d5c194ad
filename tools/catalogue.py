"""Update the catalogue of public texts: ``python -m tools.catalogue``.

It takes the messages out of the templates, scripts and code of public pages, brings each
language's ``.po`` up to date, and makes its ``.mo`` and the list of the scripts' messages from it.
New messages are left untranslated. A new language is a folder with a ``.po`` that has only a header
(``pybabel init``), and its name in ``dashboard.languages.NAMES``.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_file
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from dashboard.languages import DOMAIN, FOLDER
from record.story.event_wording import CAUSES, ENDS

ROOT: Final = Path(__file__).resolve().parents[1]

_ENGLISH: Final = frozenset(
    {"accounts", "camera", "clock", "commentary", "director", "obs", "overlay", "setup", "vendor"}
)
"""Folders of pages and scripts that are in English only."""

_KEYWORDS: Final[dict[str, Any]] = {
    "_": None,
    "gettext": None,
    "ngettext": (1, 2),
    "pgettext": ((1, "c"), 2),
    "marked": None,
}
_MARK: Final = re.compile(r"\b(_|\w*gettext|marked)\(|{% trans")
_ELSEWHERE: Final = {"record/story/event_wording.py": (*ENDS.values(), *CAUSES.values())}
"""Messages that rooms below the pages have, by file."""
_DIRECTORS: Final = ("hub/templates/hub/director.html", "hub/static/director.js")
_KINDS: Final = {".html": "jinja2", ".js": "javascript", ".py": "python"}
_OPTIONS: Final = {
    ".html": {"trimmed": "true", "newstyle_gettext": "true"},
    ".js": {"parse_template_string": "true"},
}


def sources() -> Iterator[Path]:
    """Yield the files that public texts are in, in the order of their paths."""
    for room in ("dashboard", "hub"):
        for file in sorted((ROOT / room).rglob("*")):
            parts = file.relative_to(ROOT).parts
            if file.suffix not in _KINDS or "/".join(parts) in _DIRECTORS:
                continue
            if file.suffix == ".py" or not _ENGLISH & set(parts[:-1]):
                yield file


def extracted() -> tuple[Catalog, list[str | list[str]]]:
    """Return all messages, without translations, and those of the scripts."""
    found, of_scripts = Catalog(domain=DOMAIN), {}
    for file in sources():
        if not _MARK.search(file.read_text("utf-8")):
            continue
        options = _OPTIONS.get(file.suffix, {})
        for _, message, comments, context in extract_from_file(
            _KINDS[file.suffix], file, _KEYWORDS, ("Translators:",), options
        ):
            where = [(str(file.relative_to(ROOT)), 0)]
            found.add(message, locations=where, auto_comments=comments, context=context)
            if file.suffix == ".js":
                key = message if isinstance(message, str) else message[0]
                of_scripts[key] = message if isinstance(message, str) else list(message)
    for path, texts in _ELSEWHERE.items():
        for text in texts:
            found.add(text, locations=[(path, 0)])
    return found, [of_scripts[key] for key in sorted(of_scripts)]


def files() -> dict[Path, bytes]:
    """Return every file of the catalogue as it should be, by its path."""
    template, of_scripts = extracted()
    listed = json.dumps(of_scripts, ensure_ascii=False, indent=1) + "\n"
    made = {FOLDER / "scripts.json": listed.encode()}
    for path in sorted(FOLDER.glob(f"*/LC_MESSAGES/{DOMAIN}.po")):
        with path.open("rb") as file:
            known = read_po(file, locale=path.parts[-3])
        template.creation_date = known.creation_date
        known.update(template, no_fuzzy_matching=True, update_header_comment=False)
        known.obsolete.clear()
        text = io.BytesIO()
        write_po(text, known, width=100, include_lineno=False, sort_by_file=True)
        made[path] = text.getvalue()
        made[path.with_suffix(".mo")] = compiled(known)
    return made


def compiled(known: Catalog) -> bytes:
    """Return a language's ``.mo``."""
    out = io.BytesIO()
    write_mo(out, known)
    return out.getvalue()


if __name__ == "__main__":
    for path, data in files().items():
        path.write_bytes(data)
