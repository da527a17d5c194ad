"""The fold's steps that change the list of turns: dividing, inserting, joining and assigning plays.

The ledger gets other turns, and everything is computed again from them. The camera's readings stay:
when a turn is divided, the second part keeps the whole reading, and the first part's board has only
the first part's new tiles. The clocks stay as the presses left them, since nobody pressed: time is
given or taken by an event of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from dataclasses import replace as with_fields

from game.board import EMPTY, Board, Square
from game.errors import TilewatchError
from game.events import (
    BoardSeen,
    ButtonPressed,
    DirectorNoted,
    Finding,
    PlayMade,
    PlaysAssigned,
    Side,
    TilesChanged,
    TurnEnding,
    TurnInserted,
    TurnParted,
    TurnRuled,
    TurnSeen,
    TurnsJoined,
    other,
)
from game.flags import CODES
from game.referee.inference import Seen, Stop
from game.referee.plays_in_words import as_it_counts
from game.referee.position import Turn, due
from game.referee.turn_rulings import NO_RULINGS, TurnRulings
from game.rulebooks.rulebook import Rulebook
from game.state.clock_history import remaining_at
from game.state.derive import derive
from game.state.game_state import AtEnd, GameState, Status
from game.state.ledger import Entry
from game.values import replace

Restructuring = TurnParted | TurnInserted | TurnsJoined | PlaysAssigned


def restructured(state: GameState, event: Restructuring) -> GameState:
    """Return the state after an event that changes the list of turns.

    Raises:
        TilewatchError: a turn, tile or time of the event does not fit the game.
    """
    match event:
        case TurnParted():
            return _parted(state, event)
        case TurnInserted():
            return _inserted(state, event)
        case TurnsJoined():
            return _joined(state, event)
        case PlaysAssigned():
            return _assigned(state, event)


def matched(before: GameState, after: GameState) -> list[Turn | None]:
    """Return, for each turn of ``after``, the same turn in ``before``; None for a new turn.

    Turns are matched by id, not by number. A joined turn gets the flags of both.
    """
    found: list[Turn | None] = []
    pairs = list(zip(before.ledger.sightings, before.turns, strict=True))
    for seen in after.ledger.sightings:
        ids = {seen.id, *seen.absorbed}
        mine = [turn for one, turn in pairs if one.id in ids or ids & one.absorbed]
        if not mine and seen.whole is not None:
            mine = [turn for one, turn in pairs if one.id == seen.whole.id]
        flags = tuple(flag for turn in mine for flag in turn.flags)
        found.append(replace(mine[-1], flags=flags) if mine else None)
    return found


def left_out(before: GameState, after: GameState) -> list[Turn]:
    """Return the turns of ``before`` that are part of no turn of ``after``."""
    ids = {one for seen in after.ledger.sightings for one in (seen.id, *seen.absorbed)}
    pairs = zip(before.ledger.sightings, before.turns, strict=True)
    return [turn for seen, turn in pairs if seen.id not in ids]


def _parted(state: GameState, event: TurnParted) -> GameState:
    turn = state.turn(event.turn)
    squares = tuple(dict.fromkeys(Square.parse(name).name for name in event.squares))
    read = {**turn.tiles, **turn.open_tiles}
    strange = [name for name in squares if name not in read]
    if strange:
        raise TilewatchError(f"turn {turn.number} laid no tile on {strange[0]}")
    _require_ending(event.ended, state.rulebook)
    _require_between(state, turn.number - 1, turn.number, event.ended_ns)
    at, seen = _entry(state, turn.number)
    whole = seen.event
    board = turn.before.replace({Square.parse(name): read[name] for name in squares})
    own = set(squares)
    found = [one for one in whole.findings if not CODES[one.code].parting]
    first = Seen(
        event=with_fields(
            whole,
            side=event.side,
            press_ns=event.ended_ns,
            rows=board.rows,
            confidence={name: p for name, p in whole.confidence.items() if name in own},
            findings=tuple(one for one in found if one.square in own),
            readings=None,
        ),
        clocks_ns=None if seen.clocks_ns is None else remaining_at(state, event.ended_ns),
        stops=tuple(stop for stop in seen.stops if stop.at_ns <= event.ended_ns),
        id=state.event_number,
        whole=seen,
        ended=event.ended,
    )
    second = replace(
        seen,
        event=with_fields(
            whole,
            side=other(event.side),
            confidence={name: p for name, p in whole.confidence.items() if name not in own},
            findings=tuple(one for one in found if one.square not in own),
            readings=None,
        ),
        stops=tuple(stop for stop in seen.stops if stop.at_ns > event.ended_ns),
        whole=seen,
    )
    entries = state.ledger.entries
    new = (*entries[:at], first, second, *entries[at + 1 :])
    return _with(state, new, _shift(turn.number, 1))


def _inserted(state: GameState, event: TurnInserted) -> GameState:
    number, last = event.turn, len(state.turns)
    if not 1 <= number <= last + 1:
        raise TilewatchError(f"TurnInserted.turn: {number} is not from 1 to {last + 1}")
    _require_ending(event.ended, state.rulebook)
    _require_between(state, number - 1, number, event.ended_ns)
    ledger = state.ledger
    at = len(ledger.entries) if number > last else _entry(state, number)[0]
    board = ledger.positions[at].board
    tiles = {Square.parse(name): symbol for name, symbol in event.tiles.items()}
    for square in tiles:
        if board[square] != EMPTY:
            raise TilewatchError(f"a tile lay on {square.name} before turn {number}")
    rows = board.replace(tiles).rows
    clocks = None if state.progress.pressed_ns is None else remaining_at(state, event.ended_ns)
    seen = Seen(
        event=TurnSeen(event.side, event.ended_ns, rows),
        clocks_ns=clocks,
        id=state.event_number,
        ended=event.ended,
    )
    entries = (*ledger.entries[:at], seen, *ledger.entries[at:])
    status: Status = "running" if state.status == "waiting" else state.status
    return _with(replace(state, status=status), entries, _shift(number, 1))


def with_turn_lost(state: GameState, side: Side, event: DirectorNoted) -> GameState:
    """Return the state with a pass for a player who lost a turn by a director's decision.

    Raises:
        TilewatchError: the game is over, or the opponent was on turn then.
    """
    ledger = state.ledger
    entries, at = ledger.entries, ledger.place(event)
    position = ledger.positions[at]
    on_turn, name = due(position, state.config), state.players[side]
    if state.status == "ended":
        raise TilewatchError(f"the game is over: {name} has no turn to lose")
    if on_turn not in (side, None):
        raise TilewatchError(
            f"{state.players[on_turn]} was on turn then: enter a time at which {name} was"
        )
    number, ended_ns = len(position.turns) + 1, event.t_ns
    clocks = None if state.progress.pressed_ns is None else remaining_at(state, ended_ns)
    sighting = TurnSeen(side, ended_ns, position.board.rows)
    seen = Seen(sighting, clocks, id=state.event_number)
    passed = TurnRuled(number, "pass", event.by, event.why, ended_ns)
    status: Status = "running" if state.status == "waiting" else state.status
    new = (*entries[:at], seen, *entries[at:])
    return _with(replace(state, status=status), new, _shift(number, 1), {number: passed})


def _joined(state: GameState, event: TurnsJoined) -> GameState:
    first, second = state.turn(event.turn), state.turn(event.turn + 1)
    at, one = _entry(state, first.number)
    to, two = _entry(state, second.number)
    absorbed = frozenset({one.id, *one.absorbed, *two.absorbed})
    if one.whole is not None and one.whole is two.whole:
        seen = replace(one.whole, absorbed=one.whole.absorbed | absorbed - {one.whole.id})
        seen = replace(seen, event=with_fields(seen.event, side=event.side))
    else:
        seen = replace(
            two,
            event=with_fields(
                two.event,
                side=event.side,
                confidence={**one.event.confidence, **two.event.confidence},
                findings=tuple(
                    found
                    for found in (*one.event.findings, *two.event.findings)
                    if not CODES[found.code].parting
                ),
                readings=None,
            ),
            stops=one.stops,
            absorbed=absorbed,
        )
    entries = state.ledger.entries
    between = [e for e in entries[at + 1 : to] if not isinstance(e, TilesChanged | BoardSeen)]
    new = (*entries[:at], *between, seen, *entries[to + 1 :])
    return _with(state, new, _shift(second.number, -1))


@dataclass
class _Part:
    """One of the plays that replace some turns, and the turns that it is made of."""

    play: PlayMade
    of: list[int] = field(default_factory=list)
    """Indexes of these turns among the replaced ones; empty for a new turn."""
    unchanged: bool = False
    """True if the play is exactly one of the turns: its sighting and rulings stay."""


def require_assignable(state: GameState, event: PlaysAssigned) -> None:
    """Refuse plays that cannot replace the turns.

    Raises:
        TilewatchError: there are no such turns, or a tile or time does not fit them.
    """
    turns = [state.turn(event.turn + at) for at in range(event.turns)]
    names = {name for one in event.plays for name in (*one.tiles, *(one.added or ()))}
    names -= {name for turn in turns for name in (*turn.tiles, *turn.open_tiles)}
    for square in sorted(map(Square.parse, names)):
        if turns[0].before[square] != EMPTY:
            raise TilewatchError(f"a tile lay on {square.name} before turn {event.turn}")
    if event.plays[-1].ended_ns != turns[-1].press_ns:
        raise TilewatchError(f"the last of the plays must end when turn {turns[-1].number} did")
    if event.plays[0].ended_ns < turns[0].press_ns:
        _require_between(state, event.turn - 1, len(state.turns) + 1, event.plays[0].ended_ns)


def _assigned(state: GameState, event: PlaysAssigned) -> GameState:
    require_assignable(state, event)
    turns = [state.turn(event.turn + at) for at in range(event.turns)]
    before, parts = turns[0].before, _parts(event.plays, turns)
    entries = [_entry(state, turn.number) for turn in turns]
    freed = _freed(parts, turns)
    seen, lie = _plays_seen(state, parts, [one for _, one in entries]), dict[Square, str]()
    for number, part in enumerate(parts):
        own = {Square.parse(name): symbol for name, symbol in part.play.tiles.items()}
        base = Board.from_rows(seen[number].event.rows) if part.of else before.replace(lie)
        symbols = {s: own[s] if s in own else lie.get(s, before[s]) for s in freed}
        rows = base.replace(symbols).rows
        seen[number] = replace(seen[number], event=with_fields(seen[number].event, rows=rows))
        lie |= {} if part.play.came_off else own | _added(part)
    place = {old: number for number, part in enumerate(parts) for old in part.of}
    first, count, more = event.turn, event.turns, len(parts) - event.turns
    new = _in_their_places(state, first, parts, seen, [at for at, _ in entries])

    def moved(number: int) -> int:
        if first <= number < first + count:
            return first + place[number - first]
        return number + more if number >= first + count else number

    rulings = dict(state.ledger.rulings)
    made = {turn.number: rulings[turn.number] for turn in turns if turn.number in rulings}
    for number, one in made.items():
        rulings[number] = _of_squares(one, one.symbols.keys() - freed)
    held = _held(made.values(), parts, freed, first)
    ledger = replace(state.ledger, rulings=rulings)
    state = replace(state, progress=replace(state.progress, ledger=ledger))
    off = {first + number: part.play for number, part in enumerate(parts) if part.play.came_off}
    ruled = {
        number: TurnRuled(number, "challenge_upheld", event.by, event.why, event.t_ns)
        for number in off
    }
    return _with(state, new, moved, ruled, held)


def _added(part: _Part) -> dict[Square, str]:
    """Return the tiles that were added to a play after its press, by square."""
    return {Square.parse(name): symbol for name, symbol in (part.play.added or {}).items()}


def _lengthened(part: _Part, seen: Seen, number: int) -> TilesChanged | None:
    """Return the entry by which tiles were added to a play; None if none were, or it is there.

    ``number`` is the number of the play's turn.
    """
    added = _added(part)
    if not added or part.unchanged:
        return None
    rows, t_ns = Board.from_rows(seen.event.rows).replace(added).rows, part.play.ended_ns
    return TilesChanged(number, rows, t_ns, {}, t_ns)


def _freed(parts: list[_Part], turns: list[Turn]) -> set[Square]:
    """Return the squares whose tile, or whose turn, the plays may change."""
    kept = {n for part in parts if part.unchanged for n in part.of}
    own = [one.play.tiles for one in parts if not one.unchanged]
    own += [one.play.added or {} for one in parts]
    own += [{**t.tiles, **t.open_tiles} for n, t in enumerate(turns) if n not in kept]
    return {Square.parse(name) for tiles in own for name in tiles}


def _held(
    made: Iterable[TurnRulings], parts: list[_Part], freed: set[Square], first: int
) -> dict[int, TurnRulings]:
    """Return, by turn number, the corrections on ``freed`` squares that fit the plays.

    A correction fits the play that has the corrected symbol on the same square.
    """
    found: dict[int, TurnRulings] = {}
    for number, part in enumerate(parts, start=first):
        own = {Square.parse(name): symbol for name, symbol in part.play.tiles.items()}
        for one in made:
            same = {s for s in own.keys() & freed if one.symbols.get(s) == own[s]}
            corrections = replace(NO_RULINGS, symbols=one.symbols, stamps=one.stamps)
            if same:
                known = found.get(number, NO_RULINGS)
                found[number] = _merged(known, _of_squares(corrections, same))
    return found


def _parts(plays: tuple[PlayMade, ...], turns: list[Turn]) -> list[_Part]:
    """Return the plays as parts, each with the turns that it is made of.

    A play that ended with one of the turns is made of this turn and of those before it that belong
    to no earlier play. The last play gets all turns that are left.
    """
    parts, last = [_Part(play) for play in plays], len(turns) - 1
    ends, at = [turn.press_ns for turn in turns], 0
    for part in parts[:-1]:
        same = (n for n in range(at, last) if ends[n] == part.play.ended_ns)
        found = next(same, None)
        if found is not None:
            part.of, at = list(range(at, found + 1)), found + 1
    parts[-1].of = list(range(at, last + 1))
    for part in parts:
        part.unchanged = [part.play] == [as_it_counts(turns[n]) for n in part.of]
    return parts


def _plays_seen(state: GameState, parts: list[_Part], turns: list[Seen]) -> list[Seen]:
    """Return the ledger entry of each part, with the board still as the camera read it."""
    sure = {name: p for seen in turns for name, p in seen.event.confidence.items()}
    owners = {name: part for part in parts for name in part.play.tiles}
    made: list[Seen] = []
    later = [next(one.of for one in parts[at:] if one.of) for at in range(len(parts))]
    stops = {n: seen.stops for n, seen in enumerate(turns) if seen.stops}
    for number, part in enumerate(parts):
        play, whole = part.play, turns[later[number][-1 if part.of else 0]]
        at = next((n for n in later[number] if n in stops), None)
        own: tuple[Stop, ...] = ()
        if at is not None:
            known = stops.pop(at)
            own = tuple(s for s in known if part.of or s.at_ns <= play.ended_ns)
            if rest := known[len(own) :]:
                stops[at] = rest
        event = with_fields(
            whole.event,
            side=play.side,
            press_ns=play.ended_ns,
            confidence={name: p for name, p in sure.items() if owners.get(name) is part},
            findings=tuple(_findings_of(part, parts, turns)),
            readings=None,
        )
        first = turns[part.of[0]] if part.of else whole
        entry = replace(
            whole,
            event=event,
            stops=own,
            assigned=True,
        )
        if part.of:
            ids = {one for n in part.of for one in (turns[n].id, *turns[n].absorbed)} - {whole.id}
            entry = replace(entry, absorbed=frozenset(ids))
        else:
            new = sum(1 for one in parts[:number] if not one.of)
            entry = replace(
                entry,
                clocks_ns=None if first.clocks_ns is None else remaining_at(state, play.ended_ns),
                at_stop=False,
                id=state.event_number if not new else -100 * state.event_number - new,
                event=with_fields(event, ended=None),
                absorbed=frozenset(),
                whole=whole,
                ended=None if _was_pressed(state, play) else "not_known",
            )
        made.append(entry)
    return made


def _was_pressed(state: GameState, play: PlayMade) -> bool:
    """True if the player's press was heard at the moment at which a play is said to have ended."""
    return any(
        isinstance(event, ButtonPressed)
        and (event.t_ns, event.button) == (play.ended_ns, play.side)
        for event in state.progress.events
    )


