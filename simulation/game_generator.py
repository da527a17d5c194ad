"""A whole game between two simulated players, from a seed; or the rest of one, from its state.

Both know the words of ``vocabulary.toml`` and prefer high scores; neither is a good player. The bag
is shuffled once, racks are filled from it, and the game ends when somebody is out of tiles.
"""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Final, TypeAlias

from analysis.plays import find_plays
from analysis.word_index import WordIndex
from game.board import EMPTY, UNDESIGNATED, Board, Square, is_blank
from game.events import SIDES, Side, other
from game.plays.score import rack_value
from game.rulebooks.loading import Rulebook, load_rulebook
from game.state.fold import GameState
from game.tileset import TileSet, load_tile_set
from simulation.script import Script, ScriptTurn

NAMES: Final = (
    "Amina Diallo",
    "Björn Lindqvist",
    "Chloe O’Brien",
    "Daniel Okafor",
    "Esra Yıldız",
    "Farid Rahimi",
    "Grace Mbeki",
    "Hana Novák",
    "Ioana Petrescu",
    "João Carvalho",
    "Kamala Iyer",
    "Łukasz Zieliński",
)

Tiles: TypeAlias = tuple[tuple[Square, str], ...]

_BLANK_AS: Final = frozenset("adeinrst")
"""The letters for which the players take a blank."""

_CONSIDERED: Final = 16
"""The number of promising plays whose full scores a player works out."""

_ATTEMPTS: Final = 60
_LAST_ATTEMPTS: Final = 1000
SCORELESS: Final = 4
"""The number of successive turns without a play after which the game ends."""

_LONG: Final = 32
"""Games with more turns than this are rejected as dull."""

_POOR: Final = 16
"""Once a game, a play of fewer points is given up for the planned exchange."""

_NEVER: Final = 1000
"""A number of turns larger than any game has."""


def generate(seed: int) -> Script:
    """Return the game of a seed: with an exchange, a blank, a bingo, and an out play at the end.

    The same seed gives the same game, on every machine. A few seeds give no game with all of these;
    then the game only has the out play.
    """
    for whole, attempts in ((True, _ATTEMPTS), (False, _LAST_ATTEMPTS)):
        for attempt in range(attempts):
            script = _play(random.Random(f"tilewatch game {seed}.{attempt}"), whole)
            if script is not None:
                return script
    raise AssertionError(f"no game in {_LAST_ATTEMPTS} attempts at seed {seed}")


def _plural(word: str) -> str:
    if word.endswith(("S", "X", "Z", "CH", "SH")):
        return f"{word}ES"
    if word.endswith("Y") and word[-2] not in "AEIOU":
        return f"{word[:-1]}IES"
    if word.endswith("F") and word in {"SHELF", "WOLF"}:
        return f"{word[:-1]}VES"
    return f"{word}S"


@cache
def vocabulary() -> frozenset[str]:
    """Return every word that the simulated players know, in capitals."""
    given = tomllib.loads(Path(__file__).with_name("vocabulary.toml").read_text("utf-8"))
    words, nouns, regular, in_e, strong, no_er = (
        given[name].upper().split()
        for name in ("words", "nouns", "verbs", "verbs_in_e", "strong", "no_er")
    )
    found = {*words, *nouns, *map(_plural, nouns)}
    for verbs, drop in ((regular, 0), (in_e, 1)):
        for verb in verbs:
            stem = verb[: len(verb) - drop]
            found |= {verb, _plural(verb), f"{stem}ING"}
            if verb not in strong:
                found.add(f"{stem}ED")
            if verb not in no_er:
                found |= {f"{stem}ER", f"{stem}ERS"}
    return frozenset(found)


@cache
def _index(tile_set: TileSet) -> WordIndex:
    return WordIndex(vocabulary(), tile_set)


@dataclass
class _Table:
    """The board, racks, bag and scores of a made-up game, and the side on turn."""

    board: Board
    racks: dict[Side, list[str]]
    bag: list[str]
    scores: dict[Side, int]
    side: Side = "left"

    def draw(self, side: Side, size: int) -> None:
        """Fill a rack from the bag."""
        while self.bag and len(self.racks[side]) < size:
            self.racks[side].append(self.bag.pop())


def _play(rng: random.Random, whole: bool = True) -> Script | None:
    """Return a game; None if nobody goes out.

    With ``whole``, also None if it lacks a bingo, a blank or an exchange.
    """
    tile_set, book = load_tile_set("english"), load_rulebook()
    bag = [tile for tile, count in tile_set.counts.items() for _ in range(count)]
    rng.shuffle(bag)
    first, second = rng.sample(NAMES, 2)
    table = _Table(Board.empty(), {side: [] for side in SIDES}, bag, dict.fromkeys(SIDES, 0))
    for side in SIDES:
        table.draw(side, book.rack_tiles)
    exchange_due = rng.randrange(3, 12)
    turns = tuple(islice(_turns(table, tile_set, book, rng, exchange_due), _LONG))
    bingo = any(len(turn.tiles) == book.rack_tiles for turn in turns)
    blank = any(is_blank(symbol) for turn in turns for symbol in turn.tiles.values())
    exchange = any(turn.kind == "exchange" for turn in turns)
    if not turns[-1].out or (whole and not (bingo and blank and exchange)):
        return None
    last = turns[-1].side
    finals = dict(table.scores)
    finals[last] += book.out_factor * rack_value("".join(table.racks[other(last)]), tile_set)
    left = {side: "".join(table.racks[side]) for side in SIDES}
    return Script({"left": first, "right": second}, tile_set.id, turns, finals, left)


