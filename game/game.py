"""A game to play through in code: the referee without a camera.

:class:`Game` makes the events that a table would have logged and folds them, so that its scores,
flags and rules are those of a real table. ``docs/game.md`` has examples.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Final, Self

from game.adjudication.entries import check_entry, check_given
from game.adjudication.remedies import FILLED, OfferedRemedy, offers
from game.arguments import adjusted, require, two_names
from game.board import Board
from game.cgp import cgp_of, events_from_cgp
from game.errors import TilewatchError
from game.events import (
    SIDES,
    ButtonPressed,
    EndReason,
    Event,
    GameEnded,
    GameStarted,
    RackReported,
    Ruling,
    Side,
    TimePassed,
    TurnRuled,
    TurnSeen,
    from_payload,
    other,
    with_symbols,
)
from game.flags import Flag
from game.gcg import GameRecord, events_from_record, record_from_game, write
from game.gcg.reader import read_gcg
from game.plays.play import tiles_laid
from game.referee.position import Kind, Turn
from game.rulebooks.loading import DEFAULT_RULEBOOK, SECOND
from game.state.end_events import why_over
from game.state.fold import GameState, apply, fold
from game.state.outcome import Outcome
from game.state.settlement import Adjustment
from game.tileset import load_tile_set

_BY: Final = "the caller"
_LONGEST: Final = 10**9
"""The longest wait, in seconds."""
_COLUMNS: Final = "ABCDEFGHIJKLMNO"
_STANDS: Final = frozenset({"play", "no_score"})
"""The kinds of turns whose tiles stay on the board."""


@dataclass(frozen=True, slots=True)
class ScoredTurn:
    """One turn as it stands after every ruling and correction so far."""

    number: int
    """From 1."""
    player: str
    kind: Kind
    position: str | None
    """The start of the play, as in GCG; None if nothing was played."""
    word: str | None
    """The word played, whole, with blanks in lower case; None if no play stands."""
    came_off: str | None
    """The word of a play that came off the board again; None if none did."""
    tiles: Mapping[str, str]
    """The tiles played, by square, also if they came off the board again."""
    score: int
    """The points of the turn, without those for a challenge."""
    bonus: int
    """Points because the play was challenged unsuccessfully."""
    penalty: int
    """Points off for an exchange, found late, with too few tiles in the bag."""
    bingo: int
    """The part of the score that is the bonus for a full rack; 0 if the play did not stand."""
    words: tuple[tuple[str, int], ...]
    """Each word that the play formed, whole, with its points; empty if no play counts."""
    exchanged: str
    """The tiles exchanged, or their number, if somebody entered them."""
    rack: str | None
    """The tiles that the player had before the turn, if they were reported."""
    clock: float | None
    """The player's clock after the turn, in seconds; below 0 past 0:00."""
    flags: tuple[Flag, ...]
    """The objections of the rulebook to the turn, settled ones included."""
    scores: Mapping[str, int]
    """Both players' totals when the next turn began, by name, with challenges and penalties."""


