"""Asks a program for its opinion of a position: equity and chance to win of the best plays.

The protocol: the program is started for one position. It reads one line from its standard input,
the position in CGP (:mod:`game.cgp`) with the rack of the player on turn, and the end of the input.
It writes lines of JSON to its standard output, best play first, and ends with status 0::

    {"engine": "MAGPIE 1.0"}
    {"kind": "play", "position": "8D", "word": "QU.z", "equity": 34.2, "win": 0.56}
    {"kind": "exchange", "tiles": "QV", "equity": 1.9}
    {"kind": "pass", "equity": -20}

``position`` and ``word`` are as in a game record; ``win`` is a share of 1. Everything but ``kind``
may be left out. The numbers are the engine's own, and are shown under its name.
``examples/engine_magpie.py`` speaks this protocol for MAGPIE.
"""

from __future__ import annotations

import json
import math
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from game.errors import TilewatchError

_MOST_PLAYS: Final = 20
_MOST_BYTES: Final = 200_000
_LOOK_S: Final = 0.05
_KINDS: Final = ("play", "exchange", "pass")


class EngineError(TilewatchError):
    """An engine that gave no answer, in one line."""


@dataclass(frozen=True, slots=True)
class EnginePlay:
    """A play as an engine sees it."""

    kind: str
    """``play``, ``exchange`` or ``pass``."""
    position: str = ""
    word: str = ""
    """The main line as in a game record."""
    tiles: str = ""
    """The tiles of an exchange."""
    equity: float | None = None
    """Points, by the engine's own measure."""
    win: float | None = None
    """The chance to win, 0 to 1."""


@dataclass(frozen=True, slots=True)
class EngineAnswer:
    """The plays that an engine gave for a position, best first."""

    engine: str
    plays: tuple[EnginePlay, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the answer for a page."""
        return {"engine": self.engine, "plays": [asdict(play) for play in self.plays]}


def ask_engine(
    command: Sequence[str],
    cgp: str,
    most_s: float,
    superseded: Callable[[], bool] = lambda: False,
) -> EngineAnswer | None:
    """Run an engine on a position; None if ``superseded`` became true meanwhile.

    Raises:
        EngineError: it cannot be started, takes longer than ``most_s`` seconds, ends with an error,
            or writes something that is not in the protocol.
    """
    name = Path(command[0]).name
    try:
        process = subprocess.Popen(  # noqa: S603 - the owner's configuration names it
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        raise EngineError(f"engine {name}: cannot be started ({error.strerror})") from None
    wrote: list[bytes] = []
    with process:
        reader = threading.Thread(target=_talk, args=(process, cgp, wrote), daemon=True)
        reader.start()
        until = time.monotonic() + most_s
        try:
            while reader.is_alive():
                reader.join(_LOOK_S)
                if superseded():
                    return None
                if time.monotonic() > until:
                    raise EngineError(f"engine {name}: no answer within {most_s:g} s")
            if sum(map(len, wrote)) >= _MOST_BYTES:
                raise EngineError(f"engine {name}: writes too much")
            status = process.wait(max(_LOOK_S, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            raise EngineError(f"engine {name}: it does not end") from None
        finally:
            process.kill()
    if status:
        raise EngineError(f"engine {name}: ended with status {status}")
    return _read(name, b"".join(wrote))


def _talk(process: subprocess.Popen[bytes], cgp: str, wrote: list[bytes]) -> None:
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(cgp.encode() + b"\n")
        process.stdin.close()
    except OSError:  # it did not read; its answer or its status says more
        pass
    left = _MOST_BYTES
    while left > 0 and (line := process.stdout.readline(left)):
        wrote.append(line)
        left -= len(line)


def _read(name: str, data: bytes) -> EngineAnswer:
    engine, plays = name, list[EnginePlay]()
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip() or len(plays) == _MOST_PLAYS:
            continue
        where = f"engine {name}: line {number} of its answer"
        try:
            given = json.loads(line)
        except ValueError:
            raise EngineError(f"{where} is no JSON") from None
        if not isinstance(given, dict):
            raise EngineError(f"{where} is no JSON object")
        if isinstance(given.get("engine"), str):
            engine = given["engine"][:40]
        else:
            plays.append(_play(given, where))
    if not plays:
        raise EngineError(f"engine {name}: it gave no play")
    return EngineAnswer(engine, tuple(plays))


def _play(given: dict[str, Any], where: str) -> EnginePlay:
    if given.get("kind", "play") not in _KINDS:
        raise EngineError(f"{where}: kind is none of {', '.join(_KINDS)}")
    position, word, tiles = (given.get(name, "") for name in ("position", "word", "tiles"))
    if not all(isinstance(one, str) and len(one) <= 60 for one in (position, word, tiles)):
        raise EngineError(f"{where}: position, word and tiles are short texts")
    equity, win = given.get("equity"), given.get("win")
    for one in (equity, win):
        if one is not None and (not isinstance(one, int | float) or not math.isfinite(one)):
            raise EngineError(f"{where}: equity and win are numbers")
    return EnginePlay(given.get("kind", "play"), position, word, tiles, equity, win)
