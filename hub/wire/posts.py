"""Requests to a table's desk (``table.desk``), as JSON on their way there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, get_args

from pydantic import TypeAdapter, ValidationError

from game.errors import TilewatchError
from game.events import FACTS, SIDES, Event, GameStarted, PlayersNamed, Retracted, from_payload
from game.options import one_line
from hub.errors import WireError
from record.story.event_wording import describe_entry
from table.desk import DeskPress, DirectorPost, NoteAction, PlayerPress, Post, Ruling
from table.game_setup import MAX_NAME

MAX_WHY: Final = 400
MAX_BY: Final = 2 * MAX_NAME + 20
_KINDS: Final[Mapping[str, type[DirectorPost]]] = {one.kind: one for one in get_args(DirectorPost)}
_OF_THE_TABLE: Final = frozenset({"t_ns", "claimed_ns", "heard_ns"})
"""The times of a press: the table stamps it when it comes."""


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    return TypeAdapter(_KINDS[kind])


def as_json(post: Post) -> dict[str, Any]:
    """Return a request as data for JSON. Raises ``WireError`` for one of the table alone."""
    if isinstance(post, NoteAction):
        raise WireError(f"{post.action} is done at the table itself")
    if isinstance(post, PlayerPress):
        return {"kind": DeskPress.kind, "button": post.button, "source": "page"}
    fields = _adapter(post.kind).dump_python(
        post, mode="json", exclude_defaults=True, exclude=set(_OF_THE_TABLE)
    )
    return {"kind": post.kind, **fields}


def from_json(post: Mapping[str, Any], mark: str, now_ns: int) -> Post:
    """The request again, its source marked with the request that it came by.

    Moments are on the table's clock; what is stamped later than ``now_ns`` happened now. A press
    by nobody named is one of a button on a page.
    Raises ``TilewatchError``.
    """
    kind = str(post.get("kind"))
    if kind not in _KINDS:
        raise WireError("a request of a kind that this version does not know")
    fields = {**post, "source": f"{post.get('source', '')}{mark}"}
    if kind == DeskPress.kind:
        fields |= dict.fromkeys(_OF_THE_TABLE) | {"t_ns": now_ns}
    event = post.get("event")
    if isinstance(event, Mapping) and isinstance(event.get("t_ns"), int):
        fields["event"] = {**event, "t_ns": min(event["t_ns"], now_ns)}
    try:
        made: DirectorPost = _adapter(kind).validate_python(fields)
    except ValidationError as error:
        raise WireError(f"a request with a fault: {one_line(error)}") from None
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        raise WireError("a request that lacks something") from error
    if isinstance(made, Ruling):
        if isinstance(made.event, FACTS):
            raise WireError(f"{type(made.event).__name__} is not for people to enter")
    elif len(made.by) > MAX_BY or len(made.why) > MAX_WHY:
        raise WireError(f"why has at most {MAX_WHY} characters")
    if isinstance(made, DeskPress) and not made.by:
        return PlayerPress(made.button, made.t_ns)
    return made


def in_words(post: Mapping[str, Any], story: Sequence[Event] = ()) -> str:
    """Return a request in a few words, for people who wait for it.

    ``story`` are the known events of its game, for the players' names and the entries that it
    retracts.
    """
    kind = post.get("kind")
    if kind == "ruling":
        return _ruling_in_words(post["event"], story)
    if kind == "naming":
        return "names: " + ", ".join(str(name) for name in post["players"].values())
    if kind == "attend":
        return f"seen to: {post.get('message') or str(post.get('code')).replace('_', ' ')}"
    words = {
        "next_game": "the next game",
        "count_play": "the play on the board counts",
        "new_game": "a new game",
        "players": "the list of players who are shown otherwise",
        "press": f"the {post.get('button')} button",
    }
    return words.get(str(kind), "a request of another version of tilewatch")


def _ruling_in_words(payload: Mapping[str, Any], story: Sequence[Event]) -> str:
    names: dict[str, str] = {side: f"the player on the {side}" for side in SIDES}
    for one in story:
        if isinstance(one, GameStarted | PlayersNamed):
            names |= one.players
    try:
        event = from_payload(payload)
    except TilewatchError:
        return "a ruling of another version of tilewatch"
    number = event.event if isinstance(event, Retracted) else 0
    return describe_entry(event, names, story[number - 1] if 0 < number <= len(story) else None)
