"""One turn: from the board as known and as seen to what was played and scored.

:func:`take_turn` is one step of the fold in :mod:`game.state`. It is given everything that
was ever said about the turn (rulings, corrections, the letters of blanks), so that taking
it again after one more such event is all that an amendment needs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from game.board import EMPTY, UNREADABLE, Board, Square, is_tile
from game.change import Change, compare
from game.clock import overtime_flags
from game.events import Finding, Ruling, Side, TurnSeen
from game.flags import CODES, Flag, make_flag
from game.play import Play, faults, find_play
from game.rulebook import Rulebook
from game.score import Score, score_play
from game.tileset import TileSet

Kind = Literal[
    "play", "exchange_or_pass", "exchange", "pass", "challenge_upheld", "challenge_failed"
]
"""``exchange_or_pass``: nothing changed, and nobody has said which it was.
``challenge_upheld``: a play that was challenged and taken back.
``challenge_failed``: a turn lost by challenging a good play."""


@dataclass(frozen=True)
class Turn:
    """One turn as it stands after everything said about it so far."""

    number: int
    """From 1, in the order seen."""
    side: Side
    kind: Kind
    position: str | None
    """Where the play starts, as in GCG; None where nothing was played."""
    word: str | None
    """The main line as in GCG."""
    tiles: Mapping[str, str]
    """The tiles played, by square name."""
    score: int
    total: int
    """The player's running total after this turn, before anything at the end of the game."""
    press_ns: int
    flags: tuple[Flag, ...]
    words: tuple[tuple[str, int], ...]
    """Every word formed and its points; the letters are those on the board."""
    bingo: int
    """The bonus for a full rack, or 0."""
    ruling: Ruling | None
    """What somebody ruled, where it fits the turn."""
    clock_ns: int | None
    """What the player's clock showed after the turn."""
    bag_count: int
    """Tiles in the bag after the turn, by counting."""
    rack_count: int
    """Tiles on the player's rack after the turn, by counting."""
    before: Board
    after: Board
    seen: TurnSeen
    """What the camera read: kept whatever is ruled or corrected later."""
    rack: str | None = None
    """The player's rack before the turn, where it was reported."""


@dataclass(frozen=True)
class Tally:
    """Where a game stands between two turns."""

    board: Board
    bag: int
    racks: Mapping[Side, int]
    scores: Mapping[Side, int]
    turns: tuple[Turn, ...] = ()
    overrides: Mapping[Square, tuple[str, str]] = field(default_factory=dict)
    """Corrections that still hold, as (what the camera read, what lies there)."""
    withdrawn: Mapping[Square, str] = field(default_factory=dict)
    """Tiles of withdrawn plays that the camera has not yet seen gone."""
    reported: Mapping[Side, str] = field(default_factory=dict)
    """Racks reported since the player's last turn."""

    @classmethod
    def opening(cls, board: Board, tile_set: TileSet, rulebook: Rulebook) -> Tally:
        """Before the first turn."""
        rack = rulebook.rack_tiles
        bag = max(0, tile_set.total - len(board.symbols) - 2 * rack)
        return cls(board, bag, {"left": rack, "right": rack}, {"left": 0, "right": 0})

    def credit(self, side: Side, points: int) -> Tally:
        """The same with points added to one score."""
        return replace(self, scores={**self.scores, side: self.scores[side] + points})


@dataclass(frozen=True)
class Said:
    """What people have said about one turn, apart from the camera."""

    ruling: Ruling | None = None
    ruled_after: int = 0
    """How many turns had been seen when it was ruled."""
    symbols: Mapping[Square, str] = field(default_factory=dict)
    """What really lay on squares; the letters of blanks among them."""


@dataclass(frozen=True)
class Setting:
    """What does not change during a game."""

    players: Mapping[str, str]
    tile_set: TileSet
    rulebook: Rulebook


