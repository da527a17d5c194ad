"""Reports on a position for commentators, and on a game that is over for everybody.

An :class:`Analyst` has the word list and remembers the plays of the racks that it was asked about:
those of the last turn were the plays of the turn to come a moment ago.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Collection, Mapping
from itertools import islice
from typing import Any, Final

from analysis.chances import draw_chances, is_vowel, unseen_by
from analysis.endgame import Line, left_after, lines, outs
from analysis.plays import FoundPlay, Plays, find_plays
from analysis.word_index import WordIndex
from game.board import EMPTY, Board
from game.cgp import cgp_of
from game.events import SIDES, Side, other
from game.referee.position import Turn
from game.state.game_state import GameState
from game.tileset import TileSet

_SHOWN: Final = 100
"""The most plays shown of a rack."""
_BINGOS: Final = 8
"""The most bingos that are put before the other plays."""
_OUTS: Final = 3
_RECENT: Final = 4
"""The last turns that are compared with their best plays."""
_REMEMBERED: Final = 96

_JUDGED: Final = frozenset(
    {"play", "exchange", "pass", "exchange_or_pass", "no_score", "challenge_upheld"}
)
"""The kinds of turns that are compared with the best play."""

Json = dict[str, Any]
Racks = Mapping[Side, str | None]
"""The tiles known on each rack, ``?`` a blank; None for a rack that is not known."""


class Analyst:
    """Finds plays and what they are worth. For one thread at a time."""

    def __init__(self, words: Collection[str] | None) -> None:
        """``words`` is the word list; without one there are no plays."""
        self._words = words
        self._index: dict[str, WordIndex] = {}
        self._plays: OrderedDict[tuple[Board, str, str], Plays] = OrderedDict()

    def plays(self, state: GameState, board: Board, rack: str) -> Plays | None:
        """Return all plays of a rack on a board, best scores first; None without a word list."""
        if self._words is None:
            return None
        key = (board, "".join(sorted(rack)), state.rulebook.id)
        found = self._plays.get(key)
        if found is None:
            found = find_plays(self._index_for(state.tile_set), board, rack, state.rulebook)
            self._plays[key] = found
            while len(self._plays) > _REMEMBERED:
                self._plays.popitem(last=False)
        return found

    def report(
        self,
        state: GameState,
        racks: Racks,
        held: Mapping[int, str],
        phoneys: Mapping[int, bool],
    ) -> Json:
        """Return a position for commentators, as JSON.

        Args:
            state: the game.
            racks: the racks now.
            held: the rack that each turn was made from, by its number, as far as known.
            phoneys: for each turn that nobody can challenge any more, True if it was a phoney.
        """
        racks = completed(state, racks)
        missing = missing_tiles(state, racks)
        pool = unseen_by(state.unseen, racks.values())
        playing = state.status != "ended"
        found = {
            side: self.plays(state, state.board, rack)
            for side, rack in racks.items()
            if rack and playing and not missing[side]
        }
        recent = (self.compared(state, turn, held, phoneys) for turn in reversed(state.turns))
        return {
            "game_id": state.game_id,
            "turns": len(state.turns),
            "on_turn": (state.next_side or state.on_turn) if playing else None,
            "bag": state.bag_count,
            "racks": racks,
            "missing": missing,
            "pool": pool,
            "vowels": sum(count for tile, count in pool.items() if is_vowel(tile)),
            "chances": self._chances(state, pool) if playing else {},
            "words": self._words is not None,
            "word_list": (state.start.word_list or {}).get("name"),
            "plays": {
                side: _of_rack(plays, racks[side] or "", state.tile_set)
                for side, plays in found.items()
                if plays is not None
            },
            "end": self._end(state, racks, found) if playing else None,
            "recent": list(islice((turn for turn in recent if turn is not None), _RECENT)),
        }

    def game(
        self, state: GameState, held: Mapping[int, str], phoneys: Mapping[int, bool]
    ) -> list[Json]:
        """Return every turn of a game beside the best that its rack had."""
        turns = (self.compared(state, turn, held, phoneys) for turn in state.turns)
        return [turn for turn in turns if turn is not None]

    def compared(
        self,
        state: GameState,
        turn: Turn,
        held: Mapping[int, str],
        phoneys: Mapping[int, bool],
    ) -> Json | None:
        """Return a turn beside the play of its rack that scored most; None for other kinds.

        A play that is not in the list and scores more than any that is counts as the best, so that
        nothing here says that it is a phoney before ``phoneys`` does.
        """
        if turn.kind not in _JUDGED:
            return None
        rack = held.get(turn.number) or turn.rack or None
        plays = None if rack is None else self.plays(state, turn.before, rack)
        best = plays[0] if plays is not None and len(plays) else None
        tiles, whole = state.tile_set, turn.main_word or ""
        most = max(turn.score, best.score if best is not None else 0)
        return {
            "number": turn.number,
            "side": turn.side,
            "kind": turn.kind,
            "at": turn.position or "",
            "text": play_text(turn.word or "", whole, tiles),
            "score": turn.score,
            "rack": rack,
            "best": None if best is None or best.score <= turn.score else _shown(best, tiles),
            "missed": None if plays is None else most - turn.score,
            "phoney": phoneys.get(turn.number),
        }

    def _index_for(self, tiles: TileSet) -> WordIndex:
        index = self._index.get(tiles.id)
        if index is None:
            index = self._index[tiles.id] = WordIndex(self._words or (), tiles)
        return index

    def _chances(self, state: GameState, pool: Mapping[str, int]) -> Mapping[str, list[float]]:
        if not state.bag_count:
            return {}
        most = min(state.rulebook.rack_tiles, state.bag_count)
        chances = draw_chances(pool, state.tile_set, most)
        return {kind: [round(one, 3) for one in each] for kind, each in chances.items()}

    def _end(
        self, state: GameState, racks: Racks, found: Mapping[Side, Plays | None]
    ) -> Json | None:
        """Return the ways out of both sides and the best lines of the one on turn."""
        first = state.next_side or state.on_turn
        if state.bag_count or first is None or self._words is None:
            return None
        second = other(first)
        mine, theirs = racks[first], racks[second]
        if Counter((mine or "") + (theirs or "")) != Counter(state.unseen):
            return None  # a rack is being read, or was misread
        ours, answers = found.get(first), found.get(second)
        if not mine or not theirs or ours is None or answers is None:
            return None
        tiles, book = state.tile_set, state.rulebook
        best = lines(self._index_for(tiles), state.board, (mine, theirs), (ours, answers), book)
        return {
            "outs": {
                side: [_shown(one, tiles) for one in outs(plays, rack)[:_OUTS]]
                for side, plays, rack in ((first, ours, mine), (second, answers, theirs))
            },
            "lines": [_line(one, tiles) for one in best[: _OUTS * 2]],
        }


def cgp_for_engine(state: GameState, racks: Racks, now_ns: int) -> str:
    """Return the position in CGP, with the rack of the player on turn and no other.

    Raises:
        TilewatchError: a tile on the board is not known.
    """
    first: Side = state.next_side or "left"
    board, _, rest = cgp_of(state, now_ns).split(" ", 2)
    return f"{board} {state.tile_set.bracketed(racks[first] or '')}/ {rest}"


def play_text(word: str, whole: str, tiles: TileSet) -> str:
    """Return a main line for people: ``QU(I)z``, what was there before in brackets."""
    text, inside = "", False
    for new, symbol in zip(word, whole, strict=False):
        if (new == EMPTY) != inside:
            text += ")" if inside else "("
            inside = not inside
        text += tiles.text(symbol)
    return text + (")" if inside else "")


def completed(state: GameState, racks: Racks) -> dict[Side, str | None]:
    """Return the racks; with an empty bag a whole one says what is on the other one.

    A rack of which tiles were seen that cannot be there stays as it is.
    """
    full: dict[Side, str | None] = {
        side: "".join(sorted(rack)) if (rack := racks.get(side)) else None for side in SIDES
    }
    if state.bag_count:
        return full
    for side in SIDES:
        own, theirs = full[side] or "", full[other(side)] or ""
        if len(own) >= state.racks[side] or len(theirs) != state.racks[other(side)]:
            continue
        left = Counter(state.unseen) - Counter(theirs)
        if left.total() == state.racks[side] and Counter(own) <= left:
            full[side] = "".join(sorted(left.elements()))
    return full


def missing_tiles(state: GameState, racks: Racks) -> dict[Side, int]:
    """Return how many tiles of each rack have not been seen; 0 where nothing is known of it."""
    held = {side: rack for side in SIDES if (rack := racks.get(side))}
    return {
        side: max(0, state.racks[side] - len(held[side])) if side in held else 0 for side in SIDES
    }


def _of_rack(plays: Plays, rack: str, tiles: TileSet) -> Json:
    """Return the best plays of a rack, bingos first."""
    bingos = plays.best(_BINGOS, bingo=True)
    others = plays.best(_SHOWN - len(bingos), bingo=False)
    return {
        "count": len(plays),
        "bingos": plays.bingos,
        "best": [
            _shown(one, tiles) | {"leave": left_after(rack, one)} for one in (*bingos, *others)
        ],
    }


def _shown(play: FoundPlay, tiles: TileSet) -> Json:
    return {
        "at": play.position,
        "text": play_text(play.word, play.whole, tiles),
        "score": play.score,
        "bingo": play.bingo,
    }


def _line(line: Line, tiles: TileSet) -> Json:
    answer = None if line.answer is None else _shown(line.answer, tiles)
    return _shown(line.play, tiles) | {
        "out": line.out,
        "blocks": line.blocks,
        "answer": answer,
        "net": line.net,
    }
