"""Game records by the file or the text that has them: what the library's users read and check."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Final

from game.arguments import require
from game.errors import TilewatchError
from game.events.values import short
from game.gcg.check import Mismatch, check
from game.gcg.reader import parse
from game.gcg.record import GameRecord

_OR_TEXT: Final = "; the text of a record begins with # or >"


def read_gcg(source: str | PathLike[str]) -> GameRecord:
    """Read a game record in GCG, line by line as it is written.

    Args:
        source: a file, or the text of a record (it begins with ``#`` or ``>``).

    Raises:
        TilewatchError: the file cannot be read or is no game record; the line says why.
    """
    require(source, (str, PathLike), "GCG", "a file or the text of a record")
    if isinstance(source, str) and source.lstrip("\ufeff \r\n\t")[:1] in ("#", ">", ""):
        return parse(source)
    path = Path(source)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TilewatchError(f"{short(str(path))}: {error.strerror or error}{_OR_TEXT}") from error
    except ValueError as error:  # a NUL
        raise TilewatchError(f"{short(str(path))}: {error}{_OR_TEXT}") from error
    return parse(data, str(path))


def check_gcg(source: str | PathLike[str] | GameRecord) -> list[Mismatch]:
    """Return every figure of a record that is not what the referee makes of it, in order.

    Args:
        source: a file, the text of a record, or what :func:`read_gcg` gave.

    Raises:
        TilewatchError: the record cannot be read, names a rulebook or a set that there is not, or
            no set knows its letters.
    """
    return check(source if isinstance(source, GameRecord) else read_gcg(source))
