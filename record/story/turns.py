"""One turn as the account tells it: at the press and after it, its sum, and the entries on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from game import events
from game.board import EMPTY, UNREADABLE, Board, Square
from game.plays.change import same_tile
from game.referee.position import Turn
from game.tile_symbols import spelled
from record.raw_edges import NEAR_NS, RawEdge
from record.story.changes import Changed
from record.story.clocks import ClockAccount
from record.story.decisions import Decision
from record.story.entries import Step
from record.story.event_wording import describe_event
from record.story.flags import turn_flags
from record.story.incident import Incident
from record.story.places import Course, own_end
from record.story.sums import TurnSum, turn_sum


@dataclass(frozen=True, slots=True)
class Shot:
    """A picture of the table, or of one square, at a turn."""

    sha256: str
    roles: tuple[str, ...]
    t_ns: int
    from_press_ns: int
    square: str | None
    corners: tuple[tuple[float, ...], ...] | None
    """The board's corners in the picture, if the log has them."""
    deleted: bool


_NO_AMENDMENT: Final = (events.ButtonPressed, events.Retracted, events.StopExplained)
"""Entries that leave the turn at which they stand as it was, or make it so again."""


@dataclass(frozen=True, slots=True)
class TurnStory:
    """A turn with everything that is known about it."""

    turn: Turn
    name: str
    """The player's name."""
    from_ns: int
    """When the turn before it ended."""
    until_ns: int
    """When the next turn ended, or the time of the game's last event."""
    lay: Board
    """The board at the press: as it was read, or by the record if it was not."""
    unlike: Mapping[Square, str]
    """The tiles of the record on squares of which the reading showed neither them nor what counts
    after the turn."""
    sum: TurnSum | None
    exchanged: tuple[str, ...]
    """The earlier tiles of its words that were others when they were laid, one a line."""
    shots: tuple[Shot, ...]
    crops: tuple[Shot, ...]
    presses: tuple[tuple[int, str], ...]
    """Presses between the turn before and the next, as (ns from this turn's press, words)."""
    edges: tuple[RawEdge, ...]
    """Raw edges of the contacts near the turn's press."""
    flags: tuple[Incident, ...]
    """The turn's own flags, and flags of other turns about it."""
    decisions: tuple[Decision, ...]
    """The entries of people that stand at the turn, by the moments that they are about."""
    entries: tuple[Step, ...]
    """The events that stand at the turn, as logged."""
    changes: tuple[Changed, ...]
    """The changes of the settled board while the turn was made."""
    stayed: Mapping[Square, str]
    """Tiles of the turn's play that were still there when the clock went on after it came off."""

    @property
    def number(self) -> int:
        """The number of the turn."""
        return self.turn.number

    @property
    def pressed(self) -> bool:
        """True if a press of the clock ended the turn."""
        return self.turn.pressed

    @property
    def end(self) -> str:
        """The moment from which the times of the turn count, in words."""
        return own_end(self.turn)

    @property
    def unseen(self) -> bool:
        """True if no picture shows the board at its end, as far as the table noted that."""
        return _is_unseen(self.turn.seen)

    @property
    def amended(self) -> bool:
        """True if an entry that names the turn has changed it and was not taken back."""
        return any(
            one.place.named and one.stands and one.changes
            for one in self.decisions
            if not isinstance(one.entry.event, _NO_AMENDMENT)
        )

    @property
    def went(self) -> tuple[str, ...]:
        """The squares whose tiles were on the board at the press but not after it."""
        return tuple(
            square.name
            for square in self.lay.tiles()
            if self.turn.after[square] == EMPTY and self.lay[square] != UNREADABLE
        )


def turn_stories(
    course: Course,
    decisions: Sequence[Decision],
    edges: Sequence[RawEdge],
    changes: Sequence[Changed],
    clock: ClockAccount | None,
) -> tuple[TurnStory, ...]:
    """Return the turns of a game, in order."""
    state = course.state
    shots, entries = _shots(course), course.by_turn()
    last_ns = max(step.t_ns for step in course.steps)
    presses = [turn.press_ns for turn in state.turns]
    by_moment = sorted(decisions, key=lambda one: one.place.at_ns)
    stories = []
    for at, turn in enumerate(state.turns):
        since = presses[at - 1] if at else state.start.t_ns
        until = presses[at + 1] if at + 1 < len(presses) else max(last_ns, turn.press_ns)
        pictures = shots.get(turn.number, [])
        lay, unlike = _lay(turn)
        total = turn_sum(turn, state.tile_set)
        own = tuple(one for one in by_moment if turn.number in one.turns)
        stories.append(
            TurnStory(
                turn,
                state.players[turn.side],
                since,
                until,
                lay,
                unlike,
                total,
                tuple(_exchanged(total, state.turns[at - 1 :: -1] if at else ())),
                tuple(one for one in pictures if one.square is None),
                tuple(one for one in pictures if one.square is not None),
                tuple(_presses(course, turn.press_ns, since, until)),
                tuple(e for e in edges if abs(e.t_ns - turn.press_ns) <= NEAR_NS),
                tuple(turn_flags(course, turn, decisions, changes, clock)),
                own,
                tuple(entries.get(turn.number, ())),
                tuple(one for one in changes if turn.number in one.place.turns),
                _stayed(turn, changes),
            )
        )
    return tuple(stories)


