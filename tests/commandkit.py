"""The command line, parsed and not run."""

from __future__ import annotations

from typing import Any

import click

from table.cli import tilewatch


def parsed(*words: str) -> dict[str, Any]:
    """The options and arguments of ``tilewatch WORDS…``. Raises ``click.UsageError``."""
    top = click.Context(tilewatch, info_name="tilewatch")
    _, command, rest = tilewatch.resolve_command(top, list(words))
    return command.make_context(command.name, rest, parent=top).params
