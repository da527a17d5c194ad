"""The section ``[privacy]`` of a table or a hub: what an event tells people in its pictures.

::

    [privacy]
    responsible = "Town Hall Scrabble Club, 1 Market Street, Anytown"
    contact = "privacy@club.example"
    ground = "legitimate interests, Article 6(1)(f) GDPR"
    more = "https://club.example/privacy"
    signed_days = 30              # at a hub: the longest that its tables keep pictures
    unsigned_days = 180

A table takes the days from its own ``[pictures]``.
"""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from game.options import StrictOptions


class Privacy(StrictOptions):
    """``[privacy]``: the notice exists once ``responsible`` and ``contact`` are given."""

    responsible: str = Field(default="", max_length=300)
    """The organiser who is responsible (the controller, GDPR Article 4(7)), with an address."""
    contact: str = Field(default="", max_length=300)
    """Whom to ask, by post, telephone or e-mail."""
    why: str = Field(default="", max_length=1000)
    """The purpose, if it is not the score and the settling of disputes alone."""
    ground: str = Field(default="", max_length=300)
    """The legal ground."""
    more: str = Field(default="", max_length=300, pattern=r"^(https?://\S+)?$")
    """The address of a longer notice."""
    signed_days: float | None = Field(default=None, ge=1, le=36500)
    unsigned_days: float | None = Field(default=None, ge=1, le=36500)

    @property
    def given(self) -> bool:
        """True if there is a notice."""
        return bool(self.responsible)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if bool(self.responsible) != bool(self.contact):
            raise ValueError("responsible and contact: give both, or none")
        if not self.responsible and self.model_fields_set:
            raise ValueError("responsible is missing: a notice says who is responsible")
        return self
