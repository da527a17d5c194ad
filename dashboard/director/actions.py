"""A director's actions as events: who acts, why, and what changes, before anything is done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Final

from dashboard.accounts.store import Account
from game.errors import TilewatchError
from game.events import EVENT_TYPES, FACTS, Event, GameReopened, from_payload, with_symbols
from game.state.fold import GameState
from game.terms import RECORD_WRONG
from game.tileset import TileSet
from table.desk import Attribution, TurnMeant

LONGEST_BY: Final = 80
LONGEST_WHY: Final = 400


def may_be_entered(kind: str) -> bool:
    """True if somebody may enter events of a kind; only the table itself adds the others."""
    return kind in EVENT_TYPES and not issubclass(EVENT_TYPES[kind], FACTS)


def source_of(account: Account) -> str:
    """Return the source under which an account's events are logged, whoever decided them."""
    return f"director: {account.name}"


def event_of(
    payload: object, tiles: TileSet, *, by: object, why: object, account: Account, t_ns: int
) -> Event:
    """Return the event that a page sends, with the author, the reason and the time filled in.

    Raises:
        TilewatchError: no such event may be entered, a field is wrong, or the reason is no text.
    """
    if not isinstance(payload, Mapping) or not isinstance(payload.get("type"), str):
        raise TilewatchError("an event is an object with a type")
    kind = payload["type"]
    if not may_be_entered(kind):
        raise TilewatchError(f"{kind[:40]}: people cannot enter this event; only the table adds it")
    known = {field.name for field in fields(EVENT_TYPES[kind])}
    attribution_of: dict[str, object] = {
        "by": who_said(by, account),
        "why": _reason(why),
        "t_ns": t_ns,
    }
    asked = {key: value for key, value in payload.items() if key not in attribution_of}
    filled = asked | {key: value for key, value in attribution_of.items() if key in known}
    return from_payload(with_symbols(filled, tiles.rack))


def happened_at(body: Mapping[str, object], now_ns: int) -> int:
    """Return the time of an event: now, or ``happened_ns`` if the event is entered late.

    Raises:
        TilewatchError: ``happened_ns`` is no whole number, or lies in the future.
    """
    at = body.get("happened_ns")
    if at is None:
        return now_ns
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at <= now_ns:
        raise TilewatchError("happened_ns: whole nanoseconds, and not after now")
    return at


def who_said(by: object, account: Account) -> str:
    """Return who decided; if that is not the account's owner, with the name of the account."""
    name = _text(by, "who", LONGEST_BY) if by else account.name
    return name if name == account.name else f"{name} (entered by {account.name})"


def attribution_of(body: Mapping[str, object], account: Account) -> Attribution:
    """Return the person and the reason that were sent with an action that is no ruling.

    Raises:
        TilewatchError: one of them is too long, or no text.
    """
    by = who_said(body.get("by"), account)
    return Attribution(source_of(account), by, _reason(body.get("why")))


def require_own_reason(event: Event) -> None:
    """Refuse to open a signed result as wrongly recorded without a reason.

    Raises:
        TilewatchError: the reason does not say what is wrong.
    """
    if isinstance(event, GameReopened) and event.ground == RECORD_WRONG and not event.why:
        raise TilewatchError("First write under Reason what in the record is wrong.")


def game_meant(body: Mapping[str, object]) -> str:
    """Return the id of the game that an action is meant for.

    Raises:
        TilewatchError: no game is named.
    """
    game_id = body.get("game")
    if not isinstance(game_id, str) or not game_id:
        raise TilewatchError("say which game is meant; reload the page")
    return game_id


def turn_meant(body: Mapping[str, object]) -> TurnMeant:
    """Return the turn in progress as the page showed the game, from ``turn`` and ``on_turn``.

    Raises:
        TilewatchError: no turn is named.
    """
    seen = TurnMeant.of(body.get("turn"), body.get("on_turn"))
    if seen is None:
        raise TilewatchError("say which turn is meant; reload the page")
    return seen


def asked_of(state: GameState, asked: object, *, still_open: bool = False) -> None:
    """Refuse an answer to a flag that has changed or gone since it was shown.

    ``asked`` has the ``turn`` (None for a flag of the game), ``code`` and ``message`` of the flag.
    ``still_open``: refuse an answer to a settled flag, too.

    Raises:
        TilewatchError: the flag has changed or gone.
    """
    if not isinstance(asked, Mapping):
        raise TilewatchError("flag: an object with turn, code and message")
    number = asked.get("turn")
    flags = state.flags
    if number is not None:
        known = isinstance(number, int) and 1 <= number <= len(state.turns)
        flags = state.turns[number - 1].flags if known else ()
    shown = (asked.get("code"), asked.get("message"))
    there = (flag for flag in flags if flag.settled is None or not still_open)
    if shown not in {(flag.code, flag.message) for flag in there}:
        raise TilewatchError("This question has been settled or has changed; look at it again.")


def _reason(why: object) -> str:
    """Return a reason in one line; it may be empty, as nobody has to give one."""
    blank = why is None or (isinstance(why, str) and not why.split())
    return "" if blank else _text(why, "why", LONGEST_WHY)


def _text(value: object, what: str, longest: int) -> str:
    text = " ".join(value.split()) if isinstance(value, str) else ""
    if not text:
        raise TilewatchError(f"say {what}")
    if len(text) > longest or not text.isprintable():
        raise TilewatchError(f"{what}: at most {longest} characters that can be printed")
    return text
