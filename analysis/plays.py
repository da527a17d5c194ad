"""All plays of a rack on a board, with their scores, by arrays rather than square by square.

A line of the board is cut into windows: a first and a last square such that a word which fills them
begins and ends there and joins the board. The words that fit a window are found in the word index,
cut down to those that the rack can complete and that make words across the line; then all of one
length are scored together. The scores are those of :mod:`game.plays.score`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from analysis.word_index import NO_LETTER, Bytes, Group, Rows, WordIndex
from game.board import CENTRE, EMPTY, PREMIUMS, SIZE, UNDESIGNATED, Board, Square, line, position
from game.rulebooks.loading import Rulebook

Ints = NDArray[np.int32]

_NONE: Final = np.empty(0, np.int32)
_NEVER: Final = 1_000_000
"""A loss of points that no choice of blanks has."""
_BINGO_BIT: Final = 20
"""The bit of a play's blanks that says that it earns the bonus; the others are its new places."""


class FoundPlay(NamedTuple):
    """A play that a rack allows."""

    tiles: tuple[tuple[Square, str], ...]
    """The tiles of the play, in order; a blank in lower case."""
    start: Square
    across: bool
    word: str
    """The main line as in GCG: ``.`` for a tile that was there before, a blank in lower case."""
    whole: str
    """The main line with the tiles that were there, as on the board."""
    score: int
    bingo: bool

    @property
    def position(self) -> str:
        """The start and direction, as in GCG: ``8D`` across, ``D8`` down."""
        return position(self.start, self.across)


@dataclass(frozen=True, slots=True)
class _Window:
    """The squares of one possible main word, at least one of them empty."""

    squares: tuple[Square, ...]
    across: bool
    new: tuple[int, ...]
    """The places in the word whose squares are empty."""
    fixed: dict[int, int]
    """The codes of the letters that lie there, by place."""
    gains: tuple[int, ...]
    """The factor by which the value of the tile at each new place counts, in all its words."""
    rest: int
    """The points of the tiles that lie there already, in all words, and the bonus."""


class _Hook(NamedTuple):
    """The tiles beside an empty square, across the line."""

    allowed: NDArray[np.bool_]
    """True for each code of a letter that makes a word there."""
    points: int
    length: int
    """The length of that word."""


def find_plays(
    index: WordIndex, board: Board, rack: str, book: Rulebook, *, every_blank: bool = False
) -> Plays:
    """Return the plays of a rack that make only words of the index, best scores first.

    A word that fits a place with several choices of the blanks is one play, with the choice that
    scores most; with ``every_blank`` each choice is a play. A tile on the board that is face down
    or unread, or a blank without a letter, is in no word.

    Args:
        index: the word list.
        board: the board before the play.
        rack: the tiles as symbols, ``?`` a blank.
        book: the rules, for the bonus of a full rack.
        every_blank: True for each choice of the blanks as a play of its own.
    """
    return _Finder(index, board, rack, book).plays(every_blank)


