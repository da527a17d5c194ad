"""Output of the commands (answers on stdout, everything else on stderr), and their interruption.

Names, files and messages come from outside, so every line is escaped here: no control character,
line break or change of writing direction reaches the terminal, and no text from outside can look
like a line of this program.
"""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final, TextIO, TypeVar

from game.errors import TilewatchError
from game.printable import may_be_shown, printable

T = TypeVar("T")

_LONGEST = 600
"""The most characters of an error line: a word of the input that it quotes may be very long."""


def _line(text: str, stream: TextIO) -> str:
    """Return a text as one printable line of characters that the stream can encode."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return printable(text).encode(encoding, "backslashreplace").decode(encoding) + "\n"


def answer(*lines: str) -> None:
    """Print lines of the answer. Raises ``BrokenPipeError`` if standard output is closed."""
    stdout = _stdout()
    for text in lines:
        stdout.write(_line(text, stdout))


def answer_json(document: Any) -> None:
    """Print the answer as one JSON document; strings are escaped as on other lines."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    if not text.isprintable():
        text = re.sub(r"[^ -~]", lambda found: _json_escape(found[0]), text)
    stdout = _stdout()
    try:
        text.encode(getattr(stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(document, allow_nan=False)
    stdout.write(text + "\n")


def _json_escape(one: str) -> str:
    return one if may_be_shown(one) else json.dumps(one)[1:-1]


def _stdout() -> TextIO:
    stdout: TextIO | None = sys.stdout  # None when it was closed before we were started
    if stdout is None:
        raise BrokenPipeError
    return stdout


def say(text: str) -> None:
    """Print one line on stderr: a fault, or where something was written."""
    stderr: TextIO | None = sys.stderr
    if stderr is not None:
        stderr.write(_line(" ".join(text.split()), stderr))


def fault(text: str) -> None:
    """Print one line on stderr that says why something failed; a long one loses its middle."""
    half = _LONGEST // 2
    if len(text) > _LONGEST:
        text = f"{text[:half]} … {text[-half:]}"
    say(f"tilewatch: {text}")


def answer_each(
    paths: Sequence[Path],
    run: Callable[[Path], T],
    show: Callable[[T], None],
    document: Callable[[T], Any],
    *,
    as_json: bool,
    unusable: tuple[type[TilewatchError], ...] = (TilewatchError,),
) -> list[T]:
    """Answer for each file separately; a file that cannot be used gives one line on stderr.

    Args:
        paths: the files.
        run: gives the result of a file; raises an error of ``unusable`` if it cannot be used.
        show: prints a result.
        document: makes JSON of a result: the one of a single file, else a list.
        as_json: print one JSON document at the end, and show nothing.
        unusable: the errors after which the other files are still answered for.

    Returns:
        The results of the files that can be used.
    """
    done: list[T] = []
    for path in paths:
        try:
            done.append(run(path))
        except unusable as error:
            text = str(error)
            fault(text if text.startswith((str(path), "--")) else f"{path}: {text}")
            continue
        if not as_json:
            show(done[-1])
    if as_json and done:
        documents = [document(one) for one in done]
        answer_json(documents if len(paths) > 1 else documents[0])
    return done


def columns(rows: list[list[str]], right: frozenset[int] = frozenset()) -> list[str]:
    """Return rows as lines with aligned columns; columns with an index in ``right`` flush right."""
    if not rows:
        return []
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    return [
        "  ".join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


AGAIN_S: Final = 0.5
"""The seconds between two raises of the interrupt."""


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Let SIGINT and SIGTERM (of a service manager) raise ``KeyboardInterrupt`` in here.

    The handler raises it wherever the main thread is. If that is in a finalizer that the garbage
    collector runs, Python prints the exception, drops it, and the program goes on; so the interrupt
    is repeated until it propagates. Only the main thread may use it. The signals' handlers are put
    back at the end.
    """
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {one: signal.signal(one, _interrupt) for one in signals}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _interrupt_again)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for one, handler in before.items():
            signal.signal(one, handler)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    signal.setitimer(signal.ITIMER_REAL, AGAIN_S, AGAIN_S)
    raise KeyboardInterrupt


def _interrupt_again(_signal: int, _frame: FrameType | None) -> None:
    """Raise the interrupt again, unless the program is ending because of it."""
    error = sys.exc_info()[1]
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return
        error = error.__context__
    raise KeyboardInterrupt
