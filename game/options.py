"""Configuration files: strict options, and how a file of them is read."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import PydanticCustomError

from game.errors import TilewatchError
from game.files import SMALL, read_file

FOLDER: Final = "folder"
"""The key under which pydantic's validation context holds the configuration file's folder."""

_UNKNOWN: Final = "unknown_key"


class StrictOptions(BaseModel):
    """Options that refuse unknown keys and values of another type, and never change."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, hide_input_in_errors=True)

    @model_validator(mode="before")
    @classmethod
    def _no_unknown_key(cls, given: Any) -> Any:
        for key in given if isinstance(given, dict) else ():
            if key not in cls.model_fields:
                known = ", ".join(cls.model_fields)
                context = {"key": key, "known": f"known are {known}" if known else "none is known"}
                raise PydanticCustomError(_UNKNOWN, "unknown key '{key}'; {known}", context)
        return given


def _path(value: object, info: ValidationInfo) -> object:
    if not isinstance(value, str):
        return value
    if not value or "\0" in value:
        raise ValueError("names no file; give its path")
    folder: Path | None = (info.context or {}).get(FOLDER)
    return Path(value) if folder is None else folder / value


def _tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


OptionPath = Annotated[Path, BeforeValidator(_path)]
"""A path, written as text, relative to the folder of the configuration file."""

OptionNames = Annotated[tuple[str, ...], BeforeValidator(_tuple)]
"""A list of texts."""

_Options = TypeVar("_Options", bound=StrictOptions)


def load_options(path: Path, model: type[_Options], error_type: type[TilewatchError]) -> _Options:
    """Return the options in a TOML file; paths in it are relative to its folder.

    Raises:
        TilewatchError: an ``error_type``, with one line that names the file and the key.
    """
    try:
        data = tomllib.loads(read_file(path, SMALL, error_type).decode("utf-8-sig"))
        return model.model_validate(data, context={FOLDER: path.parent})
    except OSError as error:
        raise error_type(f"{path}: cannot be read ({error.strerror})") from error
    except ValidationError as error:
        raise error_type(f"{path}: {one_line(error)}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise error_type(f"{path}: not TOML: {error}") from error


def one_line(error: ValidationError) -> str:
    """Return the first fault as ``key: fault``."""
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == _UNKNOWN:
        context = first["ctx"]
        key = ".".join((where, context["key"])) if where else context["key"]
        return f"unknown key {key!r}; {context['known']}"
    text = str(first["msg"]).removeprefix("Value error, ").replace("a valid tuple", "a list")
    return f"{where}: {text}" if where else text
