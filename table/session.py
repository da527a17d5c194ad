"""The life of a table: one game after another, with nobody at a keyboard.

A table always has a game. The game is *waiting* until the board has been seen, in *set-up* while
anything is on the board, and *ready* when the board is empty. The first press makes it *running*.
It is *interrupted* while both clocks are stopped or the camera is lost, and has *ended* once it is
played out or somebody ended it. When the board is then cleared, the result counts as agreed, unless
it was *signed* before, and the next game begins. A game is broken off if its clocks are stopped and
the board is cleared. Everything is in the log, so a restarted table goes on where it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

from game.adjudication.preview import after_entry
from game.board import EMPTY, Square
from game.errors import TilewatchError
from game.events import (
    ActionTaken,
    EndReason,
    Event,
    GameEnded,
    GameForfeited,
    PlayersNamed,
    Side,
    TimeUnseen,
    to_payload,
)
from game.state.fold import GameState
from sensors.interfaces import Frame, Press
from table.coming_games import ComingGames
from table.desk import (
    Answer,
    CountPlay,
    DeskPress,
    NamePlayers,
    NewGame,
    NextGame,
    NoteAction,
    PendingPost,
    Ruling,
)
from table.folded_log import FoldedLog
from table.game_setup import checked_names
from table.racks.history import RackSighting
from table.racks.known import KnownRacks
from table.recorder import Listener, Recorder, RecorderStores
from table.refusals import COUNTED, STRAY, refuse_overtaken, refuse_uncleared
from table.resume import resume_game
from table.time_base import Gap
from table.views.publication import newest_decisions
from vision.tracking.observer import ReadsBoards
from vision.tracking.sighting import Observation

_LOG = logging.getLogger(__name__)

Phase = Literal["waiting", "set_up", "ready", "running", "interrupted", "ended", "signed"]
CLEARED_NS: Final = 1_000_000_000
"""A board counts as cleared if it is seen empty at least this long after the game ended or its
clocks stopped."""

SWEPT_NS: Final = 5_000_000_000
"""A game without a clock, or one whose clocks stand because no process watched, is broken off when
its board has been empty for this long."""

COUNTS: Final = "counted the play that lay on the board"
"""The note that is logged when somebody asks to count the play."""

_UNOPENED: Final = 3
"""The number of newest games that a table looks through for sealed racks when it starts."""

_BROKEN_OFF_TILES: Final = 7
"""A game with fewer tiles on the board is not broken off by taking them away."""


class TableSession:
    """One table at work. Not safe to use from several threads at once."""

    def __init__(
        self,
        reader: ReadsBoards,
        stores: RecorderStores,
        coming: ComingGames,
        now_ns: Callable[[], int],
        *,
        folded: FoldedLog | None = None,
        listener: Listener | None = None,
        settings: Mapping[str, Any] | None = None,
        racks: KnownRacks | None = None,
    ) -> None:
        """Resume the newest game in the log, or begin one.

        Args:
            reader: reads the board.
            stores: where events and pictures are written.
            coming: the players and rules of its games, from the first round on.
            now_ns: returns the table's time.
            folded: the games of the log, for rulings on earlier ones; None: a new one is made.
            listener: called with each event once it is on disk, and the state after it.
            settings: the settings of the table, for the log.
            racks: seals and knows what is on the racks; None: nobody has the broadcast role.
        """
        self._reader, self._stores, self._log = reader, stores, stores.log
        self._coming, self._now_ns = coming, now_ns
        self._folded = folded or FoldedLog(stores.log, 0, from_newest_game=True)
        self._listener, self._settings = listener, settings
        self.racks = racks or KnownRacks(None)
        """The racks of its games, for the broadcast role alone."""
        self.camera_lost: str | None = None
        """The reason why there is no picture, in one line; None if the camera works."""
        self._unopened = self._log.game_ids()[-_UNOPENED:-1]
        """The newest earlier games, whose racks may still have to be opened."""
        self._swept_ns: int | None = None
        """The time since which the board is empty in a game without a clock; None if it is not."""
        self.recorder = self._resumed() or self._new_recorder()

    @property
    def state(self) -> GameState:
        """The game on the table."""
        return self.recorder.state

    @property
    def phase(self) -> Phase:
        """The phase of the game on the table."""
        state = self.state
        if state.signed is not None:
            return "signed"
        if state.status == "ended":
            return "ended"
        if state.status == "running":
            stopped = state.timed and state.clocks.running is None
            return "interrupted" if stopped or self.camera_lost else "running"
        look = self.recorder.at_rest
        if look is None or self.camera_lost:
            return "waiting"
        return "ready" if _shows_empty(look) else "set_up"

    @property
    def pairings_doubt(self) -> str | None:
        """The pairings' fault or open question on this game, in one line; None without either."""
        return self._coming.doubt(self.state)

    @property
    def uncounted(self) -> tuple[str, ...]:
        """The tiles of a play that no turn has counted yet, each as ``8H A``."""
        word = self.state.tile_set.word
        return tuple(f"{at.name} {word(tile)}" for at, tile in self.recorder.uncounted.items())

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""
        self.camera_lost = None
        self.recorder.frame(frame)
        self._take_pairing()
        look = self.recorder.present
        if look is not None:
            self._take_cleared(look, frame.t_ns)

    def press(self, press: Press, source: str = "buttons") -> Answer:
        """Take a press; ``source`` is ``page`` for a button on a page. Return the result."""
        look = self.recorder.present
        if self.state.settled and look is not None and _shows_empty(look):
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

    def time_unseen(self, gap: Gap) -> None:
        """Record that the table was not watched for a while, if that concerns the game."""
        state = self.state
        if state.status == "running" or state.clocks.running is not None:
            event = TimeUnseen(gap.from_ns, gap.until_ns, gap.passed_ns, gap.measured, gap.short)
            self.recorder.record(event, "table")
            self.recorder.lost.unwatched(gap.passed_ns if gap.measured else None)

    def serve(self, posted: PendingPost) -> None:
        """Carry out a request, and answer it."""
        try:
            answer = self._carry_out(posted)
            kept = answer.seq is None or not self._log.held
            posted.answer(replace(answer, on_disk=kept))
        except TilewatchError as error:
            posted.answer(Answer(None, str(error)))

    def record(self, event: Event, source: str) -> None:
        """Record an event of the game on the table. Raises ``TilewatchError``."""
        self.recorder.record(event, source)

    def rack(self, seen: RackSighting, source: str) -> int | None:
        """Record what was seen on a rack, sealed; return its sequence, None if nothing is new."""
        logged = [self.recorder.record(one, source) for one in self.racks.sealing(self.state, seen)]
        return logged[-1].seq if logged else None

    def open_racks(self, lag_ns: int) -> None:
        """Open the racks of each game that has been over for ``lag_ns``, if that was not done.

        The game on the table can still go on unless its result is signed.
        """
        now_ns = self._now_ns()
        signed = self.state.signed is not None
        if signed and (opened := self.racks.opening(self.state, now_ns, lag_ns)):
            self.recorder.record(opened, "table")
        for game_id in tuple(self._unopened):
            game = self._folded.game(game_id)
            if game is None or not self.racks.sealed(game.state):
                self._unopened.remove(game_id)
            elif opened := self.racks.opening(game.state, now_ns, lag_ns):
                payload = to_payload(opened)
                self._log.append(game_id, payload, mono_ns=opened.t_ns, source="table")

    def seat_players(self, players: Mapping[Side, str]) -> None:
        """Name the simulated players of the game on the table or, once it is over, of the next.

        Names from the pairings or from anybody else stay.
        """
        own = self._coming.seat(players, self.state)
        if own is not None:
            self._name(own)

    def next_game(self, source: str, by: str = "", why: str = "") -> Answer:
        """Begin the next game. Raises ``TilewatchError`` while one is going on.

        If ``why`` is given, the new game records who began it and why.
        """
        state = self.state
        if state.status == "waiting":
            raise TilewatchError("the next game already waits to be started")
        if state.status == "running":
            raise TilewatchError("the game on the table is going on; end it first")
        self.recorder.finish()
        if not state.settled and state.signed is None and state.end_reason is not None:
            self.recorder.record(GameEnded(state.end_reason, self._now_ns(), by, why), source)
        self._coming.next_round()
        self._begin_next()
        if by:
            self._note(NoteAction("next_game", "made ready for the next game", source, by, why))
        return Answer(self._log.last_seq)

    def make_ready(self, wish: NewGame) -> Answer:
        """Prepare the next game by these rules. Raises ``TilewatchError`` while one is going on."""
        wish.setup.require_usable()
        if self.state.status == "running":
            raise TilewatchError("the game on the table is going on; end it first")
        self._coming.set_up(wish.setup)
        if self.state.status != "waiting":
            return self.next_game(wish.source, wish.by, wish.why)
        self._begin_anew(wish.source, wish.by, wish.why)
        if wish.by:
            made = "made ready for a game with these names and rules"
            self._note(NoteAction("new_game", made, wish.source, wish.by, wish.why))
        return Answer(self._log.last_seq)

    def _begin_anew(self, source: str, by: str = "", why: str = "") -> None:
        """Replace the waiting game by one with the present rules."""
        self.recorder.finish()
        self.recorder.record(GameEnded(EndReason.SET_UP_ANEW, self._now_ns(), by, why), source)
        self._begin_next()

    # --- games ---

    def _resumed(self) -> Recorder | None:
        games = self._log.game_ids()
        if not games:
            return None
        game = resume_game(self._log, games[-1])
        self._coming.recall(self._log, games, game.state.start, self._settings or {})
        _LOG.info("game %s goes on after %d turns", games[-1], len(game.state.turns))
        return Recorder(game, self._reader, self._stores, listener=self._listener)

    def _new_recorder(self) -> Recorder:
        return Recorder(
            self._coming.start(),
            self._reader,
            self._stores,
            listener=self._listener,
            settings=self._settings,
        )

    def _begin_next(self) -> None:
        _, shown = newest_decisions(self.state)
        self._unopened.append(self.state.game_id)
        self.recorder = self._new_recorder()
        if shown is not None:  # it was decided for the table, and holds for this game too
            self.recorder.record(replace(shown, t_ns=self._now_ns()), "table")
        for naming in self._coming.begun(self.state):
            self._name(naming)

    def _take_pairing(self) -> None:
        """Take the names of a round that was paired after its game was prepared."""
        names = self._coming.take_pairing(self.state)
        if names is None:
            self._begin_anew("table", "the pairings")
        elif names:
            event = PlayersNamed(names, "the pairings", self._now_ns(), "")
            self.recorder.record(event, "table")

    def _take_cleared(self, look: Observation, now_ns: int) -> None:
        """Go on to the next game if the board was cleared for it."""
        state = self.state
        going_on = state.status == "running" and state.clocks.running is not None
        if not _shows_empty(look):
            self._swept_ns = None
        elif state.status == "ended":
            if now_ns - self._ended_ns(state) >= CLEARED_NS:
                self.next_game("table")
        elif (
            state.status != "waiting" and not going_on and _played_tiles(state) >= _BROKEN_OFF_TILES
        ):
            stopped, wait_ns = state.progress.stopped_ns, CLEARED_NS
            if not state.timed or state.progress.unseen_stop_ns is not None:
                stopped = self._swept_ns = self._swept_ns or now_ns
                wait_ns = SWEPT_NS
            if stopped is not None and now_ns - stopped >= wait_ns:
                self._break_off()

    def _break_off(self) -> None:
        self._swept_ns = None
        if not self.state.timed:
            self.recorder.finish()
        if self.state.status == "running":
            self.recorder.record(GameEnded(EndReason.BROKEN_OFF, self._now_ns()), "table")
        self.next_game("table")

    def _ended_ns(self, state: GameState) -> int:
        last = state.turns[-1].press_ns if state.turns else state.start.t_ns
        return max(last, state.progress.stopped_ns or 0)

    # --- the desk ---

    def _carry_out(self, posted: PendingPost) -> Answer:
        post = posted.post
        refuse_overtaken(post, self.state)
        if isinstance(post, Press):
            return self.press(post, "page")
        if isinstance(post, NamePlayers):
            return self._name(post)
        if isinstance(post, NextGame | NewGame):
            look = self.recorder.at_rest
            refuse_uncleared(self.state, 0 if look is None else _tiles_in(look), post.despite_tiles)
            if isinstance(post, NewGame):
                return self.make_ready(post)
            return self.next_game(post.source, post.by, post.why)
        if isinstance(post, NoteAction):
            return self._note(post)
        if isinstance(post, CountPlay):
            note = NoteAction("count_play", COUNTS, post.source, post.by, post.why)
            return self._note(note) if self._count_play() else Answer(None)
        return self._rule(post)

    def _name(self, naming: NamePlayers) -> Answer:
        names, by = checked_names(naming.players), naming.by or naming.source
        if self._coming.announce(naming, self.state):
            self._begin_anew(naming.source, by, naming.why)
            return Answer(self._log.last_seq)
        if self.state.status == "ended":
            return self._name_next(naming, names, by)
        event = PlayersNamed({side: names[side] for side in names}, by, self._now_ns(), naming.why)
        return Answer(self.recorder.record(event, naming.source).seq)

    def _name_next(self, naming: NamePlayers, names: Mapping[Side, str], by: str) -> Answer:
        """Log the next game's names in the finished game, and keep them for the next."""
        if not names:
            raise TilewatchError("a name needs at least one letter")
        given: dict[str, Any] = {"players": dict(names)}
        if naming.announced is not None:
            given["announced"] = dict(naming.announced)
        seats = ", ".join(f"{name} on the {side}" for side, name in names.items())
        event = ActionTaken(
            "next_names", f"the next game: {seats}", by, naming.why, self._now_ns(), given
        )
        logged = self.recorder.record(event, naming.source)
        self._coming.name_next(naming)
        return Answer(logged.seq)

    def _note(self, done: NoteAction) -> Answer:
        by = done.by or done.source
        event = ActionTaken(done.action, done.message, by, done.why, self._now_ns())
        return Answer(self.recorder.record(event, done.source).seq)

    def _count_play(self) -> bool:
        """Count the play that lies on the board; return True if that changed anything.

        Raises ``TilewatchError`` for a game with a clock.
        """
        if self.state.timed:
            raise TilewatchError("the game has a clock: its press counts a play")
        before = self._log.last_seq
        self.recorder.finish()
        return self._log.last_seq != before

    def _rule(self, ruling: Ruling) -> Answer:
        if ruling.game_id != self.state.game_id:
            return self._rule_earlier(ruling)
        after = after_entry(self.state, ruling.event, ruling.effect)
        ends = isinstance(ruling.event, GameEnded | GameForfeited) and not self.state.timed
        if ends and self._count_play():
            if ruling.effect is not None:  # that was shown without the last play
                raise TilewatchError(COUNTED)
            after = after_entry(self.state, ruling.event, ruling.effect)
        return Answer(self.recorder.record(ruling.event, ruling.source, after=after).seq)

    def _rule_earlier(self, ruling: Ruling) -> Answer:
        """Enter an event about a game that is no longer on the table."""
        game = self._folded.game(ruling.game_id)
        if game is None:
            raise TilewatchError(f"there is no game {ruling.game_id!r}")
        after_entry(game.state, ruling.event, ruling.effect)
        t_ns = getattr(ruling.event, "t_ns", self._now_ns())
        payload = to_payload(ruling.event)
        written = self._log.append(ruling.game_id, payload, mono_ns=t_ns, source=ruling.source)
        return Answer(written.seq)


def _played_tiles(state: GameState) -> int:
    """Return the number of tiles played; 0 if a challenge of the last play may empty the board."""
    last = state.turns[-1:]
    withdrawn = bool(last) and set(state.board.tiles()) <= {Square.parse(n) for n in last[0].tiles}
    return 0 if withdrawn else sum(len(turn.tiles) for turn in state.turns)


def _shows_empty(look: Observation) -> bool:
    """Return True if nothing lies on the board."""
    return _tiles_in(look) <= STRAY


def _tiles_in(look: Observation) -> int:
    return sum(len(row) - row.count(EMPTY) for row in look.reading.rows)
