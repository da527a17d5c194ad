"""A director's statements on a game beyond rulings on single turns, each kind a class of its own.

The first four say which turns there were: a forgotten press makes one turn of two, a press too many
makes two of one, a turn may pass without a press, and a camera may give tiles to the wrong turn or
player. The others are facts of a table that no camera sees and to which some rulebooks give an
effect; under a rulebook without a rule on them they are refused.

Each names who said it and why, and can be retracted. ``turn`` is always a number as turns were
counted when the event was entered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Annotated

from game.events.declaring import TYPED, Asked, Form, Remark
from game.events.observed import PlayMade
from game.events.values import (
    Change,
    FromOne,
    FromZero,
    Matter,
    NamedSide,
    ReportCode,
    SquareName,
    Tiles,
)
from game.terms import (
    Acceptance,
    DrawnBy,
    FoundIn,
    Measure,
    Shown,
    ShownFor,
    Side,
    TurnEnding,
)


@dataclass(frozen=True, slots=True)
class TurnParted:
    """A turn was split in two, because nobody pressed the clock between them."""

    turn: int
    """The turn that is split. The second part and all later turns get the next number."""
    squares: tuple[SquareName, ...]
    """The squares of the first part's tiles; all other tiles are of the second part."""
    side: Side
    """The player of the first part; the second part is the opponent's."""
    ended_ns: int
    """When the first part ended."""
    by: str
    why: str
    t_ns: int
    ended: TurnEnding = "not_known"
    """How the first part ended, if the rulebook knows that ending (``turn.ends``)."""

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        return "" if self.squares else "squares: name the squares of the first turn"


@dataclass(frozen=True, slots=True)
class TurnInserted:
    """A turn was inserted that nobody pressed for and no camera saw."""

    turn: int
    """The number that it gets. The turns from that number on get the next number."""
    side: Side
    tiles: Tiles
    """The tiles by square; empty for a pass or an exchange."""
    ended_ns: int
    """When it ended."""
    by: str
    why: str
    t_ns: int
    ended: TurnEnding = "not_known"
    """How it ended, if the rulebook knows that ending (``turn.ends``)."""


@dataclass(frozen=True, slots=True)
class TurnsJoined:
    """Two turns were joined, because the clock was pressed once too often."""

    turn: int
    """The first of the two. The turns after the second get the number before theirs."""
    side: Side
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class PlaysAssigned:
    """Plays that replace one or more turns, not necessarily as many."""

    turn: int
    """The first turn that is replaced."""
    turns: FromOne
    """The number of turns that are replaced. Later turns are numbered on from the last play."""
    plays: tuple[PlayMade, ...]
    """The plays in order. The last play ends when the last replaced turn did. A tile of the
    replaced turns that is in no play counts for a later turn."""
    by: str
    why: str
    t_ns: int

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        if not self.plays:
            return "plays: name at least one play"
        on_board: set[str] = set()
        for play in self.plays:
            squares = {**play.tiles, **(play.added or {})}.keys()
            if twice := on_board & squares:
                return f"plays: two plays have a tile on {min(twice)}"
            on_board |= set() if play.came_off else squares
        if any(later.ended_ns < play.ended_ns for play, later in pairwise(self.plays)):
            return "plays: a play ended before an earlier one"
        return ""


_ACCEPTED = (
    ("score_written", "the opponent wrote its score"),
    ("tiles_drawn", "new tiles were drawn"),
    ("play_accepted", "by word"),
    ("hold_released", "the hold was released"),
)


@dataclass(frozen=True, slots=True)
class PlayAccepted:
    """The opponent accepted a play, so that it can no longer be challenged."""

    turn: Annotated[int, Asked("Which play")]
    how: Annotated[Acceptance, Asked("How", _ACCEPTED, by_rule=True)]
    by: str
    why: str
    t_ns: int
    at_ns: int | None = None
    """When it was accepted, if that was before it was entered."""

    @property
    def moment_ns(self) -> int:
        """When the play was accepted."""
        return self.t_ns if self.at_ns is None else self.at_ns

    FORM = Form(button="Play accepted…", title="The last play was accepted", of_play=True)


_TILES = "letters, ? for a blank; empty: not known"
_COUNTED = "tiles on the rack; empty: as counted"


