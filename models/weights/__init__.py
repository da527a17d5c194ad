"""The trained weights that ship with tilewatch: five ONNX files, each with its card.

``python -m tools.train`` makes them, in a checkout. Bundles state their hashes.
"""

from __future__ import annotations

from pathlib import Path

from game.errors import TilewatchError


def path(name: str) -> Path:
    """The file of the weights ``name``, such as ``tiles.onnx``.

    Raises:
        TilewatchError: there are none of that name.
    """
    file = Path(__file__).parent / name
    if not file.is_file():
        raise TilewatchError(f"{file}: no such weights; reinstall tilewatch or train them")
    return file
