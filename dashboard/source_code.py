"""The running program's own source, as the AGPL asks of whoever serves it over a network.

The archive is made from the files that are running, so a changed program offers its changes. Only
``pyproject.toml`` says what belongs in it: the packages of the wheel, and the files that building
and installing take (its ``extra-metadata``). A checkout has them in its folder, an
installed wheel in its metadata.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import io
import tarfile
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

_PROJECT: Final = "pyproject.toml"
_INSTALLED: Final = "extra_metadata"
"""The folder of a wheel's metadata in which hatchling puts ``extra-metadata``."""

_SUFFIXES: Final = frozenset(
    {
        *(".py", ".typed", ".toml", ".json", ".yaml", ".gcg", ".onnx", ".md", ".txt", ".po", ".mo"),
        *(".html", ".css", ".js", ".svg", ".png", ".jpg"),
    }
)
"""The files of a package; weights in training, logs and databases are not among them."""


@cache
def archive() -> bytes:
    """Return a gzipped tar of the program's source. The same files give the same bytes."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", compresslevel=6) as tar:
        for name, path in sorted(_files()):
            info = tarfile.TarInfo(f"tilewatch/{name}")
            data = path.read_bytes()
            info.size = len(data)
            info.mode = 0o644
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def _files() -> Iterator[tuple[str, Path]]:
    root = top()
    wheel = _wheel(root / _PROJECT)
    for package in wheel["packages"]:
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            for inside, path in _below(Path(folder)):
                if path.suffix in _SUFFIXES:
                    yield f"{package}/{inside}", path
    for name in wheel["extra-metadata"]:
        path = root / name
        if path.is_file():
            yield name, path
        else:
            for inside, file in _below(path):
                yield f"{name}/{inside}", file


def top() -> Path:
    """Return the folder with ``pyproject.toml``: the checkout's, or the installed metadata's."""
    checkout = Path(__file__).resolve().parent.parent
    if (checkout / _PROJECT).is_file():
        return checkout
    for file in importlib.metadata.files("tilewatch") or ():
        if file.parts[-2:] == (_INSTALLED, _PROJECT):
            return Path(str(file.locate())).parent
    raise FileNotFoundError(f"{_PROJECT} is neither beside the packages nor in their metadata")


def _wheel(project: Path) -> dict[str, Any]:
    data = tomllib.loads(project.read_text("utf-8"))
    wheel: dict[str, Any] = data["tool"]["hatch"]["build"]["targets"]["wheel"]
    return wheel


def _below(root: Path) -> Iterator[tuple[str, Path]]:
    """Yield the files in a folder by their names in it; no hidden and no generated ones."""
    for path in root.rglob("*"):
        inside = path.relative_to(root)
        made = any(part.startswith((".", "__pycache__", "runs")) for part in inside.parts)
        if path.is_file() and not made:
            yield inside.as_posix(), path