class Game:
    """One game of Scrabble between the players ``left`` and ``right``; the left one begins.

    Every event goes in through :meth:`record`; ``play``, ``exchange``, ``pass_turn``, ``challenge``
    and ``end`` are shortcuts for the usual ones. A call that is refused raises
    :class:`~game.errors.TilewatchError` and changes nothing. Events have their times in nanoseconds
    since the start; a turn takes a second, or as long as :meth:`wait` let pass.

    Args:
        left: the name of the player who begins.
        right: the name of the other one.
        rulebook: the id of a shipped rulebook (``game.rulebook_ids()``).
        tile_set: the id of a shipped tile set (``game.tile_set_ids()``).
        announced: what the event announces in place of the rulebook's own, by name.

    Raises:
        TilewatchError: the players have not two different names, there is no such rulebook or tile
            set, or the rulebook does not let an event announce a setting.
    """

    def __init__(
        self,
        left: str = "Left",
        right: str = "Right",
        *,
        rulebook: str = DEFAULT_RULEBOOK,
        tile_set: str = "english",
        announced: Mapping[str, int | str] | None = None,
    ) -> None:
        players = two_names(left, right)
        adjust = adjusted(rulebook, announced)
        require(tile_set, str, "tile_set", "the id of a tile set")
        load_tile_set(tile_set)
        start = GameStarted("game", players, rulebook, tile_set, SIDES[0], 0, adjust=adjust)
        self._begin([start])

    def _begin(self, events: Iterable[Event]) -> None:
        """Take the events so far, the first of which starts the game."""
        self._events = list(events)
        self._state = fold(self._events)
        self._now_ns: int = max(getattr(event, "t_ns", 0) for event in self._events)
        self._calls: list[tuple[int, GameState, int]] = []
        """For :meth:`undo`, before each call: the number of events, the state and the time."""
        self._turns: tuple[GameState, tuple[ScoredTurn, ...]] | None = None

    @classmethod
    def from_events(cls, events: Iterable[Event]) -> Self:
        """Return the game that some events make, as :attr:`events` or a log has them.

        Raises:
            TilewatchError: the first does not start a game, or one is invalid; the message says
                which.
        """
        require(events, Iterable, "from_events", "a list of events")
        game = cls.__new__(cls)
        cls._begin(game, events)
        return game

    @classmethod
    def from_gcg(cls, source: str | PathLike[str] | GameRecord) -> Game:
        """Return the game of a record: a file, the text of one, or what :func:`read_gcg` returned.

        Raises:
            TilewatchError: the record cannot be read, names an unknown rulebook or tile set, or
                cannot be played.
        """
        record = source if isinstance(source, GameRecord) else read_gcg(source)
        return cls.from_events(events_from_record(record))

    @classmethod
    def from_cgp(
        cls,
        text: str,
        left: str = "Left",
        right: str = "Right",
        *,
        rulebook: str = DEFAULT_RULEBOOK,
        tile_set: str | None = None,
        announced: Mapping[str, int | str] | None = None,
    ) -> Game:
        """Return the game that goes on from a position in CGP; ``left`` is on turn.

        Raises:
            TilewatchError: the text is not CGP, or its position is impossible.
        """
        require(text, str, "from_cgp", "a line of CGP")
        adjust = adjusted(rulebook, announced)
        players = two_names(left, right)
        return cls.from_events(events_from_cgp(text, players, rulebook, tile_set, adjust))

    # --- how it stands ---

    @property
    def state(self) -> GameState:
        """The state that follows from the events so far; it names players by side."""
        return self._state

    @property
    def events(self) -> tuple[Event, ...]:
        """The events so far, in order."""
        return tuple(self._events)

    @property
    def board(self) -> Board:
        """The tiles on the board: ``game.board["8H"]``."""
        return self._state.board

    @property
    def players(self) -> Mapping[Side, str]:
        """The players' names by side; two equal names have the side added."""
        names = self._state.players
        if names["left"] != names["right"]:
            return {side: names[side] for side in SIDES}
        return {side: f"{names[side]} ({side})" for side in SIDES}

    def side(self, player: str) -> Side:
        """Return the side of a player, ``left`` or ``right``, as events need it.

        Raises:
            TilewatchError: nobody has that name.
        """
        for side, name in self.players.items():
            if name == player:
                return side
        known = " and ".join(self.players.values())
        raise TilewatchError(f"no player is called {player!r}; they are {known}")

    @property
    def scores(self) -> Mapping[str, int]:
        """The points by name, with the adjustments of the end once the game has ended."""
        return {name: self._state.scores[side] for side, name in self.players.items()}

    @property
    def turns(self) -> tuple[ScoredTurn, ...]:
        """The turns so far, after every ruling, each with the totals after it."""
        if self._turns is None or self._turns[0] is not self._state:
            self._turns = self._state, tuple(_scored_turns(self._state, self.players))
        return self._turns[1]

    @property
    def adjustments(self) -> tuple[Adjustment, ...]:
        """The points that belong to no turn's score: challenges, penalties, then racks and time."""
        return self._state.adjustments

    @property
    def flags(self) -> tuple[Flag, ...]:
        """The open objections of the rulebook: those to turns, then those to the whole game."""
        of_turns = [flag for turn in self._state.turns for flag in turn.flags]
        return tuple(flag for flag in (*of_turns, *self._state.flags) if flag.settled is None)

    @property
    def on_turn(self) -> str | None:
        """The name of the player on turn; None once the game has ended, or if it is not known."""
        side = self._state.on_turn
        return None if self.is_over or side is None else self.players[side]

    @property
    def is_over(self) -> bool:
        """True if the game has ended; before ``end`` an out play may still be challenged off."""
        return self._state.status == "ended"

    @property
    def outcome(self) -> Outcome | None:
        """How the game was decided, and by what margin; its ``winner`` is a side.

        None while the game goes on, and while its scores need a rack that nobody has given.
        """
        outcome, state = self._state.outcome, self._state
        by_scores = outcome is not None and outcome.kind == "played" and state.signed is None
        return None if by_scores and state.lacks_rack else outcome

    @property
    def winner(self) -> str | None:
        """The winner's name; None for a tie, if the director decides, or without an outcome."""
        outcome = self.outcome
        return None if outcome is None or outcome.winner is None else self.players[outcome.winner]

    @property
    def clocks(self) -> Mapping[str, float]:
        """The time on each clock now, in seconds by name; below 0 past 0:00."""
        clocks = self._state.clocks
        return {
            name: clocks.remaining(side, self._now_ns) / SECOND
            for side, name in self.players.items()
        }

    @property
    def now_ns(self) -> int:
        """The time of the next event, in nanoseconds since the start."""
        return self._now_ns

    # --- what happens ---

    def record(self, event: Event) -> None:
        """Record one event of any kind (:mod:`game.events`).

        Raises:
            TilewatchError: the event is invalid, or not possible now; the message says why.
        """
        check_given(event, self._events, self.players)
        self._record(event)

    def wait(self, seconds: float) -> None:
        """Let time pass; the running clock loses it.

        Raises:
            TilewatchError: ``seconds`` is below 0, or a billion or more.
        """
        require(seconds, (int, float), "wait", "a number of seconds")
        if not 0 <= seconds < _LONGEST:
            raise TilewatchError(
                f"wait: {seconds} seconds: give 0 or more, and less than {_LONGEST}"
            )
        self._record(*self._started(), now=self._now_ns + round(seconds * SECOND))

    def undo(self) -> None:
        """Undo the last call; nothing of it stays.

        To withdraw a director's entry and keep it in the record, record
        :class:`game.events.Retracted` instead.

        Raises:
            TilewatchError: nothing was done since the game was made or read.
        """
        if not self._calls:
            raise TilewatchError("there is nothing to undo")
        count, self._state, self._now_ns = self._calls.pop()
        del self._events[count:]

    def play(self, position: str, word: str) -> ScoredTurn:
        """Play a word and return the turn, scored.

        Args:
            position: the first square: ``8D`` across, ``D8`` down.
            word: the main word. A lower-case letter is a blank, ``?`` a blank without a letter. A
                tile that says several letters is ``[CH]``. Tiles that already lie on the board
                are written as ``.`` or as themselves.

        Raises:
            TilewatchError: the word runs off the board, a letter differs from the tile that lies
                there, no new tile is played, a tile is not in the set, or the game is over. A
                play that breaks a rule is accepted and flagged, as at a table.
        """
        require(position, str, "position", "a square such as 8D or D8")
        require(word, str, "word", "a text")
        placed = tiles_laid(position, word, self.board, self._state.tile_set)
        return self._turn(self.board.replace(placed))

    def exchange(self, tiles: str | int = "") -> ScoredTurn:
        """Exchange tiles and return the turn.

        Args:
            tiles: the tiles exchanged, in either case, or their number; empty if neither is known.

        Raises:
            TilewatchError: ``tiles`` is neither, the tiles cannot all have been on the rack, or the
                game is over.
        """
        require(tiles, (str, int), "tiles exchanged", "tiles or their number")
        listed = self._state.tile_set.rack(str(tiles))
        return self._turn(self.board, self._ruled("exchange", tiles=listed))

    def pass_turn(self) -> ScoredTurn:
        """Pass and return the turn.

        Raises:
            TilewatchError: the game is over.
        """
        return self._turn(self.board, self._ruled("pass"))

    def challenge(self, *, succeeds: bool, words: int | None = None) -> ScoredTurn:
        """Challenge the last play, for the opponent of its player; return its turn afterwards.

        A play that is challenged successfully comes off the board. The rulebook says what a failed
        challenge costs. If it costs the challenger's turn, that lost turn is returned instead.

        Args:
            succeeds: True if the play comes off.
            words: how many of its words are challenged; all of them if not given.

        Raises:
            TilewatchError: there is no play to challenge, it has been challenged already, it has
                fewer words, or somebody has ended the game.
        """
        require(succeeds, bool, "succeeds", "True or False")
        require(words, (int, type(None)), "words", "a number of words")
        last = self._state.turns[-1] if self._state.turns else None
        if self._state.settled:
            raise TilewatchError(
                f"the game has been ended: {why_over(self._state)}; nothing is left to challenge"
            )
        if last is None or last.kind != "play":
            what = f"turn {last.number} is {last.kind!r}" if last else "nothing has been played"
            raise TilewatchError(f"there is no play to challenge: {what}")
        if last.ruling == "challenge_failed" or self.turns[-1].bonus:
            raise TilewatchError(f"the play of turn {last.number} has been challenged already")
        formed, now = len(last.words), self._now_ns
        count = formed if words is None else words
        if not 1 <= count <= formed:
            raise TilewatchError(f"{count} words cannot be challenged: the play has {formed}")
        costs_turn = self._state.rulebook.challenge_failed == "lose_turn"
        if not succeeds and costs_turn and not self.is_over:
            return self._turn(self.board, self._ruled("challenge_failed", words=count))
        ruling: Ruling = "challenge_upheld" if succeeds else "challenge_failed"
        self._record(TurnRuled(last.number, ruling, _BY, "", now, count, called_ns=now))
        return self.turns[last.number - 1]

    def end(self, racks: Mapping[str, str] | None = None) -> Mapping[str, int]:
        """End the game and return the final scores by name.

        Call it again with ``racks`` for racks that are still needed.

        Args:
            racks: the tiles left on each rack, by name, if the rulebook counts them.

        Raises:
            TilewatchError: a rack is impossible or does not count, nobody has that name, or the
                game was ended before and needs no rack.
        """
        now, shown = self._now_ns, []
        require(racks, (Mapping, type(None)), "racks", "tiles by name: {'Ann': 'QI'}")
        if self._state.settled and not (racks and self._state.lacks_rack):
            needed = " and needs a rack: give it by name" if self._state.lacks_rack else ""
            raise TilewatchError(
                f"the game has already been ended: {why_over(self._state)}{needed}; undo() takes "
                "the last call back"
            )
        for player, rack in (racks or {}).items():
            require(rack, str, f"the rack of {player}", "a text of tiles")
            side, tiles = self.side(player), self._state.tile_set.rack(rack)
            report = RackReported(side, tiles, now)
            check_entry(self._state, report)
            if len(tiles) != (count := self._state.racks[side]):
                raise TilewatchError(
                    f"{player}'s rack should hold {count} tiles by count, but {len(tiles)} were "
                    f"given: give exactly those {count}, or first record a RackReported with "
                    f"counted={len(tiles)}"
                )
            shown.append(report)
        reason = self._state.end_reason or EndReason.AGREED
        end = () if self._state.settled else (GameEnded(reason, now),)
        self._record(*self._started(), *shown, *end)
        counted = any(line.kind.startswith("end_rack") for line in self.adjustments)
        if any(report.tiles for report in shown) and not counted and not self._state.lacks_rack:
            self.undo()
            raise TilewatchError(
                f"{self._state.rulebook.id} counts no racks where the game ends so ({reason}): "
                "leave them out, or record RackReported and GameEnded('shortened', game.now_ns)"
            )
        return self.scores

    # --- objections ---

    def legal_remedies(self, flag: Flag) -> tuple[OfferedRemedy, ...]:
        """Return the remedies for a flag that are open now; none for a settled flag.

        Each names who has the right to it, by which rule, and until when.

        Raises:
            TilewatchError: the game has no such flag now.
        """
        require(flag, Flag, "legal_remedies", "one of game.flags")
        for turn in (*self._state.turns, None):
            if flag in (self._state.flags if turn is None else turn.flags):
                if flag.settled is not None:
                    return ()
                return tuple(one for one in offers(self._state, turn, flag) if one.open)
        raise TilewatchError(
            f"the game has no such flag {flag.code!r} now: take one of its present flags"
        )

    def take(
        self, remedy: OfferedRemedy, *, by: str = _BY, why: str = "", **answers: object
    ) -> None:
        """Take a remedy: record its event.

        Args:
            remedy: one of :meth:`legal_remedies`.
            by: the person who takes it.
            why: the reason, if not the remedy's own.
            answers: what only people know, by the names in ``remedy.asks``: ``letter="E"``.

        Raises:
            TilewatchError: the remedy has nothing to record, the answers are not those that it asks
                for, or the event is invalid.
        """
        require(remedy, OfferedRemedy, "take", "one of game.legal_remedies(flag)")
        if remedy.event is None:
            raise TilewatchError(f"{remedy.text}: this remedy has no event to record")
        for name in sorted({*remedy.asks} ^ answers.keys()):
            what = "say" if name in remedy.asks else "nobody asks for"
            raise TilewatchError(f"{remedy.text}: {what} {name}")
        own = {"by": by, "why": why or remedy.event.get("why"), "t_ns": self._now_ns}
        filled = {name: own[name] for name in FILLED if name in remedy.event}
        given = with_symbols({"type": remedy.event["type"], **answers}, self._state.tile_set.rack)
        self._record(from_payload({**remedy.event, **filled, **given}))

    # --- records ---

    def to_gcg(self) -> str:
        """Return the game as the text of a GCG file."""
        return write(record_from_game(self._state))

    def to_cgp(self) -> str:
        """Return the position of the game as a line of CGP.

        Raises:
            TilewatchError: a tile on the board is unknown, for which CGP has no form.
        """
        return cgp_of(self._state, self._now_ns)

    def __reduce__(self) -> tuple[object, ...]:
        # Copies and pickles are made of the events; what a call can be taken back to stays behind.
        return self.from_events, (self.events,), {"_now_ns": self._now_ns}

    def __repr__(self) -> str:
        scores = ", ".join(f"{name} {points}" for name, points in self.scores.items())
        if self.is_over:
            goes_on = "over"
        else:
            goes_on = f"{self.on_turn or 'somebody'} to play, {self._state.bag_count} in the bag"
        lines = [f"{scores}; {goes_on}", f"    {' '.join(_COLUMNS)}"]
        lines += [f"{n:2}  {' '.join(row)}" for n, row in enumerate(self.board.rows, start=1)]
        return "\n".join(lines)

    # --- how ---

    def _record(self, *events: Event, now: int | None = None) -> None:
        """Record all the events; if one is refused, record none and raise ``TilewatchError``."""
        state = self._state
        for event in events:
            check_entry(state, event)
            state = apply(state, event)
        times = (getattr(event, "t_ns", 0) for event in events)
        now = max(self._now_ns, now or 0, *times)
        running, limit = state.clocks.running, state.rulebook.over_limit
        if running and not state.forfeit and limit(state.clocks.remaining(running, now)):
            events = (*events, TimePassed(now))
            state = apply(state, events[-1])
        self._calls.append((len(self._events), self._state, self._now_ns))
        self._events += events
        self._state = state
        self._now_ns = now

    def _started(self) -> tuple[Event, ...]:
        """Return the press that starts the first player's clock; nothing if it has started."""
        if self._state.status != "waiting" or not self._state.timed:
            return ()
        return (ButtonPressed(other(self._state.start.first or SIDES[0]), self._now_ns),)

    def _turn(self, seen: Board, *rulings: TurnRuled) -> ScoredTurn:
        """End the turn of the player on turn with this board and these rulings; return the turn."""
        started, now = self._started(), self._turn_ns()
        side = self._state.on_turn or SIDES[0]
        if self.is_over:
            raise TilewatchError(
                f"the game is over: {why_over(self._state)}; undo() takes the last call back"
            )
        pressed = (ButtonPressed(side, now),) if self._state.timed else ()
        self._record(*started, *pressed, TurnSeen(side, now, seen.rows, now), *rulings, now=now)
        return self.turns[-1]

    def _turn_ns(self) -> int:
        """Return the time of a turn that ends now: a second after the last, if nobody waited."""
        last = self._state.turns[-1].press_ns if self._state.turns else 0
        return self._now_ns if self._now_ns > last else last + SECOND

    def _ruled(self, ruling: Ruling, *, tiles: str = "", words: int = 0) -> TurnRuled:
        """Return a ruling on the turn that ends now."""
        number, now = len(self._state.turns) + 1, self._turn_ns()
        return TurnRuled(number, ruling, _BY, "", now, words, tiles=tiles)


