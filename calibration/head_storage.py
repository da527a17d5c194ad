"""A head fitted to a set of tiles, on disk next to the calibration.

It belongs to the weights that it was fitted on, and is useless with others.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from pathlib import Path
from typing import Final

import numpy as np

from calibration.errors import CalibrationError
from game.files import read_file, replacing
from vision.labels import CLASS_NAMES
from vision.linear_head import LinearHead

NAME: Final = "tiles.npz"

_MOST_BYTES: Final = 50_000_000


def save_head(head: LinearHead, tile_set: str, weights: Path, folder: Path) -> Path:
    """Write it, whole or not at all. Raises ``CalibrationError`` when that cannot be."""
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(path) as temporary, temporary.open("wb") as file:
            np.savez(
                file,
                weight=head.weight.astype(np.float16),
                bias=head.bias,
                goes_with=np.array(f"{tile_set} {_mark(weights)}"),
            )
    except OSError as error:
        raise CalibrationError(
            f"{path}: cannot be written ({error.strerror}); see to permissions and free space"
        ) from error
    return path


def load_head(tile_set: str, weights: Path, folder: Path) -> LinearHead | None:
    """Return the head of that set; None where there is none, or it was fitted on other weights.

    Raises:
        CalibrationError: there is one that cannot be used.
    """
    path = folder / NAME
    if not path.is_file():
        return None
    try:
        # Read whole first: numpy leaves a file open that it cannot make out.
        data = read_file(path, _MOST_BYTES, CalibrationError)
        with np.load(io.BytesIO(data), allow_pickle=False) as stored:
            weight = np.asarray(stored["weight"], np.float32)
            bias = np.asarray(stored["bias"], np.float32)
            goes_with = str(stored["goes_with"])
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise CalibrationError(
            f"{path}: is damaged; count the tiles again with `tilewatch check-tiles`"
        ) from error
    if goes_with != f"{tile_set} {_mark(weights)}":
        return None
    classes = len(CLASS_NAMES)
    if weight.ndim != 2 or weight.shape[0] != classes or bias.shape != (classes,):
        raise CalibrationError(f"{path}: is damaged; count the tiles again")
    if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
        raise CalibrationError(f"{path}: is damaged; count the tiles again")
    return LinearHead(weight, bias)


def forget_head(folder: Path) -> None:
    """Delete the head: it was fitted to another set of tiles."""
    (folder / NAME).unlink(missing_ok=True)


def _mark(weights: Path) -> str:
    return hashlib.sha256(weights.read_bytes()).hexdigest()
