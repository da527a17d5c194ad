"""Options that several kinds of cameras and buttons have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Self

from pydantic import Field, model_validator

from game.events import Edge, Side
from game.options import OptionPath, StrictOptions


class CameraOptions(StrictOptions):
    """The base of every camera kind's options."""

    @property
    def name(self) -> str:
        """The camera's name for people."""
        return "camera"


class ContactOptions(StrictOptions):
    """The base of the options of buttons that are electrical contacts."""

    edges: OptionPath | None = Field(
        default=None, description="file for every raw edge of the contacts"
    )


class NoButtonsOptions(StrictOptions):
    """The options of a table without clock buttons: where each player sits."""

    left: Edge = Field(
        default="bottom",
        description="edge of the picture across which the left player's hand comes",
    )
    right: Edge = Field(default="top", description="the same of the right player")

    @model_validator(mode="after")
    def _apart(self) -> Self:
        if self.left == self.right:
            raise ValueError(f"left and right: both hands cannot come across the {self.left} edge")
        return self

    @property
    def hands(self) -> Mapping[Side, Edge]:
        """The edge of each player."""
        return {"left": self.left, "right": self.right}


Width = Annotated[int, Field(ge=320, le=8192, description="width of the pictures in pixels")]
Height = Annotated[int, Field(ge=240, le=8192, description="height of the pictures in pixels")]
FrameRate = Annotated[int, Field(ge=1, le=60, description="pictures a second")]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""Zero would mean to the camera: choose it yourself."""
