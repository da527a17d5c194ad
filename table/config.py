"""A table's ``table.toml``, read strictly; ``docs/configuration.md`` has each key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_serializer,
    model_validator,
)

from analysis.options import AnalysisOptions
from game.errors import TilewatchError
from game.events import PictureEdge, Side
from game.options import OptionNames, OptionPath, StrictOptions, load_options, one_line
from game.rulebooks.announcing import announced
from game.rulebooks.loading import DEFAULT_RULEBOOK, load_rulebook, rulebook_ids
from game.tileset import tile_set_ids
from record.paths import data_dir
from record.retention import DEFAULT_BYTES, RetentionRule
from sensors.drivers import BUTTONS, CAMERAS, SIMULATED, ButtonKind, CameraKind
from sensors.options import Announced, CameraOptions, NoButtonsOptions, SimulatedOptions
from table.pairings.details import Seat
from table.server_config import Privacy, ServerAccess, ShowOptions
from table.views.public_policy import PublicPolicy
from woogles.slot import WooglesOptions


class ConfigError(TilewatchError):
    """A configuration that cannot be used, in one line."""


class _Device(BaseModel):
    """A device's kind and, as further keys, the options of that kind."""

    model_config = ConfigDict(extra="allow", strict=True, frozen=True, hide_input_in_errors=True)

    kind: str = SIMULATED

    _kinds: ClassVar[Mapping[str, CameraKind[Any] | ButtonKind[Any]]]
    _options: Any = PrivateAttr()

    @field_validator("kind")
    @classmethod
    def _known(cls, kind: str) -> str:
        if kind not in cls._kinds:
            raise ValueError(f"unknown {kind!r}; known are {', '.join(cls._kinds)}")
        return kind

    @model_validator(mode="after")
    def _options_of_the_kind(self, info: ValidationInfo) -> Self:
        model = self._kinds[self.kind].options
        self._options = model.model_validate(self.model_extra, context=info.context)
        return self

    @property
    def simulated(self) -> bool:
        """True if the device belongs to a simulated table."""
        return self.kind == SIMULATED

    @model_serializer
    def _without_secrets(self) -> dict[str, Any]:
        """Return the kind and the given options in the form for the log: a login is hidden."""
        options: StrictOptions = self._options
        return {"kind": self.kind} | options.model_dump(mode="json", exclude_unset=True)

    def __repr_args__(self) -> Iterator[tuple[str, Any]]:
        """Return the fields for ``repr``, without the given options, which hold logins as text."""
        yield from self._without_secrets().items()


class Camera(_Device):
    """``[camera]``."""

    _kinds = CAMERAS

    @property
    def entry(self) -> CameraKind[Any]:
        """The registry's entry of its kind."""
        return CAMERAS[self.kind]

    @property
    def options(self) -> CameraOptions:
        """The options of its kind."""
        options: CameraOptions = self._options
        return options

    def with_options(self, more: Mapping[str, Any]) -> Camera:
        """Return the camera with more options. Raises ``ConfigError`` with one line."""
        given = self.options.model_dump(exclude_unset=True)
        try:
            return Camera.model_validate({"kind": self.kind, **given, **more})
        except ValidationError as error:
            raise ConfigError(f"camera: {one_line(error)}") from error


class Buttons(_Device):
    """``[buttons]``."""

    _kinds = BUTTONS

    @property
    def entry(self) -> ButtonKind[Any]:
        """The registry's entry of its kind."""
        return BUTTONS[self.kind]

    @property
    def hands(self) -> Mapping[Side, PictureEdge] | None:
        """The edge of the picture from which each player's hand comes; None if there is a clock."""
        return self._options.hands if isinstance(self._options, NoButtonsOptions) else None

    @property
    def options(self) -> StrictOptions:
        """The options of its kind."""
        options: StrictOptions = self._options
        return options


def _kind_alone(value: object) -> object:
    return {"kind": value} if isinstance(value, str) else value


class Players(StrictOptions):
    """``[players]``."""

    left: str | None = Field(default=None, min_length=1)
    right: str | None = Field(default=None, min_length=1)
    file: OptionPath | None = None
    table: int = Field(default=1, ge=1)
    """The table's number in that file."""
    division: str = ""
    """The table's division in that file, if tables of several divisions have the same number."""
    round: int = Field(default=1, ge=1)
    """The round that is played first."""
    first: Side | None = None
    """The side that plays first in games without a clock, if the pairings do not name it."""

    @property
    def seat(self) -> Seat:
        """The table by its number and division in the pairings."""
        return Seat(self.table, self.division)


class Serve(ServerAccess):
    """``[serve]``."""

    on: bool = True
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    names: OptionNames = ()
    """Names under which the pages are reached, besides the machine's own and its addresses."""
    gcg: OptionPath | None = None
    """A file that is rewritten with the game's record after every turn, for tools that watch it."""


