"""Calls to Woogles: ConnectRPC with JSON over HTTPS, one key, and no call made twice by itself."""

from __future__ import annotations

import http.client
import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from importlib import metadata
from typing import Any, Final

from game.errors import TilewatchError
from woogles.document import RULES, Document, Rule, encoded, read_document

TIMEOUT_S: Final = 15.0
"""The seconds that a whole call may take."""
MOST: Final = 4_000_000
"""The most bytes of an answer that are read."""

LONGEST_GCG: Final = 128_000
"""The most bytes of a record that Woogles takes."""

GAMES: Final = "omgwords_service.GameEventService"
BROADCASTS: Final = "broadcast_service.BroadcastService"

_LONGEST: Final = 400
_ID: Final = re.compile(r"[\w-]{1,64}", re.ASCII)

_REFUSALS: Final = frozenset(
    {
        "invalid_argument", "not_found", "already_exists", "permission_denied",
        "failed_precondition", "out_of_range", "unimplemented", "unauthenticated",
    }
)  # fmt: skip
"""ConnectRPC's codes for calls that were understood and not carried out."""


class WooglesError(TilewatchError):
    """A call that failed, in one line; what a server says in it is cut short."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split())[:_LONGEST])


class NoAnswerError(WooglesError):
    """A call of which nobody knows if it was carried out: no answer, or none that makes sense."""


class RefusedError(WooglesError):
    """A call that Woogles refused."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"Woogles refuses: {message or code}")
        self.code = code


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow no redirect: the key would go with it."""


class Woogles:
    """The calls with which a table follows its game. Safe to use from any thread."""

    def __init__(self, url: str, key: str, timeout_s: float = TIMEOUT_S) -> None:
        self._url, self._key, self._timeout_s = url.rstrip("/"), key, timeout_s

    def call(self, service: str, method: str, body: Mapping[str, Any]) -> dict[str, Any]:
        """Make one call and return its answer.

        Raises ``RefusedError``, or ``NoAnswerError`` if it may have been carried out or not.
        """
        request = urllib.request.Request(  # noqa: S310 - the configuration allows https alone
            f"{self._url}/api/{service}/{method}",
            json.dumps(body).encode(),
            {
                "Content-Type": "application/json",
                "X-Api-Key": self._key,
                "User-Agent": f"tilewatch/{metadata.version('tilewatch')}",
            },
            method="POST",
        )
        try:
            return _within(self._timeout_s, lambda: self._answer(request, method))
        except (OSError, http.client.HTTPException) as error:
            reason = " ".join(str(getattr(error, "reason", None) or error).split())
            raise NoAnswerError(
                f"Woogles does not answer {method}: {reason or 'timed out'}"
            ) from None

    def _answer(self, request: urllib.request.Request, method: str) -> dict[str, Any]:
        opener = urllib.request.build_opener(_NoRedirect)
        try:
            with opener.open(request, timeout=self._timeout_s) as answer:
                data = answer.read(MOST + 1)
                return _json(b"" if answer.length else data, method)  # cut off: not all came
        except urllib.error.HTTPError as error:
            with error:
                raise _failure(error, method) from None

    def document(self, game_id: str) -> Document:
        """Return a game as it is now."""
        return read_document(self.call(GAMES, "GetGameDocument", {"game_id": game_id}))

    def owner(self, game_id: str) -> str:
        """Return the user name of a game's annotator; empty if it says none."""
        named = self.call(GAMES, "GetGameOwner", {"game_id": game_id}).get("creator_username")
        return named if isinstance(named, str) else ""

    def send(
        self, game_id: str, event: Mapping[str, Any], user: str, number: int, *, amendment: bool
    ) -> None:
        """Add a client's event, or put it in place of an earlier one.

        ``user`` is the id of the player whose event it is, as the game's document has it.
        """
        body = {"event": {**event, "game_id": game_id}, "user_id": user, "event_number": number}
        self.call(GAMES, "SendGameEvent", {**body, "amendment": amendment})

    def set_racks(self, game_id: str, racks: tuple[bytes, bytes], number: int) -> None:
        """Set the tiles known on each rack now. They are public at once."""
        self.call(
            GAMES,
            "SetRacks",
            {
                "game_id": game_id,
                "racks": [encoded(one) for one in racks],
                "event_number": number,
                "amendment": False,
            },
        )

    def replace(self, document: Mapping[str, Any]) -> None:
        """Put a whole document in place of the one that is there, unchecked."""
        self.call(GAMES, "ReplaceGameDocument", {"document": document})

    def upload(self, gcg: str, lexicon: str, distribution: str, rule: Rule) -> str:
        """Make a finished game of a record, and return its id.

        Raises ``WooglesError`` for a record that is too long, or refused: an unfinished game of the
        account blocks it.
        """
        if len(gcg.encode()) > LONGEST_GCG:
            raise WooglesError(f"the record has more than the {LONGEST_GCG} bytes that are taken")
        body = {
            "gcg": gcg,
            "lexicon": lexicon,
            "rules": rules_of(distribution),
            "challenge_rule": RULES.index(rule),
        }
        return id_of(self.call(GAMES, "ImportGCG", body), "for the record")


def _within(most_s: float, call: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Return what a call returns; raise ``TimeoutError`` if that takes longer than ``most_s``.

    A socket's own timeout begins anew with each byte. A call that came too late is left alone.
    """
    found: Future[dict[str, Any]] = Future()

    def run() -> None:
        try:
            found.set_result(call())
        except BaseException as error:  # the caller raises it
            found.set_exception(error)

    threading.Thread(target=run, name="woogles-call", daemon=True).start()
    return found.result(most_s)


def rules_of(distribution: str) -> dict[str, str]:
    """Return the rules of the usual game with a distribution of letters."""
    return {
        "board_layout_name": "CrosswordGame",
        "letter_distribution_name": distribution,
        "variant_name": "classic",
    }


def field_of(data: object, name: str) -> Any:
    """Return a field of an answer by its name, as the definitions spell it; else None."""
    if not isinstance(data, dict):
        raise WooglesError("Woogles answers with something other than its messages")
    return data.get(name)


def is_id(value: object) -> bool:
    """True if a value can be the id of a game."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def id_of(data: object, wanted: str) -> str:
    """Return the id of a game in an answer. Raises ``WooglesError`` without one."""
    found = field_of(data, "game_id")
    if not is_id(found):
        raise WooglesError(f"Woogles gives no id of a game {wanted}")
    return str(found)


def games_of(answer: Mapping[str, Any]) -> list[Any]:
    """Return the games in an answer; none if it has none. Raises ``WooglesError`` if no list."""
    games = answer.get("games") or []
    if not isinstance(games, list):
        raise WooglesError("Woogles answers with something other than its messages")
    return games


def _failure(error: urllib.error.HTTPError, method: str) -> WooglesError:
    try:
        found = json.loads(error.read(MOST))
        code, message = str(found["code"]), str(found.get("message", ""))
    except (ValueError, TypeError, KeyError, RecursionError, OSError, http.client.HTTPException):
        return NoAnswerError(f"Woogles answers {method} with status {error.code}")
    message = " ".join(message.split())[:200]
    if code in _REFUSALS:
        return RefusedError(code, message)
    return NoAnswerError(f"Woogles answers {method} with {code[:40]}: {message}")


def _json(data: bytes, method: str) -> dict[str, Any]:
    try:
        found = json.loads(data) if len(data) <= MOST else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise NoAnswerError(f"Woogles answers {method} with something other than its JSON")
    return found
