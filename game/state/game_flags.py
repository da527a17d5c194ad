"""Flags about a game rather than one turn: late starts, stops, challenges that bind."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from game.board import UNDESIGNATED, Square, is_blank
from game.clock import duration, overtime_flags, seconds, shown
from game.events import SIDES, ChallengeBonus, EndReason, Event, PlayMade, TilesFound
from game.flags import Flag, make_flag
from game.guidance import CALL_DIRECTOR
from game.plays.change import compare
from game.plays.play import find_play
from game.referee.game_over import end_reason
from game.referee.plays_in_words import in_words
from game.referee.position import Turn
from game.referee.turn_rulings import TurnRulings
from game.rulebooks.judging import judge
from game.rulebooks.loading import SECOND, Rulebook
from game.state.game_state import GameState
from game.state.ledger import Limit
from game.state.reports import reported_flags
from game.state.settlement import UNFINISHED
from game.state.timed_rights import acceptance
from game.terms import STOP_REASONS
from game.tileset import TileSet
from game.values import replace

_TOLD = (*UNFINISHED, EndReason.SHORTENED, EndReason.OUT, EndReason.SIX_ZEROS)
"""Ends that say by themselves whether the last play was made, or ask about it otherwise."""

Ruled = Sequence[tuple[int, TurnRulings]]
"""The turns that somebody ruled on, by number, with all rulings on each."""


def always_due(state: GameState) -> tuple[Flag, ...]:
    """Return the flags that do not depend on whether the game is over."""
    ruled = [one for one in sorted(state.ledger.rulings.items()) if one[1].ruled is not None]
    return (
        *late_flags(state),
        *unlisted(state),
        *reopened_unlisted(state),
        *binding(state, ruled),
        *late_challenges(state, ruled),
        *uncounted(state, ruled),
        *not_formed(state, ruled),
        *overdrawn(state),
        *reported_flags(state),
        *restarted_early(state),
        *press_forgotten(state),
        *seats(state),
        *unseen_time(state).values(),
    )


def late_flags(state: GameState) -> tuple[Flag, ...]:
    """Return the flags for late starts, with the time left and the remedies."""
    if not state.progress.late_ns:
        return ()
    flags = []
    book = state.rulebook
    for side in SIDES:
        lost = state.progress.late_ns.get(side, 0)
        if lost:
            left = book.clock_ns - lost
            over = book.late_lost and left <= (0 if book.late_expires == "at" else -SECOND)
            flag = make_flag(
                "late_start",
                variant="lost" if over else "late",
                side=side,
                player=state.players[side],
                left=shown(left),
            )
            both = "both" if all(state.progress.late_ns.get(one) for one in SIDES) else ""
            flag = judge(flag, book, "lost" if over else both)
            gone = "none" if over else "forfeit" if left >= book.late_option_ns else ""
            kept = tuple(r for r in flag.remedies if r.action != gone)
            flag = replace(flag, remedies=kept)
            flags.append(flag)
    return tuple(flags)


def limit_flags(state: GameState, limit: Limit, flags: tuple[Flag, ...]) -> tuple[Flag, ...]:
    """Return the flag for an exceeded overtime limit, unless ``flags`` has one for this player."""
    if any(flag.code == "overtime_limit" and flag.side == limit.side for flag in flags):
        return ()
    name, left = state.players[limit.side], limit.clocks_ns[limit.side]
    before_ns = state.before_play_ns.get(limit.side, 0)
    return tuple(
        replace(flag, side=limit.side)
        for flag in overtime_flags(name, left, state.rulebook, before_ns)
        if flag.code == "overtime_limit"
    )


def standing(state: GameState) -> tuple[Flag, ...]:
    """Return the question why the clock was stopped; empty if it was not, or the reason is known.

    A challenge that was ruled on since the stop is a known reason, too. A stop that ended a turn
    may have been explained before the turn was seen.
    """
    ledger, stopped_ns = state.ledger, state.progress.stopped_ns
    turns = ledger.position.turns
    turn = len(turns)
    if stopped_ns is None or ledger.rulings_for(turn).reason_for(stopped_ns) is not None:
        return ()
    ended = turn and turns[-1].press_ns == stopped_ns
    if ended and ledger.rulings_for(turn - 1).reason_at(stopped_ns) is not None:
        return ()
    if any(rulings.challenge_since(stopped_ns) for rulings in ledger.rulings.values()):
        return ()
    flag = make_flag("clock_stopped", variant="after" if turn else "before", turn=turn)
    return (judge(flag, state.rulebook),)


def stood_at_end(state: GameState) -> tuple[Flag, ...]:
    """Return the question whether a last play was made by the stop of the clock before the end.

    By count such a play can leave tiles in the bag, or on the rack, that nobody has (WESPA 2021
    4.6), and then no turn shows it.
    """
    ended, position, book = state.progress.ended, state.position, state.rulebook
    if ended is None or ended.reason in _TOLD or position.bag >= book.rack_tiles:
        return ()
    if end_reason(position, state.config, stopped=True) is not None or state.on_turn is None:
        return ()
    turn, player = len(position.turns), state.players[state.on_turn]
    return tuple(
        judge(make_flag("clock_stopped", variant="ended", turn=turn, player=player), book)
        for _ in standing(state)
    )


def press_forgotten(state: GameState) -> tuple[Flag, ...]:
    """Return the question whether a play was a turn if the next one followed without a press."""
    seen = state.progress.second_play
    if seen is None or state.progress.settled or seen.side != state.on_turn:
        return ()
    # In the order of the board: a log that is read back has the names sorted as texts.
    squares = tuple(sorted(seen.tiles, key=Square.parse))
    plays = (PlayMade(seen.side, seen.tiles, seen.ended_ns),)
    play = in_words(plays, state.position.board, state.players, whole=False)
    flag = make_flag("press_forgotten", squares, side=seen.side, play=play)
    return (judge(flag, state.rulebook),)


def _took_all(turn: Turn) -> bool:
    """True if a play used the player's last tiles, even if it came off in a challenge."""
    off = bool(turn.tiles) and not turn.bag_count and len(turn.tiles) == turn.rack_count
    return turn.out or (off and turn.kind == "challenge_upheld")


