"""The ``tilewatch`` command.

Exit status: 0 done; 1 the thing asked about is not so; 2 the input cannot be used, with one line
on stderr that names it and the reason. Nothing heavy is imported before a command runs.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Any, NoReturn, TextIO

from game.errors import TilewatchError
from table import commands
from table.commands.terminal import answer, fault
from vision.address_space import is_out_of_memory, require_reader_room

OK, NOT_SO, UNUSABLE = 0, 1, 2
_INTERRUPTED = 128 + signal.SIGINT


class _Parser(argparse.ArgumentParser):
    """One line for a wrong command line, as for everything else."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # -5,-5,900,… is the value of --corners, and no option.
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        fault(f"{message} (see {self.prog} --help)")
        raise SystemExit(UNUSABLE)


class _Version(argparse.Action):
    """Looks the version up only when it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str, **_: Any) -> None:
        super().__init__(option_strings, dest, nargs=0, help="show the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        answer(f"tilewatch {metadata.version('tilewatch')}")
        parser.exit()


def parser() -> argparse.ArgumentParser:
    """The command line."""
    top = _Parser(
        prog="tilewatch",
        description="A camera above a real Scrabble board that keeps score by itself.",
    )
    top.add_argument("--version", action=_Version)
    subparsers = top.add_subparsers(metavar="COMMAND", required=True)
    for command in commands.ALL:
        one = subparsers.add_parser(
            command.NAME, help=command.HELP, description=command.DESCRIPTION
        )
        command.add_arguments(one)
        reads = command.NAME in commands.READING
        one.set_defaults(run=command.run, reads=reads, parser=one)
    return top


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    args, rest = parser().parse_known_args(argv)
    if rest:
        args.parser.error(f"unrecognised: {' '.join(rest)}")
    return args


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    try:
        try:
            args = _parsed(argv)
            if args.reads:
                require_reader_room()
            status: int = args.run(args)
            _flush()
        except SystemExit as stop:
            _flush()
            return stop.code if isinstance(stop.code, int) else UNUSABLE
        return status
    except TilewatchError as error:
        fault(str(error))
    except KeyboardInterrupt:
        fault("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        fault("standard output was closed before the answer was written")
    except ImportError as error:
        fault(
            f"{error}; a library is missing or broken: install tilewatch[table], or all of it anew "
            "(sh install.sh)"
        )
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        fault(f"{name}{error.strerror or error}")
    except Exception as error:
        if not is_out_of_memory(error):
            raise
        fault("too little memory; close other programs, or raise the limit (ulimit -v, LimitAS=)")
    _let_go_of_stdout()
    return UNUSABLE


def _flush() -> None:
    stdout: TextIO | None = sys.stdout  # None when it was closed before we were started
    if stdout is not None:
        stdout.flush()


def _let_go_of_stdout() -> None:
    """Write out what is buffered if that can be, so that Python does not fail on it at exit."""
    try:
        _flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
