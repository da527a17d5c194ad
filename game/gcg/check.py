"""Checking a game record: every line goes through the referee again.

The correct figure of each line is worked out from the tiles alone, and each correct running total
from correct figures, never from those written. So one wrong figure is reported on its own line, and
a wrong score that was carried into the totals is reported on all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike

from game.board import EMPTY, Board, Square, is_tile
from game.errors import TilewatchError
from game.gcg.reader import read_gcg
from game.gcg.record import TURN_KINDS, Entry, GameRecord, possible_sets
from game.plays.change import Change, compare, same_tile
from game.plays.play import Play, find_play
from game.plays.score import Score, rack_value
from game.referee.position import GameConfig
from game.referee.verdict import score_turn
from game.rulebooks.challenge import nearest_bonus
from game.rulebooks.loading import DEFAULT_RULEBOOK, Rulebook, adjusted, load_rulebook
from game.tileset import BLANK, TileSet


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A figure in a record, and the correct one."""

    line: int
    player: str
    what: str
    """``score``, ``total`` or ``tiles``."""
    written: int | str
    due: int | str

    def __str__(self) -> str:
        """Return the mismatch in one line."""
        where = f"line {self.line}: {self.player}: " if self.line else f"{self.player}: "
        if self.what == "tiles":
            return f"{where}{self.written}; {self.due}"
        what = "running total" if self.what == "total" else self.what
        return f"{where}{what} written {self.written}, due {self.due}"


@dataclass(frozen=True)
class Step:
    """One line of a record as the referee takes it."""

    entry: Entry
    before: Board
    after: Board
    change: Change | None
    """The change of the board by the line; None if the line is no turn."""
    play: Play | None
    later: Board
    """The board before the next line; it differs from ``after`` if tiles changed after the turn."""
    due: int
    """The correct points of the line."""
    total: int
    """The player's correct running total after the line."""


def rulebook_of(record: GameRecord) -> Rulebook:
    """Return the rulebook that a record names, or the default, with the record's announcements.

    Raises:
        TilewatchError: there is no such rulebook, or it does not let an event announce these.
    """
    return adjusted(load_rulebook(record.rulebook or DEFAULT_RULEBOOK), record.adjust)


def check(
    record: GameRecord, rulebook: Rulebook | None = None, tile_set: TileSet | None = None
) -> list[Mismatch]:
    """Return every figure of a record that differs from the referee's, in order.

    Args:
        record: the record.
        rulebook: the rules; those that the record names if not given, else the default.
        tile_set: the set of tiles; the one that the record names if not given. A record that
            names none is checked with the set that has its letters and agrees best.

    Raises:
        TilewatchError: the record names an unknown rulebook or set, or no set has its letters.
    """
    return check_with_set(record, rulebook, tile_set)[1]


def check_gcg(source: str | PathLike[str] | GameRecord) -> list[Mismatch]:
    """Return every figure of a record that differs from the referee's, in order.

    Args:
        source: a file, the text of a record, or what :func:`read_gcg` returned.

    Raises:
        TilewatchError: the record cannot be read, names an unknown rulebook or set, or no set has
            its letters.
    """
    return check(source if isinstance(source, GameRecord) else read_gcg(source))


def check_with_set(
    record: GameRecord, rulebook: Rulebook | None = None, tile_set: TileSet | None = None
) -> tuple[TileSet, list[Mismatch]]:
    """Return the set of tiles with which :func:`check` checks a record, and the mismatches."""
    book = rulebook or rulebook_of(record)
    sets = [tile_set] if tile_set is not None else possible_sets(record)
    results = []
    for tiles in sets:
        results.append((tiles, _mismatches(record, book, tiles)))
        if not results[-1][1]:
            return results[-1]
    return min(results, key=lambda result: len(result[1]))


def surplus_tiles(record: GameRecord, tiles: TileSet) -> list[Mismatch]:
    """Return each tile of which more lie on the board than the set has, at the first such line.

    Such a record is of a game with a spare tile, or was read wrong; its figures may all be right.
    """
    found: dict[str, Mismatch] = {}
    for step in replay(record, rulebook_of(record), tiles):
        nick = record.players[step.entry.player].nick
        for tile, left in tiles.unseen(step.after.symbols).items():
            if left < 0 and tile not in found:
                clash = _too_many(tile, step.after, tiles)
                found[tile] = Mismatch(step.entry.line, nick, "tiles", *clash)
    return list(found.values())


