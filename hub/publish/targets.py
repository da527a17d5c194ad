"""Targets of a publication: a folder, a server over SFTP or rsync, or an S3-compatible store."""

from __future__ import annotations

import gzip
import os
import posixpath
import subprocess
import tempfile
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

from hub.publish.changes import Target, TargetError, Upload

_PACE_S: Final = 1.05
"""A web server's ETag may have the second of a file's change and its size, no more."""
_RSYNC_PACE_S: Final = 3.0
_TIMEOUT_S: Final = 20.0
_AT_ONCE: Final = 8
_SMALL: Final = 500
_TEXT: Final = ("text/", "application/json", "image/svg", "application/atom")
_EXTRA: Final = "sh install.sh --publish installs what it needs"


def target_of(text: str) -> Target:
    """Return the target of an address or a folder's path. Raises ``TargetError``."""
    url = urlsplit(text)
    made = _KINDS.get(url.scheme)
    if made is not None:
        return made(text)
    if "://" in text:
        raise TargetError(f"{text}: publish to a folder, or to sftp://, rsync:// or s3://")
    return Folder(Path(text).expanduser())


def variants(file: Upload) -> Iterator[tuple[str, bytes]]:
    """Yield a file and, if it is text, its gzip form beside it, for servers that send that."""
    if file.mime.startswith(_TEXT) and len(file.data) >= _SMALL:
        yield f"{file.path}.gz", _packed(file.data)
    yield file.path, file.data


