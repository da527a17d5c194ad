"""The loop that keeps a game on Woogles the same as the table's record."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from game.errors import TilewatchError
from game.gcg.record import GameRecord
from woogles.client import NoAnswerError, RefusedError, Woogles, WooglesError
from woogles.compare import Replace, Send, SetRacks, Step, next_step
from woogles.document import DocEvent, Document, Kind, encoded
from woogles.mapping import Clocks, Ours, ours_of, remade, unended
from woogles.slot import HeldError, Slots, Wanted, order

_LOG = logging.getLogger(__name__)

PAUSES_S: Final = (5.0, 5.0, 10.0, 20.0, 40.0, 60.0)
"""The seconds until the next try; the last repeats. A call without an answer may still be carried
out a little later, so none is made at once."""

_LOOK_S: Final = 1.0
_AGAIN: Final = 60
"""After so many looks without news the document is read all the same: people can edit it."""
_MOST_CALLS: Final = 400
"""The most calls at a time: a whole game with some corrections."""

_CALLS: Final[dict[Kind, int]] = {
    "TILE_PLACEMENT_MOVE": 0, "PASS": 1, "EXCHANGE": 2, "RESIGNED": 4,
}  # fmt: skip
"""The types of a client's events."""
_CHALLENGE: Final = 3
_FOR_GOOD: Final = frozenset({"unauthenticated", "permission_denied", "not_found"})
_VOID: Final = (
    "Woogles has the challenge rule VOID for this game: it refuses phoneys and challenges, which "
    "are then sent with the whole game; set the broadcast's challenge rule before the first play"
)


@dataclass(frozen=True)
class Shown:
    """A table's game as far as it may be shown by now."""

    wanted: Wanted
    record: GameRecord
    clocks: Clocks = ()
    racks: tuple[str | None, str | None] = (None, None)
    """The tiles on each rack in the order of play, ``?`` for a blank; None where not shown."""

    def ours(self, rule: str) -> Ours:
        """Return it in Woogles' terms under a challenge rule. Raises ``TilewatchError``."""
        return ours_of(self.record, rule, self.clocks, self.racks)


class Teller(Protocol):
    """Tells a director what is the matter."""

    def stands(self, message: str | None) -> None:
        """Take the trouble that lasts now; None if there is none."""

    def differs(self, message: str) -> None:
        """Take what two records said of the same event."""