class Plays(Sequence[FoundPlay]):
    """Plays, best scores first; each is made when it is asked for."""

    def __init__(
        self, board: Board, index: WordIndex, windows: Sequence[_Window], parts: list[Ints]
    ) -> None:
        self._board, self._index, self._windows = board, index, windows
        table = np.concatenate(parts, axis=1) if parts else np.empty((4, 0), np.int32)
        self._table = table[:, np.argsort(-table[0], kind="stable")]

    @property
    def scores(self) -> Ints:
        """The scores, highest first."""
        scores: Ints = self._table[0]
        return scores

    def best(self, most: int, *, bingo: bool) -> list[FoundPlay]:
        """Return the first plays, of those that earn the bonus of a full rack or of the others."""
        return [self._made(int(at)) for at in np.flatnonzero(self._earn == bingo)[:most]]

    @property
    def bingos(self) -> int:
        """The number of plays that earn the bonus."""
        return int(self._earn.sum())

    @property
    def _earn(self) -> NDArray[np.bool_]:
        earn: NDArray[np.bool_] = (self._table[3] >> _BINGO_BIT & 1).astype(np.bool_)
        return earn

    @property
    def counts(self) -> Ints:
        """The number of tiles of each play."""
        counts = np.array([len(one.new) for one in self._windows], np.int32)
        found: Ints = counts[self._table[1]]
        return found

    def __len__(self) -> int:
        return int(self._table.shape[1])

    @overload
    def __getitem__(self, at: int) -> FoundPlay: ...
    @overload
    def __getitem__(self, at: slice) -> list[FoundPlay]: ...
    def __getitem__(self, at: int | slice) -> FoundPlay | list[FoundPlay]:
        if isinstance(at, slice):
            return [self._made(one) for one in range(len(self))[at]]
        return self._made(range(len(self))[at])

    def __iter__(self) -> Iterator[FoundPlay]:
        return map(self._made, range(len(self)))

    def _made(self, at: int) -> FoundPlay:
        score, window_at, column, blanks = self._table[:, at].tolist()
        window, letters = self._windows[window_at], self._index.letters
        codes = self._index.groups[len(window.squares)].letters[:, column]
        tiles = tuple(
            (window.squares[place], letters[codes[place]].lower())
            if blanks >> number & 1
            else (window.squares[place], letters[codes[place]])
            for number, place in enumerate(window.new)
        )
        placed = dict(tiles)
        return FoundPlay(
            tiles,
            window.squares[0],
            window.across,
            "".join(placed.get(square, EMPTY) for square in window.squares),
            "".join(placed.get(square) or self._board[square] for square in window.squares),
            score,
            bool(blanks >> _BINGO_BIT & 1),
        )


