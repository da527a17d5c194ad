"""The desk: requests from people at a screen, handed to the one loop that writes the log.

A table's log has one writer, the loop that records the game. Pages post a request here
(:data:`Post`: a ruling, names, a press of a clock button) from any thread and get an
:class:`Answer` once the loop has dealt with it: the sequence of the event that is now on the disk,
or one line that gives the reason for a refusal. Nothing is ever half done. A hub has a
:class:`Desk` for each table, which takes the same requests and sends them there
(``hub.wire.posts``).
"""

from __future__ import annotations

import queue
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, Final, TypeAlias

from pydantic import PlainSerializer, PlainValidator

from game.errors import TilewatchError
from game.events import SIDES, Event, Side, TroubleNoted, from_payload, to_payload
from game.terms import Shown
from sensors.interfaces import Frame, Press
from table.game_setup import GameSetup
from table.health.monitor import ActiveTroubles
from table.racks.history import RackDoubt
from table.views.player_list import Named, PlayerWord

Point: TypeAlias = tuple[float, float]

TIMEOUT_S: Final = 5.0
"""The seconds to wait for an answer: a loop that is alive takes far less."""


WITHDRAWN: Final = "The table does not answer. Nothing was done; try again in a moment."
"""The answer to a request that the loop did not get to in time: it is dropped."""

UNSURE: Final = (
    "The table has not finished yet. Look at what was ruled and done before you try again."
)
"""The answer to a request that the loop is still carrying out."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a request."""

    seq: int | None
    """The event's sequence in the log; None if nothing was logged."""
    refused: str | None = None
    """Why it was refused, in one line; None if it was done."""
    on_disk: bool = True
    """False while the event is only in memory because the disk cannot be written. It is lost if the
    table stops before the disk can be written again."""

    @property
    def done(self) -> bool:
        """True if the request was done."""
        return self.refused is None


@dataclass(frozen=True, slots=True)
class Attribution:
    """The person who does something, and the reason."""

    source: str
    """The account that it is logged under, or the table itself."""
    by: str = ""
    """The person who decided it, if other than the source; else empty."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """An event that somebody enters about a game, such as ``TurnRuled`` or ``PenaltyAdded``."""

    kind: ClassVar = "ruling"
    game_id: str
    event: Annotated[Event, PlainValidator(from_payload), PlainSerializer(to_payload)]
    """The event to record; its ``t_ns`` should be :attr:`Desk.now_ns`."""
    source: str
    effect: str | None = None
    """The digest of the effect that was shown (``Difference.digest``); None if none was shown. The
    request is refused if the effect has changed since."""


@dataclass(frozen=True, slots=True)
class NamePlayers:
    """The players' names, for the game on the table or, once that is over, for the next."""

    kind: ClassVar = "naming"
    players: Mapping[Side, str]
    source: str
    by: str = ""
    why: str = ""
    game_id: str | None = None
    """The game that must be on the table; None for any."""
    announced: Mapping[str, Any] | None = None
    """The settings that the event announces for that game; None changes none."""


@dataclass(frozen=True, slots=True)
class NextGame:
    """A request to begin the next game."""

    kind: ClassVar = "next_game"
    source: str
    by: str = ""
    why: str = ""
    game_id: str | None = None
    """The game that must be on the table; None for any."""
    despite_tiles: bool = False
    """True to begin even if tiles of the last game are seen on the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGame:
    """The rules of the next game, and of those that follow until others are set.

    They stay after a restart, unless the rules in the table's configuration have changed.
    """

    kind: ClassVar = "new_game"
    setup: GameSetup
    source: str
    by: str = ""
    why: str = ""
    despite_tiles: bool = False
    """As in :class:`NextGame`."""


@dataclass(frozen=True, slots=True)
class NoteAction:
    """An action at the table that is no ruling: see ``game.events.ActionTaken``."""

    action: str
    message: str
    source: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class TurnMeant:
    """The turn that was going on when somebody looked at the game."""

    number: int
    side: Side | None
    """The player on turn; None if that was not known."""

    @classmethod
    def of(cls, number: object, side: object) -> TurnMeant | None:
        """Return the turn that a request names; None if it names none."""
        on_turn = next((one for one in SIDES if one == side), None)
        if type(number) is not int or on_turn != side:
            return None
        return cls(number, on_turn)


@dataclass(frozen=True, slots=True)
class PlayerPress(Press):
    """A player's press of a button on a page. It counts at its own time, even if it comes late."""


