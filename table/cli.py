"""The ``tilewatch`` command.

Exit status: 0 for success; 1 if the answer is negative, for example a faulty file; 2 if the input
cannot be used, with one line on stderr that names it and the reason. No large library is imported
before a command runs.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final, TextIO

import click

from game.errors import TilewatchError
from table.commands import SECTIONS
from table.commands.terminal import answer, fault
from vision.address_space import is_out_of_memory

UNUSABLE: Final = 2
_INTERRUPTED: Final = 128 + signal.SIGINT
_MODULES: Final = {name: module for names in SECTIONS.values() for name, module in names.items()}
_OF_THE_HUB: Final = frozenset({"paho", "spake2"})


class _Commands(click.Group):
    """The group of all commands, by section; a command's module is imported when it is used."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(_MODULES)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _MODULES:
            if ctx.resilient_parsing:  # a line that the shell completes
                return None
            raise click.exceptions.NoSuchCommand(cmd_name, possibilities=_MODULES, ctx=ctx)
        module = import_module(f"table.commands.{_MODULES[cmd_name]}")
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for section, names in SECTIONS.items():
            with formatter.section(section):
                found = [(name, self.get_command(ctx, name)) for name in names]
                formatter.write_dl(
                    [(name, one.get_short_help_str(99)) for name, one in found if one]
                )


def _version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from importlib import metadata

        answer(f"tilewatch {metadata.version('tilewatch')}")
        ctx.exit()


@click.group(
    "tilewatch",
    cls=_Commands,
    no_args_is_help=False,
    context_settings={"show_default": True, "max_content_width": 100},
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version,
    help="Show the version and exit.",
)  # fmt: skip
def tilewatch() -> None:
    """A camera above a real Scrabble board that keeps score by itself."""


def _run(argv: list[str]) -> int:
    """Run the command line; return its status. Click's ``main`` would print a line for Ctrl-C."""
    if "_TILEWATCH_COMPLETE" in os.environ:
        tilewatch.main(argv, "tilewatch")
    try:
        with tilewatch.make_context("tilewatch", argv) as top:
            try:
                status: int = tilewatch.invoke(top)
            except ModuleNotFoundError as error:
                package = (error.name or "").partition(".")[0]
                if package not in _OF_THE_HUB:
                    raise
                raise TilewatchError(
                    f"tilewatch {top.invoked_subcommand} needs {package}, which a plain install "
                    "leaves out; install it with: sh install.sh --hub"
                ) from error
            return status
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        where = context.command_path if context else "tilewatch"
        raise TilewatchError(
            f"{error.format_message().rstrip('.')} (see {where} --help)"
        ) from error


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    try:
        status = _run(list(sys.argv[1:] if argv is None else argv))
        _flush()
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
    """Flush standard output; if that fails, discard the rest, or Python would fail at exit."""
    try:
        _flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
