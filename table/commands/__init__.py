"""The commands, one module each. Their modules import what is heavy only when they run."""

from __future__ import annotations

import argparse
from typing import Protocol

from table.commands import (
    accounts,
    backup,
    calibrate,
    cameras,
    check_tiles,
    demo,
    doctor,
    enrol,
    evaluate,
    export,
    hub,
    join,
    read,
    repair,
    replay,
    restore,
    retention,
    rulebooks,
    run,
    score,
    setup,
    verify,
)


class Command(Protocol):
    """A module that implements a command."""

    NAME: str
    HELP: str
    DESCRIPTION: str

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add its options."""
        ...

    def run(self, args: argparse.Namespace) -> int:
        """Run it, and return the exit status."""
        ...


READING: frozenset[str] = frozenset(
    {"calibrate", "check-tiles", "demo", "doctor", "evaluate", "read", "replay", "run", "setup"}
)
"""The commands that read pictures, and so need the libraries and the memory for it."""

ALL: tuple[Command, ...] = (
    demo,
    setup,
    run,
    calibrate,
    cameras,
    check_tiles,
    replay,
    read,
    score,
    rulebooks,
    doctor,
    export,
    verify,
    backup,
    restore,
    repair,
    retention,
    accounts,
    hub,
    enrol,
    join,
    evaluate,
)