def _entered_later(state: GameState, ruled: Event, accepted: Event | None) -> bool:
    """True if a ruling was entered after an acceptance; False without an acceptance."""
    if accepted is None:
        return False
    numbers = {id(event): number for number, event in enumerate(state.progress.events)}
    now = len(numbers)  # the event that is just being applied
    return numbers.get(id(ruled), now) > numbers.get(id(accepted), now)


def late_challenges(state: GameState, ruled_on: Ruled) -> list[Flag]:
    """Return the flags for last plays that were challenged after they had been accepted."""
    ledger, book = state.ledger, state.rulebook
    found = []
    for number, rulings in ruled_on:
        ruled = rulings.ruled
        if ruled is None or ruled.ruling not in ("challenge_upheld", "challenge_failed"):
            continue
        turn = ledger.position.turns[number - 1]
        if not _took_all(turn) or any(flag.code == "challenge_late" for flag in turn.flags):
            continue
        called = rulings.challenged_ns
        called = ruled.happened_ns if called is None else called
        accepted_at, accepted = acceptance(state, turn) or (called, None)
        if called > accepted_at or (
            called == accepted_at and _entered_later(state, ruled, accepted)
        ):
            after = seconds(called - accepted_at)
            flag = make_flag("challenge_late", variant="accepted", turn=number, after=after)
            found.append(replace(judge(flag, book), rule=book.rule("out.accepted_by")))
    return found


def uncounted(state: GameState, ruled_on: Ruled) -> Iterator[Flag]:
    """Yield the questions how many words an unsuccessful challenge was about, or what it earned.

    They are asked where the rulebook gives points for such a challenge, if nobody has entered a
    number or a bonus (WESPA 2021 3.10.13(b)(i)).
    """
    book, ledger = state.rulebook, state.ledger
    if book.challenge_failed != "points":
        return
    for number, rulings in ruled_on:
        ruled = rulings.ruled
        if ruled is None or ruled.count or ruled.ruling != "challenge_failed":
            continue
        turn = state.position.turns[number - 1]
        given = any(
            isinstance(entry, ChallengeBonus)
            and entry.side == turn.side
            and len(before.turns) >= number
            for entry, before in zip(ledger.entries, ledger.positions, strict=False)
        )
        if turn.kind == "play" and rulings.costs_turn and not given:
            rule = book.rule("challenge.failed_points")
            asked = "uncounted" if book.challenge_failed_per == "word" else "unpaid"
            yield make_flag("challenge_unclear", variant=asked, rule=rule, turn=number)


