"""What has been set up so far, kept beside the data."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from game.errors import TilewatchError
from game.files import SMALL, read_file, write_file

STATE: Final = "setup.json"


class SetupState(BaseModel):
    """Answers and steps that are done. Only its owner can read the file: addresses hold logins."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)

    version: Literal[1] = 1
    answers: dict[str, str] = Field(default_factory=dict)
    done: dict[str, str] = Field(default_factory=dict)
    """The result of each step that is done, in words."""
    written: str = ""
    """The SHA-256 of the configuration that was written last."""

    @classmethod
    def load(cls, folder: Path) -> SetupState:
        """Return the state in a data folder; a new one if there is none. Raises."""
        path = folder / STATE
        try:
            return cls.model_validate_json(read_file(path, SMALL))
        except FileNotFoundError:
            return cls()
        except (OSError, ValidationError) as error:
            why = (error.strerror or error) if isinstance(error, OSError) else "not a set-up's"
            raise TilewatchError(f"{path}: {why}; delete it to set up from the start") from None

    def save(self, folder: Path) -> None:
        """Write it. Raises ``TilewatchError``."""
        path = folder / STATE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_file(path, self.model_dump_json(indent=1).encode(), private=True)
        except OSError as error:
            raise TilewatchError(f"{path}: cannot be written ({error.strerror})") from error

    def wrote(self, data: bytes) -> bool:
        """True if this is the configuration that was written last."""
        return self.written == hashlib.sha256(data).hexdigest()

    def note_written(self, data: bytes) -> None:
        """Remember the configuration that was written."""
        self.written = hashlib.sha256(data).hexdigest()