def _exchanged(total: TurnSum | None, earlier: Sequence[Turn]) -> Iterator[str]:
    """Yield the tiles of a sum's words that were others when they were laid.

    ``earlier`` are the turns before, newest first.
    """
    tiles = (one for word in (total.words if total else ()) for one in word.squares)
    for tile in {one.square: one for one in tiles}.values():
        first = next((one for one in earlier if tile.square in one.tiles), None)
        if first is not None and not tile.new:
            was = first.tiles[tile.square]
            if was.isalpha() and not same_tile(was, tile.symbol):
                yield f"{tile.square} was {spelled(was)} when turn {first.number} laid it"


def _is_unseen(seen: events.TurnSeen) -> bool:
    noted = seen.lost is not None or any(one.square is None for one in seen.findings)
    return seen.sighted_ns is None and noted


def _lay(turn: Turn) -> tuple[Board, Mapping[Square, str]]:
    """Return the board at the press of a turn, and where a reading differs from the record.

    A blank has the letter that counts. If nothing was seen, or the turn ended without a press, all
    is by the record: the opponent's tiles may lie on the picture that was read then.
    """
    record = turn.before.replace({Square.parse(n): s for n, s in turn.tiles.items()})
    if not turn.tiles:
        record = turn.left_board or turn.before
    if turn.seen.ended is not None or _is_unseen(turn.seen):
        return record, {}
    read = Board.from_rows(turn.seen.rows)
    other = {at: record[at] for at in read.diff(record)}
    alike = {at for at, was in other.items() if same_tile(was, read[at])}
    lay = read.replace({at: other[at] for at in alike})
    unlike = {at: other[at] for at in sorted(other.keys() - alike) if lay[at] != turn.after[at]}
    return lay, unlike


def _stayed(turn: Turn, changes: Sequence[Changed]) -> dict[Square, str]:
    """Return the tiles of a play that came off late."""
    found = {
        name for one in changes if one.place.turns[:1] == (turn.number + 1,) for name in one.left
    }
    return {Square.parse(name): turn.tiles[name] for name in sorted(found & turn.tiles.keys())}


def _presses(course: Course, press_ns: int, since: int, until: int) -> Iterator[tuple[int, str]]:
    for step in course.steps:
        event = step.event
        if isinstance(event, events.ButtonPressed) and since < event.t_ns <= until:
            text = describe_event(event, course.names)
            by = f" (by {event.by})" if event.by else ""
            how = " on a page" if step.logged.source == "page" else ""
            yield event.t_ns - press_ns, f"{text}{how}{by}"


def _shots(course: Course) -> dict[int, list[Shot]]:
    """Return each turn's pictures by the time of exposure, each once with all its roles."""
    gone: set[str] = set()
    found: dict[int, dict[tuple[str, str | None], list[events.Picture]]] = {}
    exposed = {
        picture.sha256: picture.exposed_ns
        for step in course.steps
        if isinstance(step.event, events.PicturesKept)
        for picture in step.event.pictures
    }

    def add(step: Step, picture: events.Picture) -> None:
        for number in course.places[step.number].turns:
            key = picture.sha256, picture.square
            found.setdefault(number, {}).setdefault(key, []).append(picture)

    for step in course.steps:
        event = step.event
        if isinstance(event, events.PicturesKept | events.BoardChanged):
            for picture in event.pictures:
                add(step, picture)
        elif isinstance(event, events.TilesChanged | events.BoardSeen) and "after" in event.frames:
            add(step, events.Picture("changed", event.frames["after"], event.sighted_ns))
        elif isinstance(event, events.TurnSeen) and (at := event.frames.get("at")) is not None:
            taken_ns = exposed.get(at, event.sighted_ns or event.press_ns)
            add(step, events.Picture("read", at, taken_ns))
        elif isinstance(event, events.PicturesDeleted):
            gone.update(event.pictures)
    return {
        number: sorted(
            (_shot(pictures, course.state.turns[number - 1], gone) for pictures in of.values()),
            key=lambda one: (one.t_ns, one.square or ""),
        )
        for number, of in found.items()
    }


def _shot(pictures: Sequence[events.Picture], turn: Turn, gone: set[str]) -> Shot:
    first = pictures[0]
    return Shot(
        first.sha256,
        tuple(dict.fromkeys(one.role for one in pictures)),
        first.exposed_ns,
        first.exposed_ns - turn.press_ns,
        first.square,
        next((one.corners for one in pictures if one.corners is not None), None),
        first.sha256 in gone,
    )
