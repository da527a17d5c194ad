"""The running program's own source, as the AGPL asks of whoever serves it over a network.

The archive is made from the files that are running, so a changed program offers its changes.
"""

from __future__ import annotations

import importlib.util
import io
import tarfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOMS: Final = ("game", "vision", "models", "sensors", "calibration", "table", "dashboard")
_BESIDE: Final = ("LICENSE", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "pyproject.toml")
_SUFFIXES: Final = frozenset(
    {
        *(".py", ".typed", ".toml", ".json", ".yaml", ".gcg", ".onnx", ".md", ".txt"),
        *(".html", ".css", ".js", ".svg"),
    }
)


@cache
def archive() -> bytes:
    """A gzipped tar of every room's files. The same files give the same bytes."""
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
    for room in ROOMS:
        spec = importlib.util.find_spec(room)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            root = Path(folder)
            for path in root.rglob("*"):
                inside = path.relative_to(root)
                hidden = any(part.startswith((".", "__pycache__", "runs")) for part in inside.parts)
                if path.is_file() and path.suffix in _SUFFIXES and not hidden:
                    yield f"{room}/{inside.as_posix()}", path
    top = Path(__file__).resolve().parent.parent
    if (top / "pyproject.toml").is_file():
        for name in _BESIDE:
            if (top / name).is_file():
                yield name, top / name