def overfull_racks(record: GameRecord, tiles: TileSet) -> list[Mismatch]:
    """Return every line with more tiles on a rack, played or exchanged than a rack holds.

    A game may be played so if nobody notices; its figures may all be right.
    """
    most = rulebook_of(record).rack_tiles
    found = []

    def see(line: int, player: int, *counted: tuple[int, str]) -> None:
        for count, where in counted:
            if count > most:
                written, due = f"{count} tiles {where}", f"a full rack has {most}"
                found.append(Mismatch(line, record.players[player].nick, "tiles", written, due))
                return

    for entry in record.entries:
        racks = [rack for rack in (entry.rack, entry.tiles) if rack]
        see(
            entry.line,
            entry.player,
            *((len(rack), f"on the rack {tiles.word(rack):.40}") for rack in racks),
            (len(entry.placed()), "played"),
            (entry.count_exchanged, "exchanged"),
        )
    for player, text in enumerate(record.racks):
        rack = tiles.rack(text or "")
        see(0, player, (len(rack), f"on the rack {tiles.word(rack):.40}"))
    return found


def require_complete(record: GameRecord) -> None:
    """Refuse a record that stops in the middle of a game without saying so.

    Raises:
        TilewatchError: no line settles the end of the game, and ``#incomplete`` is missing.
    """
    if not record.ended and not record.incomplete:
        last = record.entries[-1].line
        raise TilewatchError(
            f"{record.name or 'the record'}: line {last}: the record stops before the end of the "
            "game; if that is meant, add the line #incomplete at the top"
        )


def replay(record: GameRecord, rulebook: Rulebook, tile_set: TileSet) -> Iterator[Step]:
    """Yield every line of a record with the board before and after it and its correct points."""
    course = _Course(record, GameConfig({}, tile_set, rulebook))
    for entry in record.entries:
        yield course.step(entry)


class _Course:
    """The board and the totals of a record, line by line."""

    def __init__(self, record: GameRecord, config: GameConfig) -> None:
        self._record, self._config = record, config
        self._announced = _announced(record.entries)
        self._board, self._earlier = Board.empty(), Board.empty()
        self._tainted: frozenset[Square] = frozenset()
        self._earlier_tainted = self._tainted
        self._totals = [0, 0]
        self._score = 0
        """The score of the last play."""
        self._gone: dict[Square, str] = {}
        """The tiles that were taken off the board although no ruling took them off."""
        self._last: set[Square] = set()
        """The squares of the last play; its tiles may be taken off and played again."""
        self._turns = 0

    def step(self, entry: Entry) -> Step:
        """Take the next line and return it with the board and the correct points."""
        before, change, play = self._board, None, None
        if entry.kind in TURN_KINDS:
            self._turns += 1
            change, play, due = self._turn(entry)
        elif entry.kind in ("withdrawn", "no_score"):
            due = self._taken_back(entry)
        else:
            due = self._due(entry)
        self._totals[entry.player] += due
        at = self._board
        if entry.later:
            self._board = at.replace(_by_square(entry.later))
            off = self._announced.get(self._turns, set())
            lost = (square for square in at.diff(self._board) if square not in off)
            self._gone |= {s: at[s] for s in lost if self._board[s] == EMPTY != at[s]}
            self._gone = {s: t for s, t in self._gone.items() if self._board[s] == EMPTY}
        total = self._totals[entry.player]
        return Step(entry, before, at, change, play, self._board, due, total)

    def _turn(self, entry: Entry) -> tuple[Change, Play | None, int]:
        """Lay the tiles of a turn; return the change, the play (None without) and the points."""
        placed = {s: t for s, t in entry.placed().items() if s.on_board}
        seen = self._board.replace({**placed, **_by_square(entry.squares)})
        # A tile that nobody had leave to take and that lies there again is no play; nor is another
        # in its place, unless somebody said so: then the points of the line have it.
        back = {s: t for s, t in self._gone.items() if same_tile(t, seen[s])}
        filled = {s: t for s, t in self._gone.items() if is_tile(seen[s])}
        change = compare(self._board.replace(filled), seen)
        play = find_play(change)
        if filled != back and self._points(change, play) != entry.score:
            change = compare(self._board.replace(back), seen)
            play = find_play(change)
        if not self._last or set(change.removed) != self._last:
            self._gone |= change.removed
        self._gone = {s: t for s, t in self._gone.items() if change.after[s] == EMPTY}
        self._last = set(play.tiles) if play is not None else set()
        score = Score((), 0)
        if play is not None:
            score, after = score_turn(change, play, self._config, self._tainted)
            self._earlier_tainted, self._tainted = self._tainted, after
        self._earlier, self._board = self._board, change.after
        self._score = score.total
        return change, play, score.total

    def _points(self, change: Change, play: Play | None) -> int:
        if play is None:
            return 0
        return score_turn(change, play, self._config, self._tainted)[0].total

    def _taken_back(self, entry: Entry) -> int:
        """Undo the last play of a record: its tiles and points, or for ``no_score`` its points.

        Return the points of the line, which are negative.
        """
        self._board = self._earlier.replace(_by_square(entry.squares))
        if entry.kind == "withdrawn":
            self._tainted, self._last = self._earlier_tainted, set()
        return -self._score

    def _due(self, entry: Entry) -> int:
        """Return the correct points for a line that is no turn."""
        book, tiles = self._config.rulebook, self._config.tile_set
        match entry.kind:
            case "challenge_bonus":
                return nearest_bonus(book, entry.score)
            case "end_rack":
                return _end_factor(self._record, entry, book) * rack_value(entry.tiles, tiles)
            case "end_rack_penalty":
                return -book.scoreless_factor * rack_value(entry.tiles, tiles)
            case "time":
                return -_nearest(-entry.score, book.overtime_points)
            case _:
                return entry.score


