"""Checks ``table.toml``, the files that it names and the address that it serves pages on."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path

from table.config import Buttons, Camera, Serve, TableConfig
from table.doctor.check import Check, fine, unknown, wrong
from table.doctor.machine import Machine


def settings(config: TableConfig, path: Path | None) -> Check:
    """Check that everything that the configuration names is there and can be read."""
    from game.rulebooks.loading import load_rulebook  # noqa: PLC0415
    from game.tileset import load_tile_set  # noqa: PLC0415
    from table.coming_games import load_games  # noqa: PLC0415
    from table.word_list import load_word_list  # noqa: PLC0415

    rulebook, tiles = load_rulebook(config.rulebook), load_tile_set(config.tile_set)
    if config.word_list is not None:
        load_word_list(config.word_list, tiles)
    if config.players.file is not None:
        games = load_games(config.players.file, config.players.seat, rulebook)
        if games.is_open:
            return wrong(
                "configuration",
                f"{config.players.file}: tables of several divisions have the number "
                f"{config.players.table}",
                "set division in [players]",
            )
    if config.simulated.gcg is not None and not config.simulated.gcg.is_file():
        return wrong(
            "configuration", f"{config.simulated.gcg}: no such file", "mend gcg in [simulated]"
        )
    where = "none given, so what this machine has" if path is None else str(path)
    devices = ""
    if path is not None and config.names_camera:
        devices = f", camera {config.camera.kind}, buttons {config.buttons.kind}"
    return fine(
        "configuration",
        f"{where}: {config.name}, {config.tile_set} tiles, {rulebook.id}{devices}",
    )


def found(machine: Machine) -> TableConfig | None:
    """Return a configuration for the devices of this machine; None if it has no camera."""
    if machine.is_pi:
        return TableConfig(camera=Camera(kind="pi"), buttons=Buttons(kind="gpio"))
    if sorted(machine.path("/dev").glob("video*")):
        return TableConfig(camera=Camera(kind="webcam"), buttons=Buttons(kind="web"))
    return None


def port(serve: Serve, running: bool) -> Check:
    """Check that the pages' port is free, by binding it for a moment.

    If ``running`` is True, a running table may use it.
    """
    where = f"{serve.host}:{serve.port}"
    if not serve.on:
        return fine("port", "no pages are served")
    if running:
        if serve.port == 0 or _answers(serve):
            return fine("port", f"served by the running table on {where}")
        says = f"a table is running, but nothing listens on {where}; is this its configuration?"
        return unknown("port", says)
    try:
        found = socket.getaddrinfo(
            serve.host, serve.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, address = found[0]
        with socket.socket(family, kind, protocol) as sock:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            sock.bind(address)
    except socket.gaierror:
        return wrong("port", f"{serve.host}: no such address", 'host = "0.0.0.0" serves on all')
    except OSError as error:
        return wrong("port", f"{where}: {os.strerror(error.errno or 0)}", _remedy(error.errno))
    return fine("port", f"{where} is free")


def _answers(serve: Serve) -> bool:
    """Return True if a program accepts connections at the configured address and port."""
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(serve.host, serve.host)  # noqa: S104
    try:
        socket.create_connection((host, serve.port), timeout=2).close()
    except OSError:
        return False
    return True


def _remedy(number: int | None) -> str:
    if number == errno.EADDRINUSE:
        return "stop what listens there (sudo ss -ltnp shows it), or choose another port in [serve]"
    if number == errno.EACCES:
        return "ports below 1024 belong to root; choose another in [serve]"
    if number == errno.EADDRNOTAVAIL:
        return 'this machine has no such address; host = "0.0.0.0" serves on all it has'
    return "choose another host or port in [serve]"
