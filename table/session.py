"""The life of a table: game after game, with nobody at a keyboard.

A table always has a game. It is *waiting* until the board has been seen, in *set-up* while anything
lies on it, *ready* when it is empty; the first press sets it *running*. It is *interrupted* while
both clocks stand or the camera is gone, and has *ended* once it is played out or somebody said so.
When the board is then cleared the result is taken as agreed, unless it was *signed* before, and the
next game begins. A game that is broken off counts as over when its clocks stand and the board was
cleared. What happens is in the log, so a table that is started again goes on where it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from game.board import EMPTY, UNREADABLE, Square
from game.errors import TilewatchError
from game.events import (
    SIDES,
    ActionTaken,
    EndReason,
    Event,
    GameEnded,
    GameStarted,
    PlayersNamed,
    Side,
    from_payload,
    to_payload,
)
from game.rulebooks.loading import adjusted, load_rulebook
from game.state.fold import GameState, apply, fold
from game.tileset import load_tile_set
from record.crash_snapshot import CrashSnapshot
from record.evidence import EvidenceStore
from record.log.event_log import EventLog
from record.paths import new_game_id
from sensors.interfaces import Frame, Press
from table.desk import (
    Answer,
    DeskPress,
    NamePlayers,
    NewGame,
    NextGame,
    NoteAction,
    PendingPost,
    Ruling,
    refuse_other_game,
    refuse_unseen,
)
from table.recorder import Listener, Recorder
from table.resume import take_up
from table.roster import Pairings
from vision.tracking.observer import Observation, ReadsBoards

_LOG = logging.getLogger(__name__)

Phase = Literal["waiting", "set_up", "ready", "running", "interrupted", "ended", "signed"]

CLEARED_NS: Final = 1_000_000_000
"""A board is cleared when it is seen empty so long after the end or the stop of the clocks."""

_MANY: Final = 7
"""A game in which fewer tiles were played is not broken off by taking them away."""

_STRAY: Final = 1
"""Squares of a board that still count as empty although something seems to lie there."""


class TableSession:
    """One table at work. Not safe to use from several threads at once."""

    def __init__(
        self,
        name: str,
        reader: ReadsBoards,
        log: EventLog,
        evidence: EvidenceStore | None,
        *,
        tile_set: str,
        rulebook: str,
        now_ns: Callable[[], int],
        roster: Pairings | None = None,
        first_round: int = 1,
        names: dict[Side, str] | None = None,
        spool: CrashSnapshot | None = None,
        listener: Listener | None = None,
        word_list: dict[str, str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Take up the newest game in the log, or begin one."""
        self.name = name
        self._reader = reader
        self._log = log
        self._evidence = evidence
        self._tile_set = tile_set
        self._rulebook = rulebook
        self._now_ns = now_ns
        self._roster = roster
        self._round = first_round
        self._paired: Mapping[Side, str] | None = None
        """What the roster said of the game on the table when it was last asked."""
        self._names: dict[Side, str] = dict(names or {})
        self._named: list[NamePlayers] = []
        """Of the next game: what was said with a reason, which it then records."""
        self._spool = spool
        self._listener = listener
        self._word_list = word_list
        self._adjust: dict[str, Any] = {}
        self._settings = settings
        self.camera_lost: str | None = None
        """Why there is no picture, in one line."""
        self.recorder = self._resumed() or self._begun()

    @property
    def state(self) -> GameState:
        """The game on the table."""
        return self.recorder.state

    @property
    def phase(self) -> Phase:
        """Where the table stands."""
        state = self.state
        if state.signed is not None:
            return "signed"
        if state.status == "ended":
            return "ended"
        if state.status == "running":
            return "interrupted" if state.clocks.running is None or self.camera_lost else "running"
        look = self.recorder.at_rest
        if look is None or self.camera_lost:
            return "waiting"
        return "ready" if _empty(look) else "set_up"

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""
        self.camera_lost = None
        self.recorder.frame(frame)
        self._take_pairing()
        look = self.recorder.present
        if look is not None:
            self._at_rest(look, frame.t_ns)

    def press(self, press: Press, source: str = "buttons") -> Answer:
        """Take a press; ``source`` is ``page`` for one of a button on a page."""
        look = self.recorder.present
        if self.state.settled and look is not None and _empty(look):
            self.next_game("table")
        self._take_pairing()
        by = why = ""
        if isinstance(press, DeskPress):
            source, by, why = press.source, press.by or press.source, press.why
        try:
            return Answer(self.recorder.press(press, source, by, why).seq)
        except TilewatchError as error:
            _LOG.error("press of %s: %s", press.button, error)
            return Answer(None, str(error))

    def serve(self, posted: PendingPost) -> None:
        """Do what was posted, and answer."""
        try:
            posted.answer(self._done(posted))
        except TilewatchError as error:
            posted.answer(Answer(None, str(error)))

    def say(self, event: Event, source: str) -> None:
        """Record what was said about the game on the table. Raises ``TilewatchError``."""
        self.recorder.record(event, source)

    def sit_down(self, left: str, right: str) -> None:
        """These two play the game that waits, or the next one; said again, it says nothing new."""
        names: dict[Side, str] = {"left": left, "right": right}
        if self.state.status != "ended" and dict(self.state.players) == names:
            return
        self._name(NamePlayers(names, "players"))

    def next_game(self, source: str, by: str = "", why: str = "") -> Answer:
        """Begin the next game. Raises ``TilewatchError`` while one is going on.

        What somebody did by saying ``why`` is recorded in it.
        """
        state = self.state
        if state.status == "waiting":
            raise TilewatchError("the next game waits to be started already")
        if state.status == "running":
            raise TilewatchError("the game on the table is going on; end it first")
        self.recorder.finish()
        if not state.settled and state.signed is None and state.end_reason is not None:
            ended = GameEnded(state.end_reason, self._now_ns(), by, why)
            self.recorder.record(ended, source)
        self._round += 1
        self._begin_next()
        if why:
            self._act(NoteAction("next_game", "made ready for the next game", source, by, why))
        return Answer(self._log.last_seq)

    def make_ready(self, wish: NewGame) -> Answer:
        """Make ready for such a game. Raises ``TilewatchError`` while one is going on."""
        adjust = {} if wish.minutes is None else {"clock.minutes": wish.minutes}
        adjusted(load_rulebook(wish.rulebook), adjust)
        load_tile_set(wish.tile_set)
        names = {side: name.strip() for side, name in wish.players.items()}
        if not all(names.values()):
            raise TilewatchError("a name is at least one letter")
        state = self.state
        if state.status == "running":
            raise TilewatchError("the game on the table is going on; end it first")
        self._rulebook, self._tile_set, self._adjust = wish.rulebook, wish.tile_set, adjust
        self._word_list = None if wish.word_list is None else dict(wish.word_list)
        self._names.update(names)
        if state.status != "waiting":
            return self.next_game(wish.source, wish.by, wish.why)
        # What waits has other rules: it is never played.
        self.recorder.finish()
        ended = GameEnded(EndReason.SET_UP_ANEW, self._now_ns(), wish.by, wish.why)
        self.recorder.record(ended, wish.source)
        self._begin_next()
        if wish.why:
            made = "made ready for a game with these names and rules"
            self._act(NoteAction("new_game", made, wish.source, wish.by, wish.why))
        return Answer(self._log.last_seq)

    # --- games ---

    def _resumed(self) -> Recorder | None:
        games = self._log.game_ids()
        if not games:
            return None
        taken = take_up(self._log, games[-1])
        self._round += sum(not self._set_aside(game) for game in games[:-1])
        _LOG.info("game %s goes on after %d turns", games[-1], len(taken.state.turns))
        return Recorder(
            taken,
            self._reader,
            self._log,
            self._evidence,
            listener=self._listener,
            spool=self._spool,
        )

    def _set_aside(self, game_id: str) -> bool:
        """Whether a game was made ready and then another in its place, which is no round."""
        last = self._log.last_of(game_id)
        return (
            last is not None
            and last.type == "GameEnded"
            and last.payload["reason"] == EndReason.SET_UP_ANEW
        )

    def _begun(self) -> Recorder:
        self._paired = self._roster.names(self._round) if self._roster else None
        known = self._paired or {}
        names = {side: self._names.get(side) or known.get(side) or side.title() for side in SIDES}
        start = GameStarted(
            new_game_id(self.name),
            {side: names[side] for side in SIDES},
            self._rulebook,
            self._tile_set,
            None,
            self._now_ns(),
            adjust=self._adjust,
            word_list=self._word_list,
        )
        return Recorder(
            start,
            self._reader,
            self._log,
            self._evidence,
            listener=self._listener,
            spool=self._spool,
            settings=self._settings,
        )

    def _begin_next(self) -> None:
        self.recorder = self._begun()
        self._names = {}
        for naming in self._named:
            self._name(naming)
        self._named = []

    def _take_pairing(self) -> None:
        """Take the names of a round that was paired after its game was made ready.

        Names that somebody has given by hand stay.
        """
        if self._roster is None or self.state.status != "waiting":
            return
        known, before = self._roster.names(self._round), self._paired or {}
        if known is None or known == before:
            return
        self._paired = known
        names: dict[str, str] = {
            side: known[side]
            for side in SIDES
            if self.state.players[side] in (before.get(side), side.title())
            and self.state.players[side] != known[side]
        }
        if names:
            event = PlayersNamed(names, "the pairings", self._now_ns(), "")
            self.recorder.record(event, "table")

    def _at_rest(self, look: Observation, now_ns: int) -> None:
        """See whether the board was cleared for the next game."""
        state = self.state
        going_on = state.status == "running" and state.clocks.running is not None
        if state.status == "waiting" or going_on or not _empty(look):
            return
        if state.status == "ended":
            if now_ns - self._ended_ns(state) >= CLEARED_NS:
                self.next_game("table")
        elif _played(state) >= _MANY:
            stopped = state.progress.stopped_ns
            if stopped is not None and now_ns - stopped >= CLEARED_NS:
                self.recorder.record(GameEnded(EndReason.BROKEN_OFF, self._now_ns()), "table")
                self.next_game("table")

    def _ended_ns(self, state: GameState) -> int:
        last = state.turns[-1].press_ns if state.turns else state.start.t_ns
        return max(last, state.progress.stopped_ns or 0)

    # --- the desk ---

    def _done(self, posted: PendingPost) -> Answer:
        post = posted.post
        refuse_other_game(post, self.state.game_id)
        if isinstance(post, Press):
            return self.press(post, "page")
        if isinstance(post, NamePlayers):
            return self._name(post)
        if isinstance(post, NextGame):
            return self.next_game(post.source, post.by, post.why)
        if isinstance(post, NewGame):
            return self.make_ready(post)
        if isinstance(post, NoteAction):
            return self._act(post)
        return self._rule(post)

    def _name(self, naming: NamePlayers) -> Answer:
        names = {side: name.strip() for side, name in naming.players.items()}
        if self.state.status == "ended":
            if not names or not all(names.values()):
                raise TilewatchError("a name is at least one letter")
            self._names.update(names)
            if naming.why:
                self._named.append(naming)
            return Answer(None)
        by = naming.by or naming.source
        event = PlayersNamed({side: names[side] for side in names}, by, self._now_ns(), naming.why)
        return Answer(self.recorder.record(event, naming.source).seq)

    def _act(self, acting: NoteAction) -> Answer:
        by = acting.by or acting.source
        event = ActionTaken(acting.action, acting.message, by, acting.why, self._now_ns())
        return Answer(self.recorder.record(event, acting.source).seq)

    def _rule(self, ruling: Ruling) -> Answer:
        if ruling.game_id == self.state.game_id:
            refuse_unseen(ruling, self.state)
            return Answer(self.recorder.record(ruling.event, ruling.source).seq)
        logged = self._log.events(ruling.game_id)
        if not logged:
            raise TilewatchError(f"there is no game {ruling.game_id!r}")
        state = fold(from_payload(event.payload) for event in logged)
        refuse_unseen(ruling, state)
        apply(state, ruling.event)
        t_ns = getattr(ruling.event, "t_ns", self._now_ns())
        done = self._log.append(
            ruling.game_id, to_payload(ruling.event), mono_ns=t_ns, source=ruling.source
        )
        return Answer(done.seq)


def _played(state: GameState) -> int:
    """How many tiles were played, and would not be gone if the last play were challenged off."""
    last = state.turns[-1:]
    withdrawn = bool(last) and set(state.board.tiles()) <= {Square.parse(n) for n in last[0].tiles}
    return 0 if withdrawn else sum(len(turn.tiles) for turn in state.turns)


def _empty(look: Observation) -> bool:
    rows = look.reading.rows
    if sum(row.count(UNREADABLE) for row in rows) > _STRAY:
        return False
    return sum(symbol != EMPTY for row in rows for symbol in row) <= _STRAY
