"""Checks that ``table.toml`` can be used, with all the files that it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from table.config import Buttons, Camera, TableConfig
from table.doctor.check import Check, fine, wrong
from table.doctor.machine import Machine


def settings(config: TableConfig, path: Path | None) -> Iterator[Check]:
    """Check that everything that the configuration names is there and can be read."""
    from game.rulebooks.loading import load_rulebook  # noqa: PLC0415
    from game.tileset import load_tile_set  # noqa: PLC0415
    from table.roster import load_games  # noqa: PLC0415
    from table.word_list import load_word_list  # noqa: PLC0415

    rulebook, tiles = load_rulebook(config.rulebook), load_tile_set(config.tile_set)
    if config.word_list is not None:
        load_word_list(config.word_list, tiles)
    if config.players.file is not None:
        games = load_games(config.players.file, config.players.seat, rulebook)
        if games.is_open:
            yield wrong(
                "configuration",
                f"{config.players.file}: tables of several divisions have the number "
                f"{config.players.table}",
                "set division in [players]",
            )
            return
    if config.simulated.gcg is not None and not config.simulated.gcg.is_file():
        yield wrong(
            "configuration", f"{config.simulated.gcg}: no such file", "mend gcg in [simulated]"
        )
        return
    where = "none given, so what this machine has" if path is None else str(path)
    devices = ""
    if path is not None and config.names_camera:
        devices = f", camera {config.camera.kind}, buttons {config.buttons.kind}"
    yield fine(
        "configuration",
        f"{where}: {config.name}, {config.tile_set} tiles, {rulebook.id}{devices}",
    )


def found(machine: Machine) -> TableConfig | None:
    """Return a configuration for the devices of this machine; None: it has no camera."""
    if machine.is_pi:
        return TableConfig(camera=Camera(kind="pi"), buttons=Buttons(kind="gpio"))
    if sorted(machine.path("/dev").glob("video*")):
        return TableConfig(camera=Camera(kind="webcam"), buttons=Buttons(kind="web"))
    return None
