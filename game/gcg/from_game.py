"""Game records in GCG: read, write, check, and make one of a game.

The pieces are in :mod:`game.gcg.record`, :mod:`game.gcg.reader`, :mod:`game.gcg.writer` and
:mod:`game.gcg.check`; this module is the door to them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from game.board import EMPTY, Board, Square
from game.errors import TilewatchError
from game.events import Side, other
from game.gcg.check import Mismatch, Step, check, replay, require_complete
from game.gcg.letters import possible_sets
from game.gcg.omissions import (
    no_time,
    not_known,
    omissions,
    omissions_of_course,
    omissions_of_result,
)
from game.gcg.reader import parse
from game.gcg.record import (
    TURN_KINDS,
    Entry,
    EntryKind,
    GameRecord,
    HowEnded,
    Player,
    not_on_rack,
)
from game.gcg.to_events import events_from_record
from game.gcg.writer import placeholder, write
from game.referee.turn import Turn
from game.state.ending import Adjustment
from game.state.fold import GameState
from game.terms import ENDED_BY_WORD, EndReason
from game.tileset import BLANK, TileSet

__all__ = [
    "Entry",
    "GameRecord",
    "Mismatch",
    "Player",
    "Step",
    "check",
    "events_from_record",
    "parse",
    "possible_sets",
    "record_from_game",
    "replay",
    "require_complete",
    "write",
]

_MOVES = (*TURN_KINDS, "withdrawn", "no_score")

_ADJUSTED: dict[str, EntryKind] = {
    "challenge_bonus": "challenge_bonus",
    "penalty": "penalty",
    "correction": "correction",
    "end_rack": "end_rack",
    "end_rack_penalty": "end_rack_penalty",
    "overtime": "time",
    "overtime_limit": "overtime_limit",
    "one_point": "one_point",
    "left": "left",
    "agreed": "correction",
    "starting_score": "correction",
}


def record_from_game(state: GameState) -> GameRecord:
    """The game as a record; the player who moved first is the record's first.

    A game that has not been settled is marked incomplete. A penalty given in the middle of
    the game stands at its end, so the totals on the lines before are without it. What GCG has
    no form for, and would make another game of this when it is read back, stands in a note
    (:mod:`game.gcg.omissions`); a note on a result that the lines do not give stands at the end.

    Raises:
        TilewatchError: the game began from a given position, for which GCG has no form.
    """
    if state.start.rows is not None and Board.from_rows(state.start.rows).symbols:
        raise TilewatchError(
            f"game {state.game_id!r} began from a given position: GCG has no form for that"
        )
    opened = next((turn.side for turn in state.turns if turn.kind != "undone"), None)
    first: Side = opened or state.start.first or "left"
    sides = (first, other(first))
    entries: list[Entry] = []
    board: Board | None = None
    waiting = [line for line in state.adjustments if line.kind == "challenge_bonus"]
    turns = _played(state)
    for turn in turns:
        while waiting and waiting[0].after_turn < turn.number:
            entries.append(_line(waiting.pop(0), sides))
        lines = _turn(turn, sides, state)
        if lines:
            _changed_since(entries, board, turn.before)
            board = turn.left_board or turn.after
            entries += lines
    if len(turns) == len(state.turns):
        _changed_since(entries, board, state.board)
    ends = [one for one in state.adjustments if one.kind not in ("challenge_bonus", "spread")]
    entries += [_line(line, sides) for line in (*waiting, *_in_order(ends, sides))]
    if entries:  # notes stand behind a turn, or a strict reader refuses them
        _add_notes(entries, 0, omissions_of_course(state))
        _add_notes(entries, -1, omissions_of_result(state))
        entries[-1] = replace(entries[-1], how_ended=_how_ended(state, entries, sides))
    record = GameRecord(
        players=_players(state, sides),
        entries=_totalled(entries),
        description=_description(state),
        lexicon=" ".join((state.start.word_list or {}).get("name", "").split()),
        id=("tilewatch", state.game_id) if state.game_id.split() == [state.game_id] else None,
        tile_set=state.tile_set.id,
        rulebook=state.rulebook.id,
        adjust=dict(state.rulebook.adjusted),
        notes=() if entries else omissions(state),
    )
    whole = record.ended and not state.lacks_rack and not state.no_result
    return record if whole else replace(record, incomplete=True)


def _add_notes(entries: list[Entry], at: int, notes: tuple[str, ...]) -> None:
    entries[at] = replace(entries[at], notes=(*entries[at].notes, *notes))


def _how_ended(
    state: GameState, entries: Sequence[Entry], sides: tuple[Side, Side]
) -> HowEnded | None:
    """How the game ended where its lines do not say it, or would say another thing."""
    kinds = {entry.kind for entry in entries}
    reason, gone, lost = state.end_reason, state.progress.forfeited, state.forfeit
    if reason is None or "overtime_limit" in kinds:
        return None
    by_limit = state.outcome is not None and state.outcome.kind == "overtime_limit"
    limit = sides.index(lost.side) if by_limit and lost is not None else None
    if gone is not None and state.progress.ended is None:
        if gone.cause in kinds and gone.margin is None:
            return None  # a line has the points for leaving
        spread = state.outcome and (state.outcome.margin, state.outcome.loss)
        # What was corrected since may have made the usual spread more than the director set.
        margin = gone.margin if spread and gone.margin in spread else None
        return HowEnded(gone.cause, sides.index(gone.side), margin, limit)
    racks = kinds & {"end_rack", "end_rack_penalty"}
    by_word = state.progress.ended is not None or limit is not None or "time" in kinds
    if not by_word or (racks and limit is None and reason in (EndReason.OUT, EndReason.SIX_ZEROS)):
        return None
    known = reason in {*EndReason, *ENDED_BY_WORD}
    return HowEnded(reason if known else EndReason.AGREED, limit=limit)


def _played(state: GameState) -> tuple[Turn, ...]:
    """The turns that are part of the game: one lost by the limit on overtime was over then."""
    for line in state.adjustments:
        if line.kind == "overtime_limit":
            return state.turns[: line.after_turn]
    return state.turns


def _in_order(lines: Sequence[Adjustment], sides: tuple[Side, Side]) -> list[Adjustment]:
    """The lines at the end of a record, in its order.

    A reader takes time and racks for the end of the game, so penalties wait until then. Lines of
    one kind for both players come in the players' order, which is all that a record knows of sides.
    """
    kinds = [line.kind for line in lines]

    def place(line: Adjustment) -> tuple[bool, int, int]:
        late = _ADJUSTED[line.kind] in ("penalty", "correction", "time")
        if line.kind in ("penalty", "correction"):
            return late, -1, 0  # these were given one after another
        return late, kinds.index(line.kind), sides.index(line.side)

    return sorted(lines, key=place)


def _description(state: GameState) -> str:
    text = f"Recorded by tilewatch; rulebook={state.rulebook.id} tile-set={state.tile_set.id}"
    for name, value in sorted(state.rulebook.adjusted.items()):
        text += f" {name}={value}"
    sha256 = (state.start.word_list or {}).get("sha256")
    return f"{text} word-list-sha256={sha256}" if sha256 else text


def _players(state: GameState, sides: tuple[Side, Side]) -> tuple[Player, Player]:
    names = [" ".join(state.players[side].split()) or side.capitalize() for side in sides]
    nicks = [name.replace(" ", "_") for name in names]
    if nicks[0] == nicks[1]:
        nicks = [f"{nick}_{number}" for number, nick in enumerate(nicks, start=1)]
    return Player(nicks[0], names[0]), Player(nicks[1], names[1])


def _totalled(entries: list[Entry]) -> tuple[Entry, ...]:
    """The lines with each player's running total as the lines add up."""
    totals = [0, 0]
    done = []
    for entry in entries:
        totals[entry.player] += entry.score
        done.append(replace(entry, total=totals[entry.player]))
    return tuple(done)


