"""One turn: from the board as known and as seen to what was played and scored.

:func:`take_turn` is one step of the fold in :mod:`game.state.ledger`. It is given everything that
was ever said about the turn (rulings, corrections, the letters of blanks), so that taking
it again after one more such event is all that an amendment needs.
"""

from __future__ import annotations

from collections.abc import Mapping

from game.board import EMPTY, Board, Square, is_tile
from game.clock import overtime_flags
from game.events import Ruling, TurnSeen
from game.flags import make_flag
from game.plays.change import Change, compare
from game.plays.placement import comes_off, void
from game.plays.play import Play, faults, find_play
from game.plays.score import Score, score_play
from game.referee.corrected_sightings import (
    acts,
    corrected,
    displaced,
    played_anew,
    put_back,
    still_gone,
    without_withdrawn,
)
from game.referee.position import (
    UPHELD,
    GameConfig,
    Kind,
    Position,
    Turn,
    TurnContext,
    scoreless_run,
)
from game.referee.turn_flags import (
    after_withdrawal,
    by_stop,
    called_late,
    findings,
    merged,
    open_findings,
    out_of_turn,
    owner,
    scoreless,
)
from game.referee.turn_rulings import TurnRulings
from game.rulebooks.challenge import failed_bonus
from game.rulebooks.judging import infractions, infractions_flag, judge
from game.rulebooks.loading import Rulebook
from game.values import replace

__all__ = [
    "GameConfig",
    "Kind",
    "Position",
    "Turn",
    "TurnRulings",
    "fits",
    "scoreless_run",
    "take_turn",
]


