"""Every kind of flag, declared once: its label and messages, who sees it, the fact it asks for.

Pages, API, documents and the referee all take them from here. A rulebook's ``[flag.<code>]`` table
adds the number of the rule and the remedies of its text; what the table leaves out is as declared
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from game.guidance import CALL_DIRECTOR, Remedy, Visibility

Fact = Literal[
    "letter", "symbol", "rack", "reason", "ruling", "set", "parting", "seats", "ending", "time"
]
"""A fact that people know and a camera does not. ``letter``: of a blank. ``symbol``: what lies on a
square. ``rack``: the tiles left. ``reason``: why the clock was stopped. ``ruling``: what a turn
was. ``set``: which tiles the set in use lacks, or has too many. ``parting``: whether the tiles are
one turn or two. ``seats``: which player sits where. ``ending``: how the game ended. ``time``: whose
clock an unwatched time counts on."""


Cause = Literal[
    "off",
    "ruled",
    "explained",
    "moved_back",
    "as_before",
    "in_its_place",
    "taken_away",
    "within_the_set",
    "tile_gone",
    "set_aside",
    "turned_up",
    "known_later",
    "turn_known",
    "uncovered",
    "as_at_press",
    "said_again",
    "run_broken",
]
"""Why a flag of a turn no longer holds; :mod:`game.state.settled_flags` decides when.

About the turn: ``off``: its play came off the board. ``ruled``: somebody ruled what the turn was.
``explained``: somebody explained a stop of the clock. ``turn_known``: it became known whether the
turn had a play. ``uncovered``: nothing covers the board any more. ``said_again``: a later turn of
the player has such a flag. ``run_broken``: the scoreless turns no longer end the game.

About a tile: ``moved_back``: it lies where it lay. ``as_before``, ``as_at_press``: its square is as
before the turn, or as at the press. ``in_its_place``: the tile lies in its place. ``taken_away``,
``tile_gone``: it is gone. ``set_aside``: it is gone, or flagged again. ``turned_up``: its face
shows. ``known_later``: it became known what it is. ``within_the_set``: no more of its letter lie
there than the set has.
"""

Cost = Literal["", "points", "time"]
"""The cost of a flag: ``points`` beside the turns' scores, or ``time`` off the clock; empty for
none."""

Reporting = Literal["", "freely", "of_a_turn", "by_event"]
"""How somebody reports a flag. ``of_a_turn``: with the number of a turn. ``by_event``: by an event
of its own. Empty: not at all, a camera or a count finds it."""


@dataclass(frozen=True, slots=True)
class Code:
    """One kind of flag."""

    label: str
    """The name of the flag as people read it."""
    meaning: str
    """The fault in words; a reason, or the message of a camera's finding, begins with them."""
    visibility: Visibility
    """Who may see it, unless the rulebook says otherwise."""
    messages: str | Mapping[str, str] = ""
    """The message, or one for each variant, with ``{names}`` of values that
    :func:`game.flags.make_flag` is given; ``{squares}`` may always be used. Empty if only the
    camera finds it."""
    asks: Fact | None = None
    """The fact that would settle the flag; None if nobody can enter one."""
    question: bool = False
    """True if the flag is not a fault but a question: the game needs the fact that it asks for."""
    judged: bool = True
    """False if no rulebook has a rule on it, because the camera or a count could not tell."""
    pose: bool = False
    """True if the camera measures how a tile lies within its square. Such a flag is raised once
    until the tile is pushed, and settled when the tile is gone or flagged again."""
    entered: bool = False
    """True if it is about something that a director entered and so knows. It needs attention only
    while one of its remedies can still be entered."""
    announced: bool = False
    """True if spectators are shown its message; the camera's own troubles are for the director
    alone."""
    placement: bool = False
    """True if the play breaks a rule of placement, whatever its words."""
    checked: bool = False
    """True if it asks what a turn was or scored; pages mark that turn as being checked."""
    parting: bool = False
    """True if it asks how tiles divide into turns."""
    unread: bool = False
    """True if it says that a square could not be read; one such flag for each square is enough."""
    missed: bool = False
    """True if such a flag without squares says that the turn may have had a play that nobody
    saw."""
    settled_by: tuple[Cause, ...] = ()
    """The causes that settle it besides an answer; any one is enough."""
    costs: Cost = ""
    """The cost that follows without anybody being asked; empty for none."""
    reported: Reporting = ""
    """How somebody reports it; empty if nobody does, but a camera or a count finds it."""
    rule_of: str = ""
    """The setting whose rule number the flag has if no rulebook has a rule on it."""
    remedies: tuple[Remedy, ...] = CALL_DIRECTOR
    """The remedies if the rulebook is silent."""


