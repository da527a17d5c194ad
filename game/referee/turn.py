"""One turn: compare the known board with the sighting, and find what was played and scored.

:func:`take_turn` is one step of the fold in :mod:`game.state.ledger`. It gets every ruling and
correction of the turn, the letters of blanks among them. After an amendment it is called again with
one more of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from game.board import EMPTY, Board, Square, is_tile
from game.clock import overtime_flags
from game.events import Side, TurnSeen, other
from game.flags import Flag, make_flag
from game.plays.change import Change, chained, compare
from game.plays.faults import faults
from game.plays.play import Play, find_play, misplaced
from game.referee.corrected_sightings import (
    Corrected,
    acts,
    displaced,
    holes_filled,
    known_board,
    played_anew,
    still_gone,
    without_earlier_questions,
    without_withdrawn,
)
from game.referee.game_over import scoreless_run
from game.referee.position import (
    UPHELD,
    GameConfig,
    Kind,
    Position,
    Turn,
    TurnContext,
    played_before,
    unseen,
    unseen_before,
)
from game.referee.turn_flags import (
    after_withdrawal,
    asked_in_words,
    by_stop,
    called_late,
    findings,
    held_long,
    in_holes,
    merged,
    not_pressed,
    open_findings,
    out_of_turn,
    owner,
    played_among,
    played_unseen,
    scoreless,
    taken_back_late,
)
from game.referee.turn_rulings import TurnRulings
from game.referee.verdict import Verdict, decide, is_void, left_for_exchange, says_played
from game.rulebooks.judging import infractions, infractions_flag, judge
from game.rulebooks.loading import Rulebook
from game.tile_symbols import printed
from game.values import replace

__all__ = [
    "GameConfig",
    "Kind",
    "Position",
    "Turn",
    "TurnRulings",
    "scoreless_run",
    "take_turn",
]


class _Observed(NamedTuple):
    """A sighting compared with the known board."""

    change: Change
    play: Play | None
    overrides: Mapping[Square, tuple[str, str]]
    """Corrections that still hold."""
    withdrawn: Mapping[Square, str]
    """Tiles of a withdrawn play that are still on the board."""
    anew: tuple[str, ...]
    """Squares where a tile of a withdrawn play counts as played again."""
    open_tiles: Mapping[Square, str]
    """New tiles that came while nobody looked and cannot be one turn's play; they count as no
    play."""

    @property
    def placed(self) -> Mapping[Square, str]:
        """The tiles of the play; none if nothing was played."""
        return {} if self.play is None else self.play.tiles


class _Left(NamedTuple):
    """The board, bag and rack after the turn, and what is known of single squares."""

    board: Board
    bag: int
    rack: int
    overrides: Mapping[Square, tuple[str, str]]
    withdrawn: Mapping[Square, str]
    tainted: frozenset[Square]
    at_once: bool
    """True if an illegal play was noticed before anybody played on."""


def take_turn(
    position: Position,
    seen: TurnSeen,
    read: Corrected,
    rulings: TurnRulings,
    config: GameConfig,
    now: TurnContext,
) -> Position:
    """Return the position with the turn in ``seen`` added; ``read`` is its board, corrected."""
    if (rulings.ruling or now.inferred) == "undone":
        return _undone(position, seen, now, inferred=rulings.ruling is None)
    book = config.rulebook
    observed = _observed(position, seen, read, rulings, now, book)
    nothing = observed.play is None and not observed.open_tiles
    among = played_before(position, seen) if nothing else None
    known = observed.play is not None or not (
        observed.open_tiles or unseen(seen) or among is not None
    )
    change, play = observed.change, observed.play
    verdict = decide(position, seen.side, change, play, rulings, config, now, known=known)
    left = _left(position, seen, observed, verdict, rulings, book, now)
    now = _clocked(now, left, verdict)
    flags = _board_flags(position, seen, observed, rulings, config, now)
    flags += taken_back_late(flags, rulings, book, now)
    flags += _ruling_flags(position, seen, observed, verdict, rulings, book, now, left.bag)
    if observed.open_tiles:
        flags.append(played_unseen(position, observed.open_tiles))
    elif verdict.kind == "not_known" and among is not None:
        flags.append(played_among(position, among))
    before = position.infractions[seen.side]
    counted = before + _infractions(position, flags, observed, book)
    if slip := infractions_flag(config.players[seen.side], before, counted, book):
        flags.append(slip)
    turn = _turn(position, seen, observed, verdict, left, rulings, now, tuple(flags))
    reported = position.reported  # what was shown at the end stays so
    if now.after_end is None:
        reported = {side: tiles for side, tiles in reported.items() if side != seen.side}
    scores = {**position.scores, seen.side: turn.total - verdict.penalty}
    paid = seen.side if verdict.bonus > 0 else other(seen.side)
    scores[paid] += verdict.bonus
    after = replace(
        position,
        scores=scores,
        board=left.board,
        bag=left.bag,
        racks={**position.racks, seen.side: left.rack},
        turns=(*position.turns, turn),
        overrides=left.overrides,
        withdrawn=left.withdrawn,
        lingering=frozenset(observed.withdrawn),
        gone=still_gone(position, observed.change, left.board),
        displaced=displaced(position.displaced, left.board, acts(observed.change)),
        reported=reported,
        tainted=left.tainted,
        infractions={**position.infractions, seen.side: counted},
    )
    if now.found:
        after = _announced(after, now.found)
    six = scoreless(after.turns, book)
    return after if six is None else after.with_flag(six)


def _clocked(now: TurnContext, left: _Left, verdict: Verdict) -> TurnContext:
    """Return ``now``; if the player is out, with the clock time at which the rack was shown."""
    out = not left.rack and not left.bag and verdict.kind in ("play", "no_score")
    if not out or now.shown_clock_ns is None:
        return now
    return now.as_shown()


def _observed(
    position: Position,
    seen: TurnSeen,
    read: Corrected,
    rulings: TurnRulings,
    now: TurnContext,
    book: Rulebook,
) -> _Observed:
    """Return the sighting, with its corrections, compared with the known board."""
    sighting, withdrawn = without_withdrawn(read.board, position, rulings, now.late)
    known = known_board(position, sighting)
    known = known.replace(holes_filled(position, known, sighting, rulings))
    change = compare(known, sighting, position.racks[seen.side])
    change = without_earlier_questions(change, position)
    anew = played_anew(position, sighting)
    play, open_tiles = find_play(change), dict[Square, str]()
    if play is not None and _is_open(position, seen, change, play, rulings, book):
        open_tiles, play = dict(play.tiles), None
    return _Observed(change, play, read.overrides, withdrawn, anew, open_tiles)


def _is_open(
    position: Position,
    seen: TurnSeen,
    change: Change,
    play: Play,
    rulings: TurnRulings,
    book: Rulebook,
) -> bool:
    """True if new tiles came while nobody looked, and cannot all be this turn's play."""
    looked = not seen.lost and not unseen_before(position)
    if looked or seen.lost is None or says_played(rulings.ruling):
        return False
    most = min(position.racks[seen.side], book.rack_tiles)
    return len(play.tiles) > most or misplaced(change, play)


