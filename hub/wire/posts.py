"""A director's posts to a table (``table.desk``), as JSON on their way there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from game.errors import TilewatchError
from game.events import (
    FACTS,
    SIDES,
    Event,
    GameStarted,
    PlayersNamed,
    Retracted,
    from_payload,
    to_payload,
)
from hub.errors import WireError
from record.story.event_wording import describe_entry
from table.desk import (
    CountPlay,
    DeskPress,
    NamePlayers,
    NewGame,
    NextGame,
    NoteAction,
    Post,
    Ruling,
    SeenTurn,
)
from table.game_setup import MAX_NAME, GameSetup, checked_first, checked_names

MAX_WHY: Final = 400


def as_json(post: Post) -> dict[str, Any]:
    """A post as JSON-able data."""
    if isinstance(post, Ruling):
        return {
            "kind": "ruling",
            "game_id": post.game_id,
            "event": to_payload(post.event),
            "source": post.source,
            "effect": post.effect,
        }
    if isinstance(post, NamePlayers):
        return {
            "kind": "naming",
            "players": dict(post.players),
            "announced": None if post.announced is None else dict(post.announced),
            **_attribution_json(post),
            **_meant(post),
        }
    if isinstance(post, NextGame):
        return {"kind": "next_game", **_attribution_json(post), **_meant(post), **_despite(post)}
    if isinstance(post, CountPlay):
        return {"kind": "count_play", **_attribution_json(post), **_meant(post)}
    if isinstance(post, NewGame):
        return {
            "kind": "new_game",
            "players": dict(post.setup.players),
            "rulebook": post.setup.rulebook,
            "tile_set": post.setup.tile_set,
            "announced": dict(post.setup.announced),
            "word_list": None if post.setup.word_list is None else dict(post.setup.word_list),
            "first": post.setup.first,
            **_attribution_json(post),
            **_despite(post),
        }
    if isinstance(post, NoteAction):
        raise WireError(f"{post.action} is done at the table itself")
    if isinstance(post, DeskPress):
        seen = {} if post.seen is None else {"turn": post.seen.number, "on_turn": post.seen.side}
        press = {"kind": "press", "button": post.button}
        return {**press, **_attribution_json(post), **_meant(post), **seen}
    return {"kind": "press", "button": post.button, "source": "page"}


def attended(
    code: str, what: str, source: str, by: str, why: str, message: str = ""
) -> dict[str, Any]:
    """Somebody has seen to the incident at the table that ``message`` describes."""
    return {
        "kind": "attend", "code": code, "what": what, "message": message,
        "source": source, "by": by, "why": why,
    }  # fmt: skip


def _attribution_json(
    post: NamePlayers | NextGame | NewGame | CountPlay | DeskPress,
) -> dict[str, str]:
    return {"source": post.source, "by": post.by, "why": post.why}


def _despite(post: NextGame | NewGame) -> dict[str, bool]:
    return {"despite_tiles": True} if post.despite_tiles else {}


def _meant(post: NamePlayers | NextGame | CountPlay | DeskPress) -> dict[str, str | None]:
    return {"game_id": post.game_id}


def game_meant(post: Mapping[str, Any]) -> str | None:
    """The game on the table that a post is meant for; None if any will do.

    Raises ``WireError``.
    """
    return _optional(post, "game_id")


def turn_meant(post: Mapping[str, Any]) -> SeenTurn | None:
    """The turn during which a press is meant; None if any will do. Raises ``WireError``."""
    if post.get("turn") is None:
        return None
    seen = SeenTurn.of(post["turn"], post.get("on_turn"))
    if seen is None:
        raise WireError("a turn is a number, with the side that was on turn")
    return seen


def _optional(post: Mapping[str, Any], name: str) -> str | None:
    value = post.get(name)
    if value is not None and not isinstance(value, str):
        raise WireError(f"{name} is a text")
    return value


def who_and_why(post: Mapping[str, Any]) -> tuple[str, str]:
    """Whose word a post is, and why; empty if it does not say. Raises ``WireError``."""
    by, why = post.get("by", ""), post.get("why", "")
    if not isinstance(by, str) or not isinstance(why, str):
        raise WireError("who and why are texts")
    if len(by) > 2 * MAX_NAME + 20 or len(why) > MAX_WHY:
        raise WireError(f"why has at most {MAX_WHY} characters")
    return by, why


def in_words(post: Mapping[str, Any], story: Sequence[Event] = ()) -> str:
    """A post in a few words, for people who wait for it.

    ``story`` are the events of the game that it is about, as far as they are known: they have the
    players' names, and what is taken back.
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


def from_json(post: Mapping[str, Any], mark: str, now_ns: int) -> Post | None:
    """The post again, its source marked with the request that it came by.

    None for what is no post: a press, and what was seen to.

    Moments are on the table's clock; what is stamped later than ``now_ns`` happened now.
    Raises ``TilewatchError``.
    """
    try:
        kind, source = post["kind"], f"{post['source']}{mark}"
        if kind in ("press", "attend"):
            return None
        if kind == "ruling":
            payload = dict(post["event"])
            if isinstance(payload.get("t_ns"), int):
                payload["t_ns"] = min(payload["t_ns"], now_ns)
            event = from_payload(payload)
            if isinstance(event, FACTS):
                raise WireError(f"{payload['type']} is not for people to enter")
            return Ruling(str(post["game_id"]), event, source, _optional(post, "effect"))
        if kind == "naming":
            by, why = who_and_why(post)
            given, names = post.get("announced"), checked_names(post["players"])
            announced = None if given is None else dict(given)
            return NamePlayers(names, source, by, why, game_meant(post), announced)
        if kind == "next_game":
            return NextGame(source, *who_and_why(post), game_meant(post), _despite_tiles(post))
        if kind == "count_play":
            return CountPlay(source, *who_and_why(post), game_meant(post))
        if kind == "new_game":
            return _new_game(post, source)
    except (KeyError, AttributeError, TypeError, ValueError) as error:
        raise WireError("a request that lacks something") from error
    raise WireError("a request of a kind that this version does not know")


def _new_game(post: Mapping[str, Any], source: str) -> NewGame:
    by, why = who_and_why(post)
    words = post["word_list"]
    setup = GameSetup(
        str(post["tile_set"]),
        str(post["rulebook"]),
        checked_names(post["players"]),
        None if words is None else dict(words),
        dict(post["announced"]),
        first=checked_first(post.get("first")),
    )
    setup.require_usable()
    despite = _despite_tiles(post)
    return NewGame(setup=setup, source=source, by=by, why=why, despite_tiles=despite)


def _despite_tiles(post: Mapping[str, Any]) -> bool:
    return post.get("despite_tiles") is True
