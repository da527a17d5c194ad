"""The broker's two files: the passwords, and the list of who may write and read which topic.

A table's user name is its id, and the list is written in patterns of it, so that no table can write
what another sends or read what is sent to another. Passwords are 256 random bits each; the broker's
file keeps a salted hash of them.
"""

from __future__ import annotations

import base64
import hashlib
import re
import secrets
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from game.files import write_file
from hub.errors import HubError
from hub.store import Enrolled
from hub.wire.topics import HUB_SAYS, ROOT, TABLE_SAYS, checked_name

HUB_USER: Final = "_hub"
"""No table can be called so."""

WATCHER_USER: Final = "_watcher"
"""A bridge to a wider hall's broker: it may read what tables say, and no more. It has no password;
nobody can come in by this name."""

_ROUNDS: Final = 101
_HASHED: Final = re.compile(r"\$7\$\d+\$[A-Za-z0-9+/=]+\$[A-Za-z0-9+/=]+")


def new_password() -> str:
    """A new random password."""
    return secrets.token_urlsafe(32)


def hash_password(password: str) -> str:
    """A password as mosquitto's file has it: ``$7$rounds$salt$PBKDF2-HMAC-SHA512``."""
    salt = secrets.token_bytes(12)
    digest = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, _ROUNDS)
    return f"$7${_ROUNDS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"


def password_file(tables: Iterable[Enrolled], others: Iterable[tuple[str, str]]) -> str:
    """The contents of the broker's password file: who is enrolled, has a password and may come.

    ``others`` are users beside the tables, each with a hashed password.
    """
    lines = [f"{user}:{_checked(entry)}" for user, entry in others]
    lines += [
        f"{checked_name(table.id, 'table')}:{_checked(table.password)}"
        for table in tables
        if table.password is not None and table.revoked is None
    ]
    return "".join(line + "\n" for line in lines)


def access_list(venue: str) -> str:
    """The contents of the broker's access list."""
    root = f"{ROOT}/{checked_name(venue, 'venue')}"
    lines = [f"user {HUB_USER}", f"topic readwrite {root}/#", ""]
    lines += [f"user {WATCHER_USER}"]
    lines += [f"topic read {root}/+/{channel}" for channel in TABLE_SAYS]
    lines += [f"topic read {root}/+/ack", ""]
    lines += [f"pattern write {root}/%u/{channel}" for channel in TABLE_SAYS]
    lines += [f"pattern read {root}/%u/{channel}" for channel in HUB_SAYS]
    return "".join(line + "\n" for line in lines)


def _checked(entry: str) -> str:
    if not _HASHED.fullmatch(entry):
        raise HubError("a password that is not hashed as the broker wants it")
    return entry


def write_private_text(path: Path, text: str) -> None:
    """Write a file that only its owner reads: all of it, or what was there before.

    Raises ``HubError``.
    """
    try:
        write_file(path, text.encode(), private=True)
    except OSError as error:
        raise HubError(f"{path}: cannot be written ({error.strerror})") from error
