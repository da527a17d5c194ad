"""The feeds of everybody who is not at the table: nothing that may not be shown passes here.

:class:`Publication` knows what may be shown of each game now, by the log and the event's rules.
:class:`ShownFeed` applies it to the views of another feed each time they are read, delayed or not.
So no view that was kept, resumed or delayed shows more than the present decision allows.
"""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from dashboard.feeds.feed import Message, Views, ViewsBehind, encode
from game.events import SIDES, Side
from game.state.fold import GameState
from table.folded_log import FoldedLog
from table.views.public_policy import FULLY_OPEN, PublicPolicy
from table.views.publication import Decided, Naming, Showing, decided_in, policy_names, showing

_GAMES: Final = 4000
"""Games whose decisions are remembered."""

_LOOK_S: Final = 0.5
"""The longest time until the pages that are open follow a decision."""


class LiveRules:
    """The event's rules as they are now. Safe to use from any thread.

    These never change; ``version`` changes with those of a class that has a list to keep.
    """

    version: int = 0

    def __init__(self, policy: PublicPolicy = FULLY_OPEN) -> None:
        self._policy, self._naming = policy, policy_names(policy)

    def policy(self) -> PublicPolicy:
        """Return the present policy."""
        return self._policy

    def naming(self) -> Naming:
        """Return the present names of players in public."""
        return self._naming


@dataclass(frozen=True, slots=True)
class _Known:
    """A game's publication, as its log has it."""

    seq: int
    """The newest record of the game that it follows from."""
    names: dict[Side, str]
    decided: Decided


class Publication:
    """How each game of a table may be shown now. Safe to use from any thread."""

    def __init__(self, folded: FoldedLog, rules: LiveRules) -> None:
        self._folded, self.rules = folded, rules
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._as_of = (-1, -1)
        self._showings: dict[str, Showing] = {}
        self._changing = threading.Lock()

    def of(self, game_id: str) -> Showing:
        """Return how a game may be shown now."""
        as_of = self._folded.log.last_seq, self.rules.version
        with self._changing:
            if as_of != self._as_of:
                self._showings, self._as_of = {}, as_of
            found = self._showings.get(game_id)
        if found is None:
            known = self._look(game_id)
            found = showing(self.rules.policy(), known.names, known.decided, self.rules.naming())
            with self._changing:
                if as_of == self._as_of:
                    self._showings[game_id] = found
        return found

    def _look(self, game_id: str) -> _Known:
        shown = self._folded.shown()
        if shown is not None and shown.state.game_id == game_id:
            return _known(shown.state, shown.newest.seq)
        last = self._folded.log.last_of(game_id)
        seq = 0 if last is None else last.seq
        with self._changing:
            known = self._known.get(game_id)
        if known is None or known.seq != seq:
            game = self._folded.game(game_id)
            known = _Known(seq, {}, Decided()) if game is None else _known(game.state, seq)
            with self._changing:
                self._known[game_id] = known
                while len(self._known) > _GAMES:
                    self._known.popitem(last=False)
        return known


def _known(state: GameState, seq: int) -> _Known:
    return _Known(seq, {side: state.players[side] for side in SIDES}, decided_in(state))


class ShownFeed(ViewsBehind):
    """The views of ``feed`` as far as ``publication`` lets them be shown at this moment.

    The views of a withheld game become one, whose id and time say nothing of its turns.
    """

    def __init__(self, feed: Views, publication: Publication) -> None:
        super().__init__(feed)
        self._publication = publication
        self._made: dict[tuple[str, str], Message] = {}
        self._is_withheld = False
        self._changing = threading.Lock()

    def delayed(self, make: Callable[[Views], Views]) -> ShownFeed:
        """Return the views that ``make`` derives; a decision holds at once all the same."""
        return ShownFeed(make(self._feed), self._publication)

    def allows(self, message: Message) -> bool:
        """Return True if a view that was read before may still be shown."""
        now = self._publication.of(message.view["game_id"])
        return not now.is_withheld or "withheld" in message.view

    def now_ns(self) -> int:
        """Return the time in the views; 0 for a withheld game, whose pace it would tell."""
        return 0 if self._is_withheld else self._feed.now_ns()

    def kept(self, fresh: bool = True) -> list[Message]:
        """Return every view that may be shown and is still remembered, oldest first."""
        return self._as_shown(self._feed.kept(fresh))

    def wait(self, last_id: str | None, timeout: float) -> bool:
        """Wait until a view other than ``last_id`` may be shown; ``False`` if time ran out."""
        until = time.monotonic() + timeout
        while not self._feed.closed:
            behind = self._feed.kept(fresh=False)
            shown = self._as_shown(behind)
            if shown and shown[-1].id != last_id:
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            newest = behind[-1].id if behind else None
            self._feed.wait(newest, min(left, _LOOK_S))
        return True

    def _as_shown(self, messages: list[Message]) -> list[Message]:
        games = {message.view["game_id"] for message in messages}
        showings = {game: self._publication.of(game) for game in games}
        if all(one.is_open for one in showings.values()):
            self._is_withheld = False
            return messages
        newest = {message.view["game_id"]: message for message in messages}
        found: dict[tuple[str, str], Message] = {}
        with self._changing:
            for message in messages:
                game = message.view["game_id"]
                now = showings[game]
                if now.is_withheld and message is not newest[game]:
                    continue
                key = (message.id, now.mark)
                found[key] = self._made.get(key) or _shown(message, now)
            self._made = found
            last = messages[-1].view["game_id"]
            self._is_withheld = showings[last].is_withheld
            return list(found.values())


def _shown(message: Message, now: Showing) -> Message:
    if now.is_open:
        return message
    view: dict[str, Any] = now.view(message.view)
    data = encode(view)
    if not now.is_withheld:
        return replace(message, id=f"{message.id}-{now.mark}", view=view, data=data)
    return replace(message, id=hashlib.sha256(data).hexdigest()[:16], view=view, data=data)
