"""The settings of a rulebook, each declared once with its name, meaning and unit.

Rulebooks differ in figures, which are settings here, and in behaviour, for which a setting has a
word (``failed = "points"``) that the fold looks up. So another rulebook is another file
(:mod:`game.rulebooks.loading`) and, at most, another word.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_type_hints

from game.flag_codes import CODES
from game.guidance import Guidance
from game.rulebooks.setting import (
    MOST_MINUTES,
    SECOND,
    ChallengeFailed,
    Choice,
    Leaving,
    LimitThen,
    OutRacks,
    OutStops,
    Placement,
    Reached,
    Scoreless,
    Setting,
)

On = Literal["score", "spread"]
"""The number that a penalty reduces: the game's score, or the spread alone."""


@dataclass(frozen=True, slots=True)
class Penalty:
    """One kind of penalty that a text names."""

    says: str
    """The offence, in a few words."""
    on: On
    points: int | None
    """Points off; None if the text leaves the number to the director."""
    rule: str


@dataclass(frozen=True, kw_only=True)
class Rulebook:
    """One set of rules. The annotated fields are its settings.

    A setting with a default may be left out of a rulebook's file if its text is silent; the default
    is the publisher's rule or does nothing.
    """

    id: str
    name: str
    source: str
    silent_rule: str | None
    """The rule that applies the publisher's rules if the text is silent; None for none."""
    based_on: str = ""
    """The id of the shipped rulebook whose variant this is; empty if it has a text of its own."""

    rack_tiles: Annotated[int, Setting("rack.tiles", "tiles on a full rack")] = 7
    bingo_tiles: Annotated[int, Setting("bingo.tiles", "tiles in one play that earn the bonus")] = 7
    bingo_points: Annotated[int, Setting("bingo.points", "the bonus for them")] = 50
    clock_ns: Annotated[
        int,
        Setting("clock.minutes", "minutes a player", "minutes", Choice(least=1, most=MOST_MINUTES)),
    ]
    overtime_from_ns: Annotated[
        int,
        Setting(
            "overtime.from_seconds",
            "seconds past 0:00 from which a clock is in overtime",
            "seconds",
        ),
    ]
    overtime_points: Annotated[
        int, Setting("overtime.points", "points off for each period of overtime")
    ]
    overtime_per_ns: Annotated[
        int,
        Setting(
            "overtime.per_seconds", "seconds in a period; part of one counts as one", "seconds"
        ),
    ]
    overtime_limit_ns: Annotated[
        int, Setting("overtime_limit.minutes", "minutes of overtime that end the game", "minutes")
    ]
    overtime_limit_reached: Annotated[
        Reached,
        Setting(
            "overtime_limit.counts", "whether the limit counts when reached or only when exceeded"
        ),
    ]
    overtime_limit_then: Annotated[LimitThen, Setting("overtime_limit.then", "what follows")]
    overtime_limit_margin: Annotated[
        int, Setting("overtime_limit.margin", "the least margin of a game lost so")
    ]
    overtime_limit_points: Annotated[
        int, Setting("overtime_limit.points", "points off the score of the player who exceeds it")
    ] = 0
    exchange_bag: Annotated[
        int, Setting("exchange.bag_at_least", "tiles in the bag for an exchange")
    ]
    exchange_late_points: Annotated[
        int,
        Setting("exchange.late_points", "points off for an exchange with fewer, when found late"),
    ] = 0
    exchange_full_rack: Annotated[
        bool,
        Setting(
            "exchange.of_a_full_rack",
            "whether the tiles that the player failed to draw count as drawn from the bag",
        ),
    ] = False
    exchange_late_drawn: Annotated[
        bool,
        Setting(
            "exchange.late_drawn",
            "whether a play of the opponent's makes it late only if a tile was drawn after it",
        ),
    ] = False
    exchange_early_passes: Annotated[
        bool,
        Setting(
            "exchange.too_few_passes", "whether an exchange with fewer, found in time, is a pass"
        ),
    ] = False
    scoreless_turns: Annotated[
        int, Setting("scoreless.turns", "scoreless turns in a row that end it")
    ]
    scoreless_kinds: Annotated[
        frozenset[str], Setting("scoreless.kinds", "the turns that count to them")
    ]
    scoreless_ends: Annotated[Scoreless, Setting("scoreless.ends", "what ends the game then")]
    scoreless_goes_on: Annotated[
        bool,
        Setting("scoreless.goes_on", "whether it goes on if a play comes before anybody notices"),
    ] = False
    scoreless_factor: Annotated[
        int,
        Setting(
            "scoreless.rack_factor", "times the own tiles that are taken off when neither is out"
        ),
    ]
    unplayed_factor: Annotated[
        int,
        Setting(
            "unplayed.rack_factor",
            "times the own tiles that are taken off when the game is ended by hand and neither "
            "is out; 0: none",
        ),
    ] = 0
    out_factor: Annotated[
        int, Setting("out.rack_factor", "times the opponent's tiles added for going out")
    ] = 2
    out_racks: Annotated[
        OutRacks, Setting("out.racks", "how leftover tiles count when a player goes out")
    ] = "added"
    out_stops: Annotated[OutStops, Setting("out.stops", "who stops the clock after the last play")]
    out_window_ns: Annotated[
        int,
        Setting(
            "out.window_seconds",
            "seconds to hold or challenge the last play; 0: no limit",
            "seconds",
        ),
    ] = 0
    out_restart_ns: Annotated[
        int,
        Setting(
            "out.restart_seconds",
            "seconds after which the opponent's clock may be started again; 0: never",
            "seconds",
        ),
    ] = 0
    out_showing_stops: Annotated[
        bool,
        Setting(
            "out.showing_stops",
            "whether showing the tiles that are left stops a clock that still runs",
        ),
    ] = False
    out_accepted: Annotated[
        frozenset[str],
        Setting(
            "out.accepted_by",
            "what accepts the last play: shown, the tiles that are left; stopped, the clock, by "
            "the opponent",
        ),
    ] = frozenset()
    challenge_failed: Annotated[
        ChallengeFailed, Setting("challenge.failed", "what a challenge of a good play costs")
    ]
    challenge_failed_points: Annotated[
        int, Setting("challenge.failed_points", "points for the player challenged in vain")
    ]
    challenge_failed_per: Annotated[
        Literal["word", "challenge"],
        Setting("challenge.failed_per", "whether for each word challenged or for the challenge"),
    ]
    challenge_failed_goes: Annotated[
        Literal["added", "off"],
        Setting(
            "challenge.failed_goes",
            "whether points for a challenge in vain are added for the player challenged or come "
            "off the challenger",
        ),
    ] = "added"
    challenge_failed_cap: Annotated[
        int, Setting("challenge.failed_cap", "most points for one such challenge; 0: no limit")
    ] = 0
    challenge_choices: Annotated[
        frozenset[str],
        Setting(
            "challenge.choices",
            "what an event may announce instead, as 'none', 'lose_turn' or 'points 5 word'",
        ),
    ] = frozenset()
    challenge_withdrawn: Annotated[
        frozenset[str],
        Setting(
            "challenge.may_withdraw",
            "when a challenge that was called may be withdrawn: before_stop, while the clock "
            "still runs; blank, where a blank of the play has no letter or a disputed one; "
            "earlier_blank, where a blank in its words was there before and had no letter; found, "
            "once a tile found outside the bag goes to the player who seemed to have played out",
        ),
    ] = frozenset()
    challenge_concedes: Annotated[
        bool,
        Setting(
            "challenge.may_concede",
            "whether the player challenged may concede the challenge before the verdict",
        ),
    ] = True
    challenge_until: Annotated[str, Setting("challenge.until", "when the right to challenge goes")]
    challenge_least_ns: Annotated[
        int,
        Setting(
            "challenge.least_seconds", "seconds that a player has for it at the least", "seconds"
        ),
    ] = 0
    challenge_unpressed_ns: Annotated[
        int,
        Setting(
            "challenge.unpressed_seconds", "seconds for it where no clock was started", "seconds"
        ),
    ] = 0
    challenge_return_ns: Annotated[
        int,
        Setting(
            "challenge.return_seconds",
            "seconds for it from when a player who was away sees the play; 0: as for any other",
            "seconds",
        ),
    ] = 0
    challenge_empty_free: Annotated[
        bool,
        Setting(
            "challenge.no_limit_when_empty", "whether the limit falls away once the bag is empty"
        ),
    ] = False
    challenge_blank_reopens: Annotated[
        bool,
        Setting(
            "challenge.blank_reopens",
            "whether words with a blank that was declared only later may be challenged then",
        ),
    ] = False
    hold_draw_ns: Annotated[
        int,
        Setting(
            "hold.draw_seconds", "seconds of a hold after which new tiles may be drawn", "seconds"
        ),
    ]
    hold_draw_from: Annotated[
        Literal["hold", "press"],
        Setting("hold.draw_from", "what those seconds are counted from: the hold, or the press"),
    ]
    hold_lasts_ns: Annotated[
        int, Setting("hold.lasts_seconds", "seconds that a hold may last; 0: no limit", "seconds")
    ] = 0
    illegal_placement: Annotated[
        Placement,
        Setting("placement.illegal", "what an unchallenged play apart or in two lines scores"),
    ] = "score"
    announce_ns: Annotated[
        int,
        Setting(
            "placement.announce_seconds",
            "seconds after the end within which an illegal play may be announced; 0: it is not",
            "seconds",
        ),
    ] = 0
    first_press_passes: Annotated[
        bool,
        Setting(
            "opening.press_passes",
            "whether who plays first has passed by starting the opponent's clock before any turn",
        ),
    ] = False
    infractions_every: Annotated[
        int, Setting("infractions.every", "minor infractions that cost time")
    ] = 0
    infractions_kinds: Annotated[
        frozenset[str],
        Setting("infractions.kinds", "what of a play that a camera sees is a minor infraction"),
    ] = frozenset()
    infractions_ns: Annotated[
        int, Setting("infractions.seconds", "the time they cost", "seconds")
    ] = 0
    late_option_ns: Annotated[
        int,
        Setting(
            "late.may_forfeit_below_minutes",
            "minutes left below which a late player may forfeit",
            "minutes",
        ),
    ] = 0
    late_lost: Annotated[
        bool, Setting("late.expiry_forfeits", "whether the clock running out forfeits")
    ] = False
    late_expires: Annotated[
        Reached,
        Setting("late.expires", "whether the clock has run out at 0:00 or only when that is past"),
    ] = "past"
    late_points: Annotated[
        int, Setting("late.forfeit_points", "the spread of a game forfeited so; 0: there is none")
    ]
    absent_points: Annotated[
        int, Setting("absent.points", "the spread of a game not turned up for")
    ]
    absent_both: Annotated[
        Literal["each_loses", "director"],
        Setting("absent.both", "what follows when neither player turns up"),
    ] = "director"
    found_goes_back: Annotated[
        bool,
        Setting(
            "found.goes_back",
            "whether tiles found outside the bag go back into it where no player gets them",
        ),
    ] = False
    bye_points: Annotated[
        int, Setting("bye.points", "the spread of a bye; 0: as the director decides")
    ] = 0
    raised_for: Annotated[
        frozenset[str],
        Setting("forfeit.raised_for", "forfeits whose spread the director may raise for an abuse"),
    ] = frozenset()
    raised_leaving: Annotated[
        frozenset[str],
        Setting(
            "forfeit.raised_leaving",
            "games left or resigned whose spread the director may raise for it",
        ),
    ] = frozenset()
    raised_leaving_least: Annotated[
        Literal["usual", "none"],
        Setting(
            "forfeit.raised_leaving_least",
            "the least that the director may set for it: the usual spread, or any",
        ),
    ] = "usual"
    raised_to: Annotated[
        int, Setting("forfeit.raised_to", "to how much; 0: as the director decides, never to less")
    ] = 0
    raised_off: Annotated[
        Literal["loser", "both"],
        Setting(
            "forfeit.raised_off",
            "whether it only comes off the loser's spread or goes to the winner's too",
        ),
    ] = "both"
    unrated: Annotated[
        frozenset[str],
        Setting("forfeit.unrated", "forfeits that do not count for ratings"),
    ] = frozenset()
    leaving: Annotated[
        Leaving, Setting("leaving.then", "what leaving a game in progress costs")
    ] = "director"
    leaving_points: Annotated[int, Setting("leaving.points", "the points in it")] = 0
    resigning: Annotated[
        Literal["as_leaving", "current_score", "spread_plus"],
        Setting("leaving.resigning", "what a game counts as that is resigned"),
    ] = "as_leaving"
    resigned_resumes: Annotated[
        bool, Setting("leaving.resumes", "a game that was resigned may be resumed")
    ] = True
    recount_seconds_ns: Annotated[
        int,
        Setting(
            "recount.within_seconds",
            "seconds after agreeing to ask for one; 0: no limit",
            "seconds",
        ),
    ] = 0
    recount_points: Annotated[
        int, Setting("recount.within_points", "largest margin for one; 0: any")
    ] = 0
    recount_after_limit: Annotated[
        bool, Setting("recount.after_limit", "whether one is allowed after the overtime limit")
    ] = True
    signed_grounds: Annotated[
        frozenset[str], Setting("signed.grounds", "what still lets a signed result be changed")
    ]
    signed_report_only: Annotated[
        frozenset[str],
        Setting("signed.report_only", "of these, what lets the sheet be mended and nothing else"),
    ] = frozenset()
    turn_ends: Annotated[frozenset[str], Setting("turn.ends", "what ends a turn")]
    stop_reasons: Annotated[
        Mapping[str, str],
        Setting("stop.reasons", "what the clock may be stopped for, and by which rule"),
    ]
    stop_only: Annotated[
        bool, Setting("stop.only", "whether it may be stopped for nothing else")
    ] = False

    press_error_ns: Annotated[
        int,
        Setting(
            "press_error.seconds",
            "what the opponent earns when a player starts the clock in error",
            "seconds",
        ),
    ] = 0
    delay_ns: Annotated[
        int,
        Setting(
            "draw_delay.seconds",
            "what the opponent earns by each delay after the first warning",
            "seconds",
        ),
    ] = 0

    event_rules: Mapping[str, str] = field(default_factory=dict)
    """The rule on each fact that a director may enter and no camera sees, by its name; see
    :mod:`game.state.entered_events`. A fact without a rule is refused."""
    penalties: tuple[Penalty, ...] = ()
    """The kinds of penalty that the text lets a director impose."""
    rules: Mapping[str, str] = field(default_factory=dict)
    """The rule of each setting by its name; missing if the text is silent."""
    notes: Mapping[str, str] = field(default_factory=dict)
    """The note on a setting by its name, or on a fact by ``event.`` and its name: what the text
    orders, or where it is silent or contradicts itself."""
    guidance: Mapping[str, Guidance] = field(default_factory=dict)
    """The rule, audience and remedies for each kind of flag, by its code."""
    choices: Mapping[str, Choice] = field(default_factory=dict)
    """The values that an event may announce for a setting, by the setting's name."""
    adjusted: Mapping[str, Any] = field(default_factory=dict)
    """The settings that the event announced, by name."""

    def rule(self, name: str) -> str | None:
        """Return the number of the rule that a setting comes from; None if the text is silent."""
        return self.rules.get(name)

    def event_rule(self, name: str) -> str | None:
        """Return the rule on a fact that a director may enter; None if the text has none."""
        return self.event_rules.get(name)

    def guide(self, code: str, context: str = "") -> Guidance:
        """Return the guidance on a flag, for the context if there is any, else in general."""
        found = self.guidance.get(f"{code}_{context}") if context else None
        return found or self.guidance.get(code) or silent(code)

    def overtime_penalty(self, remaining_ns: int) -> int:
        """Return the points off for a clock that shows ``remaining_ns`` (negative past 0:00)."""
        over = -remaining_ns
        if over < self.overtime_from_ns:
            return 0
        shown = over // SECOND * SECOND  # a display counts whole seconds
        return -(-shown // self.overtime_per_ns) * self.overtime_points

    @property
    def limit_changes_scores(self) -> bool:
        """True if using up the overtime ends the game by changed scores, not by a spread alone."""
        return self.overtime_limit_then != "forfeit"

    @property
    def overtime_limit_from_ns(self) -> int:
        """The overtime that ends the game: the limit, or a second more if that has to be passed."""
        past = self.overtime_limit_reached == "past"
        return self.overtime_limit_ns + (SECOND if past else 0)

    def over_limit(self, remaining_ns: int) -> bool:
        """True if a clock that shows ``remaining_ns`` is at or past the limit on overtime."""
        return -remaining_ns >= self.overtime_limit_from_ns


@cache
def silent(code: str) -> Guidance:
    """Return the guidance for a flag on which a rulebook is silent."""
    return Guidance(None, CODES[code].visibility, CODES[code].remedies)


@dataclass(frozen=True, slots=True)
class Shown:
    """A setting for people to read."""

    name: str
    value: Any
    """The value as in the file: minutes and seconds, not nanoseconds."""
    rule: str | None
    note: str
    meaning: str


@lru_cache(maxsize=1)
def settings() -> Mapping[str, Setting]:
    """Return the declaration of each setting, by its field's name, in their order."""
    hints = get_type_hints(Rulebook, include_extras=True)
    found = {}
    for one in dataclasses.fields(Rulebook):
        for setting in getattr(hints[one.name], "__metadata__", ()):
            found[one.name] = setting
    return MappingProxyType(found)


def shown(book: Rulebook) -> tuple[Shown, ...]:
    """Return every setting of a rulebook in the order of their declaration."""
    lines = []
    for field_name, one in settings().items():
        value = one.in_file(getattr(book, field_name))
        note = book.notes.get(one.name, "")
        lines.append(Shown(one.name, value, book.rule(one.name), note, one.meaning))
    return tuple(lines)
