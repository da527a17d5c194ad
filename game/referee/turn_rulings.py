"""The rulings and corrections that people have made about a turn.

Several people may rule on one turn: the ruling entered last holds, whatever time it names. The same
is true of the score that both players agree on. Corrections of a square, and reasons for a stop,
may arrive in any order: the latest by time holds, and of two for the same time the one entered
last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from game.board import Square
from game.events import PlayAccepted, Ruling, ScoreAgreed, StopExplained, StopReason, TurnRuled
from game.values import replace

Stamp = tuple[int, str]
"""The time of a correction, and its symbol or words."""


@dataclass(frozen=True)
class TurnRulings:
    """Every ruling and correction of one turn that still holds."""

    ruled: TurnRuled | None = None
    ruled_after: int = 0
    """How many turns had been seen when the turn was ruled on."""
    stops_ns: tuple[int, ...] = ()
    """When the clock was stopped between the turn and the ruling on it, in order."""
    words: tuple[str, ...] = ()
    """The words of the play as it was read when the turn was ruled on."""
    symbols: Mapping[Square, str] = field(default_factory=dict)
    """The symbols that were really on squares, the letters of blanks among them."""
    stamps: Mapping[Square, Stamp] = field(default_factory=dict)
    """The time and symbol of each correction in ``symbols``, by square."""
    turned: Mapping[tuple[Square, str], Stamp] = field(default_factory=dict)
    """When and how a tile was found turned by a correction, by square and tile."""
    held_ns: int | None = None
    """When a hold was first called on the play; None if none was."""
    returned_ns: int | None = None
    """When the opponent, who had been away, came back and saw the play; None if not entered."""
    acceptances: tuple[PlayAccepted, ...] = ()
    """Everything that somebody entered as an acceptance of the play."""
    accepted: PlayAccepted | None = None
    """How and when the opponent accepted the play: the earliest acceptance that counts."""
    agreed: ScoreAgreed | None = None
    """The score that both players agreed on."""
    explained: Mapping[int | None, StopExplained] = field(default_factory=dict)
    """Why the clock was stopped after the turn, by the moment of each stop; the key is None for a
    stop that was not known when its reason was entered."""

    @property
    def stop_reasons(self) -> tuple[StopReason, ...]:
        """The reasons that somebody gave for stops after the turn, each once."""
        return tuple(dict.fromkeys(one.reason for one in self.explained.values()))

    def reason_at(self, at_ns: int | None) -> StopReason | None:
        """Return the reason that somebody gave for the stop at a moment; None if nobody did."""
        one = self.explained.get(at_ns) or self.explained.get(None)
        return None if one is None else one.reason

    def reason_by(self, t_ns: int) -> StopReason | None:
        """Return the reason for the last stop, up to a moment, that somebody explained."""
        moments = (at_ns for at_ns in self.explained if at_ns is not None and at_ns <= t_ns)
        return self.reason_at(max(moments, default=None))

    @property
    def challenged_ns(self) -> int | None:
        """When the challenge came that was ruled on, if somebody said so; else None.

        The last stop by the ruling says so, too, if it was for a challenge.
        """
        if self.ruled is None or self.ruled.called_ns is not None:
            return None if self.ruled is None else self.ruled.called_ns
        by_then = self.ruled.happened_ns
        moments = [at for at in self.explained if at is not None and at <= by_then]
        return max(moments) if moments and self.reason_by(by_then) == "challenge" else None

    def may_be_challenge(self, at_ns: int | None) -> bool:
        """True if the stop at a moment may have been for a challenge of the turn."""
        return self.reason_at(at_ns) in (None, "challenge")

    def reason_for(self, stopped_ns: int) -> StopReason | None:
        """Return why the clock was stopped at a moment; None if that stop has no known reason.

        A ruling on a challenge made at that time or later counts as the reason, too.
        """
        if (reason := self.reason_at(stopped_ns)) is not None:
            return reason
        return "challenge" if self.challenge_since(stopped_ns) else None

    @property
    def ruling(self) -> Ruling | None:
        """The ruling on the turn; None if there is none."""
        return None if self.ruled is None else self.ruled.ruling

    @property
    def costs_turn(self) -> bool:
        """True if the turn was challenged in vain, and that may cost points or a turn."""
        return self.ruled is not None and self.ruled.costs_turn

    def challenge_since(self, stopped_ns: int) -> bool:
        """True if a challenge of the turn was ruled on at that time or later."""
        ruled = self.ruled
        return (
            ruled is not None
            and ruled.ruling.startswith("challenge_")
            and ruled.happened_ns >= stopped_ns
        )

    @property
    def misoriented(self) -> dict[Square, str]:
        """How tiles are turned, by square, if a correction of the square showed it."""
        return {
            square: how
            for (square, symbol), (_, how) in self.turned.items()
            if self.symbols.get(square) == symbol
        }

    @property
    def effect(self) -> tuple[object, ...]:
        """All the values that can change the turn; who ruled, and when, is left out."""
        ruled = self.ruled
        what = None
        if ruled is not None:
            what = (ruled.ruling, ruled.count, ruled.ground, ruled.called_ns, ruled.tiles)
        symbols = (self.symbols, self.stamps, self.misoriented)
        return (
            *(what, self.stops_ns, self.ruled_after, symbols, self.held_ns, self._stops),
            self.returned_ns,
            *(self.accepted, None if self.agreed is None else self.agreed.points),
        )

    @property
    def _stops(self) -> Mapping[int | None, StopReason]:
        return {at_ns: one.reason for at_ns, one in self.explained.items()}

    def with_ruling(
        self,
        event: TurnRuled,
        seen: int,
        stops_ns: tuple[int, ...] = (),
        words: tuple[str, ...] = (),
    ) -> TurnRulings:
        """Return the rulings with a new ruling.

        Args:
            event: the ruling.
            seen: how many turns had been seen when it was made.
            stops_ns: when the clock was stopped between the turn and the ruling.
            words: the words of the play as it is read now.
        """
        return replace(self, ruled=event, ruled_after=seen, stops_ns=stops_ns, words=words)

    def known_at(self, number: int, ended_ns: int) -> TurnRulings:
        """Return the rulings after turn ``number`` was read, which had surely ended by then.

        A ruling made after the end of that turn, but before it was read, counts as made after it.
        """
        if self.ruled is None or self.ruled_after >= number or ended_ns > self.ruled.happened_ns:
            return self
        return replace(self, ruled_after=number)

    def with_symbol(self, square: Square, symbol: str, t_ns: int, misoriented: str) -> TurnRulings:
        """Return the rulings with one more correction of a square, and how its tile is turned."""
        turned, tile = self.turned, (square, symbol)
        if misoriented:
            seen = (t_ns, misoriented)
            turned = {**turned, tile: max(seen, turned.get(tile, seen), key=_time)}
        stamp = (t_ns, symbol)
        if _time(self.stamps.get(square, stamp)) > t_ns:
            return replace(self, turned=turned)
        return replace(
            self,
            symbols={**self.symbols, square: symbol},
            stamps={**self.stamps, square: stamp},
            turned=turned,
        )

    def with_hold(self, t_ns: int) -> TurnRulings:
        """Return the rulings with a hold; the earliest call counts."""
        held = t_ns if self.held_ns is None else min(self.held_ns, t_ns)
        return replace(self, held_ns=held)

    def with_return(self, t_ns: int) -> TurnRulings:
        """Return the rulings with the opponent's return to the play; the earliest time counts."""
        seen = t_ns if self.returned_ns is None else min(self.returned_ns, t_ns)
        return replace(self, returned_ns=seen)

    def held_at(self, t_ns: int) -> bool:
        """True if the play was held at a moment: a hold had been called, and not released."""
        released = (
            one.how == "hold_released" and one.moment_ns <= t_ns for one in self.acceptances
        )
        return self.held_ns is not None and self.held_ns <= t_ns and not any(released)

    def challenged_at(self, t_ns: int) -> bool:
        """True if the verdict on a challenge of the play was awaited at a moment."""
        decided = self.ruled is not None and self.ruled.happened_ns <= t_ns
        return not decided and self.reason_by(t_ns) == "challenge"

    def accepting(self, counts: Callable[[TurnRulings, PlayAccepted], bool]) -> TurnRulings:
        """Return the rulings with the earliest acceptance that counts beside them, if any."""
        found = (one for one in self.acceptances if counts(self, one))
        return replace(self, accepted=min(found, key=_acceptance_stamp, default=None))

    def with_score(self, event: ScoreAgreed) -> TurnRulings:
        """Return the rulings with a score that both players agreed on; the last entry counts."""
        return replace(self, agreed=event)

    def with_stop(self, event: StopExplained, stopped_ns: int | None) -> TurnRulings:
        """Return the rulings with the reason for the stop at ``stopped_ns``; the latest holds."""
        known = self.explained.get(stopped_ns)
        if known is not None and known.t_ns > event.t_ns:
            return self
        return replace(self, explained={**self.explained, stopped_ns: event})


NO_RULINGS = TurnRulings()


def _acceptance_stamp(event: PlayAccepted) -> Stamp:
    return event.moment_ns, event.how


def _time(stamp: Stamp) -> int:
    return stamp[0]