@dataclass(frozen=True, slots=True)
class DeskPress(Press):
    """A clock button pressed on the players' behalf, by somebody named."""

    kind: ClassVar = "press"
    source: str
    by: str = ""
    why: str = ""
    game_id: str | None = None
    """The game that must be on the table; None for any."""
    seen: TurnMeant | None = None
    """The turn during which the start of a clock is meant; None for any."""


@dataclass(frozen=True, slots=True)
class CountPlay:
    """A request to count the play that lies on the board of a game without a clock."""

    kind: ClassVar = "count_play"
    source: str
    by: str = ""
    why: str = ""
    game_id: str | None = None
    """The game that must be on the table; None for any."""


@dataclass(frozen=True, slots=True)
class Attend:
    """Somebody has attended to a trouble that happened (a call, a double press)."""

    kind: ClassVar = "attend"
    code: str
    what: str
    source: str
    by: str = ""
    why: str = ""
    message: str = ""
    """The trouble's line that was shown; the request is refused if the line has changed."""


@dataclass(frozen=True, slots=True)
class ListPlayers:
    """The hub's rules on who may be shown: the event's defaults and its list of players."""

    kind: ClassVar = "players"
    games: Shown
    names: Named
    players: Mapping[str, tuple[PlayerWord, ...]]
    source: str
    by: str = ""
    why: str = ""


DirectorPost = (
    Ruling | NamePlayers | NextGame | NewGame | CountPlay | DeskPress | Attend | ListPlayers
)
"""A director's request, at the table or from a hub, where ``kind`` names it."""

LoopPost = (
    Ruling | NamePlayers | NextGame | NewGame | CountPlay | DeskPress | NoteAction | PlayerPress
)
"""A request that the table's loop carries out."""

Post = DirectorPost | LoopPost
"""A request. ``source``, ``by`` and ``why`` are as in :class:`Attribution` and are kept with the
event."""


@dataclass(slots=True)
class PendingPost:
    """A request that waits for its answer. The loop calls ``answer`` exactly once."""

    post: LoopPost
    _answered: threading.Event = field(default_factory=threading.Event)
    _answer: Answer | None = None
    _free: threading.Lock = field(default_factory=threading.Lock)
    """Acquired by the loop when it begins, or by the waiter that gives up: the first one wins."""

    def begin(self) -> bool:
        """Begin to carry it out; return False if nobody waits for it any more."""
        return self._free.acquire(blocking=False)

    def answer(self, answer: Answer) -> None:
        """Set the answer."""
        self._answer = answer
        self._answered.set()

    def wait(self, timeout_s: float) -> Answer:
        """Wait for the answer. A director's request is withdrawn if none comes in time.

        A player's press is not withdrawn: it counts at its own time, however late it is handled.
        """
        if self._answered.wait(timeout_s) and self._answer is not None:
            return self._answer
        if isinstance(self.post, PlayerPress) or timeout_s <= 0:
            return Answer(None, "the table does not answer; it may have stopped")
        return Answer(None, WITHDRAWN if self._free.acquire(blocking=False) else UNSURE)


@dataclass(frozen=True, slots=True)
class ShownFrame:
    """A frame of the table, and the reading of the board that is in it."""

    frame: Frame
    corners: tuple[Point, Point, Point, Point] | None = None
    """The corners (x, y) of the playing grid in pixels, clockwise from the top left of upright
    letters. None if no board was found, or something has moved since."""
    rows: tuple[str, ...] | None = None
    """The 15 rows that were read."""
    read_ns: int | None = None
    """The exposure of the frame in which the rows were read; nothing has moved since."""
    looked: bool = False
    """True if the board was looked for after the last movement."""


class Desk(ABC):
    """A table's interface for its pages: they read its state and post requests. Thread-safe."""

    @property
    @abstractmethod
    def phase(self) -> str:
        """The table's phase (``table.session.Phase``)."""

    @property
    @abstractmethod
    def uncounted(self) -> tuple[str, ...]:
        """The tiles of a play that no turn has counted yet, each as ``8H A``."""

    @property
    def rack_doubts(self) -> tuple[RackDoubt, ...]:
        """The contradictions about the racks of the game on the table; secret as they are."""
        return ()

    @abstractmethod
    def now_ns(self) -> int:
        """Return the time on the table's base."""

    @abstractmethod
    def post(self, post: Post, timeout_s: float = TIMEOUT_S) -> Answer:
        """Post a request and wait for its answer. Not from within the loop itself."""

    @abstractmethod
    def trouble(self) -> tuple[TroubleNoted, ...]:
        """The table's active troubles, oldest first."""

    def picture(self) -> ShownFrame | None:
        """The newest frame, with its JPEG; None before the first, or if it cannot be encoded."""
        return None

    def shown(self) -> ShownFrame | None:
        """The newest frame with its reading; None before the first."""
        return None


