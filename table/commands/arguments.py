"""Kinds of arguments that several commands have."""

from __future__ import annotations

import argparse
import shlex
import sys
from pathlib import Path


def called() -> str:
    """Return this program as it was called, to be typed again."""
    name = sys.argv[0]
    return shlex.quote(name) if Path(name).name == "tilewatch" else "tilewatch"


def port(text: str) -> int:
    """A port to listen on; 0 takes any free one."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port; choose a number from 0 to 65535")
    return number
