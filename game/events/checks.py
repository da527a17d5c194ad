"""What the values in an event can be, beyond their types and sizes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise

from game.board import (
    EMPTY,
    FACE_DOWN,
    SIZE,
    UNDESIGNATED,
    UNREADABLE,
    Board,
    Square,
    valid_symbol,
)
from game.errors import TilewatchError
from game.events.by_director import (
    DirectorNoted,
    OvertimeErased,
    PlaysAssigned,
    PositionRestored,
    RackUnderdrawn,
    Reported,
    TilesFound,
    TurnInserted,
    TurnParted,
)
from game.events.by_people import (
    BlankDesignated,
    LateStart,
    PlayersNamed,
    RackReported,
    SquareCorrected,
    TurnRuled,
    UnseenTimeCharged,
)
from game.events.limits import short
from game.events.observed import (
    ActionTaken,
    BoardSeen,
    ButtonPressed,
    GameStarted,
    PicturesDeleted,
    PicturesKept,
    PlayMade,
    SecondPlaySeen,
    TilesChanged,
    TimeUnseen,
    TurnSeen,
)
from game.flags import CODES
from game.flags_reported import REPORTABLE
from game.terms import SIDES

_HASH = re.compile("[0-9a-f]{64}")
_ROUNDING = 1e-6
"""By so much a probability may be off."""


def check_values(event: object) -> None:
    """Refuse what no camera or director can mean, at the door.

    Raises:
        TilewatchError: the line names the field.
    """
    if isinstance(event, ButtonPressed):
        return
    if isinstance(event, TurnSeen):
        _check_turn(event)
    elif isinstance(event, GameStarted):
        if set(event.players) != set(SIDES):
            raise TilewatchError("GameStarted.players: it needs the names of left and right")
        if event.rows is not None:
            Board.from_rows(event.rows)
    elif isinstance(event, TilesChanged | BoardSeen):
        _check_hashes(f"{type(event).__name__}.frames", event.frames.values())
        if len(event.rows) != SIZE:
            raise TilewatchError(f"{type(event).__name__}.rows: a board has {SIZE} rows")
        Board.from_rows(event.rows)
    elif isinstance(event, PicturesDeleted):
        _check_hashes("PicturesDeleted.pictures", event.pictures)
    elif isinstance(event, PicturesKept):
        _check_hashes("PicturesKept.pictures", (one.sha256 for one in event.pictures))
        _check_pictures(event)
    elif isinstance(event, PlayersNamed):
        if not event.players or not set(event.players) <= set(SIDES):
            raise TilewatchError("PlayersNamed.players: it needs the name of left, right or both")
        if not all(isinstance(n, str) and n.strip() for n in event.players.values()):
            raise TilewatchError("PlayersNamed.players: a name is at least one letter")
    elif isinstance(event, ActionTaken):
        _check_next_game(event.next_game or {})
    elif isinstance(event, BlankDesignated):
        Square.parse(event.square)
        if len(event.letter) != 1 or not event.letter.isalpha():
            raise TilewatchError(f"BlankDesignated.letter: {event.letter!r} is not a letter")
    elif isinstance(event, SquareCorrected):
        Square.parse(event.square)
        if not valid_symbol(event.symbol):
            raise TilewatchError(
                f"SquareCorrected.symbol: {event.symbol!r:.40} is not a symbol: it is a letter, in "
                f"lower case for a blank, or {UNDESIGNATED} for a blank without one, {EMPTY} for "
                f"nothing, {FACE_DOWN} for a tile face down, {UNREADABLE} for one that is not known"
            )
    elif isinstance(event, RackReported):
        if event.counted not in (None, len(event.tiles)):
            raise TilewatchError(
                f"RackReported.counted: {event.counted} tiles, but {len(event.tiles)} are named"
            )
    elif isinstance(event, TurnRuled):
        _check_ruling(event)
    elif isinstance(event, LateStart | TimeUnseen | UnseenTimeCharged):
        _check_time(event)
    else:
        _check_director(event)


def _check_next_game(next_game: Mapping[str, object]) -> None:
    players, announced = next_game.get("players", {}), next_game.get("announced", {})
    if not isinstance(players, Mapping) or not isinstance(announced, Mapping):
        raise TilewatchError("ActionTaken.next_game: players and announced are given by name")
    _check_sides("ActionTaken.next_game", players)
    if not all(isinstance(name, str) and name.strip() for name in players.values()):
        raise TilewatchError("ActionTaken.next_game: a name is at least one letter")


def _check_time(event: LateStart | TimeUnseen | UnseenTimeCharged) -> None:
    match event:
        case LateStart():
            _check_least("LateStart.lost_ns", event.lost_ns, 0)
        case UnseenTimeCharged():
            _check_least("UnseenTimeCharged.charged_ns", event.charged_ns, 0)
        case TimeUnseen():
            if event.t_ns < event.from_ns:
                raise TilewatchError("TimeUnseen.t_ns: it cannot have ended before it began")
            _check_least("TimeUnseen.passed_ns", event.passed_ns or 0, 0)


def _check_turn(event: TurnSeen) -> None:
    _check_hashes("TurnSeen.frames", event.frames.values())
    if not all(-_ROUNDING <= p <= 1 + _ROUNDING for p in event.confidence.values()):
        raise TilewatchError("TurnSeen.confidence: from 0 to 1")
    if len(event.rows) != SIZE:
        raise TilewatchError(f"TurnSeen.rows: a board has {SIZE} rows, not {len(event.rows)}")
    Board.from_rows(event.rows)
    for square in (*event.confidence, *(event.marked or ())):
        Square.parse(square)
    for lost in event.lost or ():
        _check_least("TurnSeen.lost.dropped", lost.dropped, 0)
        if lost.until_ns < lost.from_ns:
            raise TilewatchError("TurnSeen.lost: it ends before it begins")
    for reading in event.readings or ():
        for play in reading.plays:
            _check_tiles("TurnSeen.readings", play.tiles)
        if not 0 <= reading.earlier <= len(reading.plays):
            raise TilewatchError("TurnSeen.readings: more plays are earlier than there are")
    for finding in event.findings:
        if finding.square is not None:
            Square.parse(finding.square)
        if finding.code not in CODES:
            raise TilewatchError(f"TurnSeen.findings: unknown code {finding.code!r}")


def _check_pictures(event: PicturesKept) -> None:
    for picture in event.pictures:
        if picture.square is not None:
            Square.parse(picture.square)
        corners = picture.corners
        if corners is not None and [len(corner) for corner in corners] != [2] * 4:
            raise TilewatchError("PicturesKept.pictures: corners are four times x and y")


def _check_director(event: object) -> None:
    """The same for what only a director says."""
    match event:
        case TurnParted():
            for square in event.squares:
                Square.parse(square)
            if not event.squares:
                raise TilewatchError("TurnParted.squares: name the squares of the first turn")
        case TurnInserted() | SecondPlaySeen():
            _check_tiles(f"{type(event).__name__}.tiles", event.tiles)
        case PlaysAssigned():
            _check_plays(event.plays)
            _check_least("PlaysAssigned.turns", event.turns, 1)
        case TilesFound():
            _check_least("TilesFound.count", event.count, 1)
            _check_sides("TilesFound.racks", event.racks)
            if event.racks and len(event.racks) != len(SIDES):
                raise TilewatchError("TilesFound.racks: give both players' or neither's")
            if event.tiles and len(event.tiles) != event.count:
                raise TilewatchError(
                    f"TilesFound.tiles: {len(event.tiles)} tiles, but {event.count} were found"
                )
            for number in event.racks.values():
                _check_least("TilesFound.racks", number, 0)
        case RackUnderdrawn():
            _check_least("RackUnderdrawn.missing", event.missing, 1)
        case Reported() if event.what not in REPORTABLE:
            raise TilewatchError(f"Reported.what: {short(event.what)} is nothing that is reported")
        case DirectorNoted():
            _check_note(event)
        case OvertimeErased():
            _check_least("OvertimeErased.points", event.points, 0)
        case PositionRestored():
            _check_sides("PositionRestored.racks", event.racks)
            _check_sides("PositionRestored.scores", event.scores)
            for points in event.scores.values():
                _check_least("PositionRestored.scores", points, 0)


def _check_ruling(event: TurnRuled) -> None:
    challenge = event.ruling.startswith("challenge") or event.ruling == "taken_back"
    _check_least("TurnRuled.words", event.words, 0)
    for name in ("challenged_words", "ground", "verdict"):
        if getattr(event, name) is not None and not challenge:
            raise TilewatchError(f"TurnRuled.{name}: {event.ruling} is no challenge")
    if event.challenged_words is not None and not all(
        isinstance(one, str) and one for one in event.challenged_words
    ):
        raise TilewatchError("TurnRuled.challenged_words: name each word that was challenged")
    if event.challenged_words and event.words not in (0, len(event.challenged_words)):
        raise TilewatchError(
            f"TurnRuled.challenged_words: {len(event.challenged_words)} words are named, but "
            f"{event.words} are counted"
        )
    if event.ground == "placement" and event.count:
        raise TilewatchError("TurnRuled.words: a challenge of the placement is one of no words")
    if event.announced is not None:
        if event.ruling != "exchange":
            raise TilewatchError(f"TurnRuled.announced: {event.ruling} is no exchange")
        _check_least("TurnRuled.announced", event.announced, 1)


def _check_note(event: DirectorNoted) -> None:
    if not event.what.strip():
        raise TilewatchError("DirectorNoted.what: say what happened and what was decided")
    for name in ("score", "spread", "added_ns"):
        where, effect = f"DirectorNoted.{name}", getattr(event, name)
        _check_sides(where, effect)
        if not all(effect.values()):
            raise TilewatchError(f"{where}: 0 changes nothing; leave the player out")
    if event.measure != "note" and event.side is None:
        raise TilewatchError(f"DirectorNoted.side: say who gets the {event.measure}")


def _check_plays(plays: tuple[PlayMade, ...]) -> None:
    if not plays:
        raise TilewatchError("PlaysAssigned.plays: name at least one play")
    on_board: set[str] = set()
    for play in plays:
        _check_tiles("PlaysAssigned.plays", play.tiles)
        twice = on_board & play.tiles.keys()
        if twice:
            raise TilewatchError(f"PlaysAssigned.plays: two plays laid a tile on {min(twice)}")
        if not play.came_off:
            on_board |= play.tiles.keys()
    if any(later.ended_ns < play.ended_ns for play, later in pairwise(plays)):
        raise TilewatchError("PlaysAssigned.plays: each ended after the one before it")


def _check_tiles(where: str, tiles: Mapping[str, str]) -> None:
    for square, symbol in tiles.items():
        Square.parse(square)
        if not valid_symbol(symbol) or symbol == EMPTY:
            raise TilewatchError(f"{where}: {short(symbol)} is not a tile")


def _check_least(where: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise TilewatchError(f"{where}: {short(value)} is below {least}")


def _check_sides(where: str, given: Mapping[str, object]) -> None:
    if not set(given) <= set(SIDES):
        raise TilewatchError(f"{where}: a side is left or right")


def _check_hashes(where: str, hashes: Iterable[str]) -> None:
    for one in hashes:
        if not _HASH.fullmatch(one):
            raise TilewatchError(f"{where}: {short(one)} is not a SHA-256 in hex")