@dataclass(frozen=True, slots=True)
class TilesFound:
    """Tiles that no player had were found, in the bag or outside it."""

    where: Annotated[FoundIn, Asked("Where", (("bag", "in the bag"), ("table", "outside it")))]
    count: Annotated[FromOne, Asked("How many", value="1")]
    side: Annotated[Side, Asked("Who should have drawn them", (("", "nobody gets them"),))] | None
    """The player who should have drawn them, and gets them; null if nobody gets them."""
    by: str
    why: str
    t_ns: int
    tiles: Annotated[str, TYPED, Asked("Which", hint=_TILES)] = ""
    """The tiles as letters and ``?``, if somebody saw them."""
    racks: Annotated[Mapping[NamedSide, FromZero], Asked("Tiles now", hint=_COUNTED)] = field(
        default_factory=dict
    )
    """The number of tiles on a rack now, by side; a side left out has as many as counted."""

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        if len(self.racks) == 1:
            return "racks: give both players' or neither's"
        if self.tiles and len(self.tiles) != self.count:
            return f"tiles: {len(self.tiles)} tiles, but {self.count} were found"
        return ""

    FORM = Form(
        button="Tiles found…",
        title="Tiles were found that nobody had",
        rule="tiles_found_in_bag",
    )


_PLACES = (("nobody", "in the bag"), ("opponent", "on the opponent's rack"))


@dataclass(frozen=True, slots=True)
class RackUnderdrawn:
    """A player drew too few tiles, and a turn was made before that was put right."""

    side: Side
    missing: Annotated[FromOne, Asked("How many too few", value="1")]
    """The number of tiles that the rack lacks."""
    by: str
    why: str
    t_ns: int
    drawn_by: Annotated[DrawnBy, Asked("They are", _PLACES)] = "nobody"
    """``nobody``: they are in the bag; ``opponent``: they are on the opponent's rack."""

    FORM = Form(
        button="Too few drawn…",
        title="A player drew too few tiles",
        rule="underdrawn",
    )


@dataclass(frozen=True, slots=True)
class ClockStartedInError:
    """A player started the opponent's clock before completing the turn."""

    turn: int
    """The turn that the table recorded because of the press; 0 if it recorded none."""
    side: Side
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class DrawDelayed:
    """A player tracked tiles before drawing and so kept the opponent from drawing."""

    side: Annotated[Side, Asked("Who delayed")]
    by: str
    why: str
    t_ns: int

    SAYS = "{side} kept the opponent from drawing"
    FORM = Form(
        button="Drawing delayed…",
        title="A player tracked tiles before drawing",
        about="The first time is a warning; each one after it gives the opponent time.",
        rule="draw_delayed",
        earlier=False,
    )


@dataclass(frozen=True, slots=True)
class Reported:
    """Somebody reported a fact that no camera sees and the rulebook has a rule on."""

    what: ReportCode
    """Its code, such as ``out_of_order``: a key of ``game.flag_codes.REPORTED``."""
    side: Side
    """The player who did it; for a wrong verdict, the player it went against; for a return, the
    player who came back."""
    by: str
    why: str
    t_ns: int
    turn: int = 0
    """The turn that it is about; 0 for none."""


_MEASURES = (("note", "a note"), ("caution", "a caution"), ("warning", "an official warning"))
_RATED = (("", "as the rulebook has it"), ("no", "it does not count"), ("yes", "it counts"))
_SCORE = Asked("Score", hint="such as −5; empty: nothing", more=True)
_SPREAD = Asked("Spread alone", hint="such as −50; empty: nothing", more=True)
_TIME = Asked("Clock", hint="such as 1:00 or −0:30; empty: nothing", more=True, timed=True)
_FIRST = Asked("Is charged with the first turn", (("", "who played first"),), more=True)


