"""The desk: what people at a screen say, handed to the one process that writes the log.

A table's log has one writer, the loop that records the game. Whoever else has something to say (a
page's rulings, names and clock buttons, a keyboard) posts it here from any thread and gets an
:class:`Answer` once the loop has dealt with it: the sequence of the event that is now on the disk,
or one line that says why it was refused. Nothing is ever half done.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from game.adjudication.preview import difference
from game.errors import TilewatchError
from game.events import Button, Event, Side
from game.state.fold import GameState
from sensors.interfaces import Frame, Press
from table.health.alerts import CODES, ActiveAlerts, Alert

TIMEOUT_S: Final = 5.0
"""How long an answer is waited for: the loop never takes nearly as long while it lives."""

GONE_ON: Final = "The game has gone on since; see the effect again before it is entered."
"""The refusal of a ruling that would no longer do what was shown of it."""

OTHER_GAME: Final = "Another game is on the table now; look at it before you do this."
"""The refusal of what was meant for a game that is no longer on the table."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of something posted."""

    seq: int | None
    """The event's sequence in the log; None when nothing was logged."""
    refused: str | None = None
    """Why not, in one line; None when it was done."""

    @property
    def done(self) -> bool:
        """Whether it was done."""
        return self.refused is None


@dataclass(frozen=True, slots=True)
class Attribution:
    """Who does something, and why."""

    source: str
    """Under what it is logged: the account, or the table itself."""
    by: str = ""
    """Whose word it is, where that is not the source itself."""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ruling:
    """An event that somebody enters about a game, such as ``TurnRuled`` or ``PenaltyAdded``."""

    game_id: str
    event: Event
    source: str
    effect: str | None = None
    """The name of what was shown that it would change (``Difference.digest``); None where nothing
    was shown."""


@dataclass(frozen=True, slots=True)
class NamePlayers:
    """Who sits where: in the game on the table or, once that is over, in the next."""

    players: Mapping[Side, str]
    source: str
    by: str = ""
    why: str = ""
    game_id: str | None = None
    """The game on the table that it is meant for; None where any will do."""


@dataclass(frozen=True, slots=True)
class NextGame:
    """The game on the table is over and done with; the next one may begin."""

    source: str
    by: str = ""
    why: str = ""
    game_id: str | None = None
    """The game on the table that it is meant for; None where any will do."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """What the next game is to be; it holds for those that follow, until the table is restarted.

    ``minutes`` is each player's time, None as the rulebook has it; ``word_list`` is its name and
    hash, None for none.
    """

    players: Mapping[Side, str]
    rulebook: str
    tile_set: str
    minutes: int | None
    word_list: Mapping[str, str] | None
    source: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class NoteAction:
    """Something that was done at the table and is no ruling: see ``game.events.ActionTaken``."""

    action: str
    message: str
    source: str
    by: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class DeskPress(Press):
    """A clock button pressed for the players, by somebody who says why."""

    source: str = "director"
    by: str = ""
    why: str = ""
    game_id: str | None = None
    """The game on the table that it is meant for; None where any will do."""


Post = Ruling | NamePlayers | NextGame | NewGame | NoteAction | Press
"""What can be posted. A ``Press`` is one of a button on a page, stamped where it was made.
``source`` is under what it is logged; ``by`` whose word it is, where that is not the source
itself; ``why`` is kept with the event that comes of it."""


@dataclass(slots=True)
class PendingPost:
    """Something posted that waits for its answer. The loop calls ``answer`` exactly once."""

    post: Post
    _answered: threading.Event = field(default_factory=threading.Event)
    _answer: Answer | None = None

    def answer(self, answer: Answer) -> None:
        """Tell whoever posted it."""
        self._answer = answer
        self._answered.set()

    def wait(self, timeout_s: float) -> Answer:
        """Wait for the answer."""
        if not self._answered.wait(timeout_s) or self._answer is None:
            return Answer(None, "the table does not answer; it may have stopped")
        return self._answer


def refuse_unseen(ruling: Ruling, state: GameState) -> None:
    """Refuse a ruling that would change something else than was shown to whoever makes it.

    Raises:
        TilewatchError: it would, or the ruling itself cannot be made.
    """
    if ruling.effect is None:
        return
    if difference(state, ruling.event).digest() != ruling.effect:
        raise TilewatchError(GONE_ON)


def refuse_other_game(post: Post, game_id: str) -> None:
    """Refuse what is meant for another game than the one on the table.

    Raises:
        TilewatchError: it is.
    """
    meant = post.game_id if isinstance(post, NamePlayers | NextGame | DeskPress) else None
    if meant is not None and meant != game_id:
        raise TilewatchError(OTHER_GAME)


Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class TablePicture:
    """The newest picture of the table, and what was read of the board as it lies in it."""

    jpeg: bytes
    """The camera's own bytes where it delivers JPEG."""
    t_ns: int
    """When it was exposed, on the table's base."""
    width: int
    height: int
    """In pixels."""
    corners: tuple[Point, Point, Point, Point] | None
    """The playing grid's, clockwise from the one that is top-left when the letters read upright;
    x and y in pixels. None while no board was found, or something has moved since."""
    rows: tuple[str, ...] | None
    """What was read, as 15 rows."""
    read_ns: int | None
    """When the picture was exposed that ``corners`` and ``rows`` rest on; nothing moved since."""
    looked: bool
    """Whether a board was looked for since something moved last."""