def _findings_of(part: _Part, parts: list[_Part], turns: list[Seen]) -> Iterator[Finding]:
    """Yield the camera's findings about the replaced turns that now belong to ``part``."""
    owners = {name: one for one in parts for name in one.play.tiles}
    for was in parts:
        for one in (one for n in was.of for one in turns[n].event.findings):
            answered = one.square is None and CODES[one.code].missed and not was.unchanged
            if CODES[one.code].parting or answered:
                continue  # somebody says now what was played
            if (was if was.unchanged else owners.get(one.square or "", was)) is part:
                yield one


def _in_their_places(
    state: GameState, first: int, parts: list[_Part], seen: list[Seen], places: list[int]
) -> tuple[Entry, ...]:
    """Return all entries, with those of the parts in place of the replaced turns.

    Sightings after a replaced turn are removed if no play ended with that turn, or if what they
    show came later, by what somebody says now.
    """
    entries = state.ledger.entries
    found = list(entries[: places[0]])
    taken, kept = 0, True
    for at in range(places[0], places[-1] + 1):
        if at in places:
            old, done = places.index(at), taken
            while taken < len(parts) and (not parts[taken].of or parts[taken].of[-1] == old):
                found.append(seen[taken])
                lengthened = _lengthened(parts[taken], seen[taken], first + taken)
                found += [lengthened] if lengthened is not None else []
                taken += 1
                if parts[taken - 1].of:
                    break
            kept = taken > done and bool(parts[taken - 1].of)
        elif _stays(entries[at], parts, taken, kept=kept):
            found.append(entries[at])
    return (*found, *entries[places[-1] + 1 :])


