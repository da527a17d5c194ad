"""Reads CSV as spreadsheet programs save it, and names the kind of files that are no CSV.

Excel writes the separator of the computer's country (a comma or a semicolon), tabs in its "text"
formats, and a first line ``sep=;`` if the user added one. Its charset is UTF-8 with a byte order
mark, UTF-16 with such a mark ("Unicode text"), or Windows' own. LibreOffice lets the user choose
any. Both save empty rows, and whole numbers as ``1.0`` in columns formatted so.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from game.errors import TilewatchError

_SEPARATORS: Final = (",", ";", "\t", "|")
_SEP_LINE: Final = re.compile(r"\A\s*\"?sep=([,;:|\t])\"?[ ,;\t]*(?:\r\n?|\n)", re.I)
_WHOLE: Final = re.compile(r"([-+\u2212]?)([0-9]{1,9})(?:[.,]0{1,2})?")
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
WINDOWS: Final = "cp1252"
"""The charset of a text that is not Unicode: that of Windows in western Europe and America."""

_KINDS: Final = (
    (b"PK\x03\x04", "a workbook; save its sheet as CSV (UTF-8)"),
    (b"\xd0\xcf\x11\xe0", "a workbook of an old Excel; save its sheet as CSV (UTF-8)"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"{\\rtf", "a text of a word processor; save it as plain text"),
)
_WEB_PAGE: Final = re.compile(rb"\s*<[!?a-z]", re.IGNORECASE)


class SheetError(TilewatchError):
    """A file cannot be read as text or CSV; the message gives the fault without the file's name."""


@dataclass(frozen=True, slots=True)
class SheetRow:
    """A row of a CSV that is not empty."""

    line: int
    """The number of the row's (last) line in the file, from 1."""
    cells: Mapping[str, str]
    """The cells by the name of the column, without spaces around them."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """A CSV with names of columns in its first row."""

    columns: tuple[str, ...]
    """The names of the columns in small letters, with ``_`` for a space or a hyphen."""
    rows: tuple[SheetRow, ...]


def decoded(data: bytes) -> tuple[str, str]:
    """Return the text in a file and its charset. Raises ``SheetError``.

    The charset is that of the byte order mark, else UTF-8, else UTF-16 if every other byte at the
    beginning is zero, else :data:`WINDOWS`.
    """
    if not data.strip(b"\0 \t\r\n"):
        raise SheetError("is empty")
    for start, kind in _KINDS:
        if data.startswith(start):
            raise SheetError(f"is {kind}")
    if _WEB_PAGE.match(data.removeprefix(codecs.BOM_UTF8)):
        raise SheetError("is a web page; save the file that the page links to")
    marked = next((name for mark, name in _MARKS if data.startswith(mark)), None)
    wide = "utf-16-le" if data[1:2] == b"\0" else "utf-16-be" if data[:1] == b"\0" else None
    for charset in (marked,) if marked else (wide,) if wide else ("utf-8", WINDOWS):
        try:
            text = data.decode(charset)
        except UnicodeDecodeError:
            continue
        if "\0" not in text:
            return text, charset
    raise SheetError("is no text; save it as CSV (UTF-8)")


def read_sheet(text: str, needed: Sequence[str]) -> Sheet:
    """Return the rows of a CSV whose first row names at least the columns ``needed``.

    The separator is the one in a line ``sep=``, else the one by which the first row splits into
    these names. Raises ``SheetError``.
    """
    sep_line = _SEP_LINE.match(text)
    skipped = 1 if sep_line else 0
    body = text[sep_line.end() :] if sep_line else text
    for separator in (sep_line[1],) if sep_line else _SEPARATORS:
        rows = _rows(body, separator, skipped)
        line, head = next(rows, (1, []))
        columns = tuple(re.sub(r"[\s-]+", "_", cell.casefold()) for cell in head)
        if set(needed) <= set(columns):
            break
    else:
        raise SheetError(f"the first line must be {','.join(needed)}")
    for column in columns:
        if column and columns.count(column) > 1:
            raise SheetError(f"line {line}: two columns are called {column[:40]!r}")
    return Sheet(columns, tuple(_named(line, cells, columns) for line, cells in rows))


def whole(cell: str) -> int | None:
    """Return the whole number in a cell, also as ``1.0`` or ``1,0``; None if it holds none."""
    found = _WHOLE.fullmatch(cell)
    if found is None:
        return None
    return -int(found[2]) if found[1] in ("-", "\u2212") else int(found[2])


def _rows(text: str, separator: str, skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the line and the cells of every row that is not empty."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield reader.line_num + skipped, cells
    except csv.Error as error:
        raise SheetError(f"line {reader.line_num + skipped}: not CSV ({error})") from error


def _named(line: int, cells: Sequence[str], columns: Sequence[str]) -> SheetRow:
    if any(cells[len(columns) :]):
        raise SheetError(
            f"line {line}: it has more cells than the first line has columns; put quotation marks "
            "around a name with a comma"
        )
    return SheetRow(line, {name: cell for name, cell in zip(columns, cells, strict=False) if name})