def take_turn(
    tally: Tally,
    seen: TurnSeen,
    *,
    clock_ns: int | None,
    said: Said,
    setting: Setting,
    late: bool,
    out_of_turn: str | None,
) -> Tally:
    """Add the turn that was seen.

    Args:
        tally: where the game stood before.
        seen: the camera's reading.
        clock_ns: what the player's clock showed after the turn.
        said: rulings and corrections about this turn.
        setting: players, tile set and rules.
        late: some withdrawal of an earlier turn was ruled only after this turn was seen, so
            that the withdrawn tiles may still lie there.
        out_of_turn: why this was not the player's turn, if it was not.
    """
    book = setting.rulebook
    sighting, overrides = _corrected(Board.from_rows(seen.rows), tally, said)
    sighting, withdrawn = _without_withdrawn(sighting, tally.withdrawn, late)
    change = compare(tally.board, sighting)
    play = find_play(change)
    flags = list(faults(change, play, setting.tile_set, book, tally.racks[seen.side]))
    if withdrawn:
        names = tuple(square.name for square in sorted(withdrawn))
        text = f"Tiles of a withdrawn play still lie on the board: {', '.join(names)}."
        flags.append(make_flag("withdrawn_left", text, names))
    flags += _findings(seen.findings, play, book)
    if out_of_turn is not None:
        flags.append(make_flag("changed_out_of_turn", out_of_turn, _changed(change)))
    if clock_ns is not None:
        flags += overtime_flags(setting.players[seen.side], clock_ns, book)
    if hint := _withdrawal(change, tally.turns):
        flags = [_with_hint(flag, hint) for flag in flags]

    kind, ruling = _kind(play, said.ruling)
    if said.ruling is not None and ruling is None:
        text = f"The ruling {said.ruling!r} does not fit turn {len(tally.turns) + 1} any more."
        flags.append(make_flag("ruling_ignored", text))
    if kind == "exchange" and tally.bag < book.exchange_bag:
        text = f"{tally.bag} tiles were in the bag; an exchange needs {book.exchange_bag}."
        flags.append(make_flag("exchange_too_late", text, rule=book.exchange_rule))
    score = Score((), 0)
    if play is not None:
        score = score_play(change.after, play, setting.tile_set, book)
    points = score.total if kind == "play" else 0
    board, rack, bag = change.after, tally.racks[seen.side], tally.bag
    if play is not None:
        if kind == "challenge_upheld":
            board = board.replace(dict.fromkeys(play.tiles, EMPTY))
            withdrawn = {**withdrawn, **play.tiles}
            # The tiles are about to go; what was said of them must not bring them back.
            lingers = said.ruled_after > len(tally.turns) + 1
            overrides = {
                square: pair
                for square, pair in overrides.items()
                if square not in play.tiles or (lingers and is_tile(pair[0]))
            }
        else:
            rack = max(0, rack - len(play.tiles))
            drawn = min(bag, book.rack_tiles - rack)
            rack, bag = rack + drawn, bag - drawn
    turn = Turn(
        number=len(tally.turns) + 1,
        side=seen.side,
        kind=kind,
        position=play.position if play else None,
        word=play.word if play else None,
        tiles={square.name: symbol for square, symbol in play.tiles.items()} if play else {},
        score=points,
        total=tally.scores[seen.side] + points,
        press_ns=seen.press_ns,
        flags=tuple(flags),
        words=tuple((word.text, word.points) for word in score.words),
        bingo=score.bingo,
        ruling=ruling,
        clock_ns=clock_ns,
        bag_count=bag,
        rack_count=rack,
        before=tally.board,
        after=board,
        seen=seen,
        rack=tally.reported.get(seen.side),
    )
    turns = (*tally.turns, turn)
    if flag := _scoreless(turns, book):
        turns = (*turns[:-1], replace(turn, flags=(*turn.flags, flag)))
    return replace(
        tally.credit(seen.side, points),
        board=board,
        bag=bag,
        racks={**tally.racks, seen.side: rack},
        turns=turns,
        overrides=overrides,
        withdrawn=withdrawn,
        reported={side: tiles for side, tiles in tally.reported.items() if side != seen.side},
    )


def fits(turn: Turn, ruling: Ruling) -> bool:
    """Whether a ruling can be made about a turn."""
    return _kind_for(bool(turn.tiles), ruling) is not None


def _kind(play: Play | None, ruling: Ruling | None) -> tuple[Kind, Ruling | None]:
    """The turn's kind, and the ruling if it fits."""
    kind = None if ruling is None else _kind_for(play is not None, ruling)
    if kind is None:
        return ("exchange_or_pass" if play is None else "play"), None
    return kind, ruling


def _kind_for(played: bool, ruling: Ruling) -> Kind | None:
    if played:
        kinds: dict[Ruling, Kind] = {
            "play": "play",
            "challenge_upheld": "challenge_upheld",
            "challenge_failed": "play",
        }
    else:
        kinds = {
            "play": "exchange_or_pass",
            "exchange": "exchange",
            "pass": "pass",
            "challenge_failed": "challenge_failed",
        }
    return kinds.get(ruling)