class _Finder:
    """The plays of one rack on one board."""

    def __init__(self, index: WordIndex, board: Board, rack: str, book: Rulebook) -> None:
        self._index, self._board, self._book = index, board, book
        self._held = len(rack)
        self._blanks = rack.count(UNDESIGNATED)
        self._has = np.zeros(len(index.codes), np.uint8)
        for letter, count in Counter(rack.replace(UNDESIGNATED, "")).items():
            if letter in index.codes:
                self._has[index.codes[letter]] = count
        self._usable = np.ones(len(index.codes), np.bool_) if self._blanks else self._has > 0
        self._values = np.array([index.tile_set.value(one) for one in index.letters], np.int32)
        self._lacks: dict[int, Bytes] = {}
        self._alone: dict[int, Rows] = {}

    def plays(self, every_blank: bool) -> Plays:
        windows: list[_Window] = []
        fits: dict[int, list[tuple[int, Rows]]] = {}
        for across in (True, False):
            for at in range(SIZE):
                squares = line(Square(at, 0) if across else Square(0, at), across, SIZE)
                for window, found in self._in_line(squares, across):
                    fits.setdefault(len(window.squares), []).append((len(windows), found))
                    windows.append(window)
        parts = [
            self._scored(self._index.groups[length], windows, found, every_blank)
            for length, found in fits.items()
        ]
        return Plays(self._board, self._index, windows, parts)

    def _in_line(self, squares: tuple[Square, ...], across: bool) -> Iterator[tuple[_Window, Rows]]:
        """Yield each window of a line that some words fill, with these words."""
        text = self._board.text(squares)
        hooks: dict[int, _Hook] = {}
        anchors, dead = set(), set()
        for at, symbol in enumerate(text):
            if symbol != EMPTY:
                continue
            hook = self._hook(squares[at], across)
            if hook is not None:
                hooks[at] = hook
                if not hook.allowed[self._usable].any():
                    dead.add(at)
            beside = text[max(0, at - 1) : at + 2].strip(EMPTY)
            opens = not self._board.symbols and squares[at] == CENTRE
            if hook is not None or beside or opens:
                anchors.add(at)
        codes = [self._index.code(symbol) for symbol in text]
        dead |= {at for at, code in enumerate(codes) if code == NO_LETTER and text[at] != EMPTY}
        for start in range(SIZE) if anchors else ():
            if start and text[start - 1] != EMPTY:
                continue
            for end in self._ends(text, anchors, dead, start):
                inside = {at - start: hook for at, hook in hooks.items() if start <= at < end}
                part = text[start:end]
                if part.count(EMPTY) == 1 and self._is_found_across(part, inside, across):
                    continue
                fixed = {at: codes[start + at] for at, one in enumerate(part) if one != EMPTY}
                found = self._fitting(end - start, fixed, inside)
                if len(found):
                    yield self._window(squares[start:end], part, across, inside, fixed), found

    def _ends(self, text: str, anchors: set[int], dead: set[int], start: int) -> Iterator[int]:
        """Yield the end of each window from ``start`` that joins the board."""
        new, joined = 0, False
        for at in range(start, SIZE):
            new += text[at] == EMPTY
            joined = joined or at in anchors
            if new > self._held or at in dead:
                return
            whole = at + 1 == SIZE or text[at + 1] == EMPTY
            if whole and joined and new and at > start:
                yield at + 1

    @staticmethod
    def _is_found_across(part: str, hooks: dict[int, _Hook], across: bool) -> bool:
        """True if a play of one tile counts as one along its other word, which is longer."""
        hook = next(iter(hooks.values()), None)
        longer = 0 if hook is None else hook.length - len(part)
        return longer > 0 or (hook is not None and longer == 0 and not across)

    def _hook(self, square: Square, across: bool) -> _Hook | None:
        parts = []
        for by in (-1, 1):
            letters, at = "", square.step(not across, by)
            while (symbol := self._board.get(at)) != EMPTY:
                letters += symbol
                at = at.step(not across, by)
            parts.append(letters)
        before, after = parts[0][::-1], parts[1]
        if not before and not after:
            return None
        allowed = np.zeros(len(self._index.codes), np.bool_)
        allowed[list(self._index.between(before, after))] = True
        points = sum(self._index.tile_set.value(one) for one in before + after)
        return _Hook(allowed, points, len(before) + len(after) + 1)

    def _window(
        self,
        squares: tuple[Square, ...],
        text: str,
        across: bool,
        hooks: dict[int, _Hook],
        fixed: dict[int, int],
    ) -> _Window:
        new = tuple(at for at, symbol in enumerate(text) if symbol == EMPTY)
        kinds = {at: PREMIUMS[squares[at].row][squares[at].col] for at in new}
        factor = 1
        for kind in kinds.values():
            factor *= kind.word
        gains = tuple(
            kind.letter * (factor + (kind.word if at in hooks else 0)) for at, kind in kinds.items()
        )
        value, book = self._index.tile_set.value, self._book
        rest = factor * sum(value(one) for one in text if one != EMPTY)
        rest += sum(hook.points * kinds[at].word for at, hook in hooks.items())
        rest += book.bingo_points if self._full(len(new)) else 0
        return _Window(squares, across, new, fixed, gains, rest)

    def _full(self, tiles: int) -> bool:
        return self._book.bingo_tiles <= tiles <= self._book.rack_tiles

    def _fitting(self, length: int, fixed: dict[int, int], hooks: dict[int, _Hook]) -> Rows:
        """Return the words that fill a window with tiles of the rack."""
        group = self._index.groups.get(length)
        if group is None:
            return _NONE
        found = self._index.matching(length, fixed) if fixed else self._without_others(length)
        for place, hook in hooks.items():
            if len(found):
                found = found[hook.allowed[group.letters[place, found]]]
        if fixed and len(found):
            short = self._lacking(length)[found]
            for letter, there in Counter(fixed.values()).items():
                over = group.counts[letter, found]
                over -= np.minimum(over, self._has[letter])
                short -= np.minimum(over, there)
            found = found[short <= self._blanks]
        return found

    def _without_others(self, length: int) -> Rows:
        """Return the words of a length that the rack has all tiles for."""
        known = self._alone.get(length)
        if known is None:
            known = np.flatnonzero(self._lacking(length) <= self._blanks).astype(np.int32)
            self._alone[length] = known
        return known

    def _lacking(self, length: int) -> Bytes:
        """Return how many tiles of each word of a length the rack lacks, blanks apart."""
        known = self._lacks.get(length)
        if known is None:
            group = self._index.groups[length]
            known = np.zeros(group.counts.shape[1], np.uint8)
            for counts, has in zip(group.counts, self._has, strict=True):
                known += np.maximum(counts, has)
            known -= np.uint8(self._has.sum())
            self._lacks[length] = known
        return known

    def _scored(
        self,
        group: Group,
        windows: list[_Window],
        fits: list[tuple[int, Rows]],
        every_blank: bool,
    ) -> Ints:
        """Return the plays of one length: score, window, word and the bits of the blanks."""
        places = max(len(windows[number].new) for number, _ in fits)
        which = np.repeat(np.arange(len(fits)), [len(found) for _, found in fits])
        columns = np.concatenate([found for _, found in fits])
        new = np.zeros((places, len(fits)), np.int64)
        gains = np.zeros((places, len(fits)), np.int32)
        rest = np.zeros(len(fits), np.int32)
        there = np.zeros((len(self._has), len(fits)), np.uint8)
        for at, (number, _) in enumerate(fits):
            window = windows[number]
            new[: len(window.new), at] = window.new
            gains[: len(window.new), at] = window.gains
            rest[at] = window.rest
            for letter in window.fixed.values():
                there[letter, at] += 1
        letters = group.letters[new[:, which], columns]
        worth = self._values[letters] * gains[:, which]
        scores = rest[which] + worth.sum(axis=0, dtype=np.int32)
        numbers = np.array([number for number, _ in fits], np.int32)[which]
        sizes = np.array([len(windows[number].new) for number, _ in fits])
        full = np.array([self._full(size) for size in sizes.tolist()])[which]
        bits = full.astype(np.int32) << _BINGO_BIT
        if not self._blanks:
            return np.stack([scores, numbers, columns, bits])
        over = group.counts[letters, columns].astype(np.int32)
        over -= there[letters, which]
        there_is = np.arange(places)[:, None] < sizes[which]
        over = np.where(there_is, np.maximum(over - self._has[letters], 0), 0)
        lacked = _filled(range(places), letters, over)
        picks = [
            pick for size in range(self._blanks + 1) for pick in combinations(range(places), size)
        ]
        losses = np.full((len(picks), len(columns)), _NEVER, np.int32)
        for loss, pick in zip(losses, picks, strict=True):
            fit = _filled(pick, letters, over) == lacked
            if pick:
                fit &= there_is[pick[-1]]
            loss[fit] = worth[list(pick)].sum(axis=0, dtype=np.int32)[fit]
        masks = np.array([sum(1 << at for at in pick) for pick in picks], np.int32)
        if every_blank:
            chosen, rows = np.nonzero(losses < _NEVER)
        else:
            chosen, rows = losses.argmin(axis=0), np.arange(len(columns))
        return np.stack(
            [
                scores[rows] - losses[chosen, rows],
                numbers[rows],
                columns[rows],
                bits[rows] | masks[chosen],
            ]
        )


def _filled(pick: Sequence[int], letters: Bytes, over: Ints) -> Ints:
    """Return how many of the tiles that the rack lacks for a play the blanks stand for.

    Args:
        pick: the numbers of the new places that are blanks.
        letters: the letter of each new place and play.
        over: how many tiles of that letter the rack lacks.
    """
    filled = np.zeros(letters.shape[1], np.int32)
    for number, at in enumerate(pick):
        earlier = np.zeros_like(filled)
        for one in pick[:number]:
            earlier += letters[at] == letters[one]
        filled += over[at] > earlier
    return filled
