"""Evidence pictures: the camera's own bytes, kept under their SHA-256."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from game.files import read_file, remove_leftovers, sync, write_ahead, write_file
from record.errors import EvidenceError

MAX_BYTES = 200_000_000
"""The most bytes of a picture."""

PICTURES_STOP_BYTES: Final = 64 * 2**20
"""The least bytes that a new picture must leave free on the disk."""

_SHA256 = re.compile(r"[0-9a-f]{64}")

Ahead = tuple[str, Path]
"""The SHA-256 of a picture that is not kept yet, and its temporary file."""


class EvidenceStore:
    """A folder of ``<sha256>.jpg``; a stored picture is never changed or encoded again."""

    def __init__(
        self, folder: Path, *, keep_free: int = PICTURES_STOP_BYTES, readonly: bool = False
    ) -> None:
        """Use ``folder``, creating it unless ``readonly``.

        Pictures leave ``keep_free`` bytes of the disk to the log, so they stop before the log does.
        Raises ``EvidenceError`` if the folder cannot be made.
        """
        self.folder = folder
        self._keep_free = keep_free
        self._ahead: Ahead | None = None
        """The picture that was prepared last, until it is kept."""
        if readonly:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            remove_leftovers(folder)
        except OSError as error:
            raise EvidenceError(f"{folder}: cannot be made ({error.strerror})") from error

    def path(self, sha256: str) -> Path:
        """Return a picture's path, present or not. Raises ``EvidenceError`` for no hash."""
        if not _SHA256.fullmatch(sha256):
            raise EvidenceError(f"{sha256[:80]!r} is no SHA-256 in hex")
        return self.folder / f"{sha256}.jpg"

    def has(self, sha256: str) -> bool:
        """True if there is a picture with this hash. Raises ``EvidenceError`` for no hash."""
        return self.path(sha256).is_file()

    def bring(self, sha256: str) -> bool:
        """Fetch the picture if another machine has it; True if the picture is here now.

        A table's own store has no other machine to ask. Raises ``EvidenceError`` for no hash.
        """
        return self.has(sha256)

    def store(self, jpeg: bytes) -> str:
        """Keep a picture and return its SHA-256 once it is on the disk.

        Storing the same bytes again costs nothing. Raises ``EvidenceError`` if the disk is full or
        fails; then nothing half written is left.
        """
        digest = hashlib.sha256(jpeg).hexdigest()
        target = self.path(digest)
        with contextlib.suppress(OSError):
            if target.stat().st_size == len(jpeg):
                return digest
        self._require_room(len(jpeg))
        try:
            write_file(target, jpeg)
        except OSError as error:
            raise self._not_kept(error) from error
        return digest

    def prepare(self, jpeg: bytes) -> str:
        """Write a picture to the disk in case it is to be kept; return its SHA-256.

        The picture replaces the one prepared before. Raises ``EvidenceError``.
        """
        self._drop_prepared()
        self._ahead = self.write_ahead(jpeg)
        return self._ahead[0]

    def keep_prepared(self, sha256: str) -> bool:
        """Keep the prepared picture; True once it is on the disk, False if no such one is prepared.

        Raises ``EvidenceError``.
        """
        if self._ahead is None or self._ahead[0] != sha256:
            return False
        ahead, self._ahead = self._ahead, None
        return bool(self.keep_written([ahead]))

    def write_ahead(self, jpeg: bytes) -> Ahead:
        """Write a picture that is kept later; if this process ends before, its file is removed.

        Raises ``EvidenceError``.
        """
        digest = hashlib.sha256(jpeg).hexdigest()
        self._require_room(len(jpeg))
        try:
            return digest, write_ahead(self.path(digest), jpeg)
        except OSError as error:
            raise self._not_kept(error) from error

    def keep_written(self, written: Iterable[Ahead]) -> set[str]:
        """Keep pictures that were written ahead; return the SHA-256 of those that are there.

        Raises ``EvidenceError``.
        """
        kept = set()
        try:
            for digest, file in written:
                with contextlib.suppress(FileNotFoundError):
                    file.replace(self.path(digest))
                    kept.add(digest)
            if kept:
                sync(self.folder)
        except OSError as error:
            raise self._not_kept(error) from error
        return kept

    def _drop_prepared(self) -> None:
        if self._ahead is not None:
            with contextlib.suppress(OSError):
                self._ahead[1].unlink(missing_ok=True)
            self._ahead = None

    def _not_kept(self, error: OSError) -> EvidenceError:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            text = "the disk is full and a picture was not kept; free some space"
        else:
            text = f"a picture cannot be kept ({error.strerror})"
        return EvidenceError(f"{self.folder}: {text}")

    def _require_room(self, size: int) -> None:
        with contextlib.suppress(OSError):
            if shutil.disk_usage(self.folder).free - size < self._keep_free:
                raise EvidenceError(
                    f"{self.folder}: the disk is nearly full: pictures are no longer kept, to "
                    "leave room for the game's events; free some space"
                )

    def load(self, sha256: str) -> bytes:
        """Return the bytes of a picture, checked against its hash. Raises ``EvidenceError``."""
        path = self.path(sha256)
        try:
            jpeg = read_file(path, MAX_BYTES, EvidenceError)
        except OSError as error:
            raise EvidenceError(f"{path}: cannot be read ({error.strerror})") from error
        if hashlib.sha256(jpeg).hexdigest() != sha256:
            raise EvidenceError(f"{path}: is no longer the picture that was kept")
        return jpeg
