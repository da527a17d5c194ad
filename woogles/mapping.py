"""A table's game record as the events of a Woogles game, and as a whole document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from game.board import FACE_DOWN, SQUARES, UNDESIGNATED, UNREADABLE, Board
from game.gcg.record import POINTS, TURN_KINDS, Entry, GameRecord
from game.plays.change import compare
from game.plays.play import find_play
from game.rulebooks.rulebook import Rulebook
from woogles.document import (
    CHALLENGES,
    ENDS,
    TURNS,
    DocEvent,
    Document,
    Kind,
    Rule,
    encoded,
    event_json,
    sorted_ends,
    totals,
)
from woogles.letters import Letters, letters_of

Clocks = Sequence[int | None]
"""The milliseconds on the player's clock after each turn of a record; None if unknown."""

_UNKNOWN: Final = (UNDESIGNATED, FACE_DOWN, UNREADABLE)
_RACK: Final = 7
_ZEROS: Final[frozenset[Kind]] = frozenset(
    {"PASS", "EXCHANGE", "PHONY_TILES_RETURNED", "UNSUCCESSFUL_CHALLENGE_TURN_LOSS"}
)


@dataclass(frozen=True)
class Ours:
    """A game as the table has it, in Woogles' terms."""

    game_id: str
    players: tuple[str, str]
    """The names in the order of play."""
    events: tuple[DocEvent, ...]
    over: bool
    """True if the record has the end of the game: nothing comes after it."""
    letters: Letters
    waits: str = ""
    """Why later turns are not in ``events`` yet; empty if all are."""
    racks: tuple[bytes | None, bytes | None] = (None, None)
    """The racks now, as far as they may be shown; None for one that may not, or is not known."""
    resigned: bool = False
    """True if the game ended by a forfeit."""


def ours_of(
    record: GameRecord,
    rule: str,
    clocks: Clocks = (),
    racks: tuple[str | None, str | None] = (None, None),
) -> Ours:
    """Return a record in Woogles' terms, for a game there under the challenge rule ``rule``.

    A play with a tile that nobody has named yet waits, and all after it. An exchange whose tiles
    are not known counts as a pass with a note. Points that no turn made come with the end of the
    game, where alone a document has them.

    Raises:
        TilewatchError: the set's letters at Woogles are not known, or a play has another letter.
    """
    letters = letters_of(record.tile_set or "english")
    how = record.how_ended
    resigned = how is not None and how.loser is not None
    over = resigned or (record.ended and not record.incomplete)
    made = _Made(record, letters, rule, clocks)
    for at, entry in enumerate(record.entries):
        if made.waits or not (over or entry.kind not in (*POINTS, "time")):
            break
        made.add(at, entry)
    if resigned and not made.waits and how is not None and how.loser is not None:
        made.events.append(DocEvent("RESIGNED", how.loser))
    return Ours(
        (record.id or ("", ""))[1],
        (record.players[0].name, record.players[1].name),
        sorted_ends(made.events),
        over and not made.waits,
        letters,
        made.waits,
        (_rack(letters, racks[0]), _rack(letters, racks[1])),
        resigned,
    )


def _rack(letters: Letters, tiles: str | None) -> bytes | None:
    return None if tiles is None else letters.rack(tiles)