def _line(line: Adjustment, sides: tuple[Side, Side]) -> Entry:
    kind = _ADJUSTED[line.kind]
    return Entry(
        kind,
        sides.index(line.side),
        line.points,
        0,
        rack=line.tiles if line.kind == "end_rack_penalty" else None,
        tiles=line.tiles,
        notes=no_time(kind),
    )


def _turn(turn: Turn, sides: tuple[Side, Side], state: GameState) -> list[Entry]:
    player = sides.index(turn.side)
    left = turn.left_board or turn.after
    shown = left.replace({Square.parse(s): t for s, t in turn.tiles.items()})
    if turn.word is None or turn.position is None:
        if turn.kind == "undone":
            return []  # there was no such turn
        kind: EntryKind = "pass"
        if turn.kind in ("exchange", "exchange_or_pass", "challenge_failed"):
            kind = turn.kind
        elif turn.kind == "not_known":
            kind = "exchange_or_pass"
        line = Entry(
            kind,
            player,
            0,
            0,
            rack=turn.rack,
            exchanged=_exchanged(turn.exchanged, state.tile_set),
            squares=_unwritten(turn.before, shown),
        )
        # No reader takes a rack without the tiles exchanged.
        return [replace(line, rack=None) if not_on_rack(line) else line]
    stand_in = placeholder(state.tile_set)
    word = "".join(c if c == EMPTY or c.isalpha() else stand_in for c in turn.word)
    score = sum(points for _, points in turn.words) + turn.bingo
    entry = Entry(
        "play",
        player,
        score,
        0,
        rack=_rack(turn),
        position=turn.position,
        word=word,
    )
    written = turn.before.replace({s: t for s, t in entry.placed().items() if s.on_board})
    notes = not_known(entry.placed(), turn.tiles, stand_in)
    entry = replace(entry, squares=_unwritten(written, shown), notes=notes)
    announced = _announced_after(turn, state)
    if turn.kind == "play":
        return [replace(entry, illegal_after=announced, challenged=_challenged(turn, state))]
    back = _unwritten(turn.before, left)
    return [
        entry,
        Entry(
            "no_score" if turn.kind == "no_score" else "withdrawn",
            player,
            -score,
            0,
            rack=entry.rack,
            squares=back,
            illegal_after=announced,
        ),
    ]


