"""What the option models of devices have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict


class StrictOptions(BaseModel):
    """Options that are refused when misspelt or of another type, and never change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _path(value: object) -> object:
    return Path(value) if isinstance(value, str) else value


OptionPath = Annotated[Path, BeforeValidator(_path)]
"""A path, written as text."""
