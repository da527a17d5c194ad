"""The verdict on a turn: its kind (by play and ruling), its score, its bonus and its penalty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from game.board import Square
from game.events import Ruling, Side
from game.plays.change import Change
from game.plays.play import Play
from game.plays.score import Score, WordScore, score_play, void_part
from game.referee.position import GameConfig, Kind, Position, Turn, TurnContext
from game.referee.turn_rulings import TurnRulings
from game.rulebooks.challenge import failed_bonus
from game.rulebooks.loading import Rulebook


class Verdict(NamedTuple):
    """The kind of a turn and what it scores."""

    kind: Kind
    fitting: Ruling | None
    """The ruling or inference that decided the kind; None if none fits."""
    score: Score
    points: int
    bonus: int
    penalty: int
    tainted: frozenset[Square]


def decide(
    position: Position,
    side: Side,
    change: Change,
    play: Play | None,
    rulings: TurnRulings,
    config: GameConfig,
    now: TurnContext,
    *,
    known: bool = True,
) -> Verdict:
    """Return what a turn counts as and what it scores.

    ``known`` is False if nobody saw whether tiles were played, or which.
    """
    book = config.rulebook
    ruling = rulings.ruling or now.inferred
    if ruling == now.inferred == "challenge_failed" and play is not None:
        ruling = rulings.ruling  # tiles were played: that turn was not lost
    kind, fitting = _kind(change, play, ruling)
    costs = rulings.costs_turn and book.challenge_failed == "lose_turn"
    if kind == "challenge_failed" and rulings.ruling is not None and not costs:
        # It stands. Without a change of the board nothing but an exchange can be challenged.
        kind = "exchange_or_pass" if change.disturbed else "exchange"
    late = _found_late(rulings, now, position, book)
    too_few = kind == "exchange" and left_for_exchange(position, side, book) < book.exchange_bag
    none_left = book.exchange_late_drawn and not position.bag
    if too_few and not late and (book.exchange_early_passes or none_left):
        kind = "pass"
    if is_void(play, rulings, now):
        kind = "no_score"
    if play is None and fitting is None and not known:
        kind = "not_known"
    elif play is None and fitting is None and (position.bag == 0 or now.passed):
        kind = "pass"  # an empty bag has nothing to exchange for, nor has who starts with a press
    score, tainted = Score((), 0), position.tainted
    if play is not None:
        score, tainted = score_turn(change, play, config, position.tainted)
    return Verdict(
        kind=kind,
        fitting=fitting,
        score=score,
        points=_points(kind, side, score, rulings),
        bonus=_challenge_points(kind, rulings, score, book),
        penalty=book.exchange_late_points if too_few and late else 0,
        tainted=tainted,
    )


def is_void(play: Play | None, rulings: TurnRulings, now: TurnContext) -> bool:
    """True if a play came after the end or in a lost turn, and nobody has ruled that it counts.

    A challenge that was in vain or withdrawn is about its words, and lets no such play count.
    """
    over = now.after_end is not None or now.lost
    return play is not None and over and rulings.ruling in _ON_WORDS


def _points(kind: Kind, side: Side, score: Score, rulings: TurnRulings) -> int:
    """Return what the turn scores: the points of its tiles, or those agreed on by both players.

    A score that was agreed on for the other player is none of a turn that has been parted since.
    """
    agreed = rulings.agreed
    if kind != "play":
        return 0
    return score.total if agreed is None or agreed.side != side else agreed.points


def score_turn(
    change: Change, play: Play, config: GameConfig, tainted: frozenset[Square]
) -> tuple[Score, frozenset[Square]]:
    """Return the score of a play, and the squares whose tiles make a word void from then on."""
    book = config.rulebook
    score = score_play(change.after, play, config.tile_set, book)
    if book.illegal_placement != "void":
        return score, tainted
    lost = void_part(change, play, tainted)
    words = tuple(
        WordScore(word.squares, word.text, 0) if word.squares in lost.words else word
        for word in score.words
    )
    return Score(words, 0 if lost.faulty else score.bingo), tainted | lost.squares


def fits(turn: Turn, ruling: Ruling) -> bool:
    """True if a ruling is possible for a turn, given what happened on the board."""
    if turn.open_tiles and ruling in _PLAYED:
        return True
    return turn.kind == "undone" or _kind_for(ruling, bool(turn.tiles), turn.disturbed) is not None


def says_played(ruling: Ruling | None) -> bool:
    """True if a ruling implies that the new tiles of a turn are its own play."""
    return ruling in _PLAYED


def left_for_exchange(position: Position, side: Side, book: Rulebook) -> int:
    """Return how many tiles the bag has for an exchange, as the rulebook counts them.

    Tiles that the player failed to draw may count as drawn (WESPA 2021 3.13.4(b)).
    """
    lacking = max(0, book.rack_tiles - position.racks[side]) if book.exchange_full_rack else 0
    return position.bag - lacking


def _found_late(rulings: TurnRulings, now: TurnContext, position: Position, book: Rulebook) -> bool:
    """True if an exchange with too few tiles in the bag was found after the opponent's next turn.

    An exchange that only the racks show is always found so late. One that somebody ruled was found
    late if a later turn had been seen then (NASPA IV.E.2.b), unless that turn was still held; and a
    play counts there only if a tile was drawn after it, which none is from an empty bag.
    """
    if rulings.ruled is None:
        return True
    answer = now.answer
    if answer is None or rulings.ruled_after < answer.number or answer.held:
        return False
    return not (book.exchange_late_drawn and answer.played and not position.bag)


def _challenge_points(kind: Kind, rulings: TurnRulings, score: Score, book: Rulebook) -> int:
    """Return the points for an unsuccessful challenge; below 0 if they come off the challenger.

    No more words count than the play forms.
    """
    ruled = rulings.ruled
    if kind != "play" or ruled is None or not rulings.costs_turn:
        return 0
    points = failed_bonus(book, min(ruled.count, len(score.words)))
    return points if book.challenge_failed_goes == "added" else -points


def _kind(change: Change, play: Play | None, ruling: Ruling | None) -> tuple[Kind, Ruling | None]:
    """Return the turn's kind, and the ruling if it fits the turn, else None."""
    kind = None if ruling is None else _kind_for(ruling, play is not None, change.disturbed)
    if kind is None:
        return ("exchange_or_pass" if play is None else "play"), None
    return kind, ruling


_ON_WORDS = (None, "challenge_failed", "challenge_withdrawn")
"""Rulings that leave a play as it is."""

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
_DISTURBED: Mapping[Ruling, Kind] = {
    **_NOT_PLAYED,
    "challenge_upheld": "challenge_upheld",
    "challenge_withdrawn": "exchange_or_pass",
    "taken_back": "taken_back",
}
"""Nothing was played, but earlier tiles were moved, removed or replaced."""


def _kind_for(ruling: Ruling, played: bool, disturbed: bool) -> Kind | None:
    kinds = _PLAYED if played else _DISTURBED if disturbed else _NOT_PLAYED
    return kinds.get(ruling)
