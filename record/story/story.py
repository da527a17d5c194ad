"""The whole account of a game: pure data from its events, without pictures and without HTML."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, tzinfo
from typing import Final

from game.events import SIDES, Side
from game.rulebooks.announcing import in_words
from game.state.fold import GameState
from game.state.outcome import BY_DIRECTOR
from record.raw_edges import RawEdge
from record.story.changes import changes_of, reports_of, taken_off
from record.story.clocks import ClockAccount, clock_account
from record.story.decisions import Decision, decisions_of
from record.story.effects import line_words
from record.story.entries import Entry, Step, WallClock
from record.story.event_wording import number
from record.story.incident import Incident
from record.story.incidents import incidents_of
from record.story.places import Course
from record.story.tiles import TileAccount, tile_account
from record.story.turns import TurnStory, turn_stories
from record.story.unseen import Unseen, unseen_times

_OF_A_TURN: Final = frozenset({"challenge_bonus", "penalty"})
"""The adjustments that stand at a turn, even at the last."""

CAMERA_CANNOT: tuple[str, ...] = (
    "words spoken: that a challenge was called, by whom and when, a hold, a score, the letter of a "
    "blank, what the players agreed on or announced; what stands here is what was entered",
    "what was drawn, from where and when, how many tiles were put back into the bag, and so "
    "whether it was an exchange or a pass",
    "what lay on the racks, unless somebody reported it",
    "who sat at the table, when a player came, and when one left it",
    "what was written on a scoresheet or a slip, and when: of a score that was written before a "
    "challenge there is no picture",
    "whose hand or elbow pressed a button: that a player pressed means that this player's button "
    "went down; and why and by whom both clocks were stopped: that button belongs to nobody",
    "what a hand did under itself, and whether it was meant: the pictures show what lay there and "
    "whose arm was over it",
    "in a time without pictures, who laid what, before or after a press, and whether tiles were "
    "lifted and put back",
    "whether a word is in the word list: the account gives what was ruled",
)
"""Matters that a camera above the board cannot settle in any game."""


@dataclass(frozen=True, slots=True)
class Story:
    """The account of a game."""

    state: GameState
    course: Course
    entries: tuple[Entry, ...]
    turns: tuple[TurnStory, ...]
    beside: tuple[Step, ...]
    """The events that stand at the game and at no turn, as logged."""
    decisions: tuple[Decision, ...]
    unseen: tuple[Unseen, ...]
    """The times from which there is no picture of the board."""
    incidents: tuple[Incident, ...]
    clock: ClockAccount | None
    """None for a game without a clock."""
    tiles: TileAccount
    zone: tzinfo | None = UTC
    """The time zone of all times; None is the machine's own. A bundle's page has UTC, because it
    must be the same wherever it is made."""

    @property
    def wall(self) -> WallClock:
        """The wall time of moments on the table's base."""
        return self.course.wall

    def dark_at(self, t_ns: int) -> str:
        """Return why a picture of a moment shows nothing, in words; empty if it may show much."""
        found = (one.dark for one in self.unseen if one.from_ns < t_ns < one.until_ns)
        return next(found, "")

    @property
    def doubts(self) -> tuple[str, ...]:
        """Reasons why the result may not be sure, one a line; empty if nothing is open."""
        asked = (one for one in self.incidents if one.open)
        return (
            *(f"turn {one.turn}, {one.text}" if one.turn else one.text for one in asked),
            *(
                f"{one.square}: one {one.tile.replace('?', 'blank')} more than the set has"
                for one in self.tiles.at("extra")
            ),
        )

    @property
    def result(self) -> str:
        """The result in a sentence."""
        state = self.state
        one, two = (f"{state.players[side]} {number(state.scores[side])}" for side in SIDES)
        outcome = state.outcome
        if outcome is None:
            how = "no result" if state.no_result else "the game has not ended"
            return f"{one}, {two}: {how}"
        basis = f"; the spread is {outcome.basis}" if outcome.basis else ""
        if outcome.unrated:
            why = "by the director's decision"
            if outcome.unrated != BY_DIRECTOR:
                why = f"rule {outcome.unrated}"
            basis += f"; the game does not count for ratings ({why})"
        if outcome.winner is None:
            how = "a tie" if outcome.kind == "played" else "neither player won"
            return f"{one}, {two}: {how}{basis}"
        margin = "" if outcome.margin is None else f" by {outcome.margin}"
        return f"{one}, {two}: {state.players[outcome.winner]} won{margin}{basis}"

    @property
    def standing(self) -> str:
        """How sure the result is, in a sentence."""
        state = self.state
        if state.no_result:
            how = "The game ended without a result."
        elif state.signed is not None:
            by = f" ({state.signed.by})" if state.signed.by else ""
            how = f"The result was signed{by}."
        elif state.status != "ended":
            how = "There is no result yet."
        elif state.final:
            how = "The game was ended, and everything that the end brings is in the scores; nobody "
            how += "signed the result."
        elif state.lacks_rack:
            how = "Not final: the end costs or brings a rack that nobody knows."
        else:
            how = "Not final: nobody has confirmed the end."
        count = len(self.doubts)
        if not count:
            return f"{how} Nothing is open."
        return f"{how} {count} {'doubt is' if count == 1 else 'doubts are'} open."

    @property
    def rules(self) -> str:
        """The rulebook, with the rules that the tournament announced."""
        book = self.state.rulebook
        announced = in_words(book)
        return f"{book.name} ({announced})" if announced else book.name

    @property
    def adjustments(self) -> Iterator[str]:
        """Yield the adjustments beside the turns, in words."""
        for line in self.state.adjustments:
            rule = f" (rule {line.rule})" if line.rule else ""
            why = f": {line.why}" if line.why else ""
            after = f"after turn {line.after_turn}" if line.after_turn else "before the first turn"
            last = bool(line.after_turn) and line.after_turn == len(self.state.turns)
            if last and self.state.status == "ended" and line.kind not in _OF_A_TURN:
                after = "after the last turn"
            yield f"{after}: {line_words(line, self.state.players)}{rule}{why}"

    def seat(self, side: Side) -> str:
        """Return a player's name with the seat."""
        return f"{self.state.players[side]} ({side} seat)"


def tell(steps: Sequence[Step], edges: Sequence[RawEdge] = (), zone: tzinfo | None = UTC) -> Story:
    """Return the account of a game from all its events, in steps (:func:`record.story.steps_of`).

    ``edges`` are raw edges of the clock's contacts on the table's time base, if there are any;
    ``zone`` is the time zone of all times, None the machine's own.
    """
    course = Course(steps)
    clock = clock_account(course)
    reports = reports_of(course)
    changes = changes_of(reports, course, clock)
    decisions = decisions_of(course, taken_off(reports, course, clock))
    turns = turn_stories(course, decisions, edges, changes, clock)
    unseen = unseen_times(course, turns)
    return Story(
        course.state,
        course,
        tuple(steps),
        turns,
        tuple(course.by_turn().get(0, ())),
        decisions,
        unseen,
        incidents_of(course, turns, decisions, clock, unseen, changes),
        clock,
        tile_account(course, changes),
        zone,
    )
