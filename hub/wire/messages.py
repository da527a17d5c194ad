"""The bodies of messages as models: what a field may be stands here, for both ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from game.events.limits import MAX_NS
from game.options import one_line
from hub.errors import WireError


class Body(BaseModel):
    """The base of all of them; what a newer version says besides is passed over."""

    model_config = ConfigDict(strict=True, frozen=True)


_B = TypeVar("_B", bound=BaseModel)


def parsed(kind: type[_B], body: Mapping[str, Any], otherwise: str = "") -> _B:
    """The body of a message as this model.

    Raises ``WireError`` with the first fault, or with the line ``otherwise``.
    """
    try:
        return kind.model_validate(body)
    except ValidationError as error:
        line = otherwise or f"{kind.__name__.lower()}: {one_line(error)[:300]}"
        raise WireError(line) from error


Count = Annotated[int, Field(ge=0, le=MAX_NS)]
Session = Annotated[str, Field(max_length=64, pattern=r"^[\x00-\x7f]*$")]
RequestId = Annotated[str, Field(min_length=1, max_length=40)]


class Presence(Body):
    """A table's announcement, or its last will."""

    state: Literal["here", "lost", "stopped"]
    session: Session


class Facts(Body):
    """A table's report of itself."""

    session: Session
    n: Count
    mono_ns: int = Field(ge=-MAX_NS, le=MAX_NS)
    facts: dict[str, Any]


class Ack(Body):
    """The last record of a table's log that the hub has."""

    seq: Count
    hash: str
    hub: str
    """The hub's session."""
    again: bool = False
    refused: str | None = None


class RequestAnswer(Body):
    """The result of a request."""

    id: RequestId
    status: Literal["done", "refused", "withdrawn"]
    done_seq: int | None = None
    text: str | None = Field(default=None, alias="said")
