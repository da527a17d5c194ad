"""Stores a calibration: ``calibration.json``, the JPEG that it names, and a fitted head.

The picture is written first, named by its hash; the JSON then replaces the old one in one step. So
after any interruption the folder holds a complete calibration, old or new. The linear head
(``tiles.npz``) is only used with the weights and the set of tiles that it was fitted to.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import cv2
import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from calibration.lens import Lens
from calibration.model import Calibration, CalibrationError, Marker
from calibration.picture_quality import Measures
from game.board import Square
from game.files import SMALL, read_file, replacing, write_file
from vision.classifier import LinearHead
from vision.errors import ImageError
from vision.images import MAX_BYTES, decode_image
from vision.labels import CLASS_NAMES
from vision.rectify import Image, as_corners

VERSION: Final = 1
"""The version of the file's layout."""

NAME: Final = "calibration.json"
AGAIN: Final = "calibrate again with `tilewatch calibrate`"

_QUALITY: Final = 95
_Point = tuple[float, float]
_Four = tuple[_Point, _Point, _Point, _Point]
_Side = Annotated[int, Field(ge=150, le=20000)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class _Lens(_Strict):
    k1: Annotated[float, Field(ge=-1, le=1)]
    k2: Annotated[float, Field(ge=-1, le=1)]


class _Measures(_Strict):
    pixels: float
    blur: float | None
    glare: tuple[str, ...]
    burnt: float
    level: float
    evenness: float


class _Sticker(_Strict):
    number: Annotated[int, Field(ge=0)]
    corners: _Four


class _Document(_Strict):
    version: Literal[1]
    made: str
    camera: str
    size: tuple[_Side, _Side]
    corners: _Four
    lens: _Lens | None
    empty: bool
    by_hand: bool
    board_only: bool = False
    picture: Annotated[str, Field(pattern=r"^[0-9a-f]{64}\.jpg$")]
    settings: dict[str, float]
    measures: _Measures
    stickers: tuple[_Sticker, ...]


def save(calibration: Calibration, folder: Path) -> Path:
    """Write a calibration, and its folder if need be; return the JSON's path.

    Raises:
        CalibrationError: the folder cannot be written.
    """
    data = encode(calibration.picture)
    picture = f"{hashlib.sha256(data).hexdigest()}.jpg"
    text = json.dumps(as_json(calibration, picture), indent=1, ensure_ascii=False) + "\n"
    path = folder / NAME
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_file(folder / picture, data)
        write_file(path, text.encode())
        for old in folder.glob("*.jpg"):
            if old.name != picture:
                old.unlink()
    except OSError as error:
        raise CalibrationError(
            f"{folder}: the calibration cannot be written ({error.strerror}); see to the folder's"
            " permissions and free space"
        ) from error
    return path


def load(folder: Path) -> Calibration | None:
    """Return the calibration in a folder; None if there is none.

    Raises:
        CalibrationError: the calibration cannot be used; one line gives the reason.
    """
    path = folder / NAME
    try:
        raw = json.loads(read_file(path, SMALL, CalibrationError))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CalibrationError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise CalibrationError(f"{path}: is damaged (no JSON); {AGAIN}") from error
    document = _checked(path, raw)
    picture = _picture(folder / document.picture)
    if (picture.shape[1], picture.shape[0]) != document.size:
        raise CalibrationError(
            f"{path}: the calibration's picture has another size than this file states; {AGAIN}"
        )
    try:
        corners = as_corners(document.corners)
    except ValueError as error:
        raise CalibrationError(f"{path}: corners: {error}; {AGAIN}") from error
    seen = document.measures
    try:
        glare = tuple(Square.parse(name) for name in seen.glare)
    except ValueError as error:
        raise CalibrationError(f"{path}: measures.glare: {error}; {AGAIN}") from error
    return Calibration(
        made=document.made,
        camera=document.camera,
        picture=picture,
        corners=corners,
        lens=None
        if document.lens is None
        else Lens(document.lens.k1, document.lens.k2, document.size),
        empty=document.empty,
        measures=Measures(seen.pixels, seen.blur, glare, seen.burnt, seen.level, seen.evenness),
        settings=document.settings,
        stickers=tuple(
            Marker(one.number, np.array(one.corners, np.float32)) for one in document.stickers
        ),
        by_hand=document.by_hand,
        board_only=document.board_only,
    )


def encode(picture: Image) -> bytes:
    """Return the picture as a JPEG."""
    good, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, _QUALITY])
    if not good:
        raise CalibrationError("the picture cannot be made a JPEG; take it again")
    return bytes(data.tobytes())


