"""The JSON of a game: the one schema of its turns and of its position.

Views for each audience, the API and its OpenAPI document, ``tilewatch replay --json`` and the
signed statement of a bundle are all made of these classes. A shape takes each required field from
the attribute of the same name (:meth:`Shape.of`). An optional field is for some audiences only: it
is never taken from an object, but must be given by the code that knows the audience.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from game.terms import Side, StopReason
from game.tile_symbols import spelled

Audience: TypeAlias = Literal["public", "player", "broadcast", "director"]
"""Who reads. ``broadcast``: clients with a token, who put on a stream what the players at the table
must not see."""


class Shape(BaseModel):
    """Data for JSON with these fields and no others."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)

    @classmethod
    def fields(cls, source: object, **given: Any) -> dict[str, Any]:
        """Return ``given``, and the attribute of ``source`` for each other required field.

        A shape inside a shape is given as its fields, so that all are validated together.
        """
        taken = {name: getattr(source, name) for name in _required(cls) if name not in given}
        return {**taken, **given}

    @classmethod
    def of(cls, source: object, **given: Any) -> Self:
        """Return the shape of ``source``, made of its :meth:`fields`."""
        return cls.model_validate(cls.fields(source, **given))

    def as_json(self) -> dict[str, Any]:
        """Return the shape as JSON-able data, without optional fields that were not given."""
        return self.model_dump(exclude_unset=True)


@cache
def _required(shape: type[Shape]) -> tuple[str, ...]:
    return tuple(name for name, field in shape.model_fields.items() if field.is_required())


def optional(description: str | None = None) -> Any:
    """Declare a field that only some answers have; it is left out of the others."""
    return Field(
        default=None,
        description=description,
        json_schema_extra=lambda schema: schema.pop("default", None),
    )


_SQUARE = {"pattern": "^(1[0-5]|[1-9])[A-O]$", "description": "row and column, as 8H"}

Ns = Annotated[int, Field(description="nanoseconds on the table's monotonic base")]
Square = Annotated[str, Field(json_schema_extra=_SQUARE)]
Tiles = Annotated[dict[str, str], Field(json_schema_extra={"propertyNames": _SQUARE})]
Row = Annotated[str, Field(json_schema_extra={"minLength": 15, "maxLength": 15})]
Rows = Annotated[
    list[Row],
    Field(json_schema_extra={"minItems": 15, "maxItems": 15}, description="as in game.board"),
]


class Named(Shape):
    """An object of the game with a name."""

    id: str
    name: str


class Rules(Named):
    """The rulebook, and what the event announced in place of its own."""

    announced: Annotated[dict[str, Any], Field(description="settings by name, in the file's unit")]
    in_words: Annotated[str, Field(description="the same as people read it; empty for nothing")]


class Player(Shape):
    """One player."""

    name: str
    score: int


class Players(Shape):
    """Both players, by side."""

    left: Player
    right: Player


class Names(Shape):
    """The players' names."""

    left: str
    right: str


class Numbers(Shape):
    """A number for each side."""

    left: int
    right: int


BySide = Annotated[Numbers, BeforeValidator(dict)]


class TileSet(Named):
    """The set of tiles that is played with."""

    total: int
    values: Annotated[dict[str, int], Field(description="points by symbol")]
    spellings: Annotated[
        dict[str, str],
        Field(
            description="what people see of a symbol where that is not the symbol itself, as a"
            " tile that says CH; lower case for a blank"
        ),
    ]


class Clocks(Shape, from_attributes=False):
    """The clocks: the running side loses time since ``since_ns``."""

    running: Side | None
    since_ns: Annotated[Ns | None, Field(description="when remaining_ns held")]
    remaining_ns: BySide
    used_ns: Annotated[BySide, Field(description="the time that each player had used then")]
    withheld: bool = optional("true where which of them runs is not shown: they seem to stand")
    stopped_for: StopReason = optional(
        "why they stand, where somebody has said so; others than a director are told of a challenge"
    )


class OnSquare(Shape):
    """A square that is not empty: its symbol and value, and the turn that laid it."""

    symbol: str
    value: Annotated[int | None, Field(description="null where it is not known what lies there")]
    blank: bool
    turn: Annotated[int | None, Field(description="the turn that laid it")]


class Remedy(Shape):
    """One remedy for a flag, as ``game.adjudication.remedies`` offers it."""

    id: str
    text: str
    who: str
    side: Side | None
    until: str
    open: bool
    until_ns: Ns | None
    rule: str | None
    says: str
    event: dict[str, Any] | None
    asks: Annotated[list[str], Field(description="fields of the event still to be filled in")]


class StatedFlag(Shape):
    """A flag in a signed statement."""

    code: str
    squares: list[str]
    rule: str | None


class Flag(StatedFlag, from_attributes=False):
    """A departure from the rules, or something that the camera could not tell.

    The optional fields except ``announced`` are for the director.
    """

    label: str
    message: str
    announced: bool = optional("true if spectators are told of it")
    visibility: Literal["public", "opponent", "director"] = optional()
    settled: int | None = optional("number of the event that settled it")
    turn: int = optional("the turn that the answers are about, where that is an earlier one")
    remedies: list[Remedy] = optional("what can be done about it now")


class Word(Shape, from_attributes=False):
    """A word that a play formed."""

    symbols: Annotated[str, Field(description="what lies there, a symbol a square")]
    text: Annotated[str, Field(description="as people write it: a tile may say several letters")]
    points: int
    sum: str = optional("how it scores, tile by tile, as (Q10×3 + I1)×2; of a play that stands")