@dataclass(frozen=True, slots=True)
class DirectorNoted:
    """A director's note of a matter that no other event covers, and its effect on the game.

    It may be entered under any rulebook. It changes only what it names.
    """

    what: Annotated[Matter, Asked("What happened, and what was decided")]
    """The matter and the decision, in words."""
    by: str
    why: str
    t_ns: int
    measure: Annotated[Measure, Asked("It is", _MEASURES)] = "note"
    side: Annotated[Side, Asked("To")] | None = None
    """The player it is about; null only for a note."""
    turn: Annotated[int, Asked("About", more=True)] = 0
    """The turn that it is about; 0 for none."""
    rule: str | None = None
    score: Annotated[Mapping[NamedSide, Change], _SCORE] = field(default_factory=dict)
    """Points added to scores, by side; taken off if below 0."""
    spread: Annotated[Mapping[NamedSide, Change], _SPREAD] = field(default_factory=dict)
    """Points on the spread alone, by side."""
    added_ns: Annotated[Mapping[NamedSide, Change], _TIME] = field(default_factory=dict)
    """Time added to clocks, by side; taken off if below 0."""
    turn_lost: Annotated[Side, Asked("Loses the turn", more=True)] | None = None
    """The player on turn who loses that turn, as by a pass."""
    first: Annotated[Side, _FIRST] | None = None
    """The player who is charged with the first turn, if not the one who played first."""
    rated: Annotated[bool, Asked("For ratings", _RATED, more=True)] | None = None
    """False if the game does not count for ratings; true if it does after all."""

    def fault(self) -> str:
        """Return the contradiction between the fields; empty if there is none."""
        nobody = self.measure != "note" and self.side is None
        return f"side: say who gets the {self.measure}" if nobody else ""

    FORM = Form(
        button="Note…",
        title="A note, and what follows from it",
        about="For what nothing else here foresees. Under More are its effects on the game; all of "
        "them are taken back with it.",
    )


@dataclass(frozen=True, slots=True)
class OvertimeErased:
    """The director erased a penalty for overtime that was forced or came after the end."""

    side: Annotated[Side, Asked("Whose")]
    by: str
    why: str
    t_ns: int
    points: Annotated[FromZero, Asked("Points", hint="empty: all of it")] = 0
    """The number of points erased; 0 for all of the penalty at ``t_ns``."""

    SAYS = "{side}'s penalty for overtime is erased"
    FORM = Form(
        button="Erase overtime…",
        title="Erase a penalty for overtime that was forced",
        rule="overtime_erased",
        earlier=False,
    )


_FROM_THE_START = (("0", "none: the game begins again"),)
_STARTING = Asked("Starting score", hint="only where it begins again")


@dataclass(frozen=True, slots=True)
class PositionRestored:
    """The game went back to an earlier position, or began again."""

    turn: Annotated[int, Asked("The last turn that stands", _FROM_THE_START)]
    """The last turn that stands; 0 for none. Later turns count as never made."""
    by: str
    why: str
    t_ns: int
    racks: Annotated[Mapping[NamedSide, str], TYPED, Asked("Rack", hint=_TILES)] = field(
        default_factory=dict
    )
    """The racks from then on, by side, if they are known."""
    scores: Annotated[Mapping[NamedSide, FromZero], _STARTING] = field(default_factory=dict)
    """For a game that begins again: the starting scores, by side."""

    FORM = Form(
        button="Earlier position…",
        title="The game goes back to an earlier position",
        about="Every turn after the one that is chosen counts as if it had never been.",
        rule="position_restored",
        earlier=False,
    )


@dataclass(frozen=True, slots=True)
class ScoreAgreed:
    """Both players agree on a score: of one turn, or a player's total so far."""

    turn: int
    """The turn whose score it is; 0 for the total of ``side`` at this moment."""
    side: Side
    points: int
    by: str
    why: str
    t_ns: int


@dataclass(frozen=True, slots=True)
class PublicationDecided(Remark):
    """A director decided how much of a game the public may see. The game itself goes on as before.

    The newest decision holds, also after the result was signed. A decision for the table is entered
    again in each later game there.
    """

    shown: Annotated[
        Shown,
        Asked(
            "The public may see",
            (
                ("all", "the whole game"),
                ("result", "the result alone"),
                ("nothing", "neither the moves nor the result"),
            ),
        ),
    ]
    by: str
    why: str
    t_ns: int
    holds: Annotated[
        ShownFor,
        Asked("For", (("game", "this game"), ("table", "this and all later games at this table"))),
    ] = "game"

    SAYS = "the public may see {shown}, for {holds}"
    FORM = Form(
        button="Public…",
        title="How much the public may see of this game",
        about="Players may refuse to be shown. Record and evidence are kept as ever. A game that "
        "is shown again is shown whole.",
        earlier=False,
    )


BY_DIRECTOR = (
    TurnParted
    | TurnInserted
    | TurnsJoined
    | PlaysAssigned
    | PlayAccepted
    | TilesFound
    | RackUnderdrawn
    | ClockStartedInError
    | DrawDelayed
    | Reported
    | DirectorNoted
    | OvertimeErased
    | PositionRestored
    | ScoreAgreed
    | PublicationDecided
)
