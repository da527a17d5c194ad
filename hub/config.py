"""A hub's configuration: ``hub.toml``, read strictly. ``docs/hub.md`` has every key."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import Field, Strict, field_validator

from game.options import OptionNames, OptionPath, StrictOptions, load_options
from hub.errors import HubError
from hub.wire.messages import checked_name
from record.paths import hub_dir
from table.address import ALL, network_address
from table.server_config import Privacy, ServerAccess, ShowOptions
from table.views.public_policy import PublicPolicy


class BrokerConfig(StrictOptions):
    """``[broker]``."""

    run: bool = True
    host: str = "127.0.0.1"
    """Host of a broker that the hub does not run itself."""
    port: int = Field(default=8883, ge=1, le=65535)
    listen: str = ""
    """The address that mosquitto listens on; empty: every one."""
    advertise: str | None = None
    ca: OptionPath | None = None
    """For a broker elsewhere: the certificate of its authority."""
    password_file: OptionPath | None = None
    """For a broker elsewhere: a file with nothing but the hub's own password."""
    extra: str = ""
    """Lines that are appended to mosquitto's configuration, for example a bridge."""


class PicturesConfig(StrictOptions):
    """``[pictures]``."""

    background: bool = True
    background_kbit: int = Field(default=8000, ge=8)


class ServeConfig(ServerAccess):
    """``[serve]``."""

    host: str = "0.0.0.0"  # noqa: S104 (a hall's hub is there for the hall)
    port: int = Field(default=8000, ge=0, le=65535)
    hosts: OptionNames = ()
    """Names under which the pages are reached besides the machine's own."""
    streams: int = Field(default=400, ge=1, le=5000)


class RoundsConfig(StrictOptions):
    """``[rounds]``: when they begin."""

    begin: Annotated[tuple[datetime, ...], Strict(strict=False)] = ()
    """The beginnings of the rounds in their order; without an offset in this machine's time."""
    minutes: int = Field(default=60, ge=1, le=1440)

    def of(self, number: int) -> datetime | None:
        """Return when a round begins, in local time; None if that is not known."""
        known = self.begin[number - 1 : number] if number > 0 else ()
        return known[0].astimezone() if known else None


class PublishConfig(StrictOptions):
    """``[publish]``."""

    target: str = ""
    """The place of the files, as ``hub.publish.targets`` has it; empty: nothing is published."""
    address: str = ""
    """The address at which people read them, for previews of links."""
    every_s: float = Field(default=3.0, ge=1, le=60)
    """The seconds after which an open page asks again."""


class HubConfig(StrictOptions):
    """A whole ``hub.toml``."""

    venue: str = "hall"
    name: str = Field(default="The hall", min_length=1)
    pairings: OptionPath | None = None
    broker: BrokerConfig = BrokerConfig()
    pictures: PicturesConfig = PicturesConfig()
    serve: ServeConfig = ServeConfig()
    show: ShowOptions = ShowOptions()
    public: PublicPolicy = PublicPolicy()
    privacy: Privacy = Privacy()
    rounds: RoundsConfig = RoundsConfig()
    publish: PublishConfig = PublishConfig()
    data: OptionPath | None = None

    @property
    def folder(self) -> Path:
        """The data folder. Raises ``TilewatchError`` for a user without a home folder."""
        return self.data or hub_dir()

    @field_validator("venue")
    @classmethod
    def _venue(cls, value: str) -> str:
        try:
            return checked_name(value, "venue")
        except HubError as error:
            raise ValueError(str(error)) from error


def load_hub_config(path: Path | None) -> HubConfig:
    """Return the configuration in a file; the defaults if ``path`` is None.

    Its paths are relative to the file's folder. Raises ``HubError`` with one line that names the
    key.
    """
    if path is None:
        return HubConfig()
    return load_options(path, HubConfig, HubError)


def own_address(listen: str = "") -> str:
    """Return the address at which other machines reach a server that listens on ``listen``.

    If the server listens on all addresses, it is this machine's address in its network. Nothing is
    sent to find it.
    """
    found = network_address(listen)
    return "127.0.0.1" if found in ALL else found
