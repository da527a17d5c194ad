"""Resumes a game from the log, in the state in which its recorder left it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from game.events import ButtonPressed, Event, Side, TilesChanged, TurnSeen, from_payload
from game.state.fold import GameState, apply, ends_turn
from game.state.numbering import as_numbered_now
from record.crash_snapshot import CrashSnapshot
from record.log.event_log import EventLog
from sensors.interfaces import Frame
from vision.images import decode_image


@dataclass(frozen=True)
class ResumedGame:
    """A game restored from the log."""

    state: GameState
    events: tuple[Event, ...]
    open_turn: tuple[Side, int] | None
    """Side and press time of a turn that the camera has not seen yet; None if there is none."""
    turn_from_ns: int | None
    """When the clock of the player on turn was started."""
    open_from_ns: int | None
    """When the clock of the player of the open turn was started."""
    picture: str | None
    """The newest picture of the board in the evidence; ``seen_rows`` is its reading."""

    @property
    def events_as_numbered(self) -> Iterator[Event]:
        """Yield the events with the present numbers of the turns."""
        for number, event in enumerate(self.events, start=1):
            yield as_numbered_now(self.state, number, event)


def resume_game(log: EventLog, game_id: str) -> ResumedGame:
    """Return a game from the log. Raises ``TilewatchError`` if its events are not valid."""
    return resumed(tuple(from_payload(logged.payload) for logged in log.events(game_id)))


def resumed(events: Sequence[Event]) -> ResumedGame:
    """Return the game of these events."""
    state: GameState | None = None
    open_turn: tuple[Side, int] | None = None
    from_ns: int | None = None
    open_from_ns: int | None = None
    picture: str | None = None
    for event in events:
        if isinstance(event, ButtonPressed) and event.echo_of_ns is not None:
            pass
        elif isinstance(event, ButtonPressed) and state is not None:
            side = None if state.settled else ends_turn(state, event.button)
            if side is not None:
                open_turn, open_from_ns = (side, event.t_ns), from_ns
            if event.button != "neutral":
                from_ns = event.t_ns
        elif isinstance(event, TurnSeen):
            if open_turn is not None and (event.side, event.press_ns) == open_turn:
                open_turn = None
            elif open_turn is not None and event.ended and event.side == open_turn[0]:
                open_turn = None  # the opponent's play had ended it before the press
            picture = event.frames.get("at", picture)
        elif isinstance(event, TilesChanged):
            picture = event.frames.get("after", picture)
        state = apply(state, event)
    assert state is not None, "a game has events"
    if state.settled:
        open_turn = None
    return ResumedGame(state, tuple(events), open_turn, from_ns, open_from_ns, picture)


def kept_frame(game: ResumedGame, snapshot: CrashSnapshot | None) -> Frame | None:
    """Return the saved picture of the board at rest if it is from the open turn; else None."""
    kept = None if snapshot is None else snapshot.picture()
    since_ns = game.turn_from_ns if game.open_turn is None else game.open_from_ns
    if kept is None or kept[1] <= (since_ns or 0):
        return None
    return Frame(decode_image(kept[0], "the snapshot"), kept[1], 0, kept[0])


def frame_at_press(press_ns: int, snapshot: CrashSnapshot | None) -> Frame | None:
    """Return the saved picture of the board at rest at a press; None if there is none."""
    jpeg = None if snapshot is None else snapshot.at_press(press_ns)
    return None if jpeg is None else Frame(decode_image(jpeg, "the snapshot"), press_ns, 0, jpeg)


def looked_ns(game: ResumedGame, snapshot: CrashSnapshot | None) -> int | None:
    """Return the time of the last picture that the previous recorder processed, if known."""
    seen = [one.sighted_ns for one in game.events if isinstance(one, TurnSeen)]
    kept = [] if snapshot is None else [snapshot.looked_ns()]
    return max((t_ns for t_ns in (*seen, *kept) if t_ns is not None), default=None)
