"""Runs all the checks, in the order in which a table is set up."""

from __future__ import annotations

import contextlib
import fcntl
import functools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from game.errors import TilewatchError
from record.paths import DATABASE
from table.config import TableConfig, load_config
from table.desk import Desk
from table.doctor.check import Check, Run, guarded, results, wrong
from table.doctor.configuration import found, port, settings
from table.doctor.data import folder, records, space, speed, storage
from table.doctor.devices import buttons, camera
from table.doctor.machine import (
    Machine,
    batteries,
    clocks,
    power,
    temperature,
    throttling,
    timesync,
)
from table.doctor.reader import calibration, reading

if TYPE_CHECKING:
    from vision.reader import BoardReader

_Tie = Callable[[Path, bool], Iterable[Check]]


def checked(
    config: TableConfig,
    *,
    path: Path | None = None,
    desk: Desk | None = None,
    machine: Machine | None = None,
) -> Iterator[Check]:
    """Yield the checks of everything that a table needs. Takes some ten seconds; raises nothing.

    Args:
        config: the table's configuration.
        path: the file that it was read from, to be named in the results.
        desk: the desk of the table that runs in this process, if any, which is asked about camera
            and buttons. Devices of a table in another process are not tested.
        machine: the machine to check; None: this one.
    """
    machine = machine or Machine()
    try:
        data = config.folder
    except TilewatchError as error:
        yield wrong("data folder", str(error), "set data in table.toml, or give --data")
        data = Path.cwd()
    running = desk is not None or at_work(data)
    reader = functools.cache(lambda: _reader(config.tile_set))
    devices: dict[str, Run] = {
        "camera": lambda: camera(config.camera, reader, running, desk),
        "buttons": lambda: buttons(machine, config.buttons, running, desk),
    }
    if desk is None and not config.names_camera:  # no simulated device passes for a real one
        devices = {"camera": lambda: _unnamed(path)}
    yield from results(
        {
            "configuration": lambda: settings(config, path),
            **devices,
            "calibration": lambda: calibration(data),
            "reader": lambda: reading(config.tile_set, reader),
            **_of_data(machine, data),
            "port": lambda: port(config.serve, running),
            **_of_machine(machine),
        }
    )


def checked_file(
    path: Path | None, data: Path | None, tie: _Tie = lambda _folder, _running: ()
) -> Iterator[Check]:
    """Yield the checks for a configuration file; without one, for the devices of this machine.

    ``tie`` checks the connection to a hub, given the data folder and whether a table runs there.
    """
    machine = Machine()
    try:
        config = (found(machine) or TableConfig()) if path is None else load_config(path)
    except (TilewatchError, OSError) as error:
        # OSError: an installation whose own rulebooks this user may not read.
        yield from guarded("configuration", functools.partial(_failed, error))
        yield from bare_checks(machine, data)
        return
    if data is not None:
        config = config.model_copy(update={"data": data})
    yield from checked(config, path=path, machine=machine)
    with contextlib.suppress(TilewatchError):  # a data folder that there cannot be was said
        folder_ = config.folder
        yield from guarded("hub", lambda: tie(folder_, at_work(folder_)))


def bare_checks(machine: Machine, data: Path | None) -> Iterator[Check]:
    """Yield the checks that need no configuration: of the machine and the data folder, if any."""
    of_data = {} if data is None else _of_data(machine, data)
    return results({**of_data, **_of_machine(machine)})


def _of_data(machine: Machine, data: Path) -> dict[str, Run]:
    return {
        "data folder": lambda: folder(data),
        "storage": lambda: storage(machine, data),
        "space": lambda: space(data),
        "card": lambda: speed(data),
        "log": lambda: records(data),
    }


def _of_machine(machine: Machine) -> dict[str, Run]:
    return {
        "clocks": lambda: clocks(machine),
        "time": lambda: timesync(machine),
        "temperature": lambda: temperature(machine),
        "throttling": lambda: throttling(machine),
        "power": lambda: power(machine),
        "battery": lambda: batteries(machine),
    }


def _unnamed(path: Path | None) -> Check:
    """Return the failed check for a missing camera: none configured, none at this machine."""
    if path is None:
        return wrong(
            "camera",
            "none found at this machine, and no configuration given",
            "plug one in, or name the table's file with --config",
        )
    return wrong("camera", f"{path} names none", "tilewatch setup finds one and writes it")


def at_work(data: Path) -> bool:
    """Return True if a table is running with this data folder."""
    try:
        with (data / f"{DATABASE}.lock").open("rb") as handle:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError as error:
        return isinstance(error, BlockingIOError)
    return False


def _failed(error: Exception) -> Check:
    raise error


def _reader(tile_set: str) -> BoardReader:
    from table.calibrated_reader import board_reader  # noqa: PLC0415 - heavy

    return board_reader(tile_set)
