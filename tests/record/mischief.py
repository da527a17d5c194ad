"""Random games in which people enter things late, out of order and twice, and the camera fails."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from game.errors import TilewatchError
from game.events import (
    FACTS,
    BoardChanged,
    ButtonPressed,
    ClockAdjusted,
    Event,
    Finding,
    GameEnded,
    GameReopened,
    OvertimeErased,
    PenaltyAdded,
    PicturesLost,
    PlayersNamed,
    PointsAdjusted,
    RackReported,
    ResultSigned,
    Retracted,
    SetAltered,
    SquareChange,
    StopExplained,
    TimeUnseen,
    TroubleNoted,
    TurnRuled,
    TurnSeen,
    UnseenTimeCharged,
    other,
)
from game.rulebooks.loading import rulebook_ids
from record.story import Entry
from tests.game.gamekit import SECOND, Table, random_play

from .bundlekit import entries_of

LETTERS = "AEIORSTNLDU"
BLIND = ("camera_lost", "camera_dark", "camera_frozen")


@dataclass
class Mischief:
    """A game in the making: its table, how late each event was logged, and its gaps of pictures."""

    rng: random.Random
    table: Table
    late_ns: dict[int, int] = field(default_factory=dict)
    """How long after its moment an event was logged, by its number; at once if it is left out."""
    gaps: list[tuple[int, int | None]] = field(default_factory=list)
    """From when to when there was no picture; None for the end of one that lasts."""
    blind: dict[str, int] = field(default_factory=dict)
    """The trouble that lasts, with its beginning, by its code."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The events as they were logged."""
        return tuple(
            replace(one, logged=replace(one.logged, wall_ns=one.logged.wall_ns + late_ns))
            for one in entries_of(self.table.events)
            for late_ns in (self.late_ns.get(one.number, 0),)
        )

    def put(self, event: Event) -> bool:
        """Log an event; False if the game refuses it."""
        t_ns = event.press_ns if isinstance(event, TurnSeen) else event.t_ns
        try:
            self.table.put(event)
        except TilewatchError:
            return False
        if not isinstance(event, FACTS) and t_ns < self.table.now:
            self.late_ns[len(self.table.events)] = self.table.now - t_ns
        return True

    def wait(self, most_s: int) -> int:
        """Let some time pass, and return the moment after it."""
        self.table.now += self.rng.randrange(1, most_s * 10) * SECOND // 10
        return self.table.now

    def moment(self) -> int:
        """Return a moment of the game, now in most cases."""
        return self.table.now if self.rng.random() < 0.6 else self.rng.randrange(self.table.now + 1)

    def turn(self) -> None:
        """Let the player on turn play or pass, seen well, late, badly or not at all."""
        rng, table = self.rng, self.table
        began, press = table.now, self.wait(90)
        found = None if rng.random() < 0.2 else random_play(rng, table.board, 4)
        if found is not None:
            letters = {square: rng.choice(LETTERS) for square in found}
            table.board = table.board.replace(letters)
        if not self.put(ButtonPressed(table.side, press)):
            return
        sighted: int | None = press + rng.randrange(-5, 80) * SECOND // 10
        lost = tuple(self._lost(began, max(press, sighted)))
        rows, findings = table.board.rows, ()
        if lost and rng.random() < 0.4:
            sighted, rows = None, table.state.board.rows
            findings = (Finding("uncertain_square", None, "no picture of the board"),)
        if self.put(TurnSeen(table.side, press, rows, sighted, findings=findings, lost=lost)):
            self.gaps += [(one.from_ns, one.until_ns) for one in lost]
        table.side = other(table.side)

    def _lost(self, from_ns: int, until_ns: int) -> Iterator[PicturesLost]:
        at = from_ns
        while self.rng.random() < 0.3 and until_ns - at > 2 * SECOND:
            begin = self.rng.randrange(at, until_ns - SECOND)
            at = self.rng.randrange(begin + SECOND, until_ns + 1)
            yield PicturesLost(begin, at, self.rng.choice((0, 7)))

    def stop(self) -> None:
        """Stop the clock, and mostly let it go on."""
        button = self.table.side
        self.put(ButtonPressed("neutral", self.wait(20)))
        for _ in range(self.rng.randrange(3)):
            self.wait(20)
            self.enter()
        if self.rng.random() < 0.8:
            self.put(ButtonPressed(other(button), self.wait(60)))

    def unwatched(self) -> None:
        """Nobody watches for a while."""
        begun, runs_on = self.table.now, self.rng.random() < 0.5
        until = self.wait(30)
        if self.put(TimeUnseen(begun, until, until - begun, True, runs_on)):
            self.gaps.append((begun, until))

    def trouble(self) -> None:
        """The camera fails, or shows something again."""
        code, now = self.rng.choice(BLIND), self.wait(10)
        # A picture was examined at the end of each gap: it was not dark then.
        now = self.table.now = max([now, *(until or 0 for _, until in self.gaps)])
        if (begun := self.blind.pop(code, None)) is not None:
            self.gaps.remove((begun, None))
            self.gaps.append((begun, now))
            self.put(TroubleNoted(code, "", "over", "it is well again", now))
        else:
            self.blind[code] = now
            self.gaps.append((now, None))
            self.put(TroubleNoted(code, "", "begins", "the camera shows nothing", now))

    def meddle(self) -> None:
        """Tiles of earlier turns, or the whole board, are moved, and put back in some cases."""
        rng, state = self.rng, self.table.state
        lying = {square.name: tile for square, tile in state.board.tiles().items()}
        if state.turns and rng.random() < 0.5:
            lying = state.turns[-1].tiles  # they may have come off
        chosen = sorted(lying.items()) if rng.random() < 0.8 else []
        changes = tuple(
            SquareChange(square, tile, rng.choice((tile, ".", *LETTERS)), rng.random() < 0.2)
            for square, tile in rng.sample(chosen, min(len(chosen), rng.randrange(1, 4)))
        )
        whole = {} if changes else {"moved": rng.random(), "turned": rng.uniform(-180, 180)}
        times = [self.table.now, *(self.wait(4) for _ in range(3))]
        by = [rng.choice(("left", "right", None)) for _ in range(2)]
        back = (times[2], times[3], by[1]) if rng.random() < 0.6 else (None, None, None)
        self.put(BoardChanged(changes, *times[:2], by[0], *back, (), self.table.now, **whole))

    def enter(self) -> None:
        """Somebody enters something, of now or of an earlier moment."""
        rng, at = self.rng, self.moment()
        number = rng.randrange(len(self.table.state.turns) + 1)
        side = rng.choice(("left", "right"))
        who = ("Dee", "said at the table", at)
        ruling = rng.choice(("challenge_upheld", "challenge_failed", "play", "undone"))
        unseen = [n for n, e in enumerate(self.table.events, 1) if isinstance(e, TimeUnseen)]
        number_unseen = rng.choice(unseen or [1])
        called = rng.choice((None, rng.randrange(at + 1)))
        event = rng.choice(
            [
                ClockAdjusted(side, rng.choice((-60, 60, 120)) * SECOND, None, *who),
                PenaltyAdded(side, 5, None, *who),
                PointsAdjusted(side, 7, rng.choice(("score", "spread")), None, *who),
                TurnRuled(number, ruling, *who, called_ns=called),
                TurnRuled(number, ruling, *who, called_ns=called),
                StopExplained(number, rng.choice(("blank", "challenge", "director")), *who),
                SetAltered("E", "", *who),
                PlayersNamed({side: rng.choice(("Cy", "Di"))}, "Dee", at),
                OvertimeErased(side, *who),
                UnseenTimeCharged(number_unseen, side, 9 * SECOND, *who),
                RackReported(side, "AE", at, "Dee"),
                self._retraction(),
            ]
        )
        self.put(event)

    def _retraction(self) -> Event:
        entered = [n for n, e in enumerate(self.table.events, 1) if not isinstance(e, FACTS)]
        return Retracted(self.rng.choice(entered or [1]), "Dee", "wrong", self.moment())

    def end(self) -> None:
        """End the game, late in some cases, and enter what belongs to an end."""
        rng = self.rng
        for _ in range(rng.randrange(1, 3)):
            self.wait(60)
            self.put(GameEnded(rng.choice(("agreed", "director")), self.moment(), "Dee", "over"))
            for _ in range(rng.randrange(4)):
                self.wait(rng.choice((9, 4000)))
                self.enter()
            self.wait(60)
            self.put(ResultSigned("both", self.table.now))
            if rng.random() < 0.4:
                ground = rng.choice(("director", "both_agree", "record_wrong"))
                self.put(GameReopened(ground, "Dee", "a wrong sum", self.table.now))
                self.enter()
        if rng.random() < 0.3:
            self.put(self._retraction())


def mischievous(seed: int) -> Mischief:
    """Return a random game of some turns under any rulebook, with mischief of every kind."""
    rng = random.Random(seed)
    made = Mischief(rng, Table(rulebook=rng.choice(rulebook_ids())))
    for _ in range(rng.randrange(2, 9)):
        made.turn()
        for act in (made.stop, made.unwatched, made.trouble, made.meddle, made.enter, made.enter):
            if rng.random() < 0.2:
                act()
    if rng.random() < 0.7:
        made.end()
    return made
