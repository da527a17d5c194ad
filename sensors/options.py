"""Strict options: the base of every model that is read from a configuration file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

FOLDER: Final = "folder"
"""The key of a validation context under which the configuration file's folder stands."""

_UNKNOWN: Final = "unknown_key"


class StrictOptions(BaseModel):
    """Options that are refused when misspelt or of another type, and never change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _no_unknown_key(cls, given: Any) -> Any:
        for key in given if isinstance(given, dict) else ():
            if key not in cls.model_fields:
                known = ", ".join(cls.model_fields)
                context = {"key": key, "known": f"known are {known}" if known else "none is known"}
                raise PydanticCustomError(_UNKNOWN, "unknown key '{key}'; {known}", context)
        return given


class CameraOptions(StrictOptions):
    """The base of every camera kind's options."""

    @property
    def name(self) -> str:
        """The camera's name for people."""
        return "camera"


def _path(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    folder: Path | None = (info.context or {}).get(FOLDER)
    return Path(value) if folder is None else folder / value


OptionPath = Annotated[Path, BeforeValidator(_path)]
"""A path, written as text, relative to the folder of the configuration file."""


class ContactOptions(StrictOptions):
    """The base of the options of buttons that are electrical contacts."""

    edges: OptionPath | None = Field(
        default=None, description="file for every raw edge of the contacts"
    )


Width = Annotated[int, Field(ge=320, le=8192, description="width of the pictures in pixels")]
Height = Annotated[int, Field(ge=240, le=8192, description="height of the pictures in pixels")]
FrameRate = Annotated[int, Field(ge=1, le=60, description="pictures a second")]


def one_line(error: ValidationError) -> str:
    """Return the first fault as ``key: what is wrong with it``."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == _UNKNOWN:
        context = first["ctx"]
        key = ".".join((where, context["key"])) if where else context["key"]
        return f"unknown key {key!r}; {context['known']}"
    text = str(first["msg"]).removeprefix("Value error, ").replace("a valid tuple", "a list")
    return f"{where}: {text}" if where else text
