"""Kinds of arguments that several commands have."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path
from typing import Final

from table.commands.terminal import say

TABLE: Final = Path("table.toml")
"""The configuration that `tilewatch setup` writes."""


def called() -> str:
    """Return this program as it was called, to be typed again."""
    name = sys.argv[0]
    return shlex.quote(name) if Path(name).name == "tilewatch" else "tilewatch"


def configuration(given: Path | None) -> Path | None:
    """Return the file given as --config, else the one in this folder, if there is one."""
    if given is not None or not TABLE.exists():
        return given
    say(f"configuration: {TABLE} of this folder")
    return TABLE


def port(text: str) -> int:
    """A port to listen on; 0 takes any free one."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; choose a number from 0 to 65535")
    return number