class _Made:
    """The events of a record, made one line after another."""

    def __init__(self, record: GameRecord, letters: Letters, rule: str, clocks: Clocks) -> None:
        self.record, self.letters, self.rule, self._clocks = record, letters, rule, iter(clocks)
        self.events: list[DocEvent] = []
        self.waits = ""
        self._board = Board.empty()
        self._turns = 0
        self._words: tuple[bytes, ...] = ()
        self._challenged: tuple[int, ...] = ()

    def add(self, at: int, entry: Entry) -> None:
        """Add the events of a line."""
        entries = self.record.entries
        after = entries[at + 1] if at + 1 < len(entries) else None
        millis = None
        if entry.kind in TURN_KINDS:
            self._turns += 1
            millis = next(self._clocks, None) or None
        note = " ".join(entry.notes)
        if entry.kind == "play":
            self._play(entry, after, millis, note)
        elif entry.kind == "challenge_bonus":
            self._challenge("CHALLENGE_BONUS", entry.player, entry.score)
        elif entry.kind == "challenge_failed" and self._last("TILE_PLACEMENT_MOVE"):
            self._challenge("UNSUCCESSFUL_CHALLENGE_TURN_LOSS", entry.player, 0)
        elif entry.kind in TURN_KINDS:
            self._scoreless(entry, millis, note)
        elif entry.kind in ("end_rack", "end_rack_penalty"):
            self._end(entry)
        elif entry.kind not in ("withdrawn", "no_score"):
            self.events.append(DocEvent("TIME_PENALTY", entry.player, entry.score, note=note))

    def _last(self, kind: Kind) -> bool:
        return bool(self.events) and self.events[-1].kind == kind

    def _play(self, entry: Entry, after: Entry | None, millis: int | None, note: str) -> None:
        placed = {square: symbol for square, symbol in entry.placed().items() if square.on_board}
        unknown = [sq.name for sq in placed if entry.squares.get(sq.name) in _UNKNOWN]
        if unknown:
            self.waits = f"turn {self._turns}: the tile on {' and '.join(unknown)} is not known yet"
            return
        board = self._board.replace(placed)
        play = find_play(compare(self._board, board))
        words = () if play is None else tuple(board.text(word) for word in play.words)
        self._words = tuple(self.letters.played(word) for word in words)
        unscored = after is not None and after.kind == "no_score"
        self.events.append(
            DocEvent(
                "TILE_PLACEMENT_MOVE",
                entry.player,
                0 if unscored else entry.score,
                entry.position or "",
                self.letters.played(entry.word or ""),
                self.letters.rack(entry.rack or _tiles(placed.values())),
                millis,
                note,
                self._words,
            )
        )
        self._challenged = ()
        if after is not None and after.kind == "withdrawn":
            self._challenge("PHONY_TILES_RETURNED", entry.player, -entry.score)
            return
        self._board = board
        if entry.challenged is None or entry.challenged == "placement":
            return
        given = entry.challenged.split(",")
        self._challenged = tuple(at for at, word in enumerate(words) if word.upper() in given)
        follows = after is not None and after.kind in ("challenge_bonus", "challenge_failed")
        if self.rule == "SINGLE" and not follows:
            self._challenge("CHALLENGE_BONUS", entry.player, 0)

    def _challenge(self, kind: Kind, player: int, points: int) -> None:
        event = DocEvent(kind, player, points, challenged=self._challenged)
        returned = kind == "PHONY_TILES_RETURNED"
        self.events.append(replace(event, rack=self.events[-1].rack) if returned else event)

    def _scoreless(self, entry: Entry, millis: int | None, note: str) -> None:
        known = entry.kind == "exchange" and not entry.exchanged.isdecimal() and entry.exchanged
        tiles = self.letters.rack(entry.exchanged) if known else b""
        if entry.kind == "exchange" and not known:
            note = f"{note} exchanged {entry.exchanged}".strip()
        rack = self.letters.rack(entry.rack) if entry.rack else tiles
        kind: Kind = "EXCHANGE" if known else "PASS"
        self.events.append(DocEvent(kind, entry.player, 0, "", tiles, rack, millis, note))

    def _end(self, entry: Entry) -> None:
        rack = self.letters.rack(entry.tiles)
        if entry.kind == "end_rack_penalty":
            self.events.append(DocEvent("END_RACK_PENALTY", entry.player, entry.score, rack=rack))
            return
        if self._last("TILE_PLACEMENT_MOVE") and self.rule != "VOID":
            self.events.append(DocEvent("PASS", 1 - entry.player, rack=rack))  # the final one
        self.events.append(DocEvent("END_RACK_PTS", entry.player, entry.score, rack=rack))


def _tiles(symbols: Any) -> str:
    return "".join("?" if symbol.islower() else symbol for symbol in symbols)


def rule_of(book: Rulebook) -> Rule:
    """Return Woogles' challenge rule that is nearest to a rulebook's."""
    if book.challenge_failed == "points":
        return "TEN_POINT" if book.challenge_failed_points == 10 else "FIVE_POINT"
    return "DOUBLE" if book.challenge_failed == "lose_turn" else "SINGLE"


