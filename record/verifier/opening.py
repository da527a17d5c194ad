"""The bytes of a bundle: its file, or put together from the folder into which it was unpacked."""

from __future__ import annotations

import mmap
import re
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Final

from game.files import open_file, read_file
from record import strict_json
from record.bundle import archive
from record.errors import BundleError

_NAME: Final = r"(pictures/)?[\w-]+\.\w+"


def opened(path: Path) -> AbstractContextManager[memoryview]:
    """The bytes of a bundle, or of a folder's files as a bundle. Raises ``BundleError``."""
    return _folder(path) if path.is_dir() else _mapped(path)


@contextmanager
def _mapped(path: Path) -> Iterator[memoryview]:
    """The bytes of a regular file; nothing else, such as a pipe, is waited for."""
    try:
        with open_file(path, archive.MAX_FILE, BundleError) as handle:
            mapped = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
    except OSError as error:
        raise BundleError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:  # what mmap says of an empty file
        raise BundleError(
            f"{path}: not an evidence bundle of tilewatch: the file is empty"
        ) from error
    with mapped, memoryview(mapped) as view:
        yield view


@contextmanager
def _folder(path: Path) -> Iterator[memoryview]:
    """The bytes of the bundle that was unpacked into a folder."""
    try:
        text = read_file(path / archive.MANIFEST, archive.MAX_TEXT, BundleError)
        listed = [one["name"] for one in strict_json.loads(text)["files"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BundleError(
            f"{path}: a folder without the manifest of a bundle; unpack the whole bundle into it"
        ) from error
    with tempfile.TemporaryFile() as handle:
        writer = archive.Writer(handle)
        for name in (archive.MANIFEST, archive.SIGNATURE, *listed):
            if not isinstance(name, str) or not re.fullmatch(_NAME, name, re.ASCII):
                raise BundleError(f"{path}: no bundle: its manifest lists a file of an odd name")
            if (path / name).is_file():
                with open_file(path / name, archive.MAX_FILE, BundleError) as source:
                    writer.copy(name, source)
        writer.finish()
        handle.flush()
        mapped = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        with mapped, memoryview(mapped) as view:
            yield view