def _word(word: object) -> object:
    if isinstance(word, tuple):
        symbols, points = word
        return {"symbols": symbols, "text": spelled(symbols), "points": points}
    return word


class _PlayedTurn(Shape, from_attributes=False):
    number: Annotated[int, Field(json_schema_extra={"minimum": 1})]
    side: Side
    kind: str
    position: Annotated[str | None, Field(description="where the play starts, as in GCG")]
    word: Annotated[
        str | None, Field(description="the main line, a symbol a square, . for a tile before")
    ]
    tiles: Annotated[Tiles, Field(description="the tiles played, by square")]
    score: int
    total: int
    bingo: Annotated[
        int,
        Field(description="the bonus for a full rack, or 0; it counts where the kind is play"),
    ]


class LostPictures(Shape):
    """A stretch of time from which no picture was examined."""

    from_ns: Ns
    until_ns: Ns
    dropped: Annotated[int, Field(description="pictures of it for which the computer had no time")]


class StatedTurn(_PlayedTurn):
    """A turn in a signed statement."""

    words: list[tuple[str, int]]
    flags: list[StatedFlag]


class Turn(_PlayedTurn):
    """One turn."""

    words: list[Annotated[Word, BeforeValidator(_word)]]
    press_ms: int
    bag_count: Annotated[int, Field(description="tiles in the bag after it")]
    flags: list[Flag]
    clock_ns: Annotated[
        int | None, Field(description="what the player's clock showed at the end of it")
    ]
    used_ns: int = optional("the time that the player took for it, where a clock ran")
    corrected: bool = optional("true where somebody put the reading right, the score with it")
    checking: bool = optional("true while a tile of it is not read, or somebody is asked about it")
    phoney: bool = optional("whether a word of it is in no list, where that may be shown")
    rulings: list[str] = optional("what it can be ruled to be (director)")
    lost: list[LostPictures] = optional(
        "when pictures were lost in it, by the camera or this computer: no fault of the players"
    )
    open_tiles: dict[str, str] = optional(
        "tiles that came while nobody looked, and of which it is asked whose they are, by square"
    )


class Window(Shape):
    """A player's right that ends after some time."""

    right: str
    side: Side | None
    turn: int
    opens_ns: Ns
    least_ns: Ns | None
    closes_ns: Ns | None
    until: str
    rule: str | None


class Adjustment(Shape, from_attributes=False):
    """Points that are no play's score."""

    kind: str
    side: Side
    points: int
    total: int
    rule: str | None
    after_turn: int
    why: str
    tiles: str = optional("the rack that it is about, where that may be shown")


class Outcome(Shape):
    """The winner, and how the game was decided."""

    kind: str
    winner: Side | None
    margin: int | None
    rule: str | None
    loss: int | None
    basis: Annotated[
        str,
        Field(
            description='what the spread is and by which rule, to go on from "the spread is";'
            " empty where the scores alone decide"
        ),
    ]
    unrated: Annotated[
        str | None, Field(description="the rule by which the game does not count for ratings")
    ]


class _Position(Shape, from_attributes=False):
    """The position and the score of a game."""

    status: Literal["waiting", "running", "ended"]
    scores: BySide
    rows: Rows


def _by_name(letters: Mapping[Any, Any]) -> dict[str, Any]:
    return {getattr(square, "name", square): found for square, found in letters.items()}


Letters = Annotated[dict[str, list[str]], BeforeValidator(_by_name)]
"""The letters that the blank on each square may be; squares may be given as objects."""


class View(_Position):
    """A game as one audience may see it, complete in itself."""

    audience: Audience
    game_id: str
    end_reason: str | None
    outcome: Outcome | None
    settled: Annotated[bool, Field(description="somebody ended it: nothing will be undone")]
    final: Annotated[
        bool, Field(description="the scores are the result: racks and time are in them")
    ]
    no_result: Annotated[
        bool, Field(description="it ended without a result: it was broken off, or never begun")
    ]
    provisional: Annotated[
        bool,
        Field(description="final, but not signed, and an open question may still change it"),
    ]
    rulebook: Rules
    tile_set: TileSet
    players: Players
    on_turn: Side | None
    clocks: Annotated[Clocks | None, Field(description="null in a game without a clock")]
    bag_count: Annotated[int, Field(description="how many tiles, never which")]
    squares: Annotated[dict[str, OnSquare], Field(json_schema_extra={"propertyNames": _SQUARE})]
    last: Annotated[list[Square], Field(description="squares of the newest turn's tiles")]
    turns: list[Turn]
    windows: list[Window]
    adjustments: list[Adjustment]
    flags: Annotated[list[Flag], Field(description="what concerns the game, not one turn")]
    withheld: Literal["result", "nothing"] = optional(
        "how much is shown of a game that is not: then the rest of the view is empty"
    )
    unseen: dict[str, int] = optional("the tiles on no square, where that may be shown")
    suggestions: Letters = optional("letters that blanks may stand for (director)")


class Statement(_Position):
    """The result and the turns of a game, as a bundle's signature covers them."""

    players: Annotated[Names, BeforeValidator(dict)]
    end_reason: str | None
    signed: bool
    turns: list[StatedTurn]
    adjustments: list[Adjustment]


class Replay(_Position):
    """The output of ``tilewatch replay --json``."""

    game_id: str
    players: Annotated[Names, BeforeValidator(dict)]
    rulebook: str
    tile_set: str
    turns: list[Turn]
    flags: Annotated[list[Flag], Field(description="what concerns the game, not one turn")]
    gcg: str | None
    word_list: dict[str, str] | None
    suggestions: Letters
    ms: dict[str, Any]