def _scored_turns(state: GameState, names: Mapping[Side, str]) -> Iterator[ScoredTurn]:
    """Yield the turns of a game, in order; ``names`` has the players' names by side."""
    sums = {len(one.turns): one.scores for one in state.progress.ledger.positions}
    bonuses: Counter[tuple[int, Side]] = Counter()
    for line in state.adjustments:
        if line.kind == "challenge_bonus":
            bonuses[line.after_turn, line.side] += line.points
    for turn in state.turns:
        scores = {names[side]: points for side, points in sums[turn.number].items()}
        yield _scored(turn, state, names, scores, bonuses[turn.number, turn.side])


def _scored(
    turn: Turn, state: GameState, names: Mapping[Side, str], scores: Mapping[str, int], bonus: int
) -> ScoredTurn:
    tiles = state.tile_set
    whole = None if turn.main_word is None else tiles.word(turn.main_word)
    stands, counts = turn.kind in _STANDS, turn.kind == "play"
    return ScoredTurn(
        number=turn.number,
        player=names[turn.side],
        kind=turn.kind,
        position=turn.position,
        word=whole if stands else None,
        came_off=None if stands else whole,
        tiles=dict(turn.tiles),
        score=turn.score,
        bonus=bonus,
        penalty=turn.penalty,
        bingo=turn.bingo if counts else 0,
        words=tuple((tiles.word(text), points) for text, points in turn.words) if counts else (),
        exchanged=tiles.word(turn.exchanged),
        rack=None if turn.rack is None else tiles.word(turn.rack),
        clock=None if turn.clock_ns is None else turn.clock_ns / SECOND,
        flags=turn.flags,
        scores=scores,
    )