def as_json(calibration: Calibration, picture: str = "") -> dict[str, Any]:
    """Return a calibration as JSON; ``picture`` is the name of its picture's file."""
    lens, seen = calibration.lens, calibration.measures
    return {
        "version": VERSION,
        "made": calibration.made,
        "camera": calibration.camera,
        "size": list(calibration.size),
        "corners": _points(calibration.corners),
        "lens": None if lens is None else {"k1": round(lens.k1, 5), "k2": round(lens.k2, 5)},
        "empty": calibration.empty,
        "by_hand": calibration.by_hand,
        "board_only": calibration.board_only,
        "picture": picture,
        "settings": dict(calibration.settings),
        "measures": {
            "pixels": round(seen.pixels, 2),
            "blur": None if seen.blur is None else round(seen.blur, 4),
            "glare": [square.name for square in seen.glare],
            "burnt": round(seen.burnt, 4),
            "level": round(seen.level, 1),
            "evenness": round(seen.evenness, 3),
        },
        "stickers": [
            {"number": one.number, "corners": _points(one.corners)} for one in calibration.stickers
        ],
    }


def _points(points: np.ndarray[Any, Any]) -> list[list[float]]:
    return [[round(float(x), 3), round(float(y), 3)] for x, y in points]


def _checked(path: Path, raw: Any) -> _Document:
    version = raw.get("version") if isinstance(raw, dict) else None
    if not isinstance(version, int) or isinstance(version, bool):
        raise CalibrationError(f"{path}: is no calibration; {AGAIN}")
    if version > VERSION:
        raise CalibrationError(
            f"{path}: was made by a newer tilewatch (version {version}, this one knows {VERSION});"
            f" update tilewatch, or {AGAIN}"
        )
    if version != VERSION:
        raise CalibrationError(f"{path}: version {version} is no longer known; {AGAIN}")
    try:
        return _Document.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        raise CalibrationError(f"{path}: {where}: {first['msg']}; {AGAIN}") from None


def _picture(path: Path) -> Image:
    try:
        data = read_file(path, MAX_BYTES, CalibrationError)
    except OSError as error:
        raise CalibrationError(
            f"{path}: the calibration's picture cannot be read ({error.strerror}); {AGAIN}"
        ) from error
    if f"{hashlib.sha256(data).hexdigest()}.jpg" != path.name:
        raise CalibrationError(f"{path}: the calibration's picture was changed; {AGAIN}")
    try:
        return decode_image(data, str(path))
    except ImageError as error:
        raise CalibrationError(f"{error}; {AGAIN}") from error


HEAD_NAME: Final = "tiles.npz"

_MOST_BYTES: Final = 50_000_000


def save_head(head: LinearHead, tile_set: str, weights: Path, folder: Path) -> Path:
    """Write a head, whole or not at all. Raises ``CalibrationError`` if that fails."""
    path = folder / HEAD_NAME
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
    """Return the head of that set; None if there is none or it was fitted to other weights.

    Raises:
        CalibrationError: the head is damaged.
    """
    path = folder / HEAD_NAME
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
    """Delete the head, because it was fitted to another set of tiles."""
    (folder / HEAD_NAME).unlink(missing_ok=True)


def _mark(weights: Path) -> str:
    return hashlib.sha256(weights.read_bytes()).hexdigest()