class Follower:
    """Follows the games of one table, in a thread of its own once it is started.

    Args:
        woogles: the calls.
        slots: where each game is.
        game: returns a game, by its id at the table, as it may be shown by now; given None, the
            one shown last. None for none.
        tell: takes what a director should know.
        pauses_s: the seconds until the next try after a failure; the last repeats.
    """

    def __init__(
        self,
        woogles: Woogles,
        slots: Slots,
        game: Callable[[str | None], Shown | None],
        tell: Teller,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self._woogles, self._slots, self._game, self._tell = woogles, slots, game, tell
        self._pauses_s = pauses_s
        self._games = slots.newest
        """The ids of the game shown last and of the one before, which may lack its end."""
        self._done: dict[str, Shown] = {}
        self._looks = 0
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="woogles", daemon=True)
        self.start = self._thread.start

    def stop(self) -> None:
        """Send what is new, unless the last try failed, and stop."""
        self._stopping.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=20)

    def _run(self) -> None:
        failures = 0
        pause = 0.0
        while not self._stopping.wait(pause or _LOOK_S):
            try:
                self.look()
                failures, pause = 0, 0.0
                continue
            except NoAnswerError as error:
                if failures:  # one lost answer is nothing to call a director for
                    self._tell.stands(f"{error}; the game is sent once it answers")
            except TilewatchError as error:
                self._tell.stands(str(error))
            except Exception:  # whatever is wrong there, the table plays on
                _LOG.exception("woogles")
            pause = self._pauses_s[min(failures, len(self._pauses_s) - 1)]
            failures += 1
        if not failures:
            with contextlib.suppress(TilewatchError):
                self.look()

    def look(self) -> None:
        """Bring the game on Woogles up to date, if there is any news.

        Raises ``WooglesError`` if that cannot be done now; it is as well to call it again.
        """
        self._looks += 1
        shown = self._game(None)
        if shown is None:
            return
        newest = shown.wanted.game_id
        if newest not in self._games:
            self._games = (*self._games, newest)[-2:]
        failures = []
        for game_id in reversed(self._games):
            if game_id != newest and self._slots.known(game_id) is None:
                continue  # it was not followed while it was played
            one = shown if game_id == newest else self._game(game_id)
            if one is None or (one == self._done.get(game_id) and self._looks % _AGAIN):
                continue
            try:
                self._follow(one)
            except TilewatchError as error:
                failures.append(error)
        if failures:
            raise failures[0]

    def _follow(self, shown: Shown) -> None:
        wanted = shown.wanted
        if not wanted.opened and not self._slots.claims:
            return  # a game of one's own is made in the order of play
        game_id = self._slots.found(wanted, shown.ours(wanted.rule))
        document = self._document(game_id, wanted)
        if wanted.opened:
            self._require_order(document, wanted)
        ours = shown.ours(document.rule)
        self._bring(game_id, document, ours)
        self._tell.stands(_VOID if document.rule == "VOID" else None)
        self._done = {**dict(list(self._done.items())[-1:]), wanted.game_id: shown}

    def _document(self, game_id: str, wanted: Wanted) -> Document:
        try:
            return self._woogles.document(game_id)
        except RefusedError:
            self._slots.forget(wanted.game_id)
            raise

    def _require_order(self, document: Document, wanted: Wanted) -> None:
        first, second = document.players
        match order(document.players, wanted.players):
            case "swapped":
                self._slots.forget(wanted.game_id)
                raise HeldError(
                    f"{first} plays first on Woogles, and {wanted.players[0]} at the table: give "
                    "the claim back there, mend who plays first in the pairings (p12), and it is "
                    "claimed again"
                )
            case "strangers":
                self._slots.forget(wanted.game_id)
                raise HeldError(
                    f"the game on Woogles is between {first} and {second}, at the table play "
                    f"{' and '.join(wanted.players)}: see the round, the table's number and names"
                )

    def _bring(self, game_id: str, document: Document, ours: Ours) -> None:
        """Make calls, each after the document was read, until there is none to make."""
        answered: Step | None = None
        for _ in range(_MOST_CALLS):
            step = next_step(ours, document, answered)
            if step is None:
                return
            if step == answered:
                raise WooglesError("Woogles keeps another game than the table's; it is tried again")
            try:
                self._make(game_id, step, document, ours)
                if isinstance(step, Replace) and step.why:
                    self._tell.differs(f"{step.why}. Woogles has the table's now")
            except RefusedError as error:
                if isinstance(step, Replace) or error.code in _FOR_GOOD:
                    raise
                _LOG.info("woogles: %s", error)
            answered = step
            document = self._woogles.document(game_id)
        raise WooglesError("Woogles does not come to the same game; it is compared again")

    def _make(self, game_id: str, step: Step, document: Document, ours: Ours) -> None:
        match step:
            case Send(event, number, amendment):
                # A challenge is the opponent's event, unless it cost their own turn.
                other = event.kind in ("PHONY_TILES_RETURNED", "CHALLENGE_BONUS")
                user = document.users[1 - event.player if other else event.player]
                sent = client_event(event)
                self._woogles.send(game_id, sent, user, number, amendment=amendment)
            case SetRacks(racks, number):
                self._woogles.set_racks(game_id, racks, number)
            case Replace(_, ends):
                whole = ends or document.state == "GAME_OVER"
                self._woogles.replace(remade(document, ours if whole else unended(ours)))


def client_event(event: DocEvent) -> dict[str, Any]:
    """Return the client's event that leads to a document's."""
    sent: dict[str, Any] = {"type": _CALLS.get(event.kind, _CHALLENGE)}
    if event.position:
        sent["position_coords"] = event.position
    if event.tiles:
        sent["machine_letters"] = encoded(event.tiles)
    if event.challenged:
        sent["challenged_word_indices"] = list(event.challenged)
    return sent
