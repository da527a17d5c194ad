"""Remedies: who may do what about a fault under a rulebook, and until when.

A rulebook's ``[flag.<code>]`` table says by which rule a flag is raised, who may see it, and
its remedies. The words for what may be done and until when are listed here, so that a page or
a translation can show them and no rulebook can use one that nothing explains.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from game.terms import Side, other

Visibility = Literal["public", "director", "opponent"]
"""Who may see a flag. ``public``: everybody. ``opponent``: only the turn's opponent may raise the
matter, so players and public see the flag once that right has gone. ``director``: the director
alone."""

Who = Literal["opponent", "player", "either", "director"]
"""Who may act: ``player`` is the one whose turn or clock the flag is about."""

ACTIONS: MappingProxyType[str, str] = MappingProxyType(
    {
        "adjust_score": "have the score put right",
        "adjust_tile": "put the tile straight on its square",
        "announce": "say at once that the play is illegal",
        "award_play": "have the points of the play, and more, put on the player's spread",
        "begin_again": "have the game begun again",
        "call_director": "call the director",
        "challenge_off": "challenge the whole play off the board, whatever the word",
        "challenge_exchange": "challenge the exchange",
        "choose_letter": "say which letter the blank is",
        "choose_rack": "choose which tiles the player shall have",
        "correct_set": "have the bag and the set put right",
        "correct_turn": "have the turn taken again on the right board",
        "correct_verdict": "have the verdict put right",
        "deduct": "take points off the player's score",
        "demand_letter": "have the letter of the blank written down",
        "draw_in_order": "have the tiles put back and drawn in order",
        "draw_surplus": "take the surplus tiles from the player",
        "end_as_it_stands": "have the game end with the scores as they are",
        "end_game": "stop the clock, which ends the game",
        "even_turns": "have the last turn's score taken off, where the turns are uneven",
        "extra_minute": "have a minute given to the opponent or taken off the player",
        "extra_time": "have time given to the opponent",
        "forfeit": "the game is forfeited",
        "free_exchange": "exchange tiles without losing a turn",
        "hold_or_challenge": "hold or challenge the play",
        "lose_and_lead": "the game is lost, by the opponent's lead more where there is one",
        "lose_by": "the game is lost",
        "lose_or_difference": "the game is lost, by the scores' difference where that is more",
        "lose_turn": "the turn is lost",
        "move_play": "move the play to where it matches the board",
        "none": "nothing: it stays as it is",
        "off_either": "take points off a player's spread",
        "off_spread": "take points off the player's spread",
        "points_lost": "the play scores nothing",
        "put_back": "put the tiles back where they lay",
        "recount": "recount the game",
        "rebuild": "have the board laid again from the record",
        "remove_tiles": "have the tiles taken off the board",
        "restore_before": "have the game taken back to where it stood before the turn",
        "resume_turn": "let the player go on with the turn",
        "restart_clock": "start the player's clock again until it is put right",
        "show_rack": "show the tiles left",
        "stop_clock": "stop the clock",
        "time_back": "have time given back to the player",
        "warn": "warn the player",
    }
)
"""Each action that a remedy may name, in words."""

LIMITS: MappingProxyType[str, str] = MappingProxyType(
    {
        "": "",
        "bag_tile_returned": "until an unwanted tile is back in the bag",
        "day": "until the player leaves for the day",
        "drawn": "until the first new tile is drawn",
        "drawn_or_written": "until the first new tile is drawn or the whole score is written",
        "end_of_turn": "until the opponent ends the next turn",
        "handed_in": "until the result sheet is handed in",
        "new_tiles": "until the opponent has played and drawn, or play has come back",
        "next_play": "until the next play that stands is complete",
        "opponent_next_play": "until the opponent has played once more after emptying the bag",
        "own_next_turn": "until the player has ended the next turn",
        "own_turn": "in their own turn",
        "racked": "until the player has put a new tile on the rack",
        "second_move": "until the second move of the game has ended",
        "signed": "until the result is signed",
        "started": "until the game starts",
        "third_move": "until the third move of the game has ended",
        "twenty_seconds": "within 20 seconds of the end of the game",
        "written": "until the opponent has written down the whole score",
    }
)
"""Each limit until which a remedy may be taken, in words; empty if the text sets no limit."""

OPENINGS: MappingProxyType[str, str] = MappingProxyType(
    {
        "": "",
        "bag_below_7": "with one to six tiles in the bag",
        "bag_from_7": "with at least seven tiles in the bag",
        "bag_empty": "once the bag is empty",
        "bag_not_empty": "while the bag has tiles",
        "bag_below_14": "with fewer than 14 tiles in the bag",
        "found_late": "where it came out after the opponent's next turn",
        "over": "once the game is over",
    }
)
"""Each moment from which a remedy may be taken, in words; empty if from the start."""


_SOMEBODY: Final = re.compile(r"\bthe (player|opponent)('s)?\b")


def by_name(text: str, names: Mapping[str, str], side: Side | None) -> str:
    """Return a text about ``side``'s turn with names for "the player" and "the opponent".

    If ``side`` is None the text stays as it is.
    """
    if side is None:
        return text
    whose = {"player": names[side], "opponent": names[other(side)]}
    return _SOMEBODY.sub(lambda found: f"{whose[found[1]]}{found[2] or ''}", text)


@dataclass(frozen=True, slots=True)
class Remedy:
    """One thing that a rulebook lets somebody do."""

    who: Who
    action: str
    """A key of :data:`ACTIONS`."""
    until: str
    """A key of :data:`LIMITS`."""
    rule: str | None
    says: str = ""
    """More on the remedy from the text, in a few words of our own."""
    points: int = 0
    """The points that the text gives for it; 0 if the text gives no figure."""
    once: str = ""
    """A key of :data:`OPENINGS`."""

    def __str__(self) -> str:
        text = f"{self.who}: {ACTIONS[self.action]}"
        if self.points:
            text += f": {self.points} points"
        if opening := OPENINGS[self.once]:
            text += f", {opening}"
        if limit := LIMITS[self.until]:
            text += f", {limit}"
        if self.says:
            text += f"; {self.says}"
        return f"{text} ({self.rule})" if self.rule else text


@dataclass(frozen=True, slots=True)
class Guidance:
    """The rule, the audience and the remedies that a rulebook has for one kind of flag."""

    rule: str | None
    """The number of the rule; None if the text is silent."""
    visibility: Visibility
    remedies: tuple[Remedy, ...]
    warns_first: bool = False
    """True if the first time brings a warning, which a repetition shows to have been given."""


CALL_DIRECTOR = (Remedy("director", "call_director", "", None),)
"""The remedy if the text is silent: the flag has no rule number and the director decides."""
