"""Every kind of flag, once: its label, its messages, who sees it, the fact it asks for.

Pages, API, documents and the referee all take them from here. A rulebook's ``[flag.<code>]`` table
adds the rule's number and the remedies of that text; what it leaves out is as it stands here.
"""

from __future__ import annotations

from types import MappingProxyType

from game.flag_code import Code, Fact
from game.flags_at_the_end import AT_THE_END
from game.flags_reported import REPORTED
from game.flags_without_clock import WITHOUT_CLOCK

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
        "withdrawn_left": Code(
            "withdrawn tiles left",
            "tiles of a withdrawn play still lie on the board",
            "public",
            {
                "left": "Tiles of a withdrawn play still lie on the board, and do not count: "
                "{squares}. Have them taken off.",
                "anew": "Tiles lie as those of a withdrawn play lay, and count as played anew: "
                "{squares}. Were they left there?",
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
            "board covered",
            "something covered a part of the board",
            "public",
            "Could not be seen, taken as unchanged: {squares}.",
            judged=False,
            unread=True,
            settled_by=("uncovered",),
        ),
        "pictures_lost": Code(
            "pictures lost",
            "this computer was too slow, and looked at too few pictures to be sure what was played",
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
        **WITHOUT_CLOCK,
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
            "Tiles in the bag: {bag}; an exchange needs {needed}.",
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
                "restarted": "The clock was stopped and started again after turn {turn}: if it was "
                "a challenge that failed, how many words were challenged?",
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
                "measured": "Nobody watched the table for {length} while {player}'s clock ran, in "
                "turn {number}: was it {player}'s time, or nobody's? Nobody is charged so far.",
                "seems": "Nobody watched the table while {player}'s clock ran, in turn {number}; "
                "by the machine's date, which may be wrong, for {length}: was it {player}'s time, "
                "or nobody's? Nobody is charged so far.",
                "unknown": "Nobody watched the table while {player}'s clock ran, in turn {number}, "
                "and how long is not known: was it {player}'s time, or nobody's? Nobody is charged "
                "so far.",
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
                "not_known": "Nobody pressed the clock after turn {number}.",
                "clock_stopped": "Turn {number} ended when the clock was stopped.",
                "clock_stopped_playing_out": "Turn {number} played out and stopped the clock.",
                "drawing": "Turn {number} ended by drawing, without a press.",
                "hand_in_bag": "Turn {number} ended with a hand in the bag, without a press.",
                "score_written": "Turn {number} ended by writing its score, without a press.",
                "opponent_placed": "Nobody pressed the clock after turn {number}, and the opponent "
                "has made the next play.",
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
                "out": "The last play was challenged {seconds} seconds after it; {limit} are "
                "allowed.",
                "held": "The play was challenged {seconds} seconds after it was held; a hold lasts "
                "{limit}.",
                "drawn": "The play was challenged {seconds} seconds after it; {limit} are allowed, "
                "though a tile was drawn.",
                "before": "The play was challenged before its turn had ended.",
                "back": "The play was challenged {seconds} seconds after the opponent came back to "
                "it; {limit} are allowed.",
                "accepted": "The play was challenged {seconds} seconds after it was accepted.",
                "answered": "The play was challenged when the challenger had already taken the "
                "next turn.",
            },
        ),
        "restarted_early": Code(
            "restarted early",
            "the opponent's clock was started too soon after the last play",
            "director",
            "{player} started the opponent's clock {seconds} seconds after the last play; the "
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
        "void_word": Code(
            "void word",
            "a play through a word that scores nothing",
            "public",
            "The play touches a word that scores nothing: {words} score nothing either.",
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
        **AT_THE_END,
        # What somebody reports.
        **REPORTED,
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

__all__ = ["CODES", "POSES", "QUESTIONS", "Code", "Fact"]

QUESTIONS = frozenset(code for code, known in CODES.items() if known.question)
"""Codes that ask for something only people know."""

POSES = frozenset(code for code, known in CODES.items() if known.pose)
"""Codes for how a tile lies within its square."""