def _announced(entries: Sequence[Entry]) -> dict[int, set[Square]]:
    """Return the squares of plays announced as illegal, by the number of turns taken by then."""
    found: dict[int, set[Square]] = {}
    squares: set[Square] = set()
    for entry in entries:
        if entry.kind == "play":
            squares = {*entry.placed(), *_by_square(entry.squares)}
        if entry.illegal_after is not None:
            found.setdefault(entry.illegal_after, set()).update(squares)
    return found


def _mismatches(record: GameRecord, book: Rulebook, tiles: TileSet) -> list[Mismatch]:
    found = []
    for step in replay(record, book, tiles):
        entry = step.entry
        nick = record.players[entry.player].nick
        found += [Mismatch(entry.line, nick, "tiles", *clash) for clash in _clashes(step)]
        if entry.score != step.due:
            found.append(Mismatch(entry.line, nick, "score", entry.score, step.due))
        if entry.total != step.total:
            found.append(Mismatch(entry.line, nick, "total", entry.total, step.total))
    return found


def _too_many(tile: str, board: Board, tiles: TileSet) -> tuple[str, str]:
    """Return how often a tile lies on the board, and how many the set has, in words."""
    count = sum(tiles.tile_of(symbol) == tile for symbol in board.symbols)
    name = "blank" if tile == BLANK else tiles.text(tile)
    there = tiles.counts.get(tile, 0)
    return f"{name} lies on the board {_TIMES.get(count, f'{count} times')}", (
        f"the {tiles.name} set has {there or 'none'}"
    )


_TIMES = {1: "once", 2: "twice"}


def _by_square(symbols: Mapping[str, str]) -> dict[Square, str]:
    return {Square.parse(name): symbol for name, symbol in symbols.items()}


def _clashes(step: Step) -> Iterator[tuple[str, str]]:
    """Yield the squares on which the line contradicts the board."""
    entry = step.entry
    for square, symbol in entry.placed().items():
        there = step.before.get(square)
        if there != EMPTY and square.name not in entry.squares:
            yield f"{symbol} played on {square.name}", f"{there} lies there"


def _nearest(points: int, step: int) -> int:
    """Return the multiple of ``step`` nearest to ``points``, from one step on; 0 for step 0."""
    return max(1, (points + step // 2) // step) * step if step else points


def _end_factor(record: GameRecord, entry: Entry, book: Rulebook) -> int:
    """Return how many times the opponent's rack is added for the player who is out.

    It is the rulebook's factor; but 1 if a line of its own takes the same rack off the opponent's
    score, which is another way to write the same difference.
    """
    return 1 if taken_off_too(record, entry) else book.out_factor


def taken_off_too(record: GameRecord, rack: Entry) -> bool:
    """True if the rack added on one line is taken off the opponent's score on another."""
    return any(
        entry.kind == "end_rack_penalty"
        and entry.player != rack.player
        and sorted(entry.tiles) == sorted(rack.tiles)
        for entry in record.entries
    )
