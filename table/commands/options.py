"""Options that several commands have, and one rule for which configuration and data are used.

The configuration is the file given as --config, else table.toml of the current folder, if there is
one. The data are in the folder given as --data, else in the one that the configuration names, else
in ~/.local/share/tilewatch. A hub has hub.toml and ~/.local/share/tilewatch-hub. Commands for the
data of either take what the current folder has, and ask if it has both.

One line on stderr, "uses …", names the file and folder that the command line did not name. A table
is simulated only if a configuration says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from game.errors import TilewatchError
from table.commands.terminal import say
from vision.address_space import require_reader_room

if TYPE_CHECKING:
    from hub.config import HubConfig
    from table.config import TableConfig

    Config = TableConfig | HubConfig

_C = TypeVar("_C", "TableConfig", "HubConfig")


@dataclass(frozen=True)
class Kind:
    """The table or the hub, and the places of its configuration and data."""

    name: str
    file: str
    default: str
    """The default data folder, in the form that --help shows."""
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


PATH: Final = click.Path(path_type=Path, readable=False)
"""A path option that the shell completes. The command itself reports an unusable path."""

as_json: Final = click.option("--json", "as_json", is_flag=True, help="print one JSON document")


def port(text: str) -> int:
    """Parse a port to listen on; 0 means any free one. Click's own message would name no remedy."""
    try:
        number = int(text)
    except ValueError:
        number = -1
    if not 0 <= number <= 65535:
        raise click.BadParameter(f"{text!r} is not a port; choose a number from 0 to 65535")
    return number


class ReadsPictures(click.Command):
    """A command that needs the libraries and the memory to read pictures."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises ``MemoryError`` if memory is short, before a library crashes."""
        require_reader_room()
        return super().invoke(ctx)


def given(*kinds: Kind, data: bool = True) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Add --config and, unless not ``data``, --data; the command gets both as ``Given``."""
    whose, files, folders = (
        " or ".join(getattr(kind, field) for kind in kinds) for field in ("name", "file", "default")
    )
    config_help = f"configuration of the {whose} (default: {files} of this folder, if there is one)"
    data_help = f"data folder of the {whose} (default: data in the configuration, else {folders})"

    def decorate(command: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(command)
        def run(config: Path | None, data: Path | None = None, **others: Any) -> int:
            return command(given=Given(kinds, config, data), **others)

        if data:
            run = click.option("--data", metavar="DIR", type=PATH, help=data_help)(run)
        return click.option("--config", metavar="FILE", type=PATH, help=config_help)(run)

    return decorate


@dataclass(frozen=True)
class Given:
    """The configuration and the data folder as the command line names them, of one of ``kinds``.

    Its methods raise ``TilewatchError`` with one line.
    """

    kinds: tuple[Kind, ...]
    config: Path | None = None
    data: Path | None = None

    def file(self) -> Path | None:
        """Return the configuration file; None if there is none.

        Raises ``TilewatchError`` if two files are possible, or a link points to nothing.
        """
        if self.config is not None:
            return self.config
        here = [Path(kind.file) for kind in self.kinds if _is_there(Path(kind.file))]
        if len(here) > 1:
            raise TilewatchError(
                f"this folder has {' and '.join(map(str, here))}: name one with --config, or the "
                "data folder with --data"
            )
        return here[0] if here else None

    def table(self) -> TableConfig:
        """Return the table's configuration with its data folder; print the "uses …" line."""
        return self._whole(_table)

    def camera(self, config: TableConfig | None = None) -> TableConfig:
        """Return the table's configuration with the camera that it names, else this machine's.

        ``config`` is the result of :meth:`table`; without it no data folder is used. Raises
        ``TilewatchError`` if there is no camera; a simulated one never replaces it.
        """
        path = self.file()
        if config is None:
            config = _table(path)
            if self.config is None and path is not None:
                say(f"uses {path} of this folder")
        if config.names_camera:
            return config
        if path is not None:
            raise TilewatchError(
                f"{path}: names no camera; `tilewatch setup` finds one and writes it"
            )
        from table.doctor.configuration import found
        from table.doctor.machine import Machine

        here = found(Machine())
        if here is None:
            raise TilewatchError(
                f"no camera was found at this machine, and no {TABLE.file} in this folder: plug "
                "one in, or name the table's file with --config (`tilewatch demo` shows a "
                "simulated table)"
            )
        say(f"uses the {here.camera.entry.title} of this machine (no {TABLE.file} in this folder)")
        return here.model_copy(update={"data": config.data})

    def hub(self) -> HubConfig:
        """Return the hub's configuration with its data folder; print the "uses …" line."""
        return self._whole(_hub)

    def _whole(self, load: Callable[[Path | None], _C]) -> _C:
        path = self.file()
        config = load(path)
        folder = self.data or config.folder
        self._tell(path, folder)
        return config.model_copy(update={"data": folder})

    def folder(self, *kinds: Kind) -> Path:
        """Return the data folder, of one of ``kinds`` if given; print the "uses …" line.

        With --data no configuration is read.
        """
        if kinds:
            return Given(kinds, self.config, self.data).folder()
        if self.data is not None:
            return self.data
        path = self.file()
        folder = self.kinds[0].load(None).folder if path is None else _named_by(path, self.kinds)
        self._tell(path, folder)
        return folder

    def to_set_up(self) -> tuple[Path, Path]:
        """Return the paths of the table's configuration, which may not exist yet, and its data."""
        path = self.config or Path(TABLE.file)
        there = path if _is_there(path) else None
        if self.data is not None:
            return path, self.data
        folder = _table(None).folder if there is None else _named_by(there, (TABLE,))
        self._tell(there, folder)
        return path, folder

    def _tell(self, path: Path | None, folder: Path) -> None:
        """Print the "uses …" line for what the command line did not name."""
        parts = []
        if path is not None and self.config is None:
            parts.append(f"{path} of this folder")
        if self.data is None:
            files = " or ".join(kind.file for kind in self.kinds)
            none = "" if path else f" (no {files} in this folder)"
            parts.append(f"data in {folder.absolute()}{none}")
        if parts:
            say(f"uses {', '.join(parts)}")


def _is_there(path: Path) -> bool:
    """Return True if the file exists. Raises ``TilewatchError`` for a link to a missing file."""
    if path.is_symlink() and not path.exists():
        raise TilewatchError(f"{path} points to nothing; mend the link, or remove it")
    return path.exists()


def _named_by(path: Path, kinds: Sequence[Kind]) -> Path:
    """Return the data folder that a configuration names; it may be of any of ``kinds``."""
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
