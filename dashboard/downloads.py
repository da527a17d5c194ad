"""Answers that a browser saves as a file: the only place that writes ``Content-Disposition``."""

from __future__ import annotations

import re
import unicodedata
from typing import Final
from urllib.parse import quote

from flask import Response
from werkzeug.http import dump_options_header

_LONGEST: Final = 120
"""Characters of a file's name; file systems take 255 bytes."""

_UNFIT: Final = re.compile(r'[\x00-\x1f"*/:<>?\\|\x7f]+')
"""Characters that one file system or another does not take."""


def as_download(answer: Response, name: str) -> Response:
    """``answer`` as a file to be saved under ``name``, whatever letters that has (RFC 6266)."""
    answer.headers["Content-Disposition"] = disposition(name)
    return answer


def disposition(name: str) -> str:
    """The header's value: a name in ASCII, and if that is another one, the whole name too."""
    fit = file_name(name)
    plain = "".join(
        one if one.isascii() else "-"
        for one in unicodedata.normalize("NFKD", fit)
        if not unicodedata.combining(one)
    )
    names: dict[str, str | None] = {"filename": plain}
    if plain != fit:
        names["filename*"] = f"UTF-8''{quote(fit, safe='')}"
    return dump_options_header("attachment", names)


def file_name(name: str) -> str:
    """``name`` with everything that no file's name may have as a hyphen, and not too long."""
    shown = "".join(one if one.isprintable() else "-" for one in name)
    stem, dot, ending = _UNFIT.sub("-", shown).rpartition(".")
    stem = stem[: _LONGEST - len(ending)].strip(". ")
    return f"{stem or 'file'}{dot}{ending}"