@dataclass(frozen=True, slots=True)
class Shown:
    """What the loop shows of the newest frame; it is encoded only when somebody asks."""

    frame: Frame
    corners: tuple[Point, Point, Point, Point] | None = None
    rows: tuple[str, ...] | None = None
    read_ns: int | None = None
    looked: bool = False


class Desk:
    """Thread-safe: post from anywhere, ``take`` in the loop that owns the recorder.

    ``clock`` gives nanoseconds on the table's base, for stamping what is posted; ``wake`` is called
    after each post, to wake a loop that waits for something else. ``encode`` makes a JPEG of a
    frame that has none; without it there are no pictures of such.
    """

    def __init__(
        self,
        clock: Callable[[], int],
        wake: Callable[[], None] | None = None,
        encode: Callable[[Frame], bytes] | None = None,
    ) -> None:
        self.now_ns = clock
        self.alerts = ActiveAlerts()
        self.phase = "waiting"
        """Where the table stands (``table.session.Phase``)."""
        self._wake = wake
        self._encode = encode
        self._shown: Shown | None = None
        self._picture: TablePicture | None = None
        self._posted: queue.SimpleQueue[PendingPost] = queue.SimpleQueue()
        self._closed = False

    # --- anybody ---

    def rule(
        self,
        game_id: str,
        event: Event,
        source: str = "director",
        timeout_s: float = TIMEOUT_S,
        *,
        effect: str | None = None,
    ) -> Answer:
        """Enter an event about a game; its ``t_ns`` should be :attr:`now_ns`.

        With ``effect`` it is entered only if it still does what was shown.
        """
        return self.post(Ruling(game_id, event, source, effect), timeout_s)

    def name(
        self,
        players: Mapping[Side, str],
        source: str = "director",
        timeout_s: float = TIMEOUT_S,
        *,
        by: str = "",
        why: str = "",
        game_id: str | None = None,
    ) -> Answer:
        """Say who sits on the left and on the right; one of them or both."""
        return self.post(NamePlayers(dict(players), source, by, why, game_id), timeout_s)

    def press(
        self,
        button: Button,
        t_ns: int | None = None,
        timeout_s: float = TIMEOUT_S,
        *,
        claimed_ns: int | None = None,
        heard_ns: int | None = None,
    ) -> Answer:
        """A press of a button on a page. ``t_ns`` when it counts, where that is known.

        ``claimed_ns`` is when the page says that it was made, ``heard_ns`` when it arrived.
        """
        t_ns = self.now_ns() if t_ns is None else t_ns
        press = Press(button, t_ns, claimed_ns=claimed_ns, heard_ns=heard_ns)
        return self.post(press, timeout_s)

    def press_for(
        self,
        button: Button,
        source: str,
        *,
        by: str,
        why: str,
        game_id: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> Answer:
        """A press now, by somebody who is no player and says why."""
        return self.post(DeskPress(button, self.now_ns(), source, by, why, game_id), timeout_s)

    def next_game(
        self,
        source: str = "director",
        timeout_s: float = TIMEOUT_S,
        *,
        by: str = "",
        why: str = "",
        game_id: str | None = None,
    ) -> Answer:
        """The game on the table is over; make ready for the next, without its being cleared."""
        return self.post(NextGame(source, by, why, game_id), timeout_s)

    def new_game(self, wish: NewGame, timeout_s: float = TIMEOUT_S) -> Answer:
        """Make the table ready for such a game; not while one is going on."""
        return self.post(wish, timeout_s)

    def picture(self) -> TablePicture | None:
        """The newest picture of the table; None before the first, or when it cannot be had.

        A frame that the camera did not deliver as JPEG is encoded here, in the caller's thread and
        once, however often it is asked for.
        """
        shown, made = self._shown, self._picture
        if shown is None:
            return None
        now = shown.frame.t_ns, shown.read_ns, shown.looked
        if made is not None and now == (made.t_ns, made.read_ns, made.looked):
            return made
        jpeg = shown.frame.jpeg
        if jpeg is None:
            if self._encode is None:
                return None
            try:
                jpeg = self._encode(shown.frame)
            except TilewatchError:
                return None
        height, width = shown.frame.image.shape[:2]
        self._picture = made = TablePicture(
            jpeg,
            shown.frame.t_ns,
            width,
            height,
            shown.corners,
            shown.rows,
            shown.read_ns,
            shown.looked,
        )
        return made

    def trouble(self) -> tuple[Alert, ...]:
        """What is wrong at the table now, longest first."""
        return self.alerts.now()

    def attend(
        self,
        code: str,
        what: str = "",
        source: str = "director",
        *,
        by: str = "",
        why: str = "",
        message: str = "",
    ) -> Answer:
        """Somebody has seen to what had happened (a call, a double press): that is logged.

        With ``message``, what was shown of it, it is refused where it reads otherwise by now.
        """
        known = next((each for each in CODES if each == code), None)
        wrong = next(
            (c for c in self.trouble() if c.code == code and c.what == what and not c.stands), None
        )
        if known is None or wrong is None:
            return Answer(None, "that had been seen to already")
        if message and wrong.message != message:
            return Answer(None, f"something else is to be seen to by now: {wrong.message}")
        answer = self.post(NoteAction("attended", f"seen to: {wrong.message}", source, by, why))
        if answer.done:
            self.alerts.end(known, what)
        return answer

    def post(self, post: Post, timeout_s: float = TIMEOUT_S) -> Answer:
        """Post something and wait for what comes of it. Not from within the loop itself."""
        posted = PendingPost(post)
        if self._closed:
            return Answer(None, "the table has stopped")
        self._posted.put(posted)
        if self._wake is not None:
            self._wake()
        return posted.wait(timeout_s)

    # --- the loop ---

    def show(self, shown: Shown) -> None:
        """This is the newest frame."""
        self._shown = shown

    def take(self) -> Iterator[PendingPost]:
        """What has been posted since, oldest first; never waits."""
        while True:
            try:
                yield self._posted.get_nowait()
            except queue.Empty:
                return

    def close(self) -> None:
        """Refuse what is still waiting, and everything from now on."""
        self._closed = True
        for posted in self.take():
            posted.answer(Answer(None, "the table has stopped"))