def not_formed(state: GameState, ruled_on: Ruled) -> Iterator[Flag]:
    """Yield the flags for challenges of words that the play did not form (WESPA 2021 3.10.10).

    It formed a word if it did as it was read when it was ruled on, or as it is read now. A
    challenge that was refused looked up none.
    """
    rule, tiles = state.rulebook.event_rule("challenge_resubmitted"), state.tile_set
    for number, rulings in ruled_on:
        ruled, now = rulings.ruled, [text for text, _ in state.position.turns[number - 1].words]
        asked = () if ruled is None or ruled.verdict == "refused" else ruled.challenged_words or ()
        left = [
            word
            for word, times in Counter(map(tiles.upper, asked)).items()
            for _ in range(times)
            if all(times > _formed(word, words, tiles) for words in (rulings.words, now))
        ]
        if left:
            yield make_flag(
                "word_not_formed",
                variant="silent" if rule is None else "again",
                rule=rule,
                turn=number,
                number=number,
                words=", ".join(left),
                formed=", ".join(map(tiles.word, now)) or "no word",
            )


def _formed(word: str, words: Sequence[str], tiles: TileSet) -> int:
    """Return how many of a play's words a challenged one may be: a blank's ? is any letter."""
    letter = "|".join(re.escape(tiles.text(one)) for one in (UNDESIGNATED, *tiles.letters))
    of = [re.escape(tiles.upper(tiles.word(one))).replace(r"\?", f"(?:{letter})") for one in words]
    return sum(re.fullmatch(one, word) is not None for one in of)


def overdrawn(state: GameState) -> tuple[Flag, ...]:
    """Return the flags for racks that were reported with more tiles than a rack may hold."""
    book, most = state.rulebook, state.rulebook.rack_tiles
    if not state.position.reported:
        return ()
    return tuple(
        judge(
            make_flag(
                "overdrawn_rack",
                side=side,
                player=state.players[side],
                count=len(tiles),
                limit=most,
            ),
            book,
        )
        for side, tiles in sorted(state.position.reported.items())
        if len(tiles) > most
    )


def restarted_early(state: GameState) -> tuple[Flag, ...]:
    """Return the flag for a player who was out and started the opponent's clock too soon."""
    book, restart = state.rulebook, state.progress.early_restart
    if restart is None or restart.turn > len(state.position.turns):
        return ()
    turn = state.position.turns[restart.turn - 1]
    rulings = state.ledger.rulings_for(turn.number)
    held = rulings.held_ns is not None and rulings.held_ns <= restart.at_ns
    if held or not turn.out:
        return ()
    flag = make_flag(
        "restarted_early",
        side=turn.side,
        turn=turn.number,
        player=state.players[turn.side],
        after=seconds(restart.at_ns - turn.press_ns),
        limit=seconds(book.out_restart_ns),
    )
    return (judge(flag, book),)


def seats(state: GameState) -> tuple[Flag, ...]:
    """Return the question whether the player who seems to have made the first play did make it.

    It is asked in a game without a clock, until somebody has named the first player or the seats.
    """
    known = state.timed or state.start.first is not None or state.progress.seated
    turns = state.position.turns
    if known or not turns:
        return ()
    side = turns[0].side
    flag = make_flag("seats_unconfirmed", side=side, player=state.players[side])
    return (judge(flag, state.rulebook),)


def unseen_time(state: GameState) -> dict[int, Flag]:
    """Return the open questions about times when nobody watched, by the number of the event."""
    asked: dict[int, Flag] = {}
    for number, one in state.progress.unseen.items():
        if one.charged is not None:
            continue
        passed_ns = one.event.passed_ns
        turns = state.position.turns
        asked[number] = make_flag(
            "time_unseen",
            variant="unknown"
            if passed_ns is None
            else "measured"
            if one.event.measured
            else "seems",
            side=one.side,
            player=state.players[one.side],
            number=sum(turn.press_ns <= one.event.from_ns for turn in turns) + 1,
            length="" if passed_ns is None else duration(passed_ns),
        )
    return asked


