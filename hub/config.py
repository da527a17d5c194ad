"""A hub's configuration: ``hub.toml``, read strictly.

::

    venue = "town-hall"           # part of every topic: small letters, digits, hyphens
    name = "Town Hall Open"
        pairings = "tourney.js"       # or a CSV: round, table, left, right

    [broker]
    run = true                    # run mosquitto beside the hub; false: it runs elsewhere
    port = 8883
    advertise = "192.168.1.10"    # where tables find it; found out where it is not said

    [pictures]
    background_kbit = 8000        # for pictures that nobody waits for, all tables together

    [serve]
    host = "0.0.0.0"
    port = 8000

    [public]                      # what everybody may see, as in table.toml
    delay_min = 0
"""

from __future__ import annotations

import socket
import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from game.files import SMALL, read_file
from hub.errors import HubError
from hub.wire.topics import checked_name
from table.server_config import ServerAccess
from table.views.public_policy import PublicPolicy


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def _path(value: object) -> object:
    return Path(value) if isinstance(value, str) else value


class BrokerConfig(_Strict):
    """``[broker]``."""

    run: bool = True
    host: str = "127.0.0.1"
    """Host of a broker that the hub does not run itself."""
    port: int = Field(default=8883, ge=1, le=65535)
    listen: str = ""
    """The address that mosquitto listens on; empty: every one."""
    advertise: str | None = None
    ca: Annotated[Path | None, BeforeValidator(_path)] = None
    """Of a broker elsewhere: the certificate of its authority."""
    password_file: Annotated[Path | None, BeforeValidator(_path)] = None
    """Of a broker elsewhere: the hub's own password there, alone in a file."""
    extra: str = ""
    """Lines for mosquitto's configuration as they stand: a bridge, for one."""


class PicturesConfig(_Strict):
    """``[pictures]``."""

    background: bool = True
    background_kbit: int = Field(default=8000, ge=8)


class ServeConfig(ServerAccess):
    """``[serve]``."""

    host: str = "0.0.0.0"  # noqa: S104 (a hall's hub is there for the hall)
    port: int = Field(default=8000, ge=0, le=65535)
    hosts: tuple[str, ...] = ()
    """Names under which the pages are reached besides the machine's own."""
    streams: int = Field(default=400, ge=1, le=5000)

    @field_validator("hosts", mode="before")
    @classmethod
    def _listed(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value


class HubConfig(_Strict):
    """A whole ``hub.toml``."""

    venue: str = "hall"
    name: str = Field(default="The hall", min_length=1)
    pairings: Annotated[Path | None, BeforeValidator(_path)] = None
    broker: BrokerConfig = BrokerConfig()
    pictures: PicturesConfig = PicturesConfig()
    serve: ServeConfig = ServeConfig()
    public: PublicPolicy = PublicPolicy()
    data: Annotated[Path | None, BeforeValidator(_path)] = None

    @field_validator("venue")
    @classmethod
    def _venue(cls, value: str) -> str:
        try:
            return checked_name(value, "venue")
        except HubError as error:
            raise ValueError(str(error)) from error


def load_hub_config(path: Path | None) -> HubConfig:
    """The configuration in a file; the defaults where there is none.

    Paths in it are relative to it. Raises ``HubError`` with one line that names the key.
    """
    if path is None:
        return HubConfig()
    try:
        config = HubConfig.model_validate(tomllib.loads(read_file(path, SMALL, HubError).decode()))
    except OSError as error:
        raise HubError(f"{path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HubError(f"{path}: not TOML: {error}") from error
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        if first["type"] == "extra_forbidden":
            raise HubError(f"{path}: unknown key {where!r}") from error
        text = str(first["msg"]).removeprefix("Value error, ")
        raise HubError(f"{path}: {where}: {text}") from error
    return _beside(config, path.parent)


def _beside(config: HubConfig, folder: Path) -> HubConfig:
    def there(path: Path | None) -> Path | None:
        return None if path is None else folder / path

    broker = config.broker.model_copy(
        update={
            "ca": there(config.broker.ca),
            "password_file": there(config.broker.password_file),
        }
    )
    return config.model_copy(
        update={
            "broker": broker,
            "pairings": there(config.pairings),
            "data": there(config.data),
        }
    )


def own_address() -> str:
    """The address of this machine in its network, as far as it can be told without a word sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent: it only chooses a way
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
