"""A game whose racks are known to the broadcast role, and the seat of its commentators."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from analysis.options import AnalysisOptions
from analysis.plays import FoundPlay, find_plays
from analysis.word_index import WordIndex
from dashboard.commentary.seat import Seat, Seats
from dashboard.parts import install
from game.board import is_blank
from game.events import Side, other
from game.rulebooks.loading import load_rulebook
from game.tileset import load_tile_set
from record.rack_key import RackKey
from simulation.game_generator import vocabulary
from table.folded_log import FoldedLog
from table.racks.history import RackSighting
from table.racks.known import KnownRacks
from tests.dashboard.conftest import SECOND, GameInLog, Hall

ENGLISH = load_tile_set("english")
BOOK = load_rulebook("wespa-2007")


@dataclass
class RackedGame:
    """Deals racks from a shuffled bag, has both seen, and plays one of the best plays a turn."""

    game: GameInLog
    seed: int = 5
    known: KnownRacks = field(default_factory=lambda: KnownRacks(RackKey.generate()))
    racks: dict[Side, str] = field(default_factory=lambda: {"left": "", "right": ""})

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.bag = [tile for tile, count in ENGLISH.counts.items() for _ in range(count)]
        self.rng.shuffle(self.bag)
        self.index = WordIndex(vocabulary(), ENGLISH)
        self.folded = FoldedLog(self.game.log, 512)
        for side in self.racks:
            self.draw(side)

    @property
    def state(self):
        found = self.folded.shown()
        assert found is not None
        return found.state

    def draw(self, side: Side) -> None:
        """Fill a rack, and let it be seen."""
        while self.bag and len(self.racks[side]) < 7:
            self.racks[side] += self.bag.pop()
        self.see(side, self.racks[side])

    def see(self, side: Side, tiles: str) -> None:
        self.game.t_ns += SECOND
        for event in self.known.sealing(self.state, RackSighting(side, tiles, self.game.t_ns)):
            self.game.put(event)

    @property
    def last_side(self) -> Side:
        return other(self.game.side)

    def chosen(self, place: int = 0) -> FoundPlay | None:
        """The play of this place among the best; None if there is none."""
        plays = find_plays(self.index, self.game.board, self.racks[self.game.side], BOOK)
        return plays[min(place, len(plays) - 1)] if len(plays) else None

    def make(self, chosen: FoundPlay | None) -> None:
        """Play it, or pass."""
        side = self.game.side
        if chosen is None:
            self.game.play("", "")
            return
        self.game.play(chosen.position, chosen.word)
        for _, symbol in chosen.tiles:
            tile = "?" if is_blank(symbol) else symbol
            self.racks[side] = self.racks[side].replace(tile, "", 1)

    def play(self, place: int = 0) -> FoundPlay | None:
        """Make the play of this place among the best, and draw; return it."""
        chosen = self.chosen(place)
        self.make(chosen)
        if chosen is not None:
            self.draw(self.last_side)
        return chosen

    def play_on(self, turns: int = 60) -> None:
        """Play so many turns, or until somebody is out."""
        for number in range(turns):
            if not self.racks[other(self.game.side)] and not self.bag:
                return
            self.play(3 if number % 3 == 1 else 0)

    def seated(self, hall: Hall, options: AnalysisOptions | None = None) -> Hall:
        """Give the hall's table the seat that knows the racks."""
        table = hall.site.table("1")
        hall.site.add(replace(table, words=vocabulary()))
        seat = Seat(self.known, vocabulary(), options or AnalysisOptions())
        install(hall.app, Seats({"1": seat}))
        return hall