def _packed(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


@contextmanager
def _one_line(what: str) -> Iterator[None]:
    """Turn every error into one line that names the target."""
    try:
        yield
    except TargetError:
        raise
    except Exception as error:  # a library's own kinds
        line = " ".join(str(error).split()) or type(error).__name__
        raise TargetError(f"{what}: {line[:300]}") from error


class Tree(Target):
    """A tree of files. Each is written under another name first."""

    pace_s = _PACE_S
    plain = False
    """True if it holds no gzip forms."""

    def put(self, files: list[Upload]) -> None:
        """Write files, each at once as a whole."""
        with self._open():
            for file in files:
                for path, data in [(file.path, file.data)] if self.plain else variants(file):
                    self._write(path, data)

    def remove(self, paths: list[str]) -> None:
        """Remove files; those that are not there are no error."""
        with self._open():
            for path in paths:
                for one in (path, f"{path}.gz"):
                    with suppress(FileNotFoundError):
                        self._unlink(one)

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None if there is none."""
        with self._open(), suppress(FileNotFoundError):
            return self._content(path)
        return None

    def close(self) -> None:
        """Give the connection back, if there is one."""

    @abstractmethod
    def _open(self) -> AbstractContextManager[None]: ...

    @abstractmethod
    def _write(self, path: str, data: bytes) -> None: ...

    @abstractmethod
    def _unlink(self, path: str) -> None: ...

    @abstractmethod
    def _content(self, path: str) -> bytes: ...


class Folder(Tree):
    """A folder of this machine."""

    def __init__(self, folder: Path, *, plain: bool = False) -> None:
        self._folder, self.plain = folder, plain

    def _open(self) -> AbstractContextManager[None]:
        return _one_line(str(self._folder))

    def _write(self, path: str, data: bytes) -> None:
        place = self._folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        beside = place.with_name(f".{place.name}.new")
        beside.write_bytes(data)
        beside.replace(place)

    def _unlink(self, path: str) -> None:
        (self._folder / path).unlink()
        with suppress(OSError):  # a folder that is not empty stays
            for folder in (self._folder / path).relative_to(self._folder).parents[:-1]:
                (self._folder / folder).rmdir()

    def _content(self, path: str) -> bytes:
        return (self._folder / path).read_bytes()


class Sftp(Tree):
    """A folder at a server, over SFTP: ``sftp://user@host:port/folder``.

    The server is known by OpenSSH's file of known hosts, and the user by a key or an agent.
    """

    def __init__(self, address: str) -> None:
        self._url = urlsplit(address)
        self._folder = unquote(self._url.path) or "."
        self._client: Any = None
        self._sftp: Any = None
        self._made = {"", "/", "."}

    def close(self) -> None:
        """Close the connection."""
        client, self._client, self._sftp = self._client, None, None
        if client is not None:
            client.close()

    @contextmanager
    def _open(self) -> Iterator[None]:
        try:
            with _one_line(f"sftp://{self._url.hostname}"):
                if self._sftp is None:
                    self._connect()
                yield
        except TargetError:
            self.close()
            raise

    def _connect(self) -> None:
        try:
            import paramiko
        except ImportError as error:
            raise TargetError(f"SFTP needs the package paramiko; {_EXTRA}") from error

        self._client = client = paramiko.SSHClient()
        client.load_system_host_keys()
        client.connect(
            self._url.hostname or "",
            self._url.port or 22,
            self._url.username,
            timeout=_TIMEOUT_S,
            banner_timeout=_TIMEOUT_S,
        )
        self._sftp = client.open_sftp()
        self._sftp.get_channel().settimeout(_TIMEOUT_S)

    def _write(self, path: str, data: bytes) -> None:
        place = posixpath.join(self._folder, path)
        self._make_folder(posixpath.dirname(place))
        with self._sftp.open(f"{place}.new", "wb") as out:
            out.write(data)
        self._sftp.posix_rename(f"{place}.new", place)

    def _make_folder(self, folder: str) -> None:
        if folder in self._made:
            return
        self._make_folder(posixpath.dirname(folder))
        try:
            self._sftp.stat(folder)
        except FileNotFoundError:
            self._sftp.mkdir(folder)
        self._made.add(folder)

    def _unlink(self, path: str) -> None:
        self._sftp.remove(posixpath.join(self._folder, path))

    def _content(self, path: str) -> bytes:
        with self._sftp.open(posixpath.join(self._folder, path), "rb") as file:
            return bytes(file.read())


class Rsync:
    """A folder at a server, by rsync: ``rsync://host/module/folder`` or ``rsync+ssh://host/folder``.

    Every publication is a process of its own, so it comes some seconds later.
    """

    pace_s = _RSYNC_PACE_S

    def __init__(self, address: str) -> None:
        url = urlsplit(address)
        over_ssh = url.scheme == "rsync+ssh"
        self._to = (
            f"{url.netloc}:{url.path.rstrip('/')}/" if over_ssh else f"{address.rstrip('/')}/"
        )
        self._host = url.hostname or ""

    def put(self, files: list[Upload]) -> None:
        """Send files; rsync writes each under another name first."""
        with tempfile.TemporaryDirectory() as folder:
            Folder(Path(folder)).put(files)
            # Without times the server has its own, by which pages know a file's age.
            self._run("-rI", "--delay-updates", "--chmod=D755,F644", f"{folder}/", self._to)

    def remove(self, paths: list[str]) -> None:
        """Remove files: rsync is told of names that are not here."""
        with tempfile.TemporaryDirectory() as folder:
            for path in paths:
                Path(folder, path).parent.mkdir(parents=True, exist_ok=True)
            names = "".join(f"{one}\n{one}.gz\n" for one in paths)
            self._run(
                "-r", "--delete-missing-args", "--files-from=-", f"{folder}/", self._to, given=names
            )

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None if there is none."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                self._run(f"{self._to}{path}", f"{folder}/file")
            except TargetError as error:
                if "No such file" in str(error):
                    return None
                raise
            return Path(folder, "file").read_bytes()

    def close(self) -> None:
        """Nothing is open."""

    def _run(self, *args: str, given: str = "") -> None:
        command = ["rsync", f"--timeout={_TIMEOUT_S:.0f}", *args]
        with _one_line(f"rsync to {self._host}"):
            done = subprocess.run(  # noqa: S603 (no shell)
                command, input=given, capture_output=True, text=True, timeout=5 * _TIMEOUT_S,
                env={**os.environ, "RSYNC_RSH": "ssh -o BatchMode=yes"}, check=False,
            )  # fmt: skip
            if done.returncode:
                raise OSError((done.stderr.strip().splitlines() or ["it failed"])[0])


class S3:
    """A bucket of an S3-compatible store: ``s3://bucket/folder?endpoint=https://host``.

    boto3 finds the credentials: in ``AWS_ACCESS_KEY_ID`` and ``AWS_SECRET_ACCESS_KEY``, or in
    ``~/.aws``.
    """

    pace_s = _PACE_S

    def __init__(self, address: str) -> None:
        url = urlsplit(address)
        self._bucket, self._folder = url.netloc, unquote(url.path).strip("/")
        options = parse_qs(url.query)
        self._endpoint = options.get("endpoint", [None])[0]
        self._region = options.get("region", ["us-east-1"])[0]
        self._client: Any = None
        self._pool = ThreadPoolExecutor(_AT_ONCE, "s3")

    def put(self, files: list[Upload]) -> None:
        """Write files, some at a time. Text is stored in gzip, which every browser reads."""
        with self._open() as client:

            def put(file: Upload) -> None:
                packed = file.mime.startswith(_TEXT) and len(file.data) >= _SMALL
                client.put_object(
                    Bucket=self._bucket,
                    Key=self._key(file.path),
                    Body=_packed(file.data) if packed else file.data,
                    ContentType=file.mime,
                    CacheControl=cache_control(file.max_age_s),
                    **({"ContentEncoding": "gzip"} if packed else {}),
                )

            list(self._pool.map(put, files))

    def remove(self, paths: list[str]) -> None:
        """Remove files."""
        with self._open() as client:
            for path in paths:
                client.delete_object(Bucket=self._bucket, Key=self._key(path))

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None if there is none."""
        with self._open() as client:
            try:
                found = client.get_object(Bucket=self._bucket, Key=self._key(path))
            except client.exceptions.NoSuchKey:
                return None
            data = bytes(found["Body"].read())
            return gzip.decompress(data) if found.get("ContentEncoding") == "gzip" else data

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown()

    def _key(self, path: str) -> str:
        return posixpath.join(self._folder, path)

    @contextmanager
    def _open(self) -> Iterator[Any]:
        with _one_line(f"s3://{self._bucket}"):
            try:
                import boto3
                from botocore.config import Config
            except ImportError as error:
                raise TargetError(f"an S3 store needs the package boto3; {_EXTRA}") from error

            if self._client is None:
                self._client = boto3.client(
                    "s3",
                    endpoint_url=self._endpoint,
                    region_name=self._region,
                    config=Config(
                        connect_timeout=_TIMEOUT_S, read_timeout=_TIMEOUT_S,
                        max_pool_connections=_AT_ONCE, retries={"total_max_attempts": 1},
                        request_checksum_calculation="when_required",
                    ),
                )  # fmt: skip
            yield self._client


def cache_control(max_age_s: int) -> str:
    """Return the header by which caches know for how long they may keep a file."""
    long = max_age_s >= 86_400
    return f"public, max-age={max_age_s}" + (", immutable" if long else "")


_KINDS: Final[Mapping[str, Callable[[str], Target]]] = {
    "sftp": Sftp,
    "rsync": Rsync,
    "rsync+ssh": Rsync,
    "s3": S3,
}
