"""Kinds of arguments that several commands have."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from table.commands.terminal import say

TABLE: Final = Path("table.toml")
"""The configuration that `tilewatch setup` writes."""


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
