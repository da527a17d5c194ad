"""Reads the file of an event's pairings, whichever program wrote it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from game.files import read_file
from table.pairings.csv_pairings import of_csv
from table.pairings.details import EventDetails, PairingsError
from table.pairings.javascript import is_javascript
from table.pairings.spreadsheet import WINDOWS, SheetError, decoded
from table.pairings.tsh import of_tourney

MOST_BYTES: Final = 10_000_000
"""Far more than any event's file has; so much is read in a few seconds."""


def read_pairings(path: Path) -> EventDetails:
    """The event in a file of pairings, a CSV or a ``tourney.js``. Raises ``PairingsError``."""
    try:
        text, charset = decoded(read_file(path, MOST_BYTES, PairingsError))
    except OSError as error:
        raise PairingsError(f"{path}: cannot be read ({error.strerror})") from error
    except SheetError as error:
        raise PairingsError(f"{path}: {error}") from error
    text = text.removeprefix("\ufeff")
    of_tsh = is_javascript(text) or path.suffix.lower() == ".js"
    found = of_tourney(text, path) if of_tsh else of_csv(text, path)
    if charset != WINDOWS:
        return found
    doubt = "the file is no Unicode and was read as Windows-1252; if letters are wrong, save "
    return replace(found, doubts=(*found.doubts, doubt + "it as UTF-8"))
