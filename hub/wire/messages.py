"""The bodies of messages as models: what a field may be stands here, for both ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from game.events.values import MAX_NS
from game.options import one_line
from game.printable import printable
from hub.errors import WireError

MAX_LINE: Final = 300
"""Characters of a text for people at most."""


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
        line = otherwise or f"{kind.__name__.lower()}: {one_line(error)[:MAX_LINE]}"
        raise WireError(line) from error


Count = Annotated[int, Field(ge=0, le=MAX_NS)]
Session = Annotated[str, Field(max_length=64, pattern=r"^[ -~]*$")]
RequestId = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[!-~]*$")]
Line = Annotated[str, AfterValidator(lambda text: printable(text[:MAX_LINE])[:MAX_LINE])]
"""A text for people: cut to what a line holds, with nothing in it that cannot be shown."""


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
    hash: str = Field(pattern="^[0-9a-f]{64}$")
    hub: Session
    """The hub's session."""
    again: bool = False
    refused: Line | None = None


class RequestAnswer(Body):
    """The result of a request."""

    id: RequestId
    status: Literal["done", "refused", "withdrawn"]
    done_seq: Count | None = None
    text: Line | None = Field(default=None, alias="said")
