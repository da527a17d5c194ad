"""Flags about a turn that its board alone does not show: findings, time, what came before it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from typing import NamedTuple

from game.board import EMPTY, Square, is_blank
from game.clock import seconds
from game.events import Finding, Side, TurnSeen, other
from game.flags import CODES, Flag, detail_words, finding_message, make_flag
from game.plays.change import Change
from game.plays.play import Play
from game.referee.game_over import scoreless_run
from game.referee.plays_in_words import question
from game.referee.position import (
    UPHELD,
    GameConfig,
    Position,
    Turn,
    TurnContext,
    due,
    last_turn,
)
from game.referee.turn_rulings import TurnRulings
from game.rulebooks.judging import judge
from game.rulebooks.loading import STOP, Rulebook
from game.tile_symbols import spelled, symbol_words
from game.values import replace


def findings(
    found: tuple[Finding, ...], play: Play | None, book: Rulebook, *, opening: bool
) -> list[Flag]:
    """Return the camera's findings as flags: one for each code, with all its squares.

    A blank has no right way up, so a blank is never misoriented (NASPA III.G.3 leaves blanks out).
    The opening play decides which way is up, so rulebooks treat a turned opening play apart.
    """
    if not found:
        return []
    squares: dict[str, list[Square]] = {}
    details: dict[str, list[str]] = {}
    tiles = play.tiles if play is not None else {}
    lettered = {square for square, symbol in tiles.items() if not is_blank(symbol)}
    for finding in found:
        if finding.code == "misoriented_tile" and finding.square is not None:
            square = Square.parse(finding.square)
            if square in tiles and square not in lettered:
                continue
        at = squares.setdefault(finding.code, [])
        if finding.square is not None:
            at.append(Square.parse(finding.square))
        if finding.detail and finding.detail not in details.setdefault(finding.code, []):
            details[finding.code].append(finding.detail)
    turned = set(squares.get("misoriented_tile", ()))
    if len(lettered) > 1 and turned.issuperset(lettered):
        squares.setdefault("misoriented_play", list(tiles))
        squares["misoriented_tile"] = sorted(turned.difference(tiles))
        if not squares["misoriented_tile"]:
            del squares["misoriented_tile"]
    flags = []
    for code, at in squares.items():
        names = tuple(square.name for square in sorted(set(at)))
        more = f"({'; '.join(details[code])})" if details.get(code) else ""
        flag = make_flag(code, names, message=finding_message(code, names, more))
        flags.append(judge(flag, book, "opening" if opening else ""))
    return flags


def asked_in_words(
    found: list[Flag], position: Position, seen: TurnSeen, names: Mapping[str, str]
) -> list[Flag]:
    """Return the flags; a question how tiles divide into turns gets the likely ways in words."""
    if seen.readings:
        asked = question(seen.readings, position.turns, position.board, names)
    elif seen.ended == "player_placed_again":
        player, opponent = names[seen.side], names[other(seen.side)]
        asked = (
            f"{player} laid no tile, and {opponent} played again: was it a pass or an exchange, "
            f"or no turn of {player}'s?"
        )
    else:
        return found
    return [replace(flag, message=asked) if CODES[flag.code].parting else flag for flag in found]


def merged(flags: list[Flag], found: list[Flag], findings: tuple[Finding, ...] = ()) -> list[Flag]:
    """Return the flags with the camera's findings added.

    On a square already flagged for the same cause, a finding only adds its detail (such as the best
    guesses) to that flag.

    Args:
        flags: the flags so far.
        found: the findings as flags.
        findings: the findings themselves, with their details.
    """
    if not found:
        return flags
    flags = list(flags)
    for flag in found:
        squares = set(flag.squares)
        for at, known in enumerate(flags):
            if _are_alike(known.code, flag.code) and (same := squares.intersection(known.squares)):
                squares -= same
                more = detail_words(_noted(findings, flag.code, same))
                if more and more not in known.message:
                    flags[at] = replace(
                        known, message=spelled(f"{known.message.rstrip('.')} {more}.")
                    )
        if squares or not flag.squares:
            flags.append(_narrowed(flag, squares, findings))
    return flags


def _are_alike(one: str, other: str) -> bool:
    """True if two codes mean the same, so that one flag on a square is enough."""
    return one == other or (CODES[one].unread and CODES[other].unread)


def _narrowed(flag: Flag, squares: set[str], findings: tuple[Finding, ...]) -> Flag:
    """Return the flag for a finding limited to some of its squares."""
    if len(squares) == len(flag.squares):
        return flag
    left = tuple(name for name in flag.squares if name in squares)
    more = _noted(findings, flag.code, {None, *left})
    return replace(flag, squares=left, message=finding_message(flag.code, left, more))


def _noted(findings: Iterable[Finding], code: str, squares: Set[str | None]) -> str:
    """Return the details of the findings on these squares, in brackets; empty if there are none."""
    details = [one.detail for one in findings if one.code == code and one.square in squares]
    words = "; ".join(dict.fromkeys(filter(None, details)))
    return f"({words})" if words else ""


def open_findings(found: tuple[Finding, ...], rulings: TurnRulings) -> tuple[Finding, ...]:
    """Return the findings that are still open, and tiles that a correction showed to be turned.

    A finding about an uncertain square is closed once somebody has entered what is there.
    """
    if not found and not rulings.turned:
        return ()
    still = tuple(
        finding
        for finding in found
        if finding.code != "uncertain_square"
        or finding.square is None
        or Square.parse(finding.square) not in rulings.symbols
    )
    known = {finding.square for finding in still if finding.code == "misoriented_tile"}
    turned = ((square.name, how) for square, how in rulings.misoriented.items())
    late = (Finding("misoriented_tile", *one) for one in turned if one[0] not in known)
    return (*still, *late)


def changed(change: Change) -> tuple[str, ...]:
    """Return the names of the squares where something is new or an earlier tile is gone."""
    squares = {*change.placed, *change.removed, *change.replaced}
    squares.update(target for _, target in change.moved)
    return tuple(square.name for square in sorted(squares))


def withdrawal(change: Change, turns: tuple[Turn, ...]) -> str:
    """Return a hint that the last play may have been withdrawn, if exactly its tiles are gone.

    The hint is empty otherwise.
    """
    last = last_turn(turns)
    if last is None or last.kind != "play" or not change.removed:
        return ""
    gone = {square.name for square in change.removed}
    if gone != set(last.tiles):
        return ""
    return f"They are those of turn {last.number}: was it withdrawn after a challenge?"


def after_withdrawal(
    flags: list[Flag], change: Change, turns: tuple[Turn, ...], book: Rulebook
) -> list[Flag]:
    """Return the flags; those for removed tiles say if the last play was, or may be, withdrawn."""
    if not change.removed:
        return flags
    found = []
    hint, last = withdrawal(change, turns), last_turn(turns)
    context = "withdrawn" if last and last.kind in UPHELD else ""
    for flag in flags:
        if flag.code != "tile_removed":
            found.append(flag)
        elif hint:
            found.append(replace(flag, message=f"{flag.message} {hint}"))
        else:
            side = last.side if last and context else None  # who took off more than the play
            found.append(replace(judge(flag, book, context), side=side))
    return found


def in_holes(flags: list[Flag], position: Position, change: Change, book: Rulebook) -> list[Flag]:
    """Return the flags, with those for tiles where an earlier one was found gone.

    A tile of the play has used the empty square. Another is asked about.
    """
    holes = {square for square in change.replaced if position.board[square] == EMPTY}
    left = [
        flag
        for flag in flags
        if flag.code != "tile_replaced" or not holes & {*map(Square.parse, flag.squares)}
    ]
    for square in sorted(holes):
        was, now = map(symbol_words, change.replaced[square])
        left.append(make_flag("hole_filled", (square.name,), earlier=was, now=now))
    if used := sorted(change.placed.keys() & position.gone.keys()):
        tiles = ", ".join(f"{symbol_words(position.gone[s])} of {s.name}" for s in used)
        left.append(judge(make_flag("hole_used", tuple(s.name for s in used), tiles=tiles), book))
    return left


def owner(turns: tuple[Turn, ...], names: tuple[str, ...]) -> Side | None:
    """Return the player of the newest withdrawn play on these squares; None if there is none."""
    for turn in reversed(turns):
        if turn.kind != "play" and set(names) & set(turn.tiles):
            return turn.side
    return None


def scoreless(turns: tuple[Turn, ...], book: Rulebook) -> Flag | None:
    """Return the flag for the turn that completes the scoreless turns ending the game, or None."""
    if not book.scoreless_turns or scoreless_run(turns, book) != book.scoreless_turns:
        return None
    names = tuple(f"turn {turn.number}" for turn in turns if turn.kind != "undone")
    count = book.scoreless_turns
    return judge(make_flag("six_zeros", count=count, turns=", ".join(names[-count:])), book)


def called_late(
    seen: TurnSeen, rulings: TurnRulings, book: Rulebook, now: TurnContext, *, out: bool
) -> list[Flag]:
    """Return the flag for a challenge that was called too early or too late; empty if in time.

    Args:
        seen: the turn that was challenged.
        rulings: the rulings on that turn, the challenge and the hold among them.
        book: the rules in force.
        now: the evidence on the turn, such as when the opponent's own turn ended.
        out: True if it was the last play.
    """
    called = _called_ns(rulings, now, out=out)
    if called is None:
        return []
    named = [t for s, (t, _) in rulings.stamps.items() if is_blank(rulings.symbols[s])]
    if book.challenge_blank_reopens and any(seen.press_ns < t <= called for t in named):
        return []
    if called < seen.press_ns:
        return [judge(make_flag("challenge_late", variant="before"), book, "before")]
    late = _lateness(called, seen.press_ns, rulings, book, now, out=out)
    if late is None:
        return []
    after, limit = seconds(called - late.since_ns), seconds(late.limit_ns)
    flag = make_flag("challenge_late", variant=late.variant, after=after, limit=limit)
    return [replace(judge(flag, book, late.variant), rule=late.rule)]


def held_long(rulings: TurnRulings, book: Rulebook, now: TurnContext, *, out: bool) -> list[Flag]:
    """Return the flag for a hold that its caller ended too late by challenging, or by accepting.

    Tiles that are drawn end a hold, too, but they show nothing of its caller. ``out`` is True for
    the last play.
    """
    held, end, lasts = rulings.held_ns, rulings.accepted, book.hold_lasts_ns
    ends = {"challenged": _called_ns(rulings, now, out=out)}
    if end is not None and end.how != "tiles_drawn":
        ends["accepted"] = end.moment_ns
    known = {how: at for how, at in ends.items() if at is not None}
    how = min(known, key=known.__getitem__, default="")
    if held is None or not lasts or not known or known[how] - held <= lasts:
        return []
    after, limit = seconds(known[how] - held), seconds(lasts)
    flag = judge(make_flag("hold_long", variant=how, after=after, limit=limit), book)
    return [replace(flag, rule=book.rule("hold.lasts_seconds"))]


def _called_ns(rulings: TurnRulings, now: TurnContext, *, out: bool) -> int | None:
    """Return when a turn was challenged; None if it was not, or if nothing shows when.

    A challenge is made by stopping the clock. Only after the last play, a stop may be its end.
    """
    kind = now.inferred if rulings.ruled is None else rulings.ruled.ruling
    if kind is None or not kind.startswith("challenge"):
        return None
    known_ns = rulings.challenged_ns
    return now.stopped_ns if known_ns is None and not out else known_ns


def taken_back_late(
    flags: Iterable[Flag], rulings: TurnRulings, book: Rulebook, now: TurnContext
) -> list[Flag]:
    """Return the flag for a play that was taken back for a fault once the right to had gone.

    Where a text lets such a play be withdrawn until the opponent has ended the next turn, it stands
    after that (SANSPA 12.4).
    """
    ruled, answer = rulings.ruled, now.answer
    if ruled is None or ruled.ruling != "taken_back" or answer is None:
        return []
    until = ("lose_turn", "end_of_turn")
    faults = (f for f in flags if any((one.action, one.until) == until for one in f.remedies))
    fault = next(faults, None)
    if fault is None or ruled.happened_ns < answer.press_ns:
        return []
    return [replace(judge(make_flag("challenge_late", variant="fault"), book), rule=fault.rule)]


class _Lateness(NamedTuple):
    """The limit that a challenge exceeded."""

    variant: str
    """A variant of the flag ``challenge_late``."""
    since_ns: int
    limit_ns: int
    rule: str | None


def _lateness(
    called: int, press: int, rulings: TurnRulings, book: Rulebook, now: TurnContext, *, out: bool
) -> _Lateness | None:
    """Return the limit that a challenge called after the press exceeded; None if it was in time.

    The first limit that applies decides: the seconds after the opponent's return, the window after
    an out play, the time guaranteed before tiles are drawn, the acceptance, the end of the
    opponent's own turn. A hold that lasted too long is a flag of its own: no text takes the right
    for that.
    """
    held, back, accepted = rulings.held_ns, rulings.returned_ns, rulings.accepted
    most, window = book.challenge_return_ns, book.out_window_ns
    if back is not None and most:
        # Nothing accepts a play that its opponent has not seen.
        in_time = called <= back + most or (held is not None and held <= back + most)
        rule = book.rule("challenge.return_seconds")
        return None if in_time else _Lateness("back", back, most, rule)
    in_window = held is not None and held - press <= window
    if out and window and called - press > window and not in_window:
        return _Lateness("out", press, window, book.rule("out.window_seconds"))
    unpressed = now.ended == "drawing"
    least = book.challenge_unpressed_ns if unpressed else book.challenge_least_ns
    drawn = drawn_within(rulings, press, least)
    if unpressed:
        drawn = held is None or held - press > least
    if drawn and least and not out:
        rule = book.rule(f"challenge.{'unpressed' if unpressed else 'least'}_seconds")
        if called - press > least:
            return _Lateness("drawn", press, least, rule)
        if unpressed or accepted is None or called <= accepted.moment_ns:
            return None
        return _Lateness("quick", accepted.moment_ns, least, rule)
    if accepted is not None and called > accepted.moment_ns:
        return _Lateness("accepted", accepted.moment_ns, 0, book.event_rule(accepted.how))
    if now.answer is not None and called > now.answer.press_ns:
        return _Lateness("answered", called, 0, book.rule("challenge.until"))
    return None


def drawn_within(rulings: TurnRulings, press_ns: int, least_ns: int) -> bool:
    """True if a tile was drawn less than ``least_ns`` after the press.

    The rulebook guarantees the opponent this time to challenge.
    """
    accepted = rulings.accepted
    if accepted is None or accepted.how != "tiles_drawn":
        return False
    return accepted.moment_ns < press_ns + least_ns


def by_stop(number: int, tiles: tuple[Square, ...], book: Rulebook) -> list[Flag]:
    """Return the flag for a play ended by a stop of the clock; empty if no play can end so."""
    if STOP not in book.turn_ends:
        return []
    names = tuple(square.name for square in tiles)
    return [judge(make_flag("stopped_on_turn", names, number=number), book)]


def not_pressed(number: int, now: TurnContext, book: Rulebook) -> list[Flag]:
    """Return the flag for a turn that ended without a press; empty if somebody pressed."""
    if now.ended is None:
        return []
    rule = None if now.ended == "not_known" else book.rule("turn.ends")
    return [make_flag("not_pressed", variant=now.ended, rule=rule, number=number)]


def played_unseen(position: Position, tiles: Mapping[Square, str]) -> Flag:
    """Return the question which turn played the tiles that came while nobody looked."""
    before = []
    for turn in reversed(position.turns):
        if turn.kind == "not_known" and not turn.open_tiles:
            before.append(turn.number)
        elif turn.kind != "undone":
            break
    names, count = tuple(square.name for square in sorted(tiles)), len(tiles)
    if not before:
        return make_flag("played_unseen", names, variant="time", count=count)
    turns = ", ".join(f"turn {number}" for number in reversed(before))
    number = len(position.turns) + 1
    return make_flag(
        "played_unseen", names, variant="turns", count=count, turns=turns, number=number
    )


def played_among(position: Position, earlier: Turn) -> Flag:
    """Return the question whether a turn's play is among tiles first seen in an earlier turn."""
    number = len(position.turns) + 1
    return make_flag("played_unseen", variant="among", number=number, earlier=earlier.number)


def out_of_turn(
    position: Position, seen: TurnSeen, change: Change, config: GameConfig, now: TurnContext
) -> Flag | None:
    """Return the flag for a turn that was not this side's; None if it was."""
    if now.after_end is not None:
        squares = changed(change)
        return make_flag("changed_out_of_turn", squares, variant="over") if squares else None
    if now.lost and change.placed and (last := position.last) is not None:
        return make_flag("changed_out_of_turn", changed(change), variant="lost", number=last.number)
    side = due(position, config)
    if side is None or side == seen.side:
        return None
    player = config.players[side]
    return make_flag("changed_out_of_turn", changed(change), variant="turn", player=player)
