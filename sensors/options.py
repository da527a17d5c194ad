"""Options that several kinds of cameras and buttons have."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

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


Width = Annotated[int, Field(ge=320, le=8192, description="width of the pictures in pixels")]
Height = Annotated[int, Field(ge=240, le=8192, description="height of the pictures in pixels")]
FrameRate = Annotated[int, Field(ge=1, le=60, description="pictures a second")]