def binding(state: GameState, ruled_on: Ruled) -> tuple[Flag, ...]:
    """Return the flags for challenges withdrawn or conceded although the rulebook forbids it."""
    if not ruled_on:
        return ()
    ledger, book = state.ledger, state.rulebook
    may, found = book.challenge_withdrawn, []
    for number, rulings in ruled_on:
        ruled = rulings.ruled
        if ruled is None or ruled.ruling != "challenge_withdrawn":
            continue
        at_ns = ruled.happened_ns
        # A stop that came later, or was for something else, binds nobody.
        stopped = "challenge" in rulings.stop_reasons or any(
            stop.at_ns <= at_ns and rulings.may_be_challenge(stop.at_ns)
            for stop in state.stops_after(number)
        )
        turn = ledger.position.turns[number - 1]
        grounds = {
            "before_stop": not stopped,
            "blank": any(is_blank(s) for s in turn.tiles.values()),
            "earlier_blank": _earlier_blank(state, turn),
            "found": _found_since(state, turn),
        }
        if not any(grounds[one] for one in may):
            flag = make_flag("challenge_binds", variant="withdrawn", turn=number, number=number)
            found.append(judge(flag, book))
    return (*found, *_conceded(book, ruled_on))


def _earlier_blank(state: GameState, turn: Turn) -> bool:
    """True if a word of a play has a blank that was there before and had no letter yet."""
    tiles = {Square.parse(name): symbol for name, symbol in turn.tiles.items()}
    play = find_play(compare(turn.before, turn.before.replace(tiles)))
    squares = {square for word in (play.words if play else ()) for square in word}
    return any(_without_letter(state, turn, square) for square in squares - tiles.keys())


def _without_letter(state: GameState, turn: Turn, square: Square) -> bool:
    """True if a blank that lay on a square before a turn had no letter when it was played."""
    if not is_blank(turn.before[square]):
        return False
    earlier = reversed(state.position.turns[: turn.number - 1])
    placing_turn = next((one for one in earlier if square.name in one.tiles), None)
    if placing_turn is None:
        return turn.before[square] == UNDESIGNATED
    named = state.ledger.rulings_for(placing_turn.number).stamps.get(square)
    lacked = UNDESIGNATED in (turn.before[square], placing_turn.seen.rows[square.row][square.col])
    return lacked and (named is None or named[0] > turn.press_ns)


def _found_since(state: GameState, turn: Turn) -> bool:
    """True if a tile found outside the bag went to the player of a turn after it."""
    return any(
        isinstance(entry, TilesFound)
        and (entry.where, entry.side) == ("table", turn.side)
        and len(before.turns) >= turn.number
        for entry, before in zip(state.ledger.entries, state.ledger.positions, strict=False)
    )


def _conceded(book: Rulebook, ruled_on: Ruled) -> Iterator[Flag]:
    """Yield the flags for challenges that were conceded although they need a verdict."""
    if book.challenge_concedes:
        return
    for number, one in ruled_on:
        if one.ruled is None:
            continue
        called = one.ruled.called_ns is not None or "challenge" in one.stop_reasons
        back = one.ruling == "taken_back" and called
        if back or (one.ruling == "challenge_upheld" and one.ruled.verdict == "conceded"):
            rule = book.rule("challenge.may_concede")
            yield make_flag(
                "challenge_binds", variant="conceded", rule=rule, turn=number, number=number
            )


def reopened_unlisted(state: GameState) -> tuple[Flag, ...]:
    """Return the flags for a signed result reopened on a ground that the rulebook does not list."""
    if not state.progress.opened_unlisted:
        return ()
    flags = (
        judge(make_flag("reopened_unlisted", by=event.by, why=event.why), state.rulebook)
        for event in state.progress.opened_unlisted
    )
    return tuple(replace(flag, remedies=CALL_DIRECTOR) for flag in flags)


def unlisted(state: GameState) -> tuple[Flag, ...]:
    """Return the flags for stops of the clock for a reason that the rulebook does not list."""
    book = state.rulebook
    if not book.stop_only or not state.ledger.rulings:
        return ()
    return tuple(
        judge(make_flag("stop_unlisted", turn=turn, reason=STOP_REASONS[reason]), book)
        for turn, rulings in sorted(state.ledger.rulings.items())
        if rulings.explained
        for reason in rulings.stop_reasons
        if reason not in book.stop_reasons
    )