def _stays(entry: Entry, parts: list[_Part], taken: int, *, kept: bool) -> bool:
    """True if an entry after ``taken`` of the parts agrees with the plays.

    A sighting does not if ``kept`` is False; nor do tiles that came after a press, if they are a
    later play's. Tiles that are added to a changed play have an entry of their own.
    """
    if not isinstance(entry, TilesChanged):
        return kept or not isinstance(entry, BoardSeen)
    board = Board.from_rows(entry.rows)
    later = {Square.parse(name) for one in parts[taken:] for name in one.play.tiles}
    later |= {square for one in parts if not one.unchanged for square in _added(one)}
    return kept and not any(board[square] != EMPTY for square in later)


def _of_squares(rulings: TurnRulings, squares: Set[Square]) -> TurnRulings:
    """Return the rulings with only those corrections that are on these squares."""
    return replace(
        rulings,
        symbols={s: symbol for s, symbol in rulings.symbols.items() if s in squares},
        stamps={s: stamp for s, stamp in rulings.stamps.items() if s in squares},
    )


def _shift(from_: int, by: int) -> Callable[[int], int]:
    """Return a function that adds ``by`` to the numbers of turns from ``from_`` on."""
    return lambda number: number + by if number >= from_ else number


def _with(
    state: GameState,
    entries: tuple[Entry, ...],
    moved: Callable[[int], int],
    ruled: Mapping[int, TurnRuled] | None = None,
    corrected: Mapping[int, TurnRulings] | None = None,
) -> GameState:
    """Return the state computed again with these entries on the ledger.

    Args:
        state: the state before.
        entries: the new entries of the ledger.
        moved: a function that returns a turn's new number.
        ruled: rulings to add, by new turn number; they count as made when the turn was seen.
        corrected: corrections of tiles to add, by new turn number.
    """
    ledger, config = state.ledger, state.config
    rulings: dict[int, TurnRulings] = {}
    for turn, made in sorted(ledger.rulings.items()):
        one = replace(made, ruled_after=moved(made.ruled_after))
        now = moved(turn)
        rulings[now] = _merged(rulings.get(now, NO_RULINGS), one)
    for turn, made in (corrected or {}).items():
        rulings[turn] = _merged(made, rulings.get(turn, NO_RULINGS))
    for turn, ruling in (ruled or {}).items():
        rulings[turn] = rulings.get(turn, NO_RULINGS).with_ruling(ruling, turn)
    new = ledger.anew(entries, rulings, config)
    on_turn = state.on_turn
    # Else a press waits for its turn to be read.
    if due(ledger.position, config) in (on_turn, None):
        on_turn = due(new.position, config)
    progress = state.progress
    reopened, at_end = progress.reopened_at, progress.at_end
    if reopened is not None:
        reopened = moved(reopened)
    if at_end is not None:
        at_end = _moved_end(at_end, ledger.sightings, new.sightings)
    progress = replace(progress, ledger=new, second_play=None, reopened_at=reopened, at_end=at_end)
    return derive(replace(state, on_turn=on_turn), progress)