def take_turn(
    position: Position, seen: TurnSeen, rulings: TurnRulings, config: GameConfig, now: TurnContext
) -> Position:
    """Add the turn that was seen."""
    if rulings.ruling == "undone":
        return _undone(position, seen, now)
    book = config.rulebook
    number = len(position.turns) + 1
    raw, overrides = corrected(Board.from_rows(seen.rows), position, rulings)
    sighting, withdrawn = without_withdrawn(raw, position, now.late)
    known = position.board.replace(put_back(position, sighting))
    change = compare(known, sighting)
    play = find_play(change)
    flags = list(faults(change, play, config.tile_set, book, position.racks[seen.side]))
    if withdrawn:
        names = tuple(square.name for square in sorted(withdrawn))
        left_by = owner(position.turns, names)
        flag = make_flag("withdrawn_left", names, variant="left", side=left_by)
        flags.append(judge(flag, book))
    elif anew := played_anew(position, sighting):
        left_by = owner(position.turns, anew)
        flag = make_flag("withdrawn_left", anew, variant="anew", side=left_by)
        flags.append(judge(flag, book))
    opening = not position.board.symbols
    found = findings(open_findings(seen.findings, rulings), play, book, opening=opening)
    flags = merged(flags, found)
    if whose := out_of_turn(position, seen, change, config, now):
        flags.append(judge(whose, book))
    if now.clock_ns is not None:
        flags += overtime_flags(config.players[seen.side], now.clock_ns, book)
    flags = after_withdrawal(flags, change, position.turns, book)

    ruling = rulings.ruling or now.inferred
    if ruling == now.inferred == "challenge_failed" and play is not None:
        ruling = rulings.ruling  # tiles were played: that turn was not lost
    kind, fitting = _kind(play, ruling)
    if play is None and fitting is None and position.bag == 0:
        kind = "pass"  # an empty bag has nothing to exchange for
    if rulings.ruling is not None and fitting is None:
        flags.append(make_flag("ruling_ignored", ruling=rulings.ruling, number=number))
    if kind == "exchange" and position.bag < book.exchange_bag:
        flag = make_flag("exchange_too_late", bag=position.bag, needed=book.exchange_bag)
        flags.append(judge(flag, book))
    penalty = _found_late(kind, number, rulings, position.bag, book)
    score, tainted = Score((), 0), position.tainted
    if play is not None:
        score, tainted = score_turn(change, play, config, position.tainted)
    points = score.total if kind == "play" else 0
    board, rack, bag = change.after, position.racks[seen.side], position.bag
    at_once = kind == "illegal_play" and rulings.ruled_after <= number
    if at_once:
        board = position.board  # noticed before anybody played on: everything goes back
    if play is not None and (kind in UPHELD or at_once):
        board = board.replace(dict.fromkeys(play.tiles, EMPTY))
        withdrawn = {**withdrawn, **play.tiles}
        tainted = position.tainted
        # The tiles are about to go; what was said of them must not bring them back.
        lingers = rulings.ruled_after > number
        overrides = {
            square: pair
            for square, pair in overrides.items()
            if square not in play.tiles or (lingers and is_tile(pair[0]))
        }
    elif play is not None:
        rack = max(0, rack - len(play.tiles))
        drawn = min(bag, book.rack_tiles - rack)
        rack, bag = rack + drawn, bag - drawn
    points_for_challenge = _challenge_points(kind, rulings, book)
    out = play is not None and bag == 0 and len(play.tiles) == position.racks[seen.side]
    if now.at_stop and kind == "play" and not out:
        flags += by_stop(number, tuple(play.tiles) if play else (), book)
    flags += called_late(seen, rulings, book, now, out=out)
    slips = [flag for flag in flags if not (opening and flag.code == "misoriented_play")]
    counted = position.infractions[seen.side] + infractions(
        slips, play.tiles if play is not None else {}, book
    )
    before = position.infractions[seen.side]
    if flag_ := infractions_flag(config.players[seen.side], before, counted, book):
        flags.append(flag_)
    turn = Turn(
        number=number,
        side=seen.side,
        kind=kind,
        position=play.position if play else None,
        word=play.word if play else None,
        tiles={square.name: symbol for square, symbol in play.tiles.items()} if play else {},
        score=points,
        total=position.scores[seen.side] + points,
        press_ns=seen.press_ns,
        flags=tuple(flags),
        words=tuple((word.text, word.points) for word in score.words),
        bingo=score.bingo,
        ruling=fitting,
        clock_ns=now.clock_ns,
        bag_count=bag,
        rack_count=rack,
        before=position.board,
        after=board,
        seen=seen,
        rack=position.reported.get(seen.side),
        bonus=points_for_challenge,
        penalty=penalty,
        exchanged=rulings.ruled.tiles if rulings.ruled is not None and kind == "exchange" else "",
        inferred=rulings.ruling is None and fitting is not None,
        illegal=tuple(play.tiles) if play is not None and kind == "illegal_play" else (),
    )
    turns = (*position.turns, turn)
    after = replace(
        position,
        scores={
            **position.scores,
            seen.side: position.scores[seen.side] + points + points_for_challenge - penalty,
        },
        board=board,
        bag=bag,
        racks={**position.racks, seen.side: rack},
        turns=turns,
        overrides=overrides,
        withdrawn=withdrawn,
        gone=still_gone(position, change, board),
        displaced=displaced(position.displaced, board, acts(change)),
        reported={side: tiles for side, tiles in position.reported.items() if side != seen.side},
        tainted=tainted,
        infractions={**position.infractions, seen.side: counted},
    )
    if now.found:
        after = _announced(after, now.found)
    if flag_ := scoreless(after.turns, book):
        last = after.turns[-1]
        after = replace(after, turns=(*after.turns[:-1], replace(last, flags=(*last.flags, flag_))))
    return after


def _undone(position: Position, seen: TurnSeen, now: TurnContext) -> Position:
    """The turn as if it had never been; it keeps its number and its sighting."""
    turn = Turn(
        number=len(position.turns) + 1,
        side=seen.side,
        kind="undone",
        position=None,
        word=None,
        tiles={},
        score=0,
        total=position.scores[seen.side],
        press_ns=seen.press_ns,
        flags=(),
        words=(),
        bingo=0,
        ruling="undone",
        clock_ns=now.clock_ns,
        bag_count=position.bag,
        rack_count=position.racks[seen.side],
        before=position.board,
        after=position.board,
        seen=seen,
    )
    after = replace(position, turns=(*position.turns, turn))
    return _announced(after, now.found) if now.found else after


