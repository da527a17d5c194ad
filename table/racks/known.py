"""The racks of the table's games, for the broadcast role alone: sealed as they come.

Each game has a key of its own. It is in memory and, sealed to the broadcast role's key, in the log:
with that key's file a table that starts again reads the racks of the game that goes on. Once the
game is over and what the public sees has come so far, the key is opened by an event.
"""

from __future__ import annotations

import os
import threading
from collections import Counter
from collections.abc import Mapping
from typing import Final

from game.events import (
    Event,
    GameEnded,
    GameForfeited,
    RackSeen,
    RacksOpened,
    RacksSealed,
    ResultSigned,
    Side,
)
from game.state.fold import GameState
from record.opened_racks import commitment, rack_place
from record.rack_key import RackKey
from record.rack_seals import key_sealed_to, rack_seal, rack_unseal
from table.racks.history import RackHistory, RackSighting, rack_history

_ENDS: Final = GameEnded | GameForfeited | ResultSigned
_KEPT: Final = 512
"""The sightings that are kept unsealed, more than both racks of a game give."""


class KnownRacks:
    """Seals racks into events, and reads them again. Safe to use from any thread.

    Args:
        key: the broadcast role's key; None: only games whose key was opened are read.
    """

    def __init__(self, key: RackKey | None) -> None:
        self._key = key
        self._keys: dict[str, bytes] = {}
        """The keys of games by their commitments."""
        self._read: dict[str, RackSighting] = {}
        self._changing = threading.Lock()

    def of(self, state: GameState) -> Mapping[Side, str | None]:
        """Return the tiles known on each rack now, ``?`` for a blank; None if none are known.

        They are secret: only a holder of the broadcast role may see them during the game.
        """
        return self.history(state).now

    def history(self, state: GameState) -> RackHistory:
        """Return the racks of a game by turn, tiles drawn, and doubts. Secret, as :meth:`of`."""
        return rack_history(state, self.sightings(state))

    def sightings(self, state: GameState) -> list[RackSighting]:
        """Return every sighting of a game's racks that can be read, in order."""
        opened = [one for one in state.progress.events if isinstance(one, RacksOpened)]
        keys = {commitment(key): key for key in (bytes.fromhex(one.key) for one in opened)}
        found: list[RackSighting] = []
        key: bytes | None = None
        for event in state.progress.events:
            if isinstance(event, RacksSealed):
                key = keys.get(event.commitment) or self._game_key(event, state.game_id)
            elif isinstance(event, RackSeen) and key is not None:
                one = self._unsealed(key, event, state.game_id)
                found += [] if one is None else [one]
        return found

    def sealing(self, state: GameState, seen: RackSighting) -> list[Event]:
        """Return the events that record a sighting; none if it shows what was known.

        None either once the game is over: what is drawn then is for the next one.
        """
        if self._key is None or state.status == "ended":
            return []
        before = [one.tiles for one in self.sightings(state) if one.side == seen.side][-1:]
        if before and Counter(before[0]) == Counter(seen.tiles):
            return []
        made: list[Event] = []
        sealed = self._open_seal(state)
        key = None if sealed is None else self._game_key(sealed, state.game_id)
        if key is None:
            key = os.urandom(32)
            to_role = key_sealed_to(self._key.public, key, state.game_id)
            made.append(RacksSealed(commitment(key), self._key.public, to_role, seen.t_ns))
            with self._changing:
                self._keys[commitment(key)] = key
        content = {"tiles": seen.tiles, "confidence": [round(one, 3) for one in seen.confidence]}
        place = rack_place(state.game_id, seen.side, seen.t_ns)
        made.append(RackSeen(seen.side, rack_seal(key, place, content), seen.t_ns))
        return made

    def opening(self, state: GameState, now_ns: int, lag_ns: int = 0) -> RacksOpened | None:
        """Return the event that opens a game's key, if that is due; else None.

        It is due once the game is settled, ``lag_ns`` after that. A game without a turn stays
        sealed: the next one may be played from its racks.
        """
        sealed = self._open_seal(state)
        if sealed is None or not state.settled or not state.turns:
            return None
        ends = [one.t_ns for one in state.progress.events if isinstance(one, _ENDS)]
        key = self._game_key(sealed, state.game_id)
        if key is None or now_ns < max(ends, default=0) + lag_ns:
            return None
        return RacksOpened(key.hex(), now_ns)

    def sealed(self, state: GameState) -> bool:
        """True if a game has racks whose key is to be opened here and was not."""
        seal = self._open_seal(state)
        if state.settled and not state.turns:
            return False
        return seal is not None and self._game_key(seal, state.game_id) is not None

    def _open_seal(self, state: GameState) -> RacksSealed | None:
        """Return the newest key's event, unless the key was opened."""
        for event in reversed(state.progress.events):
            if isinstance(event, RacksOpened):
                return None
            if isinstance(event, RacksSealed):
                return event
        return None

    def _game_key(self, sealed: RacksSealed, game_id: str) -> bytes | None:
        with self._changing:
            key = self._keys.get(sealed.commitment)
        if key is not None or self._key is None or sealed.recipient != self._key.public:
            return key
        try:
            key = self._key.unsealed(sealed.sealed, game_id)
        except ValueError:
            return None
        with self._changing:
            self._keys[sealed.commitment] = key
        return key

    def _unsealed(self, key: bytes, event: RackSeen, game_id: str) -> RackSighting | None:
        with self._changing:
            known = self._read.get(event.sealed)
        if known is not None:
            return known
        try:
            content = rack_unseal(key, rack_place(game_id, event.side, event.t_ns), event.sealed)
        except ValueError:
            return None
        sure = tuple(float(one) for one in content["confidence"])
        found = RackSighting(event.side, content["tiles"], event.t_ns, sure)
        with self._changing:
            if len(self._read) >= _KEPT:
                self._read.clear()
            self._read[event.sealed] = found
        return found