class TableDesk(Desk):
    """The desk of a table: post from anywhere, ``take`` in the loop that owns the recorder.

    ``clock`` gives nanoseconds on the table's base; ``wake`` is called after each post, to wake a
    loop that waits for something else; ``encode`` makes a JPEG of a frame that has none.
    """

    phase: str = "waiting"
    uncounted: tuple[str, ...] = ()
    rack_doubts: tuple[RackDoubt, ...] = ()

    def __init__(
        self,
        clock: Callable[[], int],
        wake: Callable[[], None] | None = None,
        encode: Callable[[Frame], bytes] | None = None,
    ) -> None:
        self.active_troubles = ActiveTroubles()
        self._clock, self._wake = clock, wake
        self._encode = encode
        self.on_list: Callable[[ListPlayers], None] = lambda _: None
        """Takes the hub's list of players for the table's pages. Raises ``TilewatchError``."""
        self._shown: ShownFrame | None = None
        self._encoded: tuple[ShownFrame, ShownFrame] | None = None
        """The frame that was encoded last, and the same frame with its JPEG."""
        self._posted: queue.SimpleQueue[PendingPost] = queue.SimpleQueue()
        self._closed = False

    # --- anybody ---

    def now_ns(self) -> int:
        """Return the time on the table's base."""
        return self._clock()

    def picture(self) -> ShownFrame | None:
        """The newest frame, with its JPEG; None before the first, or if it cannot be encoded.

        A frame is encoded in the caller's thread and once, however often it is asked for.
        """
        shown, encoded = self._shown, self._encoded
        if shown is None or shown.frame.jpeg is not None:
            return shown
        if encoded is not None and encoded[0] is shown:
            return encoded[1]
        try:
            jpeg = None if self._encode is None else self._encode(shown.frame)
        except TilewatchError:
            jpeg = None
        if jpeg is None:
            return None
        made = replace(shown, frame=replace(shown.frame, jpeg=jpeg))
        self._encoded = shown, made
        return made

    def shown(self) -> ShownFrame | None:
        """The newest frame with its reading; None before the first."""
        return self._shown

    def trouble(self) -> tuple[TroubleNoted, ...]:
        """The table's active troubles, oldest first."""
        return self.active_troubles.now()

    def post(self, post: Post, timeout_s: float = TIMEOUT_S) -> Answer:
        """Post a request and wait for its answer. Not from within the loop itself."""
        if isinstance(post, Attend):
            return self._attend(post, timeout_s)
        if isinstance(post, ListPlayers):
            try:
                self.on_list(post)
            except TilewatchError as error:
                return Answer(None, str(error))
            return Answer(None)
        if self._closed:
            return Answer(None, "the table has stopped")
        posted = PendingPost(post)
        self._posted.put(posted)
        if self._wake is not None:
            self._wake()
        return posted.wait(timeout_s)

    def _attend(self, post: Attend, timeout_s: float) -> Answer:
        asked = (post.code, post.what, "happened")
        trouble = next(
            (one for one in self.trouble() if (one.code, one.what, one.state) == asked), None
        )
        if trouble is None:
            return Answer(None, "somebody has already attended to that")
        if post.message and trouble.message != post.message:
            return Answer(None, f"this has changed; look at it first: {trouble.message}")
        seen_to = f"seen to: {trouble.message}"
        note = NoteAction("attended", seen_to, post.source, post.by, post.why)
        answer = self.post(note, timeout_s)
        if answer.done:
            self.active_troubles.end(post.code, post.what)
        return answer

    # --- the loop ---

    def show(self, shown: ShownFrame) -> None:
        """Replace the frame that :meth:`picture` returns."""
        self._shown = shown

    def take(self) -> Iterator[PendingPost]:
        """Yield the requests posted since the last call, oldest first; never wait."""
        while True:
            try:
                posted = self._posted.get_nowait()
            except queue.Empty:
                return
            if posted.begin():
                yield posted

    def close(self) -> None:
        """Refuse the requests that still wait, and all that follow."""
        self._closed = True
        for posted in self.take():
            posted.answer(Answer(None, "the table has stopped"))
