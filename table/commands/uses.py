"""One rule for which configuration and which data a command uses.

The configuration is the file given as --config, else table.toml of the current folder, if there is
one. The data are in the folder given as --data, else in the one that the configuration names, else
in ~/.local/share/tilewatch. A hub has hub.toml and ~/.local/share/tilewatch-hub. Commands for the
data of either take what the current folder has, and ask where it has both.

One line on stderr, "uses …", tells what the command line did not name. A simulated table is there
only where a configuration names it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from game.errors import TilewatchError
from table.commands.terminal import say

if TYPE_CHECKING:
    from hub.config import HubConfig
    from table.config import TableConfig

    Config = TableConfig | HubConfig


@dataclass(frozen=True)
class Kind:
    """The table or the hub: how its configuration and its data are found."""

    name: str
    file: str
    default: str
    """The data folder where no other is named, as --help has it."""
    load: Callable[[Path | None], Config]


def _table(path: Path | None) -> TableConfig:
    from table.config import TableConfig, load_config

    return TableConfig() if path is None else load_config(path)


def _hub(path: Path | None) -> HubConfig:
    from hub.config import load_hub_config

    return load_hub_config(path)


TABLE: Final = Kind("table", "table.toml", "~/.local/share/tilewatch", _table)
HUB: Final = Kind("hub", "hub.toml", "~/.local/share/tilewatch-hub", _hub)
EITHER: Final = (TABLE, HUB)


@dataclass(frozen=True)
class Used:
    """A table's configuration as a command uses it; ``path`` is its file, if there is one."""

    config: TableConfig
    path: Path | None
    data: Path

    def with_camera(self) -> TableConfig:
        """Return the configuration with the camera that it names, else this machine's.

        Raises ``TilewatchError`` where there is none: a simulated one never stands in for it.
        """
        config = _with_camera(self.config, self.path)
        return config.model_copy(update={"data": self.data})


def _with_camera(config: TableConfig, path: Path | None) -> TableConfig:
    if path is not None:
        if not config.names_camera:
            raise TilewatchError(
                f"{path}: names no camera; `tilewatch setup` finds one and writes it"
            )
        return config
    from table.doctor.configuration import found
    from table.doctor.machine import Machine

    here = found(Machine())
    if here is None:
        raise TilewatchError(
            f"no camera was found at this machine, and no {TABLE.file} in this folder: plug one "
            "in, or name the table's file with --config (`tilewatch demo` shows a simulated table)"
        )
    say(f"uses the {here.camera.entry.title} of this machine (no {TABLE.file} in this folder)")
    return here


def add_config(parser: argparse.ArgumentParser, *kinds: Kind) -> None:
    """Add --config."""
    whose, files = (" or ".join(words) for words in _words(kinds, "name", "file"))
    parser.add_argument(
        "--config", metavar="FILE", type=Path,
        help=f"configuration of the {whose} (default: {files} of this folder, if there is one)",
    )  # fmt: skip


def add_data(parser: argparse.ArgumentParser, *kinds: Kind) -> None:
    """Add --data."""
    whose, folders = (" or ".join(words) for words in _words(kinds, "name", "default"))
    parser.add_argument(
        "--data", metavar="DIR", type=Path,
        help=f"data folder of the {whose} (default: data in the configuration, else {folders})",
    )  # fmt: skip


def _words(kinds: Sequence[Kind], *fields: str) -> list[list[str]]:
    return [[getattr(kind, field) for kind in kinds] for field in fields]


def config_file(args: argparse.Namespace, *kinds: Kind) -> Path | None:
    """Return the configuration's file; None: there is none.

    Raises ``TilewatchError`` where two would do, or a link points to nothing.
    """
    given: Path | None = args.config
    if given is not None:
        return given
    here = [Path(kind.file) for kind in kinds if _is_there(Path(kind.file))]
    if len(here) > 1:
        raise TilewatchError(
            f"this folder has {' and '.join(map(str, here))}: name one with --config, or the data "
            "folder with --data"
        )
    return here[0] if here else None


def _is_there(path: Path) -> bool:
    """True if there is such a file. Raises for a link to nothing: somebody has meant a file."""
    if path.is_symlink() and not path.exists():
        raise TilewatchError(f"{path} points to nothing; mend the link, or remove it")
    return path.exists()


def table_of(args: argparse.Namespace) -> Used:
    """Return the table's configuration and data, and tell them. Raises ``TilewatchError``."""
    path = config_file(args, TABLE)
    config = _table(path)
    if args.data is not None:
        config = config.model_copy(update={"data": args.data})
    _tell(args, path, config.folder, TABLE)
    return Used(config.model_copy(update={"data": config.folder}), path, config.folder)


def camera_of(args: argparse.Namespace) -> TableConfig:
    """Return the table's configuration with its camera, for a command that uses no data.

    Raises ``TilewatchError`` with one line.
    """
    path = config_file(args, TABLE)
    config = _table(path)
    if args.config is None and path is not None:
        say(f"uses {path} of this folder")
    return _with_camera(config, path)


def hub_of(args: argparse.Namespace) -> HubConfig:
    """Return the hub's configuration with its data folder, and tell them. Raises."""
    path = config_file(args, HUB)
    config = _hub(path)
    folder = args.data or config.folder
    _tell(args, path, folder, HUB)
    return config.model_copy(update={"data": folder})


def data_of(args: argparse.Namespace, *kinds: Kind) -> Path:
    """Return the data folder, and tell it; with --data no configuration is read.

    Raises ``TilewatchError`` with one line.
    """
    if args.data is not None:
        folder: Path = args.data
        return folder
    path = config_file(args, *kinds)
    folder = kinds[0].load(None).folder if path is None else _named_by(path, kinds)
    _tell(args, path, folder, *kinds)
    return folder


def to_set_up(args: argparse.Namespace) -> tuple[Path, Path]:
    """Return the table's configuration file, there or to be written, and its data folder.

    Raises ``TilewatchError`` with one line.
    """
    path: Path = args.config or Path(TABLE.file)
    there = path if _is_there(path) else None
    if args.data is not None:
        return path, args.data
    folder = _table(None).folder if there is None else _named_by(there, (TABLE,))
    _tell(args, there, folder, TABLE)
    return path, folder


def _named_by(path: Path, kinds: Sequence[Kind]) -> Path:
    """The data folder by a configuration, which may be one of several kinds."""
    remedy = "name the data folder with --data"
    found: set[Path] = set()
    faults: list[TilewatchError] = []
    for kind in [kind for kind in kinds if kind.file == path.name] or kinds:
        try:
            found.add(kind.load(path).folder)
        except TilewatchError as error:
            faults.append(error)
    if len(found) > 1:
        whose = " or a ".join(kind.name for kind in kinds)
        raise TilewatchError(f"{path}: may be of a {whose}; {remedy}")
    if not found:
        raise TilewatchError(f"{faults[0]}; mend it, or {remedy}") from faults[0]
    return found.pop()


def _tell(args: argparse.Namespace, path: Path | None, folder: Path, *kinds: Kind) -> None:
    """Say what the command line did not name."""
    parts = []
    if path is not None and args.config is None:
        parts.append(f"{path} of this folder")
    if args.data is None:
        none = "" if path else f" (no {' or '.join(k.file for k in kinds)} in this folder)"
        parts.append(f"data in {folder.absolute()}{none}")
    if parts:
        say(f"uses {', '.join(parts)}")
