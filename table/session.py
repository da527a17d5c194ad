"""The life of a table: one game after another, with nobody at a keyboard.

A table always has a game. It is *waiting* until the board has been seen, in *set-up* while anything
is on it, and *ready* when it is empty; the first press sets it *running*. It is *interrupted*
while both clocks are stopped or the camera is gone, and has *ended* once it is played out or
somebody ended it. When the board is then cleared the result is taken as agreed, unless it was
*signed* before, and the next game begins. A game is broken off when its clocks are stopped and the
board is cleared. Everything is in the log, so a table that is restarted goes on where it was.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, Literal

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
    TableDescribed,
    TimeUnseen,
    from_payload,
    to_payload,
)
from game.state.fold import GameState, fold
from game.terms import nameless
from record.paths import new_game_id
from sensors.interfaces import Frame, Press
from table.cleared_board import played_tiles, refuse_uncleared, shows_empty
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
from table.game_setup import GameSetup, checked_names
from table.recorder import Listener, Recorder
from table.recorder_stores import RecorderStores
from table.refusals import after_ruling, refuse_overtaken
from table.resume import resume_game
from table.roster import PairedRound, Schedule
from table.time_base import Gap
from table.uncounted_play import COUNTS, count_before_end, count_play
from vision.tracking.observer import ReadsBoards
from vision.tracking.sighting import Observation

_LOG = logging.getLogger(__name__)

Phase = Literal["waiting", "set_up", "ready", "running", "interrupted", "ended", "signed"]
CLEARED_NS: Final = 1_000_000_000
"""A board is cleared if it is seen empty this long after the game ended or its clocks stopped."""

SWEPT_NS: Final = 5_000_000_000
"""A game without a clock, or one whose clocks stand because nobody watched, is broken off when its
board has been empty for so long."""

_PLAYERS: Final = "players"
"""The source of the names that simulated players give."""

_RULES: Final = ("rulebook", "tile_set", "word_list", "announced")
"""The settings of a table that give the rules of its games."""

_BROKEN_OFF_TILES: Final = 7
"""A game with fewer tiles on the board is not broken off by taking them away."""


class TableSession:
    """One table at work. Not safe to use from several threads at once."""

    def __init__(
        self,
        name: str,
        reader: ReadsBoards,
        stores: RecorderStores,
        setup: GameSetup,
        now_ns: Callable[[], int],
        *,
        schedule: Schedule | None = None,
        listener: Listener | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        """Resume the newest game in the log, or begin one.

        Args:
            name: the table's.
            reader: reads its board.
            stores: where it is recorded.
            setup: the games to come.
            now_ns: the table's time.
            schedule: who plays in which round.
            listener: called with each event once it is on disk, and the state after it.
            settings: the table's, for the record.
        """
        self.name = name
        self._reader, self._stores, self._log = reader, stores, stores.log
        self._setup, self._now_ns = setup, now_ns
        self._schedule = schedule or Schedule()
        self._round = self._schedule.first_round
        self._paired = PairedRound()
        """What the schedule had for the round when it was last asked."""
        self._for_next: list[NamePlayers] = []
        """The names that were given for the next game, oldest first. The log has them too."""
        self._seated: Mapping[Side, str] = {}
        """The simulated players who wait to sit down at the next game."""
        self._listener, self._settings = listener, settings
        self.camera_lost: str | None = None
        """Why there is no picture, in one line."""
        self._swept_ns: int | None = None
        """Since when the board has been empty amid a game without a clock."""
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
        return "ready" if shows_empty(look) else "set_up"

    @property
    def pairings_doubt(self) -> str | None:
        """The fault of the pairings, or their open question for this game, or None."""
        return self._schedule.doubt(self._round, self.state)

    def frame(self, frame: Frame) -> None:
        """Take the next frame."""
        self.camera_lost = None
        self.recorder.frame(frame)
        self._take_pairing()
        look = self.recorder.present
        if look is not None:
            self._take_cleared(look, frame.t_ns)

    def press(self, press: Press, source: str = "buttons") -> Answer:
        """Take a press; ``source`` is ``page`` for one of a button on a page."""
        look = self.recorder.present
        if self.state.settled and look is not None and shows_empty(look):
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
        """Record that nobody watched the table for a while, if that is the game's matter."""
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

    def seat_players(self, players: Mapping[Side, str]) -> None:
        """Name the simulated players of the game on the table or, once it is over, of the next.

        The names that anybody else gave, or the pairings, stay.
        """
        if self.state.status == "ended":
            self._seated = players
            return
        if self._schedule.paired(self._round).names:
            return
        known = self.state.players
        own = {s: name for s, name in players.items() if known[s] != name and self._unnamed(s)}
        if own:
            self._name(NamePlayers(own, _PLAYERS))

    def _unnamed(self, side: Side) -> bool:
        """True if nobody but the simulated players has named the player of a side."""
        events, retracted = self.state.progress.events, self.state.progress.retracted
        by = [
            event.by
            for number, event in enumerate(events, start=1)
            if isinstance(event, PlayersNamed) and side in event.players and number not in retracted
        ]
        return by[-1] == _PLAYERS if by else self.state.start.players[side] == nameless(side)

    def next_game(self, source: str, by: str = "", why: str = "") -> Answer:
        """Begin the next game. Raises ``TilewatchError`` while one is going on.

        With ``why``, that somebody began it is recorded in it.
        """
        state = self.state
        if state.status == "waiting":
            raise TilewatchError("the next game waits to be started already")
        if state.status == "running":
            raise TilewatchError("the game on the table is going on; end it first")
        self.recorder.finish()
        if not state.settled and state.signed is None and state.end_reason is not None:
            self.recorder.record(GameEnded(state.end_reason, self._now_ns(), by, why), source)
        self._round += 1
        self._take_names()
        self._begin_next()
        if why:
            self._note(NoteAction("next_game", "made ready for the next game", source, by, why))
        return Answer(self._log.last_seq)

    def make_ready(self, wish: NewGame) -> Answer:
        """Make ready for such a game. Raises ``TilewatchError`` while one is going on."""
        wish.setup.require_usable()
        if self.state.status == "running":
            raise TilewatchError("the game on the table is going on; end it first")
        players = {**self._setup.players, **checked_names(wish.setup.players)}
        self._for_next = list(_overridden(self._for_next, players))
        hands = self._setup.hands  # the table's, whatever game is played at it
        self._setup = replace(wish.setup, players=players, by_hand=True, hands=hands)
        if self.state.status != "waiting":
            return self.next_game(wish.source, wish.by, wish.why)
        self._begin_anew(wish.source, wish.by, wish.why)
        if wish.why:
            made = "made ready for a game with these names and rules"
            self._note(NoteAction("new_game", made, wish.source, wish.by, wish.why))
        return Answer(self._log.last_seq)

    def _begin_anew(self, source: str, by: str = "", why: str = "") -> None:
        """Replace the waiting game by one under the rules that now hold."""
        self.recorder.finish()
        self.recorder.record(GameEnded(EndReason.SET_UP_ANEW, self._now_ns(), by, why), source)
        self._begin_next()

    # --- games ---

    def _resumed(self) -> Recorder | None:
        games = self._log.game_ids()
        if not games:
            return None
        game = resume_game(self._log, games[-1])
        self._recall(games[-1], game.state.start)
        self._round += sum(not self._was_replaced(game_id) for game_id in games[:-1])
        _LOG.info("game %s goes on after %d turns", games[-1], len(game.state.turns))
        return Recorder(game, self._reader, self._stores, listener=self._listener)

    def _recall(self, game_id: str, start: GameStarted) -> None:
        """Restore what people have said of the games to come."""
        described: Mapping[str, Any] = {}
        for logged in self._log.events(game_id):
            event = from_payload(logged.payload)
            if isinstance(event, TableDescribed):
                described = event.settings
            elif isinstance(event, ActionTaken) and event.next_game is not None:
                names = checked_names(event.next_game.get("players", {}))
                announced = event.next_game.get("announced")
                self._for_next.append(
                    NamePlayers(names, logged.source, event.by, event.why, announced=announced)
                )
        configured = self._settings or {}
        if start.by_hand is not None and all(
            described.get(one) == configured.get(one) for one in _RULES
        ):
            self._setup = replace(
                self._setup,
                tile_set=start.tile_set,
                rulebook=start.rulebook,
                word_list=start.word_list,
                announced=start.by_hand,
                by_hand=True,
            )

    def _was_replaced(self, game_id: str) -> bool:
        """True if another game replaced this one before it was played, so that it was no round."""
        last = self._log.last_of(game_id)
        return (
            last is not None
            and last.type == "GameEnded"
            and last.payload["reason"] == EndReason.SET_UP_ANEW
        )

    def _new_recorder(self) -> Recorder:
        setup = self._setup
        self._paired = self._schedule.paired(self._round)
        paired = self._paired.names or {}
        # With a clock its first press tells.
        first = None if setup.hands is None else setup.first or self._paired.first
        names: dict[str, str] = {
            side: setup.players.get(side) or paired.get(side) or nameless(side) for side in SIDES
        }
        start = GameStarted(
            new_game_id(self.name),
            names,
            setup.rulebook,
            setup.tile_set,
            first,
            self._now_ns(),
            adjust=setup.adjust(self._paired.announced),
            word_list=None if setup.word_list is None else dict(setup.word_list),
            hands=setup.hands,
            by_hand=dict(setup.announced) if setup.by_hand else None,
        )
        return Recorder(
            start, self._reader, self._stores, listener=self._listener, settings=self._settings
        )

    def _take_names(self) -> None:
        """Give the next game the names and settings that were sent for it."""
        players = dict(self._setup.players)
        of_round: Mapping[str, Any] | None = None
        for naming in self._for_next:
            players |= checked_names(naming.players)
            of_round = of_round if naming.announced is None else naming.announced
        self._setup = replace(self._setup, players=players, of_round=of_round)

    def _begin_next(self) -> None:
        self.recorder = self._new_recorder()
        self._setup = replace(self._setup, players={}, first=None)
        named, self._for_next = self._for_next, []
        for naming in named:
            names = checked_names(naming.players)
            held = {s: name for s, name in names.items() if name == self.state.players[s]}
            if naming.why and held:  # which this game's own record has, too
                self._name(replace(naming, players=held, announced=None))
        seated, self._seated = self._seated, {}
        self.seat_players(seated)

    def _take_pairing(self) -> None:
        """Take the names of a round that was paired after its game was made ready.

        Names that somebody has given by hand stay.
        """
        if self.state.status != "waiting":
            return
        paired, first = self._schedule.paired(self._round), self.state.start.first
        if paired.names is None or paired == self._paired:
            return
        known, before, players = paired.names, self._paired.names or {}, self.state.players
        given = (s for s in SIDES if players[s] not in (before.get(s), nameless(s)))
        by_hand = {side: players[side] for side in given}
        if not self.state.timed and first in (None, self._paired.first):
            first = paired.first  # nobody gave another by hand
        rules = [self._setup.adjust(one.announced) for one in (self._paired, paired)]
        if rules[0] != rules[1] or first != self.state.start.first:
            self._setup = replace(self._setup, players=by_hand, first=first)
            self._begin_anew("table", "the pairings")
            return
        self._paired = paired
        names: dict[str, str] = {
            side: known[side]
            for side in SIDES
            if side not in by_hand and players[side] != known[side]
        }
        if names:
            event = PlayersNamed(names, "the pairings", self._now_ns(), "")
            self.recorder.record(event, "table")

    def _take_cleared(self, look: Observation, now_ns: int) -> None:
        """Go on to the next game if the board was cleared for it."""
        state = self.state
        going_on = state.status == "running" and state.clocks.running is not None
        if not shows_empty(look):
            self._swept_ns = None
        elif state.status == "ended":
            if now_ns - self._ended_ns(state) >= CLEARED_NS:
                self.next_game("table")
        elif (
            state.status != "waiting" and not going_on and played_tiles(state) >= _BROKEN_OFF_TILES
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
            refuse_uncleared(self.state, self.recorder.at_rest, post.despite_tiles)
            if isinstance(post, NewGame):
                return self.make_ready(post)
            return self.next_game(post.source, post.by, post.why)
        if isinstance(post, NoteAction):
            return self._note(post)
        if isinstance(post, CountPlay):
            note = NoteAction("count_play", COUNTS, post.source, post.by, post.why)
            return self._note(note) if count_play(self.recorder, self._log) else Answer(None)
        return self._rule(post)

    def _name(self, naming: NamePlayers) -> Answer:
        names, ended = checked_names(naming.players), self.state.status == "ended"
        by = naming.by or naming.source
        if naming.announced is not None:
            setup = replace(self._setup, of_round=naming.announced)
            setup.require_usable()
            new = not ended and setup.adjust() != self.state.start.adjust
            if new and self.state.status == "running":
                raise TilewatchError(
                    "the game on the table is going on with other rules; end it first"
                )
            if new:
                seated = {side: names.get(side, self.state.players[side]) for side in SIDES}
                self._setup = replace(setup, players=seated, first=self.state.start.first)
                self._begin_anew(naming.source, by, naming.why)
                return Answer(self._log.last_seq)
            if not ended:
                self._setup = setup
        if ended:
            return self._name_next(naming, names, by)
        event = PlayersNamed({side: names[side] for side in names}, by, self._now_ns(), naming.why)
        return Answer(self.recorder.record(event, naming.source).seq)

    def _name_next(self, naming: NamePlayers, names: Mapping[Side, str], by: str) -> Answer:
        """Log the names of the next game in the one that is over, and keep them for it."""
        if not names:
            raise TilewatchError("a name is at least one letter")
        given: dict[str, Any] = {"players": dict(names)}
        if naming.announced is not None:
            given["announced"] = dict(naming.announced)
        seats = ", ".join(f"{name} on the {side}" for side, name in names.items())
        event = ActionTaken(
            "next_names", f"the next game: {seats}", by, naming.why, self._now_ns(), given
        )
        logged = self.recorder.record(event, naming.source)
        self._for_next.append(naming)
        return Answer(logged.seq)

    def _note(self, done: NoteAction) -> Answer:
        by = done.by or done.source
        event = ActionTaken(done.action, done.message, by, done.why, self._now_ns())
        return Answer(self.recorder.record(event, done.source).seq)

    def _rule(self, ruling: Ruling) -> Answer:
        if ruling.game_id == self.state.game_id:
            before = self.state
            after = after_ruling(ruling, before)
            count_before_end(self.recorder, self._log, ruling)
            if self.state is not before:
                after = after_ruling(ruling, self.state)
            return Answer(self.recorder.record(ruling.event, ruling.source, after=after).seq)
        logged = self._log.events(ruling.game_id)
        if not logged:
            raise TilewatchError(f"there is no game {ruling.game_id!r}")
        state = fold(from_payload(event.payload) for event in logged)
        after_ruling(ruling, state)
        t_ns = getattr(ruling.event, "t_ns", self._now_ns())
        payload = to_payload(ruling.event)
        written = self._log.append(ruling.game_id, payload, mono_ns=t_ns, source=ruling.source)
        return Answer(written.seq)


def _overridden(
    namings: Iterable[NamePlayers], players: Mapping[Side, str]
) -> Iterator[NamePlayers]:
    """The namings without what a new game's own names and rules take the place of."""
    for one in namings:
        kept = {side: name for side, name in one.players.items() if side not in players}
        if kept:
            yield replace(one, players=kept, announced=None)
