"""Asks a program for its opinion of a position: equity and chance to win of the best plays.

The protocol: the program is started for one position. It reads one line from its standard input,
the position in CGP (:mod:`game.cgp`) with the rack of the player on turn, and the end of the input.
It writes lines of JSON to its standard output, best play first, and ends with status 0::

    {"engine": "MAGPIE 1.0"}
    {"kind": "play", "position": "8D", "word": "QU.z", "equity": 34.2, "win": 0.56}
    {"kind": "exchange", "tiles": "QV", "equity": 1.9}
    {"kind": "pass", "equity": -20}

``position`` and ``word`` are as in a game record; ``win`` is a share of 1. Everything but ``kind``
may be left out. The numbers are the engine's own, and are shown under its name. What the program
started ends with it.
``examples/engine_magpie.py`` speaks this protocol for MAGPIE.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
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
    until = time.monotonic() + most_s
    with _started(command, name) as process:
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # it did not read; its answer or its status says more
            process.stdin.write(cgp.encode() + b"\n")  # a pipe takes it whole
            process.stdin.close()
        wrote, ended = b"", False
        while not ended:
            if superseded():
                return None
            if time.monotonic() > until:
                raise EngineError(f"engine {name}: no answer within {most_s:g} s")
            more = _more(process)
            wrote += more or b""
            if len(wrote) >= _MOST_BYTES:
                raise EngineError(f"engine {name}: writes too much")
            ended = more == b"" and _has_ended(process)
    if process.returncode:
        raise EngineError(f"engine {name}: ended with status {process.returncode}")
    return _read(name, wrote)


@contextlib.contextmanager
def _started(command: Sequence[str], name: str) -> Iterator[subprocess.Popen[bytes]]:
    """Yield a program in a session of its own, and end all of the session with the block."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the owner's configuration names it
            list(command),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:  # a ValueError for a NUL
        reason = getattr(error, "strerror", None) or error
        raise EngineError(f"engine {name!a}: cannot be started ({reason})") from None
    with process:
        try:
            yield process
        finally:
            # Its number cannot be another's yet: nobody has waited for it.
            os.killpg(process.pid, signal.SIGKILL)


def _more(process: subprocess.Popen[bytes]) -> bytes | None:
    """Return what a program wrote; None if that is nothing for now, empty if it is at its end."""
    assert process.stdout is not None
    looked = select.poll()
    looked.register(process.stdout, select.POLLIN)
    return os.read(process.stdout.fileno(), 65536) if looked.poll(_LOOK_S * 1000) else None


def _has_ended(process: subprocess.Popen[bytes]) -> bool:
    """True if a program has ended; its number is kept for it. Looks again after a moment."""
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    if os.waitid(os.P_PID, process.pid, look) is not None:
        return True
    time.sleep(_LOOK_S / 10)
    return False


def _read(name: str, data: bytes) -> EngineAnswer:
    engine, plays = name, list[EnginePlay]()
    for number, line in enumerate(data.splitlines(), start=1):
        if not line.strip() or len(plays) == _MOST_PLAYS:
            continue
        where = f"engine {name}: line {number} of its answer"
        try:
            given = json.loads(line)
        except (ValueError, RecursionError):
            raise EngineError(f"{where} is no JSON") from None
        if not isinstance(given, dict):
            raise EngineError(f"{where} is no JSON object")
        if isinstance(given.get("engine"), str):
            engine = "".join(c for c in given["engine"][:40] if c.isprintable())
        else:
            plays.append(_play(given, where))
    if not plays:
        raise EngineError(f"engine {name}: it gave no play")
    return EngineAnswer(engine, tuple(plays))


def _play(given: dict[str, Any], where: str) -> EnginePlay:
    if given.get("kind", "play") not in _KINDS:
        raise EngineError(f"{where}: kind is none of {', '.join(_KINDS)}")
    position, word, tiles = (given.get(name, "") for name in ("position", "word", "tiles"))
    texts = (position, word, tiles)
    if not all(isinstance(one, str) and len(one) <= 60 and one.isprintable() for one in texts):
        raise EngineError(f"{where}: position, word and tiles are short texts")
    equity, win = (_number(given.get(name), where) for name in ("equity", "win"))
    return EnginePlay(given.get("kind", "play"), position, word, tiles, equity, win)


def _number(given: object, where: str) -> float | None:
    if given is None:
        return None
    with contextlib.suppress(OverflowError):  # more digits than a float has
        if isinstance(given, int | float) and math.isfinite(given):
            return given
    raise EngineError(f"{where}: equity and win are numbers")