def _exchanged(entered: str, tiles: TileSet) -> str:
    """The tiles exchanged, or their number, without what a person has put between them."""
    return tiles.rack("".join(tile for tile in entered if tile not in " ,;"))


def _challenged(turn: Turn, state: GameState) -> str | None:
    """How many words of a play were challenged in vain, or which; None where it was not."""
    ruled = state.progress.ledger.rulings_for(turn.number).ruled
    if ruled is None or turn.ruling != "challenge_failed":
        return None
    if ruled.ground == "placement":
        return "placement"
    if turn.bonus < 0:
        return ""  # what it cost stands on a line of the challenger's, from which it is read
    return ",".join(ruled.challenged_words or ()) or str(ruled.words or "")


def _announced_after(turn: Turn, state: GameState) -> int | None:
    """After how many turns, those left out that never were, a play was announced as illegal."""
    if turn.ruling not in ("illegal_play", "illegal_play_unknown"):
        return None
    seen = state.progress.ledger.rulings_for(turn.number).ruled_after
    return sum(one.kind != "undone" for one in state.turns[: max(seen, turn.number)])


def _changed_since(entries: list[Entry], left: Board | None, now: Board) -> None:
    """Note on the last turn's line what changed on the board after it."""
    at = next((i for i in reversed(range(len(entries))) if entries[i].kind in _MOVES), None)
    if left is not None and left != now and at is not None:
        entries[at] = replace(entries[at], later=_unwritten(left, now))


def _unwritten(written: Board, is_: Board) -> MappingProxyType[str, str]:
    """The squares on which the board is not as the line says."""
    return MappingProxyType({square.name: is_[square] for square in written.diff(is_)})


def _rack(turn: Turn) -> str:
    """The rack reported, if the play can come from it; else the tiles played."""
    played = sorted(t if t.isalpha() and t.isupper() else BLANK for t in turn.tiles.values())
    if turn.rack is not None:
        short = Counter(played) - Counter(turn.rack)
        if not short:
            return turn.rack
    return "".join(played)