def _left(
    position: Position,
    seen: TurnSeen,
    observed: _Observed,
    verdict: Verdict,
    rulings: TurnRulings,
    book: Rulebook,
    now: TurnContext,
) -> _Left:
    """Return the board, the bag and the rack after the turn."""
    play, kind, number = observed.play, verdict.kind, len(position.turns) + 1
    rack, bag = position.racks[seen.side], position.bag
    answered = now.answer is not None and now.answer.number <= rulings.ruled_after
    at_once = not answered and (kind == "illegal_play" or (play is None and kind in UPHELD))
    # Noticed before anybody played on, an illegal play goes back with everything else. So does
    # what a turn without a play did to earlier tiles.
    board = position.board if at_once else observed.change.after
    overrides, withdrawn, tainted = observed.overrides, observed.withdrawn, verdict.tainted
    came = 0 if observed.open_tiles else observed.change.tiles_added
    if play is not None and (kind in UPHELD or at_once):
        board = board.replace(dict.fromkeys(play.tiles, EMPTY))
        withdrawn = {**withdrawn, **play.tiles}
        tainted = position.tainted
        # The tiles are about to go; corrections of them must not bring them back.
        lingers = rulings.ruled_after > number
        overrides = {
            square: pair
            for square, pair in overrides.items()
            if square not in play.tiles or (lingers and is_tile(pair[0]))
        }
    elif came and not at_once and not is_void(play, rulings, now):
        bag -= min(bag, max(0, came - rack))  # more than counted: they were drawn
        rack = max(0, rack - came)
        drawn = min(bag, book.rack_tiles - rack)
        rack, bag = rack + drawn, bag - drawn
    # Whoever laid tiles that nobody saw has drawn as many.
    bag -= min(bag, len(observed.open_tiles))
    return _Left(board, bag, rack, overrides, withdrawn, tainted, at_once)


