"""Messages between tables and hub: each is declared once, with its channel, delivery and fields.

A topic is ``tilewatch/<venue>/<table>/<channel>``. A table may write the channels in
:data:`TABLE_SAYS` of its own and read those in :data:`HUB_SAYS`; the broker's access list keeps it
to that (``hub.broker.access``). ``events`` carries the log's records (``hub.wire.records``) and
``have`` pieces of pictures (``hub.wire.picture_chunks``). Every other channel has one model here,
and a message of it is the JSON array ``[body, key, signature]``: ``body`` is the text of a JSON
object, ``key`` the public half of the signer's Ed25519 key and ``signature`` its signature of

    "tilewatch message" LF kind LF venue/table LF key LF SHA-256(body) LF

so that no message passes for one of another kind or of another table. The broker and the network
are trusted with nothing but delivery.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, TypeVar, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationError,
)

from game.events import TroubleNoted
from game.events.values import MAX_NS, MisfitError, check_any, short
from game.options import one_line
from game.printable import printable
from game.troubles import TROUBLES
from hub.errors import ForgedError, HubError, WireError
from record import strict_json
from record.chain import canonical_json
from record.seals import is_signed_by
from record.signing import TableKey

ROOT: Final = "tilewatch"

MAX_MESSAGE: Final = 32 * 1024
"""The most bytes of a sealed message."""

MAX_LINE: Final = 300
"""The most characters of a text for people."""

TableSays: TypeAlias = Literal["events", "presence", "facts", "answers", "have"]
HubSays: TypeAlias = Literal["ack", "requests", "want"]
Channel: TypeAlias = Literal[TableSays, HubSays]

TABLE_SAYS: Final[tuple[TableSays, ...]] = get_args(TableSays)
HUB_SAYS: Final[tuple[HubSays, ...]] = get_args(HubSays)

_NAME: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
_PHASE: Final = 40
_TILE: Final = 12
_TILES: Final = 225
_TROUBLES: Final = 20
_WHAT: Final = 40
_RATES: Final = (0.1, 100.0)
"""The slowest and the fastest rate of a table's clock that is accepted."""


# --- topics ---


def checked_name(name: str, what: str) -> str:
    """Return ``name`` if it can be part of a topic. Raises ``HubError`` otherwise."""
    if not _NAME.fullmatch(name):
        raise HubError(
            f"{name[:60]!r} is no name of a {what}: it has 1 to 40 small letters, digits and "
            "hyphens, and a letter or digit at both ends"
        )
    return name


@dataclass(frozen=True, slots=True)
class Address:
    """One table of one venue."""

    venue: str
    table: str

    def __post_init__(self) -> None:
        checked_name(self.venue, "venue")
        checked_name(self.table, "table")

    def topic(self, channel: Channel) -> str:
        """The topic of one of its channels."""
        return f"{ROOT}/{self.venue}/{self.table}/{channel}"

    def __str__(self) -> str:
        return f"{self.venue}/{self.table}"


def all_tables(venue: str, channel: Channel) -> str:
    """Return the topic filter for a channel of every table of a venue."""
    return f"{ROOT}/{checked_name(venue, 'venue')}/+/{channel}"


def parse_topic(topic: str) -> tuple[Address, str]:
    """The table and the channel of a topic. Raises ``HubError`` for one that is not ours."""
    parts = topic.split("/")
    if len(parts) != 4 or parts[0] != ROOT:
        raise HubError(f"{topic[:80]!r} is no topic of a table")
    return Address(parts[1], parts[2]), parts[3]


# --- fields ---


class Body(BaseModel):
    """The base of all messages; fields that a newer version adds are ignored."""

    model_config = ConfigDict(strict=True, frozen=True)


def _checked_any(value: Any) -> Any:
    if isinstance(value, TableFacts):
        return value
    try:
        return check_any(value)
    except MisfitError as misfit:
        raise ValueError(f"facts{misfit}"[:MAX_LINE]) from misfit


def _rate(value: object) -> float:
    slowest, fastest = _RATES
    good = isinstance(value, int | float) and slowest <= value <= fastest
    return float(value) if good else 1.0  # type: ignore[arg-type]


def _texts(value: object) -> tuple[str, ...]:
    found = value[:_TILES] if isinstance(value, list | tuple) else ()
    return tuple(str(one)[:_TILE] for one in found)


def _trouble_json(troubles: Sequence[TroubleNoted]) -> list[dict[str, Any]]:
    return [
        {
            "code": one.code,
            "message": one.message,
            "since_ns": one.t_ns,
            "what": one.what,
            "stands": one.state == "begins",
        }
        for one in troubles
    ]


def _troubles(value: object) -> tuple[TroubleNoted, ...]:
    """A table's troubles; entries of another form or of an unknown kind are left out."""
    found = []
    for one in value[:_TROUBLES] if isinstance(value, list | tuple) else ():
        if isinstance(one, TroubleNoted):
            found.append(one)
        elif isinstance(one, dict) and isinstance(code := one.get("code"), str):
            since_ns = one.get("since_ns")
            if code in TROUBLES:
                found.append(
                    TroubleNoted(
                        code,
                        str(one.get("what", ""))[:_WHAT],
                        "begins" if one.get("stands", True) else "happened",
                        str(one.get("message", ""))[:MAX_LINE],
                        since_ns if isinstance(since_ns, int) else 0,
                    )
                )
    return tuple(found)


Count = Annotated[int, Field(ge=0, le=MAX_NS)]
Hash = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Session = Annotated[str, Field(max_length=64, pattern=r"^[ -~]*$")]
RequestId = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[!-~]*$")]
Line = Annotated[str, AfterValidator(lambda text: printable(text[:MAX_LINE])[:MAX_LINE])]
"""A text for people: cut to what a line holds, with nothing in it that cannot be shown."""