def _moved_end(at_end: AtEnd, before: list[Seen], after: list[Seen]) -> AtEnd | None:
    """Return the clocks at the end, with its turn's new number; None if that turn is gone."""
    last = before[at_end.turn - 1].id if before else 0
    number = next((at for at, seen in enumerate(after, start=1) if seen.id == last), None)
    return None if number is None else with_fields(at_end, turn=number)


def _merged(first: TurnRulings, second: TurnRulings) -> TurnRulings:
    """Return the rulings on a joined turn: those of ``second``, with the corrections of both."""
    if first is NO_RULINGS:
        return second
    return replace(
        second,
        symbols={**first.symbols, **second.symbols},
        stamps={**first.stamps, **second.stamps},
    )


def _entry(state: GameState, number: int) -> tuple[int, Seen]:
    """Return the index and the ledger entry of a turn."""
    seen = state.ledger.sightings[number - 1]
    return next(i for i, e in enumerate(state.ledger.entries) if e is seen), seen


def _require_ending(ended: TurnEnding, book: Rulebook) -> None:
    if ended == "not_known" or ended in book.turn_ends:
        return
    known = ", ".join(sorted(book.turn_ends))
    raise TilewatchError(
        f"under {book.id} no turn ends by {ended!r}; it ends by: {known} ({book.rule('turn.ends')})"
    )


def _require_between(state: GameState, before: int, after: int, t_ns: int) -> None:
    """Refuse a time before the end of turn ``before`` or after the end of turn ``after``."""
    if before >= 1 and t_ns < state.turns[before - 1].press_ns:
        raise TilewatchError(f"the turn cannot have ended before turn {before} did")
    if after <= len(state.turns) and t_ns > state.turns[after - 1].press_ns:
        raise TilewatchError(f"the turn cannot have ended after turn {after} did")