def _board_flags(
    position: Position,
    seen: TurnSeen,
    observed: _Observed,
    rulings: TurnRulings,
    config: GameConfig,
    now: TurnContext,
) -> list[Flag]:
    """Return the flags for what the camera saw, for overtime, and for a turn out of order."""
    change, play, book = observed.change, observed.play, config.rulebook
    flags = list(faults(change, play, config.tile_set, book, position.racks[seen.side]))
    flags = in_holes(flags, position, change, book)
    flags += _withdrawn_left(position, observed, config, now, seen.side)
    opening = not position.board.symbols
    noted = open_findings(seen.findings, rulings)
    found = findings(noted, play, book, opening=opening)
    found = asked_in_words(found, position, seen, config.players)
    flags = merged(flags, found, noted)
    if whose := out_of_turn(position, seen, change, config, now):
        whose = judge(whose, book, now.after_end or "")
        if now.after_end == "by_word" and config.over_since is not None:
            whose = replace(whose, rule=config.over_since[1])
        flags.append(replace(whose, rule=book.rule("challenge.failed")) if now.lost else whose)
    if now.clock_ns is not None:
        before_ns = config.before_play_ns.get(seen.side, 0)
        flags += overtime_flags(config.players[seen.side], now.clock_ns, book, before_ns)
    return after_withdrawal(flags, change, position.turns, book)


def _withdrawn_left(
    position: Position, observed: _Observed, config: GameConfig, now: TurnContext, player: Side
) -> list[Flag]:
    """Return the flags for tiles of withdrawn plays that lie there still, or count as played."""
    if not observed.withdrawn and not observed.anew:
        return []
    flags = []
    by_right = {name for number in now.late for name in position.turns[number - 1].tiles}
    still = tuple(s.name for s in sorted(observed.withdrawn) if s.name not in by_right)
    for variant, names in (("left", still), ("anew", observed.anew)):
        if names:
            side = owner(position.turns, names)
            mine, theirs = config.players[player], config.players[side or player]
            flag = make_flag(
                "withdrawn_left", names, variant=variant, side=side, player=mine, owner=theirs
            )
            flags.append(judge(flag, config.rulebook))
    return flags


def _ruling_flags(
    position: Position,
    seen: TurnSeen,
    observed: _Observed,
    verdict: Verdict,
    rulings: TurnRulings,
    book: Rulebook,
    now: TurnContext,
    bag: int,
) -> list[Flag]:
    """Return the flags for the ruling on the turn, and for how the turn ended.

    ``bag`` is the number of tiles in the bag after the turn.
    """
    flags, number, kind = [], len(position.turns) + 1, verdict.kind
    if rulings.ruling is not None and verdict.fitting is None:
        flags.append(
            make_flag("ruling_ignored", variant="ruling", ruling=rulings.ruling, number=number)
        )
    formed = len(verdict.score.words)
    by_word = book.challenge_failed == "points" and book.challenge_failed_per == "word"
    if by_word and kind == "play" and rulings.ruled is not None and rulings.ruled.count > formed:
        asked = rulings.ruled.count
        flags.append(
            make_flag("ruling_ignored", variant="words", asked=asked, number=number, formed=formed)
        )
    count = left_for_exchange(position, seen.side, book)
    if verdict.fitting == "exchange" and count < book.exchange_bag:
        short = count < position.bag  # the player had failed to draw (WESPA 2021 3.13.4)
        flag = make_flag(
            "exchange_too_late",
            variant="full_rack" if short else "too_few",
            bag=position.bag,
            left=count,
            needed=book.exchange_bag,
        )
        flags.append(judge(flag, book, "full_rack" if short else ""))
    if kind == "play" and position.tainted:
        lost = [
            printed(w.text) for w in verdict.score.words if position.tainted.intersection(w.squares)
        ]
        if lost:
            flags.append(judge(make_flag("void_word", words=", ".join(lost)), book))
    tiles = tuple(observed.placed)
    out = bool(tiles) and bag == 0 and len(tiles) == position.racks[seen.side]
    if now.at_stop and kind == "play" and not out:
        flags += by_stop(number, tiles, book)
    flags += not_pressed(number, now, book)
    if kind == "play" and verdict.points != verdict.score.total:
        made, rule = verdict.score.total, book.event_rule("score_agreed")
        flags.append(
            make_flag("score_agreed", rule=rule, number=number, points=verdict.points, made=made)
        )
    flags += called_late(seen, rulings, book, now, out=out)
    return flags + held_long(rulings, book, now, out=out)