class TableFacts(Body):
    """A table's facts. A fact of another form than is expected counts as not reported."""

    name: Any = ""
    phase: Annotated[str, BeforeValidator(lambda value: str(value)[:_PHASE])] = "waiting"
    uncounted: Annotated[tuple[str, ...], BeforeValidator(_texts)] = ()
    """The tiles of no turn yet, each as ``8H A``."""
    rate: Annotated[float, BeforeValidator(_rate)] = 1.0
    """Seconds of the table's clock in one second."""
    game: Any = None
    """The game in short, for a reader without the log: scores, whose turn, clocks."""
    trouble: Annotated[
        tuple[TroubleNoted, ...], BeforeValidator(_troubles), PlainSerializer(_trouble_json)
    ] = ()


# --- messages ---


class Message(Body):
    """The base of the sealed messages: one model for each channel."""

    channel: ClassVar[Channel]
    kind: ClassVar[str]
    """The name of the kind in the text that is signed."""
    qos: ClassVar[int] = 1
    retained: ClassVar[bool] = False
    """True if the broker keeps the newest for clients that come later."""


class Announcement(Message):
    """A table's announcement, or its last will."""

    channel = "presence"
    kind = "presence"
    retained = True

    state: Literal["here", "lost", "stopped"]
    session: Session


class Facts(Message):
    """A table's report of itself."""

    channel = "facts"
    kind = "facts"
    qos = 0
    retained = True

    session: Session
    n: Count
    """Counts the reports of a session."""
    mono_ns: int = Field(ge=-MAX_NS, le=MAX_NS)
    seq: Count = 0
    hash: Hash | None = None
    """Hash of the table's newest record, whose sequence is ``seq``."""
    facts: Annotated[TableFacts, BeforeValidator(_checked_any)]


class RequestAnswer(Message):
    """The result of a request."""

    channel = "answers"
    kind = "answer"

    id: RequestId
    status: Literal["done", "refused", "withdrawn"]
    done_seq: Count | None = None
    text: Line | None = Field(default=None, alias="said")


class Ack(Message):
    """The last record of a table's log that the hub has."""

    channel = "ack"
    kind = "ack"

    seq: Count
    hash: Hash
    hub: Session
    """The hub's session."""
    again: bool = False
    """True if the table must send the records after that one again."""
    refused: Line | None = None


class Request(Message):
    """A director's request (``hub.wire.posts``), or the recall of one."""

    channel = "requests"
    kind = "request"

    id: RequestId
    post: Mapping[str, Any]
    seen: int
    """The newest sequence of the table's log that the asking director can have seen."""
    cancel: bool = False


class PictureWanted(Message):
    """The hub's request for the piece of a picture that begins at ``offset``."""

    channel = "want"
    kind = "want"

    sha256: Hash
    offset: Count


TableMessage: TypeAlias = Announcement | Facts | RequestAnswer
HubMessage: TypeAlias = Ack | Request | PictureWanted

OF_TABLES: Final[Mapping[str, type[TableMessage]]] = {m.channel: m for m in get_args(TableMessage)}
OF_HUBS: Final[Mapping[str, type[HubMessage]]] = {m.channel: m for m in get_args(HubMessage)}
"""The messages by their channels."""

_B = TypeVar("_B", bound=BaseModel)
_M = TypeVar("_M", bound=Message)


def parsed(model: type[_B], body: Mapping[str, Any], otherwise: str = "") -> _B:
    """The body of a message as this model.

    Raises ``WireError`` with the first fault, or with the line ``otherwise``.
    """
    try:
        return model.model_validate(body)
    except ValidationError as error:
        name = getattr(model, "kind", model.__name__.lower())
        raise WireError(otherwise or f"{name}: {one_line(error)[:MAX_LINE]}") from error


def seal(message: Message, address: Address, key: TableKey) -> bytes:
    """The bytes of a message to or from this table, signed with ``key``."""
    return seal_body(message.kind, address, message.model_dump(mode="json", by_alias=True), key)


def seal_body(kind: str, address: Address, body: Mapping[str, Any], key: TableKey) -> bytes:
    """The bytes of a message of this kind with any body: nothing is checked."""
    text = canonical_json(body)
    signature = key.sign(_signed(kind, address, key.public, text))
    return json.dumps([text, key.public, signature], ensure_ascii=False).encode()


def unseal(model: type[_M], address: Address, message: bytes, keys: Container[str]) -> _M:
    """The message that one of ``keys`` signed.

    Raises ``WireError``; ``ForgedError`` if none of them signed it.
    """
    kind = model.kind
    if len(message) > MAX_MESSAGE:
        raise WireError(f"{kind}: {len(message)} bytes are too many; at most {MAX_MESSAGE}")
    try:
        text, key, signature = strict_json.loads(message)
        if not all(isinstance(part, str) for part in (text, key, signature)):
            raise ValueError("its parts are not texts")
    except (ValueError, TypeError) as error:
        raise WireError(f"{kind}: no sealed message ({short(str(error))})") from error
    if key not in keys:
        raise ForgedError(f"{kind}: signed by an unknown key {short(key[:16])}")
    if not is_signed_by(key, _signed(kind, address, key, text), signature):
        raise ForgedError(f"{kind}: its signature does not hold")
    try:
        body = strict_json.loads(text.encode())
    except ValueError as error:
        raise WireError(f"{kind}: its body cannot be read ({short(str(error))})") from error
    if not isinstance(body, dict):
        raise WireError(f"{kind}: its body is no object")
    return parsed(model, body)


def _signed(kind: str, address: Address, key: str, text: str) -> bytes:
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"tilewatch message\n{kind}\n{address}\n{key}\n{digest}\n".encode()