def _reported(label: str, meaning: str, sentence: str, how: Reporting = "freely") -> Code:
    """Return the code of a reported fact; ``sentence`` may use {player}, {opponent} and {turn}."""
    return Code(label, meaning, "director", sentence, entered=True, reported=how)


CODES: MappingProxyType[str, Code] = MappingProxyType(
    {
        # The placement.
        "off_centre": Code(
            "off centre",
            "the first play does not cover the centre square",
            "opponent",
            "The first play does not cover 8H.",
            placement=True,
            settled_by=("off",),
            announced=True,
        ),
        "single_tile_opening": Code(
            "single tile opening",
            "the first play is one tile, which makes no word",
            "opponent",
            "The first play is one tile.",
            placement=True,
            settled_by=("off",),
            announced=True,
        ),
        "not_one_line": Code(
            "not one line",
            "the tiles of a play are not all in one row or column",
            "opponent",
            "{squares} not in one line with {position}.",
            placement=True,
            settled_by=("off",),
            announced=True,
        ),
        "gap": Code(
            "gap",
            "the tiles of a play are not joined by tiles between them",
            "opponent",
            "The play at {position} has a gap at {squares}.",
            placement=True,
            settled_by=("off",),
            announced=True,
        ),
        "disconnected": Code(
            "disconnected",
            "a play does not join the tiles played before",
            "opponent",
            "{squares} not joined to the tiles played before.",
            placement=True,
            settled_by=("off",),
            announced=True,
        ),
        "too_many_tiles": Code(
            "too many tiles",
            "a play has more tiles than a rack holds",
            "public",
            "{count} tiles were played; a rack can have held {limit}.",
            asks="ruling",
            question=True,
            checked=True,
            settled_by=(
                "off",
                "ruled",
            ),
            announced=True,
        ),
        "overdrawn_rack": Code(
            "overdrawn rack",
            "a rack has more tiles than it may hold",
            "director",
            "{player}'s rack was reported with {count} tiles; it holds {limit}.",
        ),
        # Tiles of earlier turns.
        "tile_moved": Code(
            "tile moved",
            "a tile of an earlier turn lies on another square",
            "public",
            "What lay on {origin} now lies on {target}: {tile}.",
            asks="symbol",
            settled_by=("moved_back",),
        ),
        "tile_removed": Code(
            "tile removed",
            "a tile of an earlier turn is gone",
            "public",
            "Tiles of an earlier turn are gone: {tiles}.",
            asks="symbol",
            settled_by=("as_before",),
        ),
        "tile_replaced": Code(
            "tile replaced",
            "another tile lies where one of an earlier turn lay",
            "public",
            "{squares} showed {earlier} and now shows {now}.",
            asks="symbol",
            settled_by=("in_its_place",),
        ),
        "hole_filled": Code(
            "tile in a hole",
            "a tile lies where one of an earlier turn was gone",
            "public",
            "{earlier} of {squares} was gone, and {now} lies there now, which counts for no play: "
            "was it laid in this turn, or put in place of {earlier}?",
            asks="symbol",
            question=True,
            judged=False,
            checked=True,
            settled_by=("in_its_place",),
        ),
        "hole_used": Code(
            "hole played on",
            "a play lies where a tile of an earlier turn was gone",
            "public",
            "{tiles} was gone, and a tile of this play lies there now.",
            asks="symbol",
            settled_by=("off", "tile_gone"),
        ),
        "withdrawn_left": Code(
            "withdrawn tiles left",
            "tiles of a withdrawn play still lie on the board",
            "public",
            {
                "left": "Tiles of a withdrawn play still lie on the board, and do not count: "
                "{squares}. Have them taken off.",
                "anew": "Tiles lie as those of a withdrawn play lay: {squares}. They count as "
                "played anew by {player}, and as replaced from the bag. Were they left there? Then "
                "they are {owner}'s, and nobody drew for them.",
            },
            asks="symbol",
            settled_by=("taken_away",),
        ),
        # The tiles themselves.
        "extra_tile": Code(
            "extra tile",
            "more tiles of one letter than the set has",
            "director",
            "{count} {tiles} lie on the board; the {tile_set} set has {has}.",
            asks="symbol",
            question=True,
            settled_by=(
                "off",
                "within_the_set",
            ),
        ),
        "unknown_letter": Code(
            "unknown letter",
            "a letter that the tile set does not have",
            "public",
            "{squares}: the {tile_set} set has no such letter.",
            asks="symbol",
            question=True,
            judged=False,
            checked=True,
            settled_by=(
                "off",
                "tile_gone",
            ),
        ),
        "blank_undesignated": Code(
            "blank without a letter",
            "a blank was played and its letter is not known",
            "public",
            "Which letter is the blank at {squares}?",
            asks="letter",
            question=True,
            checked=True,
            settled_by=("off",),
        ),
        "face_down": Code(
            "face down",
            "a tile lies face down",
            "public",
            "Face down: {squares}.",
            asks="symbol",
            question=True,
            checked=True,
            settled_by=(
                "off",
                "turned_up",
            ),
        ),
        "misoriented_tile": Code(
            "tile turned the wrong way",
            "a tile lies turned against the others",
            "public",
            asks="symbol",
            settled_by=(
                "off",
                "set_aside",
            ),
        ),
        "misoriented_play": Code(
            "play turned the wrong way",
            "all tiles of a play lie turned against the others",
            "public",
            asks="symbol",
            settled_by=(
                "off",
                "tile_gone",
            ),
        ),
        "askew": Code(
            "askew",
            "a tile lies between squares",
            "public",
            asks="symbol",
            pose=True,
            settled_by=(
                "off",
                "set_aside",
            ),
        ),
        "off_board": Code("off board", "a tile lies beside the playing squares", "public"),
        # What the camera could not tell.
        "uncertain_square": Code(
            "uncertain square",
            "the camera could not tell what lies there",
            "public",
            {
                "unread": "{squares} could not be read and scored nothing.",
                "unseen": "It could not be seen whether a tile lies on {squares}.",
                "read_late": "Laid earlier, could be read only now, and has not scored: {tiles}.",
            },
            asks="symbol",
            question=True,
            judged=False,
            checked=True,
            unread=True,
            missed=True,
            settled_by=(
                "off",
                "known_later",
                "turn_known",
            ),
        ),
        "board_covered": Code(
            "part unseen",
            "a part of the board could not be seen",
            "public",
            "Could not be seen, taken as unchanged: {squares}.",
            judged=False,
            unread=True,
            settled_by=("uncovered",),
        ),
        "pictures_lost": Code(
            "pictures lost",
            "too few pictures were looked at to be sure what was played",
            "public",
            asks="ruling",
            question=True,
            judged=False,
            checked=True,
            missed=True,
            settled_by=("ruled",),
        ),
        "turn_inferred": Code(
            "which turns there were",
            "whose turn it was or where it ended could not be seen for certain",
            "public",
            asks="ruling",
            question=True,
            judged=False,
            parting=True,
            settled_by=("ruled",),
        ),
        "played_unseen": Code(
            "played unseen",
            "what was played while nobody looked is not known",
            "public",
            {
                "time": "{count} tiles came while there was no picture, and are not one turn's "
                "play: {squares}. Which turns laid them?",
                "turns": "{count} tiles came while there was no picture, and are not one turn's "
                "play: {squares}. What was played in {turns}, and what in turn {number}?",
                "among": "No tile came since turn {earlier}, whose own came while there was no "
                "picture: are some of them turn {number}'s, or was it a pass or an exchange?",
            },
            asks="ruling",
            question=True,
            judged=False,
            checked=True,
        ),
        "seats_unconfirmed": Code(
            "seats unconfirmed",
            "without a clock, nothing shows which player sits where, and who was to begin is not "
            "known",
            "director",
            "Did {player} make the first play?",
            asks="seats",
            question=True,
            judged=False,
        ),
        # When it happened.
        "changed_after_press": Code(
            "changed after press",
            "tiles changed after the clock was pressed",
            "public",
            "Tiles changed after the clock was pressed: {changes}.",
            asks="symbol",
            settled_by=("as_at_press",),
        ),
        "changed_out_of_turn": Code(
            "changed out of turn",
            "a turn that was not the player's",
            "public",
            {
                "turn": "It was {player}'s turn.",
                "over": "The game had ended.",
                "lost": "This turn was lost by the challenge of turn {number}: it scores nothing.",
            },
            announced=True,
        ),
        "exchange_too_late": Code(
            "exchange too late",
            "an exchange with too few tiles in the bag",
            "public",
            {
                "too_few": "Tiles in the bag: {bag}; an exchange needs {needed}.",
                "full_rack": "Tiles in the bag: {bag}, and with a full rack there would have been "
                "{left}; an exchange needs {needed}.",
            },
            announced=True,
        ),
        # Challenges and conduct.
        "challenge_unclear": Code(
            "challenge unclear",
            "the clock was stopped, and why is not known",
            "public",
            {
                "came_off": "All tiles of turn {turn} came off after it: was it challenged off?",
                "went_while_stopped": "Tiles of turn {turn} went while the clock was stopped: "
                "was it challenged off?",
                "swapped_while_stopped": "Tiles of turn {turn} changed places while the clock was "
                "stopped: was it challenged off, and are they the answer to it?",
                "restarted": "The clock was stopped and started again after turn {turn}: if it was "
                "a challenge that failed, how many words were challenged?",
                "uncounted": "Turn {turn} was challenged and stood: how many words were "
                "challenged?",
                "unpaid": "Turn {turn} was challenged and stood, and nobody has entered the points "
                "for that.",
                "gone": "The tiles of turn {turn} are gone, and no challenge was seen: "
                "was it taken back?",
            },
            asks="ruling",
            question=True,
            judged=False,
            checked=True,
            settled_by=("explained",),
        ),
        "clock_stopped": Code(
            "clock stopped",
            "the clock stands, and the reason is not known",
            "director",
            {
                "after": "The clock was stopped after turn {turn}: why?",
                "before": "The clock stands: why?",
                "ended": "The clock was stopped after turn {turn}, and the game was ended: had "
                "{player} played out by then, or was it stopped for something else?",
            },
            asks="reason",
            question=True,
            judged=False,
            rule_of="stop.reasons",
        ),
        "time_unseen": Code(
            "time unseen",
            "time passed that nobody watched",
            "public",
            {
                "measured": "Nobody watched the table for {length}. {player}'s clock ran before, "
                "in turn {number}: was it {player}'s time, or nobody's? Nobody is charged so far.",
                "seems": "Nobody watched the table, by the machine's date, which may be wrong, for "
                "{length}. {player}'s clock ran before, in turn {number}: was it {player}'s time, "
                "or nobody's? Nobody is charged so far.",
                "unknown": "Nobody watched the table, and how long is not known. {player}'s clock "
                "ran before, in turn {number}: was it {player}'s time, or nobody's? Nobody is "
                "charged so far.",
            },
            asks="time",
            question=True,
            judged=False,
        ),
        "clock_given_back": Code(
            "clock given back",
            "a press that only gave the player time to put something right",
            "public",
            "No pass: the clock was started again so that turn {turn} be put right.",
            judged=False,
            remedies=(),
        ),
        "clock_back_unclear": Code(
            "clock given back?",
            "a pass, or a press that only gave the player time to put something right",
            "public",
            "Was turn {turn} a pass, or was the clock started again to have the play put right?",
            asks="ruling",
            question=True,
            judged=False,
            checked=True,
            settled_by=("explained",),
        ),
        "stopped_on_turn": Code(
            "stopped on turn",
            "a turn that a stop of the clock ended",
            "director",
            "Turn {number} ended when the clock was stopped: was anything announced before?",
            asks="ruling",
            question=True,
            settled_by=("ruled",),
        ),
        "press_forgotten": Code(
            "one turn or two",
            "two plays lie on the board, and nobody pressed the clock between them",
            "director",
            "Two plays lie on the board, and nobody pressed the clock between them: was {play} "
            "a turn of its own?",
            asks="parting",
            question=True,
            judged=False,
            rule_of="turn.ends",
            parting=True,
            settled_by=("ruled",),
        ),
        "not_pressed": Code(
            "not pressed",
            "a turn that nobody pressed the clock for",
            "director",
            {
                "not_known": "No press was heard after turn {number}.",
                "clock_stopped": "Turn {number} ended when the clock was stopped.",
                "clock_stopped_playing_out": "Turn {number} played out and stopped the clock.",
                "drawing": "Turn {number} ended by drawing, without a press.",
                "hand_in_bag": "Turn {number} ended with a hand in the bag, without a press.",
                "score_written": "Turn {number} ended by writing its score, without a press.",
                "opponent_placed": "No press was heard after turn {number}, and the opponent has "
                "made the next play.",
            },
            judged=False,
            remedies=(),
        ),
        "score_agreed": Code(
            "score agreed",
            "a score that both players agree on, other than what the tiles make",
            "director",
            "The players agree on {points} for turn {number}; its tiles make {made}.",
            judged=False,
            remedies=(),
        ),
        "stop_unlisted": Code(
            "stop unlisted",
            "the clock was stopped for what the rules do not list",
            "director",
            "The clock was stopped after turn {turn} for {reason}, which is not among the reasons "
            "allowed.",
            entered=True,
        ),
        "challenge_late": Code(
            "challenge out of time",
            "a play was challenged after the right to had gone, or before it was there",
            "director",
            {
                "out": "The last play was challenged {after} after it; the limit is {limit}.",
                "drawn": "The play was challenged {after} after it; after a quick draw the limit "
                "is {limit}.",
                "quick": "The play was challenged {after} after a tile was drawn, within {limit} "
                "of the press: after so quick a draw the director may allow that.",
                "before": "The play was challenged before its turn had ended.",
                "back": "The play was challenged {after} after the opponent came back to it; the "
                "limit is {limit}.",
                "accepted": "The play was challenged {after} after it was accepted.",
                "answered": "The play was challenged when the challenger had already taken the "
                "next turn.",
                "fault": "The play was taken back for a fault when the opponent had already taken "
                "the next turn.",
            },
        ),
        "hold_long": Code(
            "hold too long",
            "a play was held for longer than a hold may last",
            "director",
            {
                "accepted": "The play was held for {after} before it was accepted; a hold lasts "
                "{limit}.",
                "challenged": "The play was held for {after} before it was challenged; a hold "
                "lasts {limit}.",
            },
        ),
        "restarted_early": Code(
            "restarted early",
            "the opponent's clock was started too soon after the last play",
            "director",
            "{player} started the opponent's clock {after} after the last play; the "
            "opponent has {limit} to accept it.",
        ),
        "challenge_binds": Code(
            "challenge binds",
            "a challenge was withdrawn or conceded though it binds",
            "director",
            {
                "withdrawn": "The challenge of turn {number} was withdrawn, though it could not be "
                "any more: it has a verdict to come.",
                "conceded": "The challenge of turn {number} was conceded before the verdict, which "
                "it has to have.",
            },
            judged=False,
            rule_of="challenge.may_withdraw",
        ),
        "word_not_formed": Code(
            "word not formed",
            "a challenge of a word that the play did not form",
            "director",
            {
                "again": "The challenge of turn {number} was of {words}; the turn formed {formed}. "
                "The challenge may be made again.",
                "silent": "The challenge of turn {number} was of {words}; the turn formed "
                "{formed}. The rules do not say what follows.",
            },
            judged=False,
            entered=True,
        ),
        "void_word": Code(
            "void word",
            "a play through a word that scores nothing",
            "public",
            "The play builds on a word that scores nothing: {words} score nothing either.",
            announced=True,
        ),
        "minor_infractions": Code(
            "minor infractions",
            "as many minor infractions as cost time",
            "opponent",
            "{player} has made {count} minor infractions; every {every} cost a minute.",
            announced=True,
        ),
        # Before the game.
        "late_start": Code(
            "late start",
            "a player came late and started with less time",
            "public",
            {
                "late": "{player} came late and starts with {left} on the clock.",
                "lost": "{player} came after the clock had run out: the game is lost.",
            },
            entered=True,
            costs="time",
            announced=True,
        ),
        "set_wrong": Code(
            "set wrong",
            "the set of tiles is not the one it should be",
            "public",
            {
                "before": "The set has {count} tiles of {total}, before the game: {faults}.",
                "since": "The set has {count} tiles of {total}, as it was checked in the game or "
                "after it: {faults}.",
            },
            asks="set",
        ),
        # The clock and the end.
        "overtime": Code(
            "overtime",
            "a player's time has run out",
            "public",
            "{player} is {over} over time: {points} points.",
            settled_by=("said_again",),
            costs="points",
            announced=True,
        ),
        "overtime_limit": Code(
            "overtime limit",
            "a player has exceeded the overtime limit",
            "public",
            {
                "at": "{player} has used up {limit} of overtime, which loses the game.",
                "past": "{player} has exceeded {limit} of overtime, which loses the game.",
            },
            costs="points",
            announced=True,
        ),
        "six_zeros": Code(
            "six zeros",
            "as many scoreless turns in a row as end the game",
            "public",
            "{count} scoreless turns in a row end the game: {turns}.",
            settled_by=("run_broken",),
            announced=True,
        ),
        "rack_unknown": Code(
            "rack unknown",
            "a rack is needed to settle the score and is not known",
            "public",
            {
                "nobody_out": "The game was ended as played out; by counting, nobody is out.",
                "own": "{player}'s rack is needed: its tiles are deducted.",
                "differs": "{player}'s rack was reported as {reported}; the tiles not seen on the "
                "board are {counted}.",
                "impossible": "{player}'s rack was reported as {reported}: that is {count} {tile}, "
                "and the set has {has}.",
                "count": "{player}'s rack was reported as {reported}, which is {count} tiles; by "
                "counting {due} are due.",
                "needed": "{player}'s rack is needed. Tiles not seen on the board: {unseen}; due "
                "on the rack: {due}.",
            },
            asks="rack",
            question=True,
            judged=False,
            rule_of="out.stops",
            checked=True,
        ),
        "reopened_unlisted": Code(
            "reopened for another reason",
            "a signed result was opened for what the rules do not list",
            "director",
            "{by} opened the signed result because the record is not what was signed, which the "
            "rules do not list: {why}",
            judged=False,
            entered=True,
            rule_of="signed.grounds",
        ),
        "not_scoreless": Code(
            "too few scoreless turns",
            "the game was ended for scoreless turns of which there were not enough",
            "director",
            "The game was ended for scoreless turns: {count} in a row are counted, {needed} are "
            "needed.",
            asks="ending",
            question=True,
            judged=False,
            rule_of="scoreless.turns",
        ),
        # What somebody reports.
        # Tiles.
        "out_of_order": _reported(
            "drawn out of order",
            "tiles drawn before the opponent had drawn",
            "{player} drew tiles before {opponent} had drawn.",
        ),
        "drawn_in_challenge": _reported(
            "drawn during a challenge",
            "tiles drawn while a challenge was being decided",
            "{player} drew tiles while a challenge was being decided.",
        ),
        "drawn_while_away": _reported(
            "drawn while the opponent was away",
            "tiles drawn while the opponent was away",
            "{player} drew tiles while {opponent} was away from the table.",
        ),
        "overdrawn": _reported(
            "too many drawn",
            "too many tiles drawn",
            "{player} drew too many tiles.",
        ),
        "overdraw_miscorrected": _reported(
            "overdraw corrected wrongly",
            "too many tiles shown while an overdraw was corrected",
            "{player} showed too many tiles while an overdraw was corrected.",
        ),
        "tiles_exposed": _reported(
            "tiles of the bag shown",
            "tiles of the bag that were shown",
            "{player} showed tiles of the bag.",
        ),
        "tiles_spilled": _reported(
            "tiles spilled",
            "tiles that fell out of the bag",
            "{player} spilled tiles of the bag.",
        ),
        "tiles_returned": _reported(
            "tiles put back",
            "drawn tiles put back into the bag",
            "{player} put drawn tiles back into the bag.",
        ),
        "underdrawn_rack": _reported(
            "too few drawn",
            "a rack with too few tiles",
            "{player} had drawn too few tiles: {missing}.",
            "by_event",
        ),
        "exchange_overdrawn": _reported(
            "exchange from too many tiles",
            "an exchange from a rack of more tiles than it may hold",
            "{player} exchanged from a rack that held too many tiles.",
            "of_a_turn",
        ),
        # The board.
        "board_upset": _reported(
            "board upset",
            "the board was upset by accident",
            "The board was upset by accident.",
        ),
        "board_upset_on_purpose": _reported(
            "board upset on purpose",
            "the board was upset on purpose",
            "{player} upset the board on purpose.",
        ),
        "tiles_knocked_off": _reported(
            "tiles knocked off",
            "tiles knocked off the board in anger",
            "{player} knocked tiles off the board in anger.",
        ),
        # Scores and verdicts.
        "score_unrecorded": _reported(
            "total not recorded",
            "a cumulative score that was not recorded",
            "{player} had not recorded the cumulative score.",
        ),
        "score_before_play": _reported(
            "score before the play",
            "a score that was recorded before the play",
            "{player} recorded the score before the play was made.",
        ),
        "misadjudicated": _reported(
            "wrong verdict",
            "a challenge that was decided wrongly",
            "The challenge of turn {turn} was decided wrongly, against {player}.",
            "of_a_turn",
        ),
        "recount_asked": _reported(
            "recount asked for",
            "a recount that was asked for",
            "{player} asks for a recount.",
        ),
        "recount_halted": _reported(
            "recount halted",
            "a recount that the director halted",
            "The director halted the recount of {player}.",
        ),
        "recount_refused": _reported(
            "recount refused",
            "a recount that was refused",
            "The recount that {player} asked for was refused.",
        ),
        # The clock.
        "press_in_error": _reported(
            "clock started in error",
            "a clock that was started in error",
            "{player} started the opponent's clock in error.",
            "by_event",
        ),
        "draw_delayed": _reported(
            "drawing delayed",
            "the opponent was kept from drawing",
            "{player} tracked tiles before drawing and kept {opponent} from it.",
            "by_event",
        ),
        # Players.
        "returned": _reported(
            "back at the table",
            "a play that the opponent came back to",
            "{player} was away when turn {turn} was made, and has seen it now.",
            "of_a_turn",
        ),
        "unethical": _reported(
            "unethical behaviour",
            "unethical behaviour",
            "{player} behaved unethically, as was reported.",
        ),
        "cheating": _reported(
            "cheating or abuse",
            "cheating or abusive behaviour",
            "{player} cheated or behaved abusively, as was reported.",
        ),
        # The director.
        "ruling_ignored": Code(
            "ruling ignored",
            "a ruling or correction does not fit the game",
            "director",
            {
                "ruling": "The ruling {ruling!r} does not fit turn {number} any more.",
                "words": "{asked} words were entered as challenged on turn {number}, which forms "
                "{formed}: no more than that count.",
            },
            asks="ruling",
            question=True,
            judged=False,
        ),
    }
)

QUESTIONS = frozenset(code for code, known in CODES.items() if known.question)
"""Codes of flags that ask for something only people know."""

POSES = frozenset(code for code, known in CODES.items() if known.pose)
"""Codes of flags about how a tile lies within its square."""

REPORTED = MappingProxyType({code: kind for code, kind in CODES.items() if kind.reported})
"""Kinds of flags that somebody reports and no camera sees (:class:`game.events.Reported`)."""

REPORTABLE = frozenset(code for code, kind in REPORTED.items() if kind.reported != "by_event")
"""Codes that a ``Reported`` event may have; each of the others has an event of its own."""