def _infractions(position: Position, flags: list[Flag], observed: _Observed, book: Rulebook) -> int:
    """Return the number of minor infractions; a turned opening play is not one (III.G.2)."""
    if not flags:
        return 0
    opening = not position.board.symbols
    slips = [flag for flag in flags if not (opening and flag.code.startswith("misoriented"))]
    return infractions(slips, observed.placed, book)


def _turn(
    position: Position,
    seen: TurnSeen,
    observed: _Observed,
    verdict: Verdict,
    left: _Left,
    rulings: TurnRulings,
    now: TurnContext,
    flags: tuple[Flag, ...],
) -> Turn:
    play, kind, ruled = observed.play, verdict.kind, rulings.ruled
    return Turn(
        number=len(position.turns) + 1,
        side=seen.side,
        kind=kind,
        position=play.position if play else None,
        word=play.word if play else None,
        tiles={square.name: symbol for square, symbol in observed.placed.items()},
        score=verdict.points,
        total=position.scores[seen.side] + verdict.points,
        press_ns=seen.press_ns,
        flags=flags,
        words=tuple([(word.text, word.points) for word in verdict.score.words]),
        bingo=verdict.score.bingo,
        ruling=verdict.fitting,
        clock_ns=now.clock_ns,
        bag_count=left.bag,
        rack_count=left.rack,
        before=position.board,
        after=left.board,
        seen=seen,
        rack=position.reported.get(seen.side),
        bonus=verdict.bonus,
        penalty=verdict.penalty,
        exchanged=ruled.tiles if ruled is not None and kind == "exchange" else "",
        inferred=rulings.ruling is None and verdict.fitting is not None,
        illegal=tuple(observed.placed) if kind == "illegal_play" else (),
        made_on=observed.change.after if left.at_once and play else None,
        open_tiles={square.name: symbol for square, symbol in observed.open_tiles.items()},
        disturbed=observed.change.disturbed,
    )


def _undone(position: Position, seen: TurnSeen, now: TurnContext, *, inferred: bool) -> Position:
    """Return the position with a turn that has no effect; its number and sighting are kept."""
    flags: tuple[Flag, ...] = ()
    if inferred and now.given_back is not None and (play := position.last) is not None:
        flags = (make_flag("clock_given_back", rule=now.given_back, turn=play.number),)
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
        flags=flags,
        words=(),
        bingo=0,
        ruling="undone",
        clock_ns=now.clock_ns,
        bag_count=position.bag,
        rack_count=position.racks[seen.side],
        before=position.board,
        after=position.board,
        seen=seen,
        inferred=inferred,
    )
    after = replace(position, turns=(*position.turns, turn))
    return _announced(after, now.found) if now.found else after


def _announced(position: Position, found: tuple[tuple[int, bool], ...]) -> Position:
    """Return the position without the tiles of illegal plays announced after the last turn.

    ``found`` has the number of each such play, and True if it is known who made it. If that player
    has not played again, tiles of the play stay that are connected to the tiles before it (NASPA
    III.G.5 item 4). Otherwise tiles stay that are connected to any legally played tile (items 5 and
    6).
    """
    for number, known in found:
        play, lying = position.turns[number - 1], position.board.tiles()
        own = set(map(Square.parse, play.tiles))
        again = any(
            turn.side == play.side and turn.kind == "play" for turn in position.turns[number:]
        )
        if known and not again:
            anchors = set(play.before.tiles())
        else:
            illegal = {square for turn in position.turns for square in turn.illegal}
            anchors = lying.keys() - illegal - own
        off = sorted((own & lying.keys()) - chained(anchors & lying.keys(), lying))
        board = position.board.replace(dict.fromkeys(off, EMPTY))
        last = position.turns[-1]
        bag, left = position.bag + len(off), last.left_board or last.after
        last = replace(last, after=board, left_board=left, bag_count=bag)
        position = replace(
            position,
            board=board,
            bag=bag,
            withdrawn={**position.withdrawn, **{square: lying[square] for square in off}},
            turns=(*position.turns[:-1], last),
        )
    return position
