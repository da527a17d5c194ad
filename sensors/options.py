"""Options that several kinds of cameras and buttons have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from game.errors import TilewatchError
from game.events import PictureEdge, Side
from game.options import OptionPath, StrictOptions
from game.rulebooks.announcing import by_name


def _announced(table: object) -> dict[str, Any]:
    try:
        return by_name(table)
    except TilewatchError as error:
        raise ValueError(str(error)) from error


Announced = Annotated[dict[str, Any], BeforeValidator(_announced)]
"""The settings that an event announces in place of the rulebook's own, by name."""


class CameraOptions(StrictOptions):
    """The base of every camera kind's options."""

    @property
    def name(self) -> str:
        """The camera's name for people."""
        return "camera"

    def own_rate(self) -> float | None:
        """Return the frame rate of a recorded video, in pictures a second.

        0 for a single picture; None if the rate is not known, or the camera is live.
        """
        return None


class SimulatedOptions(StrictOptions):
    """``[simulated]``: the table that a simulated camera looks at."""

    seed: int = 8
    gcg: OptionPath | None = None
    mischief: bool = False
    pace: Literal["real", "brisk"] = "real"
    speed: float = Field(default=1.0, ge=0, le=100)
    """The speed in multiples of real time; 0: as fast as it goes."""
    games: int | None = Field(default=None, ge=1)
    """The number of games after which the table ends; None: it goes on."""
    between_s: float = Field(default=3.0, ge=0)
    """The seconds from the end of a game to the beginning of the next."""
    away_s: float = Field(default=0.0, ge=0)
    """With speed 0, the simulated seconds that pass between two runs of the table."""


class ContactOptions(StrictOptions):
    """The base of the options of buttons that are electrical contacts."""

    edges: OptionPath | None = Field(
        default=None, description="file for every raw edge of the contacts"
    )


class NoButtonsOptions(StrictOptions):
    """The options of a table without clock buttons: where each player sits."""

    left: PictureEdge = Field(
        default="bottom",
        description="edge of the picture across which the left player's hand comes",
    )
    right: PictureEdge = Field(
        default="top", description="edge of the picture across which the right player's hand comes"
    )

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.left == self.right:
            raise ValueError(f"left and right: both hands cannot come across the {self.left} edge")
        return self

    @property
    def hands(self) -> Mapping[Side, PictureEdge]:
        """The edge of the picture from which each player's hand comes."""
        return {"left": self.left, "right": self.right}


Width = Annotated[int, Field(ge=320, le=8192, description="width of the pictures in pixels")]
Height = Annotated[int, Field(ge=240, le=8192, description="height of the pictures in pixels")]
FrameRate = Annotated[int, Field(ge=1, le=60, description="pictures a second")]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A number above zero: zero would tell the camera to choose the value itself."""