def _turns(
    table: _Table,
    tile_set: TileSet,
    book: Rulebook,
    rng: random.Random,
    exchange_due: int | None = None,
) -> Iterator[ScriptTurn]:
    """Yield turn after turn until somebody is out or nobody goes on.

    Each turn is chosen when it is asked for. A player who finds no play exchanges. Once
    ``exchange_due`` turns were played, one poor rack is exchanged too; with None none is.
    """
    scoreless = count = 0
    while scoreless < SCORELESS:
        side, scores = table.side, table.scores
        rack = table.racks[side]
        held = "".join(rack)
        found = choose(table.board, "".join(rack), tile_set, book, rng)
        poor = found is None or found[1] < _POOR
        swaps = exchange_due is not None and poor and len(table.bag) >= book.exchange_bag
        if swaps and (found is None or count >= (exchange_due or 0)):
            exchange_due = _NEVER
            _exchange(table, side, rng)
            turn = ScriptTurn(side, "exchange", score=0, total=scores[side], rack=held)
        elif found is None:
            turn = ScriptTurn(side, "pass", score=0, total=scores[side], rack=held)
        else:
            placed, score = found
            tiles = dict(placed)
            for symbol in tiles.values():
                rack.remove(UNDESIGNATED if is_blank(symbol) else symbol)
            table.draw(side, book.rack_tiles)
            table.board = table.board.replace(tiles)
            scores[side] += score
            out = not rack
            turn = ScriptTurn(side, "play", tiles, score, scores[side], out, rack=held)
        yield turn
        if turn.out:
            return
        scoreless = 0 if turn.kind == "play" else scoreless + 1
        count += 1
        table.side = other(side)


def choose(
    board: Board, rack: str, tile_set: TileSet, book: Rulebook, rng: random.Random
) -> tuple[Tiles, int] | None:
    """Return a good play, not always the best, with its score; None if there is no play.

    The players think of one blank at a time, and only as a common letter.
    """

    def promise(tiles: Tiles) -> int:
        return 3 * len(tiles) + sum(tile_set.value(symbol) for _, symbol in tiles)

    single = rack.replace(UNDESIGNATED, "", rack.count(UNDESIGNATED) - 1)
    found = {
        play.tiles: play.score
        for play in find_plays(_index(tile_set), board, single, book, every_blank=True)
        if all(symbol in _BLANK_AS for _, symbol in play.tiles if is_blank(symbol))
    }
    likely = sorted(found, key=lambda tiles: (-promise(tiles), tiles))[:_CONSIDERED]
    if not likely:
        return None
    scored = sorted(((found[tiles], i) for i, tiles in enumerate(likely)), reverse=True)
    points, index = scored[min(len(scored) - 1, int(rng.expovariate(2.5)))]
    if len(rack) == len(likely[scored[0][1]]):
        points, index = scored[0]
    return likely[index], points


def _exchange(table: _Table, side: Side, rng: random.Random) -> None:
    """Keep a few useful tiles, put the rest back into the bag and draw as many."""
    rack = table.racks[side]
    kept_tiles, back = list[str](), list[str]()
    for tile in rack:
        (kept_tiles if tile in "ERSTAIN?" and tile not in kept_tiles else back).append(tile)
    if not back:
        back = [kept_tiles.pop()]
    table.racks[side] = kept_tiles
    table.draw(side, len(rack))
    table.bag.extend(back)
    rng.shuffle(table.bag)


def rest_of(state: GameState, rng: random.Random) -> Iterator[ScriptTurn]:
    """Yield turns that finish a game from its present state, with possible racks.

    The planned turns cannot be used after a play was taken off, or was allowed after all: later
    plays of the plan may join tiles that are no longer there.
    """
    tile_set, book = load_tile_set(state.tile_set.id), load_rulebook(state.rulebook.id)
    racks, bag = _dealt(state, rng)
    table = _Table(state.board, racks, bag, dict(state.scores), state.on_turn or "left")
    yield from _turns(table, tile_set, book, rng)


def _dealt(state: GameState, rng: random.Random) -> tuple[dict[Side, list[str]], list[str]]:
    """Return possible racks and a bag; tiles of a play that came off are on its player's rack."""
    bag = [tile for tile, count in state.unseen.items() for _ in range(count)]
    rng.shuffle(bag)
    racks: dict[Side, list[str]] = {side: [] for side in SIDES}
    off = next((turn for turn in reversed(state.turns) if _is_off(turn.tiles, state.board)), None)
    for symbol in off.tiles.values() if off is not None else ():
        tile = UNDESIGNATED if is_blank(symbol) else symbol
        if tile in bag:
            bag.remove(tile)
            racks[off.side if off is not None else "left"].append(tile)
    for side in SIDES:
        while bag and len(racks[side]) < state.racks[side]:
            racks[side].append(bag.pop())
    return racks, bag


def _is_off(tiles: Mapping[str, str], board: Board) -> bool:
    return bool(tiles) and all(board[Square.parse(name)] == EMPTY for name in tiles)
