"""The folders and files of a table's data."""

from __future__ import annotations

import os
import re
import secrets
import time
from pathlib import Path

from game.errors import TilewatchError

DATABASE = "tilewatch.db"
EVIDENCE = "evidence"
HUB_DATABASE = "hub.db"
HUB_FILE = "hub.json"
"""The file that says how a table reaches its hub."""


def data_dir() -> Path:
    """``$XDG_DATA_HOME/tilewatch``, which is ``~/.local/share/tilewatch`` unless set otherwise.

    Raises ``TilewatchError`` for a user without a home folder.
    """
    home = os.environ.get("XDG_DATA_HOME")
    try:
        base = Path(home) if home else Path.home() / ".local" / "share"
    except RuntimeError as error:
        raise TilewatchError(
            "this user has no home folder to keep data in; name a folder with --data"
        ) from error
    return base / "tilewatch"


def hub_dir() -> Path:
    """Return the folder of a hub's data: next to that of a table, not in it."""
    return data_dir().with_name("tilewatch-hub")


def new_game_id(name: str) -> str:
    """Return a unique id for a new game: its name, the time, and a random end."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40] or "game"
    when = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    return f"{slug}-{when}-{secrets.token_hex(2)}"