def remade(theirs: Document, ours: Ours) -> dict[str, Any]:
    """Return a document with the table's game in place of the one that ``theirs`` has.

    Fields that say nothing of the course of the game stay as they are.
    """
    events, letters = ours.events, ours.letters
    scores = totals(events)
    board, held, left = _course(ours)
    racks = [bytes(rack or b"") for rack in ours.racks]
    bag = dict(letters.tiles.counts)
    for tile in (*_tiles(board.tiles().values()), *letters.symbols(b"".join(racks), "?")):
        bag[tile] = bag.get(tile, 0) - 1
    last = events[-1] if events else None
    out = last is not None and not left and not held[last.player]
    state = "WAITING_FOR_FINAL_PASS" if out else "PLAYING"
    both = scores[-1] if scores else (0, 0)
    winner = -1 if both[0] == both[1] else int(both[1] > both[0])
    zeros = any(one.kind == "END_RACK_PENALTY" for one in events)
    reason = "RESIGNED" if ours.resigned else "CONSECUTIVE_ZEROES" if zeros else "STANDARD"
    clocks = [
        next((e.millis for e in reversed(events) if e.player == side and e.millis), None)
        for side in (0, 1)
    ]
    made: dict[str, Any] = {
        "events": [
            event_json(one, total[one.player]) for one, total in zip(events, scores, strict=True)
        ],
        "racks": [encoded(rack) for rack in racks],
        "current_scores": list(both),
        "play_state": "GAME_OVER" if ours.over else state,
        "end_reason": reason if ours.over else "NONE",
        "winner": winner if ours.over else 0,
        "player_on_turn": 0 if last is None else 1 - last.player,
        "scoreless_turns": _scoreless_run(events),
        "board": {
            "num_rows": 15,
            "num_cols": 15,
            "is_empty": not board.symbols,
            "tiles": encoded(letters.played("".join(board[square] for square in SQUARES))),
        },
        "bag": {"tiles": encoded(letters.rack("".join(t * max(0, n) for t, n in bag.items())))},
    }
    if all(one is not None for one in clocks):
        timers = theirs.raw.get("timers") or {}
        made["timers"] = {**timers, "time_remaining": [str(one) for one in clocks]}
    return dict(theirs.raw) | made


def unended(ours: Ours) -> Ours:
    """Return a game without the event that ends it and what follows; as it is if none does.

    A document ends no game: Woogles calls one done when it carries out a call that ends it.
    """
    events = ours.events
    ends = [at for at, one in enumerate(events) if one.kind in ENDS or one.kind == "RESIGNED"]
    called = [
        at
        for at, one in enumerate(events[: ends[0] + 1] if ends else ())
        if one.kind in TURNS or one.kind in CHALLENGES or one.kind == "RESIGNED"
    ]
    if not called:
        return ours
    racks = [b"", b""]
    for one in events[called[-1] :]:
        side = 1 - one.player if one.kind == "END_RACK_PTS" else one.player
        racks[side] = racks[side] or one.rack
    return replace(ours, events=events[: called[-1]], over=False, racks=(racks[0], racks[1]))


def _course(ours: Ours) -> tuple[Board, list[int], int]:
    """Return the board, how many tiles each player holds and how many the bag, by the events."""
    board, held = Board.empty(), [_RACK, _RACK]
    left = ours.letters.tiles.total - 2 * _RACK
    for play in standing(ours.events):
        line = Entry("play", play.player, 0, 0, position=play.position)
        placed = replace(line, word=ours.letters.symbols(play.tiles)).placed()
        board = board.replace({sq: symbol for sq, symbol in placed.items() if sq.on_board})
        drawn = min(left, len(placed))
        held[play.player] += drawn - len(placed)
        left -= drawn
    return board, held, left


def standing(events: Sequence[DocEvent]) -> Iterator[DocEvent]:
    """Yield the plays that stayed on the board."""
    for event, after in zip(events, (*events[1:], None), strict=True):
        back = after is not None and after.kind == "PHONY_TILES_RETURNED"
        if event.kind == "TILE_PLACEMENT_MOVE" and not back:
            yield event


def _scoreless_run(events: Sequence[DocEvent]) -> int:
    stood, run = set(map(id, standing(events))), 0
    for event in events:
        if id(event) in stood:
            run = 0
        elif event.kind in _ZEROS:
            run += 1
    return run
