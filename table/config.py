"""A table's configuration: ``table.toml``, read strictly.

::

    name = "Table 1"
    tile_set = "english"
    rulebook = "wespa-2007"
    camera = "simulated"          # or "webcam", "pi"; or a section [camera] with kind and more
    buttons = "simulated"         # or "gpio", "keyboard", "web"; or a section [buttons]

    [simulated]                   # of a simulated camera
    seed = 8
    mischief = true

    [players]                     # whoever sits down is asked otherwise
    left = "Ann"
    right = "Bob"
    file = "pairings.csv"         # or a tourney.js of TSH
    table = 7

    [serve]
    host = "127.0.0.1"
    port = 8000
    api = "public"                # who may ask the API: table.reach

    [public]                      # what everybody may see, and how late: table.public
    delay_min = 5.0
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from game.errors import TilewatchError
from game.files import SMALL, read_file
from game.rulebooks.loading import DEFAULT_RULEBOOK, rulebook_ids
from game.tileset import tile_set_ids
from sensors.options import OptionPath, StrictOptions
from simulation.options import SimulatedOptions
from table.server_config import Limits, ServerAccess
from table.views.public_policy import PublicPolicy


class ConfigError(TilewatchError):
    """A configuration that cannot be used, in one line."""


class _Device(BaseModel):
    """A device's kind; whatever else is said of it goes to its driver."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True)

    @property
    def options(self) -> dict[str, Any]:
        """What is said of it besides its kind."""
        return dict(self.model_extra or {})


class Camera(_Device):
    """``[camera]``."""

    kind: Literal["simulated", "webcam", "pi"] = "simulated"


class Buttons(_Device):
    """``[buttons]``."""

    kind: Literal["simulated", "gpio", "keyboard", "web"] = "simulated"


def _kind_alone(value: object) -> object:
    return {"kind": value} if isinstance(value, str) else value


class Players(StrictOptions):
    """``[players]``."""

    left: str | None = Field(default=None, min_length=1)
    right: str | None = Field(default=None, min_length=1)
    file: OptionPath | None = None
    table: int = Field(default=1, ge=1)
    """The table's number in that file."""
    round: int = Field(default=1, ge=1)
    """The round that is played first."""


class Serve(ServerAccess):
    """``[serve]``."""

    on: bool = True
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    names: tuple[str, ...] = ()
    """Names under which the pages are reached, besides the machine's own and its addresses."""
    gcg: OptionPath | None = None
    """A file that is rewritten with the game's record after every turn, for tools that watch it."""


class TableConfig(StrictOptions):
    """A whole ``table.toml``."""

    name: str = Field(default="Table 1", min_length=1)
    tile_set: str = "english"
    rulebook: str = DEFAULT_RULEBOOK
    word_list: OptionPath | None = None
    """Words from which letters for blanks are suggested to the director; none are shipped."""
    camera: Annotated[Camera, BeforeValidator(_kind_alone)] = Camera()
    buttons: Annotated[Buttons, BeforeValidator(_kind_alone)] = Buttons()
    simulated: SimulatedOptions = SimulatedOptions()
    players: Players = Players()
    serve: Serve = Serve()
    public: PublicPolicy = PublicPolicy()
    data: OptionPath | None = None

    @model_validator(mode="after")
    def _known(self) -> TableConfig:
        for name, value, known in (
            ("tile_set", self.tile_set, tile_set_ids()),
            ("rulebook", self.rulebook, rulebook_ids()),
        ):
            if value not in known:
                raise ValueError(f"{name}: unknown {value!r}; known are {', '.join(known)}")
        if (self.camera.kind == "simulated") != (self.buttons.kind == "simulated"):
            raise ValueError(
                "camera and buttons: a simulated table needs both simulated, a real one neither"
            )
        return self


def load_config(path: Path | None) -> TableConfig:
    """The configuration in a file; the defaults, a simulated table, where there is none.

    Paths in it are relative to it. Raises ``ConfigError`` with one line that names the key.
    """
    if path is None:
        return TableConfig()
    try:
        data = tomllib.loads(read_file(path, SMALL, ConfigError).decode())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    try:
        config = TableConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError(f"{path}: {_one_line(error)}") from error
    return _beside(config, path.parent)


def _beside(config: TableConfig, folder: Path) -> TableConfig:
    def there(path: Path | None) -> Path | None:
        return None if path is None else folder / path

    return config.model_copy(
        update={
            "data": there(config.data),
            "word_list": there(config.word_list),
            "simulated": config.simulated.model_copy(update={"gcg": there(config.simulated.gcg)}),
            "players": config.players.model_copy(update={"file": there(config.players.file)}),
            "serve": config.serve.model_copy(update={"gcg": there(config.serve.gcg)}),
        }
    )


_SECTIONS: dict[str, type[BaseModel]] = {
    "camera": Camera,
    "buttons": Buttons,
    "simulated": SimulatedOptions,
    "players": Players,
    "serve": Serve,
    "serve.limits": Limits,
    "public": PublicPolicy,
}


def _one_line(error: ValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"])
    if first["type"] == "extra_forbidden":
        section = _SECTIONS.get(where.rpartition(".")[0], TableConfig)
        known = ", ".join(section.model_fields)
        return f"unknown key {where!r}; known are {known}"
    text = str(first["msg"]).removeprefix("Value error, ").replace("a valid tuple", "a list")
    return f"{where}: {text}" if where else text