def score_turn(
    change: Change, play: Play, config: GameConfig, tainted: frozenset[Square]
) -> tuple[Score, frozenset[Square]]:
    """What a play scores under the rulebook, and the tiles that void words from then on."""
    book = config.rulebook
    score = score_play(change.after, play, config.tile_set, book)
    if book.illegal_placement != "void":
        return score, tainted
    lost = void(change, play, tainted)
    words = tuple(
        replace(word, points=0) if word.squares in lost.words else word for word in score.words
    )
    return Score(words, 0 if lost.faulty else score.bingo), tainted | lost.squares


def _announced(position: Position, found: tuple[tuple[int, bool], ...]) -> Position:
    """Take off the tiles of illegal plays that were announced after the last turn."""
    for number, known in found:
        play = position.turns[number - 1]
        squares = [Square.parse(name) for name in play.tiles]
        own = set(squares)
        again = any(
            turn.side == play.side and turn.kind == "play" for turn in position.turns[number:]
        )
        if known and not again:
            anchors = set(play.before.tiles())
        else:
            illegal = {square for turn in position.turns for square in turn.illegal}
            anchors = set(position.board.tiles()) - illegal - own
        off = comes_off(position.board, own, anchors)
        position = replace(
            position,
            board=position.board.replace(dict.fromkeys(off, EMPTY)),
            bag=position.bag + len(off),
            withdrawn={**position.withdrawn, **{s: position.board[s] for s in off}},
        )
        last = position.turns[-1]
        left = last.left_board or last.after
        last = replace(last, after=position.board, left_board=left, bag_count=position.bag)
        position = replace(position, turns=(*position.turns[:-1], last))
    return position


def _found_late(kind: Kind, number: int, rulings: TurnRulings, bag: int, book: Rulebook) -> int:
    """Points off for an exchange with too few tiles that came out after the opponent's turn.

    One that the racks told came out so late; of one that somebody ruled it is told by how many
    turns had been seen (NASPA IV.E.2.b).
    """
    if kind != "exchange" or bag >= book.exchange_bag:
        return 0
    late = rulings.ruled is None or rulings.ruled_after > number
    return book.exchange_late_points if late else 0


def _challenge_points(kind: Kind, rulings: TurnRulings, book: Rulebook) -> int:
    """Points for a play that was challenged in vain."""
    ruled = rulings.ruled
    if kind != "play" or ruled is None or ruled.ruling != "challenge_failed":
        return 0
    return failed_bonus(book, ruled.words)


def fits(turn: Turn, ruling: Ruling) -> bool:
    """Whether a ruling can be made about a turn."""
    return turn.kind == "undone" or _kind_for(bool(turn.tiles), ruling) is not None


def _kind(play: Play | None, ruling: Ruling | None) -> tuple[Kind, Ruling | None]:
    """The turn's kind, and the ruling if it fits."""
    kind = None if ruling is None else _kind_for(play is not None, ruling)
    if kind is None:
        return ("exchange_or_pass" if play is None else "play"), None
    return kind, ruling


_PLAYED: Mapping[Ruling, Kind] = {
    "play": "play",
    "challenge_upheld": "challenge_upheld",
    "challenge_failed": "play",
    "challenge_withdrawn": "play",
    "illegal_play": "illegal_play",
    "illegal_play_unknown": "play",
    "taken_back": "taken_back",
    "no_score": "no_score",
    "undone": "undone",
}
_NOT_PLAYED: Mapping[Ruling, Kind] = {
    "play": "exchange_or_pass",
    "exchange": "exchange",
    "pass": "pass",
    "challenge_failed": "challenge_failed",
    "illegal_play": "illegal_play",
    "undone": "undone",
}


def _kind_for(played: bool, ruling: Ruling) -> Kind | None:
    return (_PLAYED if played else _NOT_PLAYED).get(ruling)