def _corrected(
    raw: Board, tally: Tally, said: Said
) -> tuple[Board, Mapping[Square, tuple[str, str]]]:
    """The reading with everything that people corrected, and the corrections that still hold.

    A correction holds for later turns too, for as long as the camera goes on reading there
    what it read then, or what was put in its place, or nothing that it is sure of.
    """
    if not tally.overrides and not said.symbols:
        return raw, tally.overrides
    overrides = {
        square: (was, symbol)
        for square, (was, symbol) in tally.overrides.items()
        if raw[square] in (was, symbol, UNREADABLE)
    }
    for square, symbol in said.symbols.items():
        overrides[square] = (raw[square], symbol)
    return raw.replace({square: symbol for square, (_, symbol) in overrides.items()}), overrides


def _without_withdrawn(
    sighting: Board, withdrawn: Mapping[Square, str], late: bool
) -> tuple[Board, dict[Square, str]]:
    """Leave out withdrawn tiles that the camera saw before anybody ruled them withdrawn."""
    if not late:
        return sighting, {}
    left = {square: tile for square, tile in withdrawn.items() if sighting[square] == tile}
    return sighting.replace(dict.fromkeys(left, EMPTY)), left


def _findings(findings: tuple[Finding, ...], play: Play | None, book: Rulebook) -> list[Flag]:
    """The camera's own findings as flags, one a code, with every square it names."""
    squares: dict[str, list[Square]] = {}
    details: dict[str, list[str]] = {}
    for finding in findings:
        at = squares.setdefault(finding.code, [])
        if finding.square is not None:
            at.append(Square.parse(finding.square))
        if finding.detail and finding.detail not in details.setdefault(finding.code, []):
            details[finding.code].append(finding.detail)
    turned = set(squares.get("misoriented_tile", ()))
    if play is not None and len(play.tiles) > 1 and turned.issuperset(play.tiles):
        squares.setdefault("misoriented_play", list(play.tiles))
        squares["misoriented_tile"] = sorted(turned.difference(play.tiles))
        if not squares["misoriented_tile"]:
            del squares["misoriented_tile"]
    rules = {
        "misoriented_tile": book.straighten_rule,
        "changed_after_press": book.after_press_rule,
    }
    flags = []
    for code, at in squares.items():
        names = tuple(square.name for square in sorted(set(at)))
        text = CODES[code].meaning.capitalize()
        if names:
            text += f": {', '.join(names)}"
        if details.get(code):
            text += f" ({'; '.join(details[code])})"
        flags.append(make_flag(code, f"{text}.", names, rules.get(code)))
    return flags


def _changed(change: Change) -> tuple[str, ...]:
    squares = {*change.placed, *change.removed, *change.replaced}
    squares.update(target for _, target in change.moved)
    return tuple(square.name for square in sorted(squares))


def _withdrawal(change: Change, turns: tuple[Turn, ...]) -> str:
    """A hint where exactly the tiles of the last play are gone: it may have been withdrawn."""
    if not turns or turns[-1].kind != "play" or not change.removed:
        return ""
    gone = {square.name for square in change.removed}
    if gone != set(turns[-1].tiles):
        return ""
    return f"They are those of turn {turns[-1].number}: was it withdrawn after a challenge?"


def _with_hint(flag: Flag, hint: str) -> Flag:
    return replace(flag, message=f"{flag.message} {hint}") if flag.code == "tile_removed" else flag


def scoreless_run(turns: tuple[Turn, ...], book: Rulebook) -> int:
    """How many of the last turns in a row scored nothing and count to the end of the game."""
    run = 0
    for turn in reversed(turns):
        if turn.score or turn.kind not in book.scoreless_kinds:
            break
        run += 1
    return run


def _scoreless(turns: tuple[Turn, ...], book: Rulebook) -> Flag | None:
    if not book.scoreless_turns or scoreless_run(turns, book) != book.scoreless_turns:
        return None
    names = tuple(f"turn {turn.number}" for turn in turns[-book.scoreless_turns :])
    text = f"{book.scoreless_turns} scoreless turns in a row end the game: {', '.join(names)}."
    return make_flag("six_zeros", text, rule=book.scoreless_rule)