class Pictures(StrictOptions):
    """``[pictures]``: for how long evidence pictures are kept."""

    most_gb: float = Field(default=DEFAULT_BYTES / 1e9, ge=0, lt=1e6)
    """The room above which the oldest pictures of signed games go."""
    signed_days: float | None = Field(default=None, ge=1, le=36500)
    """Days after a signed game; None: as long as there is room."""
    unsigned_days: float | None = Field(default=None, ge=1, le=36500)
    """Days after a game that is not signed or was ever reopened; None: for good."""

    @property
    def rule(self) -> RetentionRule:
        """The rule for the evidence."""
        return RetentionRule(round(self.most_gb * 1e9), self.signed_days, self.unsigned_days)


class Racks(StrictOptions):
    """``[racks]``: what is on the racks, sealed for the broadcast role."""

    key: OptionPath | None = None
    """The file with the broadcast role's key, outside the table's data (``tilewatch rack-key``)."""
    left: Annotated[Camera | None, BeforeValidator(_kind_alone)] = None
    """The camera that sees the rack of the player on the left."""
    right: Annotated[Camera | None, BeforeValidator(_kind_alone)] = None

    @property
    def cameras(self) -> dict[Side, Camera]:
        """The cameras by the side whose rack they see."""
        found: dict[Side, Camera | None] = {"left": self.left, "right": self.right}
        return {side: one for side, one in found.items() if one is not None}


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
    announced: Announced = Field(default_factory=dict)
    serve: Serve = Serve()
    show: ShowOptions = ShowOptions()
    public: PublicPolicy = PublicPolicy()
    pictures: Pictures = Pictures()
    racks: Racks = Racks()
    analysis: AnalysisOptions = AnalysisOptions()
    privacy: Privacy = Privacy()
    woogles: WooglesOptions | None = None
    """The account and the broadcast on Woogles where its games are followed; None for none."""
    data: OptionPath | None = None

    @property
    def names_camera(self) -> bool:
        """True if the configuration names a camera, also a simulated one."""
        return "kind" in self.camera.model_fields_set or "simulated" in self.model_fields_set

    @property
    def folder(self) -> Path:
        """The data folder. Raises ``TilewatchError`` for a user without a home folder."""
        return self.data or data_dir()

    @property
    def notice(self) -> Privacy:
        """The notice about pictures, with the days for which this table keeps them."""
        signed, unsigned = self.pictures.signed_days, self.pictures.unsigned_days
        return self.privacy.model_copy(update={"signed_days": signed, "unsigned_days": unsigned})

    @model_validator(mode="after")
    def _known(self) -> TableConfig:
        for name, value, known in (
            ("tile_set", self.tile_set, tile_set_ids()),
            ("rulebook", self.rulebook, rulebook_ids()),
        ):
            if value not in known:
                raise ValueError(f"{name}: unknown {value!r}; known are {', '.join(known)}")
        try:
            announced(load_rulebook(self.rulebook), self.announced)
        except TilewatchError as error:
            raise ValueError(f"announced: {error}") from error
        if self.camera.simulated != self.buttons.simulated:
            raise ValueError(self._half_simulated())
        for side, camera in self.racks.cameras.items():
            if camera.entry.inbox is not None:
                raise ValueError(f"racks.{side}: a phone can only be the camera of the board")
            if camera.simulated != self.camera.simulated:
                raise ValueError(f"racks.{side}: it is simulated if, and only if, the camera is")
        if self.racks.cameras and self.racks.key is None and not self.camera.simulated:
            raise ValueError("racks: name a key; `tilewatch rack-key FILE` makes one")
        return self

    @model_validator(mode="after")
    def _racks_late(self) -> TableConfig:
        sent, public = self.woogles, self.public
        if sent is None or not sent.on or not sent.racks:
            return self
        if not any((sent.delay_min, sent.delay_turns, public.delay_ns, public.delay_turns)):
            raise ValueError(
                "woogles: racks = true needs a delay_min or delay_turns, there or in [public]: "
                "players can look at Woogles, too"
            )
        return self

    def _half_simulated(self) -> str:
        """Return the message for a table with a simulated camera or buttons, but not both."""
        for name, device, kinds, real in (
            ("camera", self.camera, CAMERAS, "the buttons are real"),
            ("buttons", self.buttons, BUTTONS, "the camera is real"),
        ):
            if "kind" not in device.model_fields_set:
                known = ", ".join(kind for kind in kinds if kind != SIMULATED)
                return f"say [{name}] kind, since {real}: one of {known}"
        return "camera and buttons: a simulated table needs both simulated, a real one neither"


def load_config(path: Path) -> TableConfig:
    """Return the configuration in a file. Its paths are relative to the file's folder.

    Raises ``ConfigError`` with one line that names the key.
    """
    return load_options(path, TableConfig, ConfigError)
